//! Which rules an agreement at the end of a run has tested: those whose sabotage would be noticed there. A step's
//! rules are broken one after the other on the executor, which then runs to the end; where that leaves another state
//! than the reference has, an engine with the rule wrong would have been noticed.

use std::{collections::BTreeMap, ops::Range};

use parallax_isa::{Engine, EngineError, Image, Machine, Reference, Step};
use parallax_spec::coverage::{self, MetOften, Weight};

use crate::{compare::is_same_but, sabotage::spoiled, subject::Subject, weakness};

/// Times that a rule is broken in vain in the cases that one worker runs before it is left alone: some decide nothing
/// that is still there at the end.
const MOST_TRIES: u8 = 8;
/// Most steps of a case whose rules are looked at.
const MOST_STEPS: u64 = 256;
/// Steps after which a run with a broken rule has come to no end, as the reference did.
const MOST_RUN: u64 = 4 * MOST_STEPS;

/// The rules and rows of tables that have been tested, by their places in the order of
/// [`Coverage::places`](coverage::Coverage::places).
pub(crate) struct Reach<M: Machine> {
    executor: Box<dyn Engine<M>>,
    /// How often each was broken in vain.
    vain: BTreeMap<u16, u8>,
    /// Those that are of no interest any more: they were noticed, or broken in vain too often.
    over: MetOften,
}

/// What the reference did in a case.
struct Walked<S> {
    /// The rules of each step that are still of interest.
    rules: Vec<Vec<u16>>,
    end: End<S>,
}

/// The end of a run.
struct End<S> {
    step: Step,
    state: Box<S>,
}

impl<M: Subject> Reach<M> {
    pub(crate) fn new() -> Self {
        let (vain, over) = (BTreeMap::new(), MetOften::here());
        Self { executor: (M::ENGINES[0].make)(), vain, over }
    }

    /// Does something in which steps are observed, whose rules do not count. Whether any of them is still of interest.
    pub(crate) fn noting<T>(&self, work: impl FnOnce() -> T) -> (T, bool) {
        coverage::noting_others(&self.over, work)
    }

    /// Lets rules count that decide the end of a case on which an engine agrees with the reference. The engine lacks
    /// some places of the state.
    pub(crate) fn count(
        &mut self,
        reference: &mut dyn Reference<M>,
        case: &M::Case,
        lacks: &[Range<usize>],
    ) {
        let noticed =
            coverage::uncounted(|| self.noticed(reference, case, lacks).unwrap_or_default());
        coverage::drop_marks();
        noticed.into_iter().for_each(coverage::hit_place);
        coverage::finalize(Weight::Exact);
    }

    /// The places of rules that are noticed for the first time.
    fn noticed(
        &mut self,
        reference: &mut dyn Reference<M>,
        case: &M::Case,
        lacks: &[Range<usize>],
    ) -> Option<Vec<u16>> {
        let walk = || self.walked(reference, case, lacks);
        let Walked { rules, end } = coverage::passing_over(&self.over, walk)?;
        self.executor.load(case).ok()?;
        if self.ends_otherwise(&end, lacks).ok()? {
            return None;
        }
        let mut noticed = Vec::new();
        for (step, places) in (0..).zip(rules) {
            for place in places {
                if self.over.has(place) {
                    continue;
                }
                if self.is_noticed(case, step, place, &end, lacks).ok()? {
                    noticed.push(place);
                    self.over.add(place);
                    continue;
                }
                let vain = self.vain.entry(place).or_default();
                *vain += 1;
                if *vain == MOST_TRIES {
                    self.over.add(place);
                }
            }
        }
        Some(noticed)
    }

    /// Runs the case that the reference has loaded from its start; `None` if it goes on for too long, or has no rule of
    /// interest. Rules of steps that leave something unspecified are of none.
    fn walked(
        &self,
        reference: &mut dyn Reference<M>,
        case: &M::Case,
        lacks: &[Range<usize>],
    ) -> Option<Walked<M::State>> {
        let mut rules = Vec::new();
        reference.restart(case).ok()?;
        for _ in 0..MOST_STEPS {
            coverage::drop_marks();
            weakness::begin();
            let step = reference.step().ok()?;
            let is_open = weakness::leaves_open(reference.expectations(), lacks);
            let marked = if is_open { Vec::new() } else { coverage::marked_places() };
            rules.push(marked.into_iter().filter(|place| !self.over.has(*place)).collect());
            if step != Step::Continue {
                let state = Box::new(*reference.state().ok()?);
                let is_any = rules.iter().any(|places: &Vec<_>| !places.is_empty());
                return is_any.then_some(Walked { rules, end: End { step, state } });
            }
        }
        None
    }

