//! The examples of the manual and of its rules, one instruction or a few at a time.

use crate::common::with_dwords;
use crate::common::{
    Run, arf, flagged, grf, immediate, instruction, packed, run, scalar, strided, to,
};
use parallax_isa::{
    Acceptance, Device, Reference as _,
    eu::{
        DataType, Instruction, Opcode, State,
        instruction::{AccessMode, Compression, ConditionalModifier, Predicate, PredicateControl},
        operand::{
            Destination, DestinationRegion, Region, Register, Source, SourceModifier,
            VerticalStride,
        },
        register::RegisterFile,
    },
};
use rstest::rstest;

fn modified(source: Source, absolute: bool, negate: bool) -> Source {
    match source {
        Source::Register { register, data_type, region, .. } => {
            let modifier = SourceModifier { absolute, negate };
            Source::Register { register, data_type, region, modifier }
        }
        immediate => immediate,
    }
}

/// Runs a doubleword operation on r2 and r3, its result in r4.
fn doublewords(opcode: Opcode, data_type: DataType, a: u32, b: u32) -> u32 {
    let sources = [scalar(grf(2, 0), data_type), scalar(grf(3, 0), data_type)];
    let operation = instruction(opcode, 1, to(grf(4, 0), data_type), &sources);
    let state = with_dwords(with_dwords(State::new(), 2, &[a]), 3, &[b]);
    run(Device::G45, state, &[operation]).dword(128)
}

#[rstest]
#[case(1, 2, 2)]
#[case(-1, -2, -1)]
#[case(0x7FFF_FFFF, 0x7FFF_FFFF, 0x7FFF_FFFF)]
#[case(i32::MIN, i32::MIN, i32::MIN)]
fn averages_round_half_up(#[case] a: i32, #[case] b: i32, #[case] average: i32) {
    assert_eq!(doublewords(Opcode::Avg, DataType::D, a as u32, b as u32) as i32, average);
}

#[rstest]
#[case(-7, 1, -4)]
#[case(-8, 1, -4)]
#[case(-1, 31, -1)]
#[case(7, 1, 3)]
#[case(1234, 32, 1234)]
#[case(1234, 33, 617)]
fn shifts_right_round_down(#[case] a: i32, #[case] count: i32, #[case] result: i32) {
    assert_eq!(doublewords(Opcode::Asr, DataType::D, a as u32, count as u32) as i32, result);
}

#[test]
fn negated_unsigned_sources_shift_as_the_negative_numbers_they_are() {
    let sources = [
        modified(scalar(grf(2, 0), DataType::Uw), false, true),
        immediate(DataType::Uw, 0x0001_0001),
    ];
    let asr = instruction(Opcode::Asr, 1, to(grf(4, 0), DataType::D), &sources);
    let run = run(Device::G45, with_dwords(State::new(), 2, &[7]), &[asr]);
    assert_eq!(run.dword(128) as i32, -4);
}

#[rstest]
#[case(0, 32)]
#[case(1, 31)]
#[case(0x8000_0000, 0)]
#[case(0xFFFF_FFFF, 0)]
fn leading_zeros(#[case] source: u32, #[case] count: u32) {
    assert_eq!(doublewords(Opcode::Lzd, DataType::Ud, source, 0), count);
}

/// `mul acc0 a b; mach high a b; mov low acc0`.
fn full_product(data_type: DataType, a: u32, b: u32) -> (u32, u32) {
    let sources = [scalar(grf(2, 0), data_type), scalar(grf(3, 0), data_type)];
    let accumulator = arf(0x20, 0);
    let program = [
        instruction(Opcode::Mul, 1, to(accumulator, data_type), &sources),
        instruction(Opcode::Mach, 1, to(grf(4, 0), data_type), &sources),
        instruction(Opcode::Mov, 1, to(grf(5, 0), data_type), &[scalar(accumulator, data_type)]),
    ];
    let state = with_dwords(with_dwords(State::new(), 2, &[a]), 3, &[b]);
    let run = run(Device::G45, state, &program);
    (run.dword(128), run.dword(160))
}

