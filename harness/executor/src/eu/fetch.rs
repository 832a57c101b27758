//! Reading source elements into lanes (G45 volume 4, section 11.4).
//!
//! Each function reads one type from one kind of place and is chosen when the program is loaded.
//! An element outside its register file, which the manual leaves undefined, reads as zero.

use parallax_isa::eu::{
    DataType, State,
    register::{ArfKind, REGISTER_BYTES},
};

use super::{
    arf, float,
    lanes::{Kind, Lanes},
    native::{Fetch, Operand},
};

/// Where a source's elements are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    General,
    /// General registers named by the address register.
    Indirect,
    /// General registers that `movi` picks field by field.
    Fields,
    Architecture(ArfKind),
    Immediate,
    Nowhere,
}

/// The function for a place, an element type and what the lanes are to hold.
///
/// `exact`: the value is moved, so that denormals are kept.
pub(super) fn choose(place: Place, from: DataType, kind: Kind, exact: bool) -> Fetch {
    match place {
        Place::General => by_type::<General>(from, kind, exact),
        Place::Indirect => by_type::<Indirect>(from, kind, exact),
        Place::Fields => by_type::<Fields>(from, kind, exact),
        Place::Architecture(ArfKind::Accumulator) => accumulator,
        Place::Architecture(_) => by_type::<Architecture>(from, kind, exact),
        Place::Immediate => constant,
        Place::Nowhere => nothing,
    }
}

/// The bytes a source's elements are read from, and where each channel's element starts.
trait File {
    fn read<R>(operand: &Operand, state: &State, then: impl FnOnce(&[u8], [usize; 16]) -> R) -> R;
}

struct General;
impl File for General {
    fn read<R>(operand: &Operand, state: &State, then: impl FnOnce(&[u8], [usize; 16]) -> R) -> R {
        then(state.grf.as_flattened(), operand.offsets.map(usize::from))
    }
}

struct Indirect;
impl File for Indirect {
    fn read<R>(operand: &Operand, state: &State, then: impl FnOnce(&[u8], [usize; 16]) -> R) -> R {
        let at = |channel: usize| {
            let address = state.address[usize::from(operand.index[channel] & 7)];
            arf::indirect(address, operand.offsets[channel])
        };
        then(state.grf.as_flattened(), std::array::from_fn(at))
    }
}

struct Fields;
impl File for Fields {
    fn read<R>(operand: &Operand, state: &State, then: impl FnOnce(&[u8], [usize; 16]) -> R) -> R {
        let register = arf::indirect(state.address[0], operand.offsets[0]) & !31;
        let first = operand.fields_from.map_or(0, |(index, offset)| {
            let address = arf::indirect(state.address[usize::from(index & 7)], offset);
            address % REGISTER_BYTES / (REGISTER_BYTES - operand.constant[0] as usize)
        });
        let at = |channel: usize| {
            let field = state.address[(first + usize::from(operand.index[channel])) & 7];
            register + (usize::from(field) & operand.constant[channel] as usize)
        };
        then(state.grf.as_flattened(), std::array::from_fn(at))
    }
}

struct Architecture;
impl File for Architecture {
    fn read<R>(operand: &Operand, state: &State, then: impl FnOnce(&[u8], [usize; 16]) -> R) -> R {
        then(&arf::image(state, operand.number, operand.ip), operand.offsets.map(usize::from))
    }
}

/// The bytes of an element; zero where there are none.
fn element<const SIZE: usize>(file: &[u8], at: usize) -> [u8; SIZE] {
    file.get(at..).and_then(|bytes| bytes.first_chunk()).copied().unwrap_or([0; SIZE])
}

fn raw<F: File, const SIZE: usize>(operand: &Operand, state: &State, lanes: &mut Lanes) {
    F::read(operand, state, |file, at| {
        for (lane, at) in lanes.iter_mut().zip(at) {
            let mut bits = [0; 8];
            bits[..SIZE].copy_from_slice(&element::<SIZE>(file, at));
            *lane = u64::from_le_bytes(bits);
        }
    });
}

