//! From lanes to destination elements: rounding, conversion, saturation, and what conditions look at.

use parallax_isa::eu::DataType;

use super::{
    exact,
    fields::Generation,
    float,
    lanes::{Bits, CHANNELS, Format, Kind, lane_float},
    modes::{Modes, Rounding},
    signals::Signals,
};

/// Elements as written, and the signals of each channel.
pub(super) struct Final {
    pub(super) bits: Bits,
    pub(super) signals: Signals,
}

impl Final {
    pub(super) fn new() -> Self {
        Self { bits: [0; CHANNELS], signals: Signals::default() }
    }
}

/// How lanes become elements.
#[derive(Clone, Copy)]
pub(super) struct Conversion {
    pub(super) saturate: bool,
    /// A format is converted: denormals are kept.
    exact: bool,
    /// DF to F truncates (Gen7).
    truncates: bool,
    run: Finish,
}

type Finish = fn(&Conversion, &Modes, &[i128], &mut Final);

impl Conversion {
    /// The one for lanes of a kind and a destination.
    pub(super) fn of(
        generation: Generation,
        kind: Kind,
        to: DataType,
        saturate: bool,
        exact: bool,
    ) -> Self {
        Self { saturate, exact, truncates: generation == Generation::Gen7, run: choose(kind, to) }
    }

    /// The same without saturation.
    pub(super) fn unsaturated(self) -> Self {
        Self { saturate: false, ..self }
    }

    /// Makes elements of lanes.
    pub(super) fn run(&self, modes: &Modes, lanes: &[i128], result: &mut Final) {
        (self.run)(self, modes, lanes, result);
    }
}

/// An integer destination type.
trait Integer {
    const LOWEST: i128;
    const HIGHEST: i128;
    fn wrap(value: i128) -> i128;
}

macro_rules! integers {
    ($($name:ident)*) => {$(
        impl Integer for $name {
            const LOWEST: i128 = $name::MIN as i128;
            const HIGHEST: i128 = $name::MAX as i128;
            fn wrap(value: i128) -> i128 {
                i128::from(value as $name)
            }
        }
    )*};
}
integers!(u8 i8 u16 i16 u32 i32 u64 i64);

fn put_integer<T: Integer>(
    conversion: &Conversion,
    out: &mut Final,
    channel: usize,
    value: i128,
    nan: bool,
) {
    let clamped = value.clamp(T::LOWEST, T::HIGHEST);
    out.signals.overflow |= u32::from(clamped != value) << channel;
    let value = if conversion.saturate { clamped } else { T::wrap(value) };
    out.signals.set(channel, value == 0, value < 0, nan);
    out.bits[channel] = value as u64;
}

fn integer_to_integer<T: Integer>(
    conversion: &Conversion,
    _: &Modes,
    lanes: &[i128],
    out: &mut Final,
) {
    for (channel, lane) in lanes.iter().enumerate() {
        put_integer::<T>(conversion, out, channel, *lane, false);
    }
}

/// Truncated, and clamped with or without saturation.
fn float_to_integer<T: Integer, const FORMAT: u8>(
    conversion: &Conversion,
    modes: &Modes,
    lanes: &[i128],
    out: &mut Final,
) {
    for (channel, lane) in lanes.iter().enumerate() {
        let value = executed::<FORMAT>(lane_float(*lane), modes);
        let whole = value as i128;
        let clamped = whole.clamp(T::LOWEST, T::HIGHEST);
        put_integer::<T>(conversion, out, channel, clamped, value.is_nan());
        out.signals.overflow |= u32::from(clamped != whole) << channel;
    }
}

const HALF: u8 = Format::Half as u8;
const SINGLE: u8 = Format::Single as u8;
const DOUBLE: u8 = Format::Double as u8;

/// A lane as the format it is computed in has it.
fn executed<const FORMAT: u8>(lane: f64, modes: &Modes) -> f64 {
    match FORMAT {
        HALF => float::from_half(float::to_half(lane, modes, true).0),
        SINGLE => f64::from(float::to_single(lane, modes, true).0),
        _ => lane,
    }
}

/// Clamped to [0, 1]; what is not a number becomes zero.
fn saturated(value: f64) -> f64 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

fn put_float(out: &mut Final, channel: usize, value: f64, nan: bool, overflow: bool, bits: u64) {
    out.signals.set(channel, value == 0.0, value < 0.0, nan);
    out.signals.overflow |= u32::from(overflow) << channel;
    out.bits[channel] = bits;
}

fn to_single(conversion: &Conversion, modes: &Modes, lane: f64, channel: usize, out: &mut Final) {
    let nan = lane.is_nan();
    let (value, overflow) = float::to_single(lane, modes, !conversion.exact);
    let value = if conversion.saturate { saturated(value.into()) as f32 } else { value };
    put_float(out, channel, value.into(), nan, overflow, value.to_bits().into());
}

fn to_half(conversion: &Conversion, modes: &Modes, lane: f64, channel: usize, out: &mut Final) {
    let nan = lane.is_nan();
    let (bits, overflow) = float::to_half(lane, modes, !conversion.exact);
    let bits = match conversion.saturate {
        true => float::to_half(saturated(float::from_half(bits)), modes, false).0,
        false => bits,
    };
    put_float(out, channel, float::from_half(bits), nan, overflow, bits.into());
}

