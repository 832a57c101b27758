//! What a trace's run comes to as a whole, for whoever only looks at the end: the last state, and which of
//! its bits have to be so.
//!
//! Step by step an engine may take any value that is left open, and what later steps make of it is held
//! against just that value. At the end nobody knows which it took. So the reference runs the case again and
//! again, each time with other values where it accepts others, and what becomes different is open.

use parallax_isa::{Acceptance, Expectation, Image, Outcome, Reference, Step};

use super::{effects::Trace, error::TraceError};
use crate::{random::SplitMix64, subject::Subject};

/// How often a case is run with other values.
const RUNS: usize = 64;
/// Steps after which it is not run once more, if it was run [`FEWEST`] times.
const STEPS: usize = 1 << 20;
const FEWEST: usize = 8;

/// The last state of a trace.
pub struct End<M: Subject> {
    /// The state that the case starts from.
    pub start: Box<M::State>,
    /// The state at the end.
    pub state: Box<M::State>,
    /// For each byte of its image the bits that have to be so.
    pub exact: Vec<u8>,
}

impl<M: Subject> Trace<M> {
    /// What the run comes to.
    ///
    /// # Errors
    /// If the case cannot be run, or how or when it ends is left open.
    pub fn end(&self) -> Result<End<M>, TraceError> {
        if matches!(self.outcome, Outcome::Undefined(_)) {
            return Err(TraceError::OpenEnd("what its last step does is not defined"));
        }
        let mut reference = M::reference();
        reference.load(&self.case)?;
        let start = Box::new(*reference.state()?);
        let mut state = start.clone();
        self.steps.iter().for_each(|effects| effects.apply(&mut *state));
        let mut exact = vec![0xFF; state.image().len()];
        let runs = (STEPS / self.steps.len().max(1)).clamp(FEWEST, RUNS);
        let mut scratch = start.clone();
        let mut numbers = false;
        for run in 0..runs {
            let open = self.run_otherwise(&mut *reference, run, &mut scratch)?;
            numbers |= run > 0 && open == Open::Numbers;
            let other = reference.state()?.image();
            for (exact, (byte, other)) in exact.iter_mut().zip(state.image().iter().zip(other)) {
                *exact &= !(byte ^ other);
            }
            // All other runs would be the same.
            if open == Open::Nothing {
                break;
            }
        }
        if numbers {
            fill::<M::State>(&mut exact);
        }
        Ok(End { start, state, exact })
    }

    /// Runs the case with other values where others are accepted, the first time as it is. What was open
    /// on the way; of `scratch` only the bytes count that are adopted.
    fn run_otherwise(
        &self,
        reference: &mut dyn Reference<M>,
        run: usize,
        scratch: &mut M::State,
    ) -> Result<Open, TraceError> {
        let mut random = SplitMix64::new(run as u64);
        let mut open = Open::Nothing;
        reference.load(&self.case)?;
        for (number, effects) in self.steps.iter().enumerate() {
            let flow = reference.step()?;
            // What was accepted when the trace was recorded still is.
            let mut expectations = reference.expectations().to_vec();
            expectations.extend(&effects.tolerances);
            for Expectation { extent, acceptance } in expectations {
                let is_number = !matches!(acceptance, Acceptance::Undefined | Acceptance::Or(_));
                open = open.max(if is_number { Open::Numbers } else { Open::Bits });
                if run == 0 {
                    continue;
                }
                let own = extent.read(reference.state()?.image());
                extent.write(scratch.image_mut(), value(acceptance, own, run, &mut random));
                reference.adopt(extent, scratch)?;
            }
            let is_last = number + 1 == self.steps.len();
            let is_same = match &flow {
                Step::Continue => !is_last,
                Step::Finished(outcome) => is_last && *outcome == self.outcome,
            };
            if !is_same {
                return Err(TraceError::OpenEnd("when it ends depends on what is left open"));
            }
        }
        Ok(open)
    }
}

/// What was open in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Open {
    Nothing,
    Bits,
    /// Numbers that may be near another, too.
    Numbers,
}

/// Another value that is accepted, or the same if there is none.
fn value(acceptance: Acceptance, own: u64, run: usize, random: &mut SplitMix64) -> u64 {
    let drawn = random.next();
    let other = match acceptance {
        Acceptance::Undefined => [!own, 0, u64::MAX, drawn][run.min(4) - 1],
        Acceptance::AnyNan16 => drawn & 0xFFFF | 0x7C01,
        Acceptance::NonZero => drawn,
        Acceptance::AnyNan32 => drawn | 0x7F80_0001,
        Acceptance::AnyNan64 => drawn | 0x7FF0_0000_0000_0001,
        Acceptance::Ulp32(most) => near(own, most.into(), run, drawn),
        Acceptance::Ulp64(most) => near(own, most, run, drawn),
        Acceptance::Or(other) if run == 1 || drawn & 1 == 1 => other,
        Acceptance::Or(_) => own,
        Acceptance::Within32(range) => match (run, drawn & 1) {
            (1, _) | (3.., 0) => range.low.into(),
            _ => range.high.into(),
        },
    };
    if acceptance.accepts(own, other) { other } else { own }
}

