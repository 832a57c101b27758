//! Integers at the ends of their types, worked out by hand: shift counts of 64-bit operands, negations
//! and magnitudes of the most negative number, word accumulators of Gen12. On the reference, the
//! interpreter and machine code.

use std::mem::offset_of;

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Extent, Image, Model, Outcome, Reference as _, Step,
    eu::{Case, State, text},
};
use parallax_reference::eu::Reference;
use rstest::rstest;

/// Runs one instruction with `r2` full of a pattern.
fn run(
    model: &mut impl Model<Machine = parallax_lockstep::eu::Eu>,
    device: Device,
    line: &str,
    pattern: u64,
) -> State {
    model.load(&case(device, line, pattern)).expect("it loads");
    assert_eq!(model.run_for(4), Step::Finished(Outcome::Halted), "{device}: {line}");
    *model.state()
}

fn case(device: Device, line: &str, pattern: u64) -> Case {
    let program = text::parse(device, line).unwrap_or_else(|error| panic!("{line}: {error:?}"));
    let mut state = Box::new(State::of(device));
    for register in &mut state.grf[2..4] {
        for bytes in register.chunks_exact_mut(8) {
            bytes.copy_from_slice(&pattern.to_le_bytes());
        }
    }
    Case::new(device, program.program.bytes().to_vec(), state, 4)
}

/// The first 64 bits of `r10` and the low byte of `f0.0`, on all engines alike.
fn results(device: Device, line: &str, pattern: u64) -> (u64, u8) {
    let result = |state: &State| {
        let bytes = state.grf[10].first_chunk().copied().expect("a register has eight bytes");
        (u64::from_le_bytes(bytes), state.flag[0] as u8)
    };
    let reference = result(&run(&mut Reference::new(), device, line, pattern));
    for mut executor in [Executor::new(), Executor::compiling_at_once()] {
        let actual = result(&run(&mut executor, device, line, pattern));
        assert_eq!(actual, reference, "the engines on {device}: {line}");
    }
    reference
}

/// What the reference accepts beside its own value at a place, after one step.
fn accepts(device: Device, line: &str, pattern: u64, place: Extent, value: u64) -> bool {
    let mut reference = Reference::new();
    reference.load(&case(device, line, pattern)).expect("it loads");
    Model::step(&mut reference);
    let own = place.read(Model::state(&reference).image());
    own == value & place.mask
        || reference
            .expectations()
            .iter()
            .filter(|open| open.extent == place)
            .any(|open| open.acceptance.accepts(own, value & place.mask))
}

const MOST_NEGATIVE: u64 = 0x8000_0000_8000_0000;
const WORDS: u64 = 0x8000_8000_8000_8000;
const ONES: u64 = 0x0000_0001_0000_0001;

#[rstest]
#[case(Device::Skl, "shl (8|M0) r10.0<1>:q r2.0<8;8,1>:d 32:w", ONES, 1 << 32)]
#[case(Device::Skl, "shl (8|M0) r10.0<1>:q r2.0<8;8,1>:ud 63:w", ONES, 1 << 63)]
#[case(Device::Skl, "shl (4|M0) r10.0<1>:d r2.0<4;4,1>:q 36:w", ONES, 0)]
#[case(Device::Skl, "asr (8|M0) r10.0<1>:q r2.0<8;8,1>:d 40:w", MOST_NEGATIVE, u64::MAX)]
#[case(Device::Skl, "asr (8|M0) r10.0<1>:q r2.0<8;8,1>:d 33:w", ONES, 0)]
#[case(Device::Skl, "shr (8|M0) r10.0<1>:uq r2.0<8;8,1>:ud 36:w", MOST_NEGATIVE, 0)]
#[case(Device::Skl, "shr (4|M0) r10.0<2>:ud r2.0<4;4,1>:uq 36:w", MOST_NEGATIVE, 0x0800_0000)]
#[case(Device::Skl, "asr (8|M0) r10.0<1>:q r2.0<8;8,1>:d 63:w", MOST_NEGATIVE, u64::MAX)]
fn shift_counts_of_64_bit_operands_have_six_bits(
    #[case] device: Device,
    #[case] line: &str,
    #[case] pattern: u64,
    #[case] expected: u64,
) {
    let (result, _) = results(device, line, pattern);
    assert_eq!(result, expected, "{device}: {line} gave {result:016X}");
}

