//! The sixteen forms of `SAMPLE` (section 9.4).

use parallax_isa::r700::FetchOpcode::{self, *};
use parallax_spec::{RuleId, coverage, rule_id};

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
        let (.., rule, [compares, gradients_are_set], detail) =
            *FORMS.iter().find(|(form, ..)| *form == opcode)?;
        coverage::hit(rule);
        Some(Self { compares, gradients_are_set, detail })
    }

    /// Whether the level of detail comes from gradients.
    pub(super) fn uses_gradients(self) -> bool {
        matches!(self.detail, Detail::Computed | Detail::Biased)
    }
}

/// Opcode, rule, `C`, `G`, and where the level of detail comes from.
const FORMS: [(FetchOpcode, RuleId, [bool; 2], Detail); 16] = [
    (Sample, rule_id!("r700.tex.op.sample"), [false, false], Detail::Computed),
    (SampleL, rule_id!("r700.tex.op.l"), [false, false], Detail::Source),
    (SampleLb, rule_id!("r700.tex.op.lb"), [false, false], Detail::Biased),
    (SampleLz, rule_id!("r700.tex.op.lz"), [false, false], Detail::Zero),
    (SampleG, rule_id!("r700.tex.op.g"), [false, true], Detail::Computed),
    (SampleGL, rule_id!("r700.tex.op.g-l"), [false, true], Detail::Source),
    (SampleGLb, rule_id!("r700.tex.op.g-lb"), [false, true], Detail::Biased),
    (SampleGLz, rule_id!("r700.tex.op.g-lz"), [false, true], Detail::Zero),
    (SampleC, rule_id!("r700.tex.op.c"), [true, false], Detail::Computed),
    (SampleCL, rule_id!("r700.tex.op.c-l"), [true, false], Detail::Source),
    (SampleCLb, rule_id!("r700.tex.op.c-lb"), [true, false], Detail::Biased),
    (SampleCLz, rule_id!("r700.tex.op.c-lz"), [true, false], Detail::Zero),
    (SampleCG, rule_id!("r700.tex.op.c-g"), [true, true], Detail::Computed),
    (SampleCGL, rule_id!("r700.tex.op.c-g-l"), [true, true], Detail::Source),
    (SampleCGLb, rule_id!("r700.tex.op.c-g-lb"), [true, true], Detail::Biased),
    (SampleCGLz, rule_id!("r700.tex.op.c-g-lz"), [true, true], Detail::Zero),
];
