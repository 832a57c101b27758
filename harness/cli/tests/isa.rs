//! What `parallax isa` shows of the tables.

use crate::common::Room;

fn shown(arguments: &str) -> String {
    let finished = Room::new().run(&format!("isa {arguments}"));
    assert_eq!(finished.code, Some(0), "{arguments}: {}", finished.stderr);
    finished.stdout
}

#[test]
fn an_instruction_of_a_device() {
    insta::assert_snapshot!("mad_on_dg1", shown("--device dg1 mad"));
    insta::assert_snapshot!("sync_on_dg1", shown("--device dg1 SYNC"));
}

#[test]
fn how_an_instruction_is_written() {
    let forms = "text\n  break (8) LABEL\n  break (8) LABEL pop N\n";
    assert!(shown("--device g45 break").contains(forms));
    assert!(shown("--device ivb break").contains("text\n  break (8) JIP UIP\n"));
    assert!(
        shown("--device dg1 send").contains("  send.SFID (8) dst src0 src1 EXTENDED DESCRIPTOR\n")
    );
}

#[test]
fn what_changed_of_an_instruction() {
    insta::assert_snapshot!("mul_skl_dg1", shown("--diff skl dg1 mul"));
}

#[test]
fn what_changed_between_devices() {
    insta::assert_snapshot!("skl_dg1", shown("--diff skl dg1"));
    assert!(shown("--diff dg1 dg1").starts_with("only dg1: none\nonly dg1: none\n"));
}

#[test]
fn all_instructions_of_a_device() {
    let text = shown("--device dg1");
    assert!(text.lines().any(|line| line.starts_with("5Bh   mad ")), "{text}");
    for device in ["bw", "cl", "ctg", "g45", "ivb", "skl", "dg1"] {
        assert!(shown(&format!("--device {device}")).lines().count() > 40, "{device}");
    }
}

#[test]
fn an_instruction_of_r700() {
    insta::assert_snapshot!("muladd_on_rv770", shown("--device rv770 muladd"));
    insta::assert_snapshot!("sample_on_rv770", shown("--device rv770 SAMPLE"));
    let all = shown("--device rv770");
    assert!(all.lines().any(|line| line.starts_with("ALU_WORD1_OP3") && line.contains(" MULADD ")));
    let list = Room::new().run("isa --device rv770 --json").json();
    assert!(list.as_array().is_some_and(|all| all.len() > 200));
}

#[test]
fn sheets_are_data_too() {
    let sheet = Room::new().run("isa --device dg1 add --json").json();
    assert_eq!((&sheet["opcode"], &sheet["device"]), (&0x40.into(), &"dg1".into()));
    assert!(sheet["types"].as_array().is_some_and(|types| types.len() > 3));
    let difference = Room::new().run("isa --diff ivb dg1 --json").json();
    assert!(difference["new"].as_array().is_some_and(|new| new.contains(&"sync".into())));
}

#[test]
fn mistakes_are_explained() {
    let mistakes = [
        "isa",
        "isa --device rv770 MULAD",
        "isa --device dg1 pln",
        "isa --device dg1 frobnicate",
        "isa --diff skl",
        "isa --diff skl rv770",
        "isa --diff skl dg1 --device dg1",
    ];
    let texts = mistakes.map(|arguments| {
        let finished = Room::new().run(arguments);
        assert_eq!(finished.code, Some(2), "{arguments}");
        format!("$ parallax {arguments}\n{}", finished.stderr)
    });
    insta::assert_snapshot!("mistakes", texts.join("\n"));
}
