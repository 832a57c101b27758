//! The data instructions (G45 volume 4, tables of chapter 14): a row each, with its function.

use parallax_isa::eu::{DataType, Instruction, Opcode, instruction::MathFunction};
use parallax_spec::{RuleId, rule_id};

use super::rules::{Rules, count};
use super::{
    arithmetic, bits, compare,
    execution::Execution,
    logic, macros,
    mask::Without,
    math, movement,
    number::ExecutionType,
    properties::{AccumulatorUpdate, AttributeRules, FlagSignals, Properties},
    record::DataStep,
    round, ternary,
    thread::{Executed, Thread},
    vector,
};

/// Rules of a row that hold only sometimes: under a condition on what is executed.
type Conditional = (fn(&Execution) -> bool, Rules);

/// Conditions of the rows below.
mod when {
    use parallax_isa::eu::{
        instruction::{ConditionalModifier, PredicateControl},
        operand::{Source, SourceModifier},
        register::ArfKind,
    };

    use super::{DataType, Execution, ExecutionType};
    use crate::eu::number::FloatMode;

    pub(super) fn always(_: &Execution) -> bool {
        true
    }
    pub(super) fn ieee(x: &Execution) -> bool {
        x.mode == FloatMode::Ieee
    }
    pub(super) fn alternative(x: &Execution) -> bool {
        x.mode == FloatMode::Alternative
    }
    pub(super) fn word(x: &Execution) -> bool {
        x.execution_type == ExecutionType::Word
    }
    pub(super) fn word_saturated(x: &Execution) -> bool {
        word(x) && x.instruction.saturate
    }
    pub(super) fn doubleword_saturated(x: &Execution) -> bool {
        !word(x) && x.instruction.saturate
    }
    pub(super) fn float(x: &Execution) -> bool {
        x.execution_type == ExecutionType::Float
    }
    pub(super) fn integer(x: &Execution) -> bool {
        !float(x)
    }
    /// A float instruction with an integer source.
    pub(super) fn mixed(x: &Execution) -> bool {
        float(x) && !x.source_types().iter().all(|data_type| data_type.is_float())
    }
    /// A signed and an unsigned doubleword meet, each with its own value.
    pub(super) fn mixed_sign(x: &Execution) -> bool {
        matches!(x.source_types(), [DataType::Ud, DataType::D] | [DataType::D, DataType::Ud])
    }
    pub(super) fn from_accumulator(x: &Execution) -> bool {
        x.is_accumulator(0)
    }
    pub(super) fn from_immediate(x: &Execution) -> bool {
        matches!(x.instruction.sources[0], Source::Immediate { .. })
    }
    pub(super) fn modified(x: &Execution) -> bool {
        matches!(x.instruction.sources[0], Source::Register { modifier, .. }
            if modifier != SourceModifier::default())
    }
    pub(super) fn to_instruction_pointer(x: &Execution) -> bool {
        x.instruction.destination.register.arf() == Some(ArfKind::InstructionPointer)
    }
    pub(super) fn accumulator_disabled(x: &Execution) -> bool {
        x.accumulator_disabled
    }
    pub(super) fn predicated(x: &Execution) -> bool {
        x.instruction.predicate.control != PredicateControl::None
    }
    pub(super) fn narrow(x: &Execution) -> bool {
        x.instruction.execution_size <= 8
    }
    pub(super) fn less(x: &Execution) -> bool {
        x.instruction.condition == ConditionalModifier::Less
    }
    pub(super) fn greater_equal(x: &Execution) -> bool {
        x.instruction.condition == ConditionalModifier::GreaterEqual
    }
}

/// A data instruction.
#[derive(Debug)]
pub(super) struct Row {
    opcode: Opcode,
    properties: Properties,
    /// What its execution mask leaves out.
    without: Without,
    /// What it does.
    execute: fn(&mut Execution) -> Executed,
    /// The rules of what it does.
    rules: &'static [Conditional],
}

use ExecutionType::{Double, Doubleword, Float, Half, Quadword, Word};

const INTEGER: &[ExecutionType] = &[Word, Doubleword, Quadword];
const NARROW_INTEGER: &[ExecutionType] = &[Word, Doubleword];
const FLOAT: &[ExecutionType] = &[Float];
const FLOATS: &[ExecutionType] = &[Half, Float, Double];
const ANY: &[ExecutionType] = &[Word, Doubleword, Quadword, Half, Float, Double];
const PRODUCTS: &[ExecutionType] = &[Word, Doubleword, Half, Float, Double];

