//! Any bytes on every device: what decodes encodes to the same bytes, as machine code and through
//! assembly text; legality judges it; both engines can load it and run it.

#![no_main]

use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target};

fuzz_target!(|bytes: &[u8]| parallax_fuzz::hold("eu_code", bytes));

fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    parallax_fuzz::mutate("eu_code", data, size, most, seed)
});

fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| {
    parallax_fuzz::cross("eu_code", one, other, out, seed)
});
