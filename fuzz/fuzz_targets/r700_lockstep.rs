//! Generated groups and clauses of R700 run on both engines, compared after every step.

#![no_main]

use libfuzzer_sys::fuzz_target;
use parallax_isa::Device;
use parallax_lockstep::r700::{R700, generate};

fuzz_target!(|bytes: &[u8]| parallax_fuzz::agree::<R700>(&generate::groups(Device::Rv770, bytes)));