#[rstest]
#[case("shl (8|M0) r10.0<1>:d r2.0<8;8,1>:d 33:w", ONES, 2)]
#[case("asr (8|M0) r10.0<1>:d r2.0<8;8,1>:d 36:w", MOST_NEGATIVE, 0xF800_0000)]
#[case("shr (8|M0) r10.0<1>:ud r2.0<8;8,1>:ud 36:w", MOST_NEGATIVE, 0x0800_0000)]
fn other_shift_counts_have_five_bits(
    #[values(Device::Ivb, Device::Skl, Device::Dg1)] device: Device,
    #[case] line: &str,
    #[case] pattern: u64,
    #[case] expected: u32,
) {
    assert_eq!(results(device, line, pattern).0 as u32, expected, "{device}: {line}");
}

/// Rotations turn by the count modulo the width of what they turn; there are no 64-bit ones.
#[rstest]
#[case("rol (8|M0) r10.0<1>:ud r2.0<8;8,1>:ud 33:uw", 3)]
#[case("ror (8|M0) r10.0<1>:ud r2.0<8;8,1>:ud 33:uw", 0xC000_0000)]
fn rotations_count_modulo_their_width(#[case] line: &str, #[case] expected: u32) {
    assert_eq!(results(Device::Dg1, line, 0x8000_0001_8000_0001).0 as u32, expected, "{line}");
}

#[rstest]
#[case("cmp.l.f0.0 (8|M0) null.0<1>:d -r2.0<8;8,1>:d 0:d", MOST_NEGATIVE)]
#[case("cmp.l.f0.0 (8|M0) null.0<1>:d (abs)r2.0<8;8,1>:d 0:d", MOST_NEGATIVE)]
#[case("cmp.l.f0.0 (8|M0) null.0<1>:w -r2.0<8;8,1>:w 0:w", WORDS)]
#[case("cmp.l.f0.0 (8|M0) null.0<1>:w (abs)r2.0<8;8,1>:w 0:w", WORDS)]
#[case("cmp.e.f0.0 (8|M0) null.0<1>:d -r2.0<8;8,1>:d r3.0<8;8,1>:d", MOST_NEGATIVE)]
fn a_negated_most_negative_integer_is_less_than_zero(
    #[values(Device::Ivb, Device::Skl, Device::Dg1)] device: Device,
    #[case] line: &str,
    #[case] pattern: u64,
) {
    assert_eq!(results(device, line, pattern).1, 0xFF, "{device}: {line}");
}

#[rstest]
#[case("add.sat (8|M0) r10.0<1>:d -r2.0<8;8,1>:d 0:d", MOST_NEGATIVE, 0x8000_0000)]
#[case("add.sat (8|M0) r10.0<1>:d (abs)r2.0<8;8,1>:d 0:d", MOST_NEGATIVE, 0x8000_0000)]
#[case("mov (8|M0) r10.0<1>:f -r2.0<8;8,1>:d", MOST_NEGATIVE, 0xCF00_0000)]
#[case("mov (8|M0) r10.0<1>:f (abs)r2.0<8;8,1>:d", MOST_NEGATIVE, 0xCF00_0000)]
#[case("mov (8|M0) r10.0<1>:f -(abs)r2.0<8;8,1>:d", MOST_NEGATIVE, 0xCF00_0000)]
#[case("mov (8|M0) r10.0<1>:f -r2.0<8;8,1>:w", WORDS, 0xC700_0000)]
#[case("mov (8|M0) r10.0<1>:d -r2.0<8;8,1>:w", WORDS, 0xFFFF_8000)]
#[case("mov.sat (8|M0) r10.0<1>:ud -r2.0<8;8,1>:d", MOST_NEGATIVE, 0)]
#[case("mov.sat (8|M0) r10.0<1>:d -r2.0<8;8,1>:d", MOST_NEGATIVE, 0x8000_0000)]
#[case("asr (8|M0) r10.0<1>:d -r2.0<8;8,1>:d 4:w", MOST_NEGATIVE, 0xF800_0000)]
#[case("shr (8|M0) r10.0<1>:ud (abs)r2.0<8;8,1>:d 1:w", MOST_NEGATIVE, 0x4000_0000)]
#[case("sel.l (8|M0) r10.0<1>:d -r2.0<8;8,1>:d 5:d", MOST_NEGATIVE, 0x8000_0000)]
#[case("sel.ge (8|M0) r10.0<1>:d (abs)r2.0<8;8,1>:d 5:d", MOST_NEGATIVE, 5)]
#[case("avg (8|M0) r10.0<1>:d -r2.0<8;8,1>:d r4.0<8;8,1>:d", MOST_NEGATIVE, 0xC000_0000)]
#[case("add (8|M0) r10.0<1>:d -r2.0<8;8,1>:w r4.0<8;8,1>:w", WORDS, 0xFFFF_8000)]
fn negated_and_absolute_most_negative_integers_keep_their_width(
    #[values(Device::Ivb, Device::Skl, Device::Dg1)] device: Device,
    #[case] line: &str,
    #[case] pattern: u64,
    #[case] expected: u32,
) {
    let result = results(device, line, pattern).0 as u32;
    assert_eq!(result, expected, "{device}: {line} gave {result:08X}");
}

