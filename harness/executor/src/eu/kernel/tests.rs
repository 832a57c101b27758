//! Every kernel against its portable twin, on registers full of corner cases.

use parallax_isa::{
    Device,
    eu::{DataType, State, register::RegisterFile, state::control},
};
use proptest::prelude::*;

use super::shape::micro_op;
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
        movement,
        operation::{Form, Operation},
        round,
    },
    simd::Level,
};

/// The groups with operations that kernels serve.
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

const TYPES: [DataType; 5] = [DataType::Ud, DataType::D, DataType::Uw, DataType::W, DataType::F];

/// Floats at the borders of their classes.
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
    0x7FC0_0000,
    0x5F00_0001,
];

fn source() -> impl Strategy<Value = (u8, u8, u32, bool, bool, u8)> {
    // Kind, register, immediate, absolute, negate, subregister in elements.
    (0..5u8, 2..12u8, any::<u32>(), any::<bool>(), any::<bool>(), 0..8u8)
}

fn build_source(
    (kind, number, bits, absolute, negate, subregister): (u8, u8, u32, bool, bool, u8),
    data_type: DataType,
    modified: bool,
    last: bool,
) -> Source {
    if kind == 0 && last {
        let word = bits & 0xFFFF;
        let bits = if data_type.size() == 2 { word << 16 | word } else { bits };
        return Source::Immediate { data_type, bits };
    }
    let (vertical, width, horizontal) = if kind == 1 { (0, 1, 0) } else { (8, 8, 1) };
    let subregister = if kind == 4 || kind == 1 { subregister * data_type.size() as u8 } else { 0 };
    Source::Register(Region {
        file: RegisterFile::Grf,
        data_type,
        origin: Origin::Direct { number, subregister },
        layout: Layout::Rows { vertical: Some(vertical), width, horizontal },
        absolute: absolute && modified,
        negate: negate && modified,
    })
}

/// Equal but for the payloads of NaNs, which the manual leaves open.
fn alike(a: &State, b: &State) -> bool {
    let nan32 = |bits: &[u8]| f32::from_le_bytes(bits.try_into().expect("four bytes")).is_nan();
    let registers = a.grf.as_flattened().chunks_exact(4).zip(b.grf.as_flattened().chunks_exact(4));
    let channels = a.accumulator.as_flattened().iter().zip(b.accumulator.as_flattened());
    registers.into_iter().all(|(a, b)| a == b || nan32(a) && nan32(b))
        && channels
            .into_iter()
            .all(|(a, b)| a == b || f64::from_bits(*a).is_nan() && f64::from_bits(*b).is_nan())
        && (a.flag, a.mrf) == (b.flag, b.mrf)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn kernels_equal_their_portable_twins(
        operation in any::<prop::sample::Index>(),
        data_type in 0..TYPES.len(),
        condition in 0..CONDITIONS.len(),
        size in 0..5u32,
        sources in [source(), source()],
        target in 2..12u8,
        options in any::<u16>(),
        seed in any::<u32>(),
        masks in any::<[u16; 4]>(),
    ) {
        let operations: Vec<_> = GROUPS.into_iter().flatten().collect();
        let operation = *operation.get(&operations);
        let data = operation.data().expect("an operation on data");
        let data_type = TYPES[data_type];
        let option = |bit: u32| options >> bit & 1 == 1;
        let compares = matches!(data.form, Form::Compare { .. });
        let execution_size = 1 << size;
        let modified = option(0) && !matches!(operation.name, "shr" | "and");
        let instruction = Instruction {
            operation,
            execution_size,
            align16: false,
            no_mask: option(1),
            compression: match usize::from(execution_size) * data_type.size() > 32 {
                true => Compression::Compressed,
                false if option(2) && execution_size <= 8 => Compression::SecHalf,
                false => Compression::None,
            },
            predicate: if data.form == Form::Select || option(3) {
                Predicate::Sequential
            } else {
                Predicate::None
            },
            predicate_inverse: option(4),
            condition: if compares { CONDITIONS[condition] } else { Condition::None },
            flag: 1,
            saturate: option(5) && operation.name != "shl",
            breakpoint: false,
            destination: Destination {
                file: if compares { RegisterFile::Arf } else { RegisterFile::Grf },
                data_type,
                origin: Origin::Direct {
                    number: if compares { 0 } else { target },
                    subregister: 0,
                },
                stride: 1,
                channel_enable: 0xF,
            },
            sources: [
                build_source(sources[0], data_type, modified, false),
                build_source(sources[1], data_type, modified, true),
            ],
            last_dword: 0,
            message_register: 0,
        };
        let context = Context { device: Device::G45, offset: 0 };
        let Ok(natives) = lower(&instruction, data, context) else { return Ok(()) };
        let mut state = State::new();
        let mut random = seed | 1;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            random
        };
        for place in state.grf.as_flattened_mut().chunks_exact_mut(4) {
            let bits = next();
            let float = FLOATS[bits as usize % FLOATS.len()];
            let element = if bits & 0x100 == 0 { float } else { next() };
            place.copy_from_slice(&element.to_le_bytes());
        }
        for channel in state.accumulator.as_flattened_mut() {
            *channel = match data_type {
                DataType::F => f64::from(f32::from_bits(next() & 0xBFFF_FFFF)).to_bits(),
                _ => i64::from(next().cast_signed()).cast_unsigned(),
            };
        }
        state.flag = [next() as u16, next() as u16, 0, 0];
        if option(6) {
            state.mask = masks;
        }
        if option(7) {
            state.control[0] = control::ACCUMULATOR_DISABLE;
        }
        for level in Level::all() {
            let op = micro_op(Some(level), &instruction, data, natives.clone());
            let (mut general, mut kernel, mut unseen) = (state, state, state);
            op.general(&mut general);
            op.run(&mut kernel);
            (op.rest.run_unseen)(&op, &mut unseen);
            unseen.accumulator = general.accumulator;
            prop_assert!(alike(&general, &kernel), "{level:?} {instruction:?}");
            prop_assert!(alike(&general, &unseen), "narrow {level:?} {instruction:?}");
            if let Some(run_plain) = op.rest.run_plain.filter(|_| state.mask == [0xFFFF; 4]) {
                let mut plain = state;
                run_plain(&op, &mut plain);
                plain.accumulator = general.accumulator;
                prop_assert!(alike(&general, &plain), "plain {level:?} {instruction:?}");
            }
        }
    }
}