fn to_double(conversion: &Conversion, value: f64, channel: usize, out: &mut Final) {
    let nan = value.is_nan();
    let value = if conversion.saturate { saturated(value) } else { value };
    put_float(out, channel, value, nan, false, value.to_bits());
}

fn integer_to_single(conversion: &Conversion, modes: &Modes, lanes: &[i128], out: &mut Final) {
    for (channel, lane) in lanes.iter().enumerate() {
        to_single(conversion, modes, float::from_integer(*lane), channel, out);
    }
}

fn integer_to_half(conversion: &Conversion, modes: &Modes, lanes: &[i128], out: &mut Final) {
    for (channel, lane) in lanes.iter().enumerate() {
        to_half(conversion, modes, float::from_integer(*lane), channel, out);
    }
}

fn integer_to_double(conversion: &Conversion, modes: &Modes, lanes: &[i128], out: &mut Final) {
    for (channel, lane) in lanes.iter().enumerate() {
        to_double(conversion, exact::from_integer(*lane, modes), channel, out);
    }
}

fn float_to_single(conversion: &Conversion, modes: &Modes, lanes: &[i128], out: &mut Final) {
    let modes = &if conversion.exact { modes.keeping() } else { *modes };
    for (channel, lane) in lanes.iter().enumerate() {
        to_single(conversion, modes, lane_float(*lane), channel, out);
    }
}

/// DF to F is a conversion: it keeps denormals, knows no alternative mode and may truncate.
fn double_to_single(conversion: &Conversion, modes: &Modes, lanes: &[i128], out: &mut Final) {
    let modes = modes.keeping();
    let modes = if conversion.truncates { modes.rounding(Rounding::TowardZero) } else { modes };
    for (channel, lane) in lanes.iter().enumerate() {
        to_single(conversion, &modes, lane_float(*lane), channel, out);
    }
}

fn float_to_half(conversion: &Conversion, modes: &Modes, lanes: &[i128], out: &mut Final) {
    for (channel, lane) in lanes.iter().enumerate() {
        to_half(conversion, modes, lane_float(*lane), channel, out);
    }
}

fn float_to_double<const FORMAT: u8>(
    conversion: &Conversion,
    modes: &Modes,
    lanes: &[i128],
    out: &mut Final,
) {
    let modes = if conversion.exact { modes.keeping() } else { *modes };
    for (channel, lane) in lanes.iter().enumerate() {
        to_double(conversion, executed::<FORMAT>(lane_float(*lane), &modes), channel, out);
    }
}

/// Raw bits of an integer type: nothing is converted.
fn raw_integer<T: Integer>(_: &Conversion, _: &Modes, lanes: &[i128], out: &mut Final) {
    for (channel, lane) in lanes.iter().enumerate() {
        let value = T::wrap(*lane);
        out.signals.set(channel, value == 0, value < 0, false);
        out.bits[channel] = value as u64;
    }
}

/// Raw bits of a float: a denormal is kept, and compares as arithmetic would take it.
fn raw_float<const FORMAT: u8>(_: &Conversion, modes: &Modes, lanes: &[i128], out: &mut Final) {
    for (channel, lane) in lanes.iter().enumerate() {
        let bits = *lane as u64;
        let value = match FORMAT {
            HALF => float::half_source(bits as u16, modes),
            SINGLE => float::single_source(bits as u32, modes),
            _ => float::double_source(bits, modes),
        };
        put_float(out, channel, value, value.is_nan(), false, bits);
    }
}

/// The function for lanes of a kind and a destination.
fn choose(kind: Kind, to: DataType) -> Finish {
    /// One row of functions: a destination type after the other.
    macro_rules! by_type {
        ([$half:expr, $single:expr, $double:expr], $function:ident $(, $format:ident)?) => {
            match to {
                DataType::Ub => $function::<u8 $(, $format)?>,
                DataType::B => $function::<i8 $(, $format)?>,
                DataType::Uw | DataType::V | DataType::Uv => $function::<u16 $(, $format)?>,
                DataType::W => $function::<i16 $(, $format)?>,
                DataType::Ud => $function::<u32 $(, $format)?>,
                DataType::D => $function::<i32 $(, $format)?>,
                DataType::Uq => $function::<u64 $(, $format)?>,
                DataType::Q => $function::<i64 $(, $format)?>,
                DataType::Hf => $half,
                DataType::F | DataType::Vf => $single,
                DataType::Df => $double,
            }
        };
    }
    match kind {
        Kind::Integer => {
            by_type!([integer_to_half, integer_to_single, integer_to_double], integer_to_integer)
        }
        Kind::Raw => {
            by_type!([raw_float::<HALF>, raw_float::<SINGLE>, raw_float::<DOUBLE>], raw_integer)
        }
        Kind::Float(Format::Half) => by_type!(
            [float_to_half, float_to_single, float_to_double::<HALF>],
            float_to_integer,
            HALF
        ),
        Kind::Float(Format::Single) => by_type!(
            [float_to_half, float_to_single, float_to_double::<SINGLE>],
            float_to_integer,
            SINGLE
        ),
        Kind::Float(Format::Double) => by_type!(
            [float_to_half, double_to_single, float_to_double::<DOUBLE>],
            float_to_integer,
            DOUBLE
        ),
    }
}
