//! Execution units that can be made wrong, and the words for it.

use parallax_isa::{
    Device,
    eu::{
        Case, Instruction, State,
        case::EventKind,
        decode::decode,
        encode::encode,
        legality::{self, program},
        program::{Placed, Program},
    },
    shared::{Environment, Rendering, Sampling},
};
use parallax_lockstep::eu::{Eu, generate, instruction_at};

use super::{Family, Fault, Mutate};

/// What a fault makes of a part of the program; nothing where it does not concern it.
#[derive(Clone, Copy)]
pub(crate) enum Rewrite {
    Instruction(fn(&mut Instruction) -> Option<()>),
    /// The instruction at an index, as a translator makes it that looks at the ones around it.
    Within(fn(&[Placed], usize) -> Option<Instruction>),
    /// The machine code of an instruction in compact form.
    Compact(fn(u64) -> Option<u64>),
    /// The machine code of an instruction in full form.
    Full(fn(u128) -> Option<u128>),
    /// What messages meet beside memory.
    Around(fn(&mut Environment) -> Option<()>),
    /// The state of a sampler.
    Sampler(fn(&mut [u32]) -> Option<()>),
    /// The state of a sampler of the table with which general states begin (Gen7 and later).
    Table(fn(&mut [u32]) -> Option<()>),
    /// What messages to the Sampling Engine meet besides.
    Sampling(fn(&mut Sampling) -> Option<()>),
    /// What render target writes meet besides.
    Rendering(fn(&mut Rendering) -> Option<()>),
    /// What arrives.
    Event(fn(&mut EventKind) -> Option<()>),
}

/// Disturbs the state after a step, given the instruction and the state before.
#[derive(Clone, Copy)]
pub(crate) enum Disturb {
    Step(fn(&Instruction, &State, &mut State)),
    /// And what messages meet beside memory.
    Message(fn(&Environment, &Instruction, &State, &mut State)),
    /// And what messages to the Sampling Engine meet besides.
    Sample(fn(&Environment, &Sampling, &Instruction, &State, &mut State)),
    /// Disturbs the payload of a message instead, before it is sent.
    Payload(fn(&Instruction, &mut State)),
}

/// Doublewords of a table of sixteen samplers.
const SAMPLER_TABLE: usize = 64;

impl Mutate for Eu {
    type Rewrite = Rewrite;
    type Disturb = Disturb;

    const BUDGET: u64 = 200_000;
    const LONGEST: usize = 2;
    const SPARE: usize = 3;
    const SEED: u64 = 45;

    fn rewritten(case: &Case, rewrite: Rewrite) -> Case {
        if let Rewrite::Rendering(rewrite) = rewrite {
            let mut case = case.clone();
            if let Some(state) = case.surroundings.shared_functions.rendering_mut() {
                rewrite(state);
            }
            return case;
        }
        if let Rewrite::Around(rewrite) = rewrite {
            let mut case = case.clone();
            if let Some(environment) = case.surroundings.shared_functions.environment_mut() {
                rewrite(environment);
            }
            return case;
        }
        if let Rewrite::Event(rewrite) = rewrite {
            let mut case = case.clone();
            for event in &mut case.surroundings.events {
                rewrite(&mut event.kind);
            }
            return case;
        }
        if let Rewrite::Sampler(_) | Rewrite::Table(_) | Rewrite::Sampling(_) = rewrite {
            let mut case = case.clone();
            if let Some(sampling) = case.surroundings.shared_functions.sampling_mut() {
                match rewrite {
                    Rewrite::Sampler(change) => {
                        // Border colours are in front of the table.
                        let table = sampling.general_states.len().saturating_sub(64);
                        for state in sampling.general_states[table..].chunks_exact_mut(4) {
                            change(state);
                        }
                    }
                    Rewrite::Table(change) => {
                        let table = sampling.general_states.len().min(SAMPLER_TABLE);
                        for state in sampling.general_states[..table].chunks_exact_mut(4) {
                            change(state);
                        }
                    }
                    Rewrite::Sampling(change) => drop(change(sampling)),
                    _ => {}
                }
            }
            return case;
        }
        Case { program: rewritten(case.device, &case.program, rewrite), ..case.clone() }
    }

    fn deceive(case: &Case, disturb: Disturb, state: &mut State) {
        if let Disturb::Payload(disturb) = disturb
            && let Some(instruction) = instruction_at(case, state.ip)
        {
            disturb(&instruction, state);
        }
    }

    fn disturb(case: &Case, disturb: Disturb, before: &State, after: &mut State) {
        let Some(instruction) = instruction_at(case, before.ip) else { return };
        match disturb {
            Disturb::Payload(_) => {}
            Disturb::Step(disturb) => disturb(&instruction, before, after),
            Disturb::Message(disturb) => {
                if let Some(around) = case.surroundings.shared_functions.environment() {
                    disturb(around, &instruction, before, after);
                }
            }
            Disturb::Sample(disturb) => {
                let functions = &case.surroundings.shared_functions;
                if let (Some(around), Some(sampling)) =
                    (functions.environment(), functions.sampling())
                {
                    disturb(around, sampling, &instruction, before, after);
                }
            }
        }
    }
}

