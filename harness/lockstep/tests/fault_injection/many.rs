//! An engine with many faults at once.

use parallax_isa::{Engine, EngineError, Extent, Image, LoadError, Step};

use super::{Change, Fault, Mutate, adopt_all, executor};

/// The machine's executor with some faults; those that begin late or show in batches only are wrong from the start.
pub(crate) struct Mistaken<M: Mutate> {
    inner: Box<dyn Engine<M>>,
    faults: Vec<Fault<M>>,
    /// The case as the rewriting faults leave it.
    case: Option<M::Case>,
    before: Box<M::State>,
    after: Box<M::State>,
}

impl<M: Mutate> Mistaken<M> {
    pub(crate) fn new(faults: Vec<Fault<M>>) -> Self {
        Self {
            inner: executor(),
            faults,
            case: None,
            before: Box::default(),
            after: Box::default(),
        }
    }
}

impl<M: Mutate> Engine<M> for Mistaken<M> {
    fn name(&self) -> &str {
        "mistaken"
    }

    fn load(&mut self, case: &M::Case) -> Result<(), LoadError> {
        let case = self.faults.iter().fold(case.clone(), |case, fault| match fault.change {
            Change::Rewrite(rewrite) => M::rewritten(&case, rewrite),
            _ => case,
        });
        self.inner.load(self.case.insert(case))
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        let Self { inner, faults, case: Some(case), before, after } = self else {
            return self.inner.step();
        };
        **before = *inner.state()?;
        let mut step = inner.step()?;
        **after = *inner.state()?;
        for fault in faults {
            match fault.change {
                Change::Answer(answer) => step = answer(case, before, step),
                Change::Disturb(disturb) if !matches!(step, Step::Finished(_)) => {
                    M::disturb(case, disturb, before, after);
                }
                _ => {}
            }
        }
        if after.image() != inner.state()?.image() {
            adopt_all(&mut **inner, after)?;
        }
        Ok(step)
    }

    fn state(&self) -> Result<&M::State, EngineError> {
        self.inner.state()
    }

    fn adopt(&mut self, extent: Extent, from: &M::State) -> Result<(), EngineError> {
        self.inner.adopt(extent, from)
    }
}
