//! Messages of G45 and its predecessors before they have registers.

/// A message before it has registers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draft {
    /// The target.
    pub(super) target: u32,
    /// Bits 15:0 of the descriptor.
    pub(super) control: u32,
    /// Doublewords 0, 1, 2 and 5 of the header.
    pub(super) header: [u32; 4],
    /// Doubleword 4, if it matters.
    pub(super) fourth: Option<u32>,
    pub(super) offsets: Offsets,
    /// Registers of data that go there and come back.
    pub(super) sent: usize,
    pub(super) returned: usize,
    pub(super) channels: Channels,
    /// It ends the thread.
    pub(super) is_last: bool,
}

/// Targets: the read port and the write port.
pub(super) const READ: u32 = 4;
pub(super) const WRITE: u32 = 5;
/// The bits of a descriptor that reads and writes of the same data share: size and surface.
const SHARED_BITS: u32 = 0x7FF;
const RENDER_CACHE: u32 = 2;

impl Draft {
    /// The same data written, whichever way they were to go; an answer says when they are there.
    pub(super) fn written(self) -> Self {
        let control = 1 << 15 | self.kind() << 12 | self.control & SHARED_BITS;
        let sent = self.sent.max(if self.target == READ { self.returned } else { 0 });
        Self { target: WRITE, control, sent, returned: 1, ..self }
    }

    /// The same data read, from where writes go.
    pub(super) fn read(self) -> Self {
        let control = RENDER_CACHE << 14 | self.kind() << 12 | self.control & SHARED_BITS;
        let returned = if self.target == READ { self.returned } else { self.sent };
        Self { target: READ, control, sent: 0, returned, ..self }
    }

    /// Blocks, pairs, rectangles or doublewords, as both ports count them.
    const fn kind(self) -> u32 {
        self.control >> 12 & 3
    }
}

/// What stands behind the header.
#[derive(Debug, Clone, Copy)]
pub(super) enum Offsets {
    None,
    /// In doublewords 0 and 4 of a register.
    Two([u32; 2]),
    /// A second register of the header.
    Words([u32; 8]),
    /// In so many doublewords, in steps.
    Each {
        count: usize,
        first: u32,
        step: u32,
    },
}

impl Offsets {
    pub(super) fn registers(self) -> usize {
        match self {
            Self::None => 0,
            Self::Two(_) | Self::Words(_) => 1,
            Self::Each { count, .. } => count / 8,
        }
    }
}

/// How many channels a send has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Channels {
    Any,
    Eight,
    /// Four, for the lower or upper half of a register.
    Half(u8),
}
