//! What can be left out of an execution unit case.

use parallax_isa::{
    Model, Step,
    eu::{
        Case, DataType, Instruction, State,
        case::{Event, EventKind},
        instruction::{
            AccessMode, Compression, ConditionalModifier, Predicate, PredicateControl,
            ThreadControl,
        },
        legality,
        operand::{Region, Register, Source, SourceModifier},
        program::Program,
        register::RegisterFile,
        state::channel_ip,
    },
};

use parallax_reference::eu::Reference;

mod relocatable;
mod without;

use relocatable::Relocatable;
pub(super) use without::{first_steps, up_to, without, without_those};

use super::Eu;
use crate::minimize::{
    Shrink,
    steps::{cleared, each_changed, runs, steps_back},
};

impl Shrink for Eu {
    fn simpler(case: &Case, step: u64) -> Box<dyn Iterator<Item = Case> + '_> {
        let Some(program) = Relocatable::new(case) else {
            return Box::new(std::iter::empty());
        };
        let programs = shorter(&program, step).chain(plainer(case, &program));
        let programs = programs.filter_map(move |program| program.case(case));
        let later = steps_back(step).filter_map(move |start| later(case, start));
        let rest = asleep(case).into_iter().chain(fewer_events(case)).chain(quieter(case));
        Box::new(later.chain(programs).chain(rest))
    }

    fn length(case: &Case) -> usize {
        Program::decode(case.device, &case.program)
            .map_or(0, |program| program.instructions().len())
    }
}

/// The same program from where it is at a step: what led there is left out.
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
    // What a debug register holds lasts.
    let lasts = |event: &Event| matches!(event.kind, EventKind::DebugRegister { .. });
    events.retain(|event| event.step >= step || lasts(event));
    events.iter_mut().for_each(|event| event.step = event.step.saturating_sub(step));
    Some(later)
}

/// The case with channels that wait where the thread never comes instead of at an instruction.
fn asleep(case: &Case) -> Option<Case> {
    const NOWHERE: u32 = channel_ip::OFFSET;
    let mut asleep = case.clone();
    for place in &mut asleep.state.channel_ip {
        if *place & channel_ip::WAITS != 0 {
            *place |= NOWHERE;
        }
    }
    (asleep.state.channel_ip != case.state.channel_ip).then_some(asleep)
}

/// Cases in which one thing less arrives.
fn fewer_events(case: &Case) -> impl Iterator<Item = Case> + '_ {
    (0..case.surroundings.events.len()).map(|number| {
        let mut fewer = case.clone();
        fewer.surroundings.events.remove(number);
        fewer
    })
}

/// Programs without their end, without halves, quarters, … single instructions.
fn shorter(program: &Relocatable, step: u64) -> impl Iterator<Item = Relocatable> + use<> {
    let length = program.len();
    let reached = usize::try_from(step).unwrap_or(length).saturating_add(program.entry() + 1);
    let end = (reached < length).then_some(reached..length);
    let program = program.clone();
    end.into_iter().chain(runs(length)).map(move |range| program.without(&range))
}

/// Simplifications of operand and instruction features. Each leads to something simpler in the
/// order of this list, so that they come to an end.
const PLAINER: &[fn(&mut Instruction)] = &[
    |i| i.compact = false,
    |i| {
        i.predicate = Predicate::default();
        if i.condition == ConditionalModifier::None {
            i.flag_subregister = 0;
        }
    },
    |i| i.predicate.inverse = false,
    |i| {
        if i.predicate.control != PredicateControl::None {
            i.predicate.control = PredicateControl::Sequential;
        }
    },
    |i| i.condition = ConditionalModifier::None,
    |i| i.saturate = false,
    |i| i.no_mask = true,
    |i| i.thread_control = ThreadControl::Normal,
    |i| i.flag_subregister = 0,
    |i| {
        if i.compression == Compression::SecHalf {
            i.compression = Compression::None;
        }
    },
    |i| {
        if i.compression == Compression::Compressed {
            i.compression = Compression::None;
            i.execution_size /= 2;
        }
    },
    |i| narrow(i, 1),
    |i| narrow(i, 2),
    |i| narrow(i, 4),
    |i| narrow(i, 8),
    |i| clear_modifier(&mut i.sources[0]),
    |i| clear_modifier(&mut i.sources[1]),
    |i| make_scalar(i, 0),
    |i| make_scalar(i, 1),
    |i| clear_subregister(&mut i.sources[0]),
    |i| clear_subregister(&mut i.sources[1]),
    |i| {
        if let Register::Direct { subregister, .. } = &mut i.destination.register {
            *subregister = 0;
        }
    },
];

fn narrow(instruction: &mut Instruction, channels: u8) {
    if instruction.execution_size <= channels {
        return;
    }
    instruction.execution_size = channels;
    for source in &mut instruction.sources {
        if let Source::Register { region: Region::Align1 { width, horizontal, vertical }, .. } =
            source
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
}

fn clear_modifier(source: &mut Source) {
    if let Source::Register { modifier, .. } = source {
        *modifier = SourceModifier::default();
    }
}

fn make_scalar(instruction: &mut Instruction, index: usize) {
    let align1 = instruction.access_mode == AccessMode::Align1;
    if let Source::Register { region, .. } = &mut instruction.sources[index]
        && align1
        && instruction.execution_size > 1
    {
        *region = Region::SCALAR;
    }
}

fn clear_subregister(source: &mut Source) {
    if let Source::Register {
        register: Register::Direct { file: RegisterFile::Grf, subregister, .. },
        ..
    } = source
    {
        *subregister = 0;
    }
}

/// Programs with one instruction made plainer, as long as that breaks no rule it did not break.
fn plainer<'a>(
    case: &'a Case,
    program: &Relocatable,
) -> impl Iterator<Item = Relocatable> + use<'a> {
    let program = program.clone();
    (0..program.len()).flat_map(move |at| {
        let instruction = program.instruction(at);
        let broken = |instruction: &Instruction| {
            let violations = legality::check(case.device, instruction).into_iter();
            violations.map(|violation| violation.rule).collect::<Vec<_>>()
        };
        let before = broken(instruction);
        let sensible = |plainer: &Instruction| {
            broken(plainer).iter().all(|rule| before.contains(rule))
                && instruction.message.is_none()
                && plainer.destination.data_type != DataType::V
        };
        let plainer = each_changed(instruction, PLAINER).filter(sensible);
        plainer.map(|plainer| program.with(at, plainer)).collect::<Vec<_>>()
    })
}

/// Cases with ranges of the state as in a fresh thread, down to single doublewords. The instruction
/// pointer is always kept.
fn quieter(case: &Case) -> impl Iterator<Item = Case> + use<> {
    let mut fresh = Box::new(State::of(case.device));
    fresh.ip = case.state.ip;
    cleared(case, |case| &mut *case.state, fresh, 4)
}
