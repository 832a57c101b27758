//! Texture fetches (chapter 6 and section 9.4).

use parallax_isa::r700::FetchOpcode::{
    self, Ld, LocalDsRead, LocalDsWrite, MemRdReduc, MemRdScatter, MemRdScratch,
};

use super::rule::{Rule, each_fetch, fetch};

/// What `MEM_OP` tells apart.
const MEMORY: &[FetchOpcode] = &[MemRdScratch, MemRdReduc, MemRdScatter, LocalDsWrite, LocalDsRead];

pub(super) const RULES: &[Rule] = &[
    fetch("r700.tex.init", &[], |f| f.texture().is_some()),
    each_fetch("r700.tex.op.ld", &[Ld]),
    fetch("r700.tex.op.mem", MEMORY, |f| f.is_in_texture_clause()),
];
