//! Structured programs: what a generated control-flow program was made from, and what the scalar
//! oracle runs.

use parallax_isa::r700::AluOpcode;

/// Statements, one after the other.
pub(super) type Block = Vec<Statement>;

/// A program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::r700) struct Tree {
    /// What runs first.
    pub(super) main: Block,
    /// Subroutines; one calls only those after it.
    pub(super) functions: Vec<Block>,
    /// Exports at the end of the program.
    pub(super) exports: Vec<Export>,
    /// Whether pops and inversions switch killed pixels off (valid pixel mode).
    pub(super) retiring: bool,
}

/// An element of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) register: u8,
    pub(super) element: u8,
    /// aL is added to the register's number.
    pub(super) relative: bool,
}

/// An operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Register(Place),
    Literal(u32),
    /// 0, 1 or -1.
    Small(i8),
    /// Previous result of a vector unit.
    Vector(u8),
    /// Previous result of Trans.
    Scalar,
}

/// An instruction of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assign {
    pub(super) opcode: AluOpcode,
    pub(super) sources: Vec<Source>,
    pub(super) place: Place,
    /// Unit that runs it: 0 to 3 are X to W, 4 is Trans.
    pub(super) unit: u8,
    /// Whether the place is written.
    pub(super) write: bool,
    /// The predicate it waits for.
    pub(super) when: Option<bool>,
    /// It sets the predicate of the groups after it.
    pub(super) predicate: bool,
    /// `BANK_SWIZZLE`.
    pub(super) swizzle: u8,
}

/// A group.
pub(super) type Step = Vec<Assign>;

/// A comparison of two integers, in a group of its own behind some others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Test {
    pub(super) before: Vec<Step>,
    pub(super) relation: Relation,
    pub(super) sources: [Source; 2],
}

/// How two integers are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    Greater,
    GreaterEqual,
    NotEqual,
    Above,
    AboveEqual,
}

impl Relation {
    pub(super) const ALL: [Self; 6] = [
        Self::Equal,
        Self::Greater,
        Self::GreaterEqual,
        Self::NotEqual,
        Self::Above,
        Self::AboveEqual,
    ];

    /// The predicate setter that compares so.
    pub(super) const fn predicate(self) -> AluOpcode {
        match self {
            Self::Equal => AluOpcode::PredSeteInt,
            Self::Greater => AluOpcode::PredSetgtInt,
            Self::GreaterEqual => AluOpcode::PredSetgeInt,
            Self::NotEqual => AluOpcode::PredSetneInt,
            Self::Above => AluOpcode::PredSetgtUint,
            Self::AboveEqual => AluOpcode::PredSetgeUint,
        }
    }

    /// The kill that compares so.
    pub(super) const fn kill(self) -> AluOpcode {
        match self {
            Self::Equal => AluOpcode::KilleInt,
            Self::Greater => AluOpcode::KillgtInt,
            Self::GreaterEqual => AluOpcode::KillgeInt,
            Self::NotEqual => AluOpcode::KillneInt,
            Self::Above => AluOpcode::KillgtUint,
            Self::AboveEqual => AluOpcode::KillgeUint,
        }
    }

    /// Whether it holds.
    pub(super) fn holds(self, a: u32, b: u32) -> bool {
        match self {
            Self::Equal => a == b,
            Self::Greater => a.cast_signed() > b.cast_signed(),
            Self::GreaterEqual => a.cast_signed() >= b.cast_signed(),
            Self::NotEqual => a != b,
            Self::Above => a > b,
            Self::AboveEqual => a >= b,
        }
    }
}

/// A condition on a boolean constant, the same for all pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Uniform {
    pub(super) constant: u8,
    pub(super) wanted: bool,
}

/// Which instructions a branch on pixels is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BranchForm {
    /// `ALU_PUSH_BEFORE`, `JUMP`, `ELSE`, `POP`.
    PushBefore,
    /// `PUSH`, `ALU`, `JUMP`, `ELSE`, `POP`.
    Push,
    /// `JUMP` pops itself when it is taken; without an else part.
    PoppingJump,
    /// The last clause is an `ALU_POP_AFTER`; without an else part.
    PopAfter,
    /// `ALU_ELSE_AFTER` on the opposite test.
    ElseAfter,
    /// As `PopAfter`, two nested branches with one `ALU_POP2_AFTER` or one `POP`.
    Nested,
}

/// Which instructions a branch on a constant is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UniformForm {
    /// `PUSH` with a condition; without an else part.
    Push,
    /// `PUSH_ELSE`, `ELSE`, `POP`.
    PushElse,
    /// `JUMP` with a condition and one that is always taken.
    Jump,
}

/// Which instructions leave a loop or its iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeaveForm {
    /// `ALU_BREAK`, `ALU_CONTINUE`.
    Clause,
    /// `LOOP_BREAK`, `LOOP_CONTINUE` inside a branch.
    Instruction,
}

/// The three kinds of loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoopKind {
    /// `LOOP_START`: a trip count and aL.
    Counted,
    /// `LOOP_START_NO_AL`: a trip count.
    Repeat,
    /// `LOOP_START_DX10`: until every pixel has left.
    Endless,
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Statement {
    /// An ALU clause.
    Compute(Vec<Step>),
    /// A branch on pixels.
    Branch { test: Test, then: Block, otherwise: Block, form: BranchForm },
    /// A branch on a constant.
    Constant { condition: Uniform, then: Block, otherwise: Block, form: UniformForm },
    /// A loop; some pixels may never enter it.
    Loop { kind: LoopKind, constant: u8, condition: Option<Uniform>, body: Block },
    /// Leaves the loop, or its iteration, if a test holds.
    Leave { last: bool, test: Test, form: LeaveForm },
    /// A call, which raises the nesting depth by some levels.
    Call { function: usize, levels: u8, condition: Option<Uniform> },
    /// Pixels for which a test holds are killed.
    Kill(Test),
    /// All pixels that get here are killed.
    KillAll,
    /// A load of an element from one of four registers, or a store there: another element says which.
    Gather { index: Place, base: u8, value: Place, store: bool },
    /// A subset of the control-flow instructions that do nothing: `NOP`, `WAIT_ACK`.
    Nothing { wait: bool },
}

/// An export of some registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Export {
    /// `TYPE`.
    pub(super) kind: u32,
    /// `ARRAY_BASE`.
    pub(super) base: u32,
    /// Number of exports.
    pub(super) count: u32,
    /// First register.
    pub(super) register: u8,
    /// What each element gets: `SEL_X` to `SEL_W`.
    pub(super) selects: [u8; 4],
}
