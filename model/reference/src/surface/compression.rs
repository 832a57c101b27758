//! Which formats a compressed DG1 render target may be read as.

use parallax_isa::surface::compression::{Casting, render_compression};

/// The code and the casting class by which a render target of a format is compressed.
#[must_use]
pub fn compressed(format: &str) -> Option<(u8, Casting)> {
    let row = render_compression(format)?;
    Some((row.encoding, row.casting))
}

/// Whether a render target compressed as one format can be used as another: both are compressible
/// with the same code.
#[must_use]
pub fn castable(from: &str, to: &str) -> bool {
    compressed(from).is_some_and(|from| compressed(to) == Some(from))
}