/// A row of the table: opcode, mnemonic, sources, execution types, accumulator, flags, function; then
/// the rules of the instruction, by condition, without "g45.".
macro_rules! instruction {
    ($opcode:ident $mnemonic:literal $sources:literal $types:expr, $accumulator:ident $flags:ident
        $execute:expr $(, $acc_dst:literal)?; $($when:ident: $($id:literal),+;)+) => {
        Row {
            opcode: Opcode::$opcode,
            properties: Properties {
                sources: $sources,
                execution_types: $types,
                types_of_gen12: None,
                accumulator_update: AccumulatorUpdate::$accumulator,
                flag_signals: FlagSignals::$flags,
                attributes: Some(&AttributeRules {
                    group: group(Opcode::$opcode),
                    compression: rule_id!(concat!("g45.inst.", $mnemonic, ".compression")),
                    accumulator: rule_id!(concat!("g45.inst.", $mnemonic, ".acc-update")),
                    preserved: instruction!(@preserved $accumulator $mnemonic),
                    predication: rule_id!(concat!("g45.inst.", $mnemonic, ".predication")),
                    saturate: rule_id!(concat!("g45.inst.", $mnemonic, ".saturate")),
                    condition: rule_id!(concat!("g45.inst.", $mnemonic, ".condmod")),
                    source_modifier: rule_id!(concat!("g45.inst.", $mnemonic, ".srcmod")),
                    logic_accumulator: instruction!(@logic $($acc_dst)?),
                }),
            },
            without: if matches!(Opcode::$opcode, Opcode::Sel) {
                Without::PredicateMask
            } else {
                Without::Nothing
            },
            execute: $execute,
            rules: &[$((when::$when, rules!["g45": $($id),+])),+],
        }
    };
    (@preserved Undefined $mnemonic:literal) => {
        Some(rule_id!(concat!("g45.inst.", $mnemonic, ".acc-preserved")))
    };
    (@preserved $update:ident $mnemonic:literal) => { None };
    (@logic) => { None };
    (@logic $id:literal) => { Some(rule_id!($id)) };
}

