//! Destinations that an instruction in the making can have.

use parallax_isa::{
    device::Feature,
    eu::{
        DataType, Opcode,
        operand::{Destination, DestinationRegion, Register, Source, SourceModifier},
        register::{ArfKind, RegisterFile},
    },
};

use super::{
    Drafted, architecture, is_accumulator,
    layout::{Constraints, Layout},
};
use crate::eu::generate::straight::{Draft, Straight};

impl Straight<'_, '_> {
    /// A destination that goes with the sources.
    pub(in crate::eu::generate) fn destination(
        &mut self,
        draft: &Draft,
        sources: &[Drafted; 2],
    ) -> Option<Destination> {
        let data_type = draft.types.destination;
        let acc_stride = sources.iter().find_map(|source| source.stride);
        let layout = self.layout(draft, sources, acc_stride)?;
        let region = if draft.align16 {
            let enable = self.choices.byte();
            DestinationRegion::ChannelEnable(if enable < 128 { 15 } else { enable & 15 })
        } else {
            DestinationRegion::Stride(layout.stride)
        };
        let read_accumulator = sources.iter().find_map(|source| match source.operand {
            Source::Register { register, .. } if is_accumulator(register) => Some(register),
            _ => None,
        });
        let register = self.destination_register(draft, layout, read_accumulator);
        Some(Destination { register, data_type, region })
    }

    fn destination_register(
        &mut self,
        draft: &Draft,
        layout: Layout,
        read_accumulator: Option<Register>,
    ) -> Register {
        let choice = self.choices.byte();
        let comparing = matches!(draft.opcode, Opcode::Cmp | Opcode::Cmpn);
        if choice < 10 || comparing && choice < 80 {
            return Register::NULL;
        }
        if choice >= 246
            && let Some(register) = self.accumulator_destination(draft, layout, read_accumulator)
        {
            return register;
        }
        if (232..246).contains(&choice)
            && !draft.align16
            && let Some(register) = self.indirect_destination(draft, layout)
        {
            return register;
        }
        if (222..232).contains(&choice)
            && let Some(register) = self.architecture_destination(draft, layout)
        {
            return register;
        }
        if (196..222).contains(&choice) && !(draft.compressed && layout.subregister != 0) {
            let compr4 = draft.compressed && self.has(Feature::Compr4) && choice & 1 == 1;
            let further = if compr4 { 4 } else { u8::from(draft.compressed) };
            let number = self.choices.byte() % (16 - further);
            return Register::Direct {
                file: RegisterFile::Mrf,
                number: number | u8::from(compr4) << 7,
                subregister: layout.subregister,
            };
        }
        let number = self.number(1 + u8::from(draft.compressed), draft.compressed);
        Register::Direct { file: RegisterFile::Grf, number, subregister: layout.subregister }
    }

    fn accumulator_destination(
        &mut self,
        draft: &Draft,
        layout: Layout,
        read_accumulator: Option<Register>,
    ) -> Option<Register> {
        use Opcode::*;
        let (data_type, execution_type) = (draft.types.destination, draft.types.execution_type());
        let writes = !matches!(
            draft.opcode,
            Asr | Lzd | Shl | Frc | Rndu | Rndd | Rnde | Rndz | Cmp | Cmpn | Movi | Sad2 | Sada2
        );
        let is_like = data_type.is_float() == execution_type.is_float()
            && data_type.size() == execution_type.size();
        let fits = layout.stride == 1 && !(read_accumulator.is_some() && draft.opcode == Mov);
        // The sum of `mach` and its high half would go to the same accumulator, which gives nothing defined.
        let is_open = draft.opcode == Mach && !self.choices.sometimes(16);
        if !writes || !is_like || !fits || is_open {
            return None;
        }
        let number = if draft.compressed { 0 } else { self.choices.byte() & 1 };
        // An instruction names one accumulator, not both.
        Some(read_accumulator.unwrap_or_else(|| architecture(ArfKind::Accumulator, number, 0)))
    }

    fn indirect_destination(&mut self, draft: &Draft, layout: Layout) -> Option<Register> {
        let address_subregister =
            self.choices.below(8) as u8 & if draft.compressed { !1 } else { !0 };
        let address = self.address(address_subregister)?;
        let last = if draft.compressed { 126 } else { 127 };
        let wish = i32::from(address / 32) + self.choices.below(20) as i32 - 10;
        let number = wish.clamp(0, last) & if draft.compressed { !1 } else { !0 };
        let offset = number * 32 + i32::from(layout.subregister) - i32::from(address);
        self.indirect(address_subregister, offset, draft.types.destination.size() as u8)
    }

    /// A flag, mask, mask stack depth or control register.
    fn architecture_destination(&mut self, draft: &Draft, layout: Layout) -> Option<Register> {
        use Opcode::*;
        let size = draft.types.destination.size() as u8;
        let scalar = draft.execution_size == 1 && !draft.compressed && !draft.align16;
        let plain = matches!(draft.opcode, Mov | And | Or | Xor | Not | Add | Sel | Shl | Shr);
        if !scalar
            || !plain
            || draft.types.destination.is_float()
            || size == 1
            || layout.stride != 1
            || draft.types.immediate
        {
            return None;
        }
        let widest = size.max(draft.execution_bytes());
        let (kind, bytes) = match (self.choices.byte() & 7, widest) {
            (0..=2, _) => (ArfKind::Flag, 4),
            (3..=4, _) => (ArfKind::Mask, 8),
            (5, 4) if size == 4 => return Some(architecture(ArfKind::Control, 0, 0)),
            _ => (ArfKind::Address, 16),
        };
        let subregister = widest * self.choices.below(usize::from(bytes / widest)) as u8;
        Some(architecture(kind, 0, subregister))
    }

    /// Stride and subregister that the restrictions leave.
    fn layout(
        &mut self,
        draft: &Draft,
        sources: &[Drafted; 2],
        acc_stride: Option<u8>,
    ) -> Option<Layout> {
        let constraints = Constraints {
            draft,
            acc_stride,
            spans_two: sources.iter().any(|source| source.spans_two),
            raw: is_raw(draft, sources),
            vector: sources.iter().find_map(|source| match source.operand {
                Source::Immediate { data_type: DataType::V, .. } => Some(2),
                Source::Immediate { data_type: DataType::Vf, .. } => Some(4),
                _ => None,
            }),
            relaxed_bytes: self.has(Feature::RelaxedByteDestination),
            beyond: draft.opcode == Opcode::Movi && self.choices.sometimes(4),
        };
        let packed = self.choices.sometimes(150);
        let alignment = constraints.alignment();
        let origins = 32 / alignment;
        let start = self.choices.below(origins.into()) as u8;
        let strides: &[u8] = if packed { &[1, 2, 4] } else { &[2, 4, 1] };
        strides.iter().filter(|stride| constraints.allow_stride(**stride)).find_map(|&stride| {
            let places = (0..origins).map(|n| (n + start) % origins * alignment);
            let mut layouts = places.map(|subregister| Layout { stride, subregister });
            layouts.find(|layout| constraints.allow(*layout))
        })
    }
}

/// Whether it is a mov of bytes that changes no bit.
fn is_raw(draft: &Draft, sources: &[Drafted; 2]) -> bool {
    let unmodified = match sources[0].operand {
        Source::Register { modifier, .. } => modifier == SourceModifier::default(),
        Source::Immediate { .. } => false,
    };
    draft.opcode == Opcode::Mov && draft.types.sources[0] == draft.types.destination && unmodified
}
