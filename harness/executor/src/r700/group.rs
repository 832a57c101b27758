//! One ALU group: every instruction reads before any writes (section 4.1).

use parallax_isa::r700::state::State;

use super::{
    alu::{self, Executes, Role},
    masks::{mask, ones, zero_mask},
    number::{float, scale_and_clamp},
    operand::fetch,
    ready::{ReadyGroup, ReadySlot, SlotWork, Span, SpanWork},
    simd::{GroupCode, Lanes},
    surroundings::Surroundings,
    write::{LaneMask, write_register},
};

/// Working storage of a group, kept from one to the next; registers start where vectors do.
#[repr(C, align(64))]
pub(super) struct Scratch {
    /// Sources by unit, where they are not read in place.
    sources: [[Lanes; 3]; 5],
    /// Results by unit.
    results: [Lanes; 5],
    /// Results for the address register, by vector unit.
    addresses: [[i16; 64]; 4],
    /// Pixels for which a predicate setter says execute, by unit.
    passing: [u64; 5],
    enabled: LaneMask,
}

impl Scratch {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self {
            sources: [[[0; 64]; 3]; 5],
            results: [[0; 64]; 5],
            addresses: [[0; 64]; 4],
            passing: [0; 5],
            enabled: LaneMask::NONE,
        })
    }
}

/// Runs groups: all sources of one are read before anything is written.
pub(super) struct Groups;

impl GroupCode for Groups {
    type Group = ReadyGroup;
    type Surroundings<'a> = Surroundings<'a>;
    type Scratch = Scratch;

    #[inline(always)]
    fn run(group: &ReadyGroup, around: &Surroundings, scratch: &mut Scratch, state: &mut State) {
        for ready in &group.slots {
            let Scratch { sources, results, addresses, passing, .. } = &mut *scratch;
            let unit = usize::from(ready.slot.unit);
            let fetched = &mut sources[unit];
            for (number, out) in fetched.iter_mut().enumerate().take(ready.source_count) {
                let (slot, operand) = (&ready.slot, &ready.slot.sources[number]);
                fetch(slot, operand, &ready.sources[number], around, state, out);
            }
            let operands = operands(ready, around, fetched, state);
            let result = &mut results[unit];
            match ready.work {
                SlotWork::Lane(kernel) => kernel(&operands, result),
                SlotWork::MoveAddress(kind) => {
                    addresses[unit] = alu::move_address(kind, operands[0], around.profile);
                    continue;
                }
                SlotWork::Nop | SlotWork::Spanned => continue,
            }
            if let Role::Predicate(executes) = ready.role {
                passing[unit] = self::passing(executes, [operands[0], operands[1]], result);
            }
            if ready.modified {
                scale_and_clamp(result, ready.slot.output_modifier, ready.slot.clamp);
            }
        }
        for span in &group.spans {
            run_span(span, group, around, scratch, state);
        }
        commit(group, around, scratch, state);
    }
}

/// The pixels for which a predicate setter says execute, from its sources and its result before
/// output modifiers.
#[inline(always)]
fn passing(executes: Executes, [a, b]: [&Lanes; 2], results: &Lanes) -> u64 {
    match executes {
        Executes::Zero => zero_mask(results),
        Executes::NotAbove => mask(|pixel| float(a[pixel]) <= float(b[pixel])),
        Executes::ZeroFromZero => mask(|pixel| results[pixel] == 0 && float(a[pixel]) == 0.0),
    }
}

/// The lanes of a slot's sources, modifiers applied, once they are [fetched](fetch).
#[inline(always)]
fn operands<'a>(
    ready: &'a ReadySlot,
    around: &Surroundings,
    fetched: &'a [Lanes; 3],
    state: &'a State,
) -> [&'a Lanes; 3] {
    [
        operand(ready, 0, around, &fetched[0], state),
        operand(ready, 1, around, &fetched[1], state),
        operand(ready, 2, around, &fetched[2], state),
    ]
}

