//! Vector kernels for the common shapes, and which instructions they serve: neighbouring elements,
//! scalars and immediates of one type. Everything else runs the general way.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(test)]
mod tests;

use std::mem::offset_of;

use parallax_isa::eu::{DataType, State};

use super::{
    fields::Generation,
    instruction::{Instruction, Source},
    lanes::{CHANNELS, Format, Kind, lane_float},
    mixed,
    native::{General, Op, Run, Ways},
    operation::{Data, Form},
    plan::{ABSENT, Plan, Shape, SimpleMask, View},
    work::{self, Float, Work},
};
use crate::{
    eu::{
        condition::Condition,
        kernel::element::{Element, KernelOperation},
    },
    simd::Level,
};

/// Runs an instruction whose shape it was chosen for, on the channels that go with the thread.
pub(super) type Kernel = Run;

/// Finds a kernel for an instruction and makes the micro-op look to what it needs.
pub(super) fn choose(level: Level, instruction: &Instruction, data: &Data, op: &mut Op) {
    choose_kernel(level, instruction, data, op);
    // Code of half floats is another one than their kernels are.
    let served = op.general.served;
    let is_mixed = matches!(served, None | Some((Work::Half(_), _)));
    if is_mixed && let Some((planned, plan)) = mixed::planned(instruction, data, &op.general) {
        if served.is_none() {
            op.plan = plan;
        }
        op.general.mixed = Some(Box::new(planned));
    }
}

fn choose_kernel(level: Level, instruction: &Instruction, data: &Data, op: &mut Op) {
    let Some((work, element)) = work(instruction, data, &op.general) else { return };
    let Some(plan) = plan(instruction, &mut op.general, work, element) else { return };
    let channels = usize::from(instruction.execution_size);
    let plain = plan.sources[..instruction.source_count.into()]
        .iter()
        .all(|view| view.shape == Shape::Packed && !view.absolute && !view.negate);
    let plain = plain && plan.mask.is_open() && !plan.saturate;
    let kernel = |plain| kernel(level, work, element, channels, plain);
    let Some(run) = kernel(false) else { return };
    let open = plain && (plan.writes || matches!(work, Work::Compare(_)));
    let run_open = if open { kernel(true).unwrap_or(run) } else { run };
    op.plan = plan;
    op.general.served = Some((work, element));
    op.ways = Ways { run, run_open };
}

/// The kernel for some work on a number of channels, if there is one.
fn kernel(
    level: Level,
    work: Work,
    element: Element,
    channels: usize,
    plain: bool,
) -> Option<Kernel> {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512(token) => avx512::kernel(token, work, element, channels, plain),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2(token) => portable::kernel(token, work, element, channels),
        #[cfg(not(target_arch = "x86_64"))]
        Level::Portable => portable::kernel(work, element, channels),
        _ => None,
    }
}

/// What a kernel would have to compute, and on which elements.
fn work(instruction: &Instruction, data: &Data, general: &General) -> Option<(Work, Element)> {
    use KernelOperation as K;
    if general.accumulator.is_some() || general.second_target.is_some() {
        return None;
    }
    let sources = instruction.used_sources();
    let register = sources.iter().find_map(|source| match source {
        Source::Register(region) => Some(region.data_type),
        Source::Immediate { .. } => None,
    });
    let to = instruction.destination.data_type;
    let of = register.unwrap_or(to);
    // All registers have one type; the destination may differ in the sign.
    let one_type = sources.iter().all(|source| match source {
        Source::Register(region) => region.data_type == of,
        Source::Immediate { .. } => Format::of(source.data_type()) == Format::of(of),
    });
    let same_size = of.size() == to.size() && Format::of(of) == Format::of(to);
    let compares = matches!(data.form, Form::Compare { .. });
    if !one_type || !(same_size || compares && of.size() == to.size()) {
        return None;
    }
    let raw = match of.size() {
        2 => Element::Uw,
        4 => Element::Ud,
        _ => return None,
    };
    let name = instruction.operation.name;
    if data.form == Form::Select && general.moved == [true; 2] {
        let work = match general.condition {
            Condition::None => return Some((Work::Integer(K::Select), raw)),
            condition if of == DataType::F => Work::SelectByOrder(condition),
            condition if !of.is_float() => Work::SelectByOrder(condition),
            _ => return None,
        };
        return Some((work, Element::of(of)?));
    }
    if compares {
        return Some((Work::Compare(general.condition), Element::of(of)?));
    }
    if general.condition != Condition::None {
        return None;
    }
    if general.kind == Kind::Raw {
        return (data.form == Form::Move).then_some((Work::Integer(K::Move), raw));
    }
    if let Kind::Float(format) = general.kind {
        let float = Float::named(name)?;
        return match format {
            Format::Single => Some((Work::Float(float), Element::F)),
            Format::Half => Some((Work::Half(float), Element::Uw)),
            Format::Double => None,
        };
    }
    if instruction.saturate {
        return None;
    }
    let dwords = of.size() == 4;
    let operation = match name {
        // Where the second source counts as a whole, or is no dword.
        "mul" if instruction.generation >= Generation::Gen9 || !dwords => K::Multiply,
        _ => work::integer(name)?,
    };
    Some((Work::Integer(operation), Element::of(of)?))
}

