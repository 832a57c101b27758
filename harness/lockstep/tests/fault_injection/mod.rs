//! Fault injection: an engine with one deliberate fault, and the hunt for it.
//!
//! A fault either changes a case before the engine sees it or disturbs what a step did; the engine
//! inside knows nothing of it. Faults stand in families, tables with the generator whose cases show
//! them. A machine joins by [`Mutate`]; a fault is a row of a table.

pub(crate) mod eu;
pub(crate) mod many;

use std::fmt::Write as _;

use parallax_isa::{Device, Engine, EngineError, Extent, Image, LoadError, Machine, Outcome, Step};
use parallax_lockstep::{
    Divergence, Verdict,
    lockstep::{Pace, Path, lockstep, lockstep_at},
    minimize::{Shrink, minimize},
    random::SplitMix64,
    subject::engine,
};
use rayon::prelude::*;

/// A machine whose engines can be made wrong.
pub(crate) trait Mutate: Shrink {
    /// Changes a part of a case.
    type Rewrite: Copy + Send + Sync;
    /// Disturbs the state after a step.
    type Disturb: Copy + Send + Sync;

    /// Most steps until a fault is found.
    const BUDGET: u64;
    /// Most instructions, groups or operations of the smallest case that shows a fault.
    const LONGEST: usize;
    /// Most instructions, groups or operations by which the smallest cases of a family are more than
    /// one for each fault: what the minimiser is held to.
    const SPARE: usize;
    /// Decides the cases.
    const SEED: u64;

    /// A case with every part changed that a fault concerns, but where that would be another fault:
    /// where machine code moves, or breaks a restriction it did not break before.
    fn rewritten(case: &Self::Case, rewrite: Self::Rewrite) -> Self::Case;

    /// Changes what the engine inside finds before a step; what the step leaves as it is stays as it was.
    fn deceive(_: &Self::Case, _: Self::Disturb, _: &mut Self::State) {}

    /// Disturbs what a step did, given the state before it.
    fn disturb(
        case: &Self::Case,
        disturb: Self::Disturb,
        before: &Self::State,
        after: &mut Self::State,
    );
}

/// What is wrong.
enum Change<M: Mutate> {
    Rewrite(M::Rewrite),
    Disturb(M::Disturb),
    Refuse(Refuse<M>),
    Answer(Answer<M>),
}

/// Says which cases the engine refuses.
pub(crate) type Refuse<M> = fn(&<M as Machine>::Case) -> bool;

/// Says something else than what a step came to, given the state before it; or panics, or never comes
/// back.
pub(crate) type Answer<M> = fn(&<M as Machine>::Case, &<M as Machine>::State, Step) -> Step;

impl<M: Mutate> Clone for Change<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Mutate> Copy for Change<M> {}

/// One way to be wrong.
pub(crate) struct Fault<M: Mutate> {
    /// What it does, in a few words.
    pub(crate) name: &'static str,
    change: Change<M>,
    /// Step by step the engine is right.
    in_free_runs: bool,
    /// The first time that it shows in a run, from 0; before, the engine is right.
    first: u64,
    /// The engine is right until a run of the case is cut off by its step limit.
    after_a_cut: bool,
    /// It shows where a run ends as undefined.
    at_open_ends: bool,
    /// How many budgets of steps it is hunted for.
    budgets: u64,
}

impl<M: Mutate> Fault<M> {
    /// A fault that changes a case before the engine sees it.
    pub(crate) const fn rewrite(name: &'static str, rewrite: M::Rewrite) -> Self {
        Self::of(name, Change::Rewrite(rewrite))
    }

    /// A fault that disturbs what a step did.
    pub(crate) const fn disturb(name: &'static str, disturb: M::Disturb) -> Self {
        Self::of(name, Change::Disturb(disturb))
    }

    /// A fault that keeps the engine from taking up some cases.
    pub(crate) const fn refuse(name: &'static str, refuse: Refuse<M>) -> Self {
        Self::of(name, Change::Refuse(refuse))
    }

