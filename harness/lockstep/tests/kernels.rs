//! Kernels as the vendor's compiler writes them: nothing in them is illegal, nothing that has to wait does not, and
//! both engines leave in memory what a CPU does. What is wrong with them and nothing else shows a restriction that
//! is too narrow, or a kind of instruction or message that is missing.

use std::{fs::File, io::Read, path::Path};

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Model, Outcome, Step,
    eu::{Case, Eu as Machine, State, hazards::check::hazards, legality, program::Program},
    hex,
};
use parallax_lockstep::{
    eu::Eu,
    lockstep::{Verdict, lockstep},
};
use parallax_reference::eu::Reference;
use parallax_spec::Severity;
use rstest::rstest;
use serde_json::Value;

/// The steps that a thread may take.
const LIMIT: u64 = 200_000;

fn kernels(device: Device) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/kernels");
    let file = File::open(folder.join(format!("{device}.jsonl.gz"))).expect("the corpus");
    let mut lines = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut lines).expect("text");
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn bytes(value: &Value) -> Vec<u8> {
    hex::parse(value.as_str().expect("text")).expect("hex")
}

/// A thread of a kernel, with the memory that the one before left.
fn case(device: Device, code: &[u8], thread: &Value, memory: &[u8]) -> Case {
    let mut state = Box::new(State::of(device));
    let mask = thread["mask"].as_str().expect("a mask").trim_start_matches("0x");
    let mask = u32::from_str_radix(mask, 16).expect("hex");
    (state.status[2], state.status[3]) = (mask, mask);
    let registers = bytes(&thread["registers"]);
    state.grf.as_flattened_mut()[..registers.len()].copy_from_slice(&registers);
    state.memory.global[..memory.len()].copy_from_slice(memory);
    Case::new(device, code.to_vec(), state, LIMIT)
}

/// Global memory where an engine by itself ends a case.
fn run(mut engine: impl Model<Machine = Machine>, case: &Case, id: &str) -> Vec<u8> {
    engine.load(case).expect("it loads");
    loop {
        if let Step::Finished(outcome) = engine.step() {
            assert_eq!(outcome, Outcome::EndOfThread, "{id}");
            return engine.state().memory.global.to_vec();
        }
    }
}

#[rstest]
#[case(Device::Skl, 20)]
#[case(Device::Dg1, 18)]
fn kernels_compute_what_a_cpu_does(#[case] device: Device, #[case] count: usize) {
    let kernels = kernels(device);
    assert_eq!(kernels.len(), count);
    for kernel in kernels {
        let id = kernel["id"].as_str().expect("an id");
        let code = bytes(&kernel["code"]);
        let mut memory = bytes(&kernel["memory"]);
        for thread in kernel["threads"].as_array().expect("threads") {
            let case = case(device, &code, thread, &memory);
            match lockstep::<Eu>(&mut Reference::new(), &mut Executor::new(), &case) {
                Verdict::Agreed(agreement) => {
                    assert_eq!(agreement.outcome, Outcome::EndOfThread, "{device} {id}");
                }
                other => panic!("{device} {id}: {other:?}"),
            }
            memory = run(Reference::new(), &case, id);
            assert!(memory == run(Executor::new(), &case, id), "{device} {id}");
        }
        for buffer in kernel["expected"].as_array().expect("buffers") {
            let at = buffer["at"].as_u64().expect("a place") as usize;
            let expected = bytes(&buffer["bytes"]);
            assert_eq!(memory[at..at + expected.len()], expected, "{device} {id}: byte {at}");
        }
    }
}

#[rstest]
#[case(Device::Skl)]
#[case(Device::Dg1)]
fn kernels_are_legal(#[case] device: Device) {
    for kernel in kernels(device) {
        let id = &kernel["id"];
        let program = Program::decode(device, &bytes(&kernel["code"])).expect("it decodes");
        let found = legality::program::check(&program).into_iter();
        let illegal: Vec<_> =
            found.filter(|found| found.violation.severity() != Severity::Erratum).collect();
        assert!(illegal.is_empty(), "{device} {id}: {illegal:#?}");
        if device == Device::Dg1 {
            assert_eq!(hazards(&program), [], "{id}");
        }
    }
}
