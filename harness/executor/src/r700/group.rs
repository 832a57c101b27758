//! ALU groups made ready to run: every slot bound to its kernel, operations that span slots found.

use super::{
    decode::{AluSlot, Group, OP3},
    doubles::{self, Shape},
    kernels::{self, Kernel},
};

/// A group, ready to run.
pub(super) struct ReadyGroup {
    pub(super) address: u32,
    pub(super) slots: Vec<ReadySlot>,
    pub(super) spans: Vec<Span>,
    /// Why the group cannot be run: that ends a run as undefined (decision D-r700-units).
    pub(super) problem: Option<String>,
}

pub(super) struct ReadySlot {
    pub(super) slot: AluSlot,
    pub(super) work: Work,
}

/// What a slot computes.
pub(super) enum Work {
    /// A result of its own.
    Lane(Kernel),
    /// The address register.
    MoveAddress(MoveAddress),
    Nop,
    /// Its part of an operation that spans slots.
    Spanned,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MoveAddress {
    Nearest,
    Floor,
    Integer,
}

/// An operation over several vector slots.
#[derive(Clone, Copy)]
pub(super) enum Span {
    Dot4 { ieee: bool },
    Cube,
    Max4,
    Double { opcode: u16, shape: Shape, first: usize },
}

impl Span {
    /// The vector slots it takes.
    pub(super) fn slots(self) -> std::ops::Range<usize> {
        match self {
            Self::Double { shape: Shape::TwoSlots(_), first, .. } => first..first + 2,
            _ => 0..4,
        }
    }
}

/// Binds a group to kernels.
pub(super) fn prepare(group: Group, silicon: bool) -> ReadyGroup {
    let mut ready = ReadyGroup {
        address: group.address,
        slots: Vec::new(),
        spans: Vec::new(),
        problem: group.conflict,
    };
    let by_unit = |unit: usize| group.slots.iter().find(|slot| usize::from(slot.unit) == unit);
    for slot in &group.slots {
        let unit = usize::from(slot.unit);
        let work = match slot.opcode {
            26 => Work::Nop,
            21 => Work::MoveAddress(MoveAddress::Nearest),
            22 => Work::MoveAddress(MoveAddress::Floor),
            24 => Work::MoveAddress(MoveAddress::Integer),
            opcode => match (kernels::kernel(opcode, silicon), span(opcode, unit)) {
                (Some(kernel), _) => Work::Lane(kernel),
                (None, Some(span)) => {
                    let same = |n: usize| by_unit(n).is_some_and(|other| other.opcode == opcode);
                    if !span.slots().all(same) {
                        let message = "an operation over several slots lacks some of them";
                        ready.problem = Some(message.to_owned());
                    }
                    if span.slots().start == unit {
                        ready.spans.push(span);
                    }
                    Work::Spanned
                }
                (None, None) => {
                    ready.problem = Some("ALU_INST has no defined operation".to_owned());
                    Work::Nop
                }
            },
        };
        ready.slots.push(ReadySlot { slot: *slot, work });
    }
    ready
}

/// The spanning operation an opcode is part of when it sits in a vector unit.
fn span(opcode: u16, unit: usize) -> Option<Span> {
    match opcode {
        80 | 81 => Some(Span::Dot4 { ieee: opcode == 81 }),
        82 => Some(Span::Cube),
        83 => Some(Span::Max4),
        _ => {
            let shape = doubles::shape(opcode)?;
            Some(Span::Double { opcode, shape, first: unit & !1 })
        }
    }
}

/// Sources an opcode reads.
pub(super) fn source_count(opcode: u16) -> usize {
    match opcode {
        OP3.. => 3,
        26 | 38 => 0,
        7 | 16..=22 | 24 | 25 | 28 | 29 | 36 | 39 | 51 | 83 | 97..=111 | 119..=121 | 123 => 1,
        _ => 2,
    }
}
