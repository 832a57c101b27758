//! The instructions and their properties (G45 volume 4, tables of chapter 14), as data.

use parallax_isa::eu::{
    Instruction, Opcode,
    instruction::{ConditionalModifier, PredicateControl},
};
use parallax_spec::{RuleId, coverage, rule_id};

use super::{
    arithmetic, compare,
    execution::Execution,
    logic,
    mask::Without,
    movement,
    number::ExecutionType,
    round,
    thread::{Executed, Thread},
    vector,
};

/// What an instruction does to the accumulator besides writing its destination (section 13.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AccumulatorUpdate {
    /// Nothing.
    None,
    /// The result is stored there too.
    Result,
    /// It holds something unpredictable afterwards.
    Undefined,
}

/// Which conditional modifiers have a defined flag result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlagSignals {
    /// All but `.r`.
    Arithmetic,
    /// All.
    Rounding,
    /// `.z`, `.nz` and `.u`.
    Logic,
}

impl FlagSignals {
    /// Whether the flag of a modifier is defined.
    pub(super) fn define(self, modifier: ConditionalModifier) -> bool {
        use ConditionalModifier::{Equal, NotEqual, RoundIncrement, Unordered};
        match self {
            Self::Arithmetic => modifier != RoundIncrement,
            Self::Rounding => true,
            Self::Logic => matches!(modifier, Equal | NotEqual | Unordered),
        }
    }
}

/// The rules that say which attributes an instruction has, counted when it uses them.
#[derive(Debug)]
struct AttributeRules {
    group: RuleId,
    compression: RuleId,
    accumulator: RuleId,
    predication: RuleId,
    saturate: RuleId,
    condition: RuleId,
    source_modifier: RuleId,
    logic_accumulator: Option<RuleId>,
}

/// A data instruction's properties.
#[derive(Debug)]
pub(super) struct Properties {
    opcode: Opcode,
    /// Number of sources.
    pub(super) sources: usize,
    /// The execution types it works in.
    pub(super) execution_types: &'static [ExecutionType],
    /// What it does to the accumulator.
    pub(super) accumulator_update: AccumulatorUpdate,
    /// Which flags it defines.
    pub(super) flag_signals: FlagSignals,
    /// What its execution mask leaves out.
    without: Without,
    /// What it does.
    execute: fn(&mut Execution) -> Executed,
    rules: AttributeRules,
}

const INTEGER: &[ExecutionType] = &[ExecutionType::Word, ExecutionType::Doubleword];
const FLOAT: &[ExecutionType] = &[ExecutionType::Float];
const ANY: &[ExecutionType] =
    &[ExecutionType::Word, ExecutionType::Doubleword, ExecutionType::Float];

/// A row of the table: opcode, mnemonic, sources, execution types, accumulator, flags, function.
macro_rules! instruction {
    ($opcode:ident $mnemonic:literal $sources:literal $types:expr, $accumulator:ident $flags:ident $execute:expr $(, $acc_dst:literal)?) => {
        Properties {
            opcode: Opcode::$opcode,
            sources: $sources,
            execution_types: $types,
            accumulator_update: AccumulatorUpdate::$accumulator,
            flag_signals: FlagSignals::$flags,
            without: if matches!(Opcode::$opcode, Opcode::Sel) {
                Without::PredicateMask
            } else {
                Without::Nothing
            },
            execute: $execute,
            rules: AttributeRules {
                group: group(Opcode::$opcode),
                compression: rule_id!(concat!("g45.inst.", $mnemonic, ".compression")),
                accumulator: rule_id!(concat!("g45.inst.", $mnemonic, ".acc-update")),
                predication: rule_id!(concat!("g45.inst.", $mnemonic, ".predication")),
                saturate: rule_id!(concat!("g45.inst.", $mnemonic, ".saturate")),
                condition: rule_id!(concat!("g45.inst.", $mnemonic, ".condmod")),
                source_modifier: rule_id!(concat!("g45.inst.", $mnemonic, ".srcmod")),
                logic_accumulator: instruction!(@logic $($acc_dst)?),
            },
        }
    };
    (@logic) => { None };
    (@logic $id:literal) => { Some(rule_id!($id)) };
}

/// The rule of an operation's group: whether the group updates the accumulator.
const fn group(opcode: Opcode) -> RuleId {
    match opcode {
        Opcode::Sad2
        | Opcode::Sada2
        | Opcode::Dp4
        | Opcode::Dph
        | Opcode::Dp3
        | Opcode::Dp2
        | Opcode::Line
        | Opcode::Pln => rule_id!("g45.opcode.group.vector"),
        Opcode::Add
        | Opcode::Mul
        | Opcode::Avg
        | Opcode::Frc
        | Opcode::Rndu
        | Opcode::Rndd
        | Opcode::Rnde
        | Opcode::Rndz
        | Opcode::Mac
        | Opcode::Mach
        | Opcode::Lzd => rule_id!("g45.opcode.group.parallel"),
        _ => rule_id!("g45.opcode.group.move"),
    }
}

