//! The tables of messages: codes, lengths and parameters (G45 volume 4, section 4.8.1.3; tables
//! `eu-sampler-messages-by-gen`, `eu-sampler-payload-simd4x2`).

use parallax_isa::device::Generation;

use super::message::{Kind, Mode, Parameter};
use Generation::{Gen7, Gen9};
use Kind::{
    Gather4, Ld, LdMcs, Lod as LodQuery, Resinfo, Sample, SampleB, SampleBC, SampleC, SampleG,
    SampleKillpix, SampleL, SampleLC, Sampleinfo,
};
use Mode::{Simd4x2, Simd8, Simd16};
use Parameter::{
    Ai, Bias, DrDx, DrDy, DuDx, DuDy, DvDx, DvDy, Lod, OffU, OffV, R, Reference, U, Unused, V,
};

/// What a message is, and where its parameters are.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// What it asks for.
    pub kind: Kind,
    /// How many pixels or samples there are.
    pub mode: Mode,
    /// In the order of the payload.
    pub parameters: &'static [Parameter],
}

impl Form {
    /// Pixels or samples.
    #[must_use]
    pub fn count(&self) -> usize {
        match self.mode {
            Simd16 => 16,
            Simd8 => 8,
            Simd4x2 => 2,
        }
    }

    /// Whether it has a parameter.
    #[must_use]
    pub fn has(&self, parameter: Parameter) -> bool {
        self.parameters.contains(&parameter)
    }

    /// Whether texels are compared with a reference value.
    #[must_use]
    pub fn compares(&self) -> bool {
        self.has(Reference)
    }
}

/// A message of Gen4 and Gen4.5.
#[derive(Debug)]
pub(super) struct EarlyRow {
    /// The message type of the descriptor.
    pub(super) code: u32,
    /// Registers of the message, with the header.
    pub(super) length: usize,
    /// Registers of the reply, if no channel is masked.
    pub(super) response: usize,
    pub(super) form: Form,
}

macro_rules! early {
    ($($code:literal $length:literal $response:literal $mode:ident $kind:ident [$($parameter:ident)*];)*) => {
        &[$(EarlyRow {
            code: $code,
            length: $length,
            response: $response,
            form: Form { kind: $kind, mode: $mode, parameters: &[$($parameter),*] },
        }),*]
    };
}

pub(super) const EARLY: &[EarlyRow] = early! {
    0b00 3 8 Simd16 Sample [U];
    0b00 5 8 Simd16 Sample [U V];
    0b00 7 8 Simd16 Sample [U V R];
    0b00 4 4 Simd8 Sample [U V R];
    0b01 4 5 Simd8 SampleKillpix [U V R];
    0b00 9 8 Simd16 SampleB [U V R Bias];
    0b01 9 8 Simd16 SampleL [U V R Lod];
    0b01 2 1 Simd4x2 SampleL [U V R Lod];
    0b10 9 8 Simd16 SampleC [U V R Reference];
    0b00 2 1 Simd4x2 SampleC [U V R Reference];
    0b00 6 4 Simd8 SampleBC [U V R Bias Reference];
    0b01 6 4 Simd8 SampleLC [U V R Lod Reference];
    0b01 3 1 Simd4x2 SampleLC [U V R Lod Reference];
    0b11 3 8 Simd16 Ld [U];
    0b11 5 8 Simd16 Ld [U V];
    0b11 7 8 Simd16 Ld [U V R];
    0b11 4 4 Simd8 Ld [U V R];
    0b11 9 8 Simd16 Ld [U V R Lod];
    0b11 2 1 Simd4x2 Ld [U V R Lod];
    0b10 7 4 Simd8 SampleG [U V DuDx DvDx DuDy DvDy];
    0b10 10 4 Simd8 SampleG [U V R DuDx DvDx DrDx DuDy DvDy DrDy];
    0b10 4 1 Simd4x2 SampleG [U V R Unused DuDx DvDx DrDx Unused DuDy DvDy DrDy];
    0b10 3 8 Simd16 Resinfo [Lod];
    0b10 2 1 Simd4x2 Resinfo [Unused Unused Unused Lod];
};