#[test]
fn multiplication_sequences_give_the_full_product() {
    let numbers =
        [0, 1, 2, 0x7FFF, 0x8000, 0xFFFF, 0x1_0000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF];
    for a in numbers {
        for b in numbers {
            let signed = i64::from(a as i32) * i64::from(b as i32);
            let (high, low) = full_product(DataType::D, a, b);
            assert_eq!((high, low), ((signed >> 32) as u32, signed as u32), "{a:X} * {b:X}");
            let unsigned = u64::from(a) * u64::from(b);
            let (high, low) = full_product(DataType::Ud, a, b);
            assert_eq!((high, low), ((unsigned >> 32) as u32, unsigned as u32), "{a:X} * {b:X}");
        }
    }
}

/// A round instruction and the predicated `add` that completes it.
fn rounded(opcode: Opcode, number: f32) -> f32 {
    let result = grf(4, 0);
    let round = instruction(opcode, 1, to(result, DataType::F), &[scalar(grf(2, 0), DataType::F)]);
    let sources = [scalar(result, DataType::F), immediate(DataType::F, 1f32.to_bits())];
    let predicate = Predicate { control: PredicateControl::Sequential, inverse: false };
    let add =
        Instruction { predicate, ..instruction(Opcode::Add, 1, to(result, DataType::F), &sources) };
    let state = with_dwords(State::new(), 2, &[number.to_bits()]);
    let program = [flagged(round, ConditionalModifier::RoundIncrement), add];
    f32::from_bits(run(Device::G45, state, &program).dword(128))
}

#[test]
fn two_steps_round() {
    let halves = (-40..=40).map(|n| n as f32 / 4.0).chain([1.2, -1.7, 8_388_609.0, -0.3, 1e20]);
    for number in halves {
        assert_eq!(rounded(Opcode::Rndu, number), number.ceil(), "{number}");
        assert_eq!(rounded(Opcode::Rndz, number), number.trunc(), "{number}");
        assert_eq!(rounded(Opcode::Rnde, number), number.round_ties_even(), "{number}");
        assert_eq!(rounded(Opcode::Rndd, number), number.floor(), "{number}");
    }
}

fn absolute_differences(data_type: DataType, a: u32, b: u32) -> u32 {
    let source = |register| packed(grf(register, 0), data_type);
    let sad2 = instruction(Opcode::Sad2, 8, to(grf(4, 0), DataType::Uw), &[source(2), source(3)]);
    let state = with_dwords(with_dwords(State::new(), 2, &[a]), 3, &[b]);
    let run = run(Device::G45, state, &[sad2]);
    assert_eq!(run.acceptances(130), [Acceptance::Undefined]);
    run.dword(128) & 0xFFFF
}

#[test]
fn sums_of_absolute_differences() {
    assert_eq!(absolute_differences(DataType::Ub, 0xFA0A, 0x0514), 255);
    assert_eq!(absolute_differences(DataType::Ub, 0, 0xFFFF), 510);
    assert_eq!(absolute_differences(DataType::B, 0x8080, 0x7F7F), 510);
}

#[test]
fn mixed_signs_keep_their_values() {
    let sources = [scalar(grf(2, 0), DataType::Ud), scalar(grf(3, 0), DataType::D)];
    let state = with_dwords(with_dwords(State::new(), 2, &[0xFFFF_FFFF]), 3, &[0xFFFF_FFFF]);
    let flag = |condition| {
        let null = Destination::null(DataType::D);
        let compare = flagged(instruction(Opcode::Cmp, 1, null, &sources), condition);
        run(Device::G45, state, &[compare]).state().flag[0] & 1
    };
    assert_eq!(flag(ConditionalModifier::Greater), 1);
    assert_eq!(flag(ConditionalModifier::Equal), 0);
    let sum = |data_type, saturate| {
        let add = instruction(Opcode::Add, 1, to(grf(4, 0), data_type), &sources);
        let state = with_dwords(state, 3, &[1]);
        run(Device::G45, state, &[Instruction { saturate, ..add }]).dword(128)
    };
    assert_eq!(sum(DataType::D, false), 0);
    assert_eq!(sum(DataType::Ud, true), 0xFFFF_FFFF);
    assert_eq!(sum(DataType::D, true), 0x7FFF_FFFF);
}

