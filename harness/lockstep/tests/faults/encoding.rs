//! The suite `eu-encoding` against decoders with a fault.

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Engine, EngineError, Extent, LoadError, Step,
    eu::{Case, Opcode, Reading, Reads, State},
};
use parallax_lockstep::{
    eu::{Eu, suites::encoding},
    suite::Suite,
};
use parallax_spec::{coverage, family};
use rstest::rstest;

use crate::{fault_injection::Faulty, faults::eu::fault};

impl Reads for Faulty<Eu> {}

/// A decoder that takes one field for another is noticed by what the instruction does.
#[rstest]
#[case::offset(|| Faulty::new(fault("address offset off by 16")))]
#[case::swizzle(|| Faulty::new(fault("swizzle rotated")))]
#[case::any_for_all(|| Faulty::new(fault("any taken for all")))]
fn a_field_taken_for_another_is_noticed(#[case] engine: fn() -> Faulty<Eu>) {
    let suite = encoding(Device::G45, engine);
    let mut worker = suite.worker();
    let noticed = |seed| worker.run(seed).diverged.map(|seen| (seed, seen.kind));
    let (seed, kind) = (0..300).find_map(noticed).expect("it is noticed");
    assert!(kind.starts_with("meaning"), "{kind}");
    let finding = worker.investigate(seed).expect("it is still there");
    assert!(finding.trace.is_some() && finding.instructions == 1, "{finding:?}");
}

/// An executor that takes a word for another.
struct Misreading {
    executor: Executor,
    misread: fn(u128) -> u128,
    /// It says rightly what it takes the word for.
    tells: bool,
}

impl Misreading {
    fn misread(&self, code: &[u8]) -> Vec<u8> {
        let Ok(native) = code.try_into() else { return code.to_vec() };
        (self.misread)(u128::from_le_bytes(native)).to_le_bytes().to_vec()
    }
}

impl Engine<Eu> for Misreading {
    fn name(&self) -> &str {
        "misreading"
    }

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        let case = Case { program: self.misread(&case.program), ..case.clone() };
        Engine::load(&mut self.executor, &case)
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        Engine::step(&mut self.executor)
    }

    fn state(&self) -> Result<&State, EngineError> {
        Engine::state(&self.executor)
    }

    fn adopt(&mut self, extent: Extent, from: &State) -> Result<(), EngineError> {
        Engine::adopt(&mut self.executor, extent, from)
    }
}

impl Reads for Misreading {
    fn reading(&self, device: Device, code: &[u8]) -> Option<Result<Reading, String>> {
        let code = if self.tells { code.to_vec() } else { self.misread(code) };
        self.executor.reading(device, &code)
    }
}

fn get(word: u128, low: u32, width: u32) -> u128 {
    word >> low & ((1 << width) - 1)
}

fn is(word: u128, opcodes: &[Opcode]) -> bool {
    let code = get(word, 0, 7) as u8;
    opcodes.iter().any(|opcode| opcode.code(Device::Dg1) == Some(code))
}

/// A word with one of two values of a field taken for the other.
fn exchanged(word: u128, low: u32, width: u32, [one, other]: [u128; 2]) -> u128 {
    match get(word, low, width) {
        value if value == one || value == other => word ^ (one ^ other) << low,
        _ => word,
    }
}

const DATA: &[Opcode] = &[Opcode::Mov, Opcode::Add];

/// The destination's type, of two codes the one for the other.
fn destination(word: u128, codes: [u128; 2]) -> u128 {
    if is(word, DATA) { exchanged(word, 36, 4, codes) } else { word }
}

/// The same of a constant that is moved.
fn constant(word: u128, codes: [u128; 2]) -> u128 {
    let is_constant = is(word, &[Opcode::Mov]) && get(word, 46, 1) == 1;
    if is_constant { exchanged(word, 40, 4, codes) } else { word }
}

/// The type of the first of three sources, integers or floats: a code taken for another.
fn ternary(word: u128, floats: u128, [code, other]: [u128; 2]) -> u128 {
    let is_ternary = is(word, &[Opcode::Mad]) && get(word, 39, 1) == floats;
    if is_ternary && get(word, 40, 3) == code { word ^ (code ^ other) << 40 } else { word }
}

/// The halves of a constant of 64 bits, as they stood before Gen12.
fn halves(word: u128) -> u128 {
    let is_wide = is(word, &[Opcode::Mov]) && get(word, 46, 1) == 1;
    if !is_wide || ![3, 7, 11].contains(&get(word, 40, 4)) {
        return word;
    }
    get(word, 0, 64) | get(word, 64, 32) << 96 | get(word, 96, 32) << 64
}

