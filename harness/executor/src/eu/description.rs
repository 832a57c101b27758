//! What machine code is made of: operations on registers, described alike whatever generation's
//! instructions they are of.

mod lanes;
mod mixed;

use std::mem::offset_of;

use parallax_isa::eu::{DataType, State};

pub(in crate::eu) use self::{
    lanes::{Element, LaneOperation},
    mixed::{MOST_CHANNELS, Mixed, Part, Values},
};
use crate::eu::condition::Condition;

/// Channels of a chunk of doublewords.
pub(in crate::eu) const CHANNELS: usize = 8;

/// What code is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::eu) struct Setting {
    /// All channels are active.
    pub(in crate::eu) open: bool,
    pub(in crate::eu) accumulator_disabled: bool,
    pub(in crate::eu) rounding: Rounding,
}

/// What arithmetic on F gives from Gen7 on that is not a number: always the same.
pub(in crate::eu) const NAN_SINGLE: u32 = 0x7FC0_0000;

/// How floats are rounded, in which generations differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::eu) enum Rounding {
    /// Up to Gen4.5, whose code finds the active channels in the thread masks.
    TowardZero,
    /// From Gen7 on. Its code is told which channels are active.
    NearestEven,
}

/// An operation that is compiled.
#[derive(Debug, Clone, Copy)]
pub(in crate::eu) struct Planned {
    pub(in crate::eu) operation: LaneOperation,
    pub(in crate::eu) element: Element,
    pub(in crate::eu) saturate: bool,
    pub(in crate::eu) condition: Condition,
    /// A second source that is not a number decides.
    pub(in crate::eu) second_nan_wins: bool,
    pub(in crate::eu) mask: Channels,
    /// Its sources, of which there are so many.
    pub(in crate::eu) sources: [Operand; 3],
    pub(in crate::eu) source_count: usize,
    /// First byte of where the source goes first, bit for bit, whichever channels are enabled: a message
    /// register.
    pub(in crate::eu) posted: Option<u16>,
    /// First byte of the destination in the state.
    pub(in crate::eu) target: u16,
    /// How its elements stand there, which results become.
    pub(in crate::eu) result: Stored,
    /// Denormals of half floats are zeros.
    pub(in crate::eu) flushes_halves: bool,
    /// The destination is not null.
    pub(in crate::eu) writes: bool,
    /// Channels of a chunk: as many as a vector has, or less if there is one chunk only.
    pub(in crate::eu) channels: usize,
    /// Vectors that an operand is of, and which of them is written first.
    pub(in crate::eu) chunks: usize,
    pub(in crate::eu) is_last_first: bool,
    /// First bytes of the accumulators of its chunks.
    pub(in crate::eu) accumulators: [u16; 2],
    /// What it leaves in them is seen.
    pub(in crate::eu) updates_accumulator: bool,
}

/// How a source's channels map to elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::eu) enum Shape {
    /// Neighbouring elements.
    Packed,
    /// One element for all channels.
    Splat,
    /// An immediate.
    Constant,
    /// The channels of the accumulator of words, shifted right by so many bits.
    Accumulator(u8),
    /// A flag register for all channels, from this bit of theirs on.
    Flags(u8),
}

/// A source of an operation.
#[derive(Debug, Clone, Copy)]
pub(in crate::eu) struct Operand {
    pub(in crate::eu) shape: Shape,
    pub(in crate::eu) absolute: bool,
    pub(in crate::eu) negate: bool,
    /// A negation inverts all bits.
    pub(in crate::eu) inverts: bool,
    /// With modifiers it is an integer of as many bits as it has without.
    pub(in crate::eu) keeps_width: bool,
    /// First byte in the state.
    pub(in crate::eu) offset: u16,
    /// How its elements stand there, which lanes are made of.
    pub(in crate::eu) stored: Stored,
    /// The elements of an immediate by channel, modified already.
    pub(in crate::eu) elements: [u32; 16],
}

/// How elements of an operand stand in the registers, whatever the lanes are that it is computed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::eu) struct Stored {
    pub(in crate::eu) data_type: DataType,
    /// Bytes from one to the next within a chunk of channels; none if it is one for all.
    pub(in crate::eu) step: u8,
    /// Bytes from those of a chunk to those of the next one.
    pub(in crate::eu) chunk: u16,
}

