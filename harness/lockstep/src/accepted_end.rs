//! Ends that a manual allows where it leaves results on the way unspecified.
//!
//! An engine that only runs to its end cannot be stopped behind an unspecified result and be asked which value it has
//! chosen. The executor can: it is run beside the reference step by step, and the reference adopts each value that it
//! accepts. An engine that ends as the executor does has come to an end that the reference accepts. Only one that ends
//! in another way has to be looked into with programs that are cut, which takes a run for each unspecified result.

use parallax_isa::{Engine, LoadError, Machine, Outcome, Reference, Step};

use crate::{
    compare::{Failed, Loading, difference, of},
    free_run::unless_unspecified,
    lockstep::{Pace, run_at, step_by_step},
    subject::Subject,
    verdict::{Agreement, Difference, Path, Run},
};

/// How an engine ends beside the executor.
struct End {
    run: Run,
    /// The executor's results that the reference accepted though it has others.
    accepted: u64,
}

/// Finds ends that the reference accepts.
pub(crate) struct AcceptedEnds<M: Machine> {
    executor: Box<dyn Engine<M>>,
}

impl<M: Subject> AcceptedEnds<M> {
    pub(crate) fn new() -> Self {
        Self { executor: (M::ENGINES[0].make)() }
    }

    /// Runs a case to its end on an engine that cannot stop within it, and says where it differs from the reference.
    pub(crate) fn run(
        &mut self,
        loading: Loading,
        reference: &mut dyn Reference<M>,
        engine: &mut dyn Engine<M>,
        case: &M::Case,
    ) -> Run {
        let first = self.beside(loading, reference, engine, case);
        let mut careful = || {
            let pace = Pace::FreeRuns { length: u64::MAX, over_open: false };
            run_at(pace, reference, engine, case)
        };
        match first {
            Some(End { run, accepted }) => unless_unspecified(run, accepted, careful),
            None => careful(),
        }
    }

    /// How an engine ends beside the executor; `None` if the executor comes to no end that the reference accepts.
    fn beside(
        &mut self,
        loading: Loading,
        reference: &mut dyn Reference<M>,
        engine: &mut dyn Engine<M>,
        case: &M::Case,
    ) -> Option<End> {
        let Run::Agreed(accepted) = step_by_step(loading, reference, &mut *self.executor, case)
        else {
            return None;
        };
        if matches!(accepted.outcome, Outcome::Undefined(_) | Outcome::StepLimit) {
            return None;
        }
        let started = match loading {
            Loading::Whole => engine.load(case),
            Loading::Start => engine.start_again(case),
        };
        match started {
            Ok(()) => {}
            Err(LoadError::Engine(error)) => {
                let run = of(engine)(error).run(0, Path::FreeRun);
                return Some(End { run, accepted: accepted.accepted });
            }
            Err(_) => return None,
        }
        let expected = Step::Finished(accepted.outcome.clone());
        let run = match self.difference(engine, expected) {
            Ok(None) => Run::Agreed(Agreement { comparisons: 1, ..accepted.clone() }),
            Ok(Some(difference)) => {
                let step = accepted.steps.saturating_sub(1);
                Run::Diverged { step, difference, path: Path::FreeRun }
            }
            Err(failed) => failed.run(0, Path::FreeRun),
        };
        Some(End { run, accepted: accepted.accepted })
    }

    /// What is different at the end of an engine.
    fn difference(
        &self,
        engine: &mut dyn Engine<M>,
        expected: Step,
    ) -> Result<Option<Difference>, Failed> {
        let actual = engine.run_for(u64::MAX).map_err(|error| of(engine)(error))?;
        let executed = self.executor.state().map_err(of(&*self.executor))?;
        difference((executed, expected), engine, actual)
    }
}

#[cfg(test)]
mod tests {
    use parallax_isa::{
        Device, EngineError, Extent, LoadError,
        eu::{Case, State},
    };
    use rstest::rstest;

