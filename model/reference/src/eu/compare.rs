//! Comparisons: `cmp`, `cmpn` (G45 volume 4, sections 10.3.1, 11.8 and 14.2).

use parallax_isa::{Acceptance, Extent, Image, eu::instruction::ConditionalModifier};
use parallax_spec::rule;

use super::rules::count;
use super::{
    condition::PreSignals, execution::Execution, region::Place, result::FlagUpdate,
    thread::Executed,
};

/// `cmp`: the flag, and bit 0 of dst, say whether the condition holds between src0 and src1.
pub(super) fn cmp(x: &mut Execution) -> Executed {
    compare(x, |signals, modifier| Some(signals.compare(modifier)))
}

/// `cmpn`: as `cmp`, but a NaN in src1 makes the condition true, so that a following `sel` takes
/// src0. Of two NaNs it does not matter which is taken.
pub(super) fn cmpn(x: &mut Execution) -> Executed {
    compare(x, |signals, modifier| {
        if signals.source_is_nan == [true, true] {
            count(
                rules!["g45": "float.ieee.cmpn-both-nan", "cond.cmpn-two-nan", "minmax.two-nans"],
            );
            return None;
        }
        Some(signals.compare_nan(modifier))
    })
}

/// Compares; `holds` is `None` where the flag is a do-not-care.
fn compare(
    x: &mut Execution,
    holds: impl Fn(PreSignals, ConditionalModifier) -> Option<bool>,
) -> Executed {
    let (a, b) = (x.source(0)?, x.source(1)?);
    let destination = x.instruction.destination;
    let places = x.thread.destination_places(&destination, x.channels().end)?;
    x.check_destination(&places)?;
    if x.predicate_is_open() {
        x.leave_open(&places);
        return Ok(());
    }
    use ConditionalModifier::{None as Missing, Overflow, RoundIncrement, Unordered};
    let modifier = x.instruction.condition;
    let has_meaning = !matches!(modifier, Missing | Overflow | RoundIncrement | Unordered);
    let mut flags = FlagUpdate::default();
    for channel in x.enabled_channels() {
        let signals = PreSignals::of(a[channel].value, b[channel].value);
        let result = holds(signals, modifier);
        let defined = result.is_some() && a[channel].defined && b[channel].defined && has_meaning;
        let result = result.unwrap_or(modifier != ConditionalModifier::NotEqual);
        flags.set(channel, result, defined);
        if let Place::Byte(offset) = places[channel] {
            let element = Extent::whole(offset, destination.data_type.size());
            element.write(x.thread.state.image_mut(), u64::from(result));
            rule!("g45.inst.cmp.dst-upper-bits");
            let mask = if defined { element.mask & !1 } else { element.mask };
            x.thread.expect(Extent { mask, ..element }, Acceptance::Undefined);
        } else {
            rule!("g45.inst.cmp.dst-null");
        }
    }
    x.write_flags(flags);
    x.properties.count_accumulator();
    Ok(())
}
