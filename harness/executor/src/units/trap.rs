//! What units latch when they trap something.

use parallax_isa::units::Inputs;

/// What was found of a thread.
pub(super) struct Trap {
    /// Words about it are latched.
    pub(super) taken: bool,
    /// Its header says so.
    pub(super) reported: bool,
}

/// Words that were latched together.
#[derive(Debug, Clone)]
pub(super) enum Latch {
    Empty,
    /// In order of their selects.
    Words(Vec<u32>),
    /// Two words a vertex, and the kernel.
    Vertices(Vec<u32>, u32),
}

impl Latch {
    pub(super) fn of_inputs(inputs: &Inputs) -> Self {
        let words = inputs.vertices.iter().flat_map(|vertex| {
            [u32::from(vertex.unit) << 28 | vertex.thread & 0x00FF_FFFF, vertex.relative]
        });
        Self::Vertices(words.collect(), inputs.kernel)
    }

    pub(super) fn word(&self, select: usize) -> Option<u32> {
        match self {
            Self::Words(words) => words.get(select).copied(),
            _ => None,
        }
    }

    /// Of six vertices at most, of which only the first words are published.
    pub(super) fn geometry(&self, select: usize) -> Option<u32> {
        let Self::Vertices(words, kernel) = self else { return None };
        match select {
            12 => Some(words.len() as u32 / 2),
            13 => Some(*kernel),
            _ if select & 1 == 0 => words.get(select).copied(),
            _ => None,
        }
    }

    /// Of three vertices at most.
    pub(super) fn triangle(&self, select: usize) -> Option<u32> {
        let Self::Vertices(words, kernel) = self else { return None };
        match select {
            6 => Some(words.len() as u32 / 2),
            7 => Some(*kernel),
            _ => words.get(select).copied(),
        }
    }
}