    /// A fault that changes what the engine says of a step.
    pub(crate) const fn answer(name: &'static str, answer: Answer<M>) -> Self {
        Self::of(name, Change::Answer(answer))
    }

    const fn of(name: &'static str, change: Change<M>) -> Self {
        let (first, at_open_ends) = (0, false);
        Self {
            name,
            change,
            in_free_runs: false,
            first,
            after_a_cut: false,
            at_open_ends,
            budgets: 1,
        }
    }

    /// The fault of an engine that is right as long as it is asked for one step at a time.
    pub(crate) const fn in_free_runs(self) -> Self {
        Self { in_free_runs: true, ..self }
    }

    /// The fault of an engine that is right in a run the first so many times that the fault, which
    /// disturbs what steps did, would show.
    pub(crate) const fn after(self, times: u64) -> Self {
        Self { first: times, ..self }
    }

    /// The fault of an engine that ends runs as undefined where they are, and has done something of the step
    /// that it refuses.
    pub(crate) const fn at_open_ends(self) -> Self {
        Self { at_open_ends: true, ..self }
    }

    /// A fault that shows in so few cases that finding it takes more than one budget in some random streams.
    pub(crate) const fn rare(self) -> Self {
        Self { budgets: 10, ..self }
    }

    /// The fault of an engine that is right until a run is cut off by the case's step limit: what that run
    /// was about is left to the next one of the case.
    pub(crate) const fn after_a_cut(self) -> Self {
        Self { after_a_cut: true, ..self }
    }
}

impl<M: Mutate> Clone for Fault<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Mutate> Copy for Fault<M> {}

/// Faults of one subject, with the cases that show them.
pub(crate) struct Family<M: Mutate> {
    /// What they are about.
    pub(crate) name: &'static str,
    /// The device on which they show.
    pub(crate) device: Device,
    /// Makes a case for a device from bytes.
    pub(crate) generate: fn(Device, &[u8]) -> M::Case,
    /// Bytes that are enough for any case.
    pub(crate) bytes: usize,
    /// The faults.
    pub(crate) faults: &'static [Fault<M>],
}

impl<M: Mutate> Family<M> {
    /// One fault in so many of engines that are right as long as they are asked for one step at a
    /// time: a wrong block, a wrong kernel for a plain shape, a wrong restart.
    pub(crate) fn in_free_runs(&self, one_in: usize) -> Self {
        let faults: Vec<_> =
            self.faults.iter().step_by(one_in).map(|fault| fault.in_free_runs()).collect();
        Self { faults: faults.leak(), ..*self }
    }

    /// The family without some faults, which concern what its device does not have.
    pub(crate) fn without(&self, names: &[&str]) -> Self {
        let known = |name: &&str| self.faults.iter().any(|fault| *fault.name == **name);
        assert!(names.iter().all(known), "a fault of {names:?} is none of {}", self.name);
        let kept = self.faults.iter().filter(|fault| !names.contains(&fault.name));
        Self { faults: kept.copied().collect::<Vec<_>>().leak(), ..*self }
    }

    /// The fault of a name.
    pub(crate) fn fault(&self, name: &str) -> Option<Fault<M>> {
        self.faults.iter().find(|fault| fault.name == name).copied()
    }
}

/// An engine with a fault.
pub(crate) struct Faulty<M: Mutate> {
    inner: Box<dyn Engine<M>>,
    fault: Fault<M>,
    /// The case, changed or not, that the engine inside has.
    case: Option<M::Case>,
    /// The case as it is, where the engine is only wrong in free runs.
    unchanged: Option<M::Case>,
    /// How the case has been run since it was loaded; freely, if it was from the start.
    path: Option<Path>,
    /// How often the fault could have shown in the run.
    times: u64,
    /// Whether a run of the case has been cut off by its step limit.
    was_cut_off: bool,
}

impl<M: Mutate> Faulty<M> {
    /// The machine's executor, made wrong.
    pub(crate) fn new(fault: Fault<M>) -> Self {
        Self::around(executor(), fault)
    }

    /// An engine, made wrong.
    pub(crate) fn around(inner: Box<dyn Engine<M>>, fault: Fault<M>) -> Self {
        Self { inner, fault, case: None, unchanged: None, path: None, times: 0, was_cut_off: false }
    }

