//! A generated program of R700 with control flow runs on both engines, compared after every step.

#![no_main]

use libfuzzer_sys::fuzz_target;
use parallax_isa::Device;
use parallax_lockstep::r700::{R700, flow};

fuzz_target!(|bytes: &[u8]| parallax_fuzz::agree::<R700>(&flow::any(Device::Rv770, bytes)));
