//! Operations whose operands have several types, or elements with gaps between them. They are computed in
//! lanes of 32 bits, or of words if nothing else is among them; sources become lanes and results become
//! elements in code (`conversions`).
//!
//! Lanes of integers hold the low 32 bits of what the interpreter computes on. That is enough for results
//! whose low bits depend on no others, and where all values are within 32 bits with or without sign.

use parallax_isa::eu::DataType;

use super::{
    CHANNELS, Channels, Element, LaneOperation, Operand, Planned, Rounding, Shape, Stored,
    comparison,
};
use crate::eu::condition::Condition;

/// The most channels of an instruction that is compiled.
pub(in crate::eu) const MOST_CHANNELS: usize = 2 * CHANNELS;

/// An operation as its instruction says it.
pub(in crate::eu) struct Mixed<'a> {
    pub(in crate::eu) operation: LaneOperation,
    /// It is computed on floats.
    pub(in crate::eu) is_float: bool,
    pub(in crate::eu) rounding: Rounding,
    /// Denormals of half floats are zeros.
    pub(in crate::eu) flushes_halves: bool,
    pub(in crate::eu) sources: &'a [Part],
    /// The type of its destination, and the bytes of the state that its elements go to if it is not null.
    pub(in crate::eu) result: DataType,
    pub(in crate::eu) target: Option<[u16; MOST_CHANNELS]>,
    /// Its channels, and whether those from the eighth one on are an instruction of their own.
    pub(in crate::eu) channels: usize,
    pub(in crate::eu) halves: bool,
    pub(in crate::eu) saturate: bool,
    pub(in crate::eu) condition: Condition,
    pub(in crate::eu) second_nan_wins: bool,
    pub(in crate::eu) mask: Channels,
}

/// A source.
#[derive(Clone, Copy)]
pub(in crate::eu) struct Part {
    pub(in crate::eu) data_type: DataType,
    pub(in crate::eu) values: Values,
    pub(in crate::eu) absolute: bool,
    pub(in crate::eu) negate: bool,
    /// A negation inverts all bits.
    pub(in crate::eu) inverts: bool,
    /// With modifiers it is an integer of as many bits as it has without.
    pub(in crate::eu) keeps_width: bool,
}

/// Where the values of a source come from.
#[derive(Clone, Copy)]
pub(in crate::eu) enum Values {
    /// Bytes of the state.
    Registers([u16; MOST_CHANNELS]),
    /// Integers of an immediate.
    Integers([i64; MOST_CHANNELS]),
    /// Its floats.
    Floats([f64; MOST_CHANNELS]),
}

/// Whether all values of a source are within 32 bits with a sign, and without one.
#[derive(Clone, Copy)]
struct Within {
    signed: bool,
    unsigned: bool,
}

