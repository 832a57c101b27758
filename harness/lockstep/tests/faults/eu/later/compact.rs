//! Fields of compact forms, which stand for entries of tables (tables eu-compaction-gen7 and
//! eu-compaction-gen8-9).

use super::{Eu, Fault, compact};

/// Every fault of the form with two sources.
pub(super) const FAULTS: &[Fault<Eu>] = &[
    compact("another entry of controls", |word| two_sources(word, 8)),
    compact("another entry of types", |word| two_sources(word, 13)),
    compact("another entry of subregisters", |word| two_sources(word, 18)),
    compact("another entry of the first source", |word| two_sources(word, 30)),
    compact("another entry of the second source", |word| two_sources(word, 35)),
    compact("another destination register", |word| two_sources(word, 40)),
    compact("another first register", |word| two_sources(word, 48)),
    compact("another second register", |word| two_sources(word, 56)),
    compact("AccWrEn of a compact form", |word| two_sources(word, 23)),
    compact("another condition", |word| two_sources(word, 24)),
];

/// Faults of the form with three sources.
pub(super) const THREE_SOURCES: &[Fault<Eu>] = &[
    compact("another entry of controls", |word| three_sources(word, 8)),
    compact("another entry of sources", |word| three_sources(word, 10)),
    compact("another destination register", |word| three_sources(word, 12)),
    compact("first source for all channels", |word| three_sources(word, 28)),
    compact("saturation", |word| three_sources(word, 31)),
    compact("second source for all channels", |word| three_sources(word, 32)),
    compact("third source for all channels", |word| three_sources(word, 33)),
    compact("another first subregister", |word| three_sources(word, 34)),
    compact("another second subregister", |word| three_sources(word, 37)),
    compact("another third subregister", |word| three_sources(word, 40)),
    compact("another first register", |word| three_sources(word, 43)),
    compact("another second register", |word| three_sources(word, 50)),
    compact("another third register", |word| three_sources(word, 57)),
];

/// Codes of the operations with three sources.
fn has_three_sources(word: u64) -> bool {
    matches!(word & 0x7F, 0x12 | 0x18 | 0x1A | 0x5B | 0x5C)
}

fn two_sources(word: u64, bit: u32) -> Option<u64> {
    (!has_three_sources(word)).then_some(word ^ 1 << bit)
}

fn three_sources(word: u64, bit: u32) -> Option<u64> {
    has_three_sources(word).then_some(word ^ 1 << bit)
}
