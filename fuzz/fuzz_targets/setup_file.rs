//! Any bytes as a setup file of the device that the first chooses: a mistake, or surroundings in which both
//! engines do the same.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| parallax_fuzz::hold("setup_file", bytes));
