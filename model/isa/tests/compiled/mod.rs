//! The compiled programs of Gen12, for the tests and the bench of the software scoreboard.

use std::{fs::File, io::Read, path::Path};

use parallax_isa::{Device, eu::Program, hex};

/// Ids and programs.
pub(crate) fn compiled() -> Vec<(String, Program)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/compiled/dg1.jsonl.gz");
    let mut lines = String::new();
    let file = File::open(path).expect("the corpus");
    flate2::read::GzDecoder::new(file).read_to_string(&mut lines).expect("text");
    let program = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let words = value["code"].as_array().expect("a list").iter();
        let code: Vec<u8> =
            words.flat_map(|word| hex::parse(word.as_str().expect("text")).expect("hex")).collect();
        let id = value["id"].as_str().expect("an id").to_owned();
        (id, Program::decode(Device::Dg1, &code).expect("it decodes"))
    };
    lines.lines().map(program).collect()
}
