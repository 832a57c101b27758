//! Compiled blocks against the interpreter, on registers full of corner cases; and machine code, decoded
//! again.

pub(in crate::eu) mod changes;
mod faults;
mod graphs;
pub(in crate::eu) mod mixed;

use iced_x86::{
    Code as Opcode, Decoder, DecoderOptions, Instruction as Machine, Mnemonic, OpKind, Register,
};
use parallax_isa::{
    Device, Image as _,
    eu::{DataType, State, register::RegisterFile, state::control},
};
use proptest::prelude::*;

use super::{Block, Code, Planned, Rounding, Setting, code, interpret, layout::REGISTERS, plan};
use crate::{
    eu::{
        arithmetic, compare,
        condition::Condition,
        instruction::{
            Compression, Context, Destination, Instruction, Layout, Origin, Region, Source,
        },
        logic,
        lower::lower,
        mask::Predicate,
        message,
        message_op::MessageOp,
        micro_op::MicroOp,
        movement,
        operation::{Form, Operation},
        round,
    },
    machine_code::changes::Random,
    shared::Around,
    simd::Avx2,
};

const GROUPS: [&[Operation]; 5] =
    [movement::ROWS, logic::ROWS, arithmetic::ROWS, round::ROWS, compare::ROWS];

const CONDITIONS: [Condition; 7] = [
    Condition::Equal,
    Condition::NotEqual,
    Condition::Greater,
    Condition::GreaterEqual,
    Condition::Less,
    Condition::LessEqual,
    Condition::Unordered,
];

/// Floats at the borders of their classes; those that overflow, which code refuses, are rare.
const FLOATS: [u32; 14] = [
    0,
    0x8000_0000,
    1,
    0x807F_FFFF,
    0x0080_0000,
    0x8080_0001,
    0x3F80_0000,
    0xBF7F_FFFF,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0001,
    0x7F80_0123,
];

/// Registers that are not general.
const ACCUMULATOR: u8 = 0x20;
const FLAG: u8 = 0x30;

fn source(random: &mut Random, data_type: DataType, size: u8, last: bool) -> Source {
    if last && random.one_in(4) {
        let bits = match data_type {
            DataType::F => [1f32, -0.5, 3.0, 0.0][random.below(4)].to_bits(),
            _ if random.one_in(2) => random.next() % 40,
            _ => random.bits(),
        };
        let bits = if data_type.size() == 2 { (bits & 0xFFFF) * 0x1_0001 } else { bits };
        return Source::Immediate { data_type, bits };
    }
    let words = data_type.size() == 2;
    let of_architecture = |number, subregister, row: u8| {
        let (vertical, width, horizontal) = (row, row.max(1), u8::from(row > 0));
        Source::Register(Region {
            file: RegisterFile::Arf,
            data_type,
            origin: Origin::Direct { number, subregister },
            layout: Layout::Rows { vertical: Some(vertical), width, horizontal },
            absolute: false,
            negate: false,
        })
    };
    if words && size == 16 && !last && random.one_in(6) {
        return of_architecture(ACCUMULATOR, 0, 16);
    }
    if !data_type.is_float() && random.one_in(12) {
        let flag = if words { 2 * random.below(2) as u8 } else { 0 };
        return of_architecture(FLAG, flag, 0);
    }
    let scalar = size == 1 || random.one_in(4);
    let row = if words { size } else { size.min(8) };
    let (vertical, width, horizontal) = if scalar { (0, 1, 0) } else { (row, row, 1) };
    let aligned = !scalar && (size == 16 || !random.one_in(4));
    let unit = if words { 2 } else { 4 };
    let subregister = if aligned { 0 } else { (unit * random.below(32 / unit)) as u8 };
    let number = 2 + random.below(10) as u8;
    let number = if size == 16 && !scalar && !words { number & !1 } else { number };
    Source::Register(Region {
        file: RegisterFile::Grf,
        data_type,
        origin: Origin::Direct { number, subregister },
        layout: Layout::Rows { vertical: Some(vertical), width, horizontal },
        absolute: random.one_in(8),
        negate: random.one_in(4),
    })
}

