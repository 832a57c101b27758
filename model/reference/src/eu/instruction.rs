//! The data instructions (G45 volume 4, tables of chapter 14): a row each, with its function.

use parallax_isa::eu::{Instruction, Opcode, State, instruction::MathFunction};

use super::{
    arithmetic, bits, compare,
    execution::Execution,
    logic, macros,
    mask::Without,
    math, movement,
    number::ExecutionType,
    properties::{AccumulatorUpdate, FlagSignals, Properties},
    record::{DataStep, Observed},
    round, ternary,
    thread::{Executed, Thread},
    vector,
};

/// A data instruction.
#[derive(Debug)]
pub(super) struct Row {
    opcode: Opcode,
    properties: Properties,
    /// What its execution mask leaves out.
    without: Without,
    /// What it does.
    execute: fn(&mut Execution) -> Executed,
}

use ExecutionType::{Double, Doubleword, Float, Half, Quadword, Word};

const INTEGER: &[ExecutionType] = &[Word, Doubleword, Quadword];
const NARROW_INTEGER: &[ExecutionType] = &[Word, Doubleword];
const FLOAT: &[ExecutionType] = &[Float];
const FLOATS: &[ExecutionType] = &[Half, Float, Double];
const ANY: &[ExecutionType] = &[Word, Doubleword, Quadword, Half, Float, Double];
const PRODUCTS: &[ExecutionType] = &[Word, Doubleword, Half, Float, Double];

/// A row of the table: opcode, sources, execution types, accumulator, flags, function.
macro_rules! instruction {
    ($opcode:ident $sources:literal $types:expr, $accumulator:ident $flags:ident
        $execute:expr) => {
        Row {
            opcode: Opcode::$opcode,
            properties: Properties {
                sources: $sources,
                execution_types: $types,
                types_of_gen12: None,
                accumulator_update: AccumulatorUpdate::$accumulator,
                flag_signals: FlagSignals::$flags,
            },
            without: if matches!(Opcode::$opcode, Opcode::Sel) {
                Without::PredicateMask
            } else {
                Without::Nothing
            },
            execute: $execute,
        }
    };
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
            },
            without: Without::Nothing,
            execute: $execute,
        }
    };
}

/// Every data instruction.
static DATA_INSTRUCTIONS: &[Row] = &[
    instruction!(Mov 1 ANY, None Arithmetic movement::mov),
    instruction!(Sel 2 ANY, None Arithmetic movement::sel),
    instruction!(Movi 1 ANY, None Arithmetic movement::movi),
    instruction!(Not 1 INTEGER, None Logic logic::not),
    instruction!(And 2 INTEGER, None Logic logic::and),
    instruction!(Or 2 INTEGER, None Logic logic::or),
    instruction!(Xor 2 INTEGER, None Logic logic::xor),
    instruction!(Shr 2 INTEGER, None Arithmetic logic::shr),
    instruction!(Shl 2 INTEGER, None Arithmetic logic::shl),
    instruction!(Asr 2 INTEGER, None Arithmetic logic::asr),
    instruction!(Cmp 2 ANY, None Arithmetic compare::cmp),
    instruction!(Cmpn 2 ANY, None Arithmetic compare::cmpn),
    instruction!(Add 2 ANY, Result Arithmetic arithmetic::add),
    instruction!(Mul 2 PRODUCTS, Result Arithmetic arithmetic::mul),
    instruction!(Avg 2 NARROW_INTEGER, Result Arithmetic arithmetic::avg),
    instruction!(Frc 1 FLOAT, Undefined Arithmetic round::frc),
    instruction!(Rndu 1 FLOAT, Undefined Rounding round::rndu),
    instruction!(Rndd 1 FLOAT, Undefined Rounding round::rndd),
    instruction!(Rnde 1 FLOAT, Undefined Rounding round::rnde),
    instruction!(Rndz 1 FLOAT, Undefined Rounding round::rndz),
    instruction!(Mac 2 &[Word, Half, Float, Double], Result Arithmetic
        arithmetic::mac),
    instruction!(Mach 2 &[Doubleword], Result Arithmetic arithmetic::mach),
    instruction!(Lzd 1 NARROW_INTEGER, Undefined Arithmetic arithmetic::lzd),
    instruction!(Sad2 2 &[Word], Result Arithmetic vector::sad2),
    instruction!(Sada2 2 &[Word], Result Arithmetic vector::sada2),
    instruction!(Dp4 2 FLOAT, Undefined Arithmetic vector::dp4),
    instruction!(Dph 2 FLOAT, Undefined Arithmetic vector::dph),
    instruction!(Dp3 2 FLOAT, Undefined Arithmetic vector::dp3),
    instruction!(Dp2 2 FLOAT, Undefined Arithmetic vector::dp2),
    instruction!(Line 2 FLOAT, Result Arithmetic vector::line),
    instruction!(Pln 2 FLOAT, Result Arithmetic vector::pln),
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
    /// Executes a native instruction, which may be a half of a compressed one.
    pub(super) fn execute(
        &'static self,
        thread: &mut Thread,
        instruction: &Instruction,
        compressed: Option<&Instruction>,
    ) -> Executed {
        let observer = thread.observer.filter(|_| !thread.readings.is_other());
        thread.record.begin();
        let mut execution = Execution::new(thread, instruction, &self.properties, self.without)?;
        let State { control: [control, ..], address: addresses, mask: masks, status, .. } =
            *execution.thread.state;
        let mask = match observer {
            Some(_) => execution.thread.execution_mask(instruction, Without::PredicateMask)?,
            None => 0,
        };
        (self.execute)(&mut execution)?;
        if let Some(observe) = observer {
            let Execution { execution_type, mode: float_mode, enabled, .. } = execution;
            observe(&Observed::Data(DataStep {
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
                dispatched: [status[2], status[3]],
                addresses,
                masks,
                compressed,
                record: &execution.thread.record,
            }));
        }
        Ok(())
    }
}
