//! Formats by what they are like: of some kinds there are many, of others one.

use std::mem::discriminant;

use parallax_isa::surface::{Format, Layout};

/// Whether two formats are laid out in the same way, with the same kind of component first, or are blocks of the
/// same codec.
fn are_alike(one: &Format, other: &Format) -> bool {
    let first =
        |format: &Format| format.layout.components().next().map(|part| (part.name, part.numeric));
    let is_same_layout = match (&one.layout, &other.layout) {
        (Layout::Compressed(one), Layout::Compressed(other)) => {
            discriminant(one) == discriminant(other)
        }
        (one, other) => discriminant(one) == discriminant(other),
    };
    is_same_layout && first(one) == first(other)
}

/// Leaves those of one kind, which `below` chooses among so many.
pub(crate) fn retain_one_kind(
    formats: &mut Vec<&'static Format>,
    below: impl FnOnce(usize) -> usize,
) {
    let mut kinds: Vec<&Format> = Vec::new();
    for format in formats.iter() {
        if !kinds.iter().any(|kind| are_alike(kind, format)) {
            kinds.push(format);
        }
    }
    let chosen = kinds[below(kinds.len())];
    formats.retain(|format| are_alike(chosen, format));
}
