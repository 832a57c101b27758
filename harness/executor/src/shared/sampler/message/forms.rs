//! Types of messages with their parameters, in the order of a payload (G45 volume 4, section 4.7.1; table
//! `eu-sampler-messages-by-gen`, `eu-sampler-payload-simd4x2`).

use parallax_isa::{
    Device,
    shared::{Request, Unanswered},
};

use super::super::super::refuse;

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Job {
    Sample,
    /// Four texels of a footprint.
    Gather,
    /// The levels of detail that would be sampled at.
    Detail,
    Load,
    Size,
    /// How many samples a pixel has.
    Samples,
    /// How the samples of a pixel are compressed.
    Compression,
}

/// Where a level of detail comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Level {
    /// From the pixels of a subspan.
    Computed,
    Given,
    Zero,
    /// From steps that are sent.
    Stepped,
}

/// Parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Parameter {
    U,
    V,
    R,
    /// Index of an array of cubes.
    Ai,
    Lod,
    Bias,
    Reference,
    Dudx,
    Dudy,
    Dvdx,
    Dvdy,
    Drdx,
    Drdy,
    Offu,
    Offv,
    /// A gap.
    Unused,
}

use Parameter::{
    Ai, Bias, Drdx, Drdy, Dudx, Dudy, Dvdx, Dvdy, Lod, Offu, Offv, R, Reference, U, Unused, V,
};

const PARAMETERS: usize = Unused as usize + 1;
const ABSENT: u8 = u8::MAX;

/// A form: places of parameters are counted from 0 on.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Form {
    pub(in super::super) job: Job,
    pub(in super::super) level: Level,
    /// 16 or 8 pixels, or 2 samples.
    pub(in super::super) lanes: usize,
    /// Registers that come back if no channel is masked (Gen4 and Gen4.5).
    pub(in super::super) replies: usize,
    pub(in super::super) kills: bool,
    /// Registers before the parameters.
    pub(in super::super) front: usize,
    /// Bit n: a parameter is one of the message's, whether it was sent or not.
    listed: u16,
    places: [u8; PARAMETERS],
}

impl Form {
    /// A form that has parameters of a list, of which so many were sent.
    fn new(job: Job, level: Level, lanes: usize, list: &[Parameter], sent: usize) -> Self {
        let replies = match lanes {
            16 => 8,
            8 => 4,
            _ => 1,
        };
        let mut places = [ABSENT; PARAMETERS];
        for (place, parameter) in list.iter().take(sent).enumerate() {
            places[*parameter as usize] = place as u8;
        }
        let listed = list.iter().fold(0, |listed, parameter| listed | 1 << *parameter as u16);
        Self { job, level, lanes, replies, kills: false, front: 1, listed, places }
    }

    /// The form of a message type of Gen4 or Gen4.5 with so many registers, that of the header among them.
    pub(super) fn early(code: u32, registers: usize) -> Option<Self> {
        let row = EARLY.iter().find(|row| (row.code, row.registers) == (code, registers))?;
        let form = Self::new(row.job, row.level, row.lanes, row.list, row.list.len());
        Some(match row.kills {
            true => Self { kills: true, replies: 5, ..form },
            false => form,
        })
    }

    /// The form of a message type of Gen7 or later with so many registers of parameters behind others.
    pub(super) fn later(
        code: u32,
        lanes: usize,
        registers: usize,
        front: usize,
        device: Device,
    ) -> Result<Self, Unanswered> {
        let is_row = |row: &&Row| row.code == code && row.devices.contains(&device);
        let Some(row) = LATER.iter().find(is_row) else {
            return refuse("no message that is modelled has this type");
        };
        let (list, sent) = match lanes {
            2 => (row.samples, 4 * registers),
            lanes if (8 * registers).is_multiple_of(lanes) => {
                (Some(row.list), 8 * registers / lanes)
            }
            _ => return refuse("half of a parameter"),
        };
        let Some(list) = list else {
            return refuse("a message that is not for two samples");
        };
        let most = if lanes == 2 { list.len().next_multiple_of(4) } else { list.len() };
        if sent > most {
            return refuse("a message of more parameters than it has");
        }
        Ok(Self { front, ..Self::new(row.job, row.level, lanes, list, sent) })
    }

