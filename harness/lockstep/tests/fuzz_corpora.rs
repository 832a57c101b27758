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

/// Bytes that the seeds may come to, and all of `corpus`.
const MOST_BYTES: u64 = 8_000_000;

#[test]
fn every_target_has_minimised_seeds_and_all_are_small() {
    for target in TARGETS {
        let found = seeds(target.name());
        let is_minimised = |path: &PathBuf| {
            path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("min-"))
        };
        let minimised = found.iter().filter(|(path, _)| is_minimised(path)).count();
        assert!(minimised >= 50, "{}: only {minimised}", target.name());
    }
    let bytes = size(&PathBuf::from(format!("{ROOT}/corpus")));
    assert!(bytes < MOST_BYTES, "{bytes} bytes");
}

/// Bytes of the files in a folder and the folders in it.
fn size(folder: &PathBuf) -> u64 {
    let entries = fs::read_dir(folder).expect("a folder");
    let sizes = entries.map(|entry| {
        let entry = entry.expect("an entry");
        match entry.file_type().expect("a type").is_dir() {
            true => size(&entry.path()),
            false => entry.metadata().expect("a size").len(),
        }
    });
    sizes.sum()
}

#[rstest]
fn what_has_to_hold_of_seeds_holds(#[files("../../fuzz/fuzz_targets/*.rs")] file: PathBuf) {
    let name = file.file_stem().and_then(|name| name.to_str()).expect("plain letters");
    let target = fuzzed::target(name).expect("a target that there is");
    let executor = UnderTest::Named("executor".to_owned());
    let seeds = seeds(name);
    assert!(seeds.len() >= 5, "only {} seeds", seeds.len());
    let (mut programs, mut empty) = (0, 0);
    for (path, input) in seeds {
        let held = target.hold(&input, &executor).expect("every machine has an executor");
        assert!(matches!(held, Held::Holds), "{}: {held:?}", path.display());
        match target.input(&input) {
            Ok(Input::Case(machine, trace)) => {
                let shown = machine.show(&trace).expect("a trace");
                programs += 1;
                empty += usize::from(shown.program.is_empty());
            }
            Ok(Input::Text(text)) => assert!(!text.is_empty()),
            Err(problem) => panic!("{}: {problem}", path.display()),
        }
    }
    // A tree of no statement is a program too, of few bytes.
    assert!(10 * empty <= programs, "{empty} of {programs} cases have no program");
}

/// Machine code that was found on one device is held on all of them.
#[test]
fn seeds_of_machine_code_hold_on_every_device() {
    let target = fuzzed::target("eu_code").expect("a target that there is");
    let executor = UnderTest::Named("executor".to_owned());
    let seeds = seeds("eu_code");
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
    // Those that a fuzzer found may be damaged.
    let of_people = |(path, _): &(PathBuf, Vec<u8>)| {
        !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("min-"))
    };
    for (path, bytes) in seeds("trace_file").into_iter().filter(of_people) {
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
