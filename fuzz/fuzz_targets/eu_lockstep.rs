//! A generated program runs on both execution unit engines, compared after every step.

#![no_main]

use libfuzzer_sys::fuzz_target;
use parallax_lockstep::eu::{Eu, generate};

fuzz_target!(|bytes: &[u8]| parallax_fuzz::agree::<Eu>(&generate::any_straight_line(bytes)));
