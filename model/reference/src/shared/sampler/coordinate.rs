//! Texture coordinates (G45 volume 4, sections 4.1, 4.2.4 and 4.8.1.5): where on a map a pixel is, and
//! which texel an index stands for.

use parallax_isa::{Device, shared::Unanswered};

use crate::number::{Exact, Rounding};

use super::{
    super::undefined,
    lod::finite,
    message::{Entity, Form, Kind, Parameter},
    state::AddressMode,
    surface::{Surface, Type},
};

/// Bits after the binary point of a texel address (E-g45-sampler-22).
pub(super) const SUBTEXEL_BITS: i32 = 8;

/// Where on a surface an entity is.
#[derive(Debug)]
pub(super) struct Place {
    /// A coordinate for each direction of the map.
    pub(super) coordinates: Vec<Exact>,
    /// They go from -1 to 1, as those of a face do; otherwise from 0 to 1.
    pub(super) is_on_face: bool,
    /// The element of an array, or the face of a cube: +X, -X, +Y, -Y, +Z, -Z.
    pub(super) slice: i64,
}

/// The parameters that are coordinates.
const COORDINATES: [Parameter; 3] = [Parameter::U, Parameter::V, Parameter::R];

impl Place {
    pub(super) fn of(form: &Form, surface: &Surface, entity: &Entity) -> Result<Self, Unanswered> {
        let coordinate = |number: usize| finite(entity.bits(COORDINATES[number]));
        let flat = |count: usize, slice: i64| {
            let coordinates = (0..count).map(coordinate).collect::<Result<_, _>>()?;
            Ok(Self { coordinates, is_on_face: false, slice })
        };
        match surface.kind() {
            Type::One => flat(1, element(form, surface, entity.bits(Parameter::V))?),
            Type::Two => flat(2, element(form, surface, entity.bits(Parameter::R))?),
            Type::Three => flat(3, 0),
            Type::Cube if form.kind == Kind::SampleG => {
                let [u, v, face] = [0, 1, 2].map(coordinate);
                let face = face?;
                let slice = (0..6).find(|number| face == Exact::integer(i128::from(*number)));
                let Some(slice) = slice else {
                    return undefined("a face that a cube does not have");
                };
                Ok(Self { coordinates: vec![u?, v?], is_on_face: true, slice })
            }
            Type::Cube => {
                let [u, v, r] = [0, 1, 2].map(coordinate);
                on_cube([u?, v?, r?])
            }
            Type::Buffer | Type::Null => undefined("a surface that is not sampled"),
        }
    }
}

/// The element of an array that an index leads to.
fn element(form: &Form, surface: &Surface, bits: u32) -> Result<i64, Unanswered> {
    let index = finite(bits)?.to_integer(Rounding::NearestEven);
    let index = index.clamp(0, i128::from(surface.base_size().2) - 1) as i64;
    let first = i64::from(surface.first_element());
    if form.compares() && first != 0 {
        match surface.device {
            Device::Cl => return Ok(index),
            // Of its steppings some do and some do not.
            Device::Bw => return undefined("Minimum Array Element with a comparison"),
            _ => {}
        }
    }
    Ok(index + first)
}

/// The face that a direction leads to, and where on it (E-g45-sampler-29).
fn on_cube(direction: [Exact; 3]) -> Result<Place, Unanswered> {
    let one = Exact::integer(1);
    let magnitude = |number: Exact| if number.negative { -number } else { number };
    if direction.iter().any(|part| magnitude(*part) > one) {
        return undefined("a direction into a cube that was not divided by its greatest part");
    }
    // The last one of those that are alike.
    let major = [2, 1, 0].into_iter().find(|axis| magnitude(direction[*axis]) == one);
    let [u, v, r] = direction;
    let (slice, coordinates) = match major.map(|axis| (axis, direction[axis].negative)) {
        Some((0, false)) => (0, vec![-r, -v]),
        Some((0, true)) => (1, vec![r, -v]),
        Some((1, false)) => (2, vec![u, r]),
        Some((1, true)) => (3, vec![u, -r]),
        Some((2, false)) => (4, vec![u, -v]),
        Some((2, true)) => (5, vec![-u, -v]),
        _ => return undefined("a direction into a cube that was not divided by its greatest part"),
    };
    Ok(Place { coordinates, is_on_face: true, slice })
}

/// A coordinate and some texels in texels of a level, in steps of 2^-8.
pub(super) fn texel_address(
    coordinate: Exact,
    texels: Exact,
    is_on_face: bool,
    size: u32,
    mode: AddressMode,
    rounds: bool,
) -> i64 {
    let size = Exact::integer(size.into()).scaled(SUBTEXEL_BITS);
    let half = if rounds { Exact::integer(1).scaled(-1) } else { Exact::ZERO };
    let texels = texels.scaled(SUBTEXEL_BITS);
    let terms = if is_on_face {
        [coordinate * size.scaled(-1), size.scaled(-1), texels, half]
    } else if mode == AddressMode::MirrorOnce {
        let place = Exact::sum(&[coordinate * size, texels], Rounding::NearestEven);
        let magnitude = Exact { negative: false, ..place };
        match (magnitude < size, place.negative) {
            (false, _) => [size, half, Exact::ZERO, Exact::ZERO],
            (true, false) => [coordinate * size, texels, half, Exact::ZERO],
            (true, true) => [-(coordinate * size), -texels, half, Exact::ZERO],
        }
    } else {
        [coordinate * size, texels, half, Exact::ZERO]
    };
    let steps = Exact::sum(&terms, Rounding::NearestEven).to_integer(Rounding::Down);
    // Beyond that all is outside.
    steps.clamp(-(1 << 40), 1 << 40) as i64
}

/// What an index of a texel stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Index {
    Texel(i64),
    Border,
    /// A texel of the face beside this one.
    BesideFace(i64),
}

/// What an index in a direction of some texels stands for.
pub(super) fn index(mode: AddressMode, index: i64, size: u32) -> Index {
    let size = i64::from(size);
    let is_inside = (0..size).contains(&index);
    let clamped = index.clamp(0, size - 1);
    match mode {
        AddressMode::Wrap => Index::Texel(index.rem_euclid(size)),
        AddressMode::Mirror => {
            let m = index.rem_euclid(2 * size);
            Index::Texel(if m < size { m } else { 2 * size - 1 - m })
        }
        AddressMode::Clamp | AddressMode::MirrorOnce => Index::Texel(clamped),
        AddressMode::ClampBorder | AddressMode::Cube if is_inside => Index::Texel(index),
        AddressMode::ClampBorder => Index::Border,
        AddressMode::Cube => Index::BesideFace(index),
    }
}
