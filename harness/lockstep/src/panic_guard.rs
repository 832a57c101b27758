//! Catches panics of engines, and of anything else that a campaign calls, as errors.

use std::{
    cell::{Cell, RefCell},
    fmt,
    panic::{self, AssertUnwindSafe},
    sync::{Arc, Once},
};

use parallax_isa::{
    Engine, EngineError, Extent, LoadError, Machine, Reference, Step, shared::LaunchMemory,
};

use crate::forward::{forward_claims, forward_reference};

/// A caught panic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Panic {
    /// Its message.
    pub(crate) message: String,
    /// File and line in the source.
    pub(crate) place: String,
}

impl fmt::Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.message, self.place)
    }
}

thread_local! {
    /// How many calls of [`catch`] are under way on this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The last panic under one of them.
    static LAST: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// Catches a panic of `work`. What `work` borrowed may be left in an inconsistent state.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Panic> {
    static HOOK: Once = Once::new();
    // Other threads panic as before.
    HOOK.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if DEPTH.get() == 0 {
                return others(info);
            }
            let message = info.payload_as_str().unwrap_or("a panic without a message").to_owned();
            let place = info.location().map(|at| format!("{}:{}", at.file(), at.line()));
            LAST.set(Some(Panic { message, place: place.unwrap_or_default() }));
        }));
    });
    DEPTH.set(DEPTH.get() + 1);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get() - 1);
    result.map_err(|_| {
        let unknown = || Panic { message: "a panic".to_owned(), place: "unknown".to_owned() };
        LAST.take().unwrap_or_else(unknown)
    })
}

/// An engine whose panics are errors. After a panic the next case gets a new engine.
pub(crate) struct PanicGuard<E: ?Sized> {
    make: Arc<dyn Fn() -> Box<E> + Send + Sync>,
    inner: Box<E>,
    panicked: Option<EngineError>,
}

impl<E: ?Sized> PanicGuard<E> {
    pub(crate) fn new(make: Arc<dyn Fn() -> Box<E> + Send + Sync>) -> Self {
        let inner = make();
        Self { make, inner, panicked: None }
    }

    /// Calls the engine.
    fn ask<T, F: From<EngineError>>(
        &mut self,
        question: impl FnOnce(&mut E) -> Result<T, F>,
    ) -> Result<T, F> {
        if let Some(error) = &self.panicked {
            return Err(error.clone().into());
        }
        catch(|| question(&mut self.inner)).unwrap_or_else(|panic| {
            let error = EngineError::Panicked(panic.to_string());
            self.panicked = Some(error.clone());
            Err(error.into())
        })
    }
}

impl<M: Machine, E: Engine<M> + ?Sized> Engine<M> for PanicGuard<E> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn load(&mut self, case: &M::Case) -> Result<(), LoadError> {
        if self.panicked.take().is_some() {
            let make = Arc::clone(&self.make);
            self.inner = catch(|| make())
                .map_err(|panic| LoadError::Engine(EngineError::Panicked(panic.to_string())))?;
        }
        self.ask(|engine| engine.load(case))
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        self.ask(|engine| engine.step())
    }

    fn restart(&mut self, case: &M::Case) -> Result<(), LoadError> {
        match self.panicked {
            Some(_) => self.load(case),
            None => self.ask(|engine| engine.restart(case)),
        }
    }

    fn start_again(&mut self, case: &M::Case) -> Result<(), LoadError> {
        match self.panicked {
            Some(_) => self.load(case),
            None => self.ask(|engine| engine.start_again(case)),
        }
    }

    fn announce(&mut self, starts: &mut dyn Iterator<Item = M::Case>) {
        // The next start has the error of a panic.
        let _: Result<(), EngineError> = self.ask(|engine| {
            engine.announce(starts);
            Ok(())
        });
    }

    fn run_for(&mut self, steps: u64) -> Result<Step, EngineError> {
        self.ask(|engine| engine.run_for(steps))
    }

    fn state(&self) -> Result<&M::State, EngineError> {
        match &self.panicked {
            Some(error) => Err(error.clone()),
            None => catch(|| self.inner.state())
                .unwrap_or_else(|panic| Err(EngineError::Panicked(panic.to_string()))),
        }
    }

    fn adopt(&mut self, extent: Extent, from: &M::State) -> Result<(), EngineError> {
        self.ask(|engine| engine.adopt(extent, from))
    }

    fn exchange_memory(&mut self, memory: &mut Option<Box<LaunchMemory>>) -> bool {
        self.inner.exchange_memory(memory)
    }

    forward_claims!(inner);
}

impl<M: Machine, E: Reference<M> + ?Sized> Reference<M> for PanicGuard<E> {
    forward_reference!(inner);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught_with_its_message_and_place() {
        let panic = catch(|| panic!("number {}", 7)).expect_err("it panicked");
        assert_eq!(panic.message, "number 7");
        assert!(panic.place.contains("panic_guard.rs:"), "{}", panic.place);
        assert_eq!(catch(|| 3), Ok(3));
    }
}