/// Every data instruction.
static DATA_INSTRUCTIONS: &[Properties] = &[
    instruction!(Mov "mov" 1 ANY, None Arithmetic movement::mov),
    instruction!(Sel "sel" 2 ANY, None Arithmetic movement::sel),
    instruction!(Movi "movi" 1 ANY, None Arithmetic movement::movi),
    instruction!(Not "not" 1 INTEGER, None Logic logic::not, "g45.inst.not.acc-dst"),
    instruction!(And "and" 2 INTEGER, None Logic logic::and, "g45.inst.and.acc-dst"),
    instruction!(Or "or" 2 INTEGER, None Logic logic::or, "g45.inst.or.acc-dst"),
    instruction!(Xor "xor" 2 INTEGER, None Logic logic::xor, "g45.inst.xor.acc-dst"),
    instruction!(Shr "shr" 2 INTEGER, None Arithmetic logic::shr),
    instruction!(Shl "shl" 2 INTEGER, None Arithmetic logic::shl),
    instruction!(Asr "asr" 2 INTEGER, None Arithmetic logic::asr),
    instruction!(Cmp "cmp" 2 ANY, None Arithmetic compare::cmp),
    instruction!(Cmpn "cmpn" 2 ANY, None Arithmetic compare::cmpn),
    instruction!(Add "add" 2 ANY, Result Arithmetic arithmetic::add),
    instruction!(Mul "mul" 2 ANY, Result Arithmetic arithmetic::mul),
    instruction!(Avg "avg" 2 INTEGER, Result Arithmetic arithmetic::avg),
    instruction!(Frc "frc" 1 FLOAT, Undefined Arithmetic round::frc),
    instruction!(Rndu "rndu" 1 FLOAT, Undefined Rounding round::rndu),
    instruction!(Rndd "rndd" 1 FLOAT, Undefined Rounding round::rndd),
    instruction!(Rnde "rnde" 1 FLOAT, Undefined Rounding round::rnde),
    instruction!(Rndz "rndz" 1 FLOAT, Undefined Rounding round::rndz),
    instruction!(Mac "mac" 2 &[ExecutionType::Word, ExecutionType::Float], Result Arithmetic arithmetic::mac),
    instruction!(Mach "mach" 2 &[ExecutionType::Doubleword], Result Arithmetic arithmetic::mach),
    instruction!(Lzd "lzd" 1 &[ExecutionType::Doubleword], Undefined Arithmetic arithmetic::lzd),
    instruction!(Sad2 "sad2" 2 &[ExecutionType::Word], Result Arithmetic vector::sad2),
    instruction!(Sada2 "sada2" 2 &[ExecutionType::Word], Result Arithmetic vector::sada2),
    instruction!(Dp4 "dp4" 2 FLOAT, Undefined Arithmetic vector::dp4),
    instruction!(Dph "dph" 2 FLOAT, Undefined Arithmetic vector::dph),
    instruction!(Dp3 "dp3" 2 FLOAT, Undefined Arithmetic vector::dp3),
    instruction!(Dp2 "dp2" 2 FLOAT, Undefined Arithmetic vector::dp2),
    instruction!(Line "line" 2 FLOAT, Result Arithmetic vector::line),
    instruction!(Pln "pln" 2 FLOAT, Result Arithmetic vector::pln),
];

/// The properties of a data instruction, if it is one.
pub(super) fn data_instruction(opcode: Opcode) -> Option<&'static Properties> {
    DATA_INSTRUCTIONS.iter().find(|row| row.opcode == opcode)
}

impl Properties {
    /// Executes a native instruction.
    pub(super) fn execute(
        &'static self,
        thread: &mut Thread,
        instruction: &Instruction,
    ) -> Executed {
        let mut execution = Execution::new(thread, instruction, self, self.without)?;
        (self.execute)(&mut execution)
    }

    /// Counts the attributes an instruction uses.
    pub(super) fn count(&self, instruction: &Instruction) {
        if instruction.predicate.control != PredicateControl::None {
            coverage::hit(self.rules.predication);
        }
        if instruction.saturate {
            coverage::hit(self.rules.saturate);
        }
    }

    /// Counts that the two halves of a compressed instruction were executed.
    pub(super) fn count_compression(&self) {
        coverage::hit(self.rules.compression);
    }

    /// Counts that the accumulator was, or was not, updated.
    pub(super) fn count_accumulator(&self) {
        coverage::hit(self.rules.accumulator);
        coverage::hit(self.rules.group);
    }

    /// Counts that flags were set.
    pub(super) fn count_condition(&self) {
        coverage::hit(self.rules.condition);
    }

    /// Counts that a source modifier was applied.
    pub(super) fn count_source_modifier(&self) {
        coverage::hit(self.rules.source_modifier);
    }

    /// Counts that a logic result went to an accumulator.
    pub(super) fn count_logic_accumulator(&self) {
        if let Some(rule) = self.rules.logic_accumulator {
            coverage::hit(rule);
        }
    }
}
