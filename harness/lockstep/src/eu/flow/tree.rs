//! Structured programs as trees: what a generator makes, an assembler writes down as machine code,
//! and scalar code runs channel by channel.

use parallax_isa::eu::{
    Instruction, Opcode,
    instruction::{ConditionalModifier, PredicateControl},
};

/// Doubleword variables: each channel has its own.
pub(super) const VARIABLES: usize = 6;
/// Float variables, after the others.
pub(super) const FLOATS: usize = 2;
/// Blocks that a computed jump chooses from: a power of two.
pub(super) const SWITCH: usize = 4;
/// Loop counters.
pub(super) const COUNTERS: usize = 8;

/// Statements, one after the other.
pub(super) type Block = Vec<Statement>;

/// A value of one channel.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operand {
    Variable(u8),
    Constant(u32),
}

/// A condition over the flags of one channel, or of several for the horizontal ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Test {
    pub(super) control: PredicateControl,
    pub(super) inverse: bool,
    pub(super) flag: u8,
}

/// How values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Domain {
    Signed,
    Unsigned,
    Float,
}

/// A value for a variable.
#[derive(Debug, Clone, Copy)]
pub(super) struct Assignment {
    /// An integer operation on doublewords.
    pub(super) opcode: Opcode,
    pub(super) signed: bool,
    pub(super) saturate: bool,
    /// Whether the first source is negated.
    pub(super) negate: bool,
    pub(super) into: u8,
    pub(super) sources: [Operand; 2],
    /// Predication; for `sel`, what selects.
    pub(super) when: Option<Test>,
    /// The flag that says whether the result is zero (or is not), if one does.
    pub(super) flag: Option<(ConditionalModifier, u8)>,
    /// Whether 16 channels take two instructions instead of a compressed one.
    pub(super) halves: bool,
}

/// A comparison that decides flags.
#[derive(Debug, Clone, Copy)]
pub(super) struct Comparison {
    pub(super) condition: ConditionalModifier,
    pub(super) domain: Domain,
    pub(super) sources: [Operand; 2],
    pub(super) flag: u8,
    pub(super) when: Option<Test>,
    pub(super) halves: bool,
}

/// A float variable from the low bits of two doubleword variables: exact in every rounding.
#[derive(Debug, Clone, Copy)]
pub(super) struct FloatAssignment {
    pub(super) into: u8,
    pub(super) from: [u8; 2],
    pub(super) multiply: bool,
}

/// How a conditional block is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IfForm {
    /// `if`, perhaps `else`, `endif`.
    General,
    /// `iff`, `endif`; no `else`.
    Fast,
    /// `push`, an `and` of IMask with the flag, `mrest`; no `else`.
    Masks,
}

/// A conditional block.
#[derive(Debug, Clone)]
pub(super) struct Conditional {
    pub(super) test: Test,
    pub(super) form: IfForm,
    pub(super) then: Block,
    pub(super) otherwise: Option<Block>,
}

/// A loop whose channels leave it after a bounded number of turns.
#[derive(Debug, Clone)]
pub(super) struct Loop {
    pub(super) counter: u8,
    pub(super) turns: u32,
    /// The variable whose low bits the counter starts from, and which bits: how many turns there are
    /// is computed.
    pub(super) start: Option<(u8, u32)>,
    /// The flag that holds whether the turns are over.
    pub(super) flag: u8,
    /// Whether turns are counted at the top, with a `break`, instead of at the bottom. A block with
    /// a `cont` of its own must be guarded: its channels skip the bottom.
    pub(super) guarded: bool,
    pub(super) body: Block,
    /// What a guarded loop goes on by; without, it goes on until something breaks.
    pub(super) again: Option<Test>,
}

/// A load from or a store to the general registers at addresses that are computed from a variable.
#[derive(Debug, Clone, Copy)]
pub(super) struct Access {
    /// The variable whose low bits are the address.
    pub(super) index: u8,
    /// The variable that is loaded or stored.
    pub(super) value: u8,
    /// The first of the sixteen general registers the address leads to.
    pub(super) base: u8,
    /// Subregister of `a0`.
    pub(super) subregister: u8,
    pub(super) store: bool,
    /// Whether every channel loads from an address of its own.
    pub(super) each: bool,
}

/// How a jump over a block is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JumpForm {
    /// `jmpi` with a constant.
    Index,
    /// `jmpi` with an index in a register.
    IndexRegister,
    /// `mov ip`.
    Absolute,
    /// `add ip ip`.
    Relative,
}

/// What wraps a block without changing which channels run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrap {
    /// `push` of IMask, and `pop`.
    PushPop,
    /// `msave` of IMask, and `mrest`.
    SaveRestore,
    /// `push` of IMask, and `mrest`.
    PushRestore,
}

/// Something that raises an exception, or waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    Software,
    Illegal,
    /// A `nop` with the breakpoint mark.
    Breakpoint,
    Wait(u8),
}

/// One statement.
#[derive(Debug, Clone)]
pub(super) enum Statement {
    Assign(Assignment),
    AssignFloat(FloatAssignment),
    Compare(Comparison),
    /// An instruction the tree knows nothing about.
    Foreign(Instruction),
    If(Conditional),
    Loop(Loop),
    Break(Option<Test>),
    Continue(Option<Test>),
    Halt(Option<Test>),
    /// Jumps over a block, always or if the test holds for the first channel.
    Jump(JumpForm, Option<Test>, Block),
    Wrap(Wrap, Block),
    Event(Event),
    Access(Access),
    /// One of some blocks, by the low bits of a variable's first channel.
    Switch(u8, [Block; SWITCH]),
}

/// Whether a block has a `cont` of the loop it stands in.
pub(super) fn continues(block: &[Statement]) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Continue(_) => true,
        Statement::If(conditional) => {
            continues(&conditional.then) || conditional.otherwise.as_deref().is_some_and(continues)
        }
        Statement::Wrap(_, body) | Statement::Jump(_, _, body) => continues(body),
        Statement::Switch(_, blocks) => blocks.iter().any(|block| continues(block)),
        _ => false,
    })
}

/// A structured program and what it is to run on.
#[derive(Debug, Clone)]
pub(in crate::eu) struct Tree {
    /// Channels of its instructions: 1, 2, 4, 8 or 16.
    pub(super) width: u8,
    pub(super) body: Block,
    /// Whether instructions are compacted where they can be.
    pub(super) compacting: bool,
    /// Instructions of the system routine, if there is one.
    pub(super) system_routine: Option<Vec<Instruction>>,
    /// Whether the program ends with a message instead of its last byte.
    pub(super) end_of_thread: Option<Instruction>,
    /// Decides what has no effect: thread switches.
    pub(super) seed: u64,
}

/// The first general register of the variables, two for each.
pub(super) const FIRST: u8 = 64;
/// The first general register that no tree uses.
pub(super) const BEHIND: u8 = 112;

/// Registers of a variable.
pub(super) fn variable(number: u8) -> u8 {
    FIRST + 2 * number
}

/// Registers of a loop counter.
pub(super) fn counter(number: u8) -> u8 {
    FIRST + 2 * (VARIABLES + FLOATS) as u8 + 2 * number
}

/// Registers that only hold something between neighbouring instructions.
pub(super) fn temporary(number: u8) -> u8 {
    100 + 2 * number
}

/// The register of a jump's index.
pub(super) const JUMP_INDEX: u8 = 106;
/// The first of four registers of the system routine.
pub(super) const ROUTINE: u8 = 108;