#[inline(always)]
fn operand<'a>(
    ready: &'a ReadySlot,
    number: usize,
    around: &Surroundings,
    fetched: &'a Lanes,
    state: &'a State,
) -> &'a Lanes {
    let reads = number < ready.source_count;
    let in_place = if reads { ready.sources[number].in_place(around, state) } else { None };
    in_place.unwrap_or(fetched)
}

#[inline(always)]
fn run_span(
    span: &Span,
    group: &ReadyGroup,
    around: &Surroundings,
    scratch: &mut Scratch,
    state: &State,
) {
    let Scratch { sources, results, passing, .. } = scratch;
    let slots = span.places.map(|place| &group.slots[place]);
    let operands =
        slots.map(|ready| operands(ready, around, &sources[usize::from(ready.slot.unit)], state));
    let pairs = operands.map(|[a, b, _]| [a, b]);
    let slot = slots[span.first].slot;
    let (output_modifier, clamp) = (slot.output_modifier, slot.clamp);
    let [x, y, z, w, _] = results;
    match span.work {
        SpanWork::Dot4 { ieee } => {
            alu::dot4(pairs, ieee, x);
            scale_and_clamp(x, output_modifier, clamp);
        }
        SpanWork::Max4 => {
            alu::max4(operands.map(|[a, ..]| a), x);
            scale_and_clamp(x, output_modifier, clamp);
        }
        SpanWork::Cube => {
            alu::cube(pairs, [&mut *x, &mut *y, &mut *z, w]);
            // The face number in W is left alone.
            for lanes in [x, y, z] {
                scale_and_clamp(lanes, output_modifier, clamp);
            }
        }
        SpanWork::TwoSlots(pair, delivers) => {
            let first = span.first;
            let halves = [operands[first], operands[first + 1]];
            let (low, high) = if first == 0 { (x, y) } else { (z, w) };
            alu::run_double(pair, delivers, halves, (output_modifier, clamp), low, high);
            if let Role::Predicate(_) = slots[first].role {
                passing[first] = zero_mask(&results[first]);
                passing[first + 1] = zero_mask(&results[first + 1]);
            }
        }
        SpanWork::FourSlots(pair, delivers) => {
            let halves = [operands[0], operands[3]];
            alu::run_double(pair, delivers, halves, (output_modifier, clamp), x, y);
        }
        SpanWork::Frexp => alu::split_double(operands.map(|[a, ..]| a), [x, y, z, w]),
    }
}

/// Writes everything a group delivers.
#[inline(always)]
fn commit(group: &ReadyGroup, around: &Surroundings, scratch: &mut Scratch, state: &mut State) {
    let predicate = state.predicate;
    let (mut new_predicate, mut killed) = (predicate, 0);
    for ready in &group.slots {
        let slot = &ready.slot;
        let unit = usize::from(slot.unit);
        let enabled = state.executing
            & match slot.predicate_select {
                2 => !predicate,
                3 => predicate,
                _ => u64::MAX,
            };
        match ready.work {
            SlotWork::Nop => continue,
            SlotWork::MoveAddress(_) => {
                let address = &mut state.ar[usize::from(slot.element)];
                for pixel in ones(enabled) {
                    address[pixel] = scratch.addresses[unit][pixel];
                }
                continue;
            }
            SlotWork::Lane(_) | SlotWork::Spanned => {}
        }
        scratch.enabled.set(enabled);
        let result = &scratch.results[ready.result];
        scratch.enabled.merge(&mut state.previous[unit], result);
        if slot.write {
            write_register(slot, result, &scratch.enabled, around, state);
        }
        if let Role::Predicate(_) = ready.role {
            let pass = scratch.passing[unit];
            if slot.update_predicate {
                new_predicate = new_predicate & !enabled | pass & enabled;
            }
            if slot.update_execute_mask {
                state.execute_set |= enabled;
                state.execute_value = state.execute_value & !enabled | pass & enabled;
            }
        }
        if ready.role == Role::Kill && around.pixel_program {
            killed |= enabled & !zero_mask(result);
        }
    }
    state.predicate = new_predicate;
    state.valid &= !killed;
}
