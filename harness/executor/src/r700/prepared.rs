//! What instructions of a texture clause leave for later ones of the same clause (decision
//! D-r700-prepared).

/// Slopes and cube numbers of all pixels.
#[derive(Debug, Clone)]
pub(super) struct Prepared {
    /// Along the row and down the column: X, Y, Z of every pixel.
    pub(super) slopes: [[[u32; 3]; 64]; 2],
    /// The bits of the number of the cube.
    pub(super) cube: [u32; 64],
}

impl Prepared {
    pub(super) fn new() -> Self {
        Self { slopes: [[[0; 3]; 64]; 2], cube: [0; 64] }
    }
}