/// A row of an instruction that came with Gen7 or later: opcode, sources, execution types, function,
/// and the execution types of Gen12 where those are others.
macro_rules! later {
    ($opcode:ident $sources:literal $types:expr, $execute:expr) => {
        later!($opcode $sources $types, $execute, gen12 None)
    };
    ($opcode:ident $sources:literal $types:expr, $execute:expr, gen12 $of_gen12:expr) => {
        Row {
            opcode: Opcode::$opcode,
            properties: Properties {
                sources: $sources,
                execution_types: $types,
                types_of_gen12: $of_gen12,
                accumulator_update: AccumulatorUpdate::None,
                flag_signals: FlagSignals::Arithmetic,
                attributes: None,
            },
            without: Without::Nothing,
            execute: $execute,
            rules: &[],
        }
    };
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
static DATA_INSTRUCTIONS: &[Row] = &[
    instruction!(Mov "mov" 1 ANY, None Arithmetic movement::mov;
        always: "inst.mov.semantics", "exec.dst-convert";
        from_immediate: "inst.mov.imm-broadcast";),
    instruction!(Sel "sel" 2 ANY, None Arithmetic movement::sel;
        predicated: "inst.sel.semantics", "inst.sel.convert";),
    instruction!(Movi "movi" 1 ANY, None Arithmetic movement::movi;
        always: "inst.movi.semantics", "inst.movi.ignored-regfields", "inst.movi.dst-offset",
            "inst.movi.dst-modes";
        modified: "inst.movi.srcmod";),
    instruction!(Not "not" 1 INTEGER, None Logic logic::not, "g45.inst.not.acc-dst";
        always: "inst.not.semantics", "inst.not.modifiers";),
    instruction!(And "and" 2 INTEGER, None Logic logic::and, "g45.inst.and.acc-dst";
        always: "inst.and.semantics", "inst.and.modifiers";),
    instruction!(Or "or" 2 INTEGER, None Logic logic::or, "g45.inst.or.acc-dst";
        always: "inst.or.semantics", "inst.or.modifiers";),
    instruction!(Xor "xor" 2 INTEGER, None Logic logic::xor, "g45.inst.xor.acc-dst";
        always: "inst.xor.semantics", "inst.xor.modifiers";),
    instruction!(Shr "shr" 2 INTEGER, None Arithmetic logic::shr;
        always: "inst.shr.semantics", "inst.shr.equals-asr", "inst.asr.count-5bit";
        word: "inst.shr.word33";
        from_accumulator: "acc.shift-source";),
    instruction!(Shl "shl" 2 INTEGER, None Arithmetic logic::shl;
        always: "inst.shl.semantics", "inst.shl.types-differ", "inst.asr.count-5bit";
        word: "inst.shl.word33";
        word_saturated: "inst.shl.sat-word";
        doubleword_saturated: "inst.shl.sat-dword";
        from_accumulator: "acc.shift-source";),
    instruction!(Asr "asr" 2 INTEGER, None Arithmetic logic::asr;
        always: "inst.asr.semantics", "inst.asr.examples", "inst.asr.count-5bit";
        word: "inst.asr.word33";
        from_accumulator: "acc.shift-source";),
    instruction!(Cmp "cmp" 2 ANY, None Arithmetic compare::cmp;
        always: "inst.cmp.semantics";
        mixed_sign: "vec.mixed-sign";
        narrow: "inst.cmp.flag-half";
        predicated: "inst.cmp.read-before-write";),
    instruction!(Cmpn "cmpn" 2 ANY, None Arithmetic compare::cmpn;
        always: "inst.cmpn.semantics", "inst.cmpn.flag-disabled", "inst.cmpn.flag-half",
            "inst.cmpn.minmax-use", "vec.minmax", "minmax.nan-rule";
        integer: "inst.cmpn.int";
        less: "minmax.min-macro", "minmax.min-zero";
        greater_equal: "minmax.max-macro", "minmax.max-zero";
        mixed_sign: "vec.mixed-sign";
        narrow: "inst.cmp.flag-half";
        predicated: "inst.cmp.read-before-write";),
    instruction!(Add "add" 2 ANY, Result Arithmetic arithmetic::add;
        always: "inst.add.semantics", "inst.add.implicit-acc";
        float: "inst.add.float-mode";
        mixed_sign: "vec.mixed-sign";
        to_instruction_pointer: "inst.add.ip-relative", "pg.ip.relative", "pg.ip.align";),
    instruction!(Mul "mul" 2 PRODUCTS, Result Arithmetic arithmetic::mul;
        always: "inst.mul.semantics";
        word: "inst.mul.word-acc", "acc.word-product";
        float: "inst.mul.float-mode";
        mixed: "inst.mul.float-int-mix";),
    instruction!(Avg "avg" 2 NARROW_INTEGER, Result Arithmetic arithmetic::avg;
        always: "inst.avg.semantics", "inst.avg.examples";),
    instruction!(Frc "frc" 1 FLOAT, Undefined Arithmetic round::frc;
        always: "inst.frc.semantics", "inst.frc.exact-range", "inst.frc.float-mode";
        ieee: "inst.frc.ieee";
        alternative: "inst.frc.alt";),
    instruction!(Rndu "rndu" 1 FLOAT, Undefined Rounding round::rndu;
        always: "inst.rndu.semantics", "inst.rndu.two-step", "inst.rndu.examples",
            "inst.rndu.flag-subset", "inst.rndu.inc-overflow", "conv.floor", "inst.rnd.float-mode";
        ieee: "inst.rndu.ieee";
        alternative: "inst.rndu.alt";),
    instruction!(Rndd "rndd" 1 FLOAT, Undefined Rounding round::rndd;
        always: "inst.rndd.semantics", "inst.rndd.single-step", "conv.floor", "inst.rnd.float-mode";
        ieee: "inst.rndd.ieee";
        alternative: "inst.rndd.alt";),
    instruction!(Rnde "rnde" 1 FLOAT, Undefined Rounding round::rnde;
        always: "inst.rnde.semantics", "inst.rnde.two-step", "inst.rnde.examples", "conv.floor",
            "inst.rnd.float-mode";
        ieee: "inst.rnde.ieee";
        alternative: "inst.rnde.alt";),
    instruction!(Rndz "rndz" 1 FLOAT, Undefined Rounding round::rndz;
        always: "inst.rndz.semantics", "inst.rndz.two-step", "inst.rndz.examples", "conv.floor",
            "inst.rnd.float-mode";
        ieee: "inst.rndz.ieee";
        alternative: "inst.rndz.alt";),
    instruction!(Mac "mac" 2 &[Word, Half, Float, Double], Result Arithmetic
        arithmetic::mac;
        always: "inst.mac.semantics", "inst.mac.acc-chain";
        float: "inst.mac.float-fused", "pg.line.dph";),
    instruction!(Mach "mach" 2 &[Doubleword], Result Arithmetic arithmetic::mach;
        always: "inst.mach.semantics", "inst.mach.sign", "inst.mach.mul-sequence",
            "inst.mul.full-product";
        accumulator_disabled: "inst.mach.acc-disable";),
    instruction!(Lzd "lzd" 1 NARROW_INTEGER, Undefined Arithmetic arithmetic::lzd;
        always: "inst.lzd.semantics", "sysroutine.priority-lzd";),
    instruction!(Sad2 "sad2" 2 &[Word], Result Arithmetic vector::sad2;
        always: "inst.sad2.semantics", "inst.sad2.examples", "inst.sad2.acc";),
    instruction!(Sada2 "sada2" 2 &[Word], Result Arithmetic vector::sada2;
        always: "inst.sada2.semantics", "inst.sada2.acc";),
    instruction!(Dp4 "dp4" 2 FLOAT, Undefined Arithmetic vector::dp4;
        always: "inst.dp4.semantics", "inst.dp.order", "inst.dp.swizzle", "pg.dp4.mask";),
    instruction!(Dph "dph" 2 FLOAT, Undefined Arithmetic vector::dph;
        always: "inst.dph.semantics", "inst.dp.order", "inst.dp.swizzle", "pg.dp4.mask";),
    instruction!(Dp3 "dp3" 2 FLOAT, Undefined Arithmetic vector::dp3;
        always: "inst.dp3.semantics", "inst.dp3.zero-sign", "inst.dp.order", "inst.dp.swizzle",
            "pg.dp4.mask";),
    instruction!(Dp2 "dp2" 2 FLOAT, Undefined Arithmetic vector::dp2;
        always: "inst.dp2.semantics", "inst.dp2.zero-sign", "inst.dp.order", "inst.dp.swizzle",
            "pg.dp4.mask";),
    instruction!(Line "line" 2 FLOAT, Result Arithmetic vector::line;
        always: "inst.line.semantics", "inst.line.q-location", "inst.line.acc-result",
            "inst.line.dst-type", "pg.line.eq";
        mixed: "inst.line.src1-int";),
    instruction!(Pln "pln" 2 FLOAT, Result Arithmetic vector::pln;
        always: "inst.pln.semantics", "inst.pln.offsets";),
    later!(Math 2 &[Doubleword, Half, Float, Double], math::math),
    later!(Madm 3 &[Float, Double], macros::madm),
    later!(Bfe 3 &[Doubleword], bits::bfe),
    later!(Bfi1 2 &[Doubleword], bits::bfi1),
    later!(Bfi2 3 &[Doubleword], bits::bfi2),
    later!(Bfrev 1 &[Doubleword], bits::bfrev),
    later!(Cbit 1 NARROW_INTEGER, bits::cbit),
    later!(Fbh 1 &[Doubleword], bits::fbh),
    later!(Fbl 1 &[Doubleword], bits::fbl, gen12 Some(NARROW_INTEGER)),
    later!(Smov 1 ANY, movement::smov),
    later!(Rol 2 NARROW_INTEGER, logic::rol),
    later!(Ror 2 NARROW_INTEGER, logic::ror),
    later!(Addc 2 &[Doubleword], arithmetic::addc),
    later!(Subb 2 &[Doubleword], arithmetic::subb),
    later!(Mad 3 FLOATS, ternary::mad, gen12 Some(PRODUCTS)),
    later!(Lrp 3 FLOAT, ternary::lrp),
    later!(Csel 3 ANY, ternary::csel),
    later!(Dp4a 3 &[Doubleword], ternary::dp4a),
    later!(F32to16 1 FLOAT, ternary::f32to16),
    later!(F16to32 1 &[Word], ternary::f16to32),
];

static BY_OPCODE: [Option<&Row>; Opcode::ALL.len()] = by_opcode!(DATA_INSTRUCTIONS: Row);

/// The row of a data instruction, if it is one.
pub(super) fn data_instruction(opcode: Opcode) -> Option<&'static Row> {
    BY_OPCODE[opcode as usize]
}

