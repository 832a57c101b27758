//! Where the elements of a destination may lie.

use parallax_isa::eu::{
    DataType, Opcode,
    operand::{Destination, DestinationRegion, Register},
};

use super::{Later, draft::Draft, registers::grf, shapes::Shape, sources::Drafted};

/// How a destination lies in its registers.
#[derive(Debug, Clone, Copy)]
struct Layout {
    stride: u8,
    subregister: u8,
    /// Bytes between elements.
    step: u8,
    size: u8,
    channels: u8,
}

impl Layout {
    fn byte(self, channel: u8) -> u16 {
        u16::from(self.subregister) + u16::from(channel) * u16::from(self.step)
    }

    fn end(self) -> u16 {
        self.byte(self.channels - 1) + u16::from(self.size)
    }

    fn spans_two(self) -> bool {
        self.byte(self.channels - 1) >= 32
    }

    /// As many elements in the first register as in the second.
    fn is_split_evenly(self) -> bool {
        let first = (0..self.channels).filter(|channel| self.byte(*channel) < 32).count();
        2 * first == usize::from(self.channels)
    }

    /// All elements in one oword, or as many in the lower as in the upper.
    fn fits_owords(self) -> bool {
        let channels = usize::from(self.channels);
        let lower = (0..self.channels).filter(|channel| self.byte(*channel) < 16).count();
        lower == 0 || lower == channels || 2 * lower == channels
    }
}

impl Later<'_, '_> {
    /// A destination that suits types and sources, if there is one.
    pub(super) fn destination(
        &mut self,
        draft: &Draft,
        sources: &[Drafted],
    ) -> Option<Destination> {
        let data_type = draft.types.destination;
        let is_comparison = matches!(draft.opcode(), Opcode::Cmp | Opcode::Cmpn);
        let of_accumulator = sources.iter().any(Drafted::is_accumulator);
        if self.choices.sometimes(if is_comparison { 90 } else { 4 })
            && !of_accumulator
            && !matches!(draft.opcode(), Opcode::Movi | Opcode::F32to16)
        {
            let region = if draft.align16 {
                DestinationRegion::ChannelEnable(0xF)
            } else {
                DestinationRegion::Stride(self.null_stride(draft)?)
            };
            return Some(Destination { register: Register::NULL, data_type, region });
        }
        if draft.align16 {
            // f32to16 writes a doubleword for each channel.
            let size = if draft.opcode() == Opcode::F32to16 { 4 } else { data_type.size() as u16 };
            let bytes = u16::from(draft.channels) * size;
            let (registers, half) = (bytes.div_ceil(32), bytes <= 16);
            let subregister = if half && self.choices.sometimes(100) { 16 } else { 0 };
            let register = grf(self.number(registers as u8), subregister);
            let enable = match self.choices.byte() {
                0..=150 => 0xF,
                other => (other & 0xF).max(1),
            };
            let region = DestinationRegion::ChannelEnable(enable);
            return Some(Destination { register, data_type, region });
        }
        let mut layouts = self.layouts(draft, sources);
        if of_accumulator {
            // The region of an accumulator source is that of the destination.
            layouts.retain(|layout| layout.stride == 1 && layout.subregister == 0);
        }
        if self.is_gen7() {
            layouts.retain(|layout| suits_sources(*layout, draft, sources));
        }
        if layouts.is_empty() {
            return None;
        }
        let at_start = layouts.iter().filter(|layout| layout.subregister == 0).count();
        let packed = layouts.iter().find(|layout| layout.subregister == 0 && layout.stride == 1);
        let layout = if draft.packed
            && let Some(packed) = packed
        {
            *packed
        } else if at_start > 0 && self.choices.sometimes(128) {
            let nth = self.choices.below(at_start);
            *layouts.iter().filter(|layout| layout.subregister == 0).nth(nth)?
        } else {
            *self.choices.pick(&layouts)
        };
        let region = DestinationRegion::Stride(layout.stride);
        if draft.form.source_count() < 3
            && !of_accumulator
            && self.choices.sometimes(16)
            && let Some(register) =
                self.indirect_destination(draft, layout.subregister, layout.end())
        {
            return Some(Destination { register, data_type, region });
        }
        let registers = 1 + u8::from(layout.spans_two());
        let register = grf(self.number(registers), layout.subregister);
        Some(Destination { register, data_type, region })
    }

    /// A stride for `null`, which has to be legal too.
    fn null_stride(&self, draft: &Draft) -> Option<u8> {
        let layouts = self.layouts(draft, &[]);
        layouts.into_iter().find(|layout| layout.subregister == 0).map(|layout| layout.stride)
    }

    fn layouts(&self, draft: &Draft, sources: &[Drafted]) -> Vec<Layout> {
        let data_type = draft.types.destination;
        let size = draft.unit(data_type);
        let alignment = data_type.size() as u8;
        let mut all = Vec::new();
        for stride in [1, 2, 4] {
            let step = stride * size;
            if !steps(draft, stride, step, sources) {
                continue;
            }
            for subregister in (0..32).step_by(alignment.into()) {
                let layout =
                    Layout { stride, subregister, step, size: alignment, channels: draft.channels };
                if layout.end() <= 64 && self.starts(draft, layout) {
                    all.push(layout);
                }
            }
        }
        all
    }

