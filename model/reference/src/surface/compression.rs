//! Which formats a compressed DG1 render target may be read as.

use parallax_isa::surface::compression::render_compression;
use parallax_spec::{coverage, rule};

/// Whether a render target compressed as one format can be used as another: both are compressible
/// with the same code.
#[must_use]
pub fn castable(from: &str, to: &str) -> bool {
    rule!("dg1.rc.same-encoding");
    let row = |format| {
        render_compression(format).inspect(|row| {
            rule!("dg1.rc.casting");
            coverage::hit(row.rule);
        })
    };
    match (row(from), row(to)) {
        (Some(from), Some(to)) => from.encoding == to.encoding && from.casting == to.casting,
        _ => false,
    }
}
