//! Any bytes as a program of R700: what decodes encodes to the same words.

#![no_main]

use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target};
use parallax_fuzz::words;

fuzz_target!(|bytes: &[u8]| words::hold("r700_decode", bytes));

fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    words::mutate("r700_decode", data, size, most, seed)
});

fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| {
    words::cross("r700_decode", one, other, out, seed)
});
