//! Generated groups and clauses of R700 run on both engines, compared after every step.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| parallax_fuzz::hold("r700_lockstep", bytes));
