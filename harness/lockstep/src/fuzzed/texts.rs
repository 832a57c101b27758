//! Any bytes as what people and other programs hand over: assembly text, trace files, what an engine says.

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device,
    eu::{Program, text},
};

use super::device;
use crate::{
    eu::Eu,
    scripted,
    trace::{self, TraceError},
};

/// The device that the first byte chooses, and the text behind it; none if it is no text.
fn source(input: &[u8]) -> Option<(Device, &str)> {
    let (device, source) = device(&Device::EU, input);
    Some((device, std::str::from_utf8(source).ok()?))
}

/// Mistakes, or machine code that is printed and read to the same.
pub(super) fn assembly(input: &[u8]) {
    let Some((device, source)) = source(input) else { return };
    let Ok(assembly) = text::parse(device, source) else { return };
    let code = assembly.program.bytes();
    let read = Program::decode(device, code).expect("what was assembled decodes");
    assert_eq!(read.bytes(), code);
}

pub(super) fn assembly_input(input: &[u8]) -> String {
    match source(input) {
        None => "bytes that are no text".to_owned(),
        Some((device, source)) => format!("assembly text for {device}\n{source}"),
    }
}

/// The bytes of a trace file; a leading 1 makes the rest the content of one whose header and checksum
/// are right.
fn file(input: &[u8]) -> Vec<u8> {
    match input.split_first() {
        Some((1, content)) => trace::with_header(content).unwrap_or_default(),
        Some((_, file)) => file.to_vec(),
        None => Vec::new(),
    }
}

/// An error, or a trace that is written as it was read and replays.
pub(super) fn trace(input: &[u8]) {
    let Ok(read) = trace::from_bytes::<Eu>(&file(input)) else { return };
    let written = trace::to_bytes(&read).expect("what was read can be written");
    assert!(trace::from_bytes::<Eu>(&written).expect("it reads again") == read);
    if read.case.step_limit <= 1 << 16 {
        let _ = trace::replay(&read, &mut Executor::new());
    }
}

pub(super) fn trace_input(input: &[u8]) -> String {
    let told = |read: Result<trace::Trace<Eu>, TraceError>| match read {
        Ok(trace) => format!("a trace of {} steps on {}", trace.steps.len(), trace.case.device),
        Err(error) => format!("no trace: {error}"),
    };
    told(trace::from_bytes(&file(input)))
}

/// The harness takes an engine outside of this process for what it is, whatever it says.
pub(super) fn protocol(input: &[u8]) {
    scripted::hold(input);
}

pub(super) fn protocol_input(input: &[u8]) -> String {
    let what = match input.first() {
        Some(first) if first & 3 != 0 => "answers of an engine after a hello that is right",
        _ => "all that an engine says",
    };
    let digits: String = input.iter().skip(1).take(64).map(|byte| format!("{byte:02x}")).collect();
    format!("{what}, {} bytes: {digits}", input.len().saturating_sub(1))
}