fn instruction(random: &mut Random) -> Instruction {
    let instruction = uniform(random);
    if random.one_in(3) { mixed_types(random, instruction) } else { instruction }
}

/// The same with operands of several types.
fn mixed_types(random: &mut Random, mut instruction: Instruction) -> Instruction {
    let size = instruction.execution_size;
    for source in &mut instruction.sources {
        let data_type = mixed::data_type(random);
        match source {
            Source::Immediate { .. } if data_type.size() > 1 => {
                *source = self::source(random, data_type, 1, true);
            }
            _ => *source = Source::Register(mixed::region(random, data_type, size)),
        }
    }
    if instruction.destination.file != RegisterFile::Arf || random.one_in(3) {
        let data_type = mixed::data_type(random);
        let file = match instruction.destination.file {
            RegisterFile::Mrf => RegisterFile::Mrf,
            _ => RegisterFile::Grf,
        };
        instruction.destination =
            Destination { file, ..mixed::destination(random, data_type, size) };
    }
    if size == 16 && random.one_in(2) {
        instruction.compression = match instruction.compression {
            Compression::None => Compression::Compressed,
            _ => Compression::None,
        };
    }
    instruction
}

/// An instruction whose operands have one type.
fn uniform(random: &mut Random) -> Instruction {
    let operations: Vec<_> =
        GROUPS.into_iter().flatten().filter(|row| row.data().is_some()).collect();
    let operation = operations[random.below(operations.len())];
    let form = operation.data().expect("it was looked at").form;
    let compares = matches!(form, Form::Compare { .. });
    let types = [DataType::F, DataType::F, DataType::D, DataType::Ud, DataType::W, DataType::Uw];
    let data_type = types[random.below(6)];
    let words = data_type.size() == 2;
    let size = [1, 2, 4, 8, 8, 8, 16, 16][random.below(8)];
    let size = if words && random.one_in(2) { 16 } else { size };
    let null = compares || random.one_in(16);
    let to_message = random.one_in(8);
    let number = match (null, to_message) {
        (true, _) => 0,
        (false, true) => 2 * random.below(6) as u8,
        (false, false) => 2 + random.below(10) as u8,
    };
    let predicated = form == Form::Select || random.one_in(4);
    Instruction {
        operation,
        execution_size: size,
        align16: false,
        no_mask: random.one_in(3),
        compression: match size == 16 && !words {
            true => Compression::Compressed,
            false => Compression::None,
        },
        predicate: if predicated { Predicate::Sequential } else { Predicate::None },
        predicate_inverse: random.one_in(2),
        condition: if compares { CONDITIONS[random.below(7)] } else { Condition::None },
        flag: random.below(2) as u8,
        saturate: random.one_in(8),
        breakpoint: false,
        destination: Destination {
            file: match (null, to_message) {
                (true, _) => RegisterFile::Arf,
                (false, true) => RegisterFile::Mrf,
                (false, false) => RegisterFile::Grf,
            },
            data_type,
            origin: Origin::Direct {
                number: if size == 16 && !words { number & !1 } else { number },
                subregister: if size < 8 && !null { 4 * random.below(8) as u8 } else { 0 },
            },
            stride: 1,
            channel_enable: 0xF,
        },
        sources: [source(random, data_type, size, false), source(random, data_type, size, true)],
        last_dword: 0,
        message_register: 0,
    }
}

