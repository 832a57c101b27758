//! An R700 engine made wrong on purpose, in one chosen way: what a harness has to notice.
//!
//! A fault changes a case before the engine sees it or disturbs what a step did. The engine inside
//! knows nothing of it.

mod list;
mod memory;

use bytemuck::Zeroable;
use parallax_isa::{
    Extent, LoadError, Step,
    r700::{Alu, Case, Cf, CfOpcode, Fetch, Group, Program, State, program::Clause},
};

use super::{
    R700,
    layout::{Item, assemble, items},
};
use crate::engine::Engine;

pub use list::FAULTS;
pub use memory::MEMORY_FAULTS;

/// Changes an ALU instruction of a group; `None` where the fault does not concern it.
type RewriteAlu = fn(&mut Alu) -> Option<()>;
/// The same for a group.
type RewriteGroup = fn(&mut Group) -> Option<()>;
/// The same for a fetch.
type RewriteFetch = fn(&mut Fetch) -> Option<()>;
/// The same for a control-flow instruction.
type RewriteFlow = fn(&mut Cf, CfOpcode) -> Option<()>;
/// Changes what a program starts from.
type RewriteCase = fn(&mut Case);
/// Disturbs the state after a step, given the one before and the control-flow instruction.
type Disturb = fn(CfOpcode, &State, &mut State);

/// What is wrong.
#[derive(Clone, Copy)]
enum Kind {
    Alu(RewriteAlu),
    Group(RewriteGroup),
    Fetch(RewriteFetch),
    Flow(RewriteFlow),
    Case(RewriteCase),
    Disturb(Disturb),
}

/// One way to be wrong.
#[derive(Clone, Copy)]
pub struct Fault {
    /// What it does, in a few words.
    pub name: &'static str,
    kind: Kind,
}

/// An engine with a fault.
pub struct Faulty<E> {
    inner: E,
    fault: Fault,
    /// The control-flow instructions of the case as it is.
    control_flow: Vec<Cf>,
    before: Box<State>,
    state: Box<State>,
}

impl<E> Faulty<E> {
    /// Makes an engine wrong.
    pub fn new(inner: E, fault: Fault) -> Self {
        let state = || Box::new(State::zeroed());
        Self { inner, fault, control_flow: Vec::new(), before: state(), state: state() }
    }
}

impl<E: Engine<R700>> Engine<R700> for Faulty<E> {
    fn name(&self) -> &str {
        self.fault.name
    }

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        let mut faulty = case.clone();
        let program = Program::decode(&case.program).unwrap_or_default();
        let mut items = items(&program);
        match self.fault.kind {
            Kind::Alu(rewrite) => {
                for group in groups(&mut items) {
                    for alu in &mut group.instructions {
                        let mut changed = *alu;
                        if rewrite(&mut changed).is_some() {
                            *alu = changed;
                        }
                    }
                }
            }
            Kind::Group(rewrite) => {
                for group in groups(&mut items) {
                    let mut changed = group.clone();
                    if rewrite(&mut changed).is_some() {
                        *group = changed;
                    }
                }
            }
            Kind::Fetch(rewrite) => {
                for fetch in fetches(&mut items) {
                    let mut changed = *fetch;
                    if rewrite(&mut changed).is_some() {
                        *fetch = changed;
                    }
                }
            }
            Kind::Flow(rewrite) => {
                for item in &mut items {
                    let mut changed = item.cf;
                    if let Some(opcode) = item.cf.opcode()
                        && rewrite(&mut changed, opcode).is_some()
                    {
                        item.cf = changed;
                    }
                }
            }
            Kind::Case(change) => change(&mut faulty),
            Kind::Disturb(_) => {}
        }
        if !matches!(self.fault.kind, Kind::Case(_) | Kind::Disturb(_)) {
            let dwords = assemble(&items);
            // A change that moves or breaks anything else would be another fault.
            if dwords.len() == case.program.len() && Program::decode(&dwords).is_ok() {
                faulty.program = dwords;
            }
        }
        self.inner.load(&faulty)?;
        self.state.clone_from(&case.state);
        self.control_flow = program.control_flow;
        Ok(())
    }

    fn step(&mut self) -> Step {
        std::mem::swap(&mut self.before, &mut self.state);
        let step = self.inner.step();
        self.state.as_mut().clone_from(self.inner.state());
        let at = self.before.cf as usize;
        if let Kind::Disturb(disturb) = self.fault.kind
            && let Some(opcode) = self.control_flow.get(at).and_then(|cf| cf.opcode())
            && step == Step::Continue
        {
            disturb(opcode, &self.before, &mut self.state);
        }
        step
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn adopt(&mut self, extent: Extent, from: &State) {
        self.inner.adopt(extent, from);
    }
}

fn groups(items: &mut [Item]) -> impl Iterator<Item = &mut Group> {
    items.iter_mut().flat_map(|item| match &mut item.clause {
        Some(Clause::Alu(groups)) => &mut groups[..],
        _ => &mut [],
    })
}

fn fetches(items: &mut [Item]) -> impl Iterator<Item = &mut Fetch> {
    items.iter_mut().flat_map(|item| match &mut item.clause {
        Some(Clause::Fetch(_, fetches)) => &mut fetches[..],
        _ => &mut [],
    })
}