    /// Whether the engine is wrong in what it does now.
    fn is_wrong(&self) -> bool {
        (!self.fault.in_free_runs || self.path == Some(Path::FreeRun))
            && (!self.fault.after_a_cut || self.was_cut_off)
    }

    /// Gives the engine inside a case, with its parts changed if that is the fault.
    fn load_case(&mut self, case: &M::Case) -> Result<(), LoadError> {
        let case = match self.fault.change {
            Change::Refuse(refuses) if refuses(case) => {
                self.case = None;
                return Err(LoadError::Case(self.fault.name.to_owned()));
            }
            Change::Rewrite(rewrite) if self.is_wrong() => M::rewritten(case, rewrite),
            _ => case.clone(),
        };
        let case = self.case.insert(case);
        self.inner.load(case)
    }

    /// One step of the engine inside, disturbed if that is the fault.
    fn disturbed_step(&mut self) -> Result<Step, EngineError> {
        if let (Change::Answer(answer), Some(case)) = (self.fault.change, &self.case) {
            let before = Box::new(*self.inner.state()?);
            return Ok(answer(case, &before, self.inner.step()?));
        }
        let (Change::Disturb(disturb), Some(case)) = (self.fault.change, &self.case) else {
            return self.inner.step();
        };
        if !self.is_wrong() {
            return self.inner.step();
        }
        let before = Box::new(*self.inner.state()?);
        let mut found = before.clone();
        M::deceive(case, disturb, &mut found);
        let step = if found.image() == before.image() {
            self.inner.step()?
        } else {
            deceived_step(&mut *self.inner, &before, &found)?
        };
        let shows = match &step {
            Step::Continue | Step::Finished(Outcome::EndOfThread) => !self.fault.at_open_ends,
            Step::Finished(Outcome::Undefined(_)) => self.fault.at_open_ends,
            Step::Finished(_) => false,
        };
        if shows {
            let mut after = Box::new(*self.inner.state()?);
            M::disturb(case, disturb, &before, &mut after);
            if after.image() == self.inner.state()?.image() {
                return Ok(step);
            }
            self.times += 1;
            if self.times > self.fault.first {
                // The engine goes on from the disturbed state: a disturbed value that is accepted
                // is a value like any other from then on, and no difference later.
                adopt_all(&mut *self.inner, &after)?;
            }
        }
        Ok(step)
    }
}

impl<M: Mutate> Faulty<M> {
    /// One step.
    fn take_step(&mut self) -> Result<Step, EngineError> {
        let step = self.disturbed_step()?;
        self.was_cut_off |= step == Step::Finished(Outcome::StepLimit);
        Ok(step)
    }
}

impl<M: Mutate> Engine<M> for Faulty<M> {
    fn name(&self) -> &str {
        self.fault.name
    }

    fn load(&mut self, case: &M::Case) -> Result<(), LoadError> {
        (self.path, self.times, self.was_cut_off) = (None, 0, false);
        self.unchanged = self.fault.in_free_runs.then(|| case.clone());
        self.load_case(case)
    }

    fn restart(&mut self, case: &M::Case) -> Result<(), LoadError> {
        (self.path, self.times) = (None, 0);
        match &self.case {
            Some(own) if !self.fault.in_free_runs => self.inner.restart(own),
            _ => self.load_case(case),
        }
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        self.path.get_or_insert(Path::Steps);
        self.take_step()
    }

    fn run_for(&mut self, steps: u64) -> Result<Step, EngineError> {
        if self.path.is_none() {
            self.path = Some(Path::FreeRun);
            if let Some(case) = self.unchanged.clone() {
                self.load_case(&case).map_err(|error| EngineError::Nonsense(error.to_string()))?;
            }
        }
        if let Change::Rewrite(_) = self.fault.change {
            let step = self.inner.run_for(steps)?;
            self.was_cut_off |= step == Step::Finished(Outcome::StepLimit);
            return Ok(step);
        }
        for _ in 0..steps {
            if let finished @ Step::Finished(_) = self.take_step()? {
                return Ok(finished);
            }
        }
        Ok(Step::Continue)
    }

