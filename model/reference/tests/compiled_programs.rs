//! Real shader programs run to their last message and give the words they have to give.

use std::{fs, path::Path};

use parallax_isa::{
    Device, Model, Outcome, Step,
    eu::{Case, State},
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

/// Whether a result is the expected one: of programs that approximate, within 2e-3 of the number.
fn holds(item: &Value, component: usize, actual: u32) -> bool {
    if item["kind"] != "approx" {
        return actual == words(&item["expected"])[component];
    }
    let exact = item["expected_f64"][component].as_f64().expect("a number");
    (f64::from(f32::from_bits(actual)) - exact).abs() <= 2e-3 * exact.abs()
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
        for component in 0..4 {
            for channel in 0..16 {
                // One register apart, the components are written with Compr4: the second eight
                // channels stand four registers after the first.
                let second = if number("step") == 1 { 4 } else { 1 };
                let register = number("base") + component * number("step") + channel / 8 * second;
                let bytes = &registers[register][4 * (channel % 8)..][..4];
                let actual = u32::from_le_bytes(bytes.try_into().unwrap());
                if !holds(&item, component, actual) {
                    let name = path.file_stem().unwrap().display().to_string();
                    failed.push(format!("{name} {component}[{channel}] {actual:08X}"));
                }
            }
        }
        run += 1;
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert_eq!(run, 96);
}
