//! A generated program with messages runs on both execution unit engines, on the device that the first
//! byte chooses.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| parallax_fuzz::hold("messages", bytes));
