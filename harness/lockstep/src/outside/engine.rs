//! An engine in another process as an [`Engine`] like any other.
//!
//! What it says of many steps comes in one answer and is looked at step by step. Where it fails in the
//! middle of so many steps, it is started again and asked for one after the other, so that the step is
//! found that it fails in.

mod batch;

use std::{marker::PhantomData, ops::Range, sync::Arc, time::Duration};

use parallax_engine::{
    Case as Sent, Hello, Kind, Write,
    message::{Reader, Writes},
};
use parallax_isa::{
    Engine, EngineError, Extent, Image, LoadError, Outcome, Step, Weaknesses, image::Bank,
};

use super::{
    Outside, Peer, Portable,
    answers::{declined, no_case, no_form, nonsense, one_step, step_of, unexpected, write_state},
};
use crate::escape;
use batch::Batch;

/// Steps that are asked for at once.
const TOGETHER: u64 = 128;

/// An engine in another process.
pub struct OutsideEngine<M: Portable> {
    outside: Arc<Outside>,
    peer: Option<Peer>,
    /// The banks it has, by their numbers.
    banks: Vec<&'static Bank>,
    lacks: Vec<Range<usize>>,
    run: Option<Run<M>>,
    /// The starts that come next, which it has run already.
    batch: Option<Result<Batch<M>, EngineError>>,
    /// The state after the last step.
    state: Box<M::State>,
    failed: Option<EngineError>,
    machine: PhantomData<M>,
}

/// A case under way.
struct Run<M: Portable> {
    case: M::Case,
    sent: Sent,
    /// What it starts from.
    start: Box<M::State>,
    /// Whether the engine has the program of the case, not one that was cut.
    has_whole: bool,
    /// The question to start has no answer yet.
    is_starting: bool,
    /// Time that may still be spent waiting.
    left: Duration,
    /// Steps taken.
    taken: u64,
    /// What was said of the steps after those.
    answer: Answer,
    over: Option<Outcome>,
    /// Values it had to take over, after how many steps.
    adopted: Vec<(u64, Extent, u64)>,
    /// How it failed in steps taken together, and the last of those.
    suspicion: Option<(EngineError, u64)>,
    /// How it ends, if the engine has run it in a batch.
    batched: Option<Vec<u8>>,
}

/// What was said of some steps.
#[derive(Default)]
struct Answer {
    content: Vec<u8>,
    place: usize,
    /// Steps that were not looked at.
    steps: u16,
}

impl Outside {
    /// An engine of a machine, with a process of its own.
    ///
    /// # Errors
    /// If it runs no cases of that machine.
    pub fn engine<M: Portable>(self: &Arc<Self>) -> Result<OutsideEngine<M>, String> {
        if self.hello.machine == M::NAME {
            return Ok(OutsideEngine::new(Arc::clone(self)));
        }
        let Hello { name, machine, .. } = &self.hello;
        Err(format!("{name} runs cases of the machine `{machine}`, not of `{}`", M::NAME))
    }
}

impl<M: Portable> OutsideEngine<M> {
    pub(crate) fn new(outside: Arc<Outside>) -> Self {
        let banks = outside.banks::<M>();
        let lacks = outside.lacks::<M>();
        let (peer, run, failed) = (None, None, None);
        let (batch, state) = (None, Box::default());
        Self { outside, peer, banks, lacks, run, batch, state, failed, machine: PhantomData }
    }

    /// Remembers a failure until the next case; the process is not used again.
    fn fail(&mut self, error: EngineError) -> EngineError {
        if !matches!(error, EngineError::Declined(_)) {
            self.peer = None;
        }
        self.failed = Some(error.clone());
        error
    }

    fn peer(&mut self) -> Result<&mut Peer, EngineError> {
        if self.peer.is_none() {
            self.peer = Some(self.outside.take()?);
        }
        Ok(self.peer.as_mut().expect("it was just taken"))
    }

