//! Real R700 shader programs run to their pixel export and give the words they have to give.

use std::{fs, path::Path};

use parallax_isa::{
    Model, Outcome, Step, hex,
    r700::{Case, Profile},
};
use parallax_reference::r700::Reference;
use serde_json::Value;

fn words(value: &Value) -> Vec<u32> {
    let words = value.as_array().expect("a list of words").iter();
    words.map(|word| u32::from_str_radix(word.as_str().unwrap(), 16).unwrap()).collect()
}

/// The case of a program: its uniforms are the first constants of buffer 0.
fn case(program: &str, uniforms: &[u32]) -> Case {
    let bytes = hex::parse(program).expect("hexadecimal dwords");
    let dwords = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let mut case = Case::new(dwords.collect());
    case.profile = Profile::Silicon;
    case.constants.buffers = vec![uniforms.as_chunks().0.to_vec()];
    case
}

/// What every pixel exports, or what went wrong.
fn exported(case: &Case) -> Result<[u32; 4], String> {
    let mut reference = Reference::new();
    reference.load(case).map_err(|error| error.to_string())?;
    let outcome = loop {
        if let Step::Finished(outcome) = reference.step() {
            break outcome;
        }
    };
    if outcome != Outcome::Halted {
        return Err(outcome.to_string());
    }
    let export = &reference.state().exports[0];
    let first = export.map(|element| element[0]);
    let same = export.iter().zip(first).all(|(lanes, word)| lanes.iter().all(|&l| l == word));
    if same { Ok(first) } else { Err("pixels differ".to_owned()) }
}

/// Whether a word is within two parts in a thousand of a number.
#[expect(clippy::float_arithmetic, reason = "the tolerance of a test")]
fn is_near(word: u32, expected: &Value) -> bool {
    let actual = f64::from(f32::from_bits(word));
    match expected.as_str().and_then(|number| number.parse::<f64>().ok()) {
        Some(expected) => (actual - expected).abs() <= 2e-3 * expected.abs().max(f64::MIN_POSITIVE),
        None => false,
    }
}

#[test]
fn compiled_programs_give_the_expected_words() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/programs/r700/compiled");
    let (mut run, mut failed) = (0, Vec::new());
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    for path in files.iter().filter(|path| path.extension().is_some_and(|e| e == "json")) {
        let item: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let program = fs::read_to_string(path.with_extension("hex")).unwrap();
        run += 1;
        let good = exported(&case(&program, &words(&item["uniform"]))).map(|actual| {
            let good = match item["expected_f64"].as_array() {
                Some(expected) => actual.iter().zip(expected).all(|(a, e)| is_near(*a, e)),
                None => actual[..] == words(&item["expected"])[..],
            };
            (good, format!("{actual:08x?}"))
        });
        if !matches!(good, Ok((true, _))) {
            failed.push(format!("{}: {good:?}", path.file_stem().unwrap().display()));
        }
    }
    assert!(failed.is_empty(), "{} of {run} failed:\n{}", failed.len(), failed.join("\n"));
    assert_eq!(run, 135);
}
