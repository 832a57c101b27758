//! What `parallax topology` makes of vertices.

use crate::common::Room;
use rstest::rstest;

#[rstest]
#[case("tristrip 5", "0  triangle   0 1 2\n    1  triangle   1 3 2\n    2  triangle   2 3 4")]
#[case("0x09 9", "0  line       1 2  beside 0 3\n    1  line       5 6  beside 4 7")]
#[case("3DPRIM_PatchList_3 4", "0  patch      0 1 2")]
#[case("22h 3", "0  patch      0 1 2")]
#[case("16 2", "0  line       0 1\n    1  line       1 0")]
fn primitives_are_listed(#[case] arguments: &str, #[case] expected: &str) {
    let finished = Room::new().run(&format!("topology {arguments}"));
    assert_eq!((finished.code, finished.stdout.trim()), (Some(0), expected), "{}", finished.stderr);
}

#[test]
fn primitives_are_data_too() {
    let listed = Room::new().run("topology polygon 4 --json").json();
    let expected = serde_json::json!([
        {"shape": "triangle", "object": 0, "vertices": [0, 1, 2], "adjacent": []},
        {"shape": "triangle", "object": 0, "vertices": [0, 2, 3], "adjacent": []},
    ]);
    assert_eq!(listed, expected);
}

#[test]
fn mistakes_are_explained() {
    let mistakes = [
        "topology trilist 2",
        "topology 0x0c 5",
        "topology patchlist_32 31",
        "topology pointlist 0",
        "topology 0x15 3",
        "topology 0x1d 3",
        "topology 64 3",
        "topology 0x100 3",
        "topology trislist 3",
        "topology trilist 65537",
        "topology trilist -1",
        "topology trilist",
    ];
    let texts = mistakes.map(|arguments| {
        let finished = Room::new().run(arguments);
        assert_eq!(finished.code, Some(2), "{arguments}");
        format!("$ parallax {arguments}\n{}", finished.stderr)
    });
    insta::assert_snapshot!("mistakes", texts.join("\n"));
}
