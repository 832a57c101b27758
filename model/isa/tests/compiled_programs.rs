//! The compiled programs of Gen7, Gen9 and Gen12 through decoder, encoder, compaction and text.

use std::{fs::File, io::Read, path::Path};

use parallax_isa::{
    Device, Syntax,
    eu::{
        decode::decode,
        encode::{encode, encode_shortest},
        instruction::Instruction,
        program::{self, Program},
        text::{self, Detail},
    },
    hex,
};

/// Id, machine code of each instruction, and the compiler's disassembly of each.
struct Compiled {
    id: String,
    code: Vec<Vec<u8>>,
    assembly: Vec<String>,
}

fn programs(device: Device) -> Vec<Compiled> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/compiled");
    let file = File::open(folder.join(format!("{device}.jsonl.gz"))).expect("the corpus");
    let mut lines = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut lines).expect("text");
    let program = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let strings = |key: &str| -> Vec<String> {
            let list = value[key].as_array().expect("a list").iter();
            list.map(|item| item.as_str().expect("a string").to_owned()).collect()
        };
        let code = strings("code").iter().map(|word| hex::parse(word).expect("hex")).collect();
        let id = value["id"].as_str().expect("an id").to_owned();
        Compiled { id, code, assembly: strings("asm") }
    };
    lines.lines().map(program).collect()
}

/// Every instruction of the programs of a device, decoded, and what it is in the corpus.
fn instructions(device: Device) -> Vec<(Vec<u8>, Instruction, String)> {
    let mut all = Vec::new();
    for program in programs(device) {
        for (index, bytes) in program.code.iter().enumerate() {
            let what = format!("{} {index}: {}", program.id, program.assembly[index]);
            match decode(device, bytes) {
                Ok((instruction, length)) => {
                    assert_eq!(length, bytes.len(), "{what}");
                    all.push((bytes.clone(), instruction, what));
                }
                Err(error) => panic!("{what}: {error}"),
            }
        }
    }
    all
}

#[test]
fn every_word_encodes_to_its_bytes() {
    for device in Device::LATER {
        assert_eq!(programs(device).len(), 185);
        for (bytes, instruction, what) in instructions(device) {
            assert_eq!(encode(device, &instruction).as_ref(), Ok(&bytes), "{what} {instruction:?}");
            // Branches of Gen12 have some in operands that they do not have.
            let residue = if instruction.branch.is_some() { 0 } else { instruction.residue };
            assert_eq!(residue, 0, "{what}: {residue:#034x}");
            assert_eq!(instruction.compact_residue, 0, "{what}");
        }
    }
}

/// A program of one generation that is given to a device of another is recognised.
#[test]
fn programs_of_other_devices_look_like_what_they_are() {
    for device in Device::LATER {
        for program in programs(device) {
            let code = program.code.concat();
            for other in [Device::G45, Device::Ivb, Device::Skl, Device::Dg1] {
                let likeness = program::looks_like(other, &code);
                let expected = (other != device).then_some(device);
                assert_eq!(likeness, expected, "{} on {other}", program.id);
            }
        }
    }
}

#[test]
fn compact_words_are_the_shortest_form_of_what_they_stand_for() {
    for device in Device::LATER {
        for (bytes, instruction, what) in instructions(device) {
            let full = Instruction { compact: false, ..instruction };
            let native = encode(device, &full).expect("it has a native form");
            let (again, length) = decode(device, &native).expect("and that decodes");
            assert_eq!((again, length), (full, 16), "{what}");
            if instruction.compact {
                assert_eq!(encode_shortest(device, &full), Ok(bytes), "{what}");
            }
        }
    }
}

#[test]
fn programs_are_read_whole() {
    for device in Device::LATER {
        for program in programs(device) {
            let bytes = program.code.concat();
            let decoded = Program::decode(device, &bytes).expect("it decodes");
            let instructions = decoded.instructions();
            assert_eq!(instructions.len(), program.code.len(), "{}", program.id);
            let again = Program::assemble(device, instructions.iter().map(|i| i.instruction));
            assert_eq!(again.expect("it assembles").bytes(), bytes, "{}", program.id);
        }
    }
}

#[test]
fn text_is_read_back() {
    for device in Device::LATER {
        for program in programs(device) {
            let decoded = Program::decode(device, &program.code.concat()).expect("it decodes");
            let lines = decoded.instructions().iter();
            let lines: Vec<_> = lines.map(|i| text::print(device, &i.instruction)).collect();
            let assembly = text::parse(device, &lines.join("\n"));
            let assembly = assembly.unwrap_or_else(|wrong| {
                let wrong = &wrong[0];
                panic!("{}: {}: {}", program.id, lines[wrong.line - 1], wrong.message)
            });
            assert_eq!(assembly.program.bytes(), decoded.bytes(), "{}", program.id);
        }
    }
}

/// In each syntax of a device, with labels; what has a text there stands as such.
#[test]
fn text_of_other_tools_is_read_back() {
    for device in Device::LATER {
        for syntax in Syntax::of(device).filter(|syntax| *syntax != Syntax::Manual) {
            for program in programs(device) {
                let decoded = Program::decode(device, &program.code.concat()).expect("it decodes");
                let text = text::print_as(syntax, Detail::Readable, &decoded).to_string();
                assert!(!text.contains(".inline_inst"), "{} in {syntax}: {text}", program.id);
                let text = text::print_as(syntax, Detail::Exact, &decoded).to_string();
                assert_eq!(text::recognise(device, &text), syntax, "{}: {text}", program.id);
                match text::parse_as(device, syntax, &text) {
                    Ok(read) => assert_eq!(read.program.bytes(), decoded.bytes(), "{}", program.id),
                    Err(wrong) => panic!("{}", wrong[0].render(&program.id, &text)),
                }
            }
        }
    }
}