impl Row {
    /// Executes a native instruction.
    pub(super) fn execute(
        &'static self,
        thread: &mut Thread,
        instruction: &Instruction,
    ) -> Executed {
        let observer = thread.observer;
        thread.record.begin();
        let mut execution = Execution::new(thread, instruction, &self.properties, self.without)?;
        for (holds, rules) in self.rules {
            if holds(&execution) {
                count(rules);
            }
        }
        let control = execution.thread.state.control[0];
        let mask = match observer {
            Some(_) => execution.thread.execution_mask(instruction, Without::PredicateMask)?,
            None => 0,
        };
        (self.execute)(&mut execution)?;
        if let Some(observe) = observer {
            let Execution { execution_type, mode: float_mode, enabled, .. } = execution;
            observe(&DataStep {
                program: execution.thread.program_number,
                offset: execution.thread.instruction_offset,
                device: execution.thread.device,
                instruction,
                sources: instruction.math.map_or(self.properties.sources, MathFunction::sources),
                execution_type,
                float_mode,
                control,
                mask,
                enabled,
                record: &execution.thread.record,
            });
        }
        Ok(())
    }

    /// Counts that the two halves of a compressed instruction were executed.
    pub(super) fn count_compression(&self) {
        self.properties.count_compression();
    }
}
