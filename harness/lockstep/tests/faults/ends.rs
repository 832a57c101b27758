//! Engines that only run to the end, on programs with branches: what they do wrong is found at the instruction that is
//! wrong, though nothing but ends can be compared.

use std::{
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind},
};

use parallax_isa::{
    Device, Engine, EngineError, Extent, Image as _, LoadError, Step,
    eu::{Opcode, State},
    r700::{Alu, AluOpcode},
};
use parallax_lockstep::{
    Verdict,
    eu::{Eu, flow, instruction_at},
    lockstep::lockstep,
    r700::{R700, flow as r700_flow},
    random::SplitMix64,
};
use rstest::rstest;

use super::r700::{Rewrite, groups::taken_for};
use crate::fault_injection::{Fault, Faulty, Mutate, eu::rewrite, executor};

/// An engine that cannot stop on the way, and the places that it does not have.
struct ToTheEnd<M: Mutate>(Box<dyn Engine<M>>, Vec<Range<usize>>);

impl<M: Mutate> Engine<M> for ToTheEnd<M> {
    fn name(&self) -> &str {
        "to the end"
    }

    fn load(&mut self, case: &M::Case) -> Result<(), LoadError> {
        self.0.load(case)
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        Err(EngineError::Unable("it only runs to the end".to_owned()))
    }

    fn run_for(&mut self, steps: u64) -> Result<Step, EngineError> {
        if steps < u64::MAX {
            return self.step();
        }
        let ran = catch_unwind(AssertUnwindSafe(|| self.0.run_for(steps)));
        ran.unwrap_or_else(|_| Err(EngineError::Panicked("it died".to_owned())))
    }

    fn state(&self) -> Result<&M::State, EngineError> {
        self.0.state()
    }

    fn adopt(&mut self, _: Extent, _: &M::State) -> Result<(), EngineError> {
        Err(EngineError::Unable("it takes nothing over".to_owned()))
    }

    fn stops_within(&self, _: &M::Case) -> bool {
        false
    }

    fn lacks(&self) -> &[Range<usize>] {
        &self.1
    }
}

/// The instructions at which an engine differs in some cases, and in how many it agrees.
fn found<M: Mutate>(
    engine: Box<dyn Engine<M>>,
    cases: u64,
    case: impl Fn(u64) -> M::Case,
) -> (Vec<String>, usize) {
    let banks = M::State::BANKS.iter().filter(|bank| M::INNER_BANKS.contains(&bank.name));
    let lacks = banks.map(|bank| bank.range()).collect();
    let (mut engine, mut reference) = (ToTheEnd(engine, lacks), M::reference());
    let (mut found, mut agreed) = (Vec::new(), 0);
    for seed in 0..cases {
        match lockstep::<M>(&mut *reference, &mut engine, &case(seed)) {
            Verdict::Diverged(divergence) => found.push(divergence.instruction),
            Verdict::Agreed(agreement) => agreed += usize::from(agreement.comparisons > 0),
            Verdict::NotRun(_) => {}
        }
    }
    (found, agreed)
}

/// Most are found where `is_it` says: where a loop does not end without some instructions, another one may be taken.
fn are_at(found: &[String], is_it: impl Fn(&str) -> bool) {
    let others: Vec<_> = found.iter().filter(|text| !is_it(text)).collect();
    println!("{} of {} elsewhere", others.len(), found.len());
    assert!(found.len() >= 5 && others.len() * 2 <= found.len(), "{others:#?}");
}

fn program(device: Device) -> impl Fn(u64) -> parallax_isa::eu::Case {
    move |seed| {
        let mut bytes = vec![0; flow::BYTES];
        SplitMix64::new(seed).fill(&mut bytes);
        flow::any(device, &bytes)
    }
}

fn r700_program(seed: u64) -> parallax_isa::r700::Case {
    let mut bytes = vec![0; r700_flow::BYTES];
    SplitMix64::new(seed).fill(&mut bytes);
    r700_flow::any(Device::Rv770, &bytes)
}

const XOR: Fault<Eu> =
    rewrite("xor taken for or", |i| (i.opcode == Opcode::Xor).then(|| i.opcode = Opcode::Or));
const DYING: Fault<Eu> = Fault::answer("dies of xor", |case, before: &State, step| {
    let next = instruction_at(case, before.ip);
    assert!(next.is_none_or(|i| i.opcode != Opcode::Xor), "no xor");
    step
});
const ADD_INT: Fault<R700> = Fault::rewrite(
    "ADD_INT taken for SUB_INT",
    Rewrite::Alu(|alu: &mut Alu| taken_for(alu, AluOpcode::AddInt, AluOpcode::SubInt)),
);

#[rstest]
fn a_wrong_instruction_is_found_behind_branches(
    #[values(Device::G45, Device::Ivb, Device::Skl, Device::Dg1)] device: Device,
) {
    let (found, agreed) = found::<Eu>(Box::new(Faulty::new(XOR)), 400, program(device));
    assert!(agreed > 100, "{agreed}");
    are_at(&found, |text| text.contains("xor"));
}

#[test]
fn an_instruction_that_an_engine_dies_of_is_found_behind_branches() {
    let (found, _) = found::<Eu>(Box::new(Faulty::new(DYING)), 400, program(Device::Skl));
    are_at(&found, |text| text.contains("xor"));
}

#[test]
fn a_wrong_operation_of_r700_is_found_behind_branches() {
    let (found, agreed) = found::<R700>(Box::new(Faulty::new(ADD_INT)), 3000, r700_program);
    assert!(agreed > 100, "{agreed}");
    are_at(&found, |text| text.contains("ADD_INT"));
}

#[rstest]
fn nothing_is_found_where_nothing_is_wrong(
    #[values(Device::G45, Device::Ivb, Device::Skl, Device::Dg1)] device: Device,
) {
    let (found, agreed) = found::<Eu>(executor(), 400, program(device));
    assert!(found.is_empty() && agreed > 150, "{agreed}, {found:#?}");
}

#[test]
fn nothing_is_found_where_nothing_is_wrong_on_r700() {
    let (found, agreed) = found::<R700>(executor(), 400, r700_program);
    assert!(found.is_empty() && agreed > 150, "{agreed}, {found:#?}");
}
