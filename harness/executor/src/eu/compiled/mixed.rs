//! Instructions of Gen4 whose operands have several types, or elements with gaps between them.

use std::mem::offset_of;

use parallax_isa::eu::{
    DataType, State,
    register::{REGISTER_BYTES, RegisterFile},
};

use super::{
    accumulators::accumulators,
    description::{
        CHANNELS, Element, LaneOperation, MOST_CHANNELS, Mixed, Part, Planned, Rounding, Values,
    },
};
use crate::eu::{
    condition::Condition,
    instruction::{Compression, Instruction, Origin, Source},
    lanes::Kind,
    lower,
    native::{AccumulatorUpdate, Native, Operand, Target},
    operation::{Candidate, Data, Form},
};

/// How to compile an instruction, if that can be done, and what it leaves in accumulators.
pub(super) fn planned(
    instruction: &Instruction,
    natives: &[Native],
    updates_accumulator: bool,
) -> Option<Planned> {
    use LaneOperation as L;
    let data = instruction.data()?;
    let kind = lower::lane_kind(instruction, data);
    let compares = matches!(data.form, Form::Compare { .. });
    let channels = usize::from(instruction.execution_size);
    let is_fit = !instruction.align16
        && channels <= MOST_CHANNELS
        && (compares || instruction.condition == Condition::None)
        && natives[0].accumulator_update != AccumulatorUpdate::Explicit
        && !(instruction.compression == Compression::SecHalf && natives[0].lanes > 8)
        && (natives.len() == 1 || natives[0].lanes == 8);
    if !is_fit {
        return None;
    }
    let sources = instruction.used_sources();
    let parts: Option<Vec<Part>> =
        (0..sources.len()).map(|index| part(&sources[index], kind, natives, index)).collect();
    let operation = operation(instruction, data, kind)?;
    let is_float = |data_type: DataType| data_type.is_float() && kind != Kind::Raw;
    let result = instruction.destination.data_type;
    let moves = operation == L::Move;
    let planned = Mixed {
        operation,
        is_float: kind == Kind::Float || moves && is_float(result),
        rounding: Rounding::TowardZero,
        flushes_halves: false,
        sources: &parts?,
        // What a comparison writes is one bit.
        result: if compares || kind == Kind::Raw { bits_of(result) } else { result },
        target: target(instruction, natives)?,
        channels,
        halves: natives.len() == 2,
        saturate: instruction.saturate,
        condition: instruction.condition,
        second_nan_wins: data.form == Form::Compare { second_nan_wins: true },
        mask: natives[0].mask.described()?,
    }
    .planned()?;
    let leaves_one = planned.channels == CHANNELS
        && planned.is_float()
        && matches!(planned.operation, L::Add | L::Multiply);
    (!updates_accumulator || leaves_one).then(|| Planned {
        accumulators: accumulators(natives),
        updates_accumulator,
        ..planned
    })
}

/// What is done to lanes.
fn operation(instruction: &Instruction, data: &Data, kind: Kind) -> Option<LaneOperation> {
    let sources = instruction.used_sources();
    let has_dwords = sources.iter().all(|source| source.data_type().size() == 4);
    let operation = data.compiled(&Candidate {
        data: match (kind, has_dwords) {
            (Kind::Float, _) => Element::F,
            (_, true) => Element::D,
            (_, false) => Element::W,
        },
        raw: kind == Kind::Raw,
        saturate: instruction.saturate,
        has_immediate_word: false,
        names_accumulator: lower::explicit_accumulator(instruction).is_some(),
    })?;
    // An implied accumulator has more digits than lanes.
    (data.form != Form::Accumulate).then_some(operation)
}

/// The unsigned integer as long as a type.
fn bits_of(data_type: DataType) -> DataType {
    match data_type.size() {
        1 => DataType::Ub,
        2 => DataType::Uw,
        _ => DataType::Ud,
    }
}

fn part(source: &Source, kind: Kind, natives: &[Native], index: usize) -> Option<Part> {
    let operand = &natives[0].sources[index];
    let data_type = source.data_type();
    let values = match source {
        Source::Register(region) => {
            let is_general = region.file == RegisterFile::Grf;
            if !is_general || !matches!(region.origin, Origin::Direct { .. }) {
                return None;
            }
            let limit = 128 * REGISTER_BYTES - data_type.size();
            let bytes = |native: &Native| native.sources[index].offsets;
            places(natives, bytes, offset_of!(State, grf), limit)?
        }
        Source::Immediate { .. } => match kind {
            Kind::Float => Values::Floats(operand.constant.map(f64::from_bits)),
            Kind::Integer | Kind::Raw => Values::Integers(operand.constant.map(u64::cast_signed)),
        },
    };
    let data_type = if kind == Kind::Raw { bits_of(data_type) } else { data_type };
    let Operand { absolute, negate, .. } = *operand;
    Some(Part { data_type, values, absolute, negate, inverts: false, keeps_width: false })
}

/// The bytes of the state that elements go to, if there are any.
fn target(instruction: &Instruction, natives: &[Native]) -> Option<Option<[u16; MOST_CHANNELS]>> {
    let destination = &instruction.destination;
    let Origin::Direct { number, .. } = destination.origin else { return None };
    let Target { file, bounded, .. } = natives[0].target;
    let base = match file {
        // Of a null destination only comparisons make something.
        RegisterFile::Arf => return (number >> 4 == 0).then_some(None),
        RegisterFile::Mrf => offset_of!(State, mrf),
        RegisterFile::Grf => offset_of!(State, grf),
    };
    let (_, limit) = bounded?;
    let limit = usize::from(limit) - destination.data_type.size();
    match places(natives, |native| native.target.offsets, base, limit)? {
        Values::Registers(bytes) => Some(Some(bytes)),
        _ => None,
    }
}

/// Bytes of the state, of all channels of an instruction; none if one is beyond the last byte of its file at
/// which an element can begin.
fn places(
    natives: &[Native],
    of: impl Fn(&Native) -> [u16; MOST_CHANNELS],
    base: usize,
    last: usize,
) -> Option<Values> {
    let mut bytes = [0; MOST_CHANNELS];
    let mut channels =
        natives.iter().flat_map(|native| of(native).into_iter().take(native.lanes)).enumerate();
    channels
        .all(|(channel, byte)| {
            bytes[channel] = byte.wrapping_add(base as u16);
            usize::from(byte) <= last
        })
        .then_some(Values::Registers(bytes))
}

#[cfg(test)]
mod tests {
    use parallax_isa::{
        Device, Model,
        eu::{Case, State, text},
    };
    use rstest::rstest;

    use crate::eu::Executor;

    /// They are not legal, but programs may have them.
    #[rstest]
    #[case("add (32) r10<1>:w r2<16;16,1>:w r4<16;16,1>:w")]
    #[case("mov (32) r10<1>:ub r2<16;16,1>:uw")]
    #[case("cmp.l.f0.0 (32) null<1>:w r2<16;16,1>:w r4<0;1,0>:d")]
    fn instructions_of_32_channels_are_interpreted(#[case] line: &str) {
        let program = text::parse(Device::G45, line).expect("it assembles").program;
        let case = Case::new(Device::G45, program.bytes().to_vec(), Box::new(State::new()), 4);
        let engines = [Executor::new(), Executor::compiling_at_once()];
        let [interpreted, compiled] = engines.map(|mut executor| {
            executor.load(&case).expect("it loads");
            (executor.run(), *executor.state())
        });
        assert!(interpreted == compiled);
    }
}