/// Quadwords keep their width too, and an unsigned number is negated as a number.
#[rstest]
#[case("mov (4|M0) r10.0<1>:q -r2.0<4;4,1>:q", 1 << 63, 1 << 63)]
#[case("asr (4|M0) r10.0<1>:q -r2.0<4;4,1>:q 60:w", 1 << 63, (-8_i64).cast_unsigned())]
#[case("mov (8|M0) r10.0<1>:q -r2.0<8;8,1>:d", MOST_NEGATIVE, 0xFFFF_FFFF_8000_0000)]
#[case("add (4|M0) r10.0<1>:q r4.0<4;4,1>:q -r2.0<4;4,1>:ud", MOST_NEGATIVE, 0xFFFF_FFFF_8000_0000)]
fn quadwords_and_unsigned_sources_are_negated_as_numbers(
    #[case] line: &str,
    #[case] pattern: u64,
    #[case] expected: u64,
) {
    let (result, _) = results(Device::Skl, line, pattern);
    assert_eq!(result, expected, "{line} gave {result:016X}");
}

/// Where the execution type is wider, or the manual silent, both widths are accepted and nothing else.
#[rstest]
#[case(Device::Skl, "add (8|M0) r10.0<1>:d r4.0<8;8,1>:d -r2.0<8;8,1>:w", WORDS, [0x8000, 0xFFFF_8000])]
#[case(Device::Dg1, "add (8|M0) r10.0<1>:d r4.0<8;8,1>:d (abs)r2.0<8;8,1>:w", WORDS, [0x8000, 0xFFFF_8000])]
#[case(Device::Ivb, "mov (8|M0) r10.0<1>:d -r2.0<8;8,1>:b", 0x8080_8080_8080_8080, [0x80, 0xFFFF_FF80])]
#[case(Device::G45, "mov (8) r10.0<1>:f -r2.0<8;8,1>:d", MOST_NEGATIVE, [0x4F00_0000, 0xCF00_0000])]
#[case(Device::G45, "mov.sat (8) r10.0<1>:d (abs)r2.0<8;8,1>:d", MOST_NEGATIVE, [0x7FFF_FFFF, 0x8000_0000])]
#[case(Device::Bw, "asr (8) r10.0<1>:d -r2.0<8;8,1>:d 4:d", MOST_NEGATIVE, [0x0800_0000, 0xF800_0000])]
fn unspecified_widths_of_negated_integers_are_both_accepted(
    #[case] device: Device,
    #[case] line: &str,
    #[case] pattern: u64,
    #[case] expected: [u64; 2],
) {
    let place = Extent::whole(offset_of!(State, grf) + 32 * 10, 4);
    for value in expected {
        assert!(accepts(device, line, pattern, place, value), "{device}: {line}, {value:08X}");
    }
    for value in [0, expected[0] ^ 1, expected[1] ^ 1] {
        assert!(!accepts(device, line, pattern, place, value), "{device}: {line}, {value:08X}");
    }
}

/// `shr` and `lzd` work on the bits of a magnitude, which are the same at every width.
#[rstest]
#[case("shr (8) r10.0<1>:ud (abs)r2.0<8;8,1>:d 1:d", 0x4000_0000)]
#[case("lzd (8) r10.0<1>:ud (abs)r2.0<8;8,1>:d", 0)]
fn bits_of_a_magnitude_are_certain_on_gen4(#[case] line: &str, #[case] expected: u64) {
    let place = Extent::whole(offset_of!(State, grf) + 32 * 10, 4);
    assert_eq!(results(Device::G45, line, MOST_NEGATIVE).0 & 0xFFFF_FFFF, expected, "{line}");
    assert!(!accepts(Device::G45, line, MOST_NEGATIVE, place, expected + 1), "{line}");
}

/// A word sum that needs more than 16 bits: on Gen12 the accumulator may have them or not.
#[rstest]
#[case(Device::Skl, false)]
#[case(Device::Dg1, true)]
fn word_accumulators_of_gen12_may_have_16_bits(#[case] device: Device, #[case] short: bool) {
    let line = "add (8|M0) acc0.0<1>:w r2.0<8;8,1>:w r3.0<8;8,1>:w";
    let place = Extent::whole(offset_of!(State, accumulator), 8);
    let pattern = 0x7FFF_7FFF_7FFF_7FFF;
    let sum = |value: i64| accepts(device, line, pattern, place, value.cast_unsigned());
    assert!(sum(0xFFFE), "33 bits");
    assert_eq!(sum(-2), short, "16 bits");
    assert!(!sum(-3) && !sum(0x7FFF), "anything else");
}