#[test]
fn word_products_are_exact_in_the_accumulator() {
    for (negate, product) in [(false, 0xFFFE_0001_i64), (true, -0xFFFE_0001)] {
        let sources = [
            modified(scalar(grf(2, 0), DataType::Uw), false, negate),
            scalar(grf(2, 0), DataType::Uw),
        ];
        let mul = instruction(Opcode::Mul, 1, to(grf(4, 0), DataType::Uw), &sources);
        let run = run(Device::G45, with_dwords(State::new(), 2, &[0xFFFF]), &[mul]);
        assert_eq!(run.state().accumulator[0][0] as i64, product);
    }
}

#[test]
fn address_subregisters_keep_twelve_bits() {
    let source = packed(grf(2, 0), DataType::Uw);
    let load = instruction(Opcode::Mov, 8, to(arf(0x10, 0), DataType::Uw), &[source]);
    let run = run(Device::G45, with_dwords(State::new(), 2, &[0xFFFF_FFFF; 4]), &[load]);
    assert_eq!(
        run.state().address[..8],
        [0xFFFF, 0xFFFF, 0xFFF, 0xFFF, 0xFFF, 0xFFF, 0xFFF, 0xFFF]
    );
}

fn indirect(address_subregister: u8, offset: i16, region: Region, data_type: DataType) -> Source {
    Source::Register {
        register: Register::Indirect { file: RegisterFile::Grf, address_subregister, offset },
        data_type,
        region,
        modifier: SourceModifier::default(),
    }
}

#[test]
fn rows_and_channels_have_their_own_addresses() {
    let counting: Vec<u32> = (0..64).collect();
    let address = [64, 96, 128, 68, 72, 100, 104, 124];
    let mut state = with_dwords(State::new(), 2, &counting);
    state.address[..8].copy_from_slice(&address);
    let read = |width, offset| {
        let vertical = VerticalStride::PerRowAddress;
        let horizontal = if width == 1 { 0 } else { 1 };
        let region = Region::Align1 { vertical, width, horizontal };
        let source = indirect(0, offset, region, DataType::Ud);
        let mov = instruction(Opcode::Mov, 8, to(grf(20, 0), DataType::Ud), &[source]);
        let run = run(Device::G45, state, &[mov]);
        std::array::from_fn(|n| run.dword(640 + 4 * n))
    };
    assert_eq!(read(1, 0), [0, 8, 16, 1, 2, 9, 10, 15]);
    assert_eq!(read(4, 4), [1, 2, 3, 4, 9, 10, 11, 12]);
    assert_eq!(read(2, -4 + 8), [1, 2, 9, 10, 17, 18, 2, 3]);
}

#[test]
fn movi_gathers_fields_of_one_register() {
    let state = with_dwords(State::new(), 2, &[10, 11, 12, 13, 14, 15, 16, 17]);
    let mut state = state;
    state.address[..8].copy_from_slice(&[64 + 12, 0, 28, 8, 4, 20, 16, 24]);
    let movi = |destination, size| {
        let source = indirect(0, 0, Region::SCALAR, DataType::Ud);
        let movi = instruction(Opcode::Movi, size, to(destination, DataType::Ud), &[source]);
        run(Device::G45, state, &[movi])
    };
    let whole = movi(grf(4, 0), 8);
    assert_eq!(std::array::from_fn(|n| whole.dword(128 + 4 * n)), [13, 10, 17, 12, 11, 15, 14, 16]);
    let upper = movi(grf(4, 16), 4);
    assert_eq!(std::array::from_fn(|n| upper.dword(144 + 4 * n)), [11, 15, 14, 16]);
}

#[test]
fn swizzles_and_channel_enables() {
    let state = with_dwords(State::new(), 2, &[0, 1, 2, 3, 4, 5, 6, 7]);
    let source = Source::Register {
        register: grf(2, 0),
        data_type: DataType::Ud,
        region: Region::Align16 { vertical: VerticalStride::Elements(4), swizzle: [2, 1, 3, 2] },
        modifier: SourceModifier::default(),
    };
    let destination = Destination {
        register: grf(4, 0),
        data_type: DataType::Ud,
        region: DestinationRegion::ChannelEnable(0b0111),
    };
    let mov = Instruction {
        access_mode: AccessMode::Align16,
        ..instruction(Opcode::Mov, 8, destination, &[source])
    };
    let run = run(Device::G45, state, &[mov]);
    assert_eq!(std::array::from_fn(|n| run.dword(128 + 4 * n)), [2, 1, 3, 0, 6, 5, 7, 0]);
}