/// A bit of a distance of a branch to a label.
fn distance(word: u128, opcode: Opcode, bit: u32) -> u128 {
    if is(word, &[opcode]) && get(word, 46, 1) == 1 { word ^ 1 << bit } else { word }
}

/// A bit of the code of the software scoreboard, where its upper half is one of these.
fn scoreboard(word: u128, opcodes: &[Opcode], upper: &[u128], bit: u32) -> u128 {
    if is(word, opcodes) && upper.contains(&get(word, 12, 4)) { word ^ 1 << bit } else { word }
}

/// Codes that no program tells from one another: of types that are refused, of functions and branches
/// that nothing describes, of what is waited for. What the decoders say they are does, and the rule is
/// at stake.
#[rstest]
#[case("dg1.regtype.code-0011b", |word| destination(word, [3, 7]))]
#[case("dg1.regtype.code-0111b", |word| destination(word, [7, 11]))]
#[case("dg1.regtype.code-1011b", |word| destination(word, [11, 3]))]
#[case("dg1.immtype.code-0011b", |word| constant(word, [3, 7]))]
#[case("dg1.immtype.code-0111b", |word| constant(word, [7, 11]))]
#[case("dg1.immtype.code-1011b", |word| constant(word, [11, 3]))]
#[case("gen12.isa.enc.imm", halves)]
#[case("dg1.ternary.code-011b.int", |word| ternary(word, 0, [3, 7]))]
#[case("dg1.ternary.code-111b.int", |word| ternary(word, 0, [7, 3]))]
#[case("dg1.ternary.code-011b.float", |word| ternary(word, 1, [3, 2]))]
#[case("dg1.math.code-1110b", |word| {
    if is(word, &[Opcode::Math]) { exchanged(word, 92, 4, [14, 15]) } else { word }
})]
#[case("dg1.math.code-1111b", |word| {
    if is(word, &[Opcode::Math]) { exchanged(word, 92, 4, [15, 7]) } else { word }
})]
#[case("dg1.opcode.brd", |word| exchanged(word, 0, 7, [0x21, 0x22]))]
#[case("dg1.opcode.brc", |word| exchanged(word, 0, 7, [0x23, 0x22]))]
#[case("dg1.opcode.brd", |word| distance(word, Opcode::Brd, 100))]
#[case("dg1.opcode.brc", |word| distance(word, Opcode::Brc, 70))]
#[case("gen12.isa.swsb.regdist", |word| scoreboard(word, DATA, &[0], 8))]
#[case("gen12.isa.swsb.dst", |word| scoreboard(word, DATA, &[2], 12))]
#[case("gen12.isa.swsb.src", |word| scoreboard(word, DATA, &[3], 12))]
#[case("gen12.isa.swsb.set", |word| scoreboard(word, &[Opcode::Math], &[4], 8))]
#[case("gen12.isa.swsb.combo", |word| scoreboard(word, DATA, &[9, 10, 11, 12], 14))]
fn a_code_that_no_program_tells_is_noticed(#[case] rule: &str, #[case] misread: fn(u128) -> u128) {
    let kind =
        noticed(rule, move || Misreading { executor: Executor::new(), misread, tells: false });
    // Of three floats there is one code of 64 bits: taken for another, the program is loaded.
    let is_only_one = rule == "dg1.ternary.code-011b.float";
    assert!(kind.starts_with(if is_only_one { "acceptance" } else { "reading" }), "{kind}");
}

/// A code without an operation raises an exception: an engine that passes it over is found when it
/// runs.
#[test]
fn an_operation_that_there_is_not_is_noticed() {
    const NOP: u128 = 0x60;
    let misread: fn(u128) -> u128 = |word| if get(word, 0, 7) == 0x7F { NOP } else { word };
    let engine = move || Misreading { executor: Executor::new(), misread, tells: true };
    let kind = noticed("dg1.opcode.unlisted", engine);
    assert!(kind.starts_with("meaning"), "{kind}");
}

/// The kind of the first difference that a suite of words finds in an engine for Gen12, with a rule at
/// stake.
fn noticed(rule: &str, engine: impl Fn() -> Misreading + Copy + Send + Sync + 'static) -> String {
    const SEEDS: u64 = 8_000;
    let rule = family::rule(rule);
    let suite = encoding(Device::Dg1, engine);
    let mut worker = suite.worker();
    let implicated = |seed| {
        coverage::drop_marks();
        let kind = worker.run(seed).diverged.map(|seen| seen.kind)?;
        (coverage::take().uses(rule).failed > 0).then_some(kind)
    };
    (0..SEEDS).find_map(implicated).expect("it is noticed")
}
