//! The sixteen forms of `SAMPLE` (section 9.4).

use parallax_isa::r700::FetchOpcode::{self, *};

/// What a form takes for the level of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// What gradients say.
    Computed,
    /// The same with `LOD_BIAS`: `LB`.
    Biased,
    /// Source element W: `L`.
    Source,
    /// Zero: `LZ`.
    Zero,
}

/// A form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    /// Texels are compared with source element W: `C`.
    pub(super) compares: bool,
    /// Gradients are those that were set: `G`.
    pub(super) gradients_are_set: bool,
    pub(super) detail: Detail,
}

impl Form {
    /// The form of an opcode, if it is one.
    pub(super) fn of(opcode: FetchOpcode) -> Option<Self> {
        let (_, [compares, gradients_are_set], detail) =
            *FORMS.iter().find(|(form, ..)| *form == opcode)?;
        Some(Self { compares, gradients_are_set, detail })
    }

    /// Whether the level of detail comes from gradients.
    pub(super) fn uses_gradients(self) -> bool {
        matches!(self.detail, Detail::Computed | Detail::Biased)
    }
}

/// Opcode, `C`, `G`, and where the level of detail comes from.
const FORMS: [(FetchOpcode, [bool; 2], Detail); 16] = [
    (Sample, [false, false], Detail::Computed),
    (SampleL, [false, false], Detail::Source),
    (SampleLb, [false, false], Detail::Biased),
    (SampleLz, [false, false], Detail::Zero),
    (SampleG, [false, true], Detail::Computed),
    (SampleGL, [false, true], Detail::Source),
    (SampleGLb, [false, true], Detail::Biased),
    (SampleGLz, [false, true], Detail::Zero),
    (SampleC, [true, false], Detail::Computed),
    (SampleCL, [true, false], Detail::Source),
    (SampleCLb, [true, false], Detail::Biased),
    (SampleCLz, [true, false], Detail::Zero),
    (SampleCG, [true, true], Detail::Computed),
    (SampleCGL, [true, true], Detail::Source),
    (SampleCGLb, [true, true], Detail::Biased),
    (SampleCGLz, [true, true], Detail::Zero),
];
