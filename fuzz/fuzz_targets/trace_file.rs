//! Any bytes as a trace file: an error, or a trace that is written as it was read and replays.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| parallax_fuzz::hold("trace_file", bytes));
