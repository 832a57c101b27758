//! A generated program of R700 with control flow runs on both engines, compared after every step.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| parallax_fuzz::hold("r700_flow", bytes));
