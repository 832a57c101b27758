//! A surface engine made wrong on purpose, in one chosen way: what a harness has to notice.
//!
//! A fault either changes operations before the engine sees them or disturbs what one left. The
//! engine inside knows nothing of it.

mod blocks;
mod disturbances;
mod rewrites;

use parallax_isa::{
    Device, Extent, Image, LoadError, Step,
    surface::{Case, Operation, State, lookup},
};

use super::{Surface, next};
use crate::engine::Engine;

/// Changes an operation on a format of some name; nothing where the fault does not concern it.
type Rewrite = fn(&str, &mut Operation);

/// Disturbs what an operation on a format of some name left.
type Disturb = fn(&str, &Operation, &mut State);

/// What is wrong.
#[derive(Clone, Copy)]
enum Kind {
    Rewrite(Rewrite),
    Disturb(Disturb),
}

/// One way to be wrong.
#[derive(Clone, Copy)]
pub struct Fault {
    /// What it does, in a few words.
    pub name: &'static str,
    /// The device on which it shows.
    pub device: Device,
    /// Whether it is about pixels rather than formats.
    pub pixels: bool,
    kind: Kind,
}

/// Every fault.
pub fn faults() -> impl Iterator<Item = Fault> {
    disturbances::FAULTS.into_iter().chain(rewrites::FAULTS).chain(blocks::FAULTS)
}

/// A fault of decoding or encoding.
const fn format(name: &'static str, device: Device, kind: Kind) -> Fault {
    Fault { name, device, pixels: false, kind }
}

/// A fault of a pixel operation.
const fn pixel(name: &'static str, device: Device, kind: Kind) -> Fault {
    Fault { name, device, pixels: true, kind }
}

/// An engine with a fault.
pub struct Faulty<E> {
    inner: E,
    fault: Fault,
    case: Option<Case>,
    state: State,
}

impl<E> Faulty<E> {
    /// Makes an engine wrong.
    pub fn new(inner: E, fault: Fault) -> Self {
        Self { inner, fault, case: None, state: State::default() }
    }
}

/// The name of an operation's format; nothing if it has none.
fn name(device: Device, operation: &Operation) -> &'static str {
    let code = operation.format().map(u32::from);
    code.and_then(|code| lookup::code(device, code).ok()).map_or("", |format| format.name)
}

impl<E: Engine<Surface>> Engine<Surface> for Faulty<E> {
    fn name(&self) -> &str {
        self.fault.name
    }

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        let mut faulty = case.clone();
        if let Kind::Rewrite(rewrite) = self.fault.kind {
            for operation in &mut faulty.operations {
                rewrite(name(case.device, operation), operation);
            }
        }
        self.inner.load(&faulty)?;
        self.state = *self.inner.state();
        self.case = Some(case.clone());
        Ok(())
    }

    fn step(&mut self) -> Step {
        let before = self.state;
        let step = self.inner.step();
        if step != Step::Continue {
            return step;
        }
        self.state = *self.inner.state();
        if let (Kind::Disturb(disturb), Some(case)) = (self.fault.kind, &self.case)
            && let Some(operation) = next(case, &before)
        {
            disturb(name(case.device, operation), operation, &mut self.state);
        }
        step
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn adopt(&mut self, extent: Extent, from: &State) {
        self.inner.adopt(extent, from);
        extent.write(self.state.image_mut(), extent.read(from.image()));
    }
}
