//! What can be left out of an execution unit case.

use parallax_isa::{
    Image, Model, Step,
    eu::{
        Case, DataType, Instruction, Opcode, State,
        instruction::{
            AccessMode, Compression, ConditionalModifier, Predicate, PredicateControl,
            ThreadControl,
        },
        legality,
        operand::{Region, Register, Source, SourceModifier},
        program::Program,
        register::RegisterFile,
    },
};

use parallax_reference::eu::Reference;

mod relocatable;

use relocatable::Relocatable;

use super::Eu;
use crate::minimize::Shrink;

impl Shrink for Eu {
    fn simpler(case: &Case, step: u64) -> Box<dyn Iterator<Item = Case> + '_> {
        let Some(program) = Relocatable::new(case) else {
            return Box::new(std::iter::empty());
        };
        let programs = shorter(&program, step).chain(plainer(case, &program));
        let programs = programs.filter_map(move |program| program.case(case));
        Box::new(later(case, step).into_iter().chain(programs).chain(quieter(case)))
    }

    fn length(case: &Case) -> usize {
        Program::decode(case.device, &case.program)
            .map_or(0, |program| program.instructions().len())
    }
}

/// The same program from where it is at the step that differs: what led there is left out.
fn later(case: &Case, step: u64) -> Option<Case> {
    let mut reference = Reference::new();
    reference.load(case).ok()?;
    let arrived = (0..step).all(|_| reference.step() == Step::Continue);
    if step == 0 || !arrived {
        return None;
    }
    let mut later = case.clone();
    *later.state = *reference.state();
    later.step_limit = case.step_limit.saturating_sub(step);
    let events = &mut later.surroundings.events;
    events.retain(|event| event.step >= step);
    events.iter_mut().for_each(|event| event.step -= step);
    Some(later)
}

/// Programs without their end, without halves, quarters, … single instructions.
fn shorter(program: &Relocatable, step: u64) -> impl Iterator<Item = Relocatable> + use<> {
    let length = program.len();
    let reached = usize::try_from(step).unwrap_or(length).saturating_add(program.entry() + 1);
    let end = (reached < length).then_some(reached..length);
    let sizes = std::iter::successors(Some(length / 2), |size| Some(size / 2));
    let sizes = sizes.take_while(|size| *size > 0);
    let holes = sizes
        .flat_map(move |size| (0..length).step_by(size).map(move |at| at..(at + size).min(length)));
    let program = program.clone();
    end.into_iter().chain(holes).map(move |range| program.without(&range))
}

/// One simplification of one instruction; `None` where there is nothing to simplify.
type Plainer = fn(&Instruction) -> Option<Instruction>;

/// Changes an instruction if that changes anything.
fn changed(
    instruction: &Instruction,
    change: impl FnOnce(&mut Instruction),
) -> Option<Instruction> {
    let mut plainer = *instruction;
    change(&mut plainer);
    (plainer != *instruction).then_some(plainer)
}

/// Simplifications of operand and instruction features. Each leads to something simpler in the
/// order of this list, so that they come to an end.
const PLAINER: &[Plainer] = &[
    |i| changed(i, |i| i.compact = false),
    |i| {
        changed(i, |i| {
            i.predicate = Predicate::default();
            if i.condition == ConditionalModifier::None {
                i.flag_subregister = 0;
            }
        })
    },
    |i| changed(i, |i| i.predicate.inverse = false),
    |i| {
        (i.predicate.control != PredicateControl::None)
            .then(|| changed(i, |i| i.predicate.control = PredicateControl::Sequential))?
    },
    |i| changed(i, |i| i.condition = ConditionalModifier::None),
    |i| changed(i, |i| i.saturate = false),
    |i| changed(i, |i| i.no_mask = true),
    |i| changed(i, |i| i.thread_control = ThreadControl::Normal),
    |i| changed(i, |i| i.flag_subregister = 0),
    |i| {
        changed(i, |i| {
            if i.compression == Compression::SecHalf {
                i.compression = Compression::None;
            }
        })
    },
    |i| {
        changed(i, |i| {
            if i.compression == Compression::Compressed {
                i.compression = Compression::None;
                i.execution_size /= 2;
            }
        })
    },
    |i| (i.execution_size > 1).then(|| narrowed(i, 1))?,
    |i| (i.execution_size > 2).then(|| narrowed(i, 2))?,
    |i| (i.execution_size > 4).then(|| narrowed(i, 4))?,
    |i| (i.execution_size > 8).then(|| narrowed(i, 8))?,
    |i| modifier(i, 0),
    |i| modifier(i, 1),
    |i| region(i, 0),
    |i| region(i, 1),
    |i| origin(i, 0),
    |i| origin(i, 1),
    |i| {
        changed(i, |i| {
            if let Register::Direct { subregister, .. } = &mut i.destination.register {
                *subregister = 0;
            }
        })
    },
];

