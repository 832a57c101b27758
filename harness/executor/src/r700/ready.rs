//! ALU groups made ready to run: every slot bound to its kernel and to the lanes it reads,
//! operations that span slots found.

use parallax_isa::r700::case::Profile;

use super::{
    alu::{Delivers, MoveAddress, Role, Work},
    decode::{AluSlot, Group},
    operand::{self, Source},
    simd::{Kernel, Pair},
    surroundings::Surroundings,
    units,
};

/// A group, ready to run.
pub(super) struct ReadyGroup {
    pub(super) address: u32,
    /// Vector units first: Trans wins where both write the same.
    pub(super) slots: Vec<ReadySlot>,
    pub(super) spans: Vec<Span>,
    /// Why the group cannot be run: that ends a run as undefined (decision D-r700-units).
    pub(super) problem: Option<String>,
}

pub(super) struct ReadySlot {
    pub(super) slot: AluSlot,
    pub(super) work: SlotWork,
    /// The sources that its operation reads; the others are not looked at.
    pub(super) sources: [Source; 3],
    pub(super) source_count: usize,
    /// The unit whose result is this slot's: that of a span's first slots for some of the others.
    pub(super) result: usize,
    /// Its result is a float with an output modifier or a clamp.
    pub(super) modified: bool,
    pub(super) role: Role,
}

/// What a slot does.
pub(super) enum SlotWork {
    /// A result of its own.
    Lane(Kernel),
    /// The address register.
    MoveAddress(MoveAddress),
    Nop,
    /// Its part of an operation that spans slots.
    Spanned,
}

/// An operation over several vector slots.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) work: SpanWork,
    /// First unit.
    pub(super) first: usize,
    /// Places of its slots in the group, by unit.
    pub(super) places: [usize; 4],
}

#[derive(Clone, Copy)]
pub(super) enum SpanWork {
    Dot4 { ieee: bool },
    Cube,
    Max4,
    TwoSlots(Pair, Delivers),
    FourSlots(Pair, Delivers),
    Frexp,
}

/// What an operation does over several slots, if it does.
fn span_work(work: Work, delivers: Delivers) -> Option<SpanWork> {
    Some(match work {
        Work::Dot4 { ieee } => SpanWork::Dot4 { ieee },
        Work::Cube => SpanWork::Cube,
        Work::Max4 => SpanWork::Max4,
        Work::TwoSlots(forms) => SpanWork::TwoSlots(forms().best(), delivers),
        Work::FourSlots(forms) => SpanWork::FourSlots(forms().best(), delivers),
        Work::Frexp => SpanWork::Frexp,
        Work::Lane { .. } | Work::MoveAddress(_) | Work::Nop | Work::Undefined => return None,
    })
}

/// The unit whose result is that of `unit` in an operation.
fn result_unit(work: Work, unit: usize) -> usize {
    match work {
        Work::Dot4 { .. } | Work::Max4 => 0,
        Work::FourSlots(_) => unit & 1,
        _ => unit,
    }
}

/// Binds a group to units and kernels.
pub(super) fn prepare(mut group: Group, prefer_vector: bool, around: &Surroundings) -> ReadyGroup {
    let conflict = units::assign(&mut group.slots, prefer_vector);
    group.slots.sort_by_key(|slot| slot.unit == 4);
    let mut ready = ReadyGroup {
        address: group.address,
        slots: Vec::new(),
        spans: Vec::new(),
        problem: conflict,
    };
    for slot in &group.slots {
        let operation = slot.operation;
        let unit = usize::from(slot.unit);
        let work = match operation.work {
            Work::Lane { manual, silicon } => {
                let forms = match around.profile {
                    Profile::Manual => manual,
                    Profile::Silicon => silicon,
                };
                SlotWork::Lane(forms().best())
            }
            Work::MoveAddress(kind) => SlotWork::MoveAddress(kind),
            Work::Nop => SlotWork::Nop,
            Work::Undefined => {
                ready.problem = Some("ALU_INST has no defined operation".to_owned());
                SlotWork::Nop
            }
            work => {
                let width = work.width();
                let first = if width == 2 { unit & !1 } else { 0 };
                let mut places = [0; 4];
                for (unit, place) in places.iter_mut().enumerate().skip(first).take(width) {
                    let found = group
                        .slots
                        .iter()
                        .position(|s| usize::from(s.unit) == unit && s.operation == operation);
                    if let Some(found) = found {
                        *place = found;
                    } else {
                        let message = "an operation over several slots lacks some of them";
                        ready.problem = Some(message.to_owned());
                    }
                }
                if first == unit
                    && let Some(work) = span_work(work, operation.delivers)
                {
                    ready.spans.push(Span { work, first, places });
                }
                SlotWork::Spanned
            }
        };
        for operand in &slot.sources[..operation.sources] {
            ready.problem = ready.problem.or_else(|| operand::unreadable(operand, around));
        }
        let modified = slot.output_modifier != 0 || slot.clamp;
        ready.slots.push(ReadySlot {
            slot: *slot,
            work,
            sources: slot.sources.each_ref().map(|operand| Source::of(slot, operand, around)),
            source_count: operation.sources,
            result: result_unit(operation.work, unit),
            modified: modified && operation.delivers == Delivers::Float,
            role: operation.role,
        });
    }
    ready
}