#[test]
fn a_plane_equation() {
    let f = f32::to_bits;
    let plane = [f(2.0), f(3.0), f(99.0), f(0.5), f(-1.0), f(4.0), f(99.0), f(10.0)];
    let state = with_dwords(State::new(), 2, &plane);
    let state = with_dwords(state, 6, &[f(1.0), f(2.0), f(3.0), f(4.0)]);
    let state = with_dwords(state, 7, &[f(10.0), f(20.0), f(30.0), f(40.0)]);
    let of = |opcode, subregister| {
        let sources = [scalar(grf(2, subregister), DataType::F), packed(grf(6, 0), DataType::F)];
        let run = run(
            Device::G45,
            state,
            &[instruction(opcode, 8, to(grf(4, 0), DataType::F), &sources)],
        );
        [0, 4].map(|byte| f32::from_bits(run.dword(128 + byte)))
    };
    assert_eq!(of(Opcode::Pln, 0), [32.5, 64.5]);
    assert_eq!(of(Opcode::Pln, 16), [49.0, 88.0]);
    assert_eq!(of(Opcode::Line, 0), [2.5, 4.5]);
    assert_eq!(of(Opcode::Line, 16), [9.0, 8.0]);
}

#[rstest]
#[case(Opcode::Dp4, [30.0 + 40.0, 5.0])]
#[case(Opcode::Dph, [30.0 + 8.0, 5.0])]
#[case(Opcode::Dp3, [30.0, -3.0])]
#[case(Opcode::Dp2, [14.0, -1.0])]
fn dot_products(#[case] opcode: Opcode, #[case] expected: [f32; 2]) {
    let f = |numbers: [f32; 8]| numbers.map(f32::to_bits);
    let a = f([1.0, 2.0, 4.0, 5.0, -1.0, 0.0, -2.0, 1.0]);
    let b = f([2.0, 6.0, 4.0, 8.0, 1.0, 7.0, 1.0, 8.0]);
    let state = with_dwords(with_dwords(State::new(), 2, &a), 3, &b);
    let sources = [packed(grf(2, 0), DataType::F), packed(grf(3, 0), DataType::F)];
    let operation = instruction(opcode, 8, to(grf(4, 0), DataType::F), &sources);
    let run = run(Device::G45, state, &[operation]);
    let result: [f32; 8] = std::array::from_fn(|n| f32::from_bits(run.dword(128 + 4 * n)));
    let [first, second] = expected;
    assert_eq!(result, [first, first, first, first, second, second, second, second]);
    let accumulator = run.reference.expectations().iter().filter(|e| e.extent.bytes == 8);
    assert_eq!(accumulator.count(), 16);
}

/// The result of a compressed instruction, and of the two it stands for.
fn compressed_and_split(
    device: Device,
    state: State,
    compressed: Instruction,
    halves: [Instruction; 2],
) -> (State, State) {
    let compressed = Instruction { compression: Compression::Compressed, ..compressed };
    let [first, second] = halves;
    let second = Instruction { compression: Compression::SecHalf, ..second };
    let whole = run(device, state, &[compressed]);
    let split = run(device, state, &[first, second]);
    let without_ip = |run: &Run| State { ip: 0, ..*run.state() };
    (without_ip(&whole), without_ip(&split))
}

