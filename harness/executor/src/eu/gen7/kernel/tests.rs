//! Kernels against the general way, their portable twin.

use parallax_isa::eu::State;
use proptest::prelude::*;

use super::choose;
use crate::{
    eu::gen7::{
        decode,
        fields::Generation,
        lower::lower,
        native::{Op, Ways},
        operation::Action,
        word::Word,
    },
    simd::Level,
};

/// Codes of the register types of Gen9 that kernels are made for.
const TYPES: [u8; 7] = [0, 1, 2, 3, 7, 10, 7];
const CODES: [u8; 20] = [
    0x01, 0x02, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0C, 0x10, 0x11, 0x40, 0x41, 0x42, 0x43, 0x44,
    0x45, 0x46, 0x47, 0x41,
];

/// What an instruction is made of.
#[derive(Debug, Clone)]
struct Shape {
    code: u8,
    data_type: u8,
    size: u8,
    condition: u8,
    predicate: u8,
    bits: u32,
    registers: [u8; 3],
    regions: [u8; 2],
    immediate: Option<u32>,
}

fn shapes() -> impl Strategy<Value = Shape> {
    (
        prop::sample::select(&CODES[..]),
        prop::sample::select(&TYPES[..]),
        0..5u8,
        0..7u8,
        0..2u8,
        any::<u32>(),
        prop::array::uniform3(2..8u8),
        prop::array::uniform2(0..2u8),
        prop::option::of(any::<u32>()),
    )
        .prop_map(
            |(code, data_type, size, condition, predicate, bits, registers, regions, immediate)| {
                Shape {
                    code,
                    data_type,
                    size,
                    condition,
                    predicate,
                    bits,
                    registers,
                    regions,
                    immediate,
                }
            },
        )
}

impl Shape {
    /// Its machine word on Gen9.
    fn word(&self) -> Word {
        let mut word = Word(0);
        let mut put = |value: u32, high, low| word.scatter(value.into(), &[(high, low)]);
        let compares = matches!(self.code, 0x10 | 0x11);
        let rare = |at: u32| self.bits >> at & 7 == 0;
        put(self.code.into(), 6, 0);
        put(u32::from(rare(0)), 34, 34);
        put(u32::from(self.predicate), 19, 16);
        put(self.bits >> 3 & 1, 20, 20);
        put(self.size.into(), 23, 21);
        let condition = if compares || self.code == 2 { self.condition } else { 0 };
        put(if compares { condition.max(1) } else { condition }.into(), 27, 24);
        put(u32::from(rare(4)), 31, 31);
        put(self.bits >> 7 & 3, 33, 32);
        let null = compares && self.bits >> 9 & 1 == 1;
        put(u32::from(!null), 36, 35);
        put(self.data_type.into(), 40, 37);
        put(1, 62, 61);
        put(if null { 0 } else { self.registers[0].into() }, 60, 53);
        let width = u32::from(self.size.min(3));
        for index in 0..2usize {
            let at = 32 * index as u8;
            let (file, of) = if index == 0 { ((42, 41), (46, 43)) } else { ((90, 89), (94, 91)) };
            put(1, file.0, file.1);
            put(self.data_type.into(), of.0, of.1);
            put(self.registers[index + 1].into(), 76 + at, 69 + at);
            put(u32::from(rare(10 + 4 * index as u32)), 78 + at, 78 + at);
            put(u32::from(rare(18 + 4 * index as u32)), 77 + at, 77 + at);
            if self.regions[index] == 0 {
                put(width + 1, 88 + at, 85 + at);
                put(width, 84 + at, 82 + at);
                put(u32::from(self.size > 0), 81 + at, 80 + at);
            }
        }
        if let Some(immediate) = self.immediate
            && !matches!(self.code, 1 | 4 | 0x43..=0x47)
        {
            let mut word = Word(word.0 & !(u128::from(u32::MAX) << 96 | 0x3F << 89));
            let of = if self.data_type == 10 { 11 } else { u64::from(self.data_type) };
            word.scatter(3, &[(90, 89)]);
            word.scatter(of, &[(94, 91)]);
            word.scatter(immediate.into(), &[(127, 96)]);
            return word;
        }
        word
    }
}

/// The instruction with kernels of a level.
fn op(level: Level, shape: &Shape) -> Option<Op> {
    let bytes = shape.word().0.to_le_bytes();
    let (instruction, _) = decode::decode(Generation::Gen9, &bytes).ok()?;
    let Action::Data(data) = &instruction.operation.action else { return None };
    let mut op = lower(&instruction, data).ok()?;
    op.ways = Ways { run: op.run, run_open: op.run };
    choose(level, &instruction, data, &mut op);
    Some(op)
}

/// Registers whose floats are of all kinds.
fn registers(seed: u64) -> Box<State> {
    let mut state = Box::new(State::of(parallax_isa::Device::Skl));
    let mut bits = seed | 1;
    for place in state.grf.as_flattened_mut().chunks_exact_mut(4) {
        bits = bits.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        let random = (bits >> 32) as u32;
        let value = match random & 15 {
            0 => 0x8000_0000,
            1 => random & 0x807F_FFFF,
            2 => 0x7F80_0000 | random & 0x8000_0000,
            3 => 0x7FC0_0000 | random,
            4..8 => (f32::from((random >> 16) as i16) / 16.0).to_bits(),
            8 => random & 0x83FF_83FF,
            _ => random,
        };
        place.copy_from_slice(&value.to_le_bytes());
    }
    state.flag = std::array::from_fn(|n| (bits >> (8 * n)) as u16);
    state
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn kernels_do_what_the_general_way_does(shape in shapes(), seed in any::<u64>(), all in any::<bool>()) {
        let active = if all { u32::MAX } else { (seed >> 7) as u32 };
        let start = registers(seed);
        for level in Level::all() {
            let Some(op) = op(level, &shape) else { return Ok(()) };
            let mut expected = start.clone();
            (op.run)(&op, &mut expected, active);
            let mut ways = vec![op.ways.run];
            if op.plan.needs & !active == 0 {
                ways.push(op.ways.run_open);
            }
            for way in ways {
                let mut state = start.clone();
                way(&op, &mut state, active);
                prop_assert_eq!(state.flag, expected.flag, "{:?}", level);
                prop_assert!(state.grf == expected.grf, "{level:?}");
            }
        }
    }

    /// Most shapes that programs use have a kernel where the processor has the instructions.
    #[test]
    fn common_shapes_have_kernels(code in prop::sample::select(&CODES[..]), size in 3..5u8) {
        let shape = Shape {
            code,
            data_type: if matches!(code, 0x43..=0x47) { 7 } else { 1 },
            size,
            condition: 3,
            predicate: 0,
            bits: 0x5B6D_B6DF & !8,
            registers: [2, 4, 6],
            regions: [0; 2],
            immediate: None,
        };
        for level in Level::all().filter(|level| !matches!(level, Level::Portable)) {
            let op = op(level, &shape).expect("it lowers");
            prop_assert!(!std::ptr::fn_addr_eq(op.ways.run, op.run), "{level:?}");
        }
    }
}
