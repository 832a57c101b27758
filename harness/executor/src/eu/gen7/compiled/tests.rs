//! Compiled blocks of Gen7 and later against the interpreter, on registers full of corner cases.

mod faults;
mod graphs;

use parallax_isa::{
    Device, Image as _,
    eu::{DataType, State, register::RegisterFile, state::REGISTERS},
};
use proptest::prelude::*;

use super::{interpret, plan, run};
use crate::{
    eu::{
        compiled::{
            Segments,
            tests::{difference, mixed, stays_in_its_places},
        },
        condition::Condition,
        description::{Planned, Rounding, Setting},
        gen7::{
            compare,
            fields::Generation,
            float_ops,
            instruction::{Instruction, Source},
            integer,
            lower::lower,
            movement,
            native::Op,
            operation::{Action, Data, Form, Operands, Operation},
        },
        instruction::{Destination, Layout, Origin, Region},
        mask::Predicate,
    },
    machine_code::changes::Random,
    simd::Avx2,
};

const GENERATIONS: [Generation; 3] = [Generation::Gen7, Generation::Gen9, Generation::Gen12];
const GROUPS: [&[Operation]; 4] = [movement::ROWS, integer::ROWS, float_ops::ROWS, compare::ROWS];

const CONDITIONS: [Condition; 6] = [
    Condition::Equal,
    Condition::NotEqual,
    Condition::Greater,
    Condition::GreaterEqual,
    Condition::Less,
    Condition::LessEqual,
];

/// Floats at the borders of their classes, and factors whose product is next to the smallest number.
const FLOATS: [u32; 16] = [
    0,
    0x8000_0000,
    1,
    0x807F_FFFF,
    0x0080_0000,
    0x8080_0001,
    0x3F80_0000,
    0xBF7F_FFFF,
    0x3F7F_FFFF,
    0x0080_0001,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0001,
    0xFF80_0123,
];

fn data(operation: &Operation) -> Option<&Data> {
    match &operation.action {
        Action::Data(data) => Some(data),
        _ => None,
    }
}

fn source(random: &mut Random, data_type: DataType, size: u8, last: bool) -> Source {
    if last && random.one_in(4) {
        let bits = match data_type {
            DataType::F => FLOATS[random.below(FLOATS.len())],
            DataType::Hf => [0x3C00, 0x8000, 0x0001, 0x4248, 0x7C00][random.below(5)],
            _ if random.one_in(2) => random.next() % 40,
            _ => random.bits(),
        };
        let bits = if data_type.size() == 2 { (bits & 0xFFFF) * 0x1_0001 } else { bits };
        return Source::Immediate { data_type, bits: bits.into() };
    }
    let scalar = size == 1 || random.one_in(4);
    let row = if data_type.size() == 2 { size } else { size.min(8) };
    let (vertical, width, horizontal) = if scalar { (0, 1, 0) } else { (row, row, 1) };
    let aligned = !scalar && !random.one_in(6);
    let unit = data_type.size();
    let subregister = if aligned { 0 } else { (unit * random.below(32 / unit)) as u8 };
    Source::Register(Region {
        file: RegisterFile::Grf,
        data_type,
        origin: Origin::Direct { number: 2 + random.below(10) as u8, subregister },
        layout: Layout::Rows { vertical: Some(vertical), width, horizontal },
        absolute: random.one_in(10),
        negate: random.one_in(6),
    })
}

fn instruction(random: &mut Random, generation: Generation) -> Instruction {
    let instruction = uniform(random, generation);
    if random.one_in(3) { mixed_types(random, instruction) } else { instruction }
}

