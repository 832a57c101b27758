//! Structured programs as trees: what a generator makes, an assembler writes down as machine code,
//! and scalar code runs channel by channel.

use parallax_isa::{
    Device,
    eu::{
        DataType, Instruction, Opcode,
        instruction::{ConditionalModifier, PredicateControl},
        operand::Source,
    },
};

use super::{has_mask_stacks, instructions::alone};

/// Doubleword variables: each channel has its own.
pub(super) const VARIABLES: usize = 6;
/// Float variables, after the others.
pub(super) const FLOATS: usize = 2;
/// Blocks that a computed jump chooses from: a power of two.
pub(super) const SWITCH: usize = 4;
/// Most calls within calls.
pub(super) const DEEPEST_CALL: u8 = 3;
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

impl Assignment {
    pub(super) fn data_type(&self) -> DataType {
        if self.signed { DataType::D } else { DataType::Ud }
    }

    /// The sources of its instruction, given what reads an operand.
    pub(super) fn sources_as(&self, read: impl FnMut(Operand) -> Source) -> [Source; 2] {
        let [mut first, second] = self.sources.map(read);
        if let (true, Source::Register { modifier, .. }) = (self.negate, &mut first) {
            modifier.negate = true;
        }
        match self.opcode {
            Opcode::Mov | Opcode::Not => alone(first),
            _ => [first, second],
        }
    }
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
    /// `goto` over the block, `join`; no `else`.
    Goto,
}

/// A conditional block.
#[derive(Debug, Clone)]
pub(super) struct Conditional {
    pub(super) test: Test,
    pub(super) form: IfForm,
    pub(super) then: Block,
    pub(super) otherwise: Option<Block>,
}

/// How a loop goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoopForm {
    /// `while`.
    While,
    /// A backward `goto`, and a `join` behind it.
    Goto,
}

/// A loop whose channels leave it after a bounded number of turns.
#[derive(Debug, Clone)]
pub(super) struct Loop {
    pub(super) form: LoopForm,
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
    Wait,
}

/// Two forward `goto` whose targets are not nested: where the first test fails, on behind the second
/// block; where the second does, behind the third.
#[derive(Debug, Clone)]
pub(super) struct Crossing {
    pub(super) tests: [Test; 2],
    pub(super) blocks: [Block; 3],
}

/// A call of a routine of its own.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) when: Option<Test>,
    /// How many routines it stands in.
    pub(super) depth: u8,
    pub(super) body: Block,
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
    Crossing(Crossing),
    Call(Call),
    /// Goes back to behind the call of the routine it stands in.
    Return(Option<Test>),
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
        Statement::Crossing(Crossing { blocks, .. }) => blocks.iter().any(|block| continues(block)),
        Statement::Switch(_, blocks) => blocks.iter().any(|block| continues(block)),
        _ => false,
    })
}

/// A structured program and what it is to run on.
#[derive(Debug, Clone)]
pub(in crate::eu) struct Tree {
    /// Where its variables are.
    pub(super) registers: Registers,
    /// Channels of its instructions: 1, 2, 4, 8, 16 or 32.
    pub(super) width: u8,
    /// The number of the first of them in masks and flags.
    pub(super) first: u8,
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

/// The general registers of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Registers {
    /// The first register of the variables.
    pub(super) first: u8,
    /// Registers of a variable: a doubleword for each channel.
    each: u8,
    /// The first that only holds something between neighbouring instructions.
    temporary: u8,
    /// The register of a jump's index.
    pub(super) jump_index: u8,
    /// The first of four registers of the system routine.
    pub(super) routine: u8,
    /// The first of those that `call` writes, one for each depth.
    link: u8,
    /// The first that no tree uses.
    pub(super) behind: u8,
}

impl Registers {
    /// Of up to 16 channels where there are mask stacks, else of up to 32, and return addresses.
    pub(super) fn of(device: Device) -> Self {
        let (first, each, jump_index, routine, link, links) = match has_mask_stacks(device) {
            true => (64, 2, 106, 108, 112, 0),
            false => (36, 4, 108, 109, 113, DEEPEST_CALL),
        };
        Self { first, each, temporary: 100, jump_index, routine, link, behind: link + links }
    }

    /// Registers of a variable.
    pub(super) fn variable(self, number: u8) -> u8 {
        self.first + self.each * number
    }

    /// Registers of a loop counter.
    pub(super) fn counter(self, number: u8) -> u8 {
        self.variable((VARIABLES + FLOATS) as u8 + number)
    }

    pub(super) fn temporary(self, number: u8) -> u8 {
        self.temporary + self.each * number
    }

    /// The register of a return address.
    pub(super) fn link(self, depth: u8) -> u8 {
        self.link + depth
    }

    /// The loop counters and all behind them.
    pub(super) fn keeps_going(self) -> std::ops::Range<u8> {
        self.counter(0) - 1..self.behind
    }
}
