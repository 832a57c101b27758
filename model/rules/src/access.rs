//! Conditions on messages to the data port.

use std::ops::{Deref, Range};

use parallax_isa::{
    device::Generation::{Gen7, Gen8, Gen45},
    surface::{self, Format},
};
use parallax_reference::eu::{AccessStep, Place};

use crate::message::doubleword;

/// The render cache of Gen7 and later.
const RENDER_CACHE: u8 = 5;

/// A message.
#[derive(Clone, Copy)]
pub(crate) struct Access<'a>(pub(crate) &'a AccessStep<'a>);

impl<'a> Deref for Access<'a> {
    type Target = AccessStep<'a>;

    fn deref(&self) -> &AccessStep<'a> {
        self.0
    }
}

/// The messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Port {
    OwordBlock,
    OwordDualBlock,
    MediaBlock,
    Dwords,
    LoopFilter,
    StreamedVertexBuffer,
    RenderTarget,
    Flush,
    // Of Gen7 and later.
    RenderTargetRead,
    TypedRead,
    TypedAtomic,
    TypedWrite,
}

impl Port {
    pub(crate) const ALL: [Self; 12] = [
        Self::OwordBlock,
        Self::OwordDualBlock,
        Self::MediaBlock,
        Self::Dwords,
        Self::LoopFilter,
        Self::StreamedVertexBuffer,
        Self::RenderTarget,
        Self::Flush,
        Self::RenderTargetRead,
        Self::TypedRead,
        Self::TypedAtomic,
        Self::TypedWrite,
    ];
}

/// A rectangle of bytes, and the plane in which it is.
struct Rectangle {
    columns: Range<i64>,
    rows: Range<i64>,
    width: i64,
    height: i64,
}

