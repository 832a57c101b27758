//! Instructions with three sources.

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    forms::Form,
    instruction::AccessMode,
    operand::{Destination, DestinationRegion, Region, Source, SourceModifier, VerticalStride},
};

use super::{Later, draft::Draft, registers::grf, rows::Types};

impl Later<'_, '_> {
    pub(super) fn ternary(&mut self, form: &'static Form, types: Types) -> Option<Instruction> {
        let all_single = types.destination == DataType::F && types.sources == [DataType::F; 3];
        if !self.is_gen7()
            && all_single
            && form.opcode != Opcode::Csel
            && self.choices.sometimes(40)
        {
            return Some(self.shortest_ternary(form.opcode));
        }
        let draft = self.draft(form, types)?;
        let mut instruction = self.controls(&draft);
        instruction.sources = [0, 1, 2].map(|index| self.ternary_source(&draft, index));
        let data_type = types.destination;
        let bytes = u16::from(draft.channels) * u16::from(draft.unit(data_type));
        let subregister = if bytes <= 16 && self.choices.sometimes(100) { 16 } else { 0 };
        let register = grf(self.number(bytes.div_ceil(32) as u8), subregister);
        let wide = data_type.size() == 8;
        let enable = match self.choices.byte() {
            0..=150 => 0xF,
            _ if draft.packed => 0xF,
            // Two channels stand for a double.
            other if wide => [3, 0xC][usize::from(other & 1)],
            other => (other & 0xF).max(1),
        };
        let region = DestinationRegion::ChannelEnable(enable);
        instruction.destination = Destination { register, data_type, region };
        self.finish(&draft, &mut instruction);
        Some(instruction)
    }

    /// What has a compact form in a program of compact forms: the tables have few entries for three
    /// sources.
    fn shortest_ternary(&mut self, opcode: Opcode) -> Instruction {
        // Only eight channels can go without masks; sixteen are either half.
        let (execution_size, no_mask, first_channel) =
            *self.choices.pick(&[(8, true, 0), (8, false, 0), (16, false, 0), (16, false, 16)]);
        let negated = self.choices.below(4);
        let source = |later: &mut Self, index| {
            let for_all = later.choices.sometimes(100);
            let subregister = if for_all { 4 * later.choices.below(8) as u8 } else { 0 };
            let vertical = VerticalStride::Elements(if for_all { 0 } else { 4 });
            Source::Register {
                register: grf(later.number(if for_all { 1 } else { 2 }), subregister),
                data_type: DataType::F,
                region: Region::Align16 { vertical, swizzle: [0, 1, 2, 3] },
                modifier: SourceModifier { absolute: false, negate: index == negated },
            }
        };
        let sources = [0, 1, 2].map(|index| source(self, index));
        let destination = Destination {
            register: grf(self.number(2), 0),
            data_type: DataType::F,
            region: DestinationRegion::ChannelEnable(0xF),
        };
        Instruction {
            execution_size,
            access_mode: AccessMode::Align16,
            no_mask,
            first_channel,
            saturate: self.choices.sometimes(56),
            destination,
            sources,
            ..Instruction::bare(opcode)
        }
    }

    fn ternary_source(&mut self, draft: &Draft, index: usize) -> Source {
        let data_type = draft.types.sources[index];
        let size = draft.unit(data_type);
        let modifier = self.modifier(draft, index);
        let wide = data_type.size() == 8;
        if !wide && self.choices.sometimes(60) {
            // One element for all channels, at any doubleword, or any word on Gen9.
            let unit = size.max(if self.is_gen7() { 4 } else { 2 });
            let subregister = unit * self.choices.below(usize::from(32 / unit)) as u8;
            let vertical = VerticalStride::Elements(0);
            let region = Region::Align16 { vertical, swizzle: [0; 4] };
            let register = grf(self.number(1), subregister);
            return Source::Register { register, data_type, region, modifier };
        }
        let bytes = u16::from(draft.channels.max(4)) * u16::from(size);
        let subregister = if bytes <= 16 && self.choices.sometimes(80) { 16 } else { 0 };
        let bits = self.random.next() as u8;
        let swizzle = match self.choices.byte() & 1 {
            0 => [0, 1, 2, 3],
            _ if draft.packed => [0, 1, 2, 3],
            _ if wide => [[0, 1, 0, 1], [2, 3, 2, 3], [2, 3, 0, 1]][usize::from(bits % 3)],
            _ => [0, 2, 4, 6].map(|shift| bits >> shift & 3),
        };
        let region = Region::Align16 { vertical: VerticalStride::Elements(4), swizzle };
        let register = grf(self.number(bytes.div_ceil(32) as u8), subregister);
        debug_assert!(data_type != DataType::Vf);
        Source::Register { register, data_type, region, modifier }
    }
}
