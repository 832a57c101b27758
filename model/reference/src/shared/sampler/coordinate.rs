//! Texture coordinates (G45 volume 4, sections 4.1, 4.2.4 and 4.8.1.5; table `eu-sampler-coordinates`): where on
//! a map a pixel is, and which texel an index stands for.

use num_bigint::{BigInt, BigUint, Sign};
use parallax_isa::{Device, device::Generation, shared::Unanswered};

use crate::number::{Exact, Rounding};

use super::{
    super::undefined,
    forms::Form,
    lod::finite,
    message::{Entity, Kind, Parameter},
    state::AddressMode,
    surface::{Surface, Type},
};

/// Bits after the binary point of a texel address (E-g45-sampler-22).
pub(super) const SUBTEXEL_BITS: i32 = 8;

/// 1 in steps of a texel address.
pub(super) const STEPS: i64 = 1 << SUBTEXEL_BITS;

/// Where on a surface an entity is.
#[derive(Debug)]
pub(super) struct Place {
    /// A coordinate for each direction of the map.
    pub(super) coordinates: Vec<Exact>,
    /// What they count.
    pub(super) scale: Scale,
    /// The element of an array, or the face of a cube: +X, -X, +Y, -Y, +Z, -Z.
    pub(super) slice: i64,
    /// The element that slices of a volume and faces of a cube are counted from.
    pub(super) first: i64,
}

/// What a coordinate counts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scale {
    /// From 0 to 1 over the map.
    Map,
    /// From minus this number to this number over a face of a cube.
    Face(Exact),
    /// Texels.
    Texels,
}

/// The parameters that are coordinates.
const COORDINATES: [Parameter; 3] = [Parameter::U, Parameter::V, Parameter::R];

impl Place {
    pub(super) fn of(form: &Form, surface: &Surface, entity: &Entity) -> Result<Self, Unanswered> {
        let coordinate = |number: usize| finite(entity.bits(COORDINATES[number]));
        let flat = |count: usize, slice: i64| {
            let coordinates = (0..count).map(coordinate).collect::<Result<_, _>>()?;
            let first = if count == 3 { i64::from(surface.first_element()) } else { 0 };
            Ok(Self { coordinates, scale: Scale::Map, slice, first })
        };
        match surface.kind() {
            Type::One => flat(1, element(form, surface, entity.bits(Parameter::V))?),
            Type::Two => flat(2, element(form, surface, entity.bits(Parameter::R))?),
            Type::Three => flat(3, 0),
            Type::Cube if form.kind == Kind::SampleG && surface.is_later() => {
                undefined("sample_d of a cube")
            }
            Type::Cube if form.kind == Kind::SampleG => {
                let [u, v, face] = [0, 1, 2].map(coordinate);
                let face = face?;
                let slice = (0..6).find(|number| face == Exact::integer(i128::from(*number)));
                let Some(slice) = slice else {
                    return undefined("a face that a cube does not have");
                };
                let scale = Scale::Face(Exact::integer(1));
                Ok(Self { coordinates: vec![u?, v?], scale, slice, first: 0 })
            }
            Type::Cube => {
                let [u, v, r] = [0, 1, 2].map(coordinate);
                let place = on_cube([u?, v?, r?], surface.generation())?;
                Ok(Self { first: cube(surface, entity)?, ..place })
            }
            Type::Buffer | Type::Null => undefined("a surface that is not sampled"),
        }
    }

    /// Whether it is on a face of a cube.
    pub(super) fn is_on_face(&self) -> bool {
        matches!(self.scale, Scale::Face(_))
    }
}

/// An array index: rounded, and one that there is.
fn array_index(surface: &Surface, bits: u32) -> Result<i64, Unanswered> {
    if !surface.is_array() {
        return Ok(0);
    }
    let index = finite(bits)?.to_integer(Rounding::NearestEven);
    Ok(index.clamp(0, i128::from(surface.base_size().2) - 1) as i64)
}