/// Which channels an operation works on. Channels are bits of the flag registers, of which there are 64,
/// and of the channels that are active.
#[derive(Debug, Clone, Copy)]
pub(in crate::eu) struct Channels {
    /// The flag bit of the first channel, and whether it is inverted, if there is a predicate.
    pub(in crate::eu) predicate: Option<(u8, bool)>,
    /// The predicate selects a source, and disables no channel.
    pub(in crate::eu) selects: bool,
    /// It works on channels that are not active too.
    pub(in crate::eu) no_mask: bool,
    /// The first channel among the active ones.
    pub(in crate::eu) first: u8,
    /// The flag bit of the first channel that a comparison writes.
    pub(in crate::eu) flag: u8,
}

impl Operand {
    /// A source that an operation does not have.
    pub(in crate::eu) const ABSENT: Self = Self {
        shape: Shape::Constant,
        absolute: false,
        negate: false,
        inverts: false,
        keeps_width: false,
        offset: 0,
        stored: Stored::as_lanes(Element::Ud),
        elements: [0; 16],
    };

    /// Its first byte in a chunk.
    pub(in crate::eu) fn place(&self, chunk: usize) -> usize {
        usize::from(self.offset) + usize::from(self.stored.chunk) * chunk
    }
}

impl Stored {
    /// What stands for the bytes to the next chunk where there is none.
    pub(in crate::eu) const NO_NEXT: u16 = 32;

    /// Neighbouring elements that are lanes as they are.
    pub(in crate::eu) const fn as_lanes(element: Element) -> Self {
        let data_type = match element {
            Element::Ud => DataType::Ud,
            Element::D => DataType::D,
            Element::Uw => DataType::Uw,
            Element::W => DataType::W,
            Element::F => DataType::F,
        };
        Self { data_type, step: data_type.size() as u8, chunk: 32 }
    }

    /// The same where one element is for all channels.
    pub(in crate::eu) const fn in_all_lanes(element: Element) -> Self {
        Self { step: 0, chunk: 0, ..Self::as_lanes(element) }
    }

    pub(in crate::eu) fn is_float(self) -> bool {
        self.data_type.is_float()
    }

    /// Bytes from the first element of so many channels to behind the last one.
    pub(in crate::eu) fn span(self, channels: usize) -> usize {
        usize::from(self.step) * (channels - 1) + self.data_type.size()
    }

    /// Whether elements are as long as lanes, and neighbours as these are or one for all.
    pub(in crate::eu) fn are_packed(self, element: Element) -> bool {
        let lanes = Self::as_lanes(element);
        let is_one = self.step == 0;
        self.data_type.size() == element.bytes()
            && (is_one || self.step == lanes.step && self.chunk == lanes.chunk)
    }

    /// Whether elements are lanes bit for bit.
    pub(in crate::eu) fn are_lanes(self, element: Element) -> bool {
        self.is_float() == (element == Element::F) && self.are_packed(element)
    }
}

impl Channels {
    /// Whether a channel that is not active is none of its own, if any channel is.
    pub(in crate::eu) fn reads_active(&self, open: bool) -> bool {
        !open && !self.no_mask
    }

    /// Whether the predicate can disable a channel.
    pub(in crate::eu) fn predicate_disables(&self) -> bool {
        self.predicate.is_some() && !self.selects
    }
}

impl Planned {
    pub(in crate::eu) fn has_words(&self) -> bool {
        self.element.bytes() == 2
    }

    /// Channels that a vector has room for.
    pub(in crate::eu) fn width(&self) -> usize {
        32 / self.element.bytes()
    }

    pub(in crate::eu) fn is_float(&self) -> bool {
        self.element == Element::F
    }

    /// Whether floats are made of anything else, or that of floats.
    pub(in crate::eu) fn converts(&self) -> bool {
        let sources = &self.sources[..self.source_count];
        let is_other = |operand: &Operand| {
            operand.shape != Shape::Constant && operand.stored.data_type != DataType::F
        };
        self.is_float() && (sources.iter().any(is_other) || !self.gives_floats())
    }

