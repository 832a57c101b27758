//! Comparisons: `cmp`, `cmpn` (G45 volume 4, sections 10.3.1, 11.8 and 14.2).

use parallax_isa::{Acceptance, Extent, device::Generation, eu::instruction::ConditionalModifier};

use super::{
    condition::PreSignals,
    execution::Execution,
    flags::FlagUpdate,
    region::Place,
    thread::{ArchitectureRegister, Executed},
};

/// `cmp`: the flag, and bit 0 of dst, say whether the condition holds between src0 and src1.
pub(super) fn cmp(x: &mut Execution) -> Executed {
    compare(x, |signals, modifier| Some(signals.compare(modifier)))
}

/// `cmpn`: as `cmp`, but a NaN in src1 makes the condition true, so that a following `sel` takes
/// src0. Of two NaNs it does not matter which is taken.
pub(super) fn cmpn(x: &mut Execution) -> Executed {
    let is_later = x.since(Generation::Gen7);
    compare(x, |signals, modifier| {
        if signals.source_is_nan == [true, true] && !is_later {
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
    let places = x.places_of_destination()?;
    x.check_destination(&places)?;
    if x.predicate_is_open() {
        x.leave_open(&places);
        return Ok(());
    }
    let modifier = x.instruction.condition;
    let is_later = x.since(Generation::Gen7);
    let has_meaning = has_order(modifier) || is_later && modifier == ConditionalModifier::Unordered;
    let mut flags = FlagUpdate::default();
    for channel in x.enabled_channels() {
        let (first, second) = (a[channel].value, b[channel].value);
        let signals = PreSignals::of(first, second);
        let result = if is_later && modifier == ConditionalModifier::Unordered {
            Some(signals.source_is_nan != [false; 2])
        } else {
            holds(signals, modifier)
        };
        let defined = result.is_some() && a[channel].defined && b[channel].defined && has_meaning;
        let result = result.unwrap_or(modifier != ConditionalModifier::NotEqual);
        flags.set(channel, result, defined);
        x.thread.record.wrote(channel, u64::from(result), defined, false);
        if let Place::Byte(offset) = places[channel] {
            let element = Extent::whole(offset, destination.data_type.size());
            let written = match (is_later, result) {
                (true, true) => u64::MAX,
                (_, result) => u64::from(result),
            };
            x.thread.write_register(element, written);
            let mask = match (is_later, defined) {
                (_, false) => element.mask,
                (false, true) => element.mask & !1,
                (true, true) => 0,
            };
            x.thread.expect(Extent { mask, ..element }, Acceptance::Undefined);
        }
    }
    if is_later {
        x.leave_compared(&places);
    }
    x.write_flags(flags);
    Ok(())
}

impl Execution<'_> {
    /// What a comparison on Gen7 and later writes besides its elements and flags: a register whose bits
    /// are not all stored gets its value, and an accumulator nobody knows which.
    fn leave_compared(&mut self, places: &[Place]) {
        let destination = self.instruction.destination.register;
        if let Some(register) = ArchitectureRegister::of(self.thread.device, destination)
            && self.enabled != 0
        {
            // Nothing says what a comparison does there: as a whole it is open.
            let range = register.start..register.start + register.bytes;
            for byte in range {
                self.thread.expect(Extent::whole(byte, 1), Acceptance::Undefined);
            }
        }
        let names_accumulator = places.iter().any(|p| matches!(p, Place::Accumulator { .. }));
        if names_accumulator || self.writes_accumulator() {
            self.thread.accumulators_unpredictable(self.named_pair());
        }
    }
}

/// Whether a conditional modifier compares numbers.
pub(super) fn has_order(modifier: ConditionalModifier) -> bool {
    use ConditionalModifier::{None as Missing, Overflow, RoundIncrement, Unordered};
    !matches!(modifier, Missing | Overflow | RoundIncrement | Unordered)
}
