//! Any bytes as machine code.

use std::fmt::Write as _;

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Model, Step,
    eu::{Case, State, decode::decode, encode::encode, legality, text},
};
use parallax_reference::eu::Reference;

use super::device;

/// What decodes encodes to the same bytes, as machine code and through assembly text; legality judges
/// it; both engines take it up and run it, or refuse it.
pub(super) fn eu(input: &[u8]) {
    let (device, code) = device(&Device::EU, input);
    if let Ok((instruction, length)) = decode(device, code) {
        let encoded = encode(device, &instruction).expect("what decodes encodes");
        assert_eq!(encoded, code[..length]);
        let written = text::print(device, &instruction);
        let assembly = text::parse(device, &written).unwrap_or_else(|wrong| {
            panic!("{}", wrong.iter().map(|w| w.render("text", &written)).collect::<String>())
        });
        assert_eq!(assembly.program.bytes(), &code[..length], "{written}");
        let _ = legality::check(device, &instruction);
    }
    let case = Case::new(device, code.to_vec(), Box::new(State::of(device)), 64);
    let mut reference = Reference::new();
    if reference.load(&case).is_ok() {
        while reference.step() == Step::Continue {}
    }
    let mut executor = Executor::new();
    if executor.load(&case).is_ok() {
        executor.run();
    }
}

/// The instructions up to the first that is none.
pub(super) fn eu_input(input: &[u8]) -> String {
    let (device, mut code) = device(&Device::EU, input);
    let mut lines = format!("machine code of {device}\n");
    while !code.is_empty() {
        let (line, length) = match decode(device, code) {
            Ok((instruction, length)) => (text::print(device, &instruction), length),
            Err(error) => (format!("{error}"), code.len()),
        };
        let (word, rest) = code.split_at(length);
        let digits: String = word.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        writeln!(lines, "  {digits:<32}  {line}").expect("a string takes what is written");
        code = rest;
    }
    lines
}