    fn state(&self) -> Result<&M::State, EngineError> {
        self.inner.state()
    }

    fn adopt(&mut self, extent: Extent, from: &M::State) -> Result<(), EngineError> {
        self.inner.adopt(extent, from)
    }
}

/// The engine that faults are planted in.
pub(crate) fn executor<M: Mutate>() -> Box<dyn Engine<M>> {
    engine("executor").expect("every machine has one")
}

/// A step of an engine that finds another state than it has left; what it does not change becomes what it was.
fn deceived_step<M: Mutate>(
    engine: &mut dyn Engine<M>,
    before: &M::State,
    found: &M::State,
) -> Result<Step, EngineError> {
    adopt_all(engine, found)?;
    let step = engine.step()?;
    let mut after = Box::new(*engine.state()?);
    let states = before.image().iter().zip(found.image());
    for (after, (before, found)) in after.image_mut().iter_mut().zip(states) {
        if before != found && after == found {
            *after = *before;
        }
    }
    adopt_all(engine, &after)?;
    Ok(step)
}

/// Lets an engine take over all of a state.
fn adopt_all<M: Mutate>(engine: &mut dyn Engine<M>, state: &M::State) -> Result<(), EngineError> {
    let length = state.image().len();
    for start in (0..length).step_by(8) {
        let word = Extent::whole(start, 8.min(length - start));
        if word.read(state.image()) != word.read(engine.state()?.image()) {
            engine.adopt(word, state)?;
        }
    }
    Ok(())
}

/// In what a faulty engine differs from the reference, if it does.
pub(crate) fn divergence<M: Mutate>(faulty: &mut Faulty<M>, case: &M::Case) -> Option<Divergence> {
    match lockstep::<M>(&mut *M::reference(), faulty, case) {
        Verdict::Diverged(divergence) => Some(*divergence),
        _ => None,
    }
}

/// What came of hunting one fault.
struct Hunted<M: Mutate> {
    fault: Fault<M>,
    /// Steps that were compared, and instructions of refused cases, in all.
    steps: u64,
    find: Option<Find>,
}

/// Most instructions of the smallest case of a fault that begins late, in a run or behind one that was cut off:
/// a loop has to come to it.
const LATE: usize = 4;

/// A fault that was found.
struct Find {
    /// Length of the smallest case.
    length: usize,
    /// The instruction that differs there.
    instruction: String,
    /// What is wrong with the find, if anything is.
    objection: Option<String>,
}

impl<M: Mutate> Hunted<M> {
    /// Whether the fault was found and brought down to a small case that shows it, and nothing else.
    fn succeeded(&self, longest: usize) -> bool {
        let is_late = self.fault.first > 0 || self.fault.after_a_cut;
        let longest = if is_late { longest.max(LATE) } else { longest };
        let good = |find: &Find| find.length <= longest && find.objection.is_none();
        self.steps <= M::BUDGET * self.fault.budgets && self.find.as_ref().is_some_and(good)
    }
}

/// Every fault of a family is found within the machine's budget and brought down to a few
/// instructions, most of them to one; prints the table of them.
pub(crate) fn all_are_found<M: Mutate>(family: &Family<M>) {
    all_are_found_at(family, Pace::Steps, M::LONGEST, M::SPARE);
}

/// The same where states are compared at a pace, and the smallest cases have at most so many
/// instructions each, and so many more than one in all.
pub(crate) fn all_are_found_at<M: Mutate>(
    family: &Family<M>,
    pace: Pace,
    longest: usize,
    spare: usize,
) {
    let hunts = hunt_all(family, pace, M::BUDGET);
    let table = table(family, &hunts);
    println!("{table}");
    assert!(!hunts.is_empty());
    let missed: Vec<_> = hunts
        .iter()
        .filter(|hunted| !hunted.succeeded(longest))
        .map(|hunted| hunted.fault.name)
        .collect();
    assert!(missed.is_empty(), "not found, or not minimised: {missed:?}\n{table}");
    let length: usize = hunts.iter().filter_map(|hunted| Some(hunted.find.as_ref()?.length)).sum();
    let longest = hunts.len() + spare;
    assert!(length <= longest, "the minimiser lost strength: {length}, not {longest}\n{table}");
}