    /// Whether texels are compared.
    pub(in super::super) fn compares(&self) -> bool {
        self.has(Reference)
    }

    /// Whether a parameter is one of the message's.
    pub(in super::super) fn has(&self, parameter: Parameter) -> bool {
        self.listed >> parameter as u16 & 1 == 1
    }

    /// A parameter of a pixel or sample; 0 if it was not sent.
    pub(in super::super) fn word(
        &self,
        request: &Request,
        parameter: Parameter,
        lane: usize,
    ) -> u32 {
        let place = usize::from(self.places[parameter as usize]);
        if place == usize::from(ABSENT) {
            return 0;
        }
        let (register, dword) = match self.lanes {
            16 => (2 * place + lane / 8, lane % 8),
            8 => (place, lane),
            _ => (place / 4, 4 * lane + place % 4),
        };
        u32::from_le_bytes(request.payload[self.front + register].as_chunks::<4>().0[dword])
    }

    /// The same as a number.
    pub(in super::super) fn number(
        &self,
        request: &Request,
        parameter: Parameter,
        lane: usize,
    ) -> f32 {
        f32::from_bits(self.word(request, parameter, lane))
    }

    /// A parameter of all pixels, of which there are eight or sixteen, if it was sent.
    pub(in super::super) fn words<'r>(
        &self,
        request: &'r Request,
        parameter: Parameter,
    ) -> Option<&'r [[u8; 4]]> {
        let place = self.places[parameter as usize];
        let registers = self.lanes / 8;
        let first = self.front + registers * usize::from(place);
        let sent = || request.payload[first..first + registers].as_flattened();
        (place != ABSENT).then(|| sent().as_chunks::<4>().0)
    }

    /// Bit n: pixel or sample n is asked for.
    pub(in super::super) fn active(&self, enables: u16) -> u32 {
        match self.lanes {
            16 => enables.into(),
            8 => u32::from(enables) & 0xFF,
            _ => u32::from(enables & 0x0F != 0) | u32::from(enables & 0xF0 != 0) << 1,
        }
    }
}

/// A message of Gen4 and Gen4.5, which its length tells from others of its type.
struct EarlyRow {
    code: u32,
    registers: usize,
    job: Job,
    level: Level,
    lanes: usize,
    list: &'static [Parameter],
    kills: bool,
}

const fn early(
    (code, registers): (u32, usize),
    job: Job,
    level: Level,
    lanes: usize,
    list: &'static [Parameter],
) -> EarlyRow {
    EarlyRow { code, registers, job, level, lanes, list, kills: false }
}

use Job::{Compression, Detail, Gather, Load, Sample, Samples, Size};
use Level::{Computed, Given, Stepped, Zero};

#[rustfmt::skip]
const EARLY: &[EarlyRow] = &[
    early((0, 3), Sample, Computed, 16, &[U]),
    early((0, 5), Sample, Computed, 16, &[U, V]),
    early((0, 7), Sample, Computed, 16, &[U, V, R]),
    early((0, 9), Sample, Computed, 16, &[U, V, R, Bias]),
    early((0, 4), Sample, Computed, 8, &[U, V, R]),
    early((0, 6), Sample, Computed, 8, &[U, V, R, Bias, Reference]),
    early((0, 2), Sample, Computed, 2, &[U, V, R, Reference]),
    early((1, 9), Sample, Given, 16, &[U, V, R, Lod]),
    EarlyRow { kills: true, ..early((1, 4), Sample, Computed, 8, &[U, V, R]) },
    early((1, 6), Sample, Given, 8, &[U, V, R, Lod, Reference]),
    early((1, 2), Sample, Given, 2, &[U, V, R, Lod]),
    early((1, 3), Sample, Given, 2, &[U, V, R, Lod, Reference]),
    early((2, 9), Sample, Computed, 16, &[U, V, R, Reference]),
    early((2, 7), Sample, Stepped, 8, &[U, V, Dudx, Dvdx, Dudy, Dvdy]),
    early((2, 10), Sample, Stepped, 8, &[U, V, R, Dudx, Dvdx, Drdx, Dudy, Dvdy, Drdy]),
    early((2, 4), Sample, Stepped, 2, &[U, V, R, Unused, Dudx, Dvdx, Drdx, Unused, Dudy, Dvdy, Drdy]),
    early((2, 3), Size, Zero, 16, &[Lod]),
    early((2, 2), Size, Zero, 2, &[Unused, Unused, Unused, Lod]),
    early((3, 3), Load, Zero, 16, &[U]),
    early((3, 5), Load, Zero, 16, &[U, V]),
    early((3, 7), Load, Zero, 16, &[U, V, R]),
    early((3, 9), Load, Zero, 16, &[U, V, R, Lod]),
    early((3, 4), Load, Zero, 8, &[U, V, R]),
    early((3, 2), Load, Zero, 2, &[U, V, R, Lod]),
];