    fn starts(&self, draft: &Draft, layout: Layout) -> bool {
        use Opcode::{Dp2, Dp3, Dp4, Dph, F32to16, Movi, Pln, Sad2, Sada2};
        let Layout { subregister, stride, step, .. } = layout;
        let size = draft.types.destination.size() as u8;
        let execution = draft.execution.size() as u8;
        let by_operation = match draft.opcode() {
            Dp2 | Dp3 | Dp4 | Dph | Pln => stride == 1,
            Sad2 | Sada2 => step == 2 && subregister.is_multiple_of(4),
            Movi => {
                return subregister.is_multiple_of(16) && step == size;
            }
            F32to16 => subregister.is_multiple_of(4),
            _ => true,
        };
        let has_vector = draft
            .sources()
            .iter()
            .any(|of| matches!(of, DataType::V | DataType::Uv | DataType::Vf));
        let within = subregister % execution;
        let is_packed_half =
            draft.is_mixed() && draft.types.destination == DataType::Hf && stride == 1;
        let aligned = if is_packed_half {
            subregister.is_multiple_of(16)
        } else if draft.is_half_and_integer() {
            subregister.is_multiple_of(4)
        } else if size >= execution || is_raw_byte_move(draft) && stride == 1 {
            true
        } else {
            within == 0
                || size == 1 && within == 1
                || size == 2 && within == 2 && !self.is_gen7() && execution == 4
        };
        by_operation && aligned && (!has_vector || subregister.is_multiple_of(16))
    }
}

/// A `mov` of bytes that changes none; what an instruction makes of modifiers is decided after this.
pub(super) fn is_raw_byte_move(draft: &Draft) -> bool {
    draft.opcode() == Opcode::Mov
        && draft.types.destination.size() == 1
        && draft.types.sources[0] == draft.types.destination
}

/// Whether elements may be so far apart.
fn steps(draft: &Draft, stride: u8, step: u8, sources: &[Drafted]) -> bool {
    let size = draft.types.destination.size() as u8;
    let execution = draft.execution.size() as u8;
    for of in draft.sources() {
        match of {
            DataType::V | DataType::Uv if step != 2 => return false,
            DataType::Vf if step != 4 => return false,
            _ => {}
        }
    }
    if draft.pairs {
        // A pair of channels is 8 bytes apart from the next, whatever the type.
        return draft.unit(draft.types.destination) == 4 && stride <= 2 || size == 2 && stride == 2;
    }
    if draft.opcode() == Opcode::Movi {
        return true;
    }
    if size == 1 && stride == 1 {
        let plain = sources.iter().all(|source| {
            !matches!(source.operand, parallax_isa::eu::operand::Source::Register { modifier, .. }
                if modifier.absolute || modifier.negate)
        });
        return is_raw_byte_move(draft) && plain;
    }
    if draft.is_half_and_integer() {
        return step == 4 || size == 4 && stride == 1;
    }
    if draft.is_mixed() && draft.types.destination == DataType::Hf {
        return stride == 2 || stride == 1 && draft.channels <= 8;
    }
    size >= execution || draft.channels == 1 && size > 1 || step == execution
}

/// Whether sources that span two registers start at the same byte (`leg.region.same-offset`).
pub(super) fn start_alike(sources: &[Drafted]) -> bool {
    let shapes = sources.iter().filter_map(|source| source.shape);
    let mut origins = shapes.filter(|shape| shape.spans_two()).map(|shape| shape.origin);
    let first = origins.next();
    origins.all(|origin| Some(origin) == first)
}

/// The rules of Gen7 about operands that span two registers (`leg.region.*` up to Gen8).
fn suits_sources(layout: Layout, draft: &Draft, sources: &[Drafted]) -> bool {
    let spanning: Vec<Shape> = sources
        .iter()
        .filter_map(|source| source.shape)
        .filter(|shape| shape.spans_two())
        .collect();
    if !layout.spans_two() {
        return spanning.is_empty() || layout.fits_owords();
    }
    let from_one_register = |shape: &Shape| {
        let half = layout.channels / 2;
        let register = |channel: u8| shape.byte(channel) / 32;
        (0..half).all(|channel| register(channel) == register(0))
            && (half..layout.channels).all(|channel| register(channel) == register(half))
    };
    let packed_words = |(index, source): (usize, &Drafted), shape: Shape| {
        let is_word = matches!(draft.types.sources[index], DataType::W | DataType::Uw);
        index == 0 && is_word && shape.is_packed() && layout.step == 4 && source.shape.is_some()
    };
    layout.is_split_evenly()
        && spanning.iter().all(from_one_register)
        && sources.iter().enumerate().all(|(index, source)| match source.shape {
            None => {
                matches!(source.operand, parallax_isa::eu::operand::Source::Immediate { .. })
                    || index >= draft.form.source_count()
            }
            Some(shape) => {
                shape.is_scalar() || shape.spans_two() || packed_words((index, source), shape)
            }
        })
}
