//! Generated texels and blocks of all surface formats go through both engines.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| parallax_fuzz::hold("formats", bytes));
