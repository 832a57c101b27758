//! Register contents for programs of Gen7 and later, weighted to the corners.

use parallax_isa::{
    Device,
    eu::{DataType, State, state::control},
};

use super::dependencies;
use crate::{
    corners::{float, integer},
    eu::generate::values::fill_pattern_of_infinities,
    random::SplitMix64,
};

/// Binary16 numbers at which behaviour changes.
const HALVES: [u16; 24] = [
    0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x83FF, 0x0400, 0x8400, 0x3C00, 0xBC00, 0x3BFF, 0x3C01,
    0x3800, 0xB800, 0x3E00, 0x4200, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7C01, 0x7E00, 0xFE00, 0x6400,
];

/// Binary64 numbers at which behaviour changes.
const DOUBLES: [u64; 44] = [
    // Zeros, denormals, the ends of the normal numbers, infinities and NaNs.
    0x0000_0000_0000_0000,
    0x8000_0000_0000_0000,
    0x0000_0000_0000_0001,
    0x8000_0000_0000_0001,
    0x000F_FFFF_FFFF_FFFF,
    0x800F_FFFF_FFFF_FFFF,
    0x0010_0000_0000_0000,
    0x8010_0000_0000_0000,
    0x7FEF_FFFF_FFFF_FFFF,
    0xFFEF_FFFF_FFFF_FFFF,
    0x7FF0_0000_0000_0000,
    0xFFF0_0000_0000_0000,
    0x7FF0_0000_0000_0001,
    0x7FF8_0000_0000_0000,
    0xFFF8_0000_0000_0000,
    // One and what is next to it, halves, small integers.
    0x3FF0_0000_0000_0000,
    0xBFF0_0000_0000_0000,
    0x3FF0_0000_0000_0001,
    0x3FEF_FFFF_FFFF_FFFF,
    0x3FE0_0000_0000_0000,
    0xBFE0_0000_0000_0000,
    0x3FF8_0000_0000_0000,
    0x4004_0000_0000_0000,
    // The ends of integers.
    0x40EF_FFE0_0000_0000,
    0x40DF_FFC0_0000_0000,
    0xC0E0_0000_0000_0000,
    0x41DF_FFFF_FFC0_0000,
    0x41E0_0000_0000_0000,
    0xC1E0_0000_0000_0000,
    0xC1E0_0000_0020_0000,
    0x41EF_FFFF_FFE0_0000,
    0x41F0_0000_0000_0000,
    0x43DF_FFFF_FFFF_FFFF,
    0x43E0_0000_0000_0000,
    0xC3E0_0000_0000_0000,
    0x43F0_0000_0000_0000,
    // The ends of binary32, ties between two of its numbers, its denormals.
    0x47EF_FFFF_E000_0000,
    0x47EF_FFFF_F000_0000,
    0x47EF_FFFF_EFFF_FFFF,
    0x3810_0000_0000_0000,
    0x380F_FFFF_F000_0000,
    0x36A0_0000_0000_0000,
    0x3690_0000_0000_0000,
    0x3FF0_0000_1000_0000,
];

/// A binary16 number.
fn half(random: &mut SplitMix64) -> u16 {
    let bits = random.next();
    let any = (bits >> 16) as u16;
    match bits & 7 {
        0..=2 => HALVES[(bits >> 32) as usize % HALVES.len()],
        // Few significant bits and moderate magnitudes: sums cancel, products are finite.
        3 | 4 => any & 0x83C0 | (0x3000 + (bits >> 40) as u16 % 0x1800) & 0x7C00,
        5 => any & 0x83FF | (0x3000 + (bits >> 40) as u16 % 0x1800) & 0x7C00,
        _ => any,
    }
}

/// A binary64 number.
fn double(random: &mut SplitMix64) -> u64 {
    let bits = random.next();
    let any = random.next();
    let moderate = (1023 - 24 + (bits >> 40) % 48) << 52;
    match bits & 15 {
        0..=3 => DOUBLES[(bits >> 32) as usize % DOUBLES.len()],
        4 => DOUBLES[(bits >> 32) as usize % DOUBLES.len()].wrapping_add(any % 3).wrapping_sub(1),
        // Numbers of single precision.
        5..=7 => f64::from(f32::from_bits(float(random))).to_bits(),
        8 | 9 => any & 0x800F_8000_0000_0000 | moderate,
        10..=13 => any & 0x800F_FFFF_FFFF_FFFF | moderate,
        _ => any,
    }
}

