//! Architecture registers as bytes (G45 volume 4, section 11.3.4).

use parallax_isa::eu::{State, register::ArfKind};

use super::{exception, modes};

/// Highest byte offset an index register can hold: 12 bits.
const INDEX_MASK: u16 = 0x0FFF;
/// Instructions start at multiples of 16 as far as `ip` can tell.
const IP_MASK: u32 = !0xF;

/// The kind of register a number names: its high nibble (section 11.3, table of ARF registers).
pub(super) const fn kind(number: u8) -> Option<ArfKind> {
    Some(match number >> 4 {
        0b0000 => ArfKind::Null,
        0b0001 => ArfKind::Address,
        0b0010 => ArfKind::Accumulator,
        0b0011 => ArfKind::Flag,
        0b0100 => ArfKind::Mask,
        0b0101 => ArfKind::MaskStack,
        0b0110 => ArfKind::MaskStackDepth,
        0b0111 => ArfKind::State,
        0b1000 => ArfKind::Control,
        0b1001 => ArfKind::Notification,
        0b1010 => ArfKind::InstructionPointer,
        _ => return None,
    })
}

/// Where an indirect operand starts; past the end of every file if that is negative.
pub(super) fn indirect(address: u16, offset: u16) -> usize {
    let address = i32::from(address & INDEX_MASK) + i32::from(offset.cast_signed());
    usize::try_from(address).unwrap_or(usize::MAX / 2)
}

/// The bytes of a register. What does not exist reads as zero.
pub(super) fn image(state: &State, number: u8, ip: u32) -> [u8; 32] {
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
    match kind(number) {
        Some(ArfKind::Address) => words(&mut bytes, &state.address[..8]),
        Some(ArfKind::Flag) => words(&mut bytes, &state.flag[..2]),
        Some(ArfKind::Mask) => words(&mut bytes, &state.mask),
        Some(ArfKind::MaskStack) => bytes.copy_from_slice(state.mask_stack.as_flattened()),
        Some(ArfKind::MaskStackDepth) => words(&mut bytes, &state.mask_stack_depth),
        Some(ArfKind::State) => dwords(&mut bytes, &state.status[..2]),
        Some(ArfKind::Control) => dwords(&mut bytes, &state.control),
        Some(ArfKind::Notification) => {
            dwords(&mut bytes, &state.notification[usize::from(number & 1)..][..1]);
        }
        Some(ArfKind::InstructionPointer) => dwords(&mut bytes, &[ip & IP_MASK]),
        _ => {}
    }
    bytes
}

/// Stores the bytes of a register, each field as far as it exists and can be written.
pub(super) fn store(state: &mut State, number: u8, bytes: &[u8; 32]) {
    let word = |n: usize| u16::from_le_bytes([bytes[2 * n], bytes[2 * n + 1]]);
    let dword = |n: usize| u32::from(word(2 * n)) | u32::from(word(2 * n + 1)) << 16;
    let stacks_locked = modes::single_program_flow(state);
    match kind(number) {
        Some(ArfKind::Address) => {
            for (n, address) in state.address[..8].iter_mut().enumerate() {
                *address = word(n) & if n < 2 { 0xFFFF } else { INDEX_MASK };
            }
        }
        Some(ArfKind::Flag) => [state.flag[0], state.flag[1]] = std::array::from_fn(word),
        Some(ArfKind::Mask) => state.mask = std::array::from_fn(word),
        Some(ArfKind::MaskStack) if !stacks_locked => {
            for (counter, byte) in state.mask_stack.as_flattened_mut().iter_mut().zip(bytes) {
                *counter = byte & 0xF;
            }
        }
        Some(ArfKind::MaskStackDepth) if !stacks_locked => {
            state.mask_stack_depth = std::array::from_fn(|n| word(n) & 0xF);
        }
        Some(ArfKind::Control) => exception::CONTROL.write(state, std::array::from_fn(dword)),
        Some(ArfKind::InstructionPointer) => state.ip = dword(0) & IP_MASK,
        // The state and notification registers are read-only; the rest does not exist.
        _ => {}
    }
}
