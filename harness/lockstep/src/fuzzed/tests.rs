use parallax_executor::eu::Executor;
use parallax_isa::{
    EngineError, Extent, LoadError, Step,
    eu::{Case, State},
};

use super::*;

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
    let target = Cases::<Eu> { name: "eu_lockstep", case: eu::generate::any_straight_line };
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
