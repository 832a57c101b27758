//! Accumulators as operands, as a further destination, and values for those that are read.

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    operand::{
        Destination, DestinationRegion, Region, Register, Source, SourceModifier, VerticalStride,
    },
    register::ArfKind,
    state::ACCUMULATOR_COUNT,
};

use super::{
    Later,
    draft::Draft,
    registers::{architecture, grf},
    sources::Drafted,
};

/// The accumulator type that a type of operands stands for.
pub(super) fn kind(data_type: DataType) -> Option<DataType> {
    match data_type {
        DataType::Uw | DataType::W => Some(DataType::W),
        DataType::Ud | DataType::D => Some(DataType::D),
        DataType::F | DataType::Hf | DataType::Df => Some(data_type),
        _ => None,
    }
}

/// The most channels that `acc0`, or for F both accumulators, have room for.
fn capacity(kind: DataType, pairs: bool) -> u8 {
    match kind {
        DataType::D => 8,
        DataType::Df if pairs => 8,
        DataType::Df => 4,
        _ => 16,
    }
}

/// How many of an instruction's channels there are in each accumulator.
fn in_each(kind: DataType, channels: u8) -> u8 {
    if kind == DataType::F { channels.min(8) } else { channels }
}

/// Whether an instruction that does not name its accumulator has that of its quarter: one of eight
/// channels of F.
pub(super) fn is_of_quarter(draft: &Draft, instruction: &Instruction) -> bool {
    let is_float = [draft.execution, draft.types.destination] == [DataType::F; 2];
    is_float
        && draft.channels == 8
        && !draft.is_mixed()
        && instruction.first_channel.is_multiple_of(8)
}

/// The accumulator that an instruction has without naming it.
fn implied(instruction: &Instruction) -> u8 {
    instruction.first_channel / 8 % 2
}

/// Neighbouring elements.
pub(super) fn packed(channels: u8) -> Region {
    match channels {
        1 => Region::SCALAR,
        _ => {
            let width = channels.min(8);
            Region::Align1 { vertical: VerticalStride::Elements(width), width, horizontal: 1 }
        }
    }
}

impl Later<'_, '_> {
    /// Whether an instruction may read or write the accumulator under the type it computes in.
    fn has_accumulator(&self, draft: &Draft, explicit: bool) -> bool {
        let Some(kind) = kind(draft.execution) else { return false };
        let most = capacity(kind, draft.pairs);
        // `leg.acc.simd16-dword-ivb`.
        let limited = explicit && self.is_gen7() && draft.execution.size() >= 4;
        draft.channels <= if limited { most.min(8) } else { most } && !draft.is_mixed()
    }

    /// An accumulator as src0, which needs the region of the destination.
    pub(super) fn accumulator_source(&mut self, draft: &Draft) -> Option<Drafted> {
        use Opcode::*;
        let data_type = draft.types.sources[0];
        let reads = !matches!(
            draft.opcode(),
            Dp2 | Dp3
                | Dp4
                | Dph
                | Line
                | Mac
                | Mach
                | Mul
                | Pln
                | Sad2
                | Sada2
                | Movi
                | Lzd
                | Fbh
                | Fbl
                | Cbit
                | Bfrev
                | Bfi1
                | Addc
                | Subb
                | F32to16
                | F16to32
                | Frc
                | Rndu
                | Rndd
                | Rnde
                | Rndz
        );
        let alike = kind(data_type).is_some() && kind(data_type) == kind(draft.execution);
        let same_size = draft.types.destination.size() == data_type.size();
        if !reads || !alike || !same_size || !self.has_accumulator(draft, true) {
            return None;
        }
        let modifier = match draft.is_logic() {
            true => SourceModifier::default(),
            false => self.modifier(draft, 0),
        };
        Some(Drafted::of(Source::Register {
            register: architecture(ArfKind::Accumulator, draft.accumulator, 0),
            data_type,
            region: packed(draft.channels),
            modifier,
        }))
    }

    /// The accumulator that an instruction may name: of eight for floats of Gen12, of which 16 channels of F
    /// take a pair.
    pub(super) fn some_accumulator(&mut self, draft: &Draft) -> u8 {
        let is_float = |of| matches!(of, DataType::F | DataType::Hf);
        let is_for_floats = is_float(draft.execution) && is_float(draft.types.destination);
        if !self.has_all_accumulators || !is_for_floats || draft.opcode() == Opcode::Mac {
            return 0;
        }
        let number = self.choices.below(2 * ACCUMULATOR_COUNT) as u8;
        match number & 7 {
            _ if number >= 8 => 0,
            number if draft.channels == 16 && draft.execution == DataType::F => number & !1,
            number => number,
        }
    }

    /// What is known of the accumulators that an instruction of so many channels has, the first being
    /// `number`.
    fn known(&mut self, number: u8, kind: DataType, channels: u8) -> &mut [Option<(DataType, u8)>] {
        let registers = 1 + usize::from(kind == DataType::F && channels == 16);
        &mut self.accumulators[usize::from(number)..][..registers]
    }

    /// Whether the result may go to the accumulator besides.
    pub(super) fn may_write_accumulator(&self, draft: &Draft, instruction: &Instruction) -> bool {
        use Opcode::*;
        let never = match draft.opcode() {
            Movi | Sad2 | Sada2 | F32to16 | F16to32 | Lzd | Fbh | Fbl | Cbit | Bfrev | Bfi1
            | Bfe | Bfi2 | Dp4a | Pln | Line | Dp2 | Dp3 | Dp4 | Dph | Lrp => true,
            Cmp | Cmpn => true,
            Mul => draft.is_dword_product() && !self.is_gen7(),
            _ => false,
        };
        !never
            && !instruction.saturate
            && kind(draft.types.destination) == kind(draft.execution)
            && self.has_accumulator(draft, false)
    }