fn narrowed(instruction: &Instruction, channels: u8) -> Option<Instruction> {
    changed(instruction, |i| {
        i.execution_size = channels;
        for source in &mut i.sources {
            if let Source::Register {
                region: Region::Align1 { width, horizontal, vertical }, ..
            } = source
                && *width >= channels
            {
                use parallax_isa::eu::operand::VerticalStride::Elements;
                *width = channels;
                if channels == 1 {
                    (*horizontal, *vertical) = (0, Elements(0));
                } else if *vertical != Elements(0) {
                    *vertical = Elements(channels * *horizontal);
                }
            }
        }
    })
}

fn modifier(instruction: &Instruction, index: usize) -> Option<Instruction> {
    changed(instruction, |i| {
        if let Source::Register { modifier, .. } = &mut i.sources[index] {
            *modifier = SourceModifier::default();
        }
    })
}

fn region(instruction: &Instruction, index: usize) -> Option<Instruction> {
    let align1 = instruction.access_mode == AccessMode::Align1;
    let narrow = instruction.execution_size > 1;
    changed(instruction, |i| {
        if let Source::Register { region, .. } = &mut i.sources[index]
            && align1
            && narrow
        {
            *region = Region::SCALAR;
        }
    })
}

fn origin(instruction: &Instruction, index: usize) -> Option<Instruction> {
    changed(instruction, |i| {
        if let Source::Register {
            register: Register::Direct { file: RegisterFile::Grf, subregister, .. },
            ..
        } = &mut i.sources[index]
        {
            *subregister = 0;
        }
    })
}

/// Programs with one instruction made plainer, as long as that keeps it legal.
fn plainer<'a>(
    case: &'a Case,
    program: &Relocatable,
) -> impl Iterator<Item = Relocatable> + use<'a> {
    let program = program.clone();
    let pairs = (0..program.len()).flat_map(|at| PLAINER.iter().map(move |change| (at, change)));
    pairs.filter_map(move |(at, change)| {
        let instruction = program.instruction(at);
        let plainer = change(instruction)?;
        let legal = legality::is_legal(case.device, &plainer)
            || !legality::is_legal(case.device, instruction);
        let data = instruction.opcode != Opcode::Send && legal;
        let sensible = plainer.destination.data_type != DataType::V;
        (data && sensible).then(|| program.with(at, plainer))
    })
}

/// Cases with ranges of the state as in a fresh thread: all, halves, quarters, … single
/// doublewords.
fn quieter(case: &Case) -> impl Iterator<Item = Case> + '_ {
    let fresh = State::new();
    let length = fresh.image().len();
    let sizes = std::iter::successors(Some(length.next_power_of_two()), |size| Some(size / 2));
    let sizes = sizes.take_while(|size| *size >= 4);
    let ranges = sizes.flat_map(move |size| {
        (0..length).step_by(size).map(move |start| start..(start + size).min(length))
    });
    ranges
        .filter_map(move |range| {
            let differs = case.state.image()[range.clone()] != fresh.image()[range.clone()];
            differs.then(|| {
                let mut quieter = case.clone();
                let ip = case.state.ip;
                quieter.state.image_mut()[range.clone()].copy_from_slice(&fresh.image()[range]);
                quieter.state.ip = ip;
                quieter
            })
        })
        // The instruction pointer is always kept: a case that differs in it alone is not simpler.
        .filter(|quieter| quieter.state != case.state)
}
