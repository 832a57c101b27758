//! The blocks of a program: what stands between `if` and `endif`, and loops.

use std::ops::Range;

use super::Program;
use crate::eu::opcode::Opcode;

impl Program {
    /// The byte offsets of each block: from behind an `if` to its `endif`, from behind a `do` to its
    /// `while`, and from where a `while` of Gen7 and later leads back to that `while`. An `if` without an
    /// `endif` has no block; what `goto` and `jmpi` make is none.
    #[must_use]
    pub fn blocks(&self) -> Vec<Range<usize>> {
        let (mut ifs, mut loops, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
        for placed in &self.instructions {
            let end = placed.offset + 1;
            let start = match placed.instruction.opcode {
                Opcode::If | Opcode::Iff => {
                    ifs.push(end);
                    None
                }
                Opcode::Do => {
                    loops.push(end);
                    None
                }
                Opcode::Endif => ifs.pop(),
                Opcode::While => loops.pop().or_else(|| {
                    let distance = placed.instruction.branch?.jip?;
                    placed.offset.checked_add_signed(distance as isize)
                }),
                _ => None,
            };
            blocks.extend(start.map(|start| start..end).filter(|block| !block.is_empty()));
        }
        blocks
    }
}
