//! Comments that name a decision name one that `decisions.md` has.

use std::{fs, path::Path};

use parallax_spec::rules::is_decision;

/// The ids that follow a beginning in the sources below a folder, which are no decisions.
fn unknown(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            unknown(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            let named =
                text.split("// Decision ").skip(1).filter_map(|rest| rest.split('.').next());
            found.extend(named.filter(|id| !is_decision(id)).map(str::to_owned));
        }
    }
}

#[test]
fn comments_name_decisions_that_there_are() {
    let mut found = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for folder in ["model/isa/src", "model/reference/src", "harness/lockstep/src"] {
        unknown(&root.join(folder), &mut found);
    }
    assert_eq!(found, [""; 0]);
}