impl Mixed<'_> {
    /// How to compile it, if that can be done. It leaves nothing in accumulators.
    pub(in crate::eu) fn planned(&self) -> Option<Planned> {
        use LaneOperation as K;
        if matches!(self.operation, K::Compare | K::SelectByOrder) {
            comparison(self.condition)?;
        }
        let (operation, element) = if self.is_float { self.floats()? } else { self.integers()? };
        let has_words = element.bytes() == 2;
        let chunks = if self.channels > CHANNELS && !has_words { 2 } else { 1 };
        let channels = self.channels / chunks;
        let result = match self.target {
            Some(bytes) => stored(self.result, &bytes, channels, chunks)?,
            None => Stored::as_lanes(element),
        };
        let mut planned = Planned {
            operation,
            element,
            // Integers that are made of floats are saturated always.
            saturate: self.saturate && (!self.is_float || result.is_float()),
            condition: self.condition,
            second_nan_wins: self.second_nan_wins,
            mask: self.mask,
            sources: [Operand::ABSENT; 3],
            source_count: self.sources.len(),
            posted: None,
            target: self.target.map_or(0, |bytes| bytes[0]),
            result: Stored {
                // One element is no neighbour of another.
                step: if channels == 1 { self.result.size() as u8 } else { result.step },
                ..result
            },
            flushes_halves: self.flushes_halves,
            writes: self.target.is_some(),
            channels,
            chunks,
            is_last_first: false,
            accumulators: [0; 2],
            updates_accumulator: false,
        };
        for (index, part) in self.sources.iter().enumerate() {
            planned.sources[index] = part.operand(&planned)?;
        }
        let order = planned.keeps_sources();
        let order = match self.halves {
            // Those are two instructions: what the first one writes the second one reads.
            true => {
                planned.is_last_first = false;
                true
            }
            false => order,
        };
        let fits = order
            && (!planned.writes || planned.result.step > 0)
            && planned.destination_fits()
            && planned.sources.iter().all(|operand| planned.source_lies_in_registers(operand));
        fits.then_some(planned)
    }

    /// The operation on floats.
    fn floats(&self) -> Option<(LaneOperation, Element)> {
        use LaneOperation as K;
        let moves = self.operation == K::Move;
        let is_known = matches!(
            self.operation,
            K::Move
                | K::Add
                | K::Multiply
                | K::AddProduct
                | K::Compare
                | K::RoundUp
                | K::RoundDown
                | K::RoundEven
                | K::RoundTowardZero
                | K::Fraction
                | K::SelectByOrder
        );
        // From Gen7 on only moves and comparisons have integers beside floats.
        let truncates = self.rounding == Rounding::TowardZero;
        let is_source = |part: &Part| {
            matches!(part.data_type, DataType::F | DataType::Hf)
                || is_integer(part.data_type) && (moves || truncates)
        };
        // A result of halves may be rounded to F first, which has more than twice as many digits; one of F
        // may not, and neither may a sum with a product.
        let are_halves = self.sources.iter().all(|part| part.data_type == DataType::Hf);
        let is_result = match self.result {
            DataType::F => true,
            DataType::Hf => moves || are_halves && matches!(self.operation, K::Add | K::Multiply),
            result => is_integer(result) && (moves || truncates),
        };
        let is_result = is_result || self.operation == K::Compare;
        (is_known && is_result && self.sources.iter().all(is_source))
            .then_some((self.operation, Element::F))
    }

    /// The words that all sources are, as they are.
    fn words(&self) -> Option<Element> {
        let element = Element::of(self.sources.first()?.data_type)?;
        let is_one = |part: &Part| {
            let fits = |value: &i64| match element {
                Element::W => i16::try_from(*value).is_ok(),
                _ => u16::try_from(*value).is_ok(),
            };
            let is_element = Element::of(part.data_type) == Some(element);
            match &part.values {
                Values::Registers(_) => is_element && !part.absolute && !part.negate,
                Values::Integers(values) => values.iter().all(fits),
                Values::Floats(_) => false,
            }
        };
        (element.bytes() == 2 && self.sources.iter().all(is_one)).then_some(element)
    }

    /// The operation on integers, as one on lanes with or without sign.
    fn integers(&self) -> Option<(LaneOperation, Element)> {
        use LaneOperation as K;
        if !is_integer(self.result) || !self.sources.iter().all(|part| is_integer(part.data_type)) {
            return None;
        }
        let within = self.sources.iter().map(Part::within);
        let all = within.reduce(|all, one| Within {
            signed: all.signed && one.signed,
            unsigned: all.unsigned && one.unsigned,
        })?;
        let first = self.sources[0].within();
        let widest = self.sources.iter().map(|part| part.data_type.size()).max()?;
        let has_words = !self.saturate
            && self.channels > 1
            && self.result.size() == 2
            && self.sources.iter().all(|part| part.is_packed_words(self.channels))
            // Words are shifted by the same count in all channels.
            && (self.operation != K::ShiftLeft || self.sources[1].is_one_integer())
            && self.target.is_some_and(|bytes| are_packed_words(&bytes[..self.channels]));
        let low = if has_words { Element::Uw } else { Element::Ud };
        let words = if has_words { self.words() } else { None };
        let by_sign = match all {
            Within { signed: true, .. } => Some(Element::D),
            Within { unsigned: true, .. } => Some(Element::Ud),
            _ => None,
        };
        Some(match self.operation {
            K::Move if self.saturate => (K::Move, by_sign?),
            // A sum of two words has no more than 32 bits.
            K::Add if self.saturate && widest <= 2 => (K::Add, Element::D),
            _ if self.saturate => return None,
            operation @ (K::Move
            | K::Select
            | K::Not
            | K::And
            | K::Or
            | K::Xor
            | K::ShiftLeft
            | K::Add
            | K::Multiply) => (operation, low),
            K::MultiplyLowHalf => (K::MultiplyLowHalf, Element::Ud),
            K::Average if words.is_some() => (K::Average, words?),
            operation @ (K::Average | K::Compare | K::SelectByOrder) => (operation, by_sign?),
            K::ShiftArithmetic if first.signed => (K::ShiftArithmetic, Element::D),
            K::ShiftArithmetic if first.unsigned => (K::ShiftRight, Element::Ud),
            K::ShiftRight if first.unsigned => (K::ShiftRight, Element::Ud),
            // Of longer lanes what comes from above are copies of the sign, or zeros into 32 bits.
            K::ShiftRight if widest > 2 => match self.rounding {
                Rounding::TowardZero if first.signed => (K::ShiftArithmetic, Element::D),
                Rounding::NearestEven => (K::ShiftRight, Element::Ud),
                Rounding::TowardZero => return None,
            },
            _ => return None,
        })
    }
}

