//! What shells and `man` are told of the command.

mod common;

use std::fs;

use common::Room;
use rstest::rstest;

#[rstest]
#[case("bash")]
#[case("zsh")]
#[case("fish")]
#[case("elvish")]
#[case("powershell")]
fn shells_complete_every_subcommand(#[case] shell: &str) {
    let room = Room::new();
    let script = room.run(&format!("completions {shell}"));
    assert_eq!(script.code, Some(0), "{}", script.stderr);
    for word in ["merge", "replay", "minimize", "completions", "stop-after"] {
        assert!(script.stdout.contains(word), "{word}");
    }
}

#[test]
fn a_shell_that_is_not_known_is_refused() {
    let refused = Room::new().run("completions tcsh");
    assert!(refused.refused().contains("bash"), "{}", refused.stderr);
}

#[test]
fn every_subcommand_has_a_manual_page() {
    let room = Room::new();
    let whole = room.run("man").stdout;
    assert!(whole.contains(".TH") && whole.contains("parallax\\-run(1)"), "{whole}");
    let written = room.run("man --out pages");
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    for name in ["parallax", "parallax-run", "parallax-format-list", "parallax-engine-check"] {
        let page = fs::read_to_string(room.path().join(format!("pages/{name}.1")));
        assert!(page.expect(name).contains(&name.replace('-', "\\-")), "{name}");
    }
    room.file("file", "");
    let refused = room.run("man --out file");
    assert!(refused.refused().contains("file"), "{}", refused.stderr);
}
