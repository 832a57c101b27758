//! Every file in `traces`, a test each: both engines do what was recorded.

use std::{fs, path::PathBuf};

use parallax_lockstep::{outside::Allowance, registry, trace};
use rstest::rstest;

#[rstest]
fn both_engines_do_what_was_recorded(#[files("../../traces/**/*.trace")] file: PathBuf) {
    let bytes = fs::read(&file).expect("readable");
    let machine = trace::machine_of(&bytes).expect("an intact trace");
    let machine = registry::machine(&machine).expect("a machine that there is");
    for name in ["executor", "reference"] {
        let engine =
            registry::under_test(name, Allowance::default()).expect("an engine that there is");
        let replayed = machine.replay(&bytes, &engine).expect("it reads");
        assert_eq!(replayed.difference, None, "{name}");
    }
    // And all of it goes through JSON and back, to a file that says the same.
    let json = machine.export(&bytes).expect("it reads");
    let again = machine.import(&json).expect("it is read as it was written");
    assert_eq!(machine.export(&again).expect("it reads"), json);
}
