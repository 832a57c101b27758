//! Any bytes as machine code.

use std::fmt::Write as _;

use parallax_executor as executor;
use parallax_isa::{
    Device, Machine, Model, Step,
    eu::{Case, Eu, State, decode::decode, encode::encode, legality, text},
    r700::{self, R700},
};

use super::device;

/// What decodes encodes to the same bytes, as machine code and through assembly text; legality judges
/// it; both engines load it and run it, or refuse it.
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
    let case = Case::new(device, code.to_vec(), Box::new(State::of(device)), STEPS);
    run::<Eu>(&case, crate::eu::reference(), executor::eu::Executor::new());
}

/// Steps that machine code may take.
const STEPS: u64 = 64;

/// Runs a case on both engines, or sees them refuse it.
fn run<M: Machine>(
    case: &M::Case,
    mut reference: impl Model<Machine = M>,
    mut executor: impl Model<Machine = M>,
) {
    if reference.load(case).is_ok() {
        while reference.step() == Step::Continue {}
    }
    if executor.load(case).is_ok() {
        while executor.run_for(u64::MAX) == Step::Continue {}
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

pub(super) fn dwords(input: &[u8]) -> Vec<u32> {
    let words = input.chunks_exact(8).flat_map(|word| word.chunks_exact(4));
    words.map(|dword| u32::from_le_bytes([dword[0], dword[1], dword[2], dword[3]])).collect()
}

/// A program that decodes encodes to the same words, also through text; legality judges it; both engines
/// load it and run it, or refuse it.
pub(super) fn r700(input: &[u8]) {
    let dwords = dwords(input);
    if let Ok(program) = r700::Program::decode(&dwords) {
        assert_eq!(program.encode(), dwords);
        let written = r700::text::print(&program);
        let read =
            r700::text::parse(&written).unwrap_or_else(|wrong| panic!("{wrong:?}\n{written}"));
        assert_eq!(read.encode(), dwords, "{written}");
        let _ = r700::legality::check(&program, &r700::legality::Settings::default());
    }
    let case = r700::Case { step_limit: STEPS, ..r700::Case::new(dwords) };
    run::<R700>(&case, crate::r700::reference(), executor::r700::Executor::new());
}

/// As much of a program as decodes, and what is wrong with the rest.
pub(super) fn r700_input(input: &[u8]) -> String {
    let (program, errors) = r700::Program::read(&dwords(input));
    let mut lines = format!("machine code of rv770\n{}", r700::text::print(&program));
    for error in errors {
        writeln!(lines, "{error}").expect("a string takes what is written");
    }
    lines
}
