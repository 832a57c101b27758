//! Any text as an assembly program: mistakes, or machine code that is printed and read to the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use parallax_isa::{
    Device,
    eu::{Program, text},
};

fuzz_target!(|bytes: &[u8]| {
    let (device, rest) = bytes.split_first().unwrap_or((&0, &[]));
    let device = Device::EU[usize::from(*device) % Device::EU.len()];
    let Ok(source) = std::str::from_utf8(rest) else { return };
    let Ok(assembly) = text::parse(device, source) else { return };
    let code = assembly.program.bytes();
    let read = Program::decode(device, code).expect("what was assembled decodes");
    assert_eq!(read.bytes(), code);
});