    /// Asks for the start of the case that is under way, whole or only its state.
    fn ask_to_start(&mut self, kind: Kind) -> Result<(), EngineError> {
        let run = self.run.as_ref().expect("a case is under way");
        if run.is_starting {
            // Nothing was asked of the start before.
            self.started_again()?;
        }
        let run = self.run.as_ref().expect("a case is under way");
        let (sent, start, banks) = (run.sent.clone(), run.start.clone(), self.banks.clone());
        self.peer()?.ask(kind, |out| {
            if kind == Kind::Case {
                sent.write(out);
            }
            write_state(&banks, start.image(), out);
        });
        let run = self.run.as_mut().expect("a case is under way");
        *self.state = *run.start;
        run.is_starting = true;
        (run.taken, run.over) = (0, None);
        run.answer.steps = 0;
        Ok(())
    }

    /// Waits for the answer to the question to start, if there is none yet.
    fn started(&mut self) -> Result<(), LoadError> {
        let run = self.run.as_mut().expect("a case is under way");
        if !std::mem::take(&mut run.is_starting) {
            return Ok(());
        }
        let mut content = Vec::new();
        let peer = self.peer.as_mut().expect("it was asked");
        match peer.answer(&mut content, &mut run.left)? {
            Kind::Ready => Ok(()),
            kind @ (Kind::Refused | Kind::Declined) => {
                let mut reader = Reader::new(&content);
                let offset = reader.u32().map_err(nonsense)?;
                let message = String::from_utf8_lossy(reader.rest());
                if kind == Kind::Declined {
                    let offset = Some(offset).filter(|offset| *offset != u32::MAX);
                    return Err(declined(offset, &message).into());
                }
                let message = escape::reported(&message);
                Err(if offset == u32::MAX {
                    LoadError::Case(message)
                } else {
                    LoadError::Instruction { offset: offset as usize, message }
                })
            }
            other => Err(unexpected(other, "ready").into()),
        }
    }

    /// The same of a case that was taken up before.
    fn started_again(&mut self) -> Result<(), EngineError> {
        self.started().map_err(|error| match error {
            LoadError::Engine(error) => error,
            refused => EngineError::Nonsense(format!("it ran the case before, and now: {refused}")),
        })
    }

    fn load_whole(&mut self) -> Result<(), LoadError> {
        self.ask_to_start(Kind::Case)?;
        self.started()
    }