/// A fault that changes instructions before the engine sees them. A change that makes the program
/// break a restriction of the manual is left out.
pub(crate) const fn rewrite(
    name: &'static str,
    rewrite: fn(&mut Instruction) -> Option<()>,
) -> Fault<Eu> {
    Fault::rewrite(name, Rewrite::Instruction(rewrite))
}

/// A fault that changes an instruction by those around it, under the same condition.
pub(crate) const fn within(
    name: &'static str,
    rewrite: fn(&[Placed], usize) -> Option<Instruction>,
) -> Fault<Eu> {
    Fault::rewrite(name, Rewrite::Within(rewrite))
}

/// A fault that changes the machine code of compact forms, under the same condition.
pub(crate) const fn compact(name: &'static str, rewrite: fn(u64) -> Option<u64>) -> Fault<Eu> {
    Fault::rewrite(name, Rewrite::Compact(rewrite))
}

/// The same of full forms, as a decoder takes them that looks in the wrong place: whether that is legal
/// does not matter.
pub(crate) const fn full(name: &'static str, rewrite: fn(u128) -> Option<u128>) -> Fault<Eu> {
    Fault::rewrite(name, Rewrite::Full(rewrite))
}

/// A fault that changes what messages meet, before the engine sees it.
pub(crate) const fn around(
    name: &'static str,
    rewrite: fn(&mut Environment) -> Option<()>,
) -> Fault<Eu> {
    Fault::rewrite(name, Rewrite::Around(rewrite))
}

/// A fault that changes what render target writes meet, before the engine sees it.
pub(crate) const fn rendering(
    name: &'static str,
    rewrite: fn(&mut Rendering) -> Option<()>,
) -> Fault<Eu> {
    Fault::rewrite(name, Rewrite::Rendering(rewrite))
}

/// A fault that changes what arrives.
pub(crate) const fn event(
    name: &'static str,
    rewrite: fn(&mut EventKind) -> Option<()>,
) -> Fault<Eu> {
    Fault::rewrite(name, Rewrite::Event(rewrite))
}

/// A fault that disturbs what a step did.
pub(crate) const fn disturb(
    name: &'static str,
    disturb: fn(&Instruction, &State, &mut State),
) -> Fault<Eu> {
    Fault::disturb(name, Disturb::Step(disturb))
}

/// Faults that are shown by data instructions one after the other.
pub(crate) const fn straight_line(name: &'static str, faults: &'static [Fault<Eu>]) -> Family<Eu> {
    straight_line_on(Device::G45, name, faults)
}

/// The same on another device.
pub(crate) const fn straight_line_on(
    device: Device,
    name: &'static str,
    faults: &'static [Fault<Eu>],
) -> Family<Eu> {
    let (generate, bytes) = (generate::straight_line, generate::BYTES);
    Family { name, device, generate, bytes, faults }
}

/// An instruction as a fault makes it, and its machine code.
fn changed(
    device: Device,
    program: &Program,
    index: usize,
    rewrite: Rewrite,
) -> Option<(Instruction, Vec<u8>)> {
    let bytes = program.bytes_of(index);
    match rewrite {
        Rewrite::Within(rewrite) => {
            let instruction = rewrite(program.instructions(), index)?;
            Some((instruction, encode(device, &instruction).ok()?))
        }
        Rewrite::Instruction(rewrite) => {
            let mut instruction = program.instructions()[index].instruction;
            rewrite(&mut instruction)?;
            Some((instruction, encode(device, &instruction).ok()?))
        }
        Rewrite::Compact(rewrite) => {
            decoded(device, &rewrite(u64::from_le_bytes(bytes.try_into().ok()?))?.to_le_bytes())
        }
        Rewrite::Full(rewrite) => {
            decoded(device, &rewrite(u128::from_le_bytes(bytes.try_into().ok()?))?.to_le_bytes())
        }
        Rewrite::Around(_)
        | Rewrite::Sampler(_)
        | Rewrite::Table(_)
        | Rewrite::Sampling(_)
        | Rewrite::Rendering(_)
        | Rewrite::Event(_) => None,
    }
}

/// The instruction that machine code is, if it is one of its length.
fn decoded(device: Device, code: &[u8]) -> Option<(Instruction, Vec<u8>)> {
    let (instruction, length) = decode(device, code).ok()?;
    (length == code.len()).then(|| (instruction, code.to_vec()))
}

/// A program with every instruction changed that the fault concerns, that has machine code of the
/// same length then, and that breaks no restriction it did not break before.
fn rewritten(device: Device, original: &[u8], rewrite: Rewrite) -> Vec<u8> {
    let Ok(program) = Program::decode(device, original) else { return original.to_vec() };
    // What a decoder takes a word for need not be legal.
    let is_misread = matches!(rewrite, Rewrite::Full(_));
    let changes: Vec<_> = program
        .instructions()
        .iter()
        .enumerate()
        .filter_map(|(index, placed)| {
            let (instruction, code) = changed(device, &program, index, rewrite)?;
            let legal = is_misread
                || legality::is_legal(device, &instruction)
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
    if is_misread || legal(&all) {
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