/// A message of Gen7 and later.
#[derive(Debug)]
pub(super) struct LaterRow {
    code: u32,
    kind: Kind,
    since: Generation,
    /// Parameters of SIMD8 and SIMD16.
    gen7: &'static [Parameter],
    gen9: &'static [Parameter],
    /// Those of SIMD4x2, if it has it.
    simd4x2: Option<&'static [Parameter]>,
}

macro_rules! later {
    (@ -) => { None };
    (@ [$($parameter:ident)*]) => { Some(&[$($parameter),*]) };
    ($($code:literal $since:ident $kind:ident [$($gen7:ident)*] [$($gen9:ident)*] $simd4x2:tt;)*) => {
        &[$(LaterRow {
            code: $code,
            kind: $kind,
            since: $since,
            gen7: &[$($gen7),*],
            gen9: &[$($gen9),*],
            simd4x2: later!(@ $simd4x2),
        }),*]
    };
}

/// `sample_lz`, `sample_c_lz` and `ld_lz` are their likes whose level of detail, as one that is not sent, is 0;
/// `sample_d_c`, `gather4_c`, `gather4_po` and `gather4_po_c` are known by their parameters.
const LATER: &[LaterRow] = later! {
    0 Gen7 Sample [U V R Ai] [U V R Ai] -;
    1 Gen7 SampleB [Bias U V R Ai] [Bias U V R Ai] -;
    2 Gen7 SampleL [Lod U V R Ai] [Lod U V R Ai] [U V R Ai Lod];
    3 Gen7 SampleC [Reference U V R Ai] [Reference U V R Ai] -;
    4 Gen7 SampleG [U DuDx DuDy V DvDx DvDy R DrDx DrDy Ai] [U DuDx DuDy V DvDx DvDy R DrDx DrDy Ai]
        [U V R Ai DuDx DuDy DvDx DvDy DrDx DrDy];
    5 Gen7 SampleBC [Reference Bias U V R Ai] [Reference Bias U V R Ai] -;
    6 Gen7 SampleLC [Reference Lod U V R Ai] [Reference Lod U V R Ai] [U V R Ai Reference Lod];
    7 Gen7 Ld [U Lod V R] [U V Lod R] [U V R Lod];
    8 Gen7 Gather4 [U V R Ai] [U V R Ai] [U V R Ai];
    9 Gen7 LodQuery [U V R Ai] [U V R Ai] -;
    10 Gen7 Resinfo [Lod] [Lod] [Lod];
    11 Gen7 Sampleinfo [] [] [];
    16 Gen7 Gather4 [Reference U V R Ai] [Reference U V R Ai] [U V R Ai Reference];
    17 Gen7 Gather4 [U V OffU OffV R] [U V OffU OffV R] [U V R Unused OffU OffV];
    18 Gen7 Gather4 [Reference U V OffU OffV R] [Reference U V OffU OffV R] [U V R Reference OffU OffV];
    20 Gen9 SampleG [] [Reference U DuDx DuDy V DvDx DvDy R DrDx DrDy Ai]
        [U V R Ai DuDx DuDy DvDx DvDy DrDx DrDy Reference];
    24 Gen9 SampleL [] [U V R Ai] -;
    25 Gen9 SampleLC [] [Reference U V R Ai] -;
    26 Gen9 Ld [] [U V R] -;
    29 Gen7 LdMcs [U V R Lod] [U V R Lod] [U V R Lod];
};

/// The message of a type of a generation from Gen7 on.
pub(super) fn later(code: u32, mode: Mode, generation: Generation) -> Option<Form> {
    let row = LATER.iter().find(|row| row.code == code && row.since <= generation)?;
    let parameters = match mode {
        Simd4x2 => row.simd4x2?,
        _ if generation < Gen9 => row.gen7,
        _ => row.gen9,
    };
    Some(Form { kind: row.kind, mode, parameters })
}
