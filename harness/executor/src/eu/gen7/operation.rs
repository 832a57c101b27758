//! What there is to say of an operation, in one row: its code in each generation, how its instruction
//! is read, and what it does (table eu-opcodes-by-gen). The rows stand beside the functions they name.

use std::fmt;

use super::{
    compute::{Compute, Sizes},
    fields::Generation,
};
use crate::eu::operation::setters;

/// An operation.
pub(super) struct Operation {
    /// Bits 6:0 of the instruction, before Gen12.
    pub(super) code: u8,
    pub(super) name: &'static str,
    pub(super) generations: &'static [Generation],
    pub(super) operands: Operands,
    pub(super) action: Action,
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}

pub(super) const ALL: &[Generation] = &[Generation::Gen7, Generation::Gen9, Generation::Gen12];
pub(super) const GEN7: &[Generation] = &[Generation::Gen7];
pub(super) const GEN9: &[Generation] = &[Generation::Gen9];
pub(super) const GEN12: &[Generation] = &[Generation::Gen12];
pub(super) const BEFORE_GEN12: &[Generation] = &[Generation::Gen7, Generation::Gen9];
pub(super) const SINCE_GEN9: &[Generation] = &[Generation::Gen9, Generation::Gen12];

/// Which operand fields mean something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// None, and no other field either.
    Bare,
    /// None, but the fields before operands.
    None,
    /// A destination and one source.
    One,
    Two,
    /// The three-source form.
    Three,
    /// One or two sources, as the function says.
    Math,
    /// Distances.
    Branch,
    /// So many distances, or a source that says where to.
    BranchTo(usize),
    /// A source in the place of the second one.
    Jump,
    /// A destination and distances.
    Call,
    /// A source.
    Return,
    /// A destination, the payload and a descriptor.
    Message,
    /// The same with two parts of a payload.
    SplitMessage,
    /// A function, and a mask that says nothing here.
    Sync,
}

/// What a branch does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Branch {
    Jump,
    If,
    Else,
    EndIf,
    While,
    Break,
    Continue,
    Halt,
    Call,
    CallAbsolute,
    Return,
    Goto,
    Join,
    Wait,
}

/// What an operation does.
pub(super) enum Action {
    Nop,
    Illegal,
    /// Nothing that is modelled: why, in a sentence.
    Undefined(&'static str),
    Message,
    Flow(Branch),
    /// A step of an exact quotient or root.
    Macro,
    Data(Data),
}

/// An operation on elements.
pub(super) struct Data {
    pub(super) form: Form,
    integer: Integer,
    /// The functions for F and HF, and for DF.
    narrow: Option<Compute>,
    wide: Option<Compute>,
    /// Rounding mode and branches of `cr0` have no say.
    pub(super) nearest: bool,
    /// Negation of a source inverts its bits from Gen8 on.
    pub(super) logic: bool,
    /// The result's accumulator is not the destination's value, but what the function says.
    pub(super) own_accumulator: bool,
}

enum Integer {
    None,
    Any(Compute),
    BySizes(fn(Sizes) -> Compute),
}

impl Data {
    /// The function for integer lanes.
    pub(super) fn integer(&self, sizes: Sizes) -> Option<Compute> {
        match self.integer {
            Integer::None => None,
            Integer::Any(compute) => Some(compute),
            Integer::BySizes(choose) => Some(choose(sizes)),
        }
    }

    /// The function for float lanes, of DF or of shorter formats.
    pub(super) fn float(&self, wide: bool) -> Option<Compute> {
        if wide { self.wide } else { self.narrow }
    }
}

/// How an operation uses its sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Channel by channel.
    Elementwise,
    /// The source is the result: its own bits, where nothing converts them.
    Move,
    /// As a move, each element a field that an address register picks.
    MoveFields,
    /// As a move, of the channels of an immediate mask.
    MoveScattered,
    /// As a move, from the source that predicate or condition choose.
    Select,
    /// As a move, from the source that the third one chooses.
    SelectByThird,
    /// The result is whether the condition holds between the sources.
    Compare {
        /// A second source that is not a number decides by itself.
        second_nan_wins: bool,
    },
    /// The accumulator is a third source.
    Accumulate,
    /// The first source holds the coefficients of a line.
    Line,
    /// The first source holds those of a plane, and the second is pairs of registers.
    Plane,
    /// The function is in the instruction.
    Math,
    /// Halves are words of integer types.
    ToHalf,
    FromHalf,
}

impl Form {
    /// Whether elements go through it as they are.
    pub(super) fn moves(self) -> bool {
        matches!(self, Self::Move | Self::MoveFields | Self::MoveScattered)
    }
}

/// The row of a data operation of which nothing else is said yet.
pub(super) const fn data(code: u8, name: &'static str, operands: Operands) -> Operation {
    let data = Data {
        form: Form::Elementwise,
        integer: Integer::None,
        narrow: None,
        wide: None,
        nearest: false,
        logic: false,
        own_accumulator: false,
    };
    Operation { code, name, generations: ALL, operands, action: Action::Data(data) }
}

setters! {
    form(form: Form) form = form;
    integer(compute: Compute) integer = Integer::Any(compute);
    integer_by_sizes(choose: fn(Sizes) -> Compute) integer = Integer::BySizes(choose);
    narrow(compute: Compute) narrow = Some(compute);
    wide(compute: Compute) wide = Some(compute);
    nearest() nearest = true;
    logic() logic = true;
    own_accumulator() own_accumulator = true;
}

impl Operation {
    /// The same on some generations only.
    pub(super) const fn on(mut self, generations: &'static [Generation]) -> Self {
        self.generations = generations;
        self
    }
}

/// The row of a branch.
pub(super) const fn branch(
    code: u8,
    name: &'static str,
    operands: Operands,
    branch: Branch,
) -> Operation {
    Operation { code, name, generations: ALL, operands, action: Action::Flow(branch) }
}

/// The row of an operation that nothing models.
pub(super) const fn undefined(
    code: u8,
    name: &'static str,
    operands: Operands,
    why: &'static str,
) -> Operation {
    Operation { code, name, generations: ALL, operands, action: Action::Undefined(why) }
}

pub(super) const fn bare(code: u8, name: &'static str, action: Action) -> Operation {
    Operation { code, name, generations: ALL, operands: Operands::Bare, action }
}
