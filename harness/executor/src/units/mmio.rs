//! Debug registers in an array, and base addresses.

use std::ops::{Index, IndexMut};

use super::trap::Trap;

const FIRST: u16 = 0x7400;
const LAST: u16 = 0x8800;

/// Registers by address.
#[derive(Debug, Clone)]
pub(super) struct Mmio {
    words: Box<[u32]>,
    /// Units may be debugged.
    pub(super) debug: bool,
    /// What base addresses are, and what was seen of them.
    bases: [(u32, Option<u32>); 6],
}

impl Default for Mmio {
    fn default() -> Self {
        let words = vec![0; usize::from(LAST - FIRST) / 4];
        Self { words: words.into(), debug: false, bases: [(0, None); 6] }
    }
}

fn place(address: u16) -> usize {
    usize::from(address - FIRST) / 4
}

impl Index<u16> for Mmio {
    type Output = u32;

    fn index(&self, address: u16) -> &u32 {
        &self.words[place(address)]
    }
}

impl IndexMut<u16> for Mmio {
    fn index_mut(&mut self, address: u16) -> &mut u32 {
        &mut self.words[place(address)]
    }
}

impl Mmio {
    /// A control register as far as it has an effect.
    pub(super) fn enables(&self, control: u16) -> u32 {
        if self.debug { self[control] } else { 0 }
    }

    pub(super) fn base(&mut self, which: u8, value: u32) {
        let (now, seen) = &mut self.bases[usize::from(which)];
        if *now != value && self.debug {
            *seen = Some(value);
        }
        *now = value;
    }

    pub(super) fn latched_base(&self, which: usize) -> Option<u32> {
        self.bases.get(which)?.1
    }

    /// Takes a snapshot on a hit, if none is kept; bit 31 keeps it.
    pub(super) fn snap(&mut self, control: u16, hit: bool) -> bool {
        let free = self.enables(control) & 1 << 31 == 0;
        let taken = hit && free && self.enables(control) & 1 != 0;
        self[control] |= u32::from(taken) << 31;
        taken
    }

    /// Likewise of a thread, to which it may be reported.
    pub(super) fn trap(&mut self, control: u16, hit: bool) -> Trap {
        let enables = self.enables(control);
        if enables & 4 != 0 {
            return Trap { taken: true, reported: true };
        }
        let taken = self.snap(control, hit);
        Trap { taken, reported: taken && enables & 2 != 0 }
    }
}
