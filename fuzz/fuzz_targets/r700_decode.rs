//! Any bytes as a program of R700: what decodes encodes to the same words, also through text; legality
//! judges it; both engines can take it up and run it.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| parallax_fuzz::hold("r700_decode", bytes));