#[test]
fn compressed_instructions_are_two() {
    let counting: Vec<u32> = (0..256_u32).map(|n| n.wrapping_mul(0x0101_0307)).collect();
    let state = State { mask: [0xA5F0; 4], ..with_dwords(State::new(), 0, &counting) };
    let add = |size, destination, a, b| {
        let sources = [packed(a, DataType::D), packed(b, DataType::D)];
        instruction(Opcode::Add, size, to(destination, DataType::D), &sources)
    };
    // Figure 11-19 (a) and (b): an even register goes on with the next, an odd one repeats.
    let (whole, split) = compressed_and_split(
        Device::G45,
        state,
        add(16, grf(40, 0), grf(2, 0), grf(5, 0)),
        [add(8, grf(40, 0), grf(2, 0), grf(5, 0)), add(8, grf(41, 0), grf(3, 0), grf(5, 0))],
    );
    assert_eq!(whole, split);
    // Figure 11-20: packed words beside a packed doubleword destination.
    let mixed = |size, destination, a: Register| {
        let sources = [packed(a, DataType::W), scalar(grf(9, 4), DataType::D)];
        instruction(Opcode::Add, size, to(destination, DataType::D), &sources)
    };
    let (whole, split) = compressed_and_split(
        Device::G45,
        state,
        mixed(16, grf(40, 0), grf(2, 0)),
        [mixed(8, grf(40, 0), grf(2, 0)), mixed(8, grf(41, 0), grf(2, 16))],
    );
    assert_eq!(whole, split);
    // Compr4 goes four message registers on.
    let message = |number| Register::Direct { file: RegisterFile::Mrf, number, subregister: 0 };
    let (whole, split) = compressed_and_split(
        Device::G45,
        state,
        add(16, message(0x82), grf(2, 0), grf(4, 0)),
        [add(8, message(2), grf(2, 0), grf(4, 0)), add(8, message(6), grf(3, 0), grf(5, 0))],
    );
    assert_eq!(whole, split);
}

#[test]
fn undefined_places_are_said_to_be() {
    // Channels 4 to 7 are off: their accumulator channels are open, and so is all of acc0 above.
    let state = State { mask: [0x000F; 4], ..with_dwords(State::new(), 2, &[7; 8]) };
    let sources = [packed(grf(2, 0), DataType::D), packed(grf(2, 0), DataType::D)];
    let add = instruction(Opcode::Add, 8, to(grf(4, 0), DataType::D), &sources);
    let run = run(Device::G45, state, &[add]);
    let open = run.reference.expectations().iter().map(|e| e.acceptance);
    assert_eq!(open.collect::<Vec<_>>(), [Acceptance::Undefined; 12]);
    assert_eq!(run.state().accumulator[0][..4], [14; 4]);
}

#[test]
fn packed_bytes_need_uniform_masks() {
    let source = packed(grf(2, 0), DataType::Ub);
    let mov = instruction(Opcode::Mov, 8, to(grf(4, 0), DataType::Ub), &[source]);
    let state = |mask| State { mask: [mask; 4], ..with_dwords(State::new(), 2, &[0x0403_0201; 2]) };
    let open = |mask| run(Device::G45, state(mask), &[mov]).reference.expectations().len();
    assert_eq!(open(0xFF), 0);
    assert_ne!(open(0x0F), 0);
    let spread = strided(grf(4, 0), 2, DataType::Ub);
    let spread = instruction(Opcode::Mov, 8, spread, &[source]);
    assert!(run(Device::G45, state(0x0F), &[spread]).reference.expectations().is_empty());
}

/// Bounds of a sum under cancellation on both sides of zero: it may be zero, although neither bound
/// is.
#[test]
fn flags_of_a_sum_that_may_be_zero_are_open() {
    // 2^60 + 1 - 2^60: the one may be lost.
    let state = with_dwords(State::new(), 2, &[0x5D80_0000, 0x3F80_0000, 0xDD80_0000, 0]);
    let one = immediate(DataType::F, 0x3F80_0000);
    let dp4 = instruction(Opcode::Dp4, 4, to(grf(4, 0), DataType::F), &[packed4(2), one]);
    let run = run(Device::G45, state, &[flagged(dp4, ConditionalModifier::NotEqual)]);
    let flag = std::mem::offset_of!(State, flag);
    let open = run.reference.expectations().iter();
    let open: Vec<_> = open.filter(|e| e.extent.offset as usize == flag).collect();
    assert!(open.iter().any(|e| e.extent.mask == 0xF && e.acceptance == Acceptance::Undefined));
}

/// Four packed floats of a general register.
fn packed4(number: u8) -> Source {
    let region = Region::Align1 { vertical: VerticalStride::Elements(4), width: 4, horizontal: 1 };
    let modifier = SourceModifier::default();
    Source::Register { register: grf(number, 0), data_type: DataType::F, region, modifier }
}
