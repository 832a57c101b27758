//! Register contents weighted to the corners.

use parallax_isa::{
    Device,
    eu::{DataType, State, state::control},
};

use crate::{
    corners::{AT_THE_BOTTOM, AT_THE_TOP, MEETING, SELDOM, float, integer},
    random::SplitMix64,
};

/// The bits of an immediate of a type, as the field holds them.
pub(in crate::eu) fn immediate(random: &mut SplitMix64, data_type: DataType) -> u32 {
    match data_type {
        DataType::F => float(random),
        DataType::V | DataType::Vf => random.next() as u32,
        DataType::Uw | DataType::W => {
            let word = integer(random) & 0xFFFF;
            word << 16 | word
        }
        _ => integer(random),
    }
}

/// General registers that programs read often: the others hold any bits.
const READ_OFTEN: usize = 48;

/// Fills the registers that a program of Gen4 or Gen4.5 can read.
pub(in crate::eu) fn fill(random: &mut SplitMix64, state: &mut State) {
    let (often, seldom) = state.grf.split_at_mut(READ_OFTEN);
    for register in often {
        fill_register(random, register);
    }
    random.fill(seldom.as_flattened_mut());
    for register in state.mrf.iter_mut().take(4) {
        random.fill(register);
    }
    let bits = random.next();
    state.flag[..2].copy_from_slice(&[bits as u16, (bits >> 16) as u16]);
    // The others are Gen12's.
    for accumulator in &mut state.accumulator[..2] {
        fill_accumulator(random, accumulator);
    }
    let kinds = random.next();
    for (n, mask) in state.mask.iter_mut().enumerate() {
        if kinds >> (8 * n) & 7 == 0 {
            *mask = flags(random);
        }
    }
    if kinds >> 40 & 15 == 0 {
        state.status[1] = state.status[1] & 0xFFFF_0000 | random.next() as u32 & 0xFFFF;
    }
    if kinds >> 60 & 7 == 0 {
        // Infinities meet.
        fill_pattern_of_infinities(random, &mut state.grf);
    }
    state.control[0] = u32::from(kinds >> 44 & 7 == 0)
        | u32::from(kinds >> 49 & 31 == 0) << 1
        | u32::from(kinds >> 54 & 31 == 0) << 2
        // Host Notification Data, which clearing the attention clears.
        | u32::from(kinds >> 40 & 3 == 0) << 8;
    if kinds >> 59 & 1 == 0 {
        // Notifications that nobody has waited for yet.
        state.notification = [(random.next() & 0x7F) as u32, (random.next() & 1) as u32];
    }
}

/// The greatest count of notifications of a thread on a device; one more makes it 0.
pub(in crate::eu) fn most_notifications(device: Device) -> u32 {
    if matches!(device, Device::Bw | Device::Cl | Device::Ctg) { 0x7F } else { 0xFFFF }
}

/// Flags of sixteen channels: sometimes of one of them only, or of all others.
pub(super) fn flags(random: &mut SplitMix64) -> u16 {
    let bits = random.next();
    let one = 1 << (bits >> 16 & 15);
    match bits >> 60 {
        0 => one,
        1 => !one,
        _ => bits as u16,
    }
}

/// Numbers of every class: so many.
pub(super) const CLASSES: usize = 16;

/// A number of every class that a table of special values has.
pub(super) fn of_every_class(random: &mut SplitMix64) -> [u32; CLASSES] {
    const SIGN: u32 = 1 << 31;
    let mut bits = |below: u64| random.below(below) as u32;
    let fraction = 1 << 23;
    let denormals = [1 + bits(fraction - 1), SIGN | (1 + bits(fraction - 1))];
    // Between 2^-16 and 1, and from 2 to 2^16.
    let small = [0, SIGN].map(|sign| sign | ((111 + bits(16)) << 23) | bits(fraction));
    let large = [0, SIGN].map(|sign| sign | ((128 + bits(15)) << 23) | bits(fraction));
    let integer = (2.0 + bits(30) as f32).to_bits();
    let nans = [0x7FC0_0000 | bits(1 << 22), 0x7F80_0001 + bits(1 << 22)];
    let ones = [1.0_f32, -1.0].map(f32::to_bits);
    let infinities = [0x7F80_0000, 0xFF80_0000];
    let integers = [integer, SIGN | integer];
    let pairs = [infinities, [0, SIGN], denormals, ones, small, large, nans, integers];
    std::array::from_fn(|n| pairs[n / 2][n % 2])
}

