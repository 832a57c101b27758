//! Where on a surface a pixel is, and faces of cubes: +X, -X, +Y, -Y, +Z, -Z.

use parallax_isa::{
    Device,
    shared::{Request, Unanswered},
};

use super::{
    super::{refuse, surface_state::Shape},
    filter::ONE,
    message::{Form, Level, Parameter},
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
    /// Element of an array, counted from the first slice of all; of cubes the first of its faces.
    pub(super) slice: i64,
    pub(super) face: usize,
    /// What coordinates on a face are parts of.
    greatest: f32,
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
        let at = [Parameter::U, Parameter::V, Parameter::R]
            .map(|parameter| form.number(request, parameter, lane));
        if Device::LATER.contains(&device) {
            return Self::later(at, form.number(request, Parameter::Ai, lane), surface);
        }
        let mut at = at;
        let mut face = 0;
        let (dimensions, slice) = match surface.state.shape {
            Shape::Line => (1, element(form, surface, at[1], device)?),
            Shape::Plane => (2, element(form, surface, at[2], device)?),
            Shape::Volume => (3, 0),
            _ if form.level == Level::Stepped => {
                let is_face = at[2].fract() == 0.0 && (0.0..6.0).contains(&at[2]);
                if !is_face {
                    return refuse("a seventh face");
                }
                face = at[2] as usize;
                (2, 0)
            }
            _ => {
                if at.iter().any(|part| !part.is_finite()) {
                    return refuse("a direction that is none");
                }
                if at.iter().any(|part| part.abs() > 1.0) {
                    return refuse("a direction longer than the cube");
                }
                if at.iter().all(|part| part.abs() < 1.0) {
                    return refuse("a direction that ends inside of the cube");
                }
                let [s, t];
                (face, [s, t]) = meet(at);
                at = [s, t, 0.0];
                (2, 0)
            }
        };
        Self { at, dimensions, slice, face, greatest: 1.0 }.checked()
    }

    /// The same from Gen7 on, with an index of an array of cubes.
    fn later(at: [f32; 3], ai: f32, surface: &Surface) -> Result<Self, Unanswered> {
        let state = &surface.state;
        let (dimensions, index) = match state.shape {
            Shape::Line => (1, at[1]),
            Shape::Plane => (2, at[2]),
            Shape::Volume => (3, 0.0),
            _ => (2, ai),
        };
        let element = if state.is_array { nearest(index, state.depth)? } else { 0 };
        let first = i64::from(state.first_element);
        let spot = Self { at, dimensions, slice: first + element, face: 0, greatest: 1.0 };
        if state.shape != Shape::Cube {
            return spot.checked();
        }
        let greatest = at.iter().fold(0.0_f32, |greatest, part| greatest.max(part.abs()));
        if at.iter().any(|part| !part.is_finite()) || greatest == 0.0 {
            return refuse("a direction that is none");
        }
        let (face, [s, t]) = meet(at);
        Ok(Self { at: [s, t, 0.0], slice: first + 6 * element, face, greatest, ..spot })
    }

    fn checked(self) -> Result<Self, Unanswered> {
        if self.at[..self.dimensions].iter().any(|coordinate| !coordinate.is_finite()) {
            return refuse("a coordinate that is not finite");
        }
        Ok(self)
    }

    /// A coordinate in double precision.
    pub(super) fn along(&self, axis: usize) -> f64 {
        f64::from(self.at[axis]) / f64::from(self.greatest)
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
            if self.greatest != 1.0 {
                return floor_of_part(at * middle as f64, self.greatest.into(), half) + middle;
            }
            return floor(at * middle as f64, beside, half) + middle;
        }
        let whole = (size * ONE) as f64;
        let place = if sampler.in_texels { at * ONE as f64 } else { at * whole };
        match sampler.beyond[axis] {
            Beyond::ReversedOnce
                if reaches(place, beside, whole) || reaches(-place, -beside, whole) =>
            {
                floor(whole, 0.0, half)
            }
            Beyond::ReversedOnce if place + beside < 0.0 => floor(-place, -beside, half),
            Beyond::HalfBorder => floor(place.clamp(0.0, whole), 0.0, half),
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

/// The integer below the exact sum of a quotient and a half or nothing.
fn floor_of_part(part: f64, whole: f64, half: f64) -> i64 {
    let near = (part / whole + half).floor();
    // The sign of what is left is exact.
    let is_below = |number: f64| (half - number).mul_add(whole, part) < 0.0;
    let below = match (is_below(near), is_below(near + 1.0)) {
        (true, _) => near - 1.0,
        (false, false) => near + 1.0,
        (false, true) => near,
    };
    below as i64
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
    let element = nearest(index, surface.state.depth)?;
    let first = i64::from(surface.state.first_element);
    match device {
        _ if !form.compares() => Ok(element + first),
        Device::Cl => Ok(element),
        Device::Bw if first != 0 => refuse("a first element that some steppings ignore"),
        _ => Ok(element + first),
    }
}

/// The nearest of some elements.
fn nearest(index: f32, elements: u32) -> Result<i64, Unanswered> {
    if !index.is_finite() {
        return refuse("an index that is not finite");
    }
    Ok(f64::from(index).round_ties_even().clamp(0.0, f64::from(elements - 1)) as i64)
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

/// The face that a direction meets, and where, in parts of its greatest part.
fn meet(direction: [f32; 3]) -> (usize, [f32; 2]) {
    let [x, y, z] = direction.map(f32::abs);
    let axis = match () {
        () if z >= x && z >= y => 2,
        () if y >= x => 1,
        () => 0,
    };
    let face = 2 * axis + usize::from(direction[axis] < 0.0);
    let along = |row: [i64; 3]| {
        let own = (0..3).find(|n| row[*n] != 0).unwrap_or(0);
        if row[own] > 0 { direction[own] } else { -direction[own] }
    };
    (face, [along(SPACE[face][0]), along(SPACE[face][1])])
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
