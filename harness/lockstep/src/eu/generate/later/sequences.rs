//! Instructions that belong together: long products, sums with carry.

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    forms::Form,
    instruction::ThreadControl,
    operand::{
        Destination, DestinationRegion, Region, Register, Source, SourceModifier, VerticalStride,
    },
};

use super::{
    Later,
    accumulator::{ACCUMULATOR, accumulator, packed},
    data::names_control,
    destination::start_alike,
    registers::grf,
    rows::Types,
};

fn destination(register: Register, data_type: DataType) -> Destination {
    Destination { register, data_type, region: DestinationRegion::Stride(1) }
}

impl Later<'_, '_> {
    /// `mul` into the accumulator, `mach`, and the low half of the product after them.
    pub(super) fn long_product(&mut self, form: &Form, types: Types) -> Option<Instruction> {
        let Types { destination: data_type, sources: [of_first, of_second, _] } = types;
        let channels = *self.choices.pick(&[8, 8, 4, 2, 1]);
        let is_gen7 = self.is_gen7();
        // Modifiers of Gen7 are those of both; UD has none, its negation has 33 bits.
        let modify = |later: &mut Self| {
            let bits = later.choices.byte();
            let may = is_gen7 && data_type == DataType::D;
            SourceModifier { absolute: may && bits >> 5 == 7, negate: may && bits & 3 == 3 }
        };
        let [first, second] = [of_first, of_second].map(|data_type| {
            let scalar = self.choices.sometimes(40);
            let region = if scalar { Region::SCALAR } else { packed(channels) };
            let subregister = if scalar { 4 * self.choices.below(8) as u8 } else { 0 };
            let register = grf(self.number(1), subregister);
            let modifier = modify(self);
            Source::Register { register, data_type, region, modifier }
        });
        let factor = if is_gen7 { second } else { low_words(second, channels) };
        let no_mask = self.choices.sometimes(190);
        let base =
            Instruction { execution_size: channels, no_mask, ..Instruction::bare(Opcode::Mul) };
        self.pending.push_back(Instruction {
            destination: destination(ACCUMULATOR, of_first),
            sources: [first, factor, Source::ABSENT],
            ..base
        });
        let target = match self.choices.byte() {
            0..=20 => Register::NULL,
            _ => grf(self.number(1), 0),
        };
        self.pending.push_back(Instruction {
            opcode: Opcode::Mach,
            destination: destination(target, data_type),
            sources: [first, second, Source::ABSENT],
            accumulator_write: self.choices.sometimes(220),
            saturate: form.allows(|may| may.saturate) && self.choices.sometimes(20),
            ..base
        });
        self.accumulators[0] = None;
        let low = grf(self.number(1), 0);
        Some(Instruction {
            opcode: Opcode::Mov,
            destination: destination(low, data_type),
            sources: [accumulator(of_first, channels), Source::ABSENT, Source::ABSENT],
            ..base
        })
    }

    /// `addc` or `subb`, and then the carries.
    pub(super) fn with_carry(&mut self, form: &'static Form, types: Types) -> Option<Instruction> {
        let mut draft = self.draft(form, types)?;
        draft.align16 = false;
        let sources = self.sources(&mut draft)?;
        let mut instruction = self.controls(&draft);
        instruction.sources = [sources[0].operand, sources[1].operand, Source::ABSENT];
        if self.is_gen7() && !start_alike(&sources) {
            return None;
        }
        instruction.destination = self.destination(&draft, &sources)?;
        if names_control(&instruction) {
            instruction.thread_control = ThreadControl::Switch;
        }
        instruction.accumulator_write = true;
        instruction.first_channel = 0;
        self.accumulators[0] = None;
        let channels = draft.channels;
        self.pending.push_back(instruction);
        Some(Instruction {
            execution_size: channels,
            no_mask: instruction.no_mask,
            predicate: instruction.predicate,
            flag_register: instruction.flag_register,
            flag_subregister: instruction.flag_subregister,
            destination: destination(grf(self.number(1), 0), DataType::Ud),
            sources: [accumulator(DataType::Ud, channels), Source::ABSENT, Source::ABSENT],
            ..Instruction::bare(Opcode::Mov)
        })
    }
}

/// The low words of the doublewords of a source.
fn low_words(source: Source, channels: u8) -> Source {
    let Source::Register { register, region, modifier, .. } = source else { return source };
    let region = match (region, channels) {
        (Region::SCALAR, _) | (_, 1) => Region::SCALAR,
        _ => Region::Align1 {
            vertical: VerticalStride::Elements(2 * channels),
            width: channels,
            horizontal: 2,
        },
    };
    Source::Register { register, data_type: DataType::Uw, region, modifier }
}
