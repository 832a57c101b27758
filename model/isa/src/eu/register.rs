//! Register files and architecture registers (G45 volume 4, sections 11.2 and 11.3).

use serde::{Deserialize, Serialize};

pub use crate::shared::REGISTER_BYTES;

/// Where a register operand lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum RegisterFile {
    /// Architecture register file.
    Arf,
    /// General register file.
    Grf,
    /// Message register file.
    Mrf,
}

/// The kinds of architecture registers: the high nibble of an ARF register number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum ArfKind {
    /// `null`: absent operand.
    Null,
    /// `a0`: address register, eight words.
    Address,
    /// `acc0`, `acc1`: accumulators.
    Accumulator,
    /// `f0`: flag register, two words.
    Flag,
    /// `mask0`: AMask, IMask, LMask, CMask, a word each.
    Mask,
    /// `ms0`: mask stacks, 16 byte counters for the IStack, then 16 for the LStack.
    MaskStack,
    /// `msd0`: mask stack depths, a word each.
    MaskStackDepth,
    /// `sr0`: state register.
    State,
    /// `cr0`: control register.
    Control,
    /// `n0`, `n1`: notification count registers.
    Notification,
    /// `ip`: instruction pointer.
    InstructionPointer,
    /// `ce`: channel enables (Gen7.5 and later).
    ChannelEnable,
    /// `msg0`: message control of the gateway (Gen8 and later).
    MessageControl,
    /// `sp`: stack pointer (Gen7.5 and later).
    StackPointer,
    /// `tdr0`: thread dependency (Gen7 and later).
    ThreadDependency,
    /// `tm0`: time stamp (Gen7 and later).
    Timestamp,
    /// `fc0`: flow control (Gen7.5 and later).
    FlowControl,
    /// `dbg0`: debug (Gen8 and later).
    Debug,
}

impl ArfKind {
    /// Every kind of Gen4 and Gen4.5, in order of encoding.
    pub const ALL: [Self; 11] = [
        Self::Null,
        Self::Address,
        Self::Accumulator,
        Self::Flag,
        Self::Mask,
        Self::MaskStack,
        Self::MaskStackDepth,
        Self::State,
        Self::Control,
        Self::Notification,
        Self::InstructionPointer,
    ];

    /// The high nibble of the register number.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::ChannelEnable => 0x4,
            Self::MessageControl => 0x5,
            Self::StackPointer => 0x6,
            Self::ThreadDependency => 0xB,
            Self::Timestamp => 0xC,
            Self::FlowControl => 0xD,
            Self::Debug => 0xF,
            _ => self as u8,
        }
    }

    /// The kind a register number names on Gen4 and Gen4.5, if any; the kinds that later generations
    /// have as well are the same there.
    #[must_use]
    pub fn of_register_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number >> 4)).copied()
    }

    /// The name in assembly text without the number: `acc`, `ip`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Address => "a",
            Self::Accumulator => "acc",
            Self::Flag => "f",
            Self::Mask => "mask",
            Self::MaskStack => "ms",
            Self::MaskStackDepth => "msd",
            Self::State => "sr",
            Self::Control => "cr",
            Self::Notification => "n",
            Self::InstructionPointer => "ip",
            Self::ChannelEnable => "ce",
            Self::MessageControl => "msg",
            Self::StackPointer => "sp",
            Self::ThreadDependency => "tdr",
            Self::Timestamp => "tm",
            Self::FlowControl => "fc",
            Self::Debug => "dbg",
        }
    }
}
