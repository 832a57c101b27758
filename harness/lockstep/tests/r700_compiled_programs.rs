//! The compiled R700 programs on both engines, compared after every step.

use std::{fs, path::Path};

use parallax_executor::r700::Executor;
use parallax_isa::{
    Outcome, hex,
    r700::{Case, Profile},
};
use parallax_lockstep::{Verdict, lockstep::lockstep, r700::R700};
use parallax_reference::r700::Reference;

/// The words between the brackets behind a key of a small JSON file.
fn words(json: &str, key: &str) -> Vec<u32> {
    let (_, rest) = json.split_once(&format!("\"{key}\": [")).expect("the key");
    let (list, _) = rest.split_once(']').expect("a list");
    let words = list.split(',').map(|word| word.trim().trim_matches('"'));
    words.map(|word| u32::from_str_radix(word, 16).expect("hexadecimal")).collect()
}

#[test]
fn compiled_programs_agree() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/programs/r700/compiled");
    let (mut run, mut failed) = (0, Vec::new());
    for entry in fs::read_dir(folder).expect("the corpus") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let json = fs::read_to_string(&path).expect("text");
        let program = fs::read_to_string(path.with_extension("hex")).expect("text");
        let bytes = hex::parse(&program).expect("hexadecimal");
        let dwords = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let mut case = Case::new(dwords.collect());
        case.profile = Profile::Silicon;
        case.constants.buffers = vec![words(&json, "uniform").as_chunks().0.to_vec()];
        let verdict = lockstep::<R700>(&mut Reference::new(), &mut Executor::new(), &case);
        run += 1;
        match verdict {
            Verdict::Agreed(agreement) if agreement.outcome == Outcome::Halted => {}
            other => {
                let mut text = format!("{other:?}");
                text.truncate(600);
                failed.push(format!("{}: {text}", path.display()));
            }
        }
    }
    assert!(failed.is_empty(), "{} of {run}:\n{}", failed.len(), failed.join("\n"));
    assert_eq!(run, 135);
}