/// A quadword.
fn quadword(random: &mut SplitMix64) -> u64 {
    let bits = random.next();
    match bits & 7 {
        0 => 1 << (bits >> 32 & 63),
        1 => (1 << (bits >> 32 & 63)) - 1,
        2 => i64::from(integer(random).cast_signed()).cast_unsigned(),
        3 => [0, 1, u64::MAX, i64::MAX.cast_unsigned(), i64::MIN.cast_unsigned()]
            [(bits >> 32) as usize % 5],
        _ => u64::from(integer(random)) << 32 | u64::from(integer(random)),
    }
}

/// The bits of an immediate of a type, as the field holds them.
pub(super) fn immediate(random: &mut SplitMix64, data_type: DataType) -> u64 {
    match data_type {
        DataType::Hf => u64::from(half(random)) * 0x1_0001,
        DataType::Df => double(random),
        DataType::Q | DataType::Uq => quadword(random),
        DataType::Uv => random.next() >> 32,
        other => crate::eu::generate::values::immediate(random, other).into(),
    }
}

/// General registers that programs read often: the others hold any bits.
const READ_OFTEN: usize = 48;

/// Fills the registers that a program can read, and those that say how it computes; modes that the
/// program was made for are kept.
pub(in crate::eu) fn fill(random: &mut SplitMix64, device: Device, state: &mut State) {
    let (often, seldom) = state.grf.split_at_mut(READ_OFTEN);
    for register in often {
        fill_register(random, device, register);
    }
    random.fill(seldom.as_flattened_mut());
    let bits = random.next();
    state.flag = [0, 16, 32, 48].map(|shift| (bits >> shift) as u16);
    let kinds = random.next();
    if kinds & 7 == 0 {
        // Groups of flags that are alike.
        let group = [0, 0xFF, 0xFFFF, 0xFF00][(kinds >> 8 & 3) as usize];
        state.flag[(kinds >> 16 & 3) as usize] = group;
    }
    state.status[2] = dispatched(random);
    state.status[3] = state.status[2] | dispatched(random);
    if kinds >> 24 & 7 == 0 {
        fill_pattern_of_infinities(random, &mut state.grf);
    }
    if kinds >> 32 & 7 == 0 {
        fill_with_near_ties(random, &mut state.grf[..READ_OFTEN]);
    }
    let kept = control::ALTERNATIVE_FLOAT_MODE | control::SINGLE_PROGRAM_FLOW;
    state.control[0] = state.control[0] & kept | modes(random, device) & !kept;
    for count in &mut state.notification_count {
        *count = (random.next() & 3) as u32;
    }
    dependencies::fill(random, device, state);
    state.timestamp_event = random.next() & 1;
}

/// Lets some states have what seldom meets, and half of them flush all denormals: kernels serve no others.
pub(in crate::eu) fn let_meet(state: &mut State) {
    let bits = crate::eu::generate::values::let_meet(state);
    if bits >> 2 & 1 == 0 {
        state.control[0] &= !(control::DF_DENORMALS | control::F_DENORMALS | control::HF_DENORMALS);
    }
    if bits >> 3 & 7 == 0 {
        fill_with_near_ties(&mut SplitMix64::new(bits), &mut state.grf[..READ_OFTEN]);
    }
    if bits >> 6 & 7 == 0 {
        let first = (bits >> 9 & 7) as usize;
        fill_with_small_factors(&mut SplitMix64::new(bits), &mut state.grf[first..first + 4]);
    }
}

/// Channels that are dispatched: mostly all.
fn dispatched(random: &mut SplitMix64) -> u32 {
    let bits = random.next();
    match bits >> 60 {
        0 => bits as u32,
        1 => 0xFF,
        2 => 0xFFFF,
        // Pairs that are alike.
        3 => (bits as u32 & 0x5555_5555) * 3,
        _ => u32::MAX,
    }
}