/// Fills two neighbouring registers with infinities of both signs.
pub(super) fn fill_pattern_of_infinities(random: &mut SplitMix64, registers: &mut [[u8; 32]]) {
    let first = (random.next() & 7) as usize;
    for register in &mut registers[first..first + 2] {
        let signs = random.next();
        for (n, chunk) in register.chunks_exact_mut(4).enumerate() {
            let bits = 0x7F80_0000 | ((signs >> n) as u32 & 1) << 31;
            chunk.copy_from_slice(&bits.to_le_bytes());
        }
    }
}

/// Lets some states have in neighbouring registers what seldom meets. What decides it stands in a register that
/// holds any bits: nothing else that is drawn changes.
pub(in crate::eu) fn let_meet(state: &mut State) -> u64 {
    let [.., last] = &state.grf;
    let bits = last.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    if bits & 3 == 0 {
        fill_with_what_seldom_meets(bits, &mut state.grf);
    }
    bits
}

/// Takes infinities and NaNs out of the registers of most states in the alternative float mode, in which arithmetic
/// on them has no defined result.
pub(super) fn suit_float_mode(state: &mut State) {
    let [.., last] = &state.grf;
    let keeps = last[8] & 7 == 0;
    if state.control[0] & control::ALTERNATIVE_FLOAT_MODE == 0 || keeps {
        return;
    }
    for word in state.grf.as_flattened_mut().as_chunks_mut().0 {
        let bits = u32::from_le_bytes(*word);
        if bits & 0x7F80_0000 == 0x7F80_0000 {
            *word = (bits & !0x4000_0000).to_le_bytes();
        }
    }
}

/// Fills neighbouring registers with what an instruction seldom has beside each other elsewhere: numbers and what
/// is none, zeros of both signs, the same number twice; or with the least bytes, words and doublewords and
/// those next to them; or with numbers that only quadwords hold, or whose sums and products are too large or round
/// up to the smallest normal number.
pub(in crate::eu) fn fill_with_what_seldom_meets(seed: u64, registers: &mut [[u8; 32]]) {
    const INTEGERS: [u32; 8] = [
        0x8000_8000,
        0x8080_8080,
        0x8000_0000,
        0x8000_0001,
        0x7FFF_FFFF,
        0xFFFF_FFFF,
        0x8001_7FFF,
        0x001F_001F,
    ];
    let mut random = SplitMix64::new(seed);
    let bits = random.next();
    let first = (bits & 7) as usize;
    let corners = match bits >> 60 {
        0..=6 => MEETING,
        7..=9 => INTEGERS,
        10 | 11 => AT_THE_TOP,
        12 | 13 => SELDOM,
        _ => AT_THE_BOTTOM,
    };
    fill_with_some_of(&corners, &mut random, &mut registers[first..first + 3]);
}

/// Fills registers with numbers whose products are next to the smallest normal one.
pub(in crate::eu) fn fill_at_the_bottom(random: &mut SplitMix64, registers: &mut [[u8; 32]]) {
    fill_with_some_of(&AT_THE_BOTTOM, random, registers);
}

/// Fills registers with doublewords of a few.
fn fill_with_some_of(few: &[u32; 8], random: &mut SplitMix64, registers: &mut [[u8; 32]]) {
    for register in registers {
        let choices = random.next();
        for (n, chunk) in register.chunks_exact_mut(4).enumerate() {
            chunk.copy_from_slice(&few[(choices >> (3 * n) & 7) as usize].to_le_bytes());
        }
    }
}

fn fill_register(random: &mut SplitMix64, register: &mut [u8; 32]) {
    let kind = random.next() & 7;
    for chunk in register.chunks_exact_mut(4) {
        let bits = match kind {
            0..=3 => float(random),
            4..=6 => integer(random),
            _ => random.next() as u32,
        };
        chunk.copy_from_slice(&bits.to_le_bytes());
    }
}

/// Values of one of the modes an accumulator can be read in.
fn fill_accumulator(random: &mut SplitMix64, accumulator: &mut [u64; 16]) {
    let kind = random.next() & 3;
    for channel in accumulator {
        *channel = match kind {
            0 => f64::from(f32::from_bits(normal(random))).to_bits(),
            1 => i64::from(integer(random).cast_signed()).cast_unsigned(),
            2 => ((random.next() as i64) << 31 >> 31).cast_unsigned(),
            _ => random.next(),
        };
    }
}

/// A binary32 number that is not denormal.
fn normal(random: &mut SplitMix64) -> u32 {
    let bits = float(random);
    if bits & 0x7F80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}