/// The same with operands of several types.
fn mixed_types(random: &mut Random, mut instruction: Instruction) -> Instruction {
    let size = instruction.execution_size;
    let has_halves = instruction.generation >= Generation::Gen9 && random.one_in(2);
    let data_type = |random: &mut Random| match has_halves && random.one_in(2) {
        true => DataType::Hf,
        false => mixed::data_type(random),
    };
    for source in &mut instruction.sources {
        let data_type = data_type(random);
        match source {
            Source::Immediate { .. } if data_type.size() > 1 => {
                while !matches!(source, Source::Immediate { data_type: of, .. } if *of == data_type)
                {
                    *source = self::source(random, data_type, 1, true);
                }
            }
            _ => *source = Source::Register(mixed::region(random, data_type, size)),
        }
    }
    if instruction.destination.file != RegisterFile::Arf {
        let data_type = data_type(random);
        instruction.destination = mixed::destination(random, data_type, size);
    }
    instruction
}

/// An instruction whose operands have one type.
fn uniform(random: &mut Random, generation: Generation) -> Instruction {
    let operations: Vec<_> = GROUPS
        .into_iter()
        .flatten()
        .filter(|row| row.generations.contains(&generation) && data(row).is_some())
        .collect();
    let operation = operations[random.below(operations.len())];
    let form = data(operation).expect("it was looked at").form;
    let compares = matches!(form, Form::Compare { .. });
    let types = [DataType::F, DataType::F, DataType::F, DataType::D, DataType::Ud, DataType::W];
    let data_type = types[random.below(6)];
    let size = [1, 2, 4, 8, 8, 16, 16, 16][random.below(8)];
    let most = if generation == Generation::Gen7 { 16 } else { 32 };
    let first_channel = if random.one_in(4) {
        let group = size.max(4);
        group * random.below(usize::from(most / group)) as u8
    } else {
        0
    };
    let selects = matches!(form, Form::Select);
    let by_order = selects && random.one_in(2);
    let null = compares && random.one_in(2);
    let condition =
        if compares || by_order { CONDITIONS[random.below(6)] } else { Condition::None };
    let predicated = !by_order && (selects || random.one_in(5));
    let has_halves = first_channel + size <= 16;
    let bytes = usize::from(size) * data_type.size();
    let subregister = if bytes <= 16 { bytes * random.below(32 / bytes) } else { 0 };
    Instruction {
        execution_size: size,
        no_mask: random.one_in(4),
        first_channel,
        predicate: if predicated { Predicate::Sequential } else { Predicate::None },
        predicate_inverse: random.one_in(2),
        condition,
        flag: 2 * random.below(2) as u8 + if has_halves { random.below(2) as u8 } else { 0 },
        saturate: random.one_in(8),
        destination: Destination {
            file: if null { RegisterFile::Arf } else { RegisterFile::Grf },
            data_type,
            origin: Origin::Direct {
                number: if null { 0 } else { 2 + random.below(10) as u8 },
                subregister: if null { 0 } else { subregister as u8 },
            },
            stride: 1,
            channel_enable: 0xF,
        },
        sources: [0, 1, 2].map(|index| source(random, data_type, size, index == 1)),
        source_count: match operation.operands {
            Operands::One => 1,
            Operands::Three => 3,
            _ => 2,
        },
        ..Instruction::bare(generation, operation)
    }
}

/// A micro-op, mostly one that code can be made of.
fn op(random: &mut Random, generation: Generation) -> Op {
    loop {
        let instruction = instruction(random, generation);
        let data = data(instruction.operation).expect("operations on data");
        let Ok(op) = lower(&instruction, data) else { continue };
        if !op.guarded && (plan(&op).is_some() || random.one_in(8)) {
            return op;
        }
    }
}

fn block(random: &mut Random) -> Vec<Op> {
    let generation = GENERATIONS[random.below(3)];
    (0..3 + random.below(24)).map(|_| op(random, generation)).collect()
}

/// A state whose floats are such that blocks of sums and products mostly stay in range.
fn state(random: &mut Random) -> Box<State> {
    let mut state = Box::new(State::of(Device::Skl));
    let extremes = random.one_in(3);
    let has_small_halves = random.one_in(6);
    for place in state.image_mut()[REGISTERS].chunks_exact_mut(4) {
        let bits = match random.below(6) {
            // Half floats whose differences are denormals, and some of these.
            0..4 if has_small_halves => random.bits() & 0x87FF_87FF | 0x0400,
            0 if extremes => FLOATS[random.below(FLOATS.len())],
            2 if extremes => mixed::ENDS[random.below(mixed::ENDS.len())],
            0 => FLOATS[6 + random.below(3)],
            1 => random.bits(),
            _ => random.bits() & 0x83FF_FFFF | 0x3C00_0000,
        };
        place.copy_from_slice(&bits.to_le_bytes());
    }
    state.control = [0; 3];
    state
}