/// An element of an integer type.
trait Integer {
    fn read(file: &[u8], at: usize) -> i64;
}

macro_rules! integers {
    ($($name:ident)*) => {$(
        impl Integer for $name {
            fn read(file: &[u8], at: usize) -> i64 {
                i64::from($name::from_le_bytes(element(file, at)))
            }
        }
    )*};
}
integers!(u8 i8 u16 i16 u32 i32);

fn integers<F: File, T: Integer>(operand: &Operand, state: &State, lanes: &mut Lanes) {
    F::read(operand, state, |file, at| {
        for (lane, at) in lanes.iter_mut().zip(at) {
            *lane = modified_integer(operand, T::read(file, at)).cast_unsigned();
        }
    });
}

fn integers_as_floats<F: File, T: Integer>(operand: &Operand, state: &State, lanes: &mut Lanes) {
    F::read(operand, state, |file, at| {
        for (lane, at) in lanes.iter_mut().zip(at) {
            let value = modified_integer(operand, T::read(file, at));
            *lane = float::from_integer(value).to_bits();
        }
    });
}

fn floats<F: File, const KEEP: bool>(operand: &Operand, state: &State, lanes: &mut Lanes) {
    F::read(operand, state, |file, at| {
        for (lane, at) in lanes.iter_mut().zip(at) {
            let bits = u32::from_le_bytes(element(file, at));
            let value = f64::from(if KEEP { f32::from_bits(bits) } else { float::flush(bits) });
            *lane = modified_float(operand, value).to_bits();
        }
    });
}

fn modified_float(operand: &Operand, value: f64) -> f64 {
    let value = if operand.absolute { value.abs() } else { value };
    if operand.negate { -value } else { value }
}

/// Absolute value first, then negation; the result may need a bit more than the type has.
fn modified_integer(operand: &Operand, value: i64) -> i64 {
    let value = if operand.absolute { value.abs() } else { value };
    if operand.negate { -value } else { value }
}

/// The function for one kind of place.
fn by_type<F: File>(from: DataType, kind: Kind, exact: bool) -> Fetch {
    match (kind, from) {
        (Kind::Raw, _) => match from.size() {
            1 => raw::<F, 1>,
            2 => raw::<F, 2>,
            _ => raw::<F, 4>,
        },
        (Kind::Float, DataType::F | DataType::Vf) if exact => floats::<F, true>,
        (_, DataType::F | DataType::Vf) => floats::<F, false>,
        (Kind::Integer, DataType::Ub) => integers::<F, u8>,
        (Kind::Integer, DataType::B) => integers::<F, i8>,
        (Kind::Integer, DataType::Uw) => integers::<F, u16>,
        (Kind::Integer, DataType::W | DataType::V) => integers::<F, i16>,
        (Kind::Integer, DataType::Ud) => integers::<F, u32>,
        (Kind::Integer, DataType::D) => integers::<F, i32>,
        (Kind::Float, DataType::Ub) => integers_as_floats::<F, u8>,
        (Kind::Float, DataType::B) => integers_as_floats::<F, i8>,
        (Kind::Float, DataType::Uw) => integers_as_floats::<F, u16>,
        (Kind::Float, DataType::W | DataType::V) => integers_as_floats::<F, i16>,
        (Kind::Float, DataType::Ud) => integers_as_floats::<F, u32>,
        (Kind::Float, DataType::D) => integers_as_floats::<F, i32>,
        (_, DataType::Uv | DataType::Hf | DataType::Df | DataType::Uq | DataType::Q) => {
            unreachable!("the decoder has no code for {from:?}")
        }
    }
}

fn accumulator(operand: &Operand, state: &State, lanes: &mut Lanes) {
    *lanes = state.accumulator[usize::from(operand.number & 1)];
}

fn constant(operand: &Operand, _: &State, lanes: &mut Lanes) {
    *lanes = operand.constant;
}

fn nothing(_: &Operand, _: &State, _: &mut Lanes) {}
