//! The check of the software scoreboard form by form: small programs with what is wrong with them, fixed to
//! the letter, and programs beside them that have nothing wrong.

use crate::fixes::{fixed, parsed};
use parallax_isa::{
    Device,
    eu::{
        Program,
        hazards::check::{Conflict, Hazard, hazards, not_followed},
        text,
    },
};

/// Programs with what is expected of them.
const WRONG: &str = include_str!("scoreboard_forms/wrong.txt");
const CLEAN: &str = include_str!("scoreboard_forms/clean.txt");

/// A program of a table.
#[derive(Default)]
struct Row<'t> {
    name: &'t str,
    findings: Vec<&'t str>,
    program: Vec<String>,
    /// The program as it has to be.
    right: Vec<String>,
}

fn rows(table: &'static str) -> impl Iterator<Item = Row<'static>> {
    table.split("\n\n").skip(1).map(|block| {
        let mut row = Row::default();
        for line in block.lines() {
            if let Some(name) = line.strip_prefix("# ") {
                row.name = name;
            } else if let Some(finding) = line.strip_prefix("> ") {
                row.findings.push(finding);
            } else if let Some(added) = line.strip_prefix("+ ") {
                row.right.push(added.to_owned());
            } else if let Some((wrong, code)) = line.split_once("  => ") {
                let bare = wrong.split(" {").next().unwrap_or(wrong);
                row.program.push(wrong.to_owned());
                row.right.push(format!("{bare} {code}"));
            } else {
                row.program.push(line.to_owned());
                row.right.push(line.to_owned());
            }
        }
        row
    })
}

fn described(hazard: &Hazard) -> String {
    let what = match hazard.conflict {
        Conflict::ReadsUnwritten => "reads",
        Conflict::OverwritesUnwritten => "overwrites",
        Conflict::OverwritesUnread => "overwrites unread",
    };
    format!("{} {what} r{} of {}", hazard.consumer, hazard.register, hazard.producer)
}

fn texts(program: &Program) -> Vec<String> {
    let placed = program.instructions().iter();
    placed.map(|placed| text::print(Device::Dg1, &placed.instruction)).collect()
}

#[test]
fn what_is_wrong_is_found_and_fixed() {
    let mut count = 0;
    for Row { name, findings, program, right } in rows(WRONG) {
        let [wrong, right] = [program, right].map(|lines| parsed(&lines.join("\n")));
        let found = hazards(&wrong);
        assert_eq!(found.iter().map(described).collect::<Vec<_>>(), findings, "{name}");
        assert!(!found.is_empty(), "{name}");
        assert_eq!(texts(&fixed(&wrong, &found)), texts(&right), "{name}");
        assert_eq!(hazards(&right), [], "{name}");
        count += 1;
    }
    assert_eq!(count, 50);
}

#[test]
fn what_is_right_is_not_found() {
    let mut count = 0;
    for Row { name, program, .. } in rows(CLEAN) {
        assert_eq!(hazards(&parsed(&program.join("\n"))), [], "{name}");
        count += 1;
    }
    assert_eq!(count, 29);
}

/// Where a register says where the thread goes on, nothing follows it.
#[test]
fn jumps_through_registers_are_named() {
    for (lines, expected) in [
        (&["jmpi (1|M0) r6.0<0;1,0>:d {NoMask}", "nop"][..], &[0][..]),
        (&["nop", "brd (8|M0) r6.0<0;1,0>:d"], &[1]),
        (&["call (8|M0) r8.0<1>:ud r6.0<0;1,0>:d", "ret (8|M0) r8.0<2;2,1>:ud"], &[0]),
        (&["ret (8|M0) r8.0<2;2,1>:ud"], &[0]),
        (&["call (8|M0) r8.0<1>:ud S", "nop", "S: ret (8|M0) r8.0<2;2,1>:ud"], &[]),
        (&["N: (f0.0) while (8|M0) N", "goto (8|M0) N N"], &[]),
    ] {
        assert_eq!(not_followed(&parsed(&lines.join("\n"))), expected, "{lines:?}");
    }
}
