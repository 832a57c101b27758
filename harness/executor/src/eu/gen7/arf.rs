//! Architecture registers as bytes (tables gen7-arf and eu-arf-by-gen).

use parallax_isa::eu::{State, register::ArfKind};

use super::{exception, fields::Generation, mask};

/// Instructions start at multiples of 8.
const IP_MASK: u32 = !7;

/// What a register number names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Register {
    Null,
    Accumulator,
    /// Kept in the state.
    Known(ArfKind),
    /// The channel enables (Gen8 and later).
    ChannelEnables,
    /// The time, which stands still here, and whether the context was switched.
    Clock,
    /// Reads as zero; writes are dropped.
    Other,
}

/// The register of a number: its high nibble.
pub(super) fn register(generation: Generation, number: u8) -> Register {
    match number >> 4 {
        0x0 => Register::Null,
        0x2 if number & 0xF < accumulators(generation) => Register::Accumulator,
        0x2 => Register::Other,
        0x3 if number & 0xF > 1 => Register::Other,
        0x3 => Register::Known(ArfKind::Flag),
        _ if number & 0xF > 0 => Register::Other,
        0x1 => Register::Known(ArfKind::Address),
        0x4 if generation >= Generation::Gen9 => Register::ChannelEnables,
        0x7 => Register::Known(ArfKind::State),
        0x8 => Register::Known(ArfKind::Control),
        0x9 => Register::Known(ArfKind::Notification),
        0xA => Register::Known(ArfKind::InstructionPointer),
        0xC => Register::Clock,
        0xB if generation <= Generation::Gen9 => Register::Known(ArfKind::ThreadDependency),
        _ => Register::Other,
    }
}

/// How many accumulators there are.
const fn accumulators(generation: Generation) -> u8 {
    match generation {
        Generation::Gen12 => 8,
        _ => 2,
    }
}

/// Whether a number names a register, of which a device may keep nothing.
pub(super) fn exists(generation: Generation, number: u8) -> bool {
    match (generation, number >> 4) {
        (_, 0..=3 | 7..=0xC) => true,
        // Channel enables, message control, stack pointer, flow control and debug registers.
        (Generation::Gen9, 4..=6 | 0xD | 0xF) => true,
        (Generation::Gen12, 4 | 6 | 0xD | 0xF) => true,
        _ => false,
    }
}

/// Where an element is that an address register names: past the end of the file if the sum is
/// negative.
pub(super) fn indirect(generation: Generation, address: u16, offset: u16) -> usize {
    let populated = match generation {
        Generation::Gen7 => 0x0FFF,
        _ => 0x1FFF,
    };
    let byte = i32::from(address & populated) + i32::from(offset.cast_signed());
    usize::try_from(byte).unwrap_or(usize::MAX / 2)
}

/// The bytes of a register. What does not exist reads as zero.
pub(super) fn image(
    generation: Generation,
    state: &State,
    number: u8,
    first: u8,
    ip: u32,
) -> [u8; 32] {
    let mut bytes = [0; 32];
    let words = |bytes: &mut [u8; 32], values: &[u16]| {
        for (place, value) in bytes.chunks_exact_mut(2).zip(values) {
            place.copy_from_slice(&value.to_le_bytes());
        }
    };
    let dwords = |bytes: &mut [u8; 32], values: &[u32]| {
        for (place, value) in bytes.chunks_exact_mut(4).zip(values) {
            place.copy_from_slice(&value.to_le_bytes());
        }
    };
    match register(generation, number) {
        Register::Known(ArfKind::Address) => words(&mut bytes, &state.address),
        Register::Known(ArfKind::Flag) => {
            let first = usize::from(number & 1) * 2;
            words(&mut bytes, &state.flag[first..first + 2]);
        }
        Register::Known(ArfKind::State) if number & 0xF == 0 => dwords(&mut bytes, &state.status),
        Register::Known(ArfKind::Control) => dwords(&mut bytes, &state.control),
        Register::Known(ArfKind::Notification) => dwords(&mut bytes, &state.notification_count),
        Register::Known(ArfKind::InstructionPointer) => dwords(&mut bytes, &[ip & IP_MASK]),
        Register::Known(ArfKind::ThreadDependency) => words(&mut bytes, &state.thread_dependency),
        Register::Clock => dwords(&mut bytes, &[0, 0, state.timestamp_event as u32]),
        Register::ChannelEnables => dwords(&mut bytes, &[mask::together(state) >> first]),
        _ => {}
    }
    bytes
}

/// Stores the bytes of a register, each field as far as it exists and can be written.
pub(super) fn store(generation: Generation, state: &mut State, number: u8, bytes: &[u8; 32]) {
    let word = |n: usize| u16::from_le_bytes([bytes[2 * n], bytes[2 * n + 1]]);
    let dword = |n: usize| u32::from(word(2 * n)) | u32::from(word(2 * n + 1)) << 16;
    match register(generation, number) {
        Register::Known(ArfKind::Address) => {
            state.address = std::array::from_fn(|n| match generation {
                Generation::Gen7 if n >= 8 => 0,
                Generation::Gen7 if n >= 2 => word(n) & 0x0FFF,
                _ => word(n),
            });
        }
        Register::Known(ArfKind::Flag) => {
            let first = usize::from(number & 1) * 2;
            [state.flag[first], state.flag[first + 1]] = [word(0), word(1)];
        }
        Register::Known(ArfKind::Control) => {
            exception::control(generation).write(state, std::array::from_fn(dword));
        }
        Register::Known(ArfKind::InstructionPointer) => state.ip = dword(0) & IP_MASK,
        // The state and notification registers are read-only; the rest does not exist.
        _ => {}
    }
}
