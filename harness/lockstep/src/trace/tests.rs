use std::{
    fs,
    io::{self, Write},
};

use parallax_isa::{
    Device,
    eu::{Case, State, text},
};

use rstest::rstest;
use smallvec::smallvec;

use super::{
    file::{Head, write_with},
    *,
};
use crate::{codec, eu::Eu};

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

/// A damaged file can hold an end without a step that leads there.
#[test]
fn a_trace_without_a_step_has_no_free_run() {
    let trace = Trace::<Eu> { steps: Vec::new(), ..sample() };
    let mut executor = parallax_executor::eu::Executor::new();
    assert_eq!(replay_freely(&trace, &mut executor, 1).expect("it loads"), None);
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
fn other_versions_are_refused() {
    let mut bytes = sample_bytes();
    for (version, advice) in [(99, "use a newer one"), (4, "record it again")] {
        bytes[8] = version;
        let error = read_bytes(&bytes).expect_err("it is of another version").to_string();
        assert!(
            error.contains(&format!("version {version},")) && error.ends_with(advice),
            "{error}"
        );
    }
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

/// A file of today's version with other names of banks, steps and digest than the sample's.
fn with(banks: &[&str], change: (u16, u32, u16), digest: u32) -> Vec<u8> {
    let Trace { case, outcome, .. } = sample();
    let mut content = codec::encode(&Head { machine: Eu::NAME.to_owned() }).expect("small");
    let nothing: &[(u16, u32, u16, u8, u64, u32)] = &[];
    let steps = [(&[(change, &[0u8; 4][..])][..], nothing)];
    content.extend(codec::encode(&(case, banks, &steps[..], outcome, digest)).expect("small"));
    with_header(&content).expect("small")
}

#[rstest]
#[case(&["r", "q"], (0, 0, 0), "there is no bank `q`; there are r, m, acc, tmevent, ms, pcip, a, f, mask")]
#[case(&["r", "m"], (0, 1024, 0), "element 1024 lies outside of the bank `r`, which has 1024")]
#[case(&["r", "m"], (1, 127, 1), "element 127 lies outside of the bank `m`, which has 128")]
#[case(&["r", "m"], (2, 0, 0), "it names bank 2 of 2")]
fn places_that_are_none_are_refused(
    #[case] banks: &[&str],
    #[case] change: (u16, u32, u16),
    #[case] sentence: &str,
) {
    let error = read_bytes(&with(banks, change, 0)).expect_err("it is damaged").to_string();
    assert!(error.contains(sentence), "{error}");
}

#[test]
fn a_bank_that_is_there_is_read_by_its_name() {
    let trace = read_bytes(&with(&["ip", "m"], (1, 8, 0), 0)).expect("it reads");
    let change = Change { offset: std::mem::offset_of!(State, mrf) + 32, bytes: smallvec![0; 4] };
    assert_eq!(trace.steps[0].changes, [change]);
    let named: Vec<_> = trace.banks.iter().map(|bank| bank.name).collect();
    assert_eq!(named, ["ip", "m"]);
}

#[test]
fn a_wrong_digest_is_a_difference() {
    let trace = Trace { digest: 1, ..sample() };
    let mut executor = parallax_executor::eu::Executor::new();
    let divergence = replay(&trace, &mut executor).expect("it loads").expect("it differs");
    assert_eq!(divergence.difference.places()[0].name, "digest of the last state");
}

#[test]
fn a_step_that_differs_names_its_rules() {
    let mut trace = sample();
    let change = trace.steps[1].changes.iter_mut().find(|change| change.offset / 32 == 2);
    let change = change.expect("r2 is written");
    let byte = change.offset % 32;
    change.bytes[0] ^= 1;
    let mut executor = parallax_executor::eu::Executor::new();
    let divergence = replay(&trace, &mut executor).expect("it loads").expect("it differs");
    assert_eq!(divergence.step, 1);
    let (own, shared) = divergence.rules.split_at(divergence.implicated);
    assert!(own[0].rule().id.starts_with("g45.inst.add."), "{own:?}");
    assert!(own.iter().any(|rule| rule.rule().id == "g45.cond.ne"), "{own:?}");
    assert!(!shared.is_empty());
    let place = &divergence.difference.places()[0];
    assert_eq!((place.name.clone(), place.bytes), (format!("r2.{byte}"), Some((byte, byte))));
}
