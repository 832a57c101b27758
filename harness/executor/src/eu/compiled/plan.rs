//! Which micro-ops are compiled, and what there is to know of them for it. Whatever is not clearly one of
//! these keeps its kernel.

use std::mem::offset_of;

use parallax_isa::eu::State;

use super::Setting;
use crate::eu::{
    condition::Condition,
    kernel::element::{Element, KernelOperation},
    mask::SimpleMask,
    micro_op::{MicroOp, Shape, View},
};

/// Channels of a chunk of doublewords.
pub(super) const CHANNELS: usize = 8;

/// A micro-op that is compiled.
#[derive(Clone, Copy)]
pub(super) struct Planned<'p> {
    pub(super) op: &'p MicroOp,
    pub(super) operation: KernelOperation,
    pub(super) element: Element,
    pub(super) saturate: bool,
    pub(super) condition: Condition,
    pub(super) mask: SimpleMask,
    pub(super) sources: usize,
    /// Channels of a chunk: as many as a vector has, or less if there is one chunk only.
    pub(super) channels: usize,
    /// Vectors that an operand is of.
    pub(super) chunks: usize,
    /// What it leaves in the accumulator is seen.
    pub(super) updates_accumulator: bool,
}

/// How to compile a micro-op, if that can be done; `later` are those behind it in its block.
pub(super) fn plan<'p>(
    op: &'p MicroOp,
    later: &[MicroOp],
    setting: Setting,
) -> Option<Planned<'p>> {
    let served = op.rest.served?;
    let mask = op.simple_mask?;
    let (operation, element) = (served.operation, served.lanes);
    let words = element.bytes() == 2;
    let chunks = if words { 1 } else { op.chunks() };
    let channels = if chunks == 2 { CHANNELS } else { op.rest.mask.channels.count_ones() as usize };
    let planned = Planned {
        op,
        operation,
        element,
        saturate: served.saturate,
        condition: op.rest.condition,
        mask,
        sources: match operation {
            KernelOperation::Move
            | KernelOperation::Not
            | KernelOperation::RoundDown
            | KernelOperation::Fraction => 1,
            _ => 2,
        },
        channels,
        chunks,
        updates_accumulator: !setting.accumulator_disabled && !op.is_unseen(later),
    };
    let fits = match words {
        true => !op.halves && channels == 2 * CHANNELS,
        false => op.halves == (chunks == 2),
    };
    let is_served = fits
        && planned.operation_fits()
        && planned.accumulator_fits()
        && planned.destination_fits()
        && (0..planned.sources).all(|index| planned.source_fits(index));
    is_served.then_some(planned)
}

