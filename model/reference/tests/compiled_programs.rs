//! Real shader programs run to their last message and give the words they have to give.

use std::{fs, path::Path};

use parallax_isa::{
    Device, Model, Outcome, Step,
    eu::{Case, Opcode, State, decode::decode},
};
use parallax_reference::eu::Reference;
use serde_json::Value;

fn words(value: &Value) -> Vec<u32> {
    let words = value.as_array().expect("a list of words").iter();
    words.map(|word| u32::from_str_radix(word.as_str().unwrap(), 16).unwrap()).collect()
}

/// Machine code written as hex text, one instruction a line.
fn machine_code(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(u8::is_ascii_hexdigit)
        .map(|d| (d as char).to_digit(16).unwrap() as u8)
        .collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// The opcodes of a program.
fn opcodes(mut code: &[u8]) -> Vec<Opcode> {
    let mut opcodes = Vec::new();
    while !code.is_empty() {
        let (instruction, size) = decode(Device::G45, code).expect("a compiled program decodes");
        opcodes.push(instruction.opcode);
        code = &code[size..];
    }
    opcodes
}

#[test]
fn compiled_programs_give_the_expected_words() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/programs/g45/compiled");
    let (mut run, mut failed) = (0, Vec::new());
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    for path in files.iter().filter(|path| path.extension().is_some_and(|e| e == "json")) {
        let item: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let code = machine_code(&fs::read_to_string(path.with_extension("hex")).unwrap());
        if item["kind"] == "approx" || !is_modelled(&opcodes(&code)) {
            continue;
        }
        let mut state = Box::new(State::new());
        for (index, word) in words(&item["uniform"]).into_iter().enumerate() {
            state.grf[2 + index / 8][4 * (index % 8)..][..4].copy_from_slice(&word.to_le_bytes());
        }
        let case = Case::new(Device::G45, code, state, 100_000);
        let mut reference = Reference::new();
        reference.load(&case).unwrap();
        let outcome = loop {
            if let Step::Finished(outcome) = reference.step() {
                break outcome;
            }
        };
        assert_eq!(outcome, Outcome::EndOfThread, "{}", path.display());
        let output = &item["output"];
        let number = |key: &str| output[key].as_u64().unwrap() as usize;
        let registers: &[[u8; 32]] =
            if output["file"] == "m" { &reference.state().mrf } else { &reference.state().grf };
        for (component, expected) in words(&item["expected"]).into_iter().enumerate() {
            for channel in 0..16 {
                // One register apart, the components are written with Compr4: the second eight
                // channels stand four registers after the first.
                let second = if number("step") == 1 { 4 } else { 1 };
                let register = number("base") + component * number("step") + channel / 8 * second;
                let bytes = &registers[register][4 * (channel % 8)..][..4];
                let actual = u32::from_le_bytes(bytes.try_into().unwrap());
                if actual != expected {
                    let name = path.file_stem().unwrap().display().to_string();
                    failed
                        .push(format!("{name} {component}[{channel}] {actual:08X} {expected:08X}"));
                }
            }
        }
        run += 1;
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert_eq!(run, 79, "programs that need no extended math");
}

/// Whether a program sends no message but the last, so that it needs no shared function.
fn is_modelled(opcodes: &[Opcode]) -> bool {
    !opcodes[..opcodes.len() - 1].contains(&Opcode::Send)
}
