//! What a trace holds, for people and as JSON: also what surrounds the program.

use crate::common::Room;
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

/// What a step changed is whole, in its type and in hex, in one order of bytes, with what was there before.
#[rstest]
#[case::floats(
    "g45",
    "add (8) r4<1>:f r2<8;8,1>:f 1.5:f\n",
    "--set r2:f=-3 --set r4:f=2",
    &["r4.0:f     -1.5 bfc00000  (was 2.0 40000000)", "r4.1:f     1.5 3fc00000  (was 0.0 00000000)"]
)]
#[case::bytes_of_a_word(
    "skl",
    "mov (2) r4<1>:w r2<2;2,1>:w\n",
    "--set r2:w=-2,256 --set r4:w=-1,255",
    &["r4.0:w     -2 fffe  (was -1 ffff)", "r4.1:w     256 0100  (was 255 00ff)"]
)]
#[case::flags(
    "g45",
    "cmp.g.f0.0 (8) null<1>:f r2<8;8,1>:f 1.5:f\n",
    "--set r2:f=2,0,3",
    &["f0.0       0,2 0005  (was none 0000)"]
)]
fn what_a_step_changed_is_shown_whole(
    #[case] device: &str,
    #[case] program: &str,
    #[case] set: &str,
    #[case] lines: &[&str],
) {
    let room = Room::new();
    room.file("p.asm", program);
    let recorded = room.run(&format!("record --device {device} p.asm {set} -o p.trace"));
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    let shown = room.run("show p.trace").stdout;
    for line in lines {
        assert!(shown.contains(&format!("\n  {line}\n")), "{line} is not in\n{shown}");
    }
    let elements = json(&room, "p.trace")["steps"][0]["elements"].take();
    let first = lines[0].split_whitespace().next().expect("a place");
    let places: Vec<_> = elements.as_array().expect("a list").iter().map(|e| &e["place"]).collect();
    assert!(places.iter().any(|place| *place == first), "{elements}");
}

fn json(room: &Room, trace: &str) -> serde_json::Value {
    let shown = room.run_list(["show", "--json", trace]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    serde_json::from_str(&shown.stdout).expect("it is JSON")
}
