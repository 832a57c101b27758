//! Which pixels an instruction executes for (section 3.6), on 64-bit masks: bit *n* is pixel *n*.

use parallax_isa::r700::state::PixelStates;

use super::{
    decode::{Condition, PixelMode},
    simd::Lanes,
    wavefront::Wavefront,
};

/// The pixels of a mask, in ascending order.
pub(super) fn ones(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let pixel = (mask != 0).then_some(mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(pixel)
    })
}

/// Every pixel of each quad (four neighbours in number) that has a pixel of the mask.
pub(super) fn whole_quads(mask: u64) -> u64 {
    let any = mask | mask >> 1 | mask >> 2 | mask >> 3;
    (any & 0x1111_1111_1111_1111) * 0xF
}

/// The pixels whose lanes are zero.
#[inline(always)]
pub(super) fn zero_mask(lanes: &Lanes) -> u64 {
    mask(|pixel| lanes[pixel] == 0)
}

/// The pixels that pass a test, as a mask.
#[inline(always)]
pub(super) fn mask(test: impl Fn(usize) -> bool) -> u64 {
    let passed: [u8; 64] = std::array::from_fn(|pixel| u8::from(test(pixel)));
    let mut mask = 0;
    for (number, eight) in passed.as_chunks().0.iter().enumerate() {
        // The product has the lowest bits of the eight bytes side by side in its highest byte.
        let gathered = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask |= gathered << (8 * number);
    }
    mask
}

/// Pixels that a branch switched off.
pub(super) fn branched(pixels: &PixelStates) -> u64 {
    !(pixels.active | pixels.inactive_continue | pixels.inactive_break)
}

/// Passing pixels become active; active ones that fail become inactive-branch.
pub(super) fn split(pixels: &mut PixelStates, pass: u64) {
    pixels.active = pass;
    pixels.inactive_continue &= !pass;
    pixels.inactive_break &= !pass;
}

impl Wavefront<'_> {
    /// Pixels an instruction executes for.
    pub(super) fn executing(&self, mode: PixelMode) -> u64 {
        self.in_mode(&self.state.pixels, mode)
    }

    fn in_mode(&self, pixels: &PixelStates, mode: PixelMode) -> u64 {
        match mode {
            PixelMode::Active => pixels.active,
            PixelMode::Valid => pixels.active & self.state.valid,
            PixelMode::WholeQuad => whole_quads(pixels.active),
        }
    }

    /// Pixels that pass the test of an instruction that is no branch.
    pub(super) fn passing(&self, mode: PixelMode, condition: Condition) -> u64 {
        self.test(&self.state.pixels, mode, condition)
    }

    pub(super) fn test(&self, pixels: &PixelStates, mode: PixelMode, condition: Condition) -> u64 {
        let base = self.in_mode(pixels, mode);
        match condition {
            Condition::Active => base,
            Condition::False => 0,
            Condition::Boolean { constant, wanted } => {
                if (self.booleans >> constant & 1 == 1) == wanted { base } else { 0 }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn masks_say_which_pixels_pass(pixels: u64) {
            prop_assert_eq!(mask(|pixel| pixels >> pixel & 1 == 1), pixels);
        }
    }
}
