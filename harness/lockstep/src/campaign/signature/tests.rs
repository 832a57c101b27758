use super::*;
use crate::{
    form::{Executed, Features},
    suite,
};

/// The features of the instructions here.
const FEATURES: [&str; 2] = ["a predicate", "NoMask"];

/// Those with NoMask set flags.
fn form(name: &str, features: [bool; 2]) -> Form {
    let [_, sets_flags] = features;
    let features = features.into_iter().collect::<Features>();
    Form { name: name.to_owned(), features, sets_flags }
}

fn seen(case: u64, kind: &str, form: Form) -> Seen {
    let what = suite::Sighting::of_place(kind.to_owned(), String::new(), Default::default());
    let what = suite::Sighting { form, ..what };
    Seen { case, seed: case, what, is_silent: false }
}

/// What 40 instructions of each name and all features come to on an engine that is wrong where `differs` says
/// so.
fn census(names: &[&str], differs: fn(&str, [bool; 2]) -> Option<&'static str>) -> Census {
    let mut census = Census::default();
    for number in 0..40 {
        for name in names {
            let features = [number % 2 == 0, number % 3 == 0];
            let case = census.differed.len() as u64;
            match differs(name, features) {
                Some(what) => {
                    let mnemonic = name.split(' ').next().expect("a word");
                    let kind = format!("{mnemonic} {what}");
                    census.differ(seen(case, &kind, form(name, features)), Vec::new());
                }
                None => {
                    census.agree(Executed { forms: vec![form(name, features)], rules: Vec::new() });
                }
            }
        }
    }
    census
}

fn texts(census: &Census) -> Vec<String> {
    let signatures = signatures([(0, census)]);
    signatures.iter().map(|signature| signature.text(&FEATURES).to_string()).collect()
}

const NAMES: [&str; 9] = [
    "add :d <- :d",
    "add :f <- :f",
    "add :ud <- :ud",
    "add :w <- :w",
    "and :d <- :d",
    "mul :d <- :d",
    "or :d <- :d",
    "sel :d <- :d",
    "xor :d <- :d",
];

#[test]
fn what_nothing_differs_in_has_no_signature() {
    assert!(texts(&census(&NAMES, |_, _| None)).is_empty());
}

#[test]
fn what_several_instructions_do_wrong_is_one_signature() {
    let census = census(&NAMES, |_, [_, no_mask]| no_mask.then_some("result"));
    assert_eq!(texts(&census), ["any instruction with NoMask"]);
}

#[test]
fn mistakes_of_instructions_stand_beside_those_that_they_share() {
    let census = census(&NAMES, |name, [predicate, _]| {
        let of_add = name == "add :f <- :f" || name == "xor :d <- :d";
        (of_add || predicate).then_some("result")
    });
    let texts = texts(&census);
    let expected = ["any instruction with a predicate", "add :f <- :f", "xor"];
    assert_eq!(texts, expected);
}

/// What sets flags at all tells nothing of those that set them wrongly.
#[test]
fn wrong_flags_are_told_apart_from_right_ones() {
    let census = census(&NAMES, |_, features| (features == [true; 2]).then_some("f"));
    assert_eq!(texts(&census), ["any instruction with a predicate"]);
}

/// An instruction whose result is wrong in one form, and whose flags are in another.
#[test]
fn wrong_flags_stand_beside_wrong_results() {
    let census = census(&NAMES, |name, features| match name {
        "add :f <- :f" if features[0] => Some("result"),
        "sel :d <- :d" if features[1] => Some("f"),
        _ => None,
    });
    assert_eq!(texts(&census), ["add :f <- :f", "sel"]);
}

#[test]
fn failures_and_wrong_results_are_apart() {
    let census = census(&NAMES, |name, [predicate, _]| match name {
        "add :f <- :f" => Some("lost"),
        _ => predicate.then_some("result"),
    });
    let texts = texts(&census);
    assert_eq!(texts, ["any instruction with a predicate", "add :f <- :f"]);
}
