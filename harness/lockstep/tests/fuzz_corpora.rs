//! The seeds and findings of the fuzz targets. Of `eu_decode`: any bytes are taken up by both engines or
//! refused, on every device, without a panic; what decodes is the same in machine code and as text. Of
//! `trace_file`: all of them are traces.

use std::fs;

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Model, Step,
    eu::{Case, State, decode::decode, encode::encode, text},
};
use parallax_lockstep::{eu::Eu, trace};
use parallax_reference::eu::Reference;

#[test]
fn any_bytes_are_run_or_refused() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/eu_decode");
    let mut files = 0;
    for entry in fs::read_dir(folder).expect("the corpus") {
        let bytes = fs::read(entry.expect("an entry").path()).expect("readable");
        // The first byte chooses the device for the fuzzer.
        let Some((_, code)) = bytes.split_first() else { continue };
        for device in Device::GEN4 {
            if let Ok((instruction, length)) = decode(device, code) {
                assert_eq!(encode(device, &instruction).expect("encodes"), code[..length]);
                let written = text::print(device, &instruction);
                let read = text::parse(device, &written).expect("it assembles");
                assert_eq!(read.program.bytes(), &code[..length], "{written}");
            }
            let case = Case::new(device, code.to_vec(), Box::new(State::new()), 64);
            let mut reference = Reference::new();
            if reference.load(&case).is_ok() {
                while reference.step() == Step::Continue {}
            }
            let mut executor = Executor::new();
            if executor.load(&case).is_ok() {
                executor.run();
            }
        }
        files += 1;
    }
    assert!(files > 40, "only {files} files were found");
}

#[test]
fn seeds_of_trace_files_are_traces() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/trace_file");
    let mut files = [0, 0];
    for entry in fs::read_dir(folder).expect("the corpus") {
        let path = entry.expect("an entry").path();
        let bytes = fs::read(&path).expect("readable");
        // The first byte says whether the header is in the file.
        let (is_content, rest) = bytes.split_first().expect("not empty");
        let file = match is_content {
            1 => trace::with_header(rest).expect("small"),
            _ => rest.to_vec(),
        };
        let read = trace::from_bytes::<Eu>(&file);
        let read = read.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(trace::replay(&read, &mut Executor::new()).expect("it loads"), None);
        files[usize::from(*is_content)] += 1;
    }
    assert!(files.iter().all(|count| *count > 10), "{files:?} files were found");
}
