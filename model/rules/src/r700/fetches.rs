//! Vertex fetches (chapter 5).

use parallax_isa::r700::{
    Fetch,
    FetchOpcode::{self, Fetch as Plain, Semantic},
};

use super::{
    fetch::{Access, Fetched},
    rule::{Rule, dropped, each_fetch, fetch},
};

/// Vertex fetches.
pub(super) const VERTEX: &[FetchOpcode] = &[Plain, Semantic];

/// Whether the number of an element, with what the fetch begins at, is not zero.
fn has_index(access: Access) -> bool {
    access.index != 0 || access.address != 0
}

/// What the type of a fetch adds to its index is not what another one would add.
fn adds_start(f: Fetched) -> bool {
    let starts = [f.case.base_vertex, f.case.start_instance, 0];
    f.is_vertex(|word| starts.iter().any(|start| *start != starts[word.fetch_type() as usize]))
}

/// The format of the vertex buffer is not that of the instruction.
fn takes_other_format(f: Fetched) -> bool {
    let Some(buffer) = f.buffer() else { return false };
    f.is_vertex(|word| {
        word.use_const_fields() == 1
            && [
                (buffer.data_format, word.data_format()),
                (buffer.num_format, word.num_format_all()),
                (buffer.format_comp, word.format_comp_all()),
                (buffer.srf_mode, word.srf_mode_all()),
                (buffer.endian_swap, word.endian_swap()),
            ]
            .iter()
            .any(|(constant, field)| constant != field)
    })
}

/// Whether elements are some bytes apart.
fn has_stride(f: Fetched) -> bool {
    f.buffer().is_some_and(|buffer| buffer.stride != 0)
}

/// A constant goes to an element.
pub(super) fn writes_constant(f: Fetched) -> bool {
    f.selects().iter().any(|select| matches!(select, 4 | 5))
}

pub(super) const RULES: &[Rule] = &[
    fetch("r700.vtx.init", VERTEX, |f| !f.is_in_texture_clause()),
    each_fetch("r700.vtx.semantic-or-gpr", VERTEX),
    each_fetch("r700.vtx.fetch", &[Plain]),
    fetch("r700.vtx.index.unsigned", VERTEX, |f| {
        has_stride(f) && f.any_access(|access| access.index > i32::MAX as u32)
    }),
    each_fetch("r700.vtx.semantic", &[Semantic]),
    fetch(
        "r700.vtx.semantic.id-width",
        &[Semantic],
        |f| matches!(f.fetch, Fetch::Semantic(word) if word.semantic_id() >= 128),
    ),
    fetch("r700.vtx.buffer-id", VERTEX, |f| f.is_vertex(|word| word.buffer_id() != 0)),
    fetch("r700.vtx.offset", VERTEX, |f| f.is_vertex(|word| word.offset() != 0)),
    fetch("r700.vtx.fetch-type", VERTEX, adds_start),
    fetch("r700.vtx.src-rel", VERTEX, |f| f.moves(f.relative_source())),
    fetch("r700.vtx.dst-rel", VERTEX, |f| f.moves(f.relative_destination())),
    fetch("r700.vtx.oob.read", VERTEX, |f| f.is_beyond(f.relative_source())),
    dropped("r700.vtx.oob.write", VERTEX, |f| f.is_beyond(f.relative_destination())),
    fetch("r700.vtx.dst-sel", VERTEX, |f| f.rearranges()),
    fetch("r700.vtx.dst-sel.int-one", VERTEX, writes_constant),
    each_fetch("r700.vtx.no-pred", VERTEX),
    fetch("r700.vtx.inactive", VERTEX, |f| f.has_inactive()),
    fetch("r700.vtx.const-fields", VERTEX, takes_other_format),
    fetch("r700.vtx.no-stride", VERTEX, |f| {
        f.is_vertex(|word| word.const_buf_no_stride() == 1)
            && has_stride(f)
            && f.any_access(has_index)
    }),
    fetch("r700.vtx.alt-const", VERTEX, |f| f.is_vertex(|word| word.alt_const() == 1)),
    fetch("r700.vtx.fwq", VERTEX, |f| f.fetches_for_invalid()),
];
