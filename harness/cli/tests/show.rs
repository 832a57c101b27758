//! What a trace holds, for people and as JSON: also what surrounds the program.

mod common;

use common::Room;
use rstest::rstest;

/// The trace of a folder of the repository.
fn trace(name: &str) -> String {
    format!("{}/../../traces/{name}.trace", env!("CARGO_MANIFEST_DIR"))
}

#[rstest]
#[case::surfaces(
    "g45/regressions/mirror-once-subpixel-a-hair-inside",
    &[
        "\nsurroundings\n",
        "surface_states[104]  00000000 00000000 00000000 00000000 00000000 00000000 00000000 000001fe\n",
        ".binding_table  64\n",
        ".palettes.0  16 rows more, which --json has\n",
    ]
)]
#[case::registers_of_a_program("r700/calls", &["\nsurroundings\n", "  gpr_count  "])]
fn what_surrounds_a_program_is_shown(#[case] name: &str, #[case] parts: &[&str]) {
    let (room, trace) = (Room::new(), trace(name));
    let shown = room.run_list(["show", &trace]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    for part in parts {
        assert!(shown.stdout.contains(part), "{part} is not in\n{}", shown.stdout);
    }
    let surroundings = json(&room, &trace)["surroundings"].take();
    assert!(surroundings.is_object(), "{surroundings}");
}

#[test]
fn a_plain_program_has_no_surroundings() {
    let room = Room::new();
    room.file("sum.asm", "add (8) r4<1>:ud r2<8;8,1>:ud r3<8;8,1>:ud\n");
    let recorded = room.run("record --device skl sum.asm --shared-function none -o sum.trace");
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    let shown = room.run("show sum.trace");
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    assert!(!shown.stdout.contains("surroundings"), "{}", shown.stdout);
    assert!(json(&room, "sum.trace")["surroundings"].is_null());
}

fn json(room: &Room, trace: &str) -> serde_json::Value {
    let shown = room.run_list(["show", "--json", trace]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    serde_json::from_str(&shown.stdout).expect("it is JSON")
}
