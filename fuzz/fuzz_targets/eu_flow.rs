//! A generated program with control flow runs on both execution unit engines, compared after every step.

#![no_main]

use libfuzzer_sys::fuzz_target;
use parallax_lockstep::eu::{Eu, flow};

fuzz_target!(|bytes: &[u8]| parallax_fuzz::agree::<Eu>(&flow::any_flow(bytes)));
