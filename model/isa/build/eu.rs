//! Execution units: fields of the machine word, codes, operations and the compact form, a column
//! for each generation.

mod bits;
mod canonical;
mod codes;
mod columns;
mod compaction;
mod fields;
#[path = "../src/generation.rs"]
#[expect(unreachable_pub, reason = "public in the crate it belongs to")]
mod generation;
mod opcodes;

use std::{fs, path::Path};

/// Writes the generated sources that `src/eu` includes.
pub(crate) fn generate(out: &Path) {
    let write = |name: &str, source: String| {
        fs::write(out.join(name), source).expect("OUT_DIR is writable");
    };
    write("eu_fields.rs", fields::source());
    write("eu_codes.rs", codes::source());
    write("eu_opcodes.rs", opcodes::source());
    write("eu_compaction.rs", compaction::source());
    write("eu_canonical.rs", canonical::source());
}
