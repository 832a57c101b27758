//! What an R700 fetch does to elements besides choosing their numbers: byte swaps and selects.

use parallax_isa::surface::{EndianSwap, Select};

/// Bits of an address that an endian swap flips.
pub(super) fn swap(swap: EndianSwap) -> usize {
    match swap {
        EndianSwap::None => 0,
        EndianSwap::In16 => 1,
        EndianSwap::In32 => 3,
    }
}

/// Reverses the bytes of each word.
pub(super) fn swap_bytes(bytes: &mut [u8], swap: usize) {
    for word in bytes.chunks_exact_mut(swap + 1) {
        word.reverse();
    }
}

/// What a select takes of four channels of 32 bits.
pub(super) fn selected(select: Select, channels: [u64; 4]) -> u64 {
    match select {
        Select::X => channels[0],
        Select::Y => channels[1],
        Select::Z => channels[2],
        Select::W => channels[3],
        Select::One => u64::from(1.0_f32.to_bits()),
        Select::Zero | Select::Mask => 0,
    }
}
