//! The commands of the page "First commands", run in its order in one folder: each has the exit code that the
//! page says, none panics, and none that fails is silent.

use crate::common::Room;

const PAGE: &str = include_str!("../../../docs/src/evidence/first-commands.md");

/// Splits a command into words; what stands between single quotes is one.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('\'').enumerate();
    let words = parts.flat_map(|(number, part)| match number % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

/// The commands and exit codes of a page's tables.
fn rows(page: &str) -> Vec<(Vec<String>, i32)> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `parallax"));
    let row = |row: &str| {
        let (command, rest) = row.split_once("` | ").expect("a command");
        let code = rest.split(" | ").next().expect("a code");
        (words(command), code.parse().expect("an exit code"))
    };
    rows.map(row).collect()
}

/// What is wrong with the answers to the commands of a page.
fn wrong(page: &str) -> Vec<String> {
    let room = Room::new();
    room.file("add.asm", "add (8) r4<1>:d r2<8;8,1>:d 1:d\n");
    room.file("bad.asm", "frobnicate (8) r4\n");
    room.file("illegal.asm", "mov (8) r4<1>:f r2<16;16,1>:f\n");
    let mut wrong = Vec::new();
    for (command, code) in rows(page) {
        let finished = room.run_list(&command);
        let is_silent = finished.stdout.is_empty() && finished.stderr.is_empty();
        if finished.code != Some(code) || finished.stderr.contains("panicked") || is_silent {
            let name = command.join(" ");
            wrong.push(format!("{name}: {:?}, not {code}: {}", finished.code, finished.stderr));
        }
    }
    wrong
}

#[test]
fn first_commands_are_answered_as_the_page_says() {
    let wrong = wrong(PAGE);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rows(PAGE).len() >= 130, "the page lost commands");
}

/// The check can fail.
#[test]
fn a_wrong_exit_code_on_the_page_is_noticed() {
    assert_eq!(wrong("| `parallax list devices` | 2 | no |").len(), 1);
    assert_eq!(wrong("| `parallax list devices` | 0 | yes |"), [""; 0]);
}
