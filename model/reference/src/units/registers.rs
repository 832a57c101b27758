//! Debug registers, and the base addresses that one of them shows (section 3.3.3).

use std::collections::BTreeMap;

use parallax_isa::units::{Answer, address};

/// Snapshot Complete, in the control register of a unit.
pub(super) const COMPLETE: u32 = 31;

/// What the host has written, and what units have set.
#[derive(Debug, Clone, Default)]
pub(super) struct Registers {
    values: BTreeMap<u16, u32>,
    /// The global debug enable of the command stream.
    pub(super) is_debugged: bool,
    /// Base addresses as they are.
    bases: [u32; 6],
    /// As they were latched.
    latched: [Option<u32>; 6],
}

impl Registers {
    pub(super) fn get(&self, address: u16) -> u32 {
        self.values.get(&address).copied().unwrap_or(0)
    }

    pub(super) fn write(&mut self, address: u16, value: u32) {
        self.values.insert(address, value);
    }

    /// A bit of a register.
    pub(super) fn bit(&self, address: u16, bit: u32) -> bool {
        self.get(address) >> bit & 1 == 1
    }

    /// A bit that enables something, as long as debugging is enabled for all units.
    pub(super) fn is_enabled(&self, address: u16, bit: u32) -> bool {
        self.bit(address, bit) && self.is_debugged
    }

    /// Bits of a register, from the highest to the lowest.
    pub(super) fn field(&self, address: u16, high: u32, low: u32) -> u32 {
        let width = high - low + 1;
        self.get(address) >> low & (u32::MAX >> (32 - width))
    }

    /// Sets Snapshot Complete.
    pub(super) fn complete(&mut self, address: u16) {
        *self.values.entry(address).or_default() |= 1 << COMPLETE;
    }

    pub(super) fn change_base(&mut self, which: u8, value: u32) {
        let which = usize::from(which);
        if self.is_debugged && self.bases[which] != value {
            self.latched[which] = Some(value);
        }
        self.bases[which] = value;
    }

    /// The base address that is selected, as it was latched.
    pub(super) fn base(&self) -> Answer {
        let selected = self.field(address::SVG_CTL, 15, 8) as usize;
        let Some(Some(latched)) = self.latched.get(selected) else { return Answer::Open };
        Answer::Word(*latched)
    }
}
