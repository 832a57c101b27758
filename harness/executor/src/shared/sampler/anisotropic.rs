//! Subpixels along the longer side of a pixel on a map.

/// The subpixels of a pixel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    /// The square of the shorter side, in texels of level 0.
    pub(super) minor: f64,
    /// How many subpixels there are.
    pub(super) ways: usize,
    /// From one of them to the next, in texels.
    texel: [f64; 3],
    /// Weights of those inside and of those at the ends.
    weights: [f64; 2],
}

impl Line {
    /// Between two steps in texels, of which one is at most so many times as long as the other.
    pub(super) fn of(steps: [[f64; 3]; 2], most: u32) -> Self {
        let [x, y] = steps.map(square);
        let (major, shorter, along) = if x < y { (y, x, steps[1]) } else { (x, y, steps[0]) };
        // The sign is exact.
        let reaches = |ways: u32| f64::from(ways * ways).mul_add(shorter, -major) >= 0.0;
        let most_square = f64::from(most * most);
        let (minor, ways, ratio) = match (2..=most).step_by(2).find(|ways| reaches(*ways)) {
            Some(ways) => (shorter, ways, (major / shorter).sqrt()),
            None => (major / most_square, most, f64::from(most)),
        };
        let length = major.sqrt();
        let texel = along.map(|step| if length == 0.0 { 0.0 } else { step / length });
        let weights = match ways {
            2 => [0.5; 2],
            _ => [1.0 / ratio, (ratio - f64::from(ways - 2)) / (2.0 * ratio)],
        };
        Self { minor, ways: ways as usize, texel, weights }
    }

    /// How far from the pixel one of them is, and what it weighs.
    pub(super) fn subpixel(&self, number: usize) -> ([f64; 3], f64) {
        let steps = number as f64 - (self.ways - 1) as f64 / 2.0;
        let is_end = number == 0 || number + 1 == self.ways;
        (self.texel.map(|texel| texel * steps), self.weights[usize::from(is_end)])
    }
}

/// The square of a step.
pub(super) fn square([u, v, r]: [f64; 3]) -> f64 {
    u * u + v * v + r * r
}