/// Nothing is found in a family of faults that are none, in so many steps.
pub(crate) fn none_is_found<M: Mutate>(family: &Family<M>, budget: u64) {
    let hunts = hunt_all(family, Pace::Steps, budget);
    assert!(!hunts.is_empty());
    for hunted in &hunts {
        assert!(hunted.find.is_none(), "{}", table(family, &hunts));
        assert!(hunted.steps >= budget);
    }
}

fn hunt_all<M: Mutate>(family: &Family<M>, pace: Pace, budget: u64) -> Vec<Hunted<M>> {
    family
        .faults
        .par_iter()
        .map(|fault| hunt(family, *fault, pace, budget * fault.budgets))
        .collect()
}

/// Hunts one fault: generated cases, one after the other, until the faulty engine differs from the
/// reference, then the smallest case that shows it. Every step counts, and every instruction of a
/// refused case.
fn hunt<M: Mutate>(family: &Family<M>, fault: Fault<M>, pace: Pace, budget: u64) -> Hunted<M> {
    let (mut reference, mut executor) = (M::reference(), executor());
    let mut faulty = Faulty::new(fault);
    let mut random = SplitMix64::new(M::SEED);
    let mut bytes = vec![0; family.bytes];
    let mut hunted = Hunted { fault, steps: 0, find: None };
    while hunted.steps < budget {
        random.fill(&mut bytes);
        let case = (family.generate)(family.device, &bytes);
        let verdict = lockstep_at::<M>(pace, &mut *reference, &mut faulty, &case);
        hunted.steps += match &verdict {
            Verdict::Agreed(agreement) => agreement.steps + 1,
            Verdict::NotRun(_) => M::length(&case) as u64,
            Verdict::Diverged(divergence) => divergence.step + 1,
        };
        let differs = |verdict: &Verdict| matches!(verdict, Verdict::Diverged(_));
        // Where the engine differs without the fault too, there is no find.
        if !differs(&verdict) || differs(&lockstep::<M>(&mut *reference, &mut *executor, &case)) {
            continue;
        }
        let smallest = minimize::<M>(&mut *reference, &mut faulty, &case).case;
        let with = lockstep::<M>(&mut *reference, &mut faulty, &smallest);
        let without = lockstep::<M>(&mut *reference, &mut *executor, &smallest);
        let objection = match (&with, &without) {
            (Verdict::Diverged(_), Verdict::Agreed(_)) => None,
            (Verdict::Diverged(_), Verdict::Diverged(without)) => {
                Some(format!("the smallest case differs without the fault too: {without}"))
            }
            (Verdict::Diverged(_), Verdict::NotRun(error)) => {
                Some(format!("both engines refuse the smallest case: {error}"))
            }
            _ => Some("the smallest case does not show the fault".to_owned()),
        };
        let instruction = match with {
            Verdict::Diverged(divergence) => divergence.instruction,
            _ => String::new(),
        };
        hunted.find = Some(Find { length: M::length(&smallest), instruction, objection });
        break;
    }
    hunted
}

/// What came of hunting, as a table for people.
fn table<M: Mutate>(family: &Family<M>, hunts: &[Hunted<M>]) -> String {
    let subject = format!("{} on {}", family.name, family.device);
    let mut text =
        format!("{subject:<62} {:>11}  {:>9}  {}\n", "found after", "smallest", "where it shows");
    for Hunted { fault, steps, find } in hunts {
        let _ = match find {
            Some(Find { length, instruction, objection }) => {
                let shown = objection.as_ref().unwrap_or(instruction);
                writeln!(text, "{:<62} {steps:>11}  {length:>9}  {shown}", fault.name)
            }
            None => writeln!(text, "{:<62} {:>11}  {:>9}", fault.name, "not found", "-"),
        };
    }
    text
}
