//! Groups while they are read.

use super::{
    super::{
        instruction::{Alu, Group},
        microcode::{AluOp2, AluOp3},
    },
    alu,
    cursor::{Cursor, Read},
    literals::{Literals, Remark},
};

/// A group that is being read.
#[derive(Default)]
pub(super) struct OpenGroup {
    pub(super) instructions: Vec<Alu>,
    /// Vector units that have one.
    pub(super) taken: [bool; 4],
    /// The numbers of their lines.
    pub(super) places: Vec<usize>,
    pub(super) literals: Literals,
}

impl OpenGroup {
    /// The group, and what is read otherwise than written.
    pub(super) fn close(self) -> Result<(Group, Vec<Remark>), Remark> {
        let mut instructions = self.instructions;
        if let Some(last) = instructions.last_mut() {
            *last = match *last {
                Alu::Op2(word) => Alu::Op2(word.with(AluOp2::LAST, 1)),
                Alu::Op3(word) => Alu::Op3(word.with(AluOp3::LAST, 1)),
            };
        }
        // Literals follow in pairs, as many as a source field asks for, used or not.
        let pairs = instructions.iter().map(|alu| alu.literal_slots()).max().unwrap_or(0);
        let (literals, remarks) = self.literals.close(pairs)?;
        Ok((Group { instructions, literals }, remarks))
    }

    /// Reads an instruction behind the others.
    pub(super) fn read(&mut self, cursor: &mut Cursor, unit: usize, place: usize) -> Read<Alu> {
        self.literals.line = place;
        let alu = alu::parse(cursor, &mut self.literals, unit)?;
        self.instructions.push(alu);
        self.places.push(place);
        Ok(alu)
    }
}
