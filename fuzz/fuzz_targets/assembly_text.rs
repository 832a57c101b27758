//! Any text as an assembly program: mistakes, or machine code that is printed and read to the same.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| parallax_fuzz::hold("assembly_text", bytes));
