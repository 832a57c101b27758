//! Results of R700 groups that an engine does not claim to have right.

use std::mem::offset_of;

use parallax_isa::{
    Acceptance, Expectation, Extent, Weaknesses,
    r700::{
        opcode::Kind,
        state::{GPR_COUNT, PIXELS, State},
    },
};
use parallax_reference::r700::{Observed, Slot};
use parallax_spec::coverage;

use crate::weakness::{self, Class, anything, is_tiny};

/// Counts the rules of a step, and finds what is weak of it.
pub(super) fn observe(observed: &Observed<'_>) {
    if coverage::is_observed() {
        parallax_rules::r700::observe(observed);
    }
    if let Observed::Group(group) = observed {
        weakness::inspect(|weaknesses, found| {
            for slot in group.slots() {
                for pixel in (0..PIXELS).filter(|pixel| slot.on >> pixel & 1 == 1) {
                    if let Some(acceptance) = acceptance(slot, weaknesses, pixel) {
                        accept(slot, pixel, acceptance, found);
                    }
                }
            }
        });
    }
}

/// What is accepted of a pixel's result, if it is weak.
fn acceptance(slot: &Slot, weaknesses: &Weaknesses, pixel: usize) -> Option<Acceptance> {
    let row = slot.opcode.row();
    let sources =
        (0..row.sources.len()).map(|source| Some(Class::of_single(slot.element(source, pixel))));
    let result = Some(Class::of_single(slot.result(pixel)));
    let has_nan = || sources.clone().any(|source| source == Some(Class::Nan));
    let is_float = row.result == Kind::F32;
    let converts = matches!(row.result, Kind::I32 | Kind::U32) && row.sources == [Kind::F32];
    let compares = ["MIN", "MAX"].iter().any(|name| slot.opcode.mnemonic().starts_with(name));
    if weaknesses.denormals && is_float && is_tiny(result, sources.clone())
        || weaknesses.nan_comparisons && is_float && compares && has_nan()
        || weaknesses.conversions && converts && is_out_of_range(slot, pixel)
    {
        return Some(Acceptance::Undefined);
    }
    if weaknesses.nan_payloads && is_float && result == Some(Class::Nan) {
        return Some(Acceptance::AnyNan32);
    }
    let most = weaknesses.approximations.get(slot.opcode.mnemonic());
    most.map(|most| Acceptance::Ulp32(*most))
}

/// Whether the float that an instruction converts has no integer of the result's type. Below zero the unsigned result is
/// 0.
fn is_out_of_range(slot: &Slot, pixel: usize) -> bool {
    let magnitude = f32::from_bits(slot.element(0, pixel)).abs();
    let is_unsigned = slot.opcode.row().result == Kind::U32;
    let most = if is_unsigned { 4_294_967_296.0 } else { 2_147_483_648.0 };
    let is_negative = is_unsigned && magnitude >= 1.0 && slot.result(pixel) == 0;
    magnitude.is_nan() || magnitude >= most || is_negative
}

/// Accepts that in the places of a pixel; where it may be anything, in all that its step decides by it too.
fn accept(slot: &Slot, pixel: usize, acceptance: Acceptance, found: &mut Vec<Expectation>) {
    let lanes = size_of::<[u32; PIXELS]>();
    let mut add = |start: usize| {
        found.push(Expectation { extent: Extent::whole(start + 4 * pixel, 4), acceptance });
    };
    add(offset_of!(State, previous) + lanes * slot.unit);
    let is_relative = slot.alu.dst_rel() != 0;
    if slot.written >> pixel & 1 == 1 && !is_relative {
        let element = 4 * slot.alu.dst_gpr() as usize + slot.alu.dst_elem() as usize;
        add(offset_of!(State, gpr) + lanes * element);
    }
    if is_relative {
        anything(found, offset_of!(State, gpr), lanes * 4 * GPR_COUNT);
    }
    if acceptance != Acceptance::AnyNan32 {
        for offset in [
            offset_of!(State, predicate),
            offset_of!(State, execute_set),
            offset_of!(State, execute_value),
        ] {
            let extent = Extent { offset: offset as u32, bytes: 8, mask: 1 << pixel };
            found.push(Expectation { extent, acceptance: Acceptance::Undefined });
        }
    }
}
