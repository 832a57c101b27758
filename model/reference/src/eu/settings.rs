//! How a thread computes: what its generation and its control register say of floats (G45 volume 4,
//! section 10.3; Gen7 volume 4, sections 2.3 and 3.2.3.10).

use parallax_isa::{Device, device::Generation, eu::state::control};

use super::number::{ExecutionType, FloatMode};
use crate::number::{Context, Denormals, FloatFormat, Overflow, Rounding};

/// Fields of `cr0.0` that came with Gen7 and Gen8.
mod field {
    /// Rounding mode, two bits from here on.
    pub(super) const ROUNDING: u32 = 4;
    /// Denormals of double precision are kept.
    pub(super) const KEEP_DOUBLE: u32 = 1 << 6;
    /// Denormals of single precision are kept (Gen8 and later).
    pub(super) const KEEP_SINGLE: u32 = 1 << 7;
    /// Denormals of half precision are kept (Gen8 and later).
    pub(super) const KEEP_HALF: u32 = 1 << 10;
}

/// The generation and the float settings that an instruction is executed with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub(super) generation: Generation,
    /// The mode of single precision; the others are always in the IEEE mode.
    pub(super) mode: FloatMode,
    half: Context,
    single: Context,
    double: Context,
}

impl Settings {
    /// The settings of a device and a value of `cr0.0`.
    pub(super) fn of(device: Device, control: u32) -> Self {
        let generation = device.generation().unwrap_or(Generation::Gen4);
        let mode = if control & control::ALTERNATIVE_FLOAT_MODE == 0 {
            FloatMode::Ieee
        } else {
            FloatMode::Alternative
        };
        if generation < Generation::Gen7 {
            let single = mode.context();
            return Self { generation, mode, half: single, single, double: single };
        }
        let rounding = match control >> field::ROUNDING & 3 {
            0 => Rounding::NearestEven,
            1 => Rounding::Up,
            2 => Rounding::Down,
            _ => Rounding::TowardZero,
        };
        let keeping = |bit: u32| {
            let denormals = if control & bit == 0 { Denormals::Flushed } else { Denormals::Kept };
            Context { rounding, overflow: Overflow::Rounded, input: denormals, output: denormals }
        };
        let has_more_bits = generation >= Generation::Gen8;
        let single = match mode {
            FloatMode::Ieee => keeping(if has_more_bits { field::KEEP_SINGLE } else { 0 }),
            FloatMode::Alternative => Context { overflow: Overflow::Largest, ..keeping(0) },
        };
        let half = keeping(if has_more_bits { field::KEEP_HALF } else { 0 });
        Self { generation, mode, half, single, double: keeping(field::KEEP_DOUBLE) }
    }

    /// Whether the generation is this one or a later one.
    pub(super) fn since(&self, generation: Generation) -> bool {
        self.generation >= generation
    }

    /// How results of a format come about.
    pub(super) fn context(&self, format: FloatFormat) -> Context {
        match format {
            FloatFormat::BINARY16 => self.half,
            FloatFormat::BINARY64 => self.double,
            _ => self.single,
        }
    }

    /// The same for a conversion from one float format to another, which keeps denormals.
    pub(super) fn of_conversion(&self) -> Self {
        // Decision D-eu-later-conversion-denormals.
        let keeping =
            |context| Context { input: Denormals::Kept, output: Denormals::Kept, ..context };
        Self {
            half: keeping(self.half),
            single: keeping(self.single),
            double: keeping(self.double),
            ..*self
        }
    }

    /// The same for results that go to nearest even, whatever the mode says.
    pub(super) fn to_nearest(self) -> Self {
        let nearest = |context| Context { rounding: Rounding::NearestEven, ..context };
        let [half, single, double] = [self.half, self.single, self.double].map(nearest);
        Self { half, single, double, ..self }
    }

    /// How a result of an execution type gets a float format.
    pub(super) fn context_between(&self, from: ExecutionType, format: FloatFormat) -> Context {
        let context = self.context(format);
        if self.generation == Generation::Gen7
            && from == ExecutionType::Double
            && format == FloatFormat::BINARY32
        {
            return Context { rounding: Rounding::TowardZero, ..context };
        }
        context
    }
}
