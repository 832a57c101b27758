//! Witnesses of rules: a minimal case in which a rule decides something, and the report of an engine that gets one
//! bit of it wrong.

use parallax_isa::{Engine, EngineError, Extent, Image, LoadError, Machine, Reference, Step};
use parallax_spec::{
    RuleId,
    coverage::{self, Coverage},
};

use crate::{
    forward::forward_claims,
    lockstep::{Run, Verdict, lockstep, run},
    minimize::{Shrink, Tried, smallest},
    sabotage::{self, kept_place, may_decide},
    subject::Subject,
    suite::{Caught, Witness},
    trace::{self, Effects, Trace},
};

/// The most places of a step in which a wrong bit is tried.
const PLACES: usize = 16;

/// Minimises the case to a witness of a rule; `None` if the rule decides nothing in it that is compared exactly. Clears
/// the rule counters of this thread.
pub(crate) fn witness<M: Shrink>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
    rule: RuleId,
) -> Option<Witness> {
    // A step that changes something the rule decides, if there is one: smaller cases have to keep it.
    let (step, wanted) = [Wanted::Change, Wanted::Any].into_iter().find_map(|wanted| {
        step_of(reference, engine, case, rule, wanted).map(|step| (step, wanted))
    })?;
    let (case, step, _) = smallest::<M>(case, step, |candidate| {
        step_of(reference, engine, candidate, rule, wanted)
            .map_or(Tried::Lost, |step| Tried::Kept { step })
    });
    let step = usize::try_from(step).ok()?;
    let trace = Trace::<M>::record(reference, &case).ok()?;
    let caught = trace.steps.get(step).and_then(|effects| {
        let is_decided = |offset: &usize| {
            let bank = M::State::BANKS.iter().find(|bank| bank.range().contains(offset));
            bank.is_none_or(|bank| may_decide(rule, bank))
        };
        let mut places: Vec<usize> = match kept_place::<M>(rule) {
            Some(kept) => vec![kept],
            None => exact_places(effects).filter(is_decided).collect(),
        };
        // Results before what every step moves, as the address of the next instruction, of which a rule about control
        // flow speaks.
        if rule.rule().kind != "controlflow" {
            places.sort_by_key(|offset| !holds_results::<M>(*offset));
        }
        let mut places = places.into_iter().take(PLACES);
        places.find_map(|offset| caught(reference, engine, &case, step, offset))
    });
    let instructions = M::length(&case);
    Some(Witness { trace: trace::to_bytes(&trace).ok()?, instructions, step, caught })
}

/// Which of the steps that a rule decides is wanted.
#[derive(Clone, Copy)]
enum Wanted {
    /// One that changes something that the rule decides.
    Change,
    /// Any.
    Any,
}

/// The first step that uses a rule and is wanted, if both engines agree on the case and an exact comparison depended
/// on the rule.
fn step_of<M: Subject>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
    rule: RuleId,
    wanted: Wanted,
) -> Option<u64> {
    coverage::drop_marks();
    let mut before = Coverage::new();
    coverage::add_to(&mut before);
    let run = run(reference, engine, case);
    let mut used = Coverage::new();
    coverage::drop_marks();
    coverage::add_to(&mut used);
    if !matches!(run, Run::Agreed(_)) || !used.is_met(rule) {
        return None;
    }
    coverage::uncounted(|| {
        reference.load(case).ok()?;
        coverage::drop_marks();
        let mut number = 0_u64;
        let mut before = Box::new(M::State::default());
        loop {
            if matches!(wanted, Wanted::Change) {
                *before = *reference.state().ok()?;
            }
            let step = reference.step().ok()?;
            let is_wanted = || match wanted {
                Wanted::Any => true,
                Wanted::Change => {
                    let is_open = |offset: usize| {
                        let open = reference.expectations().iter().map(|open| open.extent.range());
                        open.into_iter().any(|range| range.contains(&offset))
                    };
                    let state = reference.state().ok();
                    let changed =
                        state.and_then(|state| sabotage::place::<M>(rule, &before, state, &[]));
                    changed.is_some_and(|offset| !is_open(offset))
                }
            };
            if coverage::is_marked(rule) && is_wanted() {
                return Some(number);
            }
            coverage::drop_marks();
            match step {
                Step::Continue => number += 1,
                Step::Finished(_) => return None,
            }
        }
    })
}

/// The bytes that a step changed and that are compared exactly.
fn exact_places(effects: &Effects) -> impl Iterator<Item = usize> {
    let is_open = |offset: usize| {
        effects.tolerances.iter().any(|tolerance| {
            let Extent { offset: start, bytes, .. } = tolerance.extent;
            (start as usize..start as usize + usize::from(bytes)).contains(&offset)
        })
    };
    let changes = effects.changes.iter();
    let bytes = changes.flat_map(|change| change.offset..change.offset + change.bytes.len());
    bytes.filter(move |offset| !is_open(*offset))
}

/// Whether a byte of the image is in a bank that instructions put their results into.
fn holds_results<M: Machine>(offset: usize) -> bool {
    M::State::BANKS.iter().any(|bank| bank.holds_results && bank.range().contains(&offset))
}

/// The report of an engine that gets the lowest bit of a byte wrong in a step.
fn caught<M: Shrink>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
    step: usize,
    offset: usize,
) -> Option<Caught> {
    let mut wrong = Wrong { engine, state: Box::new(M::State::default()), taken: 0, step, offset };
    let verdict = coverage::uncounted(|| lockstep::<M>(reference, &mut wrong, case));
    match verdict {
        Verdict::Diverged(divergence) if divergence.step == step as u64 => {
            Some(Caught { place: divergence.first().name, divergence: divergence.to_string() })
        }
        _ => None,
    }
}

/// An engine with one wrong bit from a step on.
struct Wrong<'e, M: Machine, E: ?Sized> {
    engine: &'e mut E,
    state: Box<M::State>,
    /// Steps that were taken.
    taken: usize,
    /// The step from which on the bit is wrong.
    step: usize,
    /// The byte of the image whose lowest bit is wrong.
    offset: usize,
}

impl<M: Machine, E: Engine<M> + ?Sized> Wrong<'_, M, E> {
    fn sample(&mut self) -> Result<(), EngineError> {
        *self.state = *self.engine.state()?;
        if self.taken > self.step {
            self.state.image_mut()[self.offset] ^= 1;
        }
        Ok(())
    }
}

impl<M: Machine, E: Engine<M> + ?Sized> Engine<M> for Wrong<'_, M, E> {
    fn name(&self) -> &str {
        "an engine with a wrong bit"
    }

    fn load(&mut self, case: &M::Case) -> Result<(), LoadError> {
        self.engine.load(case)?;
        self.taken = 0;
        Ok(self.sample()?)
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        let step = self.engine.step()?;
        self.taken += 1;
        self.sample()?;
        Ok(step)
    }

    fn state(&self) -> Result<&M::State, EngineError> {
        Ok(&self.state)
    }

    fn adopt(&mut self, extent: Extent, from: &M::State) -> Result<(), EngineError> {
        self.engine.adopt(extent, from)?;
        self.sample()
    }

    forward_claims!(engine);
}
