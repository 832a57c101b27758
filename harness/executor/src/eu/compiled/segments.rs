//! A block without its branches: segments of operations that are compiled, and others in between.

use std::ops::Range;

use parallax_isa::eu::State;

use super::{Chunk, Code, Planned, Setting, code};

/// The most operations in a row that become a piece of code.
const MOST: usize = 512;

/// The parts of a block, one after the other.
pub(in crate::eu) struct Segments {
    parts: Vec<Part>,
    refusals: u32,
}

/// Micro-ops by their places in a block, with their code if they have one.
struct Part {
    ops: Range<usize>,
    code: Option<Code>,
}

impl Segments {
    /// The code of a block's micro-ops, of those that have a plan; `None` if none has.
    pub(in crate::eu) fn compile(plans: Vec<Option<Planned>>, setting: Setting) -> Option<Self> {
        let mut parts = Vec::new();
        let mut first = 0;
        for segment in plans.chunk_by(|one, other| one.is_some() == other.is_some()) {
            for ops in segment.chunks(MOST) {
                let planned: Vec<Planned> = ops.iter().copied().flatten().collect();
                let code = (!planned.is_empty()).then(|| code(&planned, setting)).flatten();
                parts.push(Part { ops: first..first + ops.len(), code });
                first += ops.len();
            }
        }
        let worth = parts.iter().any(|part| part.code.is_some());
        worth.then_some(Self { parts, refusals: 0 })
    }

    /// Bytes of code.
    pub(in crate::eu) fn bytes(&self) -> usize {
        self.parts.iter().filter_map(|part| part.code.as_ref()).map(Code::bytes).sum()
    }

    /// The code of those that have some.
    #[cfg(test)]
    pub(in crate::eu) fn codes(&self) -> impl Iterator<Item = &Code> {
        self.parts.iter().filter_map(|part| part.code.as_ref())
    }

    /// How often code refused to run.
    pub(in crate::eu) fn refusals(&self) -> u32 {
        self.refusals
    }

    /// Runs them on the active channels, those without code as the caller does, and says how many
    /// micro-ops ran as machine code.
    pub(in crate::eu) fn run(
        &mut self,
        state: &mut State,
        room: &mut Vec<Chunk>,
        active: u32,
        interpret: impl Fn(Range<usize>, &mut State),
    ) -> u64 {
        let mut compiled = 0;
        for part in &self.parts {
            if let Some(code) = &part.code {
                if code.run(state, room, active) {
                    compiled += part.ops.len() as u64;
                    continue;
                }
                self.refusals += 1;
            }
            interpret(part.ops.clone(), state);
        }
        compiled
    }
}
