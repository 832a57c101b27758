//! Shader programs of a production compiler, with their known results.

use std::{fs, path::Path};

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Model, Outcome,
    eu::{Case, State},
};
use serde_json::Value;

/// Where the programs are.
fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/programs/g45/compiled")
}

fn bytes_of_hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).expect("a hex digit") as u8)
        .collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn words(list: &Value) -> Vec<u32> {
    let word = |value: &Value| u32::from_str_radix(value.as_str().expect("text"), 16).expect("hex");
    list.as_array().expect("a list").iter().map(word).collect()
}

/// Runs a program: the uniforms in r2 to r5, everything else zero, all channels enabled.
fn run(program: Vec<u8>, uniform: &[u32], step_by_step: bool) -> (Outcome, State) {
    let mut state = Box::new(State::new());
    for (place, word) in state.grf[2..6].as_flattened_mut().chunks_exact_mut(4).zip(uniform) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    let case = Case::new(Device::G45, program, state, 100_000);
    let mut executor = Executor::new();
    executor.load(&case).expect("every compiled program decodes");
    if step_by_step {
        while executor.step() == parallax_isa::Step::Continue {}
    }
    (executor.run(), *executor.state())
}

/// Whether a result is the expected one: of programs that approximate, within 2e-3 of the number.
fn holds(meta: &Value, component: usize, actual: u32) -> bool {
    if meta["kind"] != "approx" {
        return actual == words(&meta["expected"])[component];
    }
    let exact = meta["expected_f64"][component].as_f64().expect("a number");
    (f64::from(f32::from_bits(actual)) - exact).abs() <= 2e-3 * exact.abs()
}

/// What is wrong with the result of a program, if anything.
fn check(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).expect("readable");
    let meta: Value = serde_json::from_str(&text).expect("json");
    let program = bytes_of_hex(&fs::read_to_string(path.with_extension("hex")).expect("hex"));
    let uniform = words(&meta["uniform"]);
    let (outcome, state) = run(program.clone(), &uniform, false);
    if (outcome.clone(), state) != run(program, &uniform, true) {
        return Err("step by step it ends otherwise".into());
    }
    if outcome != Outcome::EndOfThread {
        return Err(format!("ended with {outcome}"));
    }
    let output = &meta["output"];
    let number = |key: &str| output[key].as_u64().expect("a number") as usize;
    let file: &[[u8; 32]] = if output["file"] == "m" { &state.mrf } else { &state.grf };
    for component in 0..4 {
        let register = &file[number("base") + component * number("step")];
        for (channel, element) in register.chunks_exact(4).enumerate() {
            let actual = u32::from_le_bytes(element.try_into().expect("four bytes"));
            if !holds(&meta, component, actual) {
                return Err(format!("component {component}, channel {channel}: {actual:08x}"));
            }
        }
    }
    Ok(())
}

#[test]
fn compiled_programs_give_the_expected_words() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for entry in fs::read_dir(folder()).expect("the corpus folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "json") {
            match check(&path) {
                Ok(()) => checked += 1,
                Err(why) => wrong.push(format!("{}: {why}", path.display())),
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(checked, 96);
}