/// A message to Extended Math.
fn math(random: &mut Random) -> MicroOp {
    let (function, saturates) = (1 + random.below(7) as u32, random.one_in(4));
    let whole = |file, number| Region {
        file,
        data_type: DataType::F,
        origin: Origin::Direct { number, subregister: 0 },
        layout: Layout::Rows { vertical: Some(8), width: 8, horizontal: 1 },
        absolute: false,
        negate: false,
    };
    // Inverses and roots are what code can be made of.
    let function = if random.one_in(4) { function } else { [1, 4][random.below(2)] };
    let compressed = random.one_in(2);
    let numbers = [2 + random.below(10) as u8, 2 + random.below(10) as u8];
    let [from, to] = numbers.map(|number| if compressed { number & !1 } else { number });
    let send = Instruction {
        operation: &message::ROWS[0],
        execution_size: if compressed { 16 } else { 8 },
        compression: if compressed { Compression::Compressed } else { Compression::None },
        condition: Condition::None,
        saturate: false,
        destination: Destination {
            file: RegisterFile::Grf,
            data_type: DataType::F,
            origin: Origin::Direct { number: to, subregister: 0 },
            stride: 1,
            channel_enable: 0xF,
        },
        sources: [
            Source::Register(whole(RegisterFile::Grf, from)),
            Source::Immediate {
                data_type: DataType::Ud,
                bits: 0x0111_0000 | u32::from(saturates) << 6 | function,
            },
        ],
        last_dword: 0x0111_0000,
        message_register: random.below(12) as u8,
        ..instruction(random)
    };
    let context = Context { device: Device::G45, offset: 0 };
    let (op, mask) = MessageOp::of(&send, context, &Around::default()).expect("a micro-op");
    MicroOp::of_message(&send, op, mask)
}

/// What code of Gen4 is compiled for.
fn setting(open: bool, accumulator_disabled: bool) -> Setting {
    Setting { open, accumulator_disabled, rounding: Rounding::TowardZero }
}

/// An instruction that code can be made of, mostly.
fn compiled_instruction(random: &mut Random) -> Instruction {
    let context = Context { device: Device::G45, offset: 0 };
    let setting = setting(false, true);
    let mut instruction = instruction(random);
    for _ in 0..16 {
        let data = instruction.data().expect("operations on data");
        if let Ok(natives) = lower(&instruction, data, context)
            && plan(&MicroOp::of_data(&instruction, natives), &[], setting).is_some()
        {
            break;
        }
        instruction = super::tests::instruction(random);
    }
    instruction
}

/// A block of a program.
fn block(random: &mut Random) -> Vec<MicroOp> {
    let context = Context { device: Device::G45, offset: 0 };
    let mut ops = Vec::new();
    for _ in 0..3 + random.below(24) {
        if random.one_in(8) {
            ops.push(math(random));
            continue;
        }
        let instruction = instruction(random);
        let data = instruction.data().expect("operations on data");
        if let Ok(natives) = lower(&instruction, data, context) {
            ops.push(MicroOp::of_data(&instruction, natives));
        }
    }
    ops
}

/// A state whose floats are such that blocks of sums and products mostly stay in range.
fn state(random: &mut Random, open: bool) -> State {
    let mut state = State::new();
    let extremes = random.one_in(3);
    let has_nans = random.one_in(8);
    for place in state.image_mut()[..REGISTERS].chunks_exact_mut(4) {
        let bits = match random.below(4) {
            // Which of two that are not numbers is the result shows if these differ.
            0 if has_nans => 0x7FC0_0000 | random.bits() & 0x803F_FFFF,
            0 if extremes => FLOATS[random.below(FLOATS.len())],
            1 if extremes => mixed::ENDS[random.below(mixed::ENDS.len())],
            0 => FLOATS[random.below(8)],
            1 => random.bits(),
            _ => random.bits() & 0x83FF_FFFF | 0x3C00_0000,
        };
        place.copy_from_slice(&bits.to_le_bytes());
    }
    for channel in state.accumulator.as_flattened_mut() {
        let bits = random.bits();
        *channel = match random.below(8) {
            0 => u64::from(bits),
            1 => i64::from(bits.cast_signed()).cast_unsigned(),
            _ => f64::from(f32::from_bits(bits & 0xBFFF_FFFF)).to_bits(),
        };
    }
    state.control = [if random.one_in(8) { control::ACCUMULATOR_DISABLE } else { 0 }, 0, 0];
    state.mask = if open {
        [0xFFFF; 4]
    } else {
        std::array::from_fn(|_| random.next() as u16 | random.next() as u16)
    };
    state
}

