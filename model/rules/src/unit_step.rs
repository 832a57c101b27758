//! Conditions on the answers of units.

use std::ops::Deref;

use parallax_isa::units::{
    Answer, Event, Start, Unit,
    address::{self, SF_CTL, TS_CTL, VF_CTL, WIZ_CTL},
};
use parallax_reference::units::UnitsStep;

/// An event and its answer.
#[derive(Clone, Copy)]
pub(crate) struct Units<'a>(pub(crate) &'a UnitsStep<'a>);

impl<'a> Deref for Units<'a> {
    type Target = UnitsStep<'a>;

    fn deref(&self) -> &UnitsStep<'a> {
        self.0
    }
}

impl Units<'_> {
    /// Whether a bit enables something, and debugging is enabled.
    pub(crate) fn enables(self, address: u16, bit: u32) -> bool {
        self.is_debugged() && self.register(address) >> bit & 1 == 1
    }

    /// How the thread starts that begins.
    pub(crate) fn start(self) -> Option<Start> {
        match self.answer {
            Answer::Begins(start) | Answer::Setup { start, .. } => Some(*start),
            _ => None,
        }
    }

    pub(crate) fn starts(self, which: fn(Start) -> bool) -> bool {
        self.start().is_some_and(which)
    }

    pub(crate) fn word(self) -> Option<u32> {
        match self.answer {
            Answer::Word(word) => Some(*word),
            _ => None,
        }
    }

    /// Whether the host reads a word of a register.
    pub(crate) fn reads(self, address: u16) -> bool {
        matches!(self.event, Event::Read(read) if *read == address) && self.word().is_some()
    }

    /// The control register of snapshots of what an event reaches.
    pub(crate) fn control(self) -> Option<u16> {
        Some(match self.event {
            Event::Fetched { .. } => VF_CTL,
            Event::Thread(Unit::Vertex, ..) => address::VS_CTL,
            Event::Thread(Unit::Geometry, ..) => address::GS_CTL,
            Event::Thread(Unit::Clipper, ..) => address::CL_CTL,
            Event::Primitive { .. } => SF_CTL,
            Event::Subspans { .. } => WIZ_CTL,
            Event::Root(..) | Event::Child(..) => TS_CTL,
            Event::UrbWrite(..) => address::URB_CTL,
            _ => return None,
        })
    }

    pub(crate) fn has_control(self, which: impl Fn(u16) -> bool) -> bool {
        self.control().is_some_and(which)
    }

    /// Whether a command with a sub opcode is taken.
    pub(crate) fn loads(self, opcode: u32) -> bool {
        let Event::Command(words) = self.event else { return false };
        *self.answer == Answer::Done && words[0] >> 16 & 0xFF == opcode
    }

    /// Type, first and last vertex of a primitive in an entry.
    pub(crate) fn has_primitive(self, which: fn((u8, bool, bool)) -> bool) -> bool {
        let Answer::Entry(Some(entry)) = self.answer else { return false };
        entry.primitive.is_some_and(which)
    }

    /// Whether a render target write of some types lets go of pixels, or might.
    pub(crate) fn writes_target(self, types: &[u32]) -> bool {
        matches!(self.event, Event::TargetWrite(descriptor, header)
            if types.contains(&(descriptor >> 8 & 7)) && header >> 16 != 0)
    }

    /// Whether a render target write is the last one for its pixels.
    pub(crate) fn is_last_target(self) -> bool {
        matches!(self.event, Event::TargetWrite(descriptor, _) if descriptor >> 11 & 1 == 1)
    }

    pub(crate) fn counts_streamed(self, bit: u32) -> bool {
        matches!(self.event, Event::StreamedVertex(descriptor) if descriptor >> bit & 1 == 1)
    }
}