/// The plan for an instruction, if a kernel can serve its shape. Fills in its immediates.
fn plan(
    instruction: &Instruction,
    general: &mut General,
    work: Work,
    element: Element,
) -> Option<Plan> {
    let size = element.bytes();
    let count = general.count;
    let mask = SimpleMask::of(&general.mask)?;
    let whole = u32::MAX >> (32 - count as u32);
    let base = offset_of!(State, grf);
    let (target, writes) = match general.target.packed(count, size) {
        Some(start) => (base + start, true),
        None if general.target.is_null() => (base, false),
        None => return None,
    };
    if general.mask.channels != whole || count > 16 || general.guarded {
        return None;
    }
    let mut sources = [ABSENT; 3];
    for (index, source) in instruction.used_sources().iter().enumerate() {
        let operand = &general.sources[index];
        let (absolute, negate) = operand.modifiers();
        let view = match source {
            Source::Immediate { .. } => {
                general.immediates[index] = immediate(general, index, work, element)?;
                View { shape: Shape::Constant, ..ABSENT }
            }
            Source::Register(_) => {
                let (splat, start) = operand.neighbours(count, size)?;
                let shape = if splat { Shape::Splat } else { Shape::Packed };
                View { shape, absolute, negate, offset: (base + start) as u16 }
            }
        };
        let float = matches!(work, Work::Float(_) | Work::Half(_))
            || element == Element::F && matches!(work, Work::Compare(_));
        // Modified integers may need a bit more than the element has.
        let sum = work == Work::Integer(KernelOperation::Add) && !absolute;
        if (view.absolute || view.negate) && !float && !sum {
            return None;
        }
        sources[index] = view;
    }
    Some(Plan {
        sources,
        target: target as u16,
        writes,
        saturate: instruction.saturate,
        second_nan_wins: general.second_nan_wins
            && !(matches!(work, Work::SelectByOrder(Condition::Equal | Condition::NotEqual))),
        mask,
        needs: if instruction.no_mask { 0 } else { whole << instruction.first_channel },
    })
}

/// An immediate as elements, if it fits.
fn immediate(general: &General, index: usize, work: Work, element: Element) -> Option<[u8; 64]> {
    use KernelOperation as K;
    let mut bytes = [0; 64];
    let lanes = general.sources[index].constant_lanes();
    // Only the low bits of the sources matter.
    let wraps = match work {
        Work::Integer(operation) => {
            !matches!(operation, K::ShiftRight | K::ShiftArithmetic | K::Average)
        }
        _ => false,
    };
    for (channel, lane) in lanes.into_iter().enumerate().take(CHANNELS.min(16)) {
        // What is selected is moved bit for bit.
        let moves = matches!(work, Work::SelectByOrder(_)) && general.moved[index];
        let raw = general.kind == Kind::Raw || matches!(work, Work::Integer(K::Select)) || moves;
        let (bits, size, fits) = match (work, element) {
            _ if raw => {
                (general.sources[index].constant_bits(channel) as u32, element.bytes(), true)
            }
            (Work::Half(_), _) => (general.sources[index].constant_bits(channel) as u32, 2, true),
            (_, Element::F) => ((lane_float(lane) as f32).to_bits(), 4, true),
            (_, Element::Ud) => (lane as u32, 4, u32::try_from(lane).is_ok()),
            (_, Element::D) => (lane as u32, 4, i32::try_from(lane).is_ok()),
            (_, Element::Uw) => (u32::from(lane as u16), 2, u16::try_from(lane).is_ok()),
            (_, Element::W) => (u32::from(lane as u16), 2, i16::try_from(lane).is_ok()),
        };
        if !fits && !wraps {
            return None;
        }
        bytes[channel * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
    }
    Some(bytes)
}
