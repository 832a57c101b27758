//! Shader programs of a production compiler for R700, with their known results. They were made for
//! shipped hardware, so they run with the `silicon` profile.

use std::{fs, path::Path};

use parallax_executor::r700::Executor;
use parallax_isa::{
    Model, Outcome,
    r700::{Case, Profile},
};
use serde_json::Value;

fn words(list: &Value) -> Vec<u32> {
    let word = |value: &Value| u32::from_str_radix(value.as_str().expect("text"), 16).expect("hex");
    list.as_array().expect("a list").iter().map(word).collect()
}

/// What is wrong with the result of a program, if anything.
fn check(meta: &Value, program: Vec<u32>) -> Result<(), String> {
    let mut case = Case::new(program);
    case.profile = Profile::Silicon;
    let uniform = words(&meta["uniform"]);
    case.constants.buffers =
        vec![uniform.chunks_exact(4).map(|c| [c[0], c[1], c[2], c[3]]).collect()];
    let mut executor = Executor::new();
    executor.load(&case).map_err(|error| error.to_string())?;
    let outcome = executor.run();
    if outcome != Outcome::Halted {
        return Err(format!("ended with {outcome}"));
    }
    for pixel in [0, 17, 63] {
        let actual = [0, 1, 2, 3].map(|element| executor.state().exports[0][element][pixel]);
        let near = |(expected, bits): (&Value, &u32)| {
            let expected: f64 = expected.to_string().trim_matches('"').parse().expect("a number");
            (expected - f64::from(f32::from_bits(*bits))).abs() <= 2e-3 * expected.abs()
        };
        let accepted = if meta["kind"] == "approx" {
            let expected = meta["expected_f64"].as_array().expect("a list");
            expected.iter().zip(&actual).all(near)
        } else {
            words(&meta["expected"]) == actual
        };
        if !accepted {
            return Err(format!("pixel {pixel} exports {actual:08x?}"));
        }
    }
    Ok(())
}

#[test]
fn every_program_exports_the_expected_words() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/programs/r700/compiled");
    let mut failures = Vec::new();
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the corpus") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("readable");
        let meta: Value = serde_json::from_str(&text).expect("json");
        let hex = fs::read_to_string(path.with_extension("hex")).expect("hex");
        let dwords = hex.split_whitespace().map(|w| u32::from_str_radix(w, 16).expect("hex"));
        if let Err(problem) = check(&meta, dwords.collect()) {
            failures.push(format!("{}: {problem}", path.display()));
        }
        count += 1;
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(count, 135);
}