/// Where two states differ.
pub(in crate::eu) fn difference(a: &State, b: &State) -> Option<String> {
    let all = a.image()[..REGISTERS].iter().zip(&b.image()[..REGISTERS]);
    let at = all.into_iter().position(|(a, b)| a != b)?;
    let word = at / 4 * 4;
    Some(format!(
        "byte {at}: interpreted {:02x?}, compiled {:02x?}",
        &a.image()[word..word + 4],
        &b.image()[word..word + 4]
    ))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn compiled_blocks_do_what_the_interpreter_does(seed in any::<u64>(), open in any::<bool>()) {
        if Avx2::detect().is_none() {
            return Ok(());
        }
        let random = &mut Random(seed);
        let block = block(random);
        for _ in 0..3 {
            let start = state(random, open);
            let (mut interpreted, mut ran) = (start, start);
            let setting = setting(start.mask == [0xFFFF; 4], start.control[0] != 0);
            let Some(mut compiled) = Block::compile(&block, setting) else { continue };
            interpret(&block, &mut interpreted);
            compiled.run(&block, &mut ran, &mut Vec::new());
            if let Some(difference) = difference(&interpreted, &ran) {
                let ops: Vec<_> = (0..block.len())
                    .map(|index| {
                        let op = &block[index];
                        let planned = plan(op, &block[index + 1..], setting);
                        format!("{:?} {planned:?}\n", op.instruction)
                    })
                    .collect();
                prop_assert!(false, "{difference}\n{}", ops.concat());
            }
        }
    }

    /// Every instruction is one that AVX2 has, and whatever it reads or writes in memory is in the
    /// registers of the thread, in the room for what is saved, among the constants, or in the red zone.
    #[test]
    fn machine_code_stays_in_its_places(seed in any::<u64>(), open in any::<bool>()) {
        if Avx2::detect().is_none() {
            return Ok(());
        }
        let block = block(&mut Random(seed));
        let setting = setting(open, false);
        let mut first = 0;
        while first < block.len() {
            let plans = (first..block.len())
                .map_while(|index| plan(&block[index], &block[index + 1..], setting));
            let planned: Vec<Planned> = plans.collect();
            if !planned.is_empty() {
                let code = code(&planned, setting).expect("all of it is planned");
                stays_in_its_places(&code)?;
            }
            first += planned.len() + 1;
        }
    }
}

/// Whether code has only instructions of AVX2, and what it reads and writes is where it may be.
pub(in crate::eu) fn stays_in_its_places(code: &Code) -> Result<(), TestCaseError> {
    let (constants, saved) = code.counts();
    let mut decoder = Decoder::new(64, code.machine_code(), DecoderOptions::NONE);
    let instructions: Vec<Machine> = decoder.iter().collect();
    prop_assert_eq!(instructions.last().map(Machine::code), Some(Opcode::Retnq));
    for instruction in &instructions {
        prop_assert!(!instruction.is_invalid());
        if instruction.op0_kind() == OpKind::NearBranch64 {
            let target = instruction.near_branch_target();
            prop_assert!(instructions.iter().any(|other| other.ip() == target));
        }
        let end = match instruction.memory_base() {
            Register::RDI => REGISTERS,
            Register::RSI => 32 * saved,
            Register::RDX => 32 * constants,
            Register::RSP => 0,
            Register::None => continue,
            other => return Err(TestCaseError::fail(format!("{other:?}"))),
        };
        let from = instruction.memory_displacement64().cast_signed();
        let to = from + instruction.memory_size().size() as i64;
        let least = if end == 0 { -128 } else { 0 };
        prop_assert_eq!(instruction.memory_index(), Register::None);
        prop_assert!(from >= least && to <= end as i64, "{}", instruction);
        let writes =
            instruction.op0_kind() == OpKind::Memory && instruction.mnemonic() != Mnemonic::Ldmxcsr;
        prop_assert!(!writes || instruction.memory_base() != Register::RDX);
    }
    Ok(())
}