    /// Hears of the next steps.
    fn fetch(&mut self) -> Result<(), EngineError> {
        let run = self.run.as_ref().expect("a case is under way");
        let left = run.sent.step_limit.saturating_sub(run.taken);
        let is_careful = run.suspicion.is_some() || !run.adopted.is_empty();
        let wanted = if is_careful { 1 } else { left.clamp(1, TOGETHER) };
        let error = match self.fetch_some(wanted) {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        let run = self.run.as_mut().expect("a case is under way");
        if wanted == 1 {
            return Err(error);
        }
        let taken = run.taken;
        run.suspicion = Some((error, taken + wanted));
        self.peer = None;
        self.go_back(taken)?;
        self.fetch()
    }

    fn fetch_some(&mut self, wanted: u64) -> Result<(), EngineError> {
        self.peer()?.ask(Kind::Step, |out| out.extend((wanted as u32).to_le_bytes()));
        self.started_again()?;
        let run = self.run.as_mut().expect("a case is under way");
        let answer = &mut run.answer;
        let peer = self.peer.as_mut().expect("it was asked");
        match peer.answer(&mut answer.content, &mut run.left)? {
            Kind::Stepped => {}
            other => return Err(unexpected(other, "stepped")),
        }
        answer.steps = Reader::new(&answer.content).u16().map_err(nonsense)?;
        answer.place = 2;
        match u64::from(answer.steps) {
            0 => Err(EngineError::Nonsense("it tells of no step at all".to_owned())),
            steps if steps > wanted => Err(EngineError::Nonsense(format!(
                "it took {steps} steps where {wanted} were asked"
            ))),
            _ => Ok(()),
        }
    }

    /// Starts the case again and takes so many steps, with the values taken over on the way.
    fn go_back(&mut self, taken: u64) -> Result<(), EngineError> {
        let adopted = self.run.as_ref().map(|run| run.adopted.clone()).unwrap_or_default();
        let kind = if self.peer.is_none() { Kind::Case } else { Kind::Start };
        let run = self.run.as_mut().expect("a case is under way");
        run.left = self.outside.allowance.time;
        self.ask_to_start(kind)?;
        let mut stops: Vec<u64> = adopted.iter().map(|(after, ..)| *after).collect();
        stops.push(taken);
        stops.dedup();
        for stop in stops {
            let done = self.run.as_ref().map_or(0, |run| run.taken);
            if stop > done && self.ran(stop - done)? != Step::Continue {
                return Err(EngineError::Nonsense("it ends sooner than before".to_owned()));
            }
            for (_, extent, value) in adopted.iter().filter(|(after, ..)| *after == stop) {
                self.take_over(*extent, *value)?;
            }
        }
        Ok(())
    }

    /// Lets the engine take so many steps in a row, and takes over what it says then.
    fn ran(&mut self, steps: u64) -> Result<Step, EngineError> {
        self.peer()?.ask(Kind::Run, |out| out.extend(steps.to_le_bytes()));
        self.started_again()?;
        let run = self.run.as_mut().expect("a case is under way");
        let peer = self.peer.as_mut().expect("it was asked");
        let mut content = std::mem::take(&mut run.answer.content);
        match peer.answer(&mut content, &mut run.left)? {
            Kind::Ran => {}
            other => return Err(unexpected(other, "ran")),
        }
        let mut reader = Reader::new(&content);
        let flow = one_step(&mut reader, &self.banks, self.state.image_mut());
        let flow = flow.and_then(|flow| reader.end().map(|()| flow)).map_err(nonsense)?;
        run.answer.content = content;
        let step = step_of(flow)?;
        match &step {
            Step::Continue => run.taken += steps,
            Step::Finished(outcome) => run.over = Some(outcome.clone()),
        }
        Ok(step)
    }

    /// Makes the engine take over a value.
    fn take_over(&mut self, extent: Extent, value: u64) -> Result<(), EngineError> {
        extent.write(self.state.image_mut(), value);
        let range = extent.range();
        let bank = self.banks.iter().position(|bank| bank.range().contains(&range.start));
        let Some(number) = bank else { return Ok(()) };
        let bytes = self.state.image()[range.clone()].to_vec();
        let offset = range.start - self.banks[number].offset;
        self.peer()?.ask(Kind::Write, |out| {
            Writes::new(out).add(Write { bank: number, offset, bytes: &bytes });
        });
        self.started_again()?;
        let run = self.run.as_mut().expect("a case is under way");
        let peer = self.peer.as_mut().expect("it was asked");
        match peer.answer(&mut Vec::new(), &mut run.left)? {
            Kind::Ready => Ok(()),
            other => Err(unexpected(other, "ready")),
        }
    }

    /// Lets an engine that only runs to the end come to where it would be after so many more steps: it
    /// runs a program that ends there.
    fn run_cut(&mut self, steps: u64) -> Result<Step, EngineError> {
        let run = self.run.as_ref().ok_or_else(no_case)?;
        if let Some(outcome) = &run.over {
            return Ok(Step::Finished(outcome.clone()));
        }
        let wanted = run.taken.saturating_add(steps);
        let is_whole = wanted >= run.sent.step_limit;
        let cut = if is_whole { Ok(None) } else { M::cut(&run.case, wanted) };
        let cut = cut.map_err(EngineError::Unable)?;
        let batched = self.run.as_mut().and_then(|run| run.batched.take());
        if let (None, Some(end)) = (&cut, batched) {
            let flow = one_step(&mut Reader::new(&end), &self.banks, self.state.image_mut());
            return self.ended(step_of(flow.map_err(nonsense)?)?);
        }
        let run = self.run.as_ref().ok_or_else(no_case)?;
        let whole = run.sent.clone();
        let is_cut = cut.is_some();
        let sent = cut.map_or_else(|| M::to_outside(&run.case), |cut| M::to_outside(&cut));
        let run = self.run.as_mut().expect("a case is under way");
        run.sent = sent.expect("it had a form before");
        // A whole run ends, so that what has the whole program is at its start.
        let is_at_start = run.has_whole && !is_cut;
        run.has_whole = !is_cut;
        let started = if is_at_start { Ok(()) } else { self.ask_to_start(Kind::Case) };
        let went = started.and_then(|()| self.ran(whole.step_limit));
        let run = self.run.as_mut().expect("a case is under way");
        run.sent = whole;
        match went? {
            Step::Finished(Outcome::Halted) if is_cut => {
                (run.taken, run.over) = (wanted, None);
                Ok(Step::Continue)
            }
            step => self.ended(step),
        }
    }

    /// Holds that a run that was to come to its end has done so.
    fn ended(&mut self, step: Step) -> Result<Step, EngineError> {
        let Step::Finished(outcome) = &step else {
            return Err(EngineError::Nonsense("it was to run to the end".to_owned()));
        };
        self.run.as_mut().ok_or_else(no_case)?.over = Some(outcome.clone());
        Ok(step)
    }

    fn next_step(&mut self) -> Result<Step, EngineError> {
        if !self.outside.hello.steps {
            return self.run_cut(1);
        }
        let run = self.run.as_mut().ok_or_else(no_case)?;
        if let Some(outcome) = &run.over {
            return Ok(Step::Finished(outcome.clone()));
        }
        if run.taken >= run.sent.step_limit {
            run.over = Some(Outcome::StepLimit);
            return Ok(Step::Finished(Outcome::StepLimit));
        }
        if let Some((error, last)) = &run.suspicion
            && run.taken >= *last
        {
            return Err(error.clone());
        }
        if run.answer.steps == 0 {
            self.fetch()?;
        }
        let run = self.run.as_mut().expect("a case is under way");
        let Answer { content, place, steps } = &mut run.answer;
        let mut reader = Reader::new(&content[*place..]);
        let flow = one_step(&mut reader, &self.banks, self.state.image_mut()).map_err(nonsense)?;
        *place = content.len() - reader.rest().len();
        *steps -= 1;
        if *steps == 0 {
            reader.end().map_err(nonsense)?;
        }
        let step = step_of(flow)?;
        match &step {
            Step::Continue => run.taken += 1,
            Step::Finished(outcome) => {
                run.over = Some(outcome.clone());
                run.answer.steps = 0;
            }
        }
        Ok(step)
    }

    fn next_steps(&mut self, steps: u64) -> Result<Step, EngineError> {
        if !self.outside.hello.steps {
            return self.run_cut(steps);
        }
        let mut wanted = steps;
        // What it has said already comes first.
        while wanted > 0 && self.run.as_ref().is_some_and(|run| run.answer.steps > 0) {
            if let finished @ Step::Finished(_) = self.next_step()? {
                return Ok(finished);
            }
            wanted -= 1;
        }
        let run = self.run.as_ref().ok_or_else(no_case)?;
        if wanted == 0 || run.over.is_some() {
            let over = run.over.clone();
            return Ok(over.map_or(Step::Continue, Step::Finished));
        }
        let possible = wanted.min(run.sent.step_limit - run.taken);
        let is_bounded = possible < wanted;
        if possible > 0
            && let finished @ Step::Finished(_) = self.ran(possible)?
        {
            return Ok(finished);
        }
        if is_bounded { self.next_step() } else { Ok(Step::Continue) }
    }

    fn start_with(&mut self, case: &M::Case) -> Result<(), LoadError> {
        let start = M::start_state(case).ok_or_else(no_form::<M>)?;
        let time = self.outside.allowance.time;
        let run = self.run.as_mut().ok_or_else(no_case)?;
        run.case = case.clone();
        *run.start = *start;
        run.left = time;
        (run.batched, run.over, run.taken) = (None, None, 0);
        run.adopted.clear();
        Ok(())
    }
}

impl<M: Portable> Engine<M> for OutsideEngine<M> {
    fn name(&self) -> &str {
        &self.outside.hello.name
    }

