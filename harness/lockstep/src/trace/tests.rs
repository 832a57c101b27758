use std::fs;

use parallax_isa::{
    Device,
    eu::{Case, State, text},
};

use super::*;
use crate::eu::Eu;

/// A trace of a few instructions.
fn sample() -> Trace<Eu> {
    let source = "mov (8) r1<1>:f 1.5:f
        add.nz.f0.0 (8) r2<1>:f r1<8;8,1>:f -2.0:f
        frc (8) r3<1>:f r2<8;8,1>:f";
    let program = text::parse(Device::G45, source).expect("it assembles").program;
    let case = Case::new(Device::G45, program.bytes().to_vec(), Box::new(State::new()), 100);
    let mut reference = parallax_reference::eu::Reference::new();
    Trace::record(&mut reference, &case).expect("it runs")
}

fn sample_bytes() -> Vec<u8> {
    to_bytes(&sample()).expect("it is small")
}

fn read_bytes(bytes: &[u8]) -> Result<Trace<Eu>, TraceError> {
    from_bytes(bytes)
}

#[test]
fn a_trace_is_read_as_it_was_written() {
    assert_eq!(read_bytes(&sample_bytes()).expect("it reads"), sample());
}

#[test]
fn every_flipped_byte_is_noticed() {
    let bytes = sample_bytes();
    for place in 0..bytes.len() {
        for flip in [0x01, 0x80, 0xFF] {
            let mut damaged = bytes.clone();
            damaged[place] ^= flip;
            assert!(read_bytes(&damaged).is_err(), "byte {place} with {flip:#x}");
        }
    }
}

#[test]
fn every_cut_is_noticed() {
    let bytes = sample_bytes();
    for length in 0..bytes.len() {
        assert!(read_bytes(&bytes[..length]).is_err(), "cut to {length} bytes");
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert!(read_bytes(&longer).is_err(), "a byte too many");
}

#[test]
fn a_newer_version_is_named() {
    let mut bytes = sample_bytes();
    bytes[8] = 99;
    let error = read_bytes(&bytes).expect_err("it is newer").to_string();
    assert!(error.contains("99"), "{error}");
}

#[test]
fn arbitrary_bytes_are_no_trace() {
    for bytes in [&b""[..], b"PLXTRACE", b"not a trace at all, but long enough for a header"] {
        assert!(read_bytes(bytes).is_err());
    }
}

#[test]
fn files_that_are_none_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(read::<Eu>(folder.path()).is_err(), "a folder");
    assert!(read::<Eu>(&folder.path().join("missing")).is_err(), "nothing there");
    let huge = folder.path().join("huge");
    fs::File::create(&huge).and_then(|file| file.set_len(100 << 20)).expect("a sparse file");
    assert!(read::<Eu>(&huge).is_err(), "100 MB of zeros");
}

#[test]
fn a_failed_write_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("a writable folder");
    assert!(write(&file.join("a.trace"), &sample()).is_err());
    fs::remove_file(file).expect("a writable folder");
    let target = folder.path().join("a.trace");
    write(&target, &sample()).expect("a writable folder");
    assert_eq!(read::<Eu>(&target).expect("it reads"), sample());
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1);
}

#[test]
fn a_writer_that_fails_leaves_what_was_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("a.trace");
    write(&target, &sample()).expect("a writable folder");
    let error = write_with(&target, |file| {
        file.write_all(b"PLXTRACE, and then the disk is full")?;
        Err(io::ErrorKind::StorageFull.into())
    });
    let message = error.expect_err("the disk is full").to_string();
    assert!(message.contains("a.trace: cannot write"), "{message}");
    assert_eq!(read::<Eu>(&target).expect("it reads"), sample());
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1);
}

#[test]
fn the_executor_replays_it() {
    let mut executor = parallax_executor::eu::Executor::new();
    let divergence = replay(&sample(), &mut executor).expect("it loads");
    assert!(divergence.is_none(), "{divergence:?}");
}

/// Version 1 had cases without shared functions.
#[test]
fn the_first_version_is_read() {
    let Trace { case, steps, outcome, digest } = sample();
    let surroundings = (case.surroundings.system_routine, &case.surroundings.events);
    let first = (case.device, &case.program, &case.state, case.step_limit, surroundings);
    let mut content = codec::encode(&Head { machine: Eu::NAME.to_owned() }).expect("small");
    content.extend(codec::encode(&(first, &steps, &outcome, digest)).expect("small"));
    let mut bytes = with_header(&content).expect("small");
    bytes[8] = 1;
    let packed = &bytes[HEADER..];
    let sum = checksum(1, content.len() as u32, packed);
    bytes[16..HEADER].copy_from_slice(&sum.to_le_bytes());
    assert_eq!(read_bytes(&bytes).expect("it reads"), sample());
}
