//! What other tools recorded: `import --list` and `import --program`.

use crate::common::{
    HARNESS, Room, closed_schema,
    recorder::{Recording, buffer},
};
use rstest::rstest;
use serde_json::{Value, json};

/// Reads two octwords of surface 0 and copies them to `r10`:
///
/// ```text
/// mov (8|M0) r20.0<1>:ud 0:ud
/// send (8|M0) r21:ud r20 0xA 0x02180200
/// mov (8|M0) r10.0<1>:ud r21.0<8;8,1>:ud
/// mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud
/// send (8|M0) null<1>:ud r127 0x7 0x02000010 {EOT}
/// ```
const READS: [&str; 5] = [
    "01006000080680220000000000000000",
    "3100600a0802a0228002000600021802",
    "0100600008024021a0028d0000000000",
    "010060000802e02f00008d0000000000",
    "3100600700020020e00f000610000082",
];
/// Samples surface 3 by sampler 1: `send (8|M0) r30:ud r22 0x2 0x04420103`, before the last two.
const SAMPLES: &str = "310060020802c023c002000603014204";

fn code(lines: &[&str]) -> Vec<u8> {
    let digits = lines.concat();
    let byte = |place| u8::from_str_radix(&digits[place..place + 2], 16).expect("hex digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// A kernel that reads a buffer.
fn reading() -> Recording {
    Recording::compute(&code(&READS))
}

/// The same, which samples a surface too.
fn sampling() -> Recording {
    let [first, second, third, fourth, last] = READS;
    Recording::compute(&code(&[first, second, third, SAMPLES, fourth, last]))
}

fn listed(room: &Room, name: &str) -> Value {
    let json = room.run(&format!("import {name} --list --json")).json();
    let schema = closed_schema(room, "import-list");
    let errors: Vec<_> = schema.iter_errors(&json).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    json
}

#[rstest]
#[case::error_state("hang.error", sampling().error_state().into_bytes(), "error state")]
#[case::aub("submit.aub", sampling().aub(), "aub")]
fn surfaces_and_samplers_are_listed(#[case] name: &str, #[case] file: Vec<u8>, #[case] form: &str) {
    let room = Room::new();
    room.file(name, file);
    let json = listed(&room, name);
    assert_eq!((&json["form"], &json["device"]), (&form.into(), &"skl".into()));
    let [program] = &json["programs"].as_array().expect("a list")[..] else { panic!("{json}") };
    assert_eq!(program["name"], "compute 0x300080");
    assert_eq!((&program["stage"], &program["bytes"]), (&"compute".into(), &96.into()));
    assert_eq!(program["address"], 0x0030_0080);
    let registers =
        json!([{ "name": "r0.3:ud", "value": 0x100 }, { "name": "r0.4:ud", "value": 0x200 }]);
    assert_eq!(program["registers"], registers);
    let surfaces = json!([
        { "index": 0, "type": "buffer", "format": "RAW", "address": 0x0040_0020, "bytes": 64, "kept": 64 },
        { "index": 3, "type": "2d", "format": "R8G8B8A8_UNORM", "address": 0x0050_0000, "bytes": 64, "kept": 64 },
    ]);
    assert_eq!(program["surfaces"], surfaces);
    let border = [1_f32, 0.5, 0.25, 0.0].map(f32::to_bits);
    let samplers = json!([{ "index": 1, "state": [0, 0, 0x300, 0], "border": border }]);
    assert_eq!(program["samplers"], samplers);
    let text = room.run(&format!("import {name} --list")).stdout;
    for line in [
        "'compute 0x300080': 96 bytes, compute, address 0x300080\n",
        "  surface 3: 2d, R8G8B8A8_UNORM, address 0x500000, 64 bytes\n",
        "  sampler 1: 00000000 00000000 00000300 00000000\n",
        "  missing: the size of shared local memory",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

/// The buffer reaches the kernel, and the trace is one as others.
#[rstest]
#[case::error_state("hang.error", reading().error_state().into_bytes())]
#[case::aub("submit.aub", reading().aub())]
fn programs_become_traces(#[case] name: &str, #[case] file: Vec<u8>) {
    let room = Room::new();
    room.file(name, file);
    let imported =
        room.run_list(["import", name, "--program", "compute 0x300080", "-o", "kernel.trace"]);
    assert_eq!(imported.code, Some(0), "{}", imported.stderr);
    assert!(imported.stdout.starts_with("kernel.trace: 5 steps, eot\n"), "{}", imported.stdout);
    let bound = "left out: the bound of surface 0 for messages of the data cache: it has 64 bytes, in a case 1,024\n";
    assert!(imported.stdout.contains(bound), "{}", imported.stdout);
    let shown = room.run("show kernel.trace").stdout;
    assert!(shown.contains("r10.7:ud   522067228 1f1e1d1c"), "{shown}");
    let replayed = room.run("replay kernel.trace");
    assert_eq!(replayed.code, Some(0), "{}", replayed.stdout);
    // The surfaces stand in the case, with the addresses that they have there.
    let case = room.run("export kernel.trace").json()["trace"]["case"].to_string();
    assert!(case.contains("surface_states"), "{case}");
    let ran = room.run(&format!("exec --device skl {name} --dump r10 --json"));
    assert_eq!(ran.json()["outcome"], "eot", "{}", ran.stderr);
    let listing = room.run(&format!("disasm --device skl {name}")).stdout;
    assert!(listing.contains("send (8|M0) r21.0<1>:ud r20 0xa 0x02180200"), "{listing}");
}

/// What is in the traces, as others read them.
#[test]
fn imports_are_data_too() {
    let room = Room::new();
    room.file("submit.aub", reading().aub());
    let json = room.run("import submit.aub -o kernel.trace --json").json();
    let schema = closed_schema(&room, "import");
    assert!(schema.is_valid(&json), "{json}");
    assert_eq!((&json["steps"], &json["device"]), (&5.into(), &"skl".into()));
    assert_eq!((&json["program"], &json["divergence"]), (&"compute 0x300080".into(), &Value::Null));
    assert_eq!(json["left_out"].as_array().map(Vec::len), Some(1), "{json}");
}

/// Memory that the recording does not have, surfaces that have no place in a case.
#[test]
fn what_is_missing_is_said() {
    let room = Room::new();
    let mut recording = sampling();
    let is_at = |at: u32| move |run: &&mut (u32, Vec<u8>)| run.0 == at;
    let plane = recording.memory.iter_mut().find(is_at(0x0010_0440)).expect("a surface");
    // 16,384 rows of 16 bytes, and no sampler.
    plane.1[10..12].copy_from_slice(&[0xFF, 0x3F]);
    recording.memory.retain(|(at, _)| ![0x0020_0110, 0x0020_0300, 0x0040_0020].contains(at));
    // The descriptor's own page has the sampler's bytes too, as zeros.
    room.file("hang.error", recording.error_state());
    let imported = room.run("import hang.error -o kernel.trace");
    assert_eq!(imported.code, Some(0), "{}", imported.stderr);
    for line in [
        "missing: bytes of surface 0: of 64 the file has 0\n",
        "missing: the bytes of surface 3: 262,144, where a case has 16,384\n",
        "left out: surface 3 for other messages: there is no room for it in the 16,384 bytes of graphics memory\n",
    ] {
        assert!(imported.stdout.contains(line), "{}", imported.stdout);
    }
    recording.batch[4] = 0;
    room.file("hang.error", recording.error_state());
    let text = room.run("import hang.error --list").stdout;
    assert!(
        text.contains("missing: surfaces: no command sets Surface State Base Address"),
        "{text}"
    );
    assert_eq!(listed(&room, "hang.error")["programs"][0]["surfaces"], json!([]));
}

fn corpus(name: &str) -> Vec<u8> {
    std::fs::read(format!("{HARNESS}/../corpus/containers/{name}")).expect("a file of the corpus")
}

/// What shader files and captures declare.
#[test]
fn programs_of_r700_bring_their_declarations() {
    let room = Room::new();
    room.file("shaders.gsh", corpus("shaders.gsh"));
    room.file("draw.pm4", corpus("draw.pm4"));
    let json = listed(&room, "shaders.gsh");
    let vertex = &json["programs"][0];
    let inputs = json!([{ "kind": "attribute", "name": "pos", "location": 0, "value": [] }]);
    assert_eq!((&vertex["inputs"], &vertex["offset"]), (&inputs, &472.into()));
    assert_eq!(vertex["registers"][0], json!({ "name": "SQ_PGM_RESOURCES_VS", "value": 0x103 }));
    for (name, program, settings) in [
        ("shaders.gsh", "vertex 0", ["\"gpr_count\":3", "\"stack_size\":1", "\"vertex\""]),
        ("shaders.gsh", "pixel 0", ["\"gpr_count\":1", "\"stack_size\":0", "\"pixel\""]),
        ("draw.pm4", "pixel 0x10000100", ["\"gpr_count\":1", "\"stack_size\":0", "\"pixel\""]),
    ] {
        let imported = room.run_list(["import", name, "--program", program, "-o", "p.trace"]);
        assert_eq!(imported.code, Some(0), "{name}, {program}: {}", imported.stderr);
        let case = room.run("export p.trace").json()["trace"]["case"].to_string();
        assert!(settings.iter().all(|setting| case.contains(setting)), "{case}");
    }
}

#[rstest]
#[case::no_such_program(
    "import shaders.gsh --program x -o t",
    "has no kernel x; there are 'vertex 0', 'pixel 0'"
)]
#[case::several("import shaders.gsh -o t", "give --program one of 'vertex 0', 'pixel 0'")]
#[case::another_device(
    "import shaders.gsh --program x --device skl -o t",
    "was compiled for rv770, not skl"
)]
#[case::no_device(
    "import shaders.txt -o t",
    "does not say for which device it is: give one with --device"
)]
#[case::no_output("import shaders.gsh", "--output <FILE>")]
#[case::no_recording("import x.asm --list", "is neither a trace in JSON, which begins with {, nor")]
#[case::json("import x.json --list", "is JSON: --list is for recordings of other tools")]
#[case::coredump("import x.xe --list", "is a device coredump of the xe driver, which is not read")]
fn mistakes_are_refused(#[case] command: &str, #[case] sentence: &str) {
    let room = Room::new();
    room.file("shaders.gsh", corpus("shaders.gsh"));
    room.file("shaders.txt", corpus("shaders.txt"));
    room.file("x.asm", "nop\n");
    room.file("x.json", "{}");
    room.file("x.xe", "**** Xe Device Coredump ****\nkernel: 6.8\n");
    let refused = room.run(command).refused().to_owned();
    assert!(refused.contains(sentence), "{refused}");
}

