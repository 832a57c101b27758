//! From lanes to destination elements: conversion, saturation, and the signals conditions are
//! made of (G45 volume 4, sections 10.4 and 11.8).

use parallax_isa::eu::DataType;

use super::{
    float,
    lanes::{Kind, Lanes},
};

/// Elements as written, with a bit per channel for each signal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Final {
    pub(super) bits: [u32; 16],
    pub(super) zero: u16,
    pub(super) sign: u16,
    /// The value computed is not a number, whatever was made of it.
    pub(super) nan: u16,
    pub(super) overflow: u16,
    pub(super) increment: u16,
    /// Second source not a number, in a comparison that treats it as smallest and largest.
    pub(super) second_nan: u16,
}

impl Final {
    pub(super) fn new() -> Self {
        Self { bits: [0; 16], zero: 0, sign: 0, nan: 0, overflow: 0, increment: 0, second_nan: 0 }
    }

    fn signal(&mut self, channel: usize, zero: bool, sign: bool) {
        self.zero |= u16::from(zero) << channel;
        self.sign |= u16::from(sign) << channel;
    }

    fn integer<T: Integer>(&mut self, channel: usize, value: i64, saturate: bool) {
        let clamped = value.clamp(T::MIN, T::MAX);
        self.overflow |= u16::from(clamped != value) << channel;
        let written = T::wrap(if saturate { clamped } else { value });
        self.signal(channel, written == 0, written < 0);
        self.bits[channel] = written as u32;
    }

    fn float(&mut self, channel: usize, value: f32, saturate: bool) {
        let nan = value.is_nan();
        self.nan |= u16::from(nan) << channel;
        let written = match (saturate, nan) {
            (false, _) => value,
            (true, true) => 0.0,
            (true, false) if value < 0.0 => 0.0,
            (true, false) => value.min(1.0),
        };
        self.signal(channel, written == 0.0, written.is_sign_negative());
        self.bits[channel] = written.to_bits();
    }
}

/// Turns lanes into elements: lanes, alternative float mode, result.
pub(super) type Finish = fn(&Lanes, bool, &mut Final);

/// An integer destination type.
trait Integer {
    const MIN: i64;
    const MAX: i64;
    /// The low bits, read back as this type.
    fn wrap(value: i64) -> i64;
}

macro_rules! integers {
    ($($name:ident)*) => {$(
        impl Integer for $name {
            const MIN: i64 = $name::MIN as i64;
            const MAX: i64 = $name::MAX as i64;
            fn wrap(value: i64) -> i64 {
                i64::from(value as $name)
            }
        }
    )*};
}
integers!(u8 i8 u16 i16 u32 i32);

fn integer_to_integer<T: Integer, const SATURATE: bool>(lanes: &Lanes, _: bool, out: &mut Final) {
    for (channel, lane) in lanes.iter().enumerate() {
        out.integer::<T>(channel, lane.cast_signed(), SATURATE);
    }
}

fn float_to_integer<T: Integer>(lanes: &Lanes, alternative: bool, out: &mut Final) {
    for (channel, lane) in lanes.iter().enumerate() {
        // Values beyond every integer type, infinities among them, stay beyond as i64; NaN is 0.
        let (value, _) = float::to_register(f64::from_bits(*lane), alternative);
        out.nan |= u16::from(value.is_nan()) << channel;
        out.integer::<T>(channel, value as i64, true);
    }
}

fn integer_to_float<const SATURATE: bool>(lanes: &Lanes, _: bool, out: &mut Final) {
    for (channel, lane) in lanes.iter().enumerate() {
        out.float(channel, float::from_integer(lane.cast_signed()) as f32, SATURATE);
    }
}

fn float_to_float<const SATURATE: bool>(lanes: &Lanes, alternative: bool, out: &mut Final) {
    for (channel, lane) in lanes.iter().enumerate() {
        let (value, overflow) = float::to_register(f64::from_bits(*lane), alternative);
        out.overflow |= u16::from(overflow) << channel;
        out.float(channel, value, SATURATE);
    }
}

/// Raw bits of an integer type: nothing is converted.
fn raw_integer<T: Integer>(lanes: &Lanes, _: bool, out: &mut Final) {
    for (channel, lane) in lanes.iter().enumerate() {
        let value = T::wrap(lane.cast_signed());
        out.signal(channel, value == 0, value < 0);
        out.bits[channel] = value as u32;
    }
}

/// Raw bits of a float: a denormal is kept, and compares as zero.
fn raw_float(lanes: &Lanes, _: bool, out: &mut Final) {
    for (channel, lane) in lanes.iter().enumerate() {
        let bits = *lane as u32;
        out.float(channel, float::flush(bits), false);
        out.bits[channel] = bits;
    }
}

/// The upper halves of 64-bit lanes.
fn high_halves<T: Integer>(lanes: &Lanes, _: bool, out: &mut Final) {
    for (channel, lane) in lanes.iter().enumerate() {
        let value = T::wrap(lane.cast_signed() >> 32);
        out.signal(channel, value == 0, value < 0);
        out.bits[channel] = value as u32;
    }
}

/// The function for a destination that gets the upper halves of 64-bit lanes.
pub(super) fn choose_high_halves(to: DataType) -> Finish {
    match to {
        DataType::Ud => high_halves::<u32>,
        _ => high_halves::<i32>,
    }
}

/// The function for lanes of a kind and a destination.
pub(super) fn choose(kind: Kind, to: DataType, saturate: bool) -> Finish {
    /// One row of functions: a destination type after the other.
    macro_rules! by_type {
        ($float:expr, $function:ident $(, $saturate:literal)?) => {
            match to {
                DataType::Ub => $function::<u8 $(, $saturate)?>,
                DataType::B => $function::<i8 $(, $saturate)?>,
                DataType::Uw | DataType::V => $function::<u16 $(, $saturate)?>,
                DataType::W => $function::<i16 $(, $saturate)?>,
                DataType::Ud => $function::<u32 $(, $saturate)?>,
                DataType::D => $function::<i32 $(, $saturate)?>,
                DataType::F | DataType::Vf => $float,
                DataType::Uv | DataType::Hf | DataType::Df | DataType::Uq | DataType::Q => {
                    unreachable!("the decoder has no code for {to:?}")
                }
            }
        };
    }
    match (kind, saturate) {
        (Kind::Integer, false) => by_type!(integer_to_float::<false>, integer_to_integer, false),
        (Kind::Integer, true) => by_type!(integer_to_float::<true>, integer_to_integer, true),
        (Kind::Float, false) => by_type!(float_to_float::<false>, float_to_integer),
        (Kind::Float, true) => by_type!(float_to_float::<true>, float_to_integer),
        (Kind::Raw, _) => by_type!(raw_float, raw_integer),
    }
}
