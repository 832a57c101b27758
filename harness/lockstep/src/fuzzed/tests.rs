use parallax_executor::eu::Executor;
use parallax_isa::{
    EngineError, Extent, LoadError, Step,
    eu::{Case, State},
};

use rstest::rstest;

use super::*;
use crate::{eu::generate, random::SplitMix64};

/// The executor, but bit 0 of the first byte of `r9` is set by whatever step comes.
struct Wrong(Executor, Box<State>);

impl Engine<Eu> for Wrong {
    fn name(&self) -> &str {
        "wrong"
    }

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        Engine::<Eu>::load(&mut self.0, case)?;
        *self.1 = *Engine::<Eu>::state(&self.0)?;
        Ok(())
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        let step = Engine::<Eu>::step(&mut self.0);
        *self.1 = *Engine::<Eu>::state(&self.0)?;
        self.1.grf[9][0] |= 1;
        step
    }

    fn state(&self) -> Result<&State, EngineError> {
        Ok(&self.1)
    }

    fn adopt(&mut self, extent: Extent, from: &State) -> Result<(), EngineError> {
        Engine::<Eu>::adopt(&mut self.0, extent, from)
    }
}

const INPUT: &[u8] = b"\x03a program of g45, whatever it may be";

#[test]
fn a_difference_is_found_with_a_trace_of_its_own() {
    let target = Cases::<Eu> {
        name: "eu_lockstep",
        case: |input| eu::generate::any_straight_line(pieces(input)),
    };
    let mut wrong = Wrong(Executor::new(), Box::new(State::new()));
    let Held::Broken { what, trace: Some(trace) } = target.hold_beside(INPUT, &mut wrong) else {
        panic!("it is not found")
    };
    assert!(what.contains("r9.0"), "{what}");
    // It holds what is right: the executor does that.
    let executor = UnderTest::Named("executor".to_owned());
    let replayed = Registered::<Eu>::NEW.replay(&trace, &executor).expect("it reads");
    assert_eq!(replayed.difference, None);
    let read = trace::from_bytes::<Eu>(&trace).expect("it reads");
    assert!(trace::replay(&read, &mut wrong).expect("it loads").is_some(), "and the other not");
    assert!(matches!(target.hold(INPUT, &executor), Ok(Held::Holds)));
}

#[test]
fn what_panics_is_broken() {
    let check = |input: &[u8]| assert!(input.len() < 3, "too long");
    let target = Check { name: "short", check, input: |_| String::new(), layout: None };
    let executor = UnderTest::Named("executor".to_owned());
    assert!(matches!(target.hold(&[1], &executor), Ok(Held::Holds)));
    let held = target.hold(&[1, 2, 3], &executor).expect("it was tried");
    let Held::Broken { what, trace: None } = held else { panic!("{held:?}") };
    assert!(what.starts_with("too long at "), "{what}");
    // A generator that panics is a finding too.
    let case = |_: &[u8]| panic!("no draft");
    let target = Cases::<Eu> { name: "none", case };
    let held = target.hold(&[], &executor).expect("it was tried");
    let Held::Broken { what, trace: None } = held else { panic!("{held:?}") };
    assert!(what.starts_with("no case can be made of it: no draft"), "{what}");
}

/// What a case consists of, piece by piece: machine code, dwords, operations.
type Pieces = Vec<String>;

fn words(code: &[u8]) -> Pieces {
    code.chunks(8).map(|word| format!("{word:02x?}")).collect()
}

fn dwords(case: &parallax_isa::r700::Case) -> Pieces {
    case.program.iter().map(|dword| format!("{dword:08x}")).collect()
}

fn operations(case: &parallax_isa::surface::Case) -> Pieces {
    case.operations.iter().map(|operation| format!("{operation:?}")).collect()
}

