//! Bytes that a message writes to graphics memory, one after the other.

use parallax_isa::{Acceptance, Expectation, shared::Memory};

use super::super::{
    World, Written,
    order::{Lines, Others},
};

/// What is written, in order.
#[derive(Debug, Default)]
pub(super) struct Store {
    bytes: Vec<Byte>,
    /// What is accepted in neighbouring bytes, counted from address 0 on.
    parts: Vec<Expectation>,
}

#[derive(Debug, Clone, Copy)]
struct Byte {
    address: usize,
    value: u8,
    /// Its bits that are open themselves.
    open: u8,
}

impl Store {
    pub(super) fn push(&mut self, address: usize, value: u8) {
        self.bytes.push(Byte { address, value, open: 0 });
    }

    /// Adds a byte of which nobody says what it is.
    pub(super) fn push_open(&mut self, address: usize, value: u8) {
        self.bytes.push(Byte { address, value, open: 0xFF });
    }

    /// Says what is accepted in bytes that are added: places count from address 0 on.
    pub(super) fn accept(&mut self, expectation: Expectation) {
        self.parts.push(expectation);
    }

    /// Writes it all; what of it is open.
    pub(super) fn carry_out(
        self,
        commits: bool,
        lines: Option<Lines>,
        world: &mut World,
    ) -> Vec<Written> {
        let mut written: Vec<Left> = Vec::new();
        for Byte { address, value, open } in self.bytes {
            let place = &mut world.memory.graphics[address];
            let old = std::mem::replace(place, value);
            match written.iter_mut().find(|other| other.address == address) {
                Some(left) => {
                    // Another channel's.
                    // Decision D-eu-same-place.
                    left.others.note(old);
                    left.open |= open;
                }
                None => {
                    let others = world.past.order.write(address, old, commits, lines);
                    written.push(Left { address, others, open });
                }
            }
        }
        let mut all = runs(&written);
        all.extend(self.parts.into_iter().map(|part| accepted(part, &written)));
        all
    }
}

/// What is accepted in some of the bytes that were written: anything if they are open themselves.
fn accepted(Expectation { extent, acceptance }: Expectation, written: &[Left]) -> Written {
    let start = std::mem::offset_of!(Memory, graphics);
    let range = extent.range();
    let is_sure = written
        .iter()
        .filter(|left| range.contains(&left.address))
        .all(|left| left.open == 0 && left.others == Others::None);
    let acceptance = if is_sure { acceptance } else { Acceptance::Undefined };
    let range = start + range.start..start + range.end;
    Written { range, open: Some(acceptance), bits: extent.mask }
}

/// A byte that was written.
#[derive(Debug, Clone, Copy)]
struct Left {
    address: usize,
    others: Others<u8>,
    open: u8,
}

impl Left {
    /// What is accepted besides its value, and of which bits.
    fn acceptance(self) -> (Option<Acceptance>, u64) {
        let (open, bits) = match (self.others, self.open) {
            (others, 0) => (others.acceptance(), 0xFF),
            (Others::None, open) => (Some(Acceptance::Undefined), open),
            _ => (Some(Acceptance::Undefined), 0xFF),
        };
        (open, u64::from_le_bytes([bits; 8]))
    }
}

/// Bytes that follow each other and are equally open, as runs.
fn runs(bytes: &[Left]) -> Vec<Written> {
    let start = std::mem::offset_of!(Memory, graphics);
    let mut runs: Vec<Written> = Vec::new();
    for left in bytes {
        let (place, (open, bits)) = (start + left.address, left.acceptance());
        let is_alone = matches!(open, Some(Acceptance::Or(_)));
        match runs.last_mut() {
            Some(last)
                if last.range.end == place
                    && (last.open, last.bits) == (open, bits)
                    && !is_alone =>
            {
                last.range.end += 1;
            }
            _ => runs.push(Written { range: place..place + 1, open, bits }),
        }
    }
    runs
}
