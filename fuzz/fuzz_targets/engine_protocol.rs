//! An engine outside of this process says what bytes decide: the harness takes it for what it is.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| parallax_fuzz::hold("engine_protocol", bytes));