impl Access<'_> {
    pub(crate) fn port(self) -> Port {
        let control = self.request.function_control;
        if self.is_later() {
            return match (self.device.generation(), control >> 14 & 0xF) {
                (_, 12) => Port::RenderTarget,
                (_, 5) => Port::TypedRead,
                (_, 6) => Port::TypedAtomic,
                (Some(Gen7), _) => Port::TypedWrite,
                _ if self.request.target == RENDER_CACHE => Port::RenderTargetRead,
                _ => Port::TypedWrite,
            };
        }
        if !self.is_read() {
            return match control >> 12 & 7 {
                0 => Port::OwordBlock,
                1 => Port::OwordDualBlock,
                2 => Port::MediaBlock,
                3 => Port::Dwords,
                4 => Port::RenderTarget,
                5 => Port::StreamedVertexBuffer,
                _ => Port::Flush,
            };
        }
        if self.device.generation() < Some(Gen45) {
            return [Port::OwordBlock, Port::OwordDualBlock, Port::MediaBlock, Port::Dwords]
                [(control >> 12 & 3) as usize];
        }
        match control >> 11 & 7 {
            0 => Port::OwordBlock,
            2 => Port::OwordDualBlock,
            3 => Port::LoopFilter,
            4 => Port::MediaBlock,
            _ => Port::Dwords,
        }
    }

    /// Whether it is of Gen7 or later.
    fn is_later(self) -> bool {
        self.device.generation() >= Some(Gen7)
    }

    pub(crate) fn is_read(self) -> bool {
        self.request.target == 4
    }

    pub(crate) fn commits(self) -> bool {
        !self.is_read() && self.control(15, 15) == 1
    }

    /// A field of the function control.
    pub(crate) fn control(self, high: u32, low: u32) -> u32 {
        self.request.function_control >> low & (u32::MAX >> (31 - (high - low)))
    }

    /// A doubleword of the header.
    pub(crate) fn header(self, number: usize) -> u32 {
        doubleword(self.request.payload.first(), number)
    }

    /// Whether one of some doublewords of the header has a bit.
    pub(crate) fn has_header_in(self, numbers: &[usize]) -> bool {
        numbers.iter().any(|number| self.header(*number) != 0)
    }

    /// A doubleword of the reply.
    pub(crate) fn reply(self, register: usize, number: usize) -> u32 {
        doubleword(self.reply.get(register).map(|reply| &reply.bytes), number)
    }

    // What it reaches.

    pub(crate) fn reaches_memory(self) -> bool {
        let is_moved = || self.moves.iter().any(|step| matches!(step.place, Place::Memory(_)));
        self.pixels.written != 0 || is_moved()
    }

    pub(crate) fn writes_memory(self) -> bool {
        !self.is_read() && self.reaches_memory()
    }

    /// Whether a byte is beyond the end of a surface.
    pub(crate) fn is_beyond_end(self) -> bool {
        !self.is_null() && self.moves.iter().any(|step| step.place == Place::Nowhere)
    }

    /// Whether a byte is beyond the bound of the stateless model.
    pub(crate) fn is_beyond_bound(self) -> bool {
        self.moves.iter().any(|step| step.place == Place::BeyondBound)
    }

    // Surfaces.

    pub(crate) fn is_stateless(self) -> bool {
        self.surface.is_none()
    }

    /// A field of the surface state.
    pub(crate) fn field(self, number: usize, high: u32, low: u32) -> u32 {
        let bits = self.surface.map_or(0, |surface| surface[number]);
        bits >> low & (u32::MAX >> (31 - (high - low)))
    }

    pub(crate) fn is_null(self) -> bool {
        self.surface.is_some() && self.field(0, 31, 29) == 7
    }

    /// The format of a surface that is there.
    pub(crate) fn surface_format(self) -> Option<&'static Format> {
        let highest = if self.device.generation() >= Some(Gen8) { 27 } else { 26 };
        let code = (!self.is_stateless() && !self.is_null()).then(|| self.field(0, highest, 18))?;
        surface::code(self.device, code).ok()
    }

    /// Bytes from element to element of a surface that is there.
    pub(crate) fn pitch(self) -> Option<u32> {
        (!self.is_stateless() && !self.is_null()).then(|| self.field(3, 19, 3) + 1)
    }

    /// Elements of a buffer.
    pub(crate) fn entries(self) -> u32 {
        (self.field(3, 27, 21) << 20 | self.field(2, 31, 19) << 7 | self.field(2, 12, 6)) + 1
    }

    /// Whether something in tiles is reached: of X-major ones the walk is 0, of Y-major ones 1.
    pub(crate) fn reaches_tiles(self, walk: Option<u32>) -> bool {
        let is_tiled = self.field(3, 1, 1) == 1 && !self.is_null();
        is_tiled && walk.is_none_or(|walk| self.field(3, 0, 0) == walk) && self.reaches_memory()
    }

    // Masks.

    /// Whether some of the channels of four doublewords of a register are on, but not all.
    pub(crate) fn has_mixed_group(self, groups: usize) -> bool {
        (0..groups).any(|n| !matches!(self.request.channel_enables >> (4 * n) & 0xF, 0 | 0xF))
    }

    // Blocks of planes.

    pub(crate) fn boundary_mode(self) -> u32 {
        self.field(0, 7, 6)
    }

    /// Whether the descriptor overrides which lines there are.
    pub(crate) fn overrides(self) -> bool {
        self.control(10, 10) == 1
    }

    /// Whether only each other line counts.
    pub(crate) fn is_field(self) -> bool {
        if self.overrides() { self.control(9, 9) == 1 } else { self.field(0, 12, 12) == 1 }
    }

    /// The line that a field starts with.
    pub(crate) fn line_offset(self) -> u32 {
        if self.overrides() { self.control(8, 8) } else { self.field(0, 11, 11) }
    }

    /// Rows and columns of a block, less 1.
    pub(crate) fn rows(self) -> u32 {
        self.header(2) >> 16 & 0x3F
    }

    pub(crate) fn columns(self) -> u32 {
        self.header(2) & 0x1F
    }

    fn rectangle(self) -> Option<Rectangle> {
        self.surface_format()?;
        let from = |number: usize, more: u32| {
            let first = i64::from(self.header(number).cast_signed());
            first..first + i64::from(more) + 1
        };
        let height = i64::from(self.field(2, 31, 19)) + 1;
        Some(Rectangle {
            columns: from(0, self.columns()),
            rows: from(1, self.rows()),
            width: 4 * (i64::from(self.field(2, 18, 6)) + 1),
            height: match (self.field(0, 12, 12) == 1, self.is_field()) {
                (false, true) => height / 2,
                (true, false) => height * 2,
                _ => height,
            },
        })
    }

    /// Whether a block has rows above or below the plane.
    pub(crate) fn leaves_rows(self) -> bool {
        self.rectangle().is_some_and(|r| r.rows.start < 0 || r.rows.end > r.height)
    }

    /// Whether it has columns on the left or right of it.
    pub(crate) fn leaves_columns(self) -> bool {
        self.rectangle().is_some_and(|r| r.columns.start < 0 || r.columns.end > r.width)
    }

    /// Whether it has rows of it.
    pub(crate) fn has_rows(self) -> bool {
        self.rectangle().is_some_and(|r| r.rows.start < r.height && r.rows.end > 0)
    }
}
