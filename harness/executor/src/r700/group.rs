//! ALU groups made ready to run: every slot bound to its kernel and to the lanes it reads,
//! operations that span slots found.

use super::{
    clause::{self, Surroundings},
    decode::{AluSlot, Group, IndexMode, OP3, Operand, Select},
    doubles::{self, Shape},
    kernels::{self, Kernel, Modifiers},
};
use parallax_isa::r700::case::Profile;

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
    pub(super) work: Work,
    /// The sources that its opcode reads; the others are not looked at.
    pub(super) sources: [Source; 3],
    pub(super) source_count: usize,
    /// The unit whose result is this slot's: that of a span's first slots for some of the others.
    pub(super) result: usize,
    pub(super) sets_predicate: bool,
    pub(super) kills: bool,
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

/// A source of a slot.
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub(super) input: Input,
    pub(super) modifiers: Modifiers,
}

/// Where the lanes of a source are.
#[derive(Clone, Copy)]
pub(super) enum Input {
    /// In a register.
    Register { number: u8, element: u8 },
    /// In the register that aL leads to.
    LoopRegister { number: u8, element: u8 },
    /// In the previous result of a unit.
    Previous(u8),
    /// Nowhere: all pixels have the same value.
    Constant(u32),
    /// The same, with a value that depends on aL.
    LoopConstant,
    /// Nowhere: every pixel has its own place.
    Gathered,
}

/// An operation over several vector slots.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) operation: SpanOperation,
    /// First unit.
    pub(super) first: usize,
    /// Places of its slots in the group, by unit.
    pub(super) places: [usize; 4],
}

#[derive(Clone, Copy)]
pub(super) enum SpanOperation {
    Dot4 { ieee: bool },
    Cube,
    Max4,
    Double { opcode: u16, shape: Shape },
}

impl SpanOperation {
    /// Vector slots it takes.
    fn width(self) -> usize {
        match self {
            Self::Double { shape: Shape::TwoSlots(_), .. } => 2,
            _ => 4,
        }
    }

    /// The unit whose result is that of `unit`.
    fn result(self, unit: usize) -> usize {
        match self {
            Self::Dot4 { .. } | Self::Max4 => 0,
            Self::Double { shape: Shape::FourSlots(_), .. } => unit & 1,
            _ => unit,
        }
    }
}

/// Binds a group to kernels.
pub(super) fn prepare(mut group: Group, around: &Surroundings) -> ReadyGroup {
    group.slots.sort_by_key(|slot| slot.unit == 4);
    let mut ready = ReadyGroup {
        address: group.address,
        slots: Vec::new(),
        spans: Vec::new(),
        problem: group.conflict,
    };
    let with = |unit: usize, opcode: u16| {
        group.slots.iter().position(|s| usize::from(s.unit) == unit && s.opcode == opcode)
    };
    for slot in &group.slots {
        let unit = usize::from(slot.unit);
        let mut result = unit;
        let work = match slot.opcode {
            26 => Work::Nop,
            21 => Work::MoveAddress(MoveAddress::Nearest),
            22 => Work::MoveAddress(MoveAddress::Floor),
            24 => Work::MoveAddress(MoveAddress::Integer),
            opcode => match (
                kernels::kernel(opcode, around.profile == Profile::Silicon),
                span_operation(opcode),
            ) {
                (Some(kernel), _) => Work::Lane(kernel.best()),
                (None, Some(operation)) => {
                    result = operation.result(unit);
                    let width = operation.width();
                    let first = if width == 2 { unit & !1 } else { 0 };
                    let mut places = [0; 4];
                    for (unit, place) in places.iter_mut().enumerate().skip(first).take(width) {
                        if let Some(found) = with(unit, opcode) {
                            *place = found;
                        } else {
                            let message = "an operation over several slots lacks some of them";
                            ready.problem = Some(message.to_owned());
                        }
                    }
                    if first == unit {
                        ready.spans.push(Span { operation, first, places });
                    }
                    Work::Spanned
                }
                (None, None) => {
                    ready.problem = Some("ALU_INST has no defined operation".to_owned());
                    Work::Nop
                }
            },
        };
        let source_count = source_count(slot.opcode);
        for operand in &slot.sources[..source_count] {
            ready.problem = ready.problem.or_else(|| clause::unreadable(operand, around));
        }
        ready.slots.push(ReadySlot {
            slot: *slot,
            work,
            sources: slot.sources.each_ref().map(|operand| source(slot, operand, around)),
            source_count,
            result,
            sets_predicate: kernels::sets_predicate(slot.opcode)
                || doubles::sets_predicate(slot.opcode),
            kills: kernels::kills(slot.opcode),
        });
    }
    ready
}

/// Finds where the lanes of an operand will be.
fn source(slot: &AluSlot, operand: &Operand, around: &Surroundings) -> Source {
    let modifiers = Modifiers::new(operand.absolute, operand.negate);
    let &Operand { select, relative, element, .. } = operand;
    let input = match (select, relative.then_some(slot.index_mode)) {
        (Select::Gpr(number), None) => Input::Register { number, element },
        (Select::Gpr(number), Some(IndexMode::Loop)) => Input::LoopRegister { number, element },
        (Select::PreviousVector, _) => Input::Previous(element),
        (Select::PreviousScalar, _) => Input::Previous(4),
        (Select::Value(value), _) => Input::Constant(modifiers.apply(value)),
        (Select::Gpr(_), Some(_)) | (Select::ConstantFile(_), Some(IndexMode::Address(_))) => {
            Input::Gathered
        }
        (Select::ConstantFile(_), Some(IndexMode::Loop)) => Input::LoopConstant,
        (Select::Window { window, .. }, mode)
            if mode == Some(IndexMode::Loop)
                || around.windows[usize::from(window)].loop_relative =>
        {
            Input::LoopConstant
        }
        (Select::Window { .. } | Select::ConstantFile(_), _) => {
            Input::Constant(modifiers.apply(clause::constant(slot, operand, around, 0)))
        }
    };
    Source { input, modifiers }
}

/// The spanning operation an opcode is part of.
fn span_operation(opcode: u16) -> Option<SpanOperation> {
    match opcode {
        80 | 81 => Some(SpanOperation::Dot4 { ieee: opcode == 81 }),
        82 => Some(SpanOperation::Cube),
        83 => Some(SpanOperation::Max4),
        _ => Some(SpanOperation::Double { opcode, shape: doubles::shape(opcode)? }),
    }
}

/// Sources an opcode reads.
fn source_count(opcode: u16) -> usize {
    match opcode {
        OP3.. => 3,
        26 | 38 => 0,
        7 | 16..=22 | 24 | 25 | 28 | 29 | 36 | 39 | 51 | 83 | 97..=111 | 119..=121 | 123 => 1,
        _ => 2,
    }
}
