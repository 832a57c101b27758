//! What the groups of a clause can use and read.

use parallax_isa::r700::{AluOpcode, opcode::Role};

use super::slot::Slot;

/// What a clause's groups can use, and what the groups so far have made of it.
#[derive(Debug, Clone)]
pub(super) struct Clause {
    /// `ALU_INST_PREFER_VECTOR`.
    pub(super) prefer_vector: bool,
    /// Declared registers.
    pub(super) registers: u32,
    /// Clause temporaries.
    pub(super) temporaries: u32,
    /// Whether SIMD-global registers are addressed.
    pub(super) globals: bool,
    /// Whether the constant file is read; otherwise the constant cache is.
    pub(super) constant_file: bool,
    /// Constants locked in the two sets of the cache.
    pub(super) locked: [u32; 2],
    /// Whether a loop has set aL.
    pub(super) in_loop: bool,
    /// Whether pixels may be killed.
    pub(super) kills: bool,
    /// Whether AR may be written.
    pub(super) writes_addresses: bool,
    /// Elements of AR that have been written.
    pub(super) addresses: [bool; 4],
    /// Units whose previous result is defined.
    pub(super) previous: [bool; 5],
    /// Elements of clause temporaries that have been written, by register.
    pub(super) temporaries_written: Vec<[bool; 4]>,
}

impl Clause {
    /// A clause before its first group.
    pub(super) fn new(registers: u32, temporaries: u32) -> Self {
        Self {
            prefer_vector: true,
            registers,
            temporaries,
            globals: false,
            constant_file: true,
            locked: [0; 2],
            in_loop: false,
            kills: false,
            writes_addresses: true,
            addresses: [false; 4],
            previous: [false; 5],
            temporaries_written: vec![[false; 4]; temporaries as usize],
        }
    }

    /// What the groups after this one can read.
    pub(super) fn remember(&mut self, slots: &[Slot]) {
        let mut defined = [false; 5];
        for slot in slots {
            let always = slot.predicate == 0;
            let reduced = slot.opcode.is_reduction() && slot.opcode != AluOpcode::Cube;
            let gives = slot.opcode.row().role != Role::Address
                && (slot.opcode.row().role != Role::Kill || self.kills)
                && slot.opcode != AluOpcode::Nop
                && !(reduced && slot.unit != 0);
            defined[slot.unit] = gives && (always || self.previous[slot.unit]);
            if slot.opcode.row().role == Role::Address && always {
                self.addresses[slot.unit] = true;
            }
            let temporary = slot.destination.checked_sub(128 - self.temporaries);
            if let Some(temporary) = temporary
                && gives
                && always
                && slot.write
                && !slot.destination_relative
            {
                self.temporaries_written[temporary as usize][slot.element] = true;
            }
        }
        self.previous = defined;
    }
}
