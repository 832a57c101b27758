//! The exceptions (G45 volume 4, chapter 12).

/// The exceptions, in order of priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exception {
    Breakpoint,
    ExternalHalt,
    Software,
    IllegalOpcode,
    LoopStackOverflow,
    LoopStackUnderflow,
    IfStackOverflow,
    IfStackUnderflow,
}

impl Exception {
    /// Those that a status bit left set raises again.
    pub(super) const LASTING: [Self; 3] = [Self::Breakpoint, Self::ExternalHalt, Self::Software];

    /// The manual's name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Breakpoint => "Breakpoint",
            Self::ExternalHalt => "External Halt",
            Self::Software => "Software Exception",
            Self::IllegalOpcode => "Illegal Opcode",
            Self::LoopStackOverflow => "LStack Overflow",
            Self::LoopStackUnderflow => "LStack Underflow",
            Self::IfStackOverflow => "IStack Overflow",
            Self::IfStackUnderflow => "IStack Underflow",
        }
    }

    /// The status bit in `cr0.1`: the higher the priority, the higher the bit.
    pub(super) fn status(self) -> u32 {
        1 << (31 - self as u32)
    }

    /// The enable bit in `cr0.1`; the four mask stack exceptions share one.
    pub(super) fn enable(self) -> u32 {
        1 << (15 - (self as u32).min(4))
    }
}