    fn load(&mut self, case: &M::Case) -> Result<(), LoadError> {
        (self.failed, self.batch) = (None, None);
        // A start of the case before after which no step was asked for.
        let is_starting = self.run.as_ref().is_some_and(|run| run.is_starting);
        if is_starting && self.peer.is_some() && self.started_again().is_err() {
            self.peer = None;
        }
        if let Some(why) = M::unsendable(case, &self.outside) {
            return Err(LoadError::Case(why));
        }
        let sent = M::to_outside(case).ok_or_else(no_form::<M>)?;
        let start = M::start_state(case).ok_or_else(no_form::<M>)?;
        self.run = Some(Run {
            case: case.clone(),
            sent,
            start: Box::new(*start),
            has_whole: true,
            is_starting: false,
            left: self.outside.allowance.time,
            taken: 0,
            answer: Answer::default(),
            over: None,
            adopted: Vec::new(),
            suspicion: None,
            batched: None,
        });
        self.load_whole().map_err(|error| match error {
            LoadError::Engine(error) => self.fail(error).into(),
            refused => refused,
        })
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        self.failed.clone().map_or(Ok(()), Err)?;
        self.next_step().map_err(|error| self.fail(error))
    }

    fn restart(&mut self, case: &M::Case) -> Result<(), LoadError> {
        let has_program = self.run.as_ref().is_some_and(|run| run.has_whole);
        if self.failed.is_some() || !has_program || self.peer.is_none() {
            return self.load(case);
        }
        self.start_with(case)?;
        Ok(self.ask_to_start(Kind::Start).map_err(|error| self.fail(error))?)
    }

