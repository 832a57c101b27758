//! What pixel shaders of Gen7 and later begin with, where messages or instructions read it.

use parallax_isa::{
    device::Generation::{Gen9, Gen12},
    eu::Opcode::{Mad, Pln},
};
use parallax_reference::eu::ExecutionType;

use super::render_target::{masks, writes};
use crate::{
    Rule,
    access::Port::RenderTarget,
    rule::{Decides, access, rule},
};

pub(super) const RULES: &[Rule] = &[
    access("gen7.ps.xy", &[RenderTarget], |s| !s.request.has_header && writes(s))
        .decides_of(Decides::Stored),
    access("gen7.ps.mask", &[RenderTarget], |s| !s.request.has_header && masks(s))
        .decides_of(Decides::Memory),
    // `pln` reads them as they lie there.
    rule("gen7.ps.bary").until(Gen9).of(&[Pln]).when(|s| s.size() > 8 && s.has_exact_result()),
    rule("gen7.ps.attr").until(Gen9).of(&[Pln]).unconditional(),
    rule("gen12.ps.attr")
        .since(Gen12)
        .of(&[Mad])
        .when(|s| s.computes_in(ExecutionType::Float) && s.any(|c| c.is_rounded())),
];