    /// Whether results are floats where they are written.
    pub(in crate::eu) fn gives_floats(&self) -> bool {
        self.result.data_type == DataType::F
    }

    /// Whether results become others before they are written: floats integers or half floats, integers
    /// those next to them.
    pub(in crate::eu) fn changes_results(&self) -> bool {
        if self.is_float() { !self.gives_floats() } else { self.saturate }
    }

    pub(in crate::eu) fn compares(&self) -> bool {
        self.operation == LaneOperation::Compare
    }

    /// Whether sources matter to the last bit: those of arithmetic on floats count as numbers.
    pub(in crate::eu) fn reads_bits(&self) -> bool {
        !self.is_float() || self.operation == LaneOperation::SelectByOrder
    }

    /// Whether active channels or flags have a part in which channels it writes.
    pub(in crate::eu) fn is_masked(&self, setting: Setting) -> bool {
        self.mask.reads_active(setting.open) || self.mask.predicate_disables()
    }

    /// Whether the destination is a place that code can write.
    pub(in crate::eu) fn destination_fits(&self) -> bool {
        if !self.writes {
            return true;
        }
        let at = usize::from(self.target);
        in_registers(at, self.bytes(self.result))
            && (self.writes_lanes() || self.writes_elsewhere())
    }

    /// Whether results are written as lanes are: a chunk, a few channels from the first one on, or one
    /// wherever it is.
    pub(in crate::eu) fn writes_lanes(&self) -> bool {
        let at = usize::from(self.target);
        let is_one = self.channels == 1 && at.is_multiple_of(self.element.bytes());
        self.result.are_packed(self.element) && (at.is_multiple_of(32) || is_one)
    }

    /// Whether results of doublewords can be brought to where they are written: channels fill a part of a
    /// chunk that is as long as they are.
    fn writes_elsewhere(&self) -> bool {
        let step = usize::from(self.result.step);
        let span = step * self.channels;
        let is_at = |chunk: usize| {
            let at = usize::from(self.target) + usize::from(self.result.chunk) * chunk;
            (at - at % step).is_multiple_of(span) && at.is_multiple_of(self.result.data_type.size())
        };
        let is_known = matches!(step, 1 | 2 | 4) && self.result.data_type.size() <= step;
        !self.has_words() && is_known && (0..self.chunks).all(is_at)
    }

    /// Whether a source is a place that code can read.
    pub(in crate::eu) fn source_lies_in_registers(&self, operand: &Operand) -> bool {
        let at = usize::from(operand.offset);
        match operand.shape {
            Shape::Packed | Shape::Splat => in_registers(at, self.bytes(operand.stored)),
            Shape::Constant | Shape::Accumulator(_) | Shape::Flags(_) => true,
        }
    }

    /// Whether it reads or writes flags.
    pub(in crate::eu) fn uses_flags(&self) -> bool {
        let sources = &self.sources[..self.source_count];
        self.compares()
            || self.mask.predicate.is_some()
            || sources.iter().any(|operand| matches!(operand.shape, Shape::Flags(_)))
    }

    /// Whether its result may be one that code cannot give: inverses and roots neither overflow nor are they
    /// next to the smallest number, and neither are integers.
    pub(in crate::eu) fn may_be_refused(&self) -> bool {
        use LaneOperation as K;
        let is_moved = self.operation == K::Move && self.converts();
        let is_exact = self.compares() || is_moved || self.operation == K::SelectByOrder;
        self.is_float() && !is_exact && !self.is_elementary()
    }

    /// Whether it is an inverse or a root, which are rounded to nearest.
    pub(in crate::eu) fn is_elementary(&self) -> bool {
        matches!(self.operation, LaneOperation::Inverse | LaneOperation::SquareRoot)
    }