    fn start_again(&mut self, case: &M::Case) -> Result<(), LoadError> {
        let Some(end) = self.batched(case).map_err(|error| self.fail(error))? else {
            return self.restart(case);
        };
        self.start_with(case)?;
        let run = self.run.as_mut().expect("a case is under way");
        *self.state = *run.start;
        run.batched = Some(end);
        Ok(())
    }

    fn announce(&mut self, starts: &mut dyn Iterator<Item = M::Case>) {
        self.run_announced(starts);
    }

    fn run_for(&mut self, steps: u64) -> Result<Step, EngineError> {
        self.failed.clone().map_or(Ok(()), Err)?;
        self.next_steps(steps).map_err(|error| self.fail(error))
    }

    fn state(&self) -> Result<&M::State, EngineError> {
        match &self.failed {
            Some(error) => Err(error.clone()),
            None => Ok(&self.state),
        }
    }

    fn adopt(&mut self, extent: Extent, from: &M::State) -> Result<(), EngineError> {
        self.failed.clone().map_or(Ok(()), Err)?;
        let value = extent.read(from.image());
        if value == extent.read(self.state.image()) {
            return Ok(());
        }
        if !self.outside.hello.steps {
            // It goes on as it was.
            return Err(EngineError::Unable("it cannot take over a value on the way".to_owned()));
        }
        let run = self.run.as_mut().ok_or_else(no_case)?;
        let (taken, is_ahead) = (run.taken, run.answer.steps > 0);
        run.adopted.push((taken, extent, value));
        let adopted = if is_ahead { self.go_back(taken) } else { self.take_over(extent, value) };
        adopted.map_err(|error| self.fail(error))
    }

    fn stops_within(&self, case: &M::Case) -> bool {
        self.outside.hello.steps || M::cut(case, 0).is_ok()
    }

    fn weaknesses(&self) -> Option<&Weaknesses> {
        self.outside.weaknesses.as_ref()
    }

    fn lacks(&self) -> &[Range<usize>] {
        &self.lacks
    }
}

impl<M: Portable> Drop for OutsideEngine<M> {
    fn drop(&mut self) {
        if let Some(mut peer) = self.peer.take() {
            // The last start may not have been heard of.
            if let Some(run) = &mut self.run
                && run.is_starting
                && peer.answer(&mut Vec::new(), &mut run.left).is_err()
            {
                return;
            }
            self.outside.give_back(peer);
        }
    }
}
