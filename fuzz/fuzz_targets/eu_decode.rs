//! Words of execution units on every device: what decodes encodes to the same bytes, and from Gen7 on two decoders
//! that know nothing of each other take it for the same.

#![no_main]

use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target};
use parallax_fuzz::words;

fuzz_target!(|bytes: &[u8]| words::hold("eu_decode", bytes));

fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    words::mutate("eu_decode", data, size, most, seed)
});

fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| {
    words::cross("eu_decode", one, other, out, seed)
});