/// A number at most so many units in the last place away: the furthest ones first.
fn near(own: u64, most: u64, run: usize, drawn: u64) -> u64 {
    match run {
        1 => own.wrapping_add(most),
        2 => own.wrapping_sub(most),
        _ => own.wrapping_add(drawn % (most + 1)).wrapping_sub(most * (drawn >> 63)),
    }
}

/// Of numbers that may be near another only the bits above the first that was different are exact: which
/// of those below were the same in all runs is chance.
fn fill<I: Image>(exact: &mut [u8]) {
    for bank in I::BANKS {
        for element in exact[bank.range()].chunks_mut(bank.element) {
            let highest = element.iter().rposition(|byte| *byte != 0xFF);
            let Some((highest, below)) = highest.and_then(|at| element[..=at].split_last_mut())
            else {
                continue;
            };
            below.fill(0);
            // The ones above the highest zero.
            let ones = highest.leading_ones();
            *highest = !(0xFF_u8.checked_shr(ones).unwrap_or(0));
        }
    }
}

#[cfg(test)]
mod tests {
    use parallax_executor::eu::Executor;
    use parallax_isa::{
        Model as _,
        eu::{Case, State, text},
    };

    use super::*;
    use crate::{eu::Eu, trace};

    const OPEN: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces/g45/regressions/open-flags.trace");

    /// The program of `open-flags`, which leaves `f0`, `r6` and `r7` open, and what comes after it.
    fn open_flags(behind: &str) -> Trace<Eu> {
        let recorded = trace::read::<Eu>(OPEN.as_ref()).expect("a trace");
        let mut case = recorded.case;
        let behind = text::parse(case.device, behind).expect("it assembles");
        case.program.extend(behind.program.bytes());
        let mut trace = Trace::record(&mut *Eu::reference(), &case).expect("it runs");
        trace.steps[0].tolerances.extend(&recorded.steps[0].tolerances);
        trace
    }

    fn executed(case: &Case) -> State {
        let mut executor = Executor::new();
        executor.load(case).expect("it loads");
        executor.run();
        *executor.state()
    }

    fn register(bytes: &[u8], number: usize) -> &[u8] {
        let bank = State::bank_named("r").expect("there are registers");
        &bytes[bank.range()][32 * number..][..32]
    }

    #[test]
    fn what_depends_on_what_is_open_is_open() {
        let trace = open_flags("mov (8) r20<1>:ud r7<8;8,1>:ud\nmov (8) r21<1>:ud r2<8;8,1>:ud");
        let end = trace.end().expect("it has one");
        let executed = executed(&trace.case);
        for (at, exact) in end.exact.iter().enumerate() {
            let other = end.state.image()[at] ^ executed.image()[at];
            assert_eq!(other & exact, 0, "{}", State::place(at));
        }
        for (open, copied) in [(6, true), (7, true), (20, true), (21, false), (2, false)] {
            let exact = register(&end.exact, open);
            assert_eq!(exact.iter().any(|byte| *byte != 0xFF), copied, "r{open}");
        }
        assert_eq!(register(&end.exact, 7), register(&end.exact, 20));
        let flags = State::bank_named("f").expect("there are flags").range();
        assert!(end.exact[flags].iter().any(|byte| *byte != 0xFF));
    }

    #[test]
    fn a_program_without_open_results_has_one_end() {
        let source = "add (8) r1<1>:f r2<8;8,1>:f 1.5:f";
        let device = parallax_isa::Device::G45;
        let program = text::parse(device, source).expect("it assembles").program;
        let case = Case::new(device, program.bytes().to_vec(), Box::new(State::new()), 10);
        let trace = Trace::<Eu>::record(&mut *Eu::reference(), &case).expect("it runs");
        let end = trace.end().expect("it has one");
        let lacking: Vec<_> = (0..end.exact.len())
            .filter(|at| end.exact[*at] != 0xFF)
            .map(|at| State::bank(at).name)
            .collect();
        // The accumulator's guard bits are nobody's.
        assert!(lacking.iter().all(|bank| *bank == "acc"), "{lacking:?}");
        assert_eq!(register(end.state.image(), 1)[..4], 1.5_f32.to_le_bytes());
    }

    #[test]
    fn when_a_program_ends_may_be_open() {
        let trace = open_flags("(f0.0) jmpi (1) 2:d {NoMask}\nnop\nnop");
        assert!(matches!(trace.end(), Err(TraceError::OpenEnd(_))));
    }

    #[test]
    fn below_the_first_open_bit_of_a_number_all_are() {
        let mut exact = vec![0xFF; size_of::<State>()];
        exact[1] = 0b1111_1011;
        exact[7] = 0x7F;
        fill::<State>(&mut exact);
        assert_eq!(exact[..9], [0, 0b1111_1000, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF]);
    }
}