/// A buffer that decompresses to more than there may be.
#[test]
fn what_decompresses_is_bounded() {
    let room = Room::new();
    let bomb = buffer("user", 0x1000, &vec![0; 257 << 20]);
    room.file("bomb.error", format!("PCI ID: 0x1912\n{bomb}"));
    let refused = room.run("import bomb.error --list").refused().to_owned();
    assert!(refused.contains("line 3: has buffers of more than 256 MiB together"), "{refused}");
}

/// Files that were cut off, or in which a byte is another one: a sentence and exit code 2, or what is still right.
#[rstest]
#[case::error_state("hang.error", sampling().error_state().into_bytes())]
#[case::aub("submit.aub", sampling().aub())]
#[case::gx2("shaders.gsh", corpus("shaders.gsh"))]
#[case::dpm4("draw.pm4", corpus("draw.pm4"))]
fn no_file_does_harm(#[case] name: &str, #[case] whole: Vec<u8>) {
    let room = Room::new();
    for number in 0..30 {
        let mut bytes = whole.clone();
        let at = whole.len() * number / 30;
        match number % 3 {
            0 => bytes.truncate(at),
            1 => bytes[at] ^= 0xFF,
            _ => bytes[at] ^= 1 << (number % 8),
        }
        room.file(name, bytes);
        for command in [format!("import {name} --list"), format!("import {name} -o t")] {
            let ran = room.run(&command);
            let (code, stderr) = (ran.code, &ran.stderr);
            assert!(matches!(code, Some(0 | 2)), "{number}, {command}: {stderr}");
            assert!(!stderr.contains("panicked"), "{number}, {command}: {stderr}");
            assert!(code != Some(2) || !stderr.is_empty(), "{number}, {command}");
        }
    }
}