    use super::*;
    use crate::{
        eu::{Eu, generate, reference},
        random::SplitMix64,
    };

    /// An executor whose ends are wrong in one bit, up to so many of them for each case.
    struct Ending {
        executor: Box<dyn Engine<Eu>>,
        state: Box<State>,
        wrong: u32,
        /// Starts of the case.
        starts: u32,
    }

    impl Ending {
        fn new(wrong: u32) -> Self {
            let (executor, state) = ((Eu::ENGINES[0].make)(), Box::default());
            Self { executor, state, wrong, starts: 0 }
        }
    }

    impl Engine<Eu> for Ending {
        fn name(&self) -> &str {
            "an engine that only runs to the end"
        }

        fn load(&mut self, case: &Case) -> Result<(), LoadError> {
            self.starts += 1;
            self.executor.load(case)
        }

        fn step(&mut self) -> Result<Step, EngineError> {
            self.run_for(1)
        }

        fn run_for(&mut self, steps: u64) -> Result<Step, EngineError> {
            let step = self.executor.run_for(steps)?;
            *self.state = *self.executor.state()?;
            self.state.grf[0][0] ^= u8::from(self.starts <= self.wrong);
            Ok(step)
        }

        fn state(&self) -> Result<&State, EngineError> {
            Ok(&self.state)
        }

        fn adopt(&mut self, extent: Extent, from: &State) -> Result<(), EngineError> {
            self.executor.adopt(extent, from)
        }
    }

    fn cases() -> impl Iterator<Item = Case> {
        (0..200).map(|seed| {
            let mut bytes = vec![0; generate::BYTES];
            SplitMix64::new(seed).fill(&mut bytes);
            generate::straight_line(Device::G45, &bytes)
        })
    }

    /// Runs cases on an engine and gives each to a function with what it came to.
    fn run_all(wrong: u32, mut each: impl FnMut(&Ending, Run)) {
        let mut ends = AcceptedEnds::<Eu>::new();
        for case in cases() {
            let mut engine = Ending::new(wrong);
            let run = ends.run(Loading::Whole, &mut reference(), &mut engine, &case);
            each(&engine, run);
        }
    }

    #[test]
    fn an_end_with_unspecified_results_takes_one_run() {
        let mut agreed = 0;
        run_all(0, |engine, run| match run {
            Run::Agreed(Agreement { accepted, comparisons: 1, outcome, .. })
                if accepted > 0 && !matches!(outcome, Outcome::Undefined(_)) =>
            {
                agreed += 1;
                assert_eq!(engine.starts, 1);
            }
            Run::Diverged { .. } => panic!("a right engine differs"),
            _ => {}
        });
        assert!(agreed > 50, "{agreed}");
    }

    /// The reference itself ends otherwise than the executor where it has other values than it accepts.
    #[test]
    fn an_engine_that_chooses_as_the_reference_does_agrees() {
        let mut differing = 0;
        let mut ends = AcceptedEnds::<Eu>::new();
        for case in cases() {
            let mut engine = reference();
            let run = ends.run(Loading::Whole, &mut reference(), &mut engine, &case);
            assert!(!matches!(run, Run::Diverged { .. }), "{run:?}");
            let end = ends.executor.state().expect("it has a state");
            differing += usize::from(end != Engine::state(&engine).expect("it has a state"));
        }
        assert!(differing > 10, "{differing}");
    }

    /// An engine that is wrong once differs where no result is unspecified, one that stays wrong everywhere.
    #[rstest]
    #[case::once(1, 5)]
    #[case::always(u32::MAX, 150)]
    fn a_wrong_end_differs(#[case] wrong: u32, #[case] least: usize) {
        let mut differing = 0;
        run_all(wrong, |_, run| differing += usize::from(matches!(run, Run::Diverged { .. })));
        assert!(differing >= least, "{differing}");
    }
}
