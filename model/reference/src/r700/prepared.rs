//! What texture instructions prepare for others of their clause (decision D-r700-prepared).

use parallax_isa::r700::state::PIXELS;

/// Gradients and indices of cube maps, pixel by pixel; nothing at the start of a clause.
#[derive(Debug)]
pub(super) struct Prepared {
    /// X, Y, Z of horizontal and vertical gradients.
    gradients: [[Option<[u32; 3]>; PIXELS]; 2],
    cube_index: [Option<u32>; PIXELS],
}

/// Which gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Horizontal,
    Vertical,
}

impl Prepared {
    /// What a clause starts with.
    pub(super) const NOTHING: Self =
        Self { gradients: [[None; PIXELS]; 2], cube_index: [None; PIXELS] };

    pub(super) fn set_gradient(&mut self, direction: Direction, pixel: usize, gradient: [u32; 3]) {
        self.gradients[direction as usize][pixel] = Some(gradient);
    }

    /// Both gradients of a pixel, if it has them.
    pub(super) fn gradients(&self, pixel: usize) -> Option<[[u32; 3]; 2]> {
        // Decision D-r700-prepared.
        Some([self.gradients[0][pixel]?, self.gradients[1][pixel]?])
    }

    pub(super) fn set_cube_index(&mut self, pixel: usize, index: u32) {
        self.cube_index[pixel] = Some(index);
    }

    /// The index of a pixel, if it has one.
    pub(super) fn cube_index(&self, pixel: usize) -> Option<u32> {
        self.cube_index[pixel]
    }
}
