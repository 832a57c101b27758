//! Enumerations, and codes of them.

/// An enumeration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enumeration {
    /// Primitive topologies.
    Topology,
    /// Element precisions of `dpas`.
    Precision,
    /// Masks of components that are interpolated the short way round.
    WrapShortest,
    /// Masks of stages of a render barrier.
    Stages,
    /// What a render barrier does.
    BarrierType,
    /// Fixed functions.
    FixedFunction,
    /// Modes of the sampler's messages.
    SimdMode,
}

/// Codes of an enumeration of which a rule says what they stand for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Codes {
    pub(crate) of: Enumeration,
    pub(crate) first: u8,
    pub(crate) last: u8,
}

impl Codes {
    /// Whether it speaks of an enumeration, and whether a code is one of them; of a mask whether it has the bit.
    pub(crate) fn holds(self, of: Enumeration, code: u8) -> Option<bool> {
        let is_bit = of == Enumeration::Stages && self.first == self.last;
        let holds = (self.first..=self.last).contains(&code) || is_bit && code & self.first != 0;
        (of == self.of).then_some(holds)
    }
}