/// The share of a case between the first and the last piece that is another one.
fn share(before: &Pieces, after: &Pieces) -> f64 {
    let (short, long) = (before.len().min(after.len()), before.len().max(after.len()));
    let alike = |pairs: &mut dyn Iterator<Item = (&String, &String)>| {
        pairs.take_while(|(one, other)| one == other).count()
    };
    let first = alike(&mut before.iter().zip(after));
    let last = alike(&mut before.iter().rev().zip(after.iter().rev())).min(short - first);
    (long - first - last) as f64 / long as f64
}

/// How much of a case one changed byte changes, on average over bytes that make a difference.
fn mean(make: &dyn Fn(&[u8]) -> Pieces) -> f64 {
    let mut random = SplitMix64::new(7);
    let shares = (0..3000).filter_map(|_| {
        let mut bytes = vec![0; 2048];
        random.fill(&mut bytes);
        let before = make(&bytes);
        bytes[random.below(1024) as usize] ^= 1 << random.below(8);
        Some(share(&before, &make(&bytes))).filter(|share| *share > 0.0)
    });
    let shares: Vec<f64> = shares.collect();
    assert!(shares.len() > 10, "only {} changes make a difference", shares.len());
    shares.iter().sum::<f64>() / shares.len() as f64
}

#[rstest]
#[case::eu_lockstep(|choices: Choices| words(&generate::any_straight_line(choices).program), 0.15)]
#[case::eu_flow(|choices: Choices| words(&eu::flow::any_flow(choices).program), 0.35)]
#[case::messages(|choices: Choices| words(&generate::messages_by(Device::G45, choices).program), 0.35)]
#[case::data_cache(|choices: Choices| words(&generate::messages_by(Device::Skl, choices).program), 0.35)]
#[case::r700_lockstep(|choices: Choices| dwords(&r700::generate::groups_by(choices)), 0.35)]
#[case::r700_flow(|choices: Choices| dwords(&r700::flow::any_by(choices)), 0.35)]
#[case::formats(|choices: Choices| operations(&surface::generate::formats_by(Device::G45, choices)), 0.15)]
#[case::pixels(|choices: Choices| operations(&surface::generate::pixels::pixels_by(Device::Dg1, choices)), 0.15)]
fn a_changed_byte_changes_little_of_a_case(#[case] make: fn(Choices) -> Pieces, #[case] most: f64) {
    let divided = mean(&|bytes| make(pieces(bytes)));
    let whole = mean(&|bytes| make(Choices::new(bytes)));
    println!(
        "{:.1} % of a case, {:.1} % where bytes are not divided",
        100. * divided,
        100. * whole
    );
    assert!(divided < most, "{divided} of a case");
    assert!(divided < 0.95 * whole, "{divided}, {whole} where bytes are not divided");
}

/// Generators whose pieces run out of bytes after any number of them: each gives a case all the same. One tried
/// for ever to draw something else than the first option.
#[rstest]
#[case::eu_lockstep(|choices: Choices| drop(eu::generate::any_straight_line(choices)))]
#[case::eu_flow(|choices: Choices| drop(eu::flow::any_flow(choices)))]
#[case::messages(|choices: Choices| drop(eu::generate::messages_by(Device::G45, choices)))]
#[case::messages_of_bw(|choices: Choices| drop(eu::generate::messages_by(Device::Bw, choices)))]
#[case::messages_of_ivb(|choices: Choices| drop(eu::generate::messages_by(Device::Ivb, choices)))]
#[case::r700_lockstep(|choices: Choices| drop(r700::generate::groups_by(choices)))]
#[case::r700_flow(|choices: Choices| drop(r700::flow::any_by(choices)))]
#[case::formats(|choices: Choices| drop(surface::generate::formats_by(Device::G45, choices)))]
#[case::pixels(|choices: Choices| drop(surface::generate::pixels::pixels_by(Device::G45, choices)))]
fn pieces_of_few_bytes_give_cases_too(#[case] generate: fn(Choices)) {
    let mut bytes = [0; 2048];
    for seed in 0..64 {
        SplitMix64::new(seed).fill(&mut bytes);
        for part in 1..PART {
            generate(Choices::in_parts(&bytes, part));
        }
    }
}