    /// Whether a run in which one rule was broken at one step ends otherwise.
    fn is_noticed(
        &mut self,
        case: &M::Case,
        step: u64,
        place: u16,
        end: &End<M::State>,
        lacks: &[Range<usize>],
    ) -> Result<bool, EngineError> {
        let executor = &mut self.executor;
        if executor.restart(case).is_err() {
            return Ok(false);
        }
        if step > 0 {
            executor.run_for(step)?;
        }
        let before = Box::new(*executor.state()?);
        if executor.step()? != Step::Continue {
            return Ok(false);
        }
        let rule = coverage::rule_of(place);
        let Some((byte, wrong)) = spoiled::<M>(rule, &before, executor.state()?, lacks) else {
            return Ok(false);
        };
        executor.adopt(byte, &wrong)?;
        self.ends_otherwise(end, lacks)
    }

    /// Takes the executor to its end; whether that is another one than the reference's.
    fn ends_otherwise(
        &mut self,
        end: &End<M::State>,
        lacks: &[Range<usize>],
    ) -> Result<bool, EngineError> {
        let step = self.executor.run_for(MOST_RUN)?;
        let state = self.executor.state()?;
        Ok(step != end.step || !is_same_but(state.image(), end.state.image(), lacks))
    }
}

#[cfg(test)]
mod tests {
    use parallax_isa::{
        Device,
        eu::{
            Case, DataType, Instruction, Opcode, Program, State,
            operand::{Destination, DestinationRegion, Region, Register, Source, VerticalStride},
            register::RegisterFile,
        },
    };
    use parallax_spec::RuleId;
    use rstest::rstest;

    use super::*;
    use crate::eu::{Eu, reference};

    fn general(number: u8) -> Register {
        Register::Direct { file: RegisterFile::Grf, number, subregister: 0 }
    }

    /// An operation on `r2` and `r3` that writes `r1`.
    fn operation(opcode: Opcode, number_of_sources: usize) -> Instruction {
        let region =
            Region::Align1 { vertical: VerticalStride::Elements(8), width: 8, horizontal: 1 };
        let source = |number| {
            let (register, data_type) = (general(number), DataType::D);
            Source::Register { register, data_type, region, modifier: Default::default() }
        };
        let mut sources = [source(2), source(3), Source::ABSENT];
        sources[number_of_sources..].fill(Source::ABSENT);
        Instruction {
            execution_size: 8,
            no_mask: true,
            destination: Destination {
                register: general(1),
                data_type: DataType::D,
                region: DestinationRegion::Stride(1),
            },
            sources,
            ..Instruction::bare(opcode)
        }
    }

    /// What is overwritten before the end tests nothing, nor does what the engine does not have.
    #[rstest]
    #[case::last([operation(Opcode::Mov, 1), operation(Opcode::Add, 2)], true, true)]
    #[case::overwritten([operation(Opcode::Add, 2), operation(Opcode::Mov, 1)], true, false)]
    #[case::lacking([operation(Opcode::Mov, 1), operation(Opcode::Add, 2)], false, false)]
    fn rules_count_whose_sabotage_changes_the_end(
        #[case] program: [Instruction; 2],
        #[case] has_registers: bool,
        #[case] is_covered: bool,
    ) {
        let program = Program::assemble(Device::Skl, program).expect("machine code");
        let mut state = Box::new(State::of(Device::Skl));
        let registers = State::BANKS.iter().find(|bank| bank.name == "r").expect("registers");
        state.image_mut()[registers.range()].fill(0x11);
        let case = Case::new(Device::Skl, program.bytes().to_vec(), state, 8);
        let lacks = if has_registers { Vec::new() } else { vec![registers.range()] };
        let _ = coverage::take();
        Reach::<Eu>::new().count(&mut reference(), &case, &lacks);
        let covered = coverage::take();
        let add = RuleId::all().find(|rule| rule.rule().id == "gen9.inst.add.semantics");
        assert_eq!(covered.hits(add.expect("a rule")) > 0, is_covered);
    }
}