/// The element of an array that an index leads to.
fn element(form: &Form, surface: &Surface, bits: u32) -> Result<i64, Unanswered> {
    let index = array_index(surface, bits)?;
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

/// The first face of the cube of an array that an index leads to; before Gen7 there are no arrays of cubes.
fn cube(surface: &Surface, entity: &Entity) -> Result<i64, Unanswered> {
    if !surface.is_later() {
        return Ok(0);
    }
    let index = array_index(surface, entity.bits(Parameter::Ai))?;
    Ok(6 * index + i64::from(surface.first_element()))
}

/// The face that a direction leads to, and where on it (E-g45-sampler-29). Before Gen7 the direction has to be
/// divided by its greatest part.
fn on_cube(direction: [Exact; 3], generation: Generation) -> Result<Place, Unanswered> {
    let magnitude = |number: Exact| if number.negative { -number } else { number };
    let [first, second, third] = direction.map(magnitude);
    let greatest = first.max(second).max(third);
    if generation < Generation::Gen7 && greatest != Exact::integer(1) {
        return undefined("a direction into a cube that was not divided by its greatest part");
    }
    if greatest.is_zero() {
        return undefined("a direction into a cube that leads nowhere");
    }
    // The last one of those that are alike.
    let major = [2, 1, 0].into_iter().find(|axis| magnitude(direction[*axis]) == greatest);
    let major = major.unwrap_or(0);
    let [u, v, r] = direction;
    let (slice, coordinates) = match (major, direction[major].negative) {
        (0, false) => (0, vec![-r, -v]),
        (0, true) => (1, vec![r, -v]),
        (1, false) => (2, vec![u, r]),
        (1, true) => (3, vec![u, -r]),
        (_, false) => (4, vec![u, -v]),
        (_, true) => (5, vec![-u, -v]),
    };
    Ok(Place { coordinates, scale: Scale::Face(greatest), slice, first: 0 })
}

/// A coordinate and some texels in texels of a level, in steps of 2^-8.
pub(super) fn texel_address(
    coordinate: Exact,
    texels: Exact,
    scale: Scale,
    size: u32,
    mode: AddressMode,
    rounds: bool,
) -> i64 {
    let size = Exact::integer(size.into()).scaled(SUBTEXEL_BITS);
    let half = if rounds { Exact::integer(1).scaled(-1) } else { Exact::ZERO };
    let texels = texels.scaled(SUBTEXEL_BITS);
    let sum = |terms: &[Exact]| Exact::sum(terms, Rounding::NearestEven).to_integer(Rounding::Down);
    let steps = match (scale, mode) {
        (Scale::Face(greatest), _) => {
            let terms = [
                coordinate * size.scaled(-1),
                greatest * size.scaled(-1),
                greatest * texels,
                greatest * half,
            ];
            quotient(&terms, greatest)
        }
        (Scale::Texels, _) => sum(&[coordinate.scaled(SUBTEXEL_BITS), texels, half]),
        (Scale::Map, AddressMode::MirrorOnce) => {
            let place = Exact::sum(&[coordinate * size, texels], Rounding::NearestEven);
            let magnitude = Exact { negative: false, ..place };
            match (magnitude < size, place.negative) {
                (false, _) => sum(&[size, half]),
                (true, false) => sum(&[coordinate * size, texels, half]),
                (true, true) => sum(&[-(coordinate * size), -texels, half]),
            }
        }
        (Scale::Map, AddressMode::HalfBorder) => {
            let inside = coordinate.max(Exact::ZERO).min(Exact::integer(1));
            sum(&[inside * size, half])
        }
        (Scale::Map, _) => sum(&[coordinate * size, texels, half]),
    };
    // Beyond that all is outside.
    steps.clamp(-(1 << 40), 1 << 40) as i64
}

/// The quotient of a sum and a positive number, cut off below the integer.
fn quotient(terms: &[Exact], divisor: Exact) -> i128 {
    let all = || terms.iter().chain([&divisor]);
    let lowest = all().map(|number| number.exponent).min().unwrap_or(0);
    let units = |number: &Exact| {
        let magnitude = BigUint::from(number.significand) << (number.exponent - lowest);
        BigInt::from_biguint(if number.negative { Sign::Minus } else { Sign::Plus }, magnitude)
    };
    let (sum, divisor) = (terms.iter().map(units).sum::<BigInt>(), units(&divisor));
    let cut = &sum / &divisor;
    let is_above = &cut * &divisor > sum;
    i128::try_from(cut).unwrap_or(i128::MAX) - i128::from(is_above)
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
        AddressMode::Mirror101 => {
            let period = (2 * size - 2).max(1);
            let m = index.rem_euclid(period);
            Index::Texel(if m < size { m } else { period - m })
        }
        AddressMode::Clamp | AddressMode::MirrorOnce => Index::Texel(clamped),
        AddressMode::ClampBorder | AddressMode::HalfBorder | AddressMode::Cube if is_inside => {
            Index::Texel(index)
        }
        AddressMode::ClampBorder | AddressMode::HalfBorder => Index::Border,
        AddressMode::Cube => Index::BesideFace(index),
    }
}
