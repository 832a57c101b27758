//! What targets share whose inputs are only decoded. They are found here and not among all targets, which would
//! make them as large and as slow as those: libFuzzer looks through the counters of all code that a target holds.
//! Their rules are not handed over either; what decodes alone covers none.

use parallax_lockstep::fuzzed::words::{EU, R700, Words};

fn target(name: &str) -> &'static Words {
    match name {
        "eu_decode" => &EU,
        "r700_decode" => &R700,
        _ => panic!("{name} does not only decode"),
    }
}

/// Holds an input against what the target of a name says.
///
/// # Panics
/// If something does not hold.
pub fn hold(name: &str, input: &[u8]) {
    target(name).check(input);
}

/// Changes an input: [`super::mutate`].
pub fn mutate(name: &str, data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    super::mutate_by(Some(target(name).layout()), data, size, most, seed)
}

/// Makes an input of two: [`super::cross`].
pub fn cross(name: &str, one: &[u8], other: &[u8], out: &mut [u8], seed: u32) -> usize {
    target(name).layout().cross(one, other, out, seed.into())
}
