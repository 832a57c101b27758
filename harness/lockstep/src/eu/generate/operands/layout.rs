//! Where the elements of a destination may lie.

use parallax_isa::eu::Opcode;

use crate::eu::generate::straight::Draft;

/// How a destination lies in its register.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) stride: u8,
    pub(super) subregister: u8,
}

/// What the destination of an instruction has to suit (rules 9 and 10 of section 11.3.10).
pub(super) struct Constraints<'d> {
    pub(super) draft: &'d Draft,
    pub(super) acc_stride: Option<u8>,
    pub(super) spans_two: bool,
    /// A mov of bytes without change.
    pub(super) raw: bool,
    /// Bytes of an element of a vector immediate.
    pub(super) vector: Option<u8>,
    pub(super) relaxed_bytes: bool,
    /// Fields of `movi` may be those of no address subregister, which have no defined value.
    pub(super) beyond: bool,
}

/// Address subregisters.
const ADDRESSES: u8 = 8;

impl Constraints<'_> {
    /// Whether there can be a layout with a stride.
    pub(super) fn allow_stride(&self, stride: u8) -> bool {
        let size = self.draft.types.destination.size() as u8;
        let step = stride * size;
        self.span(step, size) <= 32
            && (stride == 1 || !self.draft.align16)
            && self.steps(step, stride, size)
            && self.acc_stride.is_none_or(|wanted| wanted == stride)
            && self.vector.is_none_or(|bytes| bytes == step)
    }

    /// Bytes of which subregisters are multiples.
    pub(super) fn alignment(&self) -> u8 {
        let size = self.draft.types.destination.size() as u8;
        if self.draft.align16 || self.vector.is_some() { 16 } else { size }
    }

    /// Whether an aligned layout suits, whose stride does.
    pub(super) fn allow(&self, layout: Layout) -> bool {
        let size = self.draft.types.destination.size() as u8;
        let Layout { stride, subregister } = layout;
        let step = stride * size;
        u16::from(subregister) + self.span(step, size) <= 32
            && self.starts(subregister, stride, size)
            && (!self.spans_two || self.fits_owords(subregister, step))
            && self.suits_operation(layout, step)
    }

    /// Bytes from the first element to the end of the last.
    fn span(&self, step: u8, size: u8) -> u16 {
        (u16::from(self.draft.channels()) - 1) * u16::from(step) + u16::from(size)
    }

    /// Distance of elements.
    fn steps(&self, step: u8, stride: u8, size: u8) -> bool {
        let Draft { opcode, execution_size, align16, .. } = *self.draft;
        let packed_bytes = size == 1 && stride == 1;
        if packed_bytes && opcode != Opcode::Movi {
            return (execution_size == 1 || self.raw) && opcode != Opcode::Sel;
        }
        execution_size == 1
            || align16
            || opcode == Opcode::Movi
            || step >= self.draft.execution_bytes()
    }

    /// First element.
    fn starts(&self, subregister: u8, stride: u8, size: u8) -> bool {
        let Draft { opcode, align16, compressed, .. } = *self.draft;
        let within = subregister % self.draft.execution_bytes();
        let aligned = match (opcode, size) {
            (Opcode::Movi, _) => true,
            (Opcode::Sel, 1) => subregister.is_multiple_of(2),
            (_, 1) => self.raw || within == 0 || self.relaxed_bytes && within == 1,
            _ => align16 || within == 0,
        };
        let packed_dwords = size == 4 && stride == 1;
        aligned && !(compressed && packed_dwords && subregister != 0)
    }

    /// Rule 10.4: all elements in one oword, or as many in the lower as in the upper.
    fn fits_owords(&self, subregister: u8, step: u8) -> bool {
        let channels = self.draft.channels();
        let lower = (0..channels)
            .filter(|&n| u16::from(subregister) + u16::from(n) * u16::from(step) < 16)
            .count() as u8;
        lower == 0 || lower == channels || lower * 2 == channels
    }

    fn suits_operation(&self, layout: Layout, step: u8) -> bool {
        match self.draft.opcode {
            Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 | Opcode::Dph => layout.stride == 1,
            Opcode::Sad2 | Opcode::Sada2 => step == 2 && layout.subregister.is_multiple_of(4),
            Opcode::Movi => {
                // Field n is what address subregister n selects.
                let first = layout.subregister / step;
                let has_address = first + self.draft.execution_size <= ADDRESSES || self.beyond;
                layout.subregister.is_multiple_of(16)
                    && usize::from(step) == self.draft.types.sources[0].size()
                    && has_address
            }
            _ => true,
        }
    }
}
