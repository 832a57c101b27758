//! Messages to shared functions on both engines, with what has to come of them.

mod data_port;
mod extended_math;
mod render_target;
mod sampled;
mod sampler;
mod urb_gateway;

use std::collections::BTreeMap;

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Model, Outcome,
    eu::{Case, State, text},
};
use parallax_lockstep::{
    eu::{Eu, generate},
    lockstep::{Verdict, lockstep},
    random::SplitMix64,
    trace::{self, Trace, replay},
};
use parallax_reference::eu::Reference;

/// What registers and memory hold where nothing has been written.
const OLD: u32 = 0xEEEE_EEEE;

/// The bytes of a program.
fn assembled(device: Device, program: &str) -> Vec<u8> {
    text::parse(device, program)
        .unwrap_or_else(|error| panic!("{error:?}"))
        .program
        .bytes()
        .to_vec()
}

/// A state with message registers from m1 on.
fn with_payload(payload: impl IntoIterator<Item = [u32; 8]>) -> Box<State> {
    let mut state = Box::new(State::new());
    for (register, doublewords) in state.mrf[1..].iter_mut().zip(payload) {
        for (bytes, value) in register.chunks_mut(4).zip(doublewords) {
            bytes.copy_from_slice(&value.to_le_bytes());
        }
    }
    state
}

/// Runs a case on both engines: how it ended and the executor's state.
fn on_both_engines(case: &Case, program: &str) -> (Outcome, State) {
    let mut executor = Executor::new();
    match lockstep::<Eu>(&mut Reference::new(), &mut executor, case) {
        Verdict::Agreed(agreement) => (agreement.outcome, *Model::state(&executor)),
        verdict => panic!("{program}: {verdict:?}"),
    }
}

/// The trace of a case, written and read again. The executor does what it says.
fn traced(case: &Case) -> Trace<Eu> {
    let trace = Trace::<Eu>::record(&mut Reference::new(), case).expect("it runs");
    let bytes = trace::to_bytes(&trace).expect("it has a form");
    let read = trace::from_bytes(&bytes).expect("a trace");
    assert_eq!(replay(&read, &mut Executor::new()).expect("it loads"), None);
    read
}

/// A generated case.
fn generated(generate: fn(Device, &[u8]) -> Case, device: Device, seed: u64) -> Case {
    let mut bytes = vec![0; generate::BYTES];
    SplitMix64::new(seed).fill(&mut bytes);
    generate(device, &bytes)
}

/// 800 generated programs of messages agree, and at least so many of them come to their end.
fn assert_agree(generate: fn(Device, &[u8]) -> Case, device: Device, least: u32) {
    let (mut whole, mut ends) = (0, BTreeMap::<String, u32>::new());
    for seed in 0..800 {
        let case = generated(generate, device, seed);
        match lockstep::<Eu>(&mut Reference::new(), &mut Executor::new(), &case) {
            Verdict::Agreed(agreement)
                if matches!(agreement.outcome, Outcome::Halted | Outcome::EndOfThread) =>
            {
                whole += 1;
            }
            Verdict::Agreed(agreement) => {
                *ends.entry(format!("{:?}", agreement.outcome)).or_default() += 1;
            }
            other => panic!("{seed}: {other:?}"),
        }
    }
    assert!(whole > least, "{whole} of 800 programs ran to their end: {ends:#?}");
}

/// The doublewords of a register.
fn doublewords(register: &[u8; 32]) -> [u32; 8] {
    let words = register.as_chunks::<4>().0;
    std::array::from_fn(|n| u32::from_le_bytes(words[n]))
}

/// The doublewords of a register that count from a number on.
fn counting(first: u32) -> [u32; 8] {
    std::array::from_fn(|n| first + n as u32)
}

/// A doubleword of a general register.
fn of(state: &State, register: usize, n: usize) -> u32 {
    doublewords(&state.grf[register])[n]
}