/// The channels that are active, and whether those are all that a block needs.
fn channels(random: &mut Random, block: &[Op]) -> (u32, bool) {
    let active = if random.one_in(2) { u32::MAX } else { random.bits() | random.bits() };
    (active, block.iter().all(|op| op.needs() & !active == 0))
}

fn setting(open: bool) -> Setting {
    Setting { open, accumulator_disabled: true, rounding: Rounding::NearestEven }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn compiled_blocks_of_gen7_do_what_the_interpreter_does(seed in any::<u64>()) {
        if Avx2::detect().is_none() {
            return Ok(());
        }
        let random = &mut Random(seed);
        let block = block(random);
        for _ in 0..3 {
            let start = state(random);
            let (active, open) = channels(random, &block);
            let plans: Vec<Option<Planned>> = block.iter().map(plan).collect();
            let compiled = Segments::compile(plans.clone(), setting(open));
            let Some(mut compiled) = compiled else { continue };
            let (mut interpreted, mut ran) = (start.clone(), start);
            interpret(&block, &mut interpreted, active);
            run(&mut compiled, &block, &mut ran, &mut Vec::new(), active);
            if let Some(difference) = difference(&interpreted, &ran) {
                let ops: Vec<_> = block
                    .iter()
                    .zip(&plans)
                    .map(|(op, plan)| format!("{:?} {plan:?}\n", op.instruction))
                    .collect();
                prop_assert!(false, "{difference}\n{}", ops.concat());
            }
        }
    }

    /// Whatever operations and types of 32 bits and of words code is made for.
    #[test]
    fn plain_shapes_of_gen7_are_compiled(seed in any::<u64>()) {
        let random = &mut Random(seed);
        let mut instruction = uniform(random, Generation::Gen9);
        let is_float = instruction.destination.data_type == DataType::F;
        let names: &[&str] = match is_float {
            true => &["mov", "sel", "add", "mul", "rndd", "rndz", "frc", "cmp"],
            false => &["mov", "sel", "and", "or", "xor", "not", "add", "mul", "asr", "shl", "cmp"],
        };
        if !names.contains(&instruction.operation.name) {
            return Ok(());
        }
        let region = |number| Source::Register(Region {
            file: RegisterFile::Grf,
            data_type: instruction.destination.data_type,
            origin: Origin::Direct { number, subregister: 0 },
            layout: Layout::Rows { vertical: Some(8), width: 8, horizontal: 1 },
            absolute: false,
            negate: false,
        });
        instruction.sources = [2, 4, 6].map(region);
        if instruction.destination.file == RegisterFile::Grf {
            instruction.destination.origin = Origin::Direct { number: 8, subregister: 0 };
        }
        instruction.saturate = false;
        instruction.execution_size = 8;
        instruction.first_channel = 0;
        let compares = instruction.operation.name == "cmp";
        instruction.condition = if compares { Condition::Less } else { Condition::None };
        let data = data(instruction.operation).expect("operations on data");
        let op = lower(&instruction, data).expect("it is modelled");
        prop_assert!(plan(&op).is_some(), "{:?}", instruction);
    }

    #[test]
    fn machine_code_of_gen7_stays_in_its_places(seed in any::<u64>(), open in any::<bool>()) {
        if Avx2::detect().is_none() {
            return Ok(());
        }
        let block = block(&mut Random(seed));
        let plans = block.iter().map(plan).collect();
        let compiled = Segments::compile(plans, setting(open));
        for code in compiled.iter().flat_map(Segments::codes) {
            stays_in_its_places(code)?;
        }
    }
}