/// Bits of `cr0.0`: rounding mode, denormals, accumulator updates off, vector mask.
pub(super) fn modes(random: &mut SplitMix64, device: Device) -> u32 {
    let bits = random.next();
    // Ivy Bridge has a bit for doubles only; the others are reserved.
    let denormals = match device {
        Device::Ivb => control::DF_DENORMALS,
        _ => control::DF_DENORMALS | control::F_DENORMALS | control::HF_DENORMALS,
    };
    let seldom = |bit: u32, shift: u32| if bits >> shift & 15 == 0 { bit } else { 0 };
    let rounding = if bits & 1 == 0 { 0 } else { bits as u32 & control::ROUNDING_MODE };
    rounding
        | bits as u32 & denormals
        | seldom(control::ACCUMULATOR_DISABLE, 20)
        | seldom(control::VECTOR_MASK, 24)
}

/// Fills registers with numbers whose sums of a product are next to a tie: `a + b * c` where `b * c` is all but
/// half of the last digit of `a`, by less than a format of twice the digits shows beside `a`. Who
/// rounds to that first goes to the wrong side.
fn fill_with_near_ties(random: &mut SplitMix64, registers: &mut [[u8; 32]]) {
    // The next to one above, and two steps below; numbers whose last digit stands for 2.
    const HALVES: [u32; 3] = [0x3C01, 0x3BFE, 0x6800];
    const SINGLES: [u32; 3] = [0x3F80_0001, 0x3F7F_FFFE, 0x4B80_0000];
    let bytes = registers.as_flattened_mut();
    let are_halves = random.next() & 1 == 0;
    // Of a kind, with a sign, the summands with any digits.
    let mut draw = |kinds: [u32; 3], digits: u32, sign: u32| {
        let bits = random.next();
        let kind = (bits >> 32) as usize % 3;
        let any = if kind == 2 { digits } else { 0 };
        kinds[kind] | bits as u32 & (any | sign)
    };
    if are_halves {
        for number in bytes.as_chunks_mut().0 {
            *number = (draw(HALVES, 0x03FF, 0x8000) as u16).to_le_bytes();
        }
    } else {
        for number in bytes.as_chunks_mut().0 {
            *number = draw(SINGLES, 0x007F_FFFF, 0x8000_0000).to_le_bytes();
        }
    }
}

/// Fills registers with halves or doubles whose products round up to the smallest normal number; those of singles
/// are among what seldom meets.
fn fill_with_small_factors(random: &mut SplitMix64, registers: &mut [[u8; 32]]) {
    // 2^-7 (1 + 2^-10) and 2^-8 (2 - 2^-9); 2^-511 (1 + 2^-52) and 2^-512 (2 - 2^-51).
    const HALVES: [u16; 2] = [0x2001, 0x1FFE];
    const DOUBLES: [u64; 2] = [0x2000_0000_0000_0001, 0x1FFF_FFFF_FFFF_FFFE];
    let bytes = registers.as_flattened_mut();
    if random.next() & 1 == 0 {
        for number in bytes.as_chunks_mut().0 {
            let bits = random.next();
            let sign = (bits >> 48) as u16 & 0x8000;
            *number = (HALVES[(bits & 1) as usize] | sign).to_le_bytes();
        }
    } else {
        for number in bytes.as_chunks_mut().0 {
            let bits = random.next();
            *number = (DOUBLES[(bits & 1) as usize] | bits & 1 << 63).to_le_bytes();
        }
    }
}

fn fill_register(random: &mut SplitMix64, device: Device, register: &mut [u8; 32]) {
    let kind = random.next() % 16;
    let kind = if device == Device::Ivb && kind == 12 { 0 } else { kind };
    match kind {
        10 | 11 => {
            for chunk in register.chunks_exact_mut(8) {
                chunk.copy_from_slice(&double(random).to_le_bytes());
            }
        }
        12 => {
            for chunk in register.chunks_exact_mut(8) {
                chunk.copy_from_slice(&quadword(random).to_le_bytes());
            }
        }
        13 | 14 => {
            for chunk in register.chunks_exact_mut(2) {
                chunk.copy_from_slice(&half(random).to_le_bytes());
            }
        }
        _ => {
            for chunk in register.chunks_exact_mut(4) {
                let bits = match kind {
                    0..=5 => float(random),
                    6..=9 => integer(random),
                    _ => random.next() as u32,
                };
                chunk.copy_from_slice(&bits.to_le_bytes());
            }
        }
    }
}
