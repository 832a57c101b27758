//! A generated program runs on the executor with its vector kernels and without, each beside the reference.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| parallax_fuzz::hold("executor_paths", bytes));
