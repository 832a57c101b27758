//! An execution unit engine made wrong on purpose, in one chosen way: what a harness has to notice.
//!
//! A fault either changes instructions before the engine sees them or disturbs what a step did. The
//! engine inside knows nothing of it. Faults stand in families, each in a file of its own with a
//! generator whose programs show them; [`FAMILIES`] lists them all.

mod effects;
pub mod flow;
mod rewrites;
mod values;

use bytemuck::Zeroable;
use parallax_isa::{
    Device, Extent, Image, LoadError, Step,
    eu::{
        Case, Instruction, State,
        encode::encode,
        legality::{self, program},
        program::Program,
    },
};

use super::{Eu, generate, instruction_at};
use crate::engine::Engine;

/// Changes an instruction; nothing where the fault does not concern it.
pub type Rewrite = fn(&mut Instruction) -> Option<()>;

/// Disturbs the state after a step, given the instruction and the state before.
pub type Disturb = fn(&Instruction, &State, &mut State);

/// What is wrong.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Rewrite(Rewrite),
    Disturb(Disturb),
}

/// One way to be wrong.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// What it does, in a few words.
    pub name: &'static str,
    kind: Kind,
}

/// Faults of one subject, with the programs that show them.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// What they are about.
    pub name: &'static str,
    /// Makes a case from bytes.
    pub generate: fn(Device, &[u8]) -> Case,
    /// Bytes that are enough for any case.
    pub bytes: usize,
    /// The faults.
    pub faults: &'static [Fault],
}

/// Every fault there is.
pub static FAMILIES: [Family; 2] = [
    Family {
        name: "another instruction",
        generate: generate::straight_line,
        bytes: generate::BYTES,
        faults: &rewrites::FAULTS,
    },
    Family {
        name: "another effect",
        generate: generate::straight_line,
        bytes: generate::BYTES,
        faults: &effects::FAULTS,
    },
];

/// Faults that are none: each goes through all the machinery and changes nothing. Whoever finds one
/// of them finds what is not there.
pub static CONTROLS: Family = Family {
    name: "controls",
    generate: generate::straight_line,
    bytes: generate::BYTES,
    faults: &[
        rewrite("control: every instruction as it was", |_| Some(())),
        disturb("control: every effect as it was", |_, _, _| {}),
    ],
};

/// An engine with a fault.
pub struct Faulty<E> {
    inner: E,
    fault: Fault,
    case: Option<Case>,
    state: Box<State>,
}

impl<E> Faulty<E> {
    /// Makes an engine wrong.
    pub fn new(inner: E, fault: Fault) -> Self {
        Self { inner, fault, case: None, state: Box::new(State::zeroed()) }
    }
}

impl<E: Engine<Eu>> Faulty<E> {
    /// Lets the engine inside go on from the disturbed state: a disturbed value that is accepted
    /// is a value like any other from then on, and no difference later.
    fn keep_disturbed(&mut self) {
        let length = self.state.image().len();
        for start in (0..length).step_by(8) {
            let word = Extent::whole(start, 8.min(length - start));
            if word.read(self.state.image()) != word.read(self.inner.state().image()) {
                self.inner.adopt(word, &self.state);
            }
        }
    }
}

impl<E: Engine<Eu>> Engine<Eu> for Faulty<E> {
    fn name(&self) -> &str {
        self.fault.name
    }

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        let mut faulty = case.clone();
        if let Kind::Rewrite(rewrite) = self.fault.kind {
            faulty.program = rewritten(case.device, &case.program, rewrite);
        }
        self.inner.load(&faulty)?;
        *self.state = *self.inner.state();
        self.case = Some(case.clone());
        Ok(())
    }

    fn step(&mut self) -> Step {
        let before = *self.state;
        let step = self.inner.step();
        *self.state = *self.inner.state();
        if let (Kind::Disturb(disturb), Some(case)) = (self.fault.kind, &self.case)
            && let Some(instruction) = instruction_at(case, before.ip)
            && step == Step::Continue
        {
            disturb(&instruction, &before, &mut self.state);
            self.keep_disturbed();
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

/// A program with every instruction changed that the fault concerns, that has machine code of the
/// same length then, and that breaks no restriction it did not break before.
fn rewritten(device: Device, original: &[u8], rewrite: Rewrite) -> Vec<u8> {
    let Ok(program) = Program::decode(device, original) else { return original.to_vec() };
    let changes: Vec<_> = program
        .instructions()
        .iter()
        .enumerate()
        .filter_map(|(index, placed)| {
            let mut instruction = placed.instruction;
            rewrite(&mut instruction)?;
            let code = encode(device, &instruction).ok()?;
            let legal = legality::is_legal(device, &instruction)
                || !legality::is_legal(device, &placed.instruction);
            let fits = code.len() == program.bytes_of(index).len();
            (legal && fits).then_some((placed.offset, code))
        })
        .collect();
    if changes.is_empty() {
        return original.to_vec();
    }
    let broken = program::check(&program).len();
    let legal = |bytes: &[u8]| {
        Program::decode(device, bytes).is_ok_and(|program| program::check(&program).len() <= broken)
    };
    let mut all = original.to_vec();
    for (offset, code) in &changes {
        all[*offset..offset + code.len()].copy_from_slice(code);
    }
    if legal(&all) {
        return all;
    }
    // Neighbours do not get along: as many changes as do.
    let mut some = original.to_vec();
    for (offset, code) in &changes {
        let mut more = some.clone();
        more[*offset..offset + code.len()].copy_from_slice(code);
        if legal(&more) {
            some = more;
        }
    }
    some
}

/// A fault that changes instructions before the engine sees them. A change that makes the program
/// break a restriction of the manual is left out.
pub const fn rewrite(name: &'static str, rewrite: Rewrite) -> Fault {
    Fault { name, kind: Kind::Rewrite(rewrite) }
}

/// A fault that disturbs what a step did.
pub const fn disturb(name: &'static str, disturb: Disturb) -> Fault {
    Fault { name, kind: Kind::Disturb(disturb) }
}