impl Part {
    fn within(&self) -> Within {
        use DataType::{B, D, Ub, Ud, Uw, W};
        if let Values::Integers(values) = self.values {
            return Within {
                signed: values.iter().all(|value| i32::try_from(*value).is_ok()),
                unsigned: values.iter().all(|value| u32::try_from(*value).is_ok()),
            };
        }
        if self.keeps_width {
            return Within { signed: true, unsigned: false };
        }
        let (signed, unsigned) = match (self.data_type, self.absolute, self.negate) {
            (Ub | Uw, _, false) => (true, true),
            (B | W, true, false) => (true, true),
            (Ub | Uw | B | W, ..) => (true, false),
            (D, false, false) => (true, false),
            (D, true, false) | (Ud, _, false) => (false, true),
            _ => (false, false),
        };
        Within { signed, unsigned }
    }

    /// Whether it is words without gaps, one for all channels, or an immediate.
    fn is_packed_words(&self, channels: usize) -> bool {
        match &self.values {
            Values::Registers(bytes) => {
                let bytes = &bytes[..channels];
                let is_one = bytes.iter().all(|byte| *byte == bytes[0]);
                self.data_type.size() == 2 && (is_one || are_packed_words(bytes))
            }
            _ => true,
        }
    }

    fn is_one_integer(&self) -> bool {
        matches!(&self.values, Values::Integers(values) if values.iter().all(|value| *value == values[0]))
    }

    /// The source as code reads it.
    fn operand(&self, planned: &Planned) -> Option<Operand> {
        let Self { data_type, absolute, negate, inverts, keeps_width, .. } = *self;
        let mut operand = Operand { absolute, negate, inverts, keeps_width, ..Operand::ABSENT };
        match &self.values {
            Values::Registers(bytes) => {
                operand.offset = bytes[0];
                operand.stored = stored(data_type, bytes, planned.channels, planned.chunks)?;
                operand.shape = match operand.stored.step {
                    0 => Shape::Splat,
                    _ => Shape::Packed,
                };
            }
            Values::Integers(values) => {
                for (element, value) in operand.elements.iter_mut().zip(values) {
                    *element = match planned.is_float() {
                        true => single(*value as f64).filter(|_| value.abs() < 1 << 53)?,
                        false => *value as u32,
                    };
                }
            }
            Values::Floats(values) => {
                // The least half float that is no denormal.
                let is_flushed = |value: f64| {
                    planned.flushes_halves && value != 0.0 && value.abs() < 2f64.powi(-14)
                };
                // What is moved bit for bit is not made quiet.
                let is_kept = |value: f64| !(planned.reads_bits() && value.is_nan());
                for (element, value) in operand.elements.iter_mut().zip(values) {
                    *element = single(*value).filter(|_| !is_flushed(*value) && is_kept(*value))?;
                }
            }
        }
        Some(operand)
    }
}

/// The float of 32 bits that a value is, if it is one and no denormal.
fn single(value: f64) -> Option<u32> {
    let float = value as f32;
    let is_kept = f64::from(float).to_bits() == value.to_bits() && !float.is_subnormal();
    is_kept.then_some(float.to_bits())
}

fn is_integer(data_type: DataType) -> bool {
    use DataType::{B, D, Ub, Ud, Uw, W};
    matches!(data_type, Ub | B | Uw | W | Ud | D)
}

fn are_packed_words(bytes: &[u16]) -> bool {
    bytes.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == 2)
}

/// How elements stand at some bytes, if they do so in one of the ways that code knows.
fn stored(
    data_type: DataType,
    bytes: &[u16; MOST_CHANNELS],
    channels: usize,
    chunks: usize,
) -> Option<Stored> {
    let size = data_type.size() as u16;
    let step = if channels > 1 { bytes[1].checked_sub(bytes[0])? } else { 0 };
    let chunk = match chunks {
        // There is no next one.
        1 => Stored::NO_NEXT,
        _ => bytes[channels].checked_sub(bytes[0])?,
    };
    let is_regular = bytes[..channels * chunks].iter().enumerate().all(|(channel, byte)| {
        let ahead =
            channel / channels * usize::from(chunk) + channel % channels * usize::from(step);
        usize::from(*byte) == usize::from(bytes[0]) + ahead
    });
    let is_known = match step {
        0 => chunks == 1 || chunk == 0,
        8 => size == 4,
        _ => matches!(step, 1 | 2 | 4) && step >= size,
    };
    let is_aligned = bytes[0].is_multiple_of(size) && chunk.is_multiple_of(size);
    (is_regular && is_known && is_aligned).then_some(Stored { data_type, step: step as u8, chunk })
}
