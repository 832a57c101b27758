//! Instructions with three sources.

use parallax_isa::eu::{
    DataType, Instruction,
    operand::{Destination, DestinationRegion, Region, Source, VerticalStride},
};

use super::{
    Later,
    draft::Draft,
    rows::{Row, Types},
    sources::grf,
};

impl Later<'_, '_> {
    pub(super) fn ternary(&mut self, row: &'static Row, types: Types) -> Option<Instruction> {
        let draft = self.draft(row, types)?;
        let mut instruction = self.controls(&draft);
        instruction.sources = [0, 1, 2].map(|index| self.ternary_source(&draft, index));
        let data_type = types.destination;
        let bytes = u16::from(draft.channels) * u16::from(draft.unit(data_type));
        let subregister = if bytes <= 16 && self.choices.sometimes(100) { 16 } else { 0 };
        let register = grf(self.number(bytes.div_ceil(32) as u8), subregister);
        let wide = data_type.size() == 8;
        let enable = match self.choices.byte() {
            0..=150 => 0xF,
            // Two channels stand for a double.
            other if wide => [3, 0xC][usize::from(other & 1)],
            other => (other & 0xF).max(1),
        };
        let region = DestinationRegion::ChannelEnable(enable);
        instruction.destination = Destination { register, data_type, region };
        self.finish(&draft, &mut instruction);
        Some(instruction)
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
            _ if wide => [[0, 1, 0, 1], [2, 3, 2, 3], [2, 3, 0, 1]][usize::from(bits % 3)],
            _ => [0, 2, 4, 6].map(|shift| bits >> shift & 3),
        };
        let region = Region::Align16 { vertical: VerticalStride::Elements(4), swizzle };
        let register = grf(self.number(bytes.div_ceil(32) as u8), subregister);
        debug_assert!(data_type != DataType::Vf);
        Source::Register { register, data_type, region, modifier }
    }
}
