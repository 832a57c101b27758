//! Results of execution units that an engine does not claim to have right.

use std::mem::offset_of;

use parallax_isa::{
    Acceptance, Expectation, Extent, Weaknesses,
    eu::{
        DataType, Opcode, State,
        instruction::{Compression, ConditionalModifier as Condition},
        operand::{DestinationRegion, Register},
        register::{ArfKind, REGISTER_BYTES, RegisterFile},
        state::{ACCUMULATOR_COUNT, GRF_COUNT, MRF_COUNT},
    },
};
use parallax_reference::eu::{DataStep, Observed};
use parallax_spec::coverage;

use crate::weakness::{self, Class, anything, is_tiny};

/// Counts the rules of a step, and finds what is weak of it.
pub(super) fn observe(observed: &Observed<'_>) {
    if coverage::is_observed() {
        parallax_rules::observe(observed);
    }
    if let Observed::Data(step) = observed {
        weakness::inspect(|weaknesses, found| {
            for channel in 0..usize::from(step.instruction.execution_size).min(32) {
                if let Some(acceptance) = acceptance(step, weaknesses, channel) {
                    accept(step, channel, acceptance, found);
                }
            }
        });
    }
}

fn class(bits: u64, data_type: DataType) -> Option<Class> {
    let (fraction, exponent) = match data_type {
        DataType::Hf => (10, 5),
        DataType::F => (23, 8),
        DataType::Df => (52, 11),
        _ => return None,
    };
    Some(Class::of(bits, fraction, exponent))
}

/// What is accepted of a channel, if it is weak.
fn acceptance(step: &DataStep<'_>, weaknesses: &Weaknesses, channel: usize) -> Option<Acceptance> {
    let instruction = step.instruction;
    let data_type = instruction.destination.data_type;
    let sources = (0..step.sources)
        .map(|source| class(step.bits_read(source, channel), step.source_type(source)));
    let result = class(step.result(channel), data_type);
    let has_nan = || sources.clone().any(|source| source == Some(Class::Nan));
    let is_tiny = || is_tiny(result, sources.clone());
    let compares = || instruction.opcode == Opcode::Sel && instruction.condition != Condition::None;
    let converts = || {
        !data_type.is_float()
            && sources.clone().any(|source| source.is_some())
            && (has_nan() || step.overflowed(channel))
    };
    if weaknesses.denormals && is_tiny()
        || weaknesses.nan_comparisons && compares() && has_nan()
        || weaknesses.conversions && converts()
    {
        return Some(Acceptance::Undefined);
    }
    if weaknesses.nan_payloads && result == Some(Class::Nan) {
        return Some(match data_type {
            DataType::Hf => Acceptance::AnyNan16,
            DataType::Df => Acceptance::AnyNan64,
            _ => Acceptance::AnyNan32,
        });
    }
    let most = weaknesses
        .approximations
        .get(&super::name(instruction))
        .filter(|_| data_type == DataType::F);
    most.map(|most| Acceptance::Ulp32(*most))
}

/// Accepts that in the places of a channel; where it may be anything, in its flag and in the accumulators too.
fn accept(
    step: &DataStep<'_>,
    channel: usize,
    acceptance: Acceptance,
    found: &mut Vec<Expectation>,
) {
    let instruction = step.instruction;
    let is_written = step.enabled >> channel & 1 == 1;
    if let Some((start, bytes)) = element(step, channel).filter(|_| is_written) {
        let extent = Extent::whole(start, bytes);
        found.push(Expectation { extent, acceptance });
    }
    if matches!(acceptance, Acceptance::AnyNan16 | Acceptance::AnyNan32 | Acceptance::AnyNan64) {
        return;
    }
    // `sel` has a conditional modifier, and sets no flags.
    if instruction.condition != Condition::None && instruction.opcode != Opcode::Sel {
        let half = if instruction.compression == Compression::SecHalf { 8 } else { 0 };
        let bit = usize::from(instruction.first_channel) + half + channel;
        let register =
            usize::from(2 * instruction.flag_register + instruction.flag_subregister) + bit / 16;
        let offset = (offset_of!(State, flag) + 2 * register.min(3)) as u32;
        let extent = Extent { offset, bytes: 2, mask: 1 << (bit % 16) };
        found.push(Expectation { extent, acceptance: Acceptance::Undefined });
    }
    let is_accumulator = instruction.destination.register.arf() == Some(ArfKind::Accumulator);
    if is_accumulator || step.accumulated() >> channel & 1 == 1 || instruction.accumulator_write {
        anything(found, offset_of!(State, accumulator), 8 * 16 * ACCUMULATOR_COUNT);
    }
}

/// The byte of the state at which a channel's element of the destination starts, and its bytes, in a general or
/// message register.
fn element(step: &DataStep<'_>, channel: usize) -> Option<(usize, usize)> {
    let destination = step.instruction.destination;
    let bytes = destination.data_type.size();
    let first = match destination.register {
        Register::Direct { number, subregister, .. } => {
            usize::from(number) * REGISTER_BYTES + usize::from(subregister)
        }
        Register::Indirect { address_subregister, offset, .. } => {
            let address = step.addresses.get(usize::from(address_subregister))?;
            usize::try_from(i32::from(*address) + i32::from(offset)).ok()?
        }
    };
    let stride = match destination.region {
        DestinationRegion::Stride(stride) => usize::from(stride.max(1)),
        DestinationRegion::ChannelEnable(_) => 1,
    };
    let (bank, size) = match destination.register.file() {
        RegisterFile::Grf => (offset_of!(State, grf), REGISTER_BYTES * GRF_COUNT),
        RegisterFile::Mrf => (offset_of!(State, mrf), REGISTER_BYTES * MRF_COUNT),
        _ => return None,
    };
    let at = first + channel * stride * bytes;
    (at + bytes <= size).then_some((bank + at, bytes))
}
