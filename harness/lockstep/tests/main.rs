//! The reference against the executor, and campaigns against engines that are made wrong.
//!
//! One binary: a file beside this one runs when it is named here.

mod arf;
mod codes;
mod compiled_programs;
mod data_cache;
mod exact_division;
mod fault_injection;
mod faults;
mod fuzz_corpora;
mod hostile;
mod integers;
mod kernels;
mod local_memory;
mod math_special;
mod messages;
mod opcodes;
mod outside;
mod r700;
mod r700_compiled_programs;
mod regressions;
mod rules;
mod sends;
mod shared_faults;
mod surface;
mod surface_blocks;
mod surface_exhaustive;
mod traces;
