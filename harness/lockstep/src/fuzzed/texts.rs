//! Any bytes as what people and other programs hand over: assembly text, trace files, setup files, what an
//! engine says.

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Syntax,
    eu::{
        Case, Program, State,
        text::{self, Detail},
    },
    r700,
};

use super::device;
use crate::{
    eu::{self, Eu},
    lockstep::{Verdict, lockstep},
    r700::{R700, setup as r700_setup},
    scripted,
    subject::Subject,
    trace::{self, TraceError},
};

/// The device that the first byte chooses, and the text behind it; none if it is no text.
fn source(input: &[u8]) -> Option<(Device, &str)> {
    let (device, source) = device(&Device::EU, input);
    Some((device, std::str::from_utf8(source).ok()?))
}

/// The same of R700.
fn shaders(source: &str) {
    let _ = r700::text::recognise(source);
    for syntax in Syntax::of(Device::Rv770) {
        let Ok(assembly) = r700::text::assemble_as(syntax, source) else { continue };
        let printed = r700::text::print_as(syntax, &assembly.program);
        let again = r700::text::assemble_as(syntax, &printed).expect("what was printed is text");
        assert_eq!(again.program.encode(), assembly.program.encode(), "{printed}");
    }
}

/// Mistakes, or machine code that is printed and read to the same, in every syntax of the device.
pub(super) fn assembly(input: &[u8]) {
    let Some((device, source)) = source(input) else { return };
    shaders(source);
    let _ = text::recognise(device, source);
    for syntax in Syntax::of(device) {
        let Ok(assembly) = text::parse_as(device, syntax, source) else { continue };
        let code = assembly.program.bytes();
        let read = Program::decode(device, code).expect("what was assembled decodes");
        assert_eq!(read.bytes(), code);
        if syntax != Syntax::Manual {
            let printed = text::print_as(syntax, Detail::Exact, &read).to_string();
            let again = text::parse_as(device, syntax, &printed).expect("what was printed is text");
            assert_eq!(again.program.bytes(), code, "{printed}");
        }
    }
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
    let reported = |read: Result<trace::Trace<Eu>, TraceError>| match read {
        Ok(trace) => format!("a trace of {} steps on {}", trace.steps.len(), trace.case.device),
        Err(error) => format!("no trace: {error}"),
    };
    reported(trace::from_bytes(&file(input)))
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

/// A program whose messages meet what a setup file says: a block of a surface, a texel, a pixel.
const MESSAGES: &str = "send (8) r10<1>:ud m1 null 0x04114200
    send (8) r30<1>:ud m1 null 0x02440000
    send (8) null<1>:ud m8 null 0x05604401";

/// A program that fetches what a setup file says.
const FETCHES: &str = "00 TEX:
      LD R1.xyzw, R0.xy00
      SAMPLE R2.xyzw, R0.xy00
01 EXP_DONE: PIX0, R1.xyzw END_OF_PROGRAM
";

/// The devices whose cases have setup files.
const SET_UP: [Device; 5] = [Device::Bw, Device::Cl, Device::Ctg, Device::G45, Device::Rv770];

/// A case in the surroundings of a setup file, on either machine.
enum SetUp {
    Eu(Case),
    R700(Box<r700::Case>),
}

fn set_up(input: &[u8]) -> Result<SetUp, String> {
    let (device, json) = device(&SET_UP, input);
    if device == Device::Rv770 {
        let program = r700::text::parse(FETCHES).map_err(|wrong| format!("{wrong:?}"))?;
        let mut case = r700::Case::new(program.encode());
        r700_setup::apply(&mut case, json)?;
        return Ok(SetUp::R700(Box::new(case)));
    }
    let program = text::parse(device, MESSAGES).map_err(|wrong| format!("{wrong:?}"))?.program;
    let mut case = Case::new(device, program.bytes().to_vec(), Box::new(State::of(device)), 10);
    eu::setup::apply(&mut case, json)?;
    Ok(SetUp::Eu(case))
}

/// A mistake, or surroundings in which both engines do the same.
pub(super) fn setup(input: &[u8]) {
    fn agree<M: Subject>(case: &M::Case) {
        let mut executor = crate::subject::engine::<M>("executor").expect("every machine has one");
        let verdict = lockstep::<M>(&mut *M::reference(), &mut *executor, case);
        if let Verdict::Diverged(divergence) = verdict {
            panic!("{divergence}");
        }
    }
    match set_up(input) {
        Ok(SetUp::Eu(case)) => agree::<Eu>(&case),
        Ok(SetUp::R700(case)) => agree::<R700>(&case),
        Err(_) => {}
    }
}

pub(super) fn setup_input(input: &[u8]) -> String {
    let (device, json) = device(&SET_UP, input);
    let json = String::from_utf8_lossy(json);
    match set_up(input) {
        Ok(_) => format!("a setup file of {device}\n{json}"),
        Err(wrong) => format!("no setup file of {device}: {wrong}\n{json}"),
    }
}