/// A message of Gen7 and later.
struct Row {
    code: u32,
    devices: &'static [Device],
    job: Job,
    level: Level,
    list: &'static [Parameter],
    /// The same for two samples, if it is for these.
    samples: Option<&'static [Parameter]>,
}

const ALL: &[Device] = &Device::LATER;
const GEN7: &[Device] = &[Device::Ivb];
const GEN9: &[Device] = &[Device::Skl, Device::Dg1];

/// A message that is for pixels alone.
const fn row(
    (code, devices): (u32, &'static [Device]),
    job: Job,
    level: Level,
    list: &'static [Parameter],
) -> Row {
    Row { code, devices, job, level, list, samples: None }
}

impl Row {
    const fn samples(self, list: &'static [Parameter]) -> Self {
        Self { samples: Some(list), ..self }
    }
}

const LOAD: &[Parameter] = &[U, V, R, Lod];

#[rustfmt::skip]
const LATER: &[Row] = &[
    row((0, ALL), Sample, Computed, &[U, V, R, Ai]),
    row((1, ALL), Sample, Computed, &[Bias, U, V, R, Ai]),
    row((2, ALL), Sample, Given, &[Lod, U, V, R, Ai])
        .samples(&[U, V, R, Ai, Lod]),
    row((3, ALL), Sample, Computed, &[Reference, U, V, R, Ai]),
    row((4, ALL), Sample, Stepped, &[U, Dudx, Dudy, V, Dvdx, Dvdy, R, Drdx, Drdy, Ai])
        .samples(&[U, V, R, Ai, Dudx, Dudy, Dvdx, Dvdy, Drdx, Drdy]),
    row((5, ALL), Sample, Computed, &[Reference, Bias, U, V, R, Ai]),
    row((6, ALL), Sample, Given, &[Reference, Lod, U, V, R, Ai])
        .samples(&[U, V, R, Ai, Reference, Lod]),
    row((7, GEN7), Load, Given, &[U, Lod, V, R]).samples(LOAD),
    row((7, GEN9), Load, Given, &[U, V, Lod, R]).samples(LOAD),
    row((8, ALL), Gather, Zero, &[U, V, R, Ai]).samples(&[U, V, R, Ai]),
    row((9, ALL), Detail, Computed, &[U, V, R, Ai]),
    row((10, ALL), Size, Given, &[Lod]).samples(&[Lod]),
    row((11, ALL), Samples, Zero, &[]).samples(&[]),
    row((16, ALL), Gather, Zero, &[Reference, U, V, R, Ai])
        .samples(&[U, V, R, Ai, Reference]),
    row((17, ALL), Gather, Zero, &[U, V, Offu, Offv, R])
        .samples(&[U, V, R, Unused, Offu, Offv]),
    row((18, ALL), Gather, Zero, &[Reference, U, V, Offu, Offv, R])
        .samples(&[U, V, R, Reference, Offu, Offv]),
    row((20, GEN9), Sample, Stepped, &[Reference, U, Dudx, Dudy, V, Dvdx, Dvdy, R, Drdx, Drdy, Ai])
        .samples(&[U, V, R, Ai, Dudx, Dudy, Dvdx, Dvdy, Drdx, Drdy, Reference]),
    row((24, GEN9), Sample, Zero, &[U, V, R, Ai]).samples(&[U, V, R, Ai]),
    row((25, GEN9), Sample, Zero, &[Reference, U, V, R, Ai])
        .samples(&[U, V, R, Ai, Reference]),
    row((26, GEN9), Load, Zero, &[U, V, R]).samples(&[U, V, R]),
    row((29, ALL), Compression, Given, &[U, V, R, Lod]).samples(LOAD),
];
