//! Where on a surface a pixel is, and faces of cubes: +X, -X, +Y, -Y, +Z, -Z.

use parallax_isa::{
    Device,
    shared::{Request, Unanswered},
};

use super::{
    super::{data_port::Shape, refuse},
    filter::ONE,
    message::Form,
    state::{Beyond, Sampler},
    surface::Surface,
};

/// As far as an index has to go to be outside of everything.
const FAR: i64 = 1 << 40;

/// Where a pixel is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot {
    pub(super) at: [f32; 3],
    pub(super) dimensions: usize,
    /// Element of an array, or face.
    pub(super) slice: i64,
}

impl Spot {
    /// Where a pixel is, of which the parameters have to be finite.
    pub(super) fn of(
        form: &Form,
        surface: &Surface,
        request: &Request,
        lane: usize,
        device: Device,
    ) -> Result<Self, Unanswered> {
        let mut at = [0.0; 3];
        for (slot, value) in at.iter_mut().enumerate().take(form.coordinates) {
            *value = f32::from_bits(form.word(request, slot, lane));
        }
        let (dimensions, slice) = match surface.state.shape {
            Shape::Line => (1, element(form, surface, at[1], device)?),
            Shape::Plane => (2, element(form, surface, at[2], device)?),
            Shape::Volume => (3, 0),
            _ if form.steps.is_some() => {
                let is_face = at[2].fract() == 0.0 && (0.0..6.0).contains(&at[2]);
                if !is_face {
                    return refuse("a seventh face");
                }
                (2, at[2] as i64)
            }
            _ => {
                if at.iter().any(|part| !part.is_finite()) {
                    return refuse("a direction that is none");
                }
                let (face, [s, t]) = meet(at)?;
                at = [s, t, 0.0];
                (2, face as i64)
            }
        };
        if at[..dimensions].iter().any(|coordinate| !coordinate.is_finite()) {
            return refuse("a coordinate that is not finite");
        }
        Ok(Self { at, dimensions, slice })
    }

    /// A coordinate and some texels in 256ths of a texel.
    pub(super) fn address(
        &self,
        surface: &Surface,
        sampler: &Sampler,
        axis: usize,
        size: i64,
        magnified: bool,
        beside: f64,
    ) -> i64 {
        let half = if sampler.rounds[axis][usize::from(magnified)] { 0.5 } else { 0.0 };
        let (at, beside) = (f64::from(self.at[axis]), beside * ONE as f64);
        if surface.state.shape == Shape::Cube {
            let middle = size * (ONE / 2);
            return floor(at * middle as f64, beside, half) + middle;
        }
        let whole = (size * ONE) as f64;
        let place = at * whole;
        match sampler.beyond[axis] {
            Beyond::ReversedOnce
                if reaches(place, beside, whole) || reaches(-place, -beside, whole) =>
            {
                floor(whole, 0.0, half)
            }
            Beyond::ReversedOnce if place + beside < 0.0 => floor(-place, -beside, half),
            _ => floor(place, beside, half),
        }
    }
}

/// The integer below the exact sum of three numbers.
fn floor(place: f64, beside: f64, half: f64) -> i64 {
    let (sum, lost) = two_sum(place, half);
    let (sum, more) = two_sum(sum, beside);
    let below = sum.floor();
    let is_less = below == sum && lost + more < 0.0;
    (below as i64).saturating_sub(is_less.into()).clamp(-FAR, FAR)
}

/// Whether the exact sum of two numbers is at least a third.
fn reaches(a: f64, b: f64, bound: f64) -> bool {
    let (sum, lost) = two_sum(a, b);
    sum > bound || sum == bound && lost >= 0.0
}

/// A sum, and what it lost.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let back = sum - a;
    (sum, (a - (sum - back)) + (b - back))
}

/// The element of an array that an index chooses.
fn element(form: &Form, surface: &Surface, index: f32, device: Device) -> Result<i64, Unanswered> {
    if !index.is_finite() {
        return refuse("an index that is not finite");
    }
    let last = f64::from(surface.state.depth - 1);
    let element = f64::from(index).round_ties_even().clamp(0.0, last) as i64;
    let first = i64::from(surface.state.first_element);
    match device {
        _ if form.reference.is_none() => Ok(element + first),
        Device::Cl => Ok(element),
        Device::Bw if first != 0 => refuse("a first element that some steppings ignore"),
        _ => Ok(element + first),
    }
}

/// Columns and rows of each face as directions in space, and where the face is.
const SPACE: [[[i64; 3]; 3]; 6] = [
    [[0, 0, -1], [0, -1, 0], [1, 0, 0]],
    [[0, 0, 1], [0, -1, 0], [-1, 0, 0]],
    [[1, 0, 0], [0, 0, 1], [0, 1, 0]],
    [[1, 0, 0], [0, 0, -1], [0, -1, 0]],
    [[1, 0, 0], [0, -1, 0], [0, 0, 1]],
    [[-1, 0, 0], [0, -1, 0], [0, 0, -1]],
];

/// The face that a direction meets, and where, from -1 to 1.
fn meet(direction: [f32; 3]) -> Result<(usize, [f32; 2]), Unanswered> {
    if direction.iter().any(|part| part.abs() > 1.0) {
        return refuse("a direction longer than the cube");
    }
    for axis in [2, 1, 0] {
        if direction[axis].abs() == 1.0 {
            let face = 2 * axis + usize::from(direction[axis] < 0.0);
            let along = |row: [i64; 3]| {
                let own = (0..3).find(|n| row[*n] != 0).unwrap_or(0);
                if row[own] > 0 { direction[own] } else { -direction[own] }
            };
            return Ok((face, [along(SPACE[face][0]), along(SPACE[face][1])]));
        }
    }
    refuse("a direction that ends inside of the cube")
}

/// The texel next to the edge of a face that a texel beyond it stands for: face, column and row. Beyond a
/// corner there is none.
pub(super) fn beside(face: usize, x: i64, y: i64, size: i64) -> Option<(usize, i64, i64)> {
    let (beyond_x, beyond_y) = (!(0..size).contains(&x), !(0..size).contains(&y));
    if beyond_x && beyond_y {
        return None;
    }
    // Half texels from the centre of the cube, so that edges are at plus and minus the size.
    let half = |at: i64| 2 * at + 1 - size;
    let (s, t) = (half(x), half(y));
    let [columns, rows, out] = SPACE[face];
    // How far it is over the edge it goes back from the face.
    let (over, s, t) = if beyond_x {
        (s.abs() - size, s.signum() * size, t)
    } else {
        (t.abs() - size, s, t.signum() * size)
    };
    if over >= 2 * size {
        return None;
    }
    let point: [i64; 3] =
        std::array::from_fn(|n| s * columns[n] + t * rows[n] + (size - over) * out[n]);
    let dot = |axis: [i64; 3]| (0..3).map(|n| axis[n] * point[n]).sum::<i64>();
    let other = (0..6).find(|other| *other != face && dot(SPACE[*other][2]) == size)?;
    let texel = |axis: [i64; 3]| (dot(axis) + size - 1) / 2;
    Some((other, texel(SPACE[other][0]), texel(SPACE[other][1])))
}
