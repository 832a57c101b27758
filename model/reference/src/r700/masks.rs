//! Which pixels an instruction executes for (section 3.6).

use parallax_isa::r700::{microcode::CfWord, state::PixelStates};

use super::wavefront::Wavefront;

/// How an instruction looks at the pixels' states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Active pixels.
    Active,
    /// `WHOLE_QUAD_MODE`: every pixel of a quad that has an active pixel.
    WholeQuad,
    /// `VALID_PIXEL_MODE`: active pixels that are valid.
    ValidPixel,
}

impl Mode {
    pub(super) fn of(whole_quad: bool, valid_pixel: bool) -> Self {
        if whole_quad {
            Self::WholeQuad
        } else if valid_pixel {
            Self::ValidPixel
        } else {
            Self::Active
        }
    }
}

impl Wavefront {
    /// The base condition: the pixels an instruction would execute for without a `COND`.
    pub(super) fn base(&self, states: PixelStates, mode: Mode) -> u64 {
        match mode {
            Mode::Active => states.active,
            Mode::WholeQuad => {
                // Decision D-r700-quads.
                let quads = (0..16).filter(|quad| states.active >> (4 * quad) & 0xF != 0);
                quads.fold(0, |mask, quad| mask | 0xF << (4 * quad))
            }
            Mode::ValidPixel => states.active & self.state.valid,
        }
    }

    /// The condition test of a branch or loop instruction on some states.
    pub(super) fn test(&self, word: CfWord, states: PixelStates) -> u64 {
        let mode = Mode::of(word.whole_quad_mode() == 1, word.valid_pixel_mode() == 1);
        let base = self.base(states, mode);
        let constant = self.case.bool_constants >> word.cf_const() & 1 == 1;
        let holds = match word.cond() {
            0 => true,
            1 => false,
            2 => constant,
            _ => !constant,
        };
        if holds { base } else { 0 }
    }

    /// The pixels that pass become active, active ones that do not become inactive-branch.
    pub(super) fn activate(&mut self, passing: u64) {
        let states = &mut self.state.pixels;
        states.active = passing;
        states.inactive_continue &= !passing;
        states.inactive_break &= !passing;
    }
}
