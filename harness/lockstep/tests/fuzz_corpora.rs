//! The seeds and findings of the fuzz targets: what has to hold of them holds.

use std::{collections::BTreeSet, fs, path::PathBuf};

use parallax_executor::eu::Executor;
use parallax_isa::Device;
use parallax_lockstep::{
    eu::Eu,
    fuzzed::{self, Held, Input, TARGETS},
    subject::UnderTest,
    trace,
};
use rstest::rstest;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn seeds(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(format!("{ROOT}/corpus/{target}")).expect("a folder of seeds");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.map(|path| (path.clone(), fs::read(path).expect("readable"))).collect()
}

#[test]
fn every_target_has_a_file_and_an_entry_that_name_it() {
    let known: BTreeSet<_> = TARGETS.iter().map(|target| target.name().to_owned()).collect();
    assert_eq!(known.len(), TARGETS.len());
    let manifest = fs::read_to_string(format!("{ROOT}/fuzz/Cargo.toml")).expect("readable");
    let mut files = BTreeSet::new();
    for entry in fs::read_dir(format!("{ROOT}/fuzz/fuzz_targets")).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("plain letters");
        let source = fs::read_to_string(&path).expect("readable");
        assert!(source.contains(&format!("hold(\"{name}\", ")), "{name}");
        assert!(manifest.contains(&format!("fuzz_targets/{name}.rs")), "{name}");
        files.insert(name.to_owned());
    }
    assert_eq!(files, known);
}

#[rstest]
fn what_has_to_hold_of_seeds_holds(#[files("../../fuzz/fuzz_targets/*.rs")] file: PathBuf) {
    let name = file.file_stem().and_then(|name| name.to_str()).expect("plain letters");
    let target = fuzzed::target(name).expect("a target that there is");
    let executor = UnderTest::Named("executor".to_owned());
    let seeds = seeds(name);
    assert!(seeds.len() >= 5, "only {} seeds", seeds.len());
    for (path, input) in seeds {
        let held = target.hold(&input, &executor).expect("every machine has an executor");
        assert!(matches!(held, Held::Holds), "{}: {held:?}", path.display());
        match target.input(&input) {
            Ok(Input::Case(machine, trace)) => {
                let shown = machine.show(&trace).expect("a trace");
                assert!(!shown.program.is_empty(), "{}", path.display());
            }
            Ok(Input::Text(text)) => assert!(!text.is_empty()),
            Err(problem) => panic!("{}: {problem}", path.display()),
        }
    }
}

/// Machine code that was found on one device is held on all of them.
#[test]
fn seeds_of_machine_code_hold_on_every_device() {
    let target = fuzzed::target("eu_decode").expect("a target that there is");
    let executor = UnderTest::Named("executor".to_owned());
    let seeds = seeds("eu_decode");
    assert!(seeds.len() > 40, "only {} files were found", seeds.len());
    for (path, mut input) in seeds {
        for number in 0..Device::EU.len() {
            let Some(first) = input.first_mut() else { continue };
            *first = number as u8;
            let held = target.hold(&input, &executor).expect("nothing is missing");
            assert!(matches!(held, Held::Holds), "{} on {number}: {held:?}", path.display());
        }
    }
}

#[test]
fn seeds_of_trace_files_are_traces() {
    let mut files = [0, 0];
    for (path, bytes) in seeds("trace_file") {
        // The first byte says whether the header is in the file.
        let (is_content, rest) = bytes.split_first().expect("not empty");
        let file = match is_content {
            1 => trace::with_header(rest).expect("small"),
            _ => rest.to_vec(),
        };
        let read = trace::from_bytes::<Eu>(&file);
        let read = read.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(trace::replay(&read, &mut Executor::new()).expect("it loads"), None);
        files[usize::from(*is_content)] += 1;
    }
    assert!(files.iter().all(|count| *count > 10), "{files:?} files were found");
}