    /// Gives the accumulator that an instruction reads a value of its type, if it may not have one.
    pub(super) fn set_accumulator(&mut self, draft: &Draft, reader: &Instruction) {
        let named = reader.sources[..draft.form.source_count()].iter().any(|source| {
            matches!(source, Source::Register { register, .. }
                if register.arf() == Some(ArfKind::Accumulator))
        });
        let implicit = matches!(draft.opcode(), Opcode::Mac | Opcode::Sada2);
        if !named && !implicit {
            return;
        }
        let Some(kind) = kind(draft.execution) else { return };
        let needed = in_each(kind, draft.channels);
        let is_enough = |known: &Option<(DataType, u8)>| {
            known.is_some_and(|(of, channels)| of == kind && channels >= needed)
        };
        let first = if named { draft.accumulator } else { implied(reader) };
        let is_known = self.known(first, kind, draft.channels).iter().all(is_enough);
        if is_known && self.choices.sometimes(150) || self.choices.sometimes(8) {
            return;
        }
        let data_type = match kind {
            DataType::W => *self.choices.pick(&[DataType::W, DataType::Uw]),
            DataType::D => *self.choices.pick(&[DataType::D, DataType::Ud]),
            other => other,
        };
        let registers = 1 + u8::from(usize::from(draft.channels) * data_type.size() > 32);
        let number = self.choices.below(12) as u8;
        let register = grf(number.min(128 - registers), 0);
        let (region, modifier) = (packed(draft.channels), SourceModifier::default());
        // What is read as F may come from integers.
        let from = match kind {
            // Only the first accumulator is for other types than floats.
            DataType::F
                if first == 0
                    && !self.is_gen7()
                    && !self.alternative
                    && self.choices.sometimes(60) =>
            {
                *self.choices.pick(&[DataType::D, DataType::Ud])
            }
            _ => data_type,
        };
        // Those of Gen7 are not written by 16 channels of F.
        let halves = self.is_gen7() && draft.execution == DataType::F && draft.channels == 16;
        let source = |register| Source::Register { register, data_type: from, region, modifier };
        let setting = |channels, number, register, accumulator| Instruction {
            execution_size: channels,
            no_mask: true,
            first_channel: number,
            destination: Destination {
                register: architecture(ArfKind::Accumulator, accumulator, 0),
                data_type,
                region: DestinationRegion::Stride(1),
            },
            sources: [source(register), Source::ABSENT, Source::ABSENT],
            ..Instruction::bare(Opcode::Mov)
        };
        if halves {
            let next = grf(number + 1, 0);
            self.pending.push_back(setting(8, 0, register, 0));
            self.pending.push_back(setting(8, 0, next, 1));
        } else {
            self.pending.push_back(setting(draft.channels, 0, register, first));
        }
        self.known(first, kind, draft.channels).fill(Some((kind, needed)));
    }

    /// Keeps in mind what an instruction writes to the accumulator.
    pub(super) fn note_accumulator(&mut self, draft: &Draft, instruction: &Instruction) {
        let writes = instruction.accumulator_write
            || instruction.destination.register.arf() == Some(ArfKind::Accumulator);
        if !writes {
            return;
        }
        let whole = instruction.no_mask
            && instruction.predicate.control == Default::default()
            && (instruction.first_channel == 0 || is_of_quarter(draft, instruction));
        let number = match instruction.accumulator_write {
            true => implied(instruction),
            false => draft.accumulator,
        };
        let Some(kind) = kind(draft.execution) else {
            self.accumulators[usize::from(number)] = None;
            return;
        };
        let written = in_each(kind, draft.channels);
        for known in self.known(number, kind, draft.channels) {
            *known = match *known {
                Some((of, channels)) if of == kind => {
                    Some((kind, if whole { channels.max(written) } else { channels }))
                }
                _ if whole => Some((kind, written)),
                _ => None,
            };
        }
    }

    /// The accumulator as destination, sometimes.
    pub(super) fn accumulator_destination(
        &mut self,
        draft: &Draft,
        instruction: &Instruction,
    ) -> Option<Destination> {
        let data_type = draft.types.destination;
        let cmp = matches!(draft.opcode(), Opcode::Cmp | Opcode::Cmpn);
        if draft.align16
            || cmp
            || instruction.saturate
            || !self.may_write_accumulator(draft, instruction)
            || !self.has_accumulator(draft, true)
            || draft
                .sources()
                .iter()
                .any(|of| matches!(of, DataType::V | DataType::Uv | DataType::Vf))
            || !self.choices.sometimes(8)
        {
            return None;
        }
        let register = architecture(ArfKind::Accumulator, draft.accumulator, 0);
        Some(Destination { register, data_type, region: DestinationRegion::Stride(1) })
    }
}

/// `acc0` as a source of so many channels.
pub(super) fn accumulator(data_type: DataType, channels: u8) -> Source {
    Source::Register {
        register: architecture(ArfKind::Accumulator, 0, 0),
        data_type,
        region: packed(channels),
        modifier: SourceModifier::default(),
    }
}

/// `acc0` as a destination.
pub(super) const ACCUMULATOR: Register = architecture(ArfKind::Accumulator, 0, 0);