impl Planned<'_> {
    pub(super) fn has_words(&self) -> bool {
        self.element.bytes() == 2
    }

    /// Channels that a vector has room for.
    pub(super) fn width(&self) -> usize {
        32 / self.element.bytes()
    }

    pub(super) fn is_float(&self) -> bool {
        self.element == Element::F
    }

    pub(super) fn compares(&self) -> bool {
        self.operation == KernelOperation::Compare
    }

    /// Whether thread masks or flags have a part in which channels it writes.
    pub(super) fn is_masked(&self, setting: Setting) -> bool {
        self.mask.reads_thread_masks(setting.open) || self.mask.predicate_disables()
    }

    fn operation_fits(&self) -> bool {
        use KernelOperation as K;
        let known = if self.is_float() {
            match self.operation {
                K::Move | K::Add | K::Multiply | K::MultiplyAdd | K::RoundDown | K::Fraction => {
                    true
                }
                K::Compare => comparison(self.condition).is_some(),
                _ => false,
            }
        } else {
            match self.operation {
                K::Move | K::Select | K::Not | K::And | K::Or | K::Xor | K::Add | K::Average => {
                    true
                }
                // A word is shifted as a channel of 33 bits, by the same count in all channels.
                K::ShiftRight if self.element == Element::W => false,
                K::ShiftRight | K::ShiftLeft | K::ShiftArithmetic if self.has_words() => {
                    self.count().is_some()
                }
                K::ShiftRight | K::ShiftLeft | K::ShiftArithmetic => true,
                K::MultiplyLowHalf => !self.has_words(),
                K::Multiply => true,
                K::Compare => comparison(self.condition).is_some(),
                _ => false,
            }
        };
        known && (self.is_float() || !self.saturate)
    }

    /// Accumulators are written by sums and products whose 64 bits are made of the same sources.
    fn accumulator_fits(&self) -> bool {
        use KernelOperation as K;
        if self.operation == K::MultiplyAdd {
            return self.channels == CHANNELS;
        }
        !self.updates_accumulator
            || self.channels == CHANNELS
                && match self.operation {
                    K::Add => self.is_float() || self.adds_exactly(),
                    K::Multiply => self.is_float(),
                    _ => false,
                }
    }

    /// Whether the sources of an integer sum are their elements, negated at most.
    fn adds_exactly(&self) -> bool {
        self.op.sources[..self.sources].iter().all(|view| {
            let is_element = |lane: usize| {
                let value = self.op.constant(view)[lane].cast_signed();
                match self.element {
                    Element::Ud => u32::try_from(value).is_ok(),
                    _ => i32::try_from(value).is_ok(),
                }
            };
            !view.absolute && (view.shape != Shape::Constant || (0..CHANNELS).all(is_element))
        })
    }

    fn destination_fits(&self) -> bool {
        if !self.op.writes {
            return true;
        }
        let at = usize::from(self.op.target);
        let whole = at.is_multiple_of(32) && self.channels == self.width();
        // A few channels from the first one on, or one wherever it is.
        let part = self.channels < CHANNELS
            && at.is_multiple_of(4)
            && (at.is_multiple_of(32) || self.channels == 1);
        in_registers(at, self.bytes()) && (whole || part)
    }

    fn source_fits(&self, index: usize) -> bool {
        use KernelOperation as K;
        let view = &self.op.sources[index];
        let low_bits = matches!(self.operation, K::Move | K::Add | K::Select);
        let modified = view.absolute || view.negate;
        if modified && !self.is_float() && !low_bits {
            return false;
        }
        let at = usize::from(view.offset);
        match view.shape {
            Shape::Packed => in_registers(at, self.bytes()),
            Shape::Splat => in_registers(at, self.element.bytes()),
            Shape::Constant => (0..self.width()).all(|lane| self.constant(view, lane).is_some()),
            Shape::Accumulator => false,
        }
    }

    /// Bytes of an operand that is packed.
    fn bytes(&self) -> usize {
        self.channels * self.element.bytes() * self.chunks
    }

    /// The count of a shift that is the same immediate in all channels.
    pub(super) fn count(&self) -> Option<u32> {
        let view = &self.op.sources[1];
        let counts = &self.op.constant(view)[..self.width()];
        let is_one =
            view.shape == Shape::Constant && counts.iter().all(|count| *count == counts[0]);
        is_one.then_some(counts[0] as u32 & 31)
    }

    /// A lane of an immediate as an element, if it is one.
    pub(super) fn constant(&self, view: &View, lane: usize) -> Option<u32> {
        use KernelOperation as K;
        let bits = self.op.constant(view)[lane];
        let value = bits.cast_signed();
        let low_bits =
            !matches!(self.operation, K::Compare | K::ShiftRight | K::ShiftArithmetic | K::Average);
        match self.element {
            Element::F => {
                let float = f64::from_bits(bits) as f32;
                let same = f64::from(float).to_bits() == bits && !float.is_subnormal();
                (same && !float.is_nan()).then_some(float.to_bits())
            }
            _ if low_bits => Some(value as u32),
            Element::Ud => u32::try_from(value).ok(),
            Element::D => i32::try_from(value).ok().map(i32::cast_unsigned),
            Element::Uw => u16::try_from(value).ok().map(u32::from),
            Element::W => i16::try_from(value).ok().map(|value| u32::from(value.cast_unsigned())),
        }
    }
}

/// Whether bytes are of general or message registers.
fn in_registers(at: usize, bytes: usize) -> bool {
    at + bytes <= offset_of!(State, accumulator)
}

/// A comparison, as a condition says it of ordered values: greater, equal or less.
pub(super) fn comparison(condition: Condition) -> Option<[bool; 3]> {
    Some(match condition {
        Condition::Equal => [false, true, false],
        Condition::NotEqual => [true, false, true],
        Condition::Greater => [true, false, false],
        Condition::GreaterEqual => [true, true, false],
        Condition::Less => [false, false, true],
        Condition::LessEqual => [false, true, true],
        _ => return None,
    })
}