    /// The chunks, in the order in which they are written.
    pub(in crate::eu) fn order(&self) -> &'static [usize] {
        match (self.chunks, self.is_last_first) {
            (..=1, _) => &[0],
            (_, false) => &[0, 1],
            (_, true) => &[1, 0],
        }
    }

    /// Chooses an order in which no chunk writes what a later one reads; false if there is none. Where that
    /// does not matter, instructions are two, one after the other.
    pub(in crate::eu) fn keeps_sources(&mut self) -> bool {
        let is_written = self.chunks > 1 && self.writes;
        self.is_last_first = is_written && self.is_read(0, 1);
        !self.is_last_first || !self.is_read(1, 0)
    }

    /// Whether what a chunk writes is what another one reads.
    fn is_read(&self, written: usize, by: usize) -> bool {
        let target = self.target_of(written);
        let written = self.result.span(self.channels);
        self.sources[..self.source_count].iter().any(|operand| {
            let (from, bytes) = match operand.shape {
                Shape::Packed | Shape::Splat => {
                    (operand.place(by), operand.stored.span(self.channels))
                }
                _ => return false,
            };
            from < target + written && target < from + bytes
        })
    }

    /// The first byte of the destination of a chunk.
    pub(in crate::eu) fn target_of(&self, chunk: usize) -> usize {
        usize::from(self.target) + usize::from(self.result.chunk) * chunk
    }

    /// Bytes from the first element of an operand to behind the last one.
    fn bytes(&self, stored: Stored) -> usize {
        usize::from(stored.chunk) * (self.chunks - 1) + stored.span(self.channels)
    }

    /// The count of a shift that is the same immediate in all channels.
    pub(in crate::eu) fn count(&self) -> Option<u32> {
        let operand = &self.sources[1];
        let counts = &operand.elements[..self.width()];
        let is_one =
            operand.shape == Shape::Constant && counts.iter().all(|count| *count == counts[0]);
        is_one.then_some(counts[0] & 31)
    }
}

/// Whether bytes are of general or message registers.
fn in_registers(at: usize, bytes: usize) -> bool {
    at + bytes <= offset_of!(State, accumulator)
}

/// A comparison, as a condition says it of ordered values: greater, equal or less.
pub(in crate::eu) fn comparison(condition: Condition) -> Option<[bool; 3]> {
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

/// Instructions of Gen7 and later that follow each other, with the branch behind them.
pub(in crate::eu) struct LaterNode {
    /// The byte that it begins at; channels may wait there.
    pub(in crate::eu) at: u32,
    pub(in crate::eu) is_waited_at: bool,
    pub(in crate::eu) planned: Vec<Planned>,
    /// Steps that it takes.
    pub(in crate::eu) takes: u32,
    pub(in crate::eu) behind: LaterBehind,
}

/// What comes behind a node.
pub(in crate::eu) enum LaterBehind {
    /// The instruction at a byte.
    Next(u32),
    Branch(LaterBranch),
}

/// A branch of Gen7 or later.
pub(in crate::eu) struct LaterBranch {
    pub(in crate::eu) kind: LaterKind,
    /// The flag bit of the first channel, and whether it is inverted, if there is a predicate.
    pub(in crate::eu) predicate: Option<(u8, bool)>,
    /// Bytes of it, of what is next, and of where it leads.
    pub(in crate::eu) at: u32,
    pub(in crate::eu) next: u32,
    pub(in crate::eu) jip: u32,
    pub(in crate::eu) uip: u32,
}

/// What a branch does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::eu) enum LaterKind {
    /// To `jip`.
    Jump,
    /// `if`, or `goto` up to Gen9: channels that do not go on wait at this place.
    If {
        to: u32,
    },
    /// Its channels wait at this place.
    Else {
        to: u32,
    },
    /// `endif` or `join`.
    EndIf,
    While,
    Break,
    /// `cont`, `halt`, or `goto` of Gen12.
    Continue,
    /// `goto` that takes the thread to `uip`, if it takes a channel there.
    GotoBack,
}

impl LaterBranch {
    /// The byte where the thread goes on, if not at the next one; if no channel is active, that is `jip`.
    pub(in crate::eu) fn taken(&self) -> u32 {
        if self.kind == LaterKind::GotoBack { self.uip } else { self.jip }
    }

    /// The bytes at which channels may wait for it.
    pub(in crate::eu) fn waited_at(&self) -> Option<u32> {
        match self.kind {
            LaterKind::Jump | LaterKind::EndIf => None,
            LaterKind::If { to } | LaterKind::Else { to } => Some(to),
            LaterKind::While | LaterKind::GotoBack => Some(self.next),
            LaterKind::Break | LaterKind::Continue => Some(self.uip),
        }
    }
}
