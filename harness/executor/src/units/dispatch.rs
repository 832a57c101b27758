//! Places for threads in an execution unit, and how threads begin in them.

use std::ops::{Index, IndexMut};

use parallax_isa::{
    Device,
    units::{SLOTS, Setting, Start, address as at},
};

use super::mmio::Mmio;

/// What a place has from the thread before.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slot {
    left: ([[u8; 16]; 2], [u16; 2]),
    pub(super) notifications: u16,
    /// Attn and AData.
    pub(super) attention: (bool, bool),
}

/// All places.
#[derive(Debug, Clone, Default)]
pub(super) struct Slots {
    slots: [Slot; SLOTS],
    /// The next thread is halted.
    pub(super) halt_next: bool,
}

impl Index<u8> for Slots {
    type Output = Slot;

    fn index(&self, slot: u8) -> &Slot {
        &self.slots[usize::from(slot)]
    }
}

impl IndexMut<u8> for Slots {
    fn index_mut(&mut self, slot: u8) -> &mut Slot {
        &mut self.slots[usize::from(slot)]
    }
}

impl Slots {
    pub(super) fn forget_notifications(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.notifications = 0);
    }

    pub(super) fn leave(&mut self, slot: u8, stacks: &[[u8; 16]; 2], depths: &[u16; 2]) {
        self[slot].left = (*stacks, *depths);
    }

    pub(super) fn begin(
        &mut self,
        device: Device,
        mmio: &Mmio,
        header: [u32; 2],
        setting: &Setting,
    ) -> Start {
        let enables = mmio.enables(at::TD_CTL);
        let mut exceptions = 0;
        if enables & 0x40 != 0 && std::mem::take(&mut self.halt_next) {
            exceptions |= 1 << 30;
        }
        if enables & 0x80 != 0 {
            let differs = |word: usize, value: u16, mask: u16| {
                (header[word] ^ mmio[value]) & mmio[mask] & 0x00FF_FFFF
            };
            let of_6 = differs(0, at::TD_0_6_EHTRG_VAL, at::TD_0_6_EHTRG_MSK);
            let of_7 = differs(1, at::TD_0_7_EHTRG_VAL, at::TD_0_7_EHTRG_MSK);
            exceptions |= u32::from(of_6 | of_7 == 0) << 30;
        }
        let breaks = enables & 0x10 != 0 || enables & 4 != 0 && header[1] & 1 << 31 != 0;
        exceptions |= u32::from(breaks) << 15;
        // Software, illegal opcode, mask stack: bits 13, 12 and 11.
        exceptions |= if enables & 0x20 != 0 {
            let over = mmio[at::TD_CTL2];
            (over >> 25 & 1) << 13 | (over >> 28 & 1) << 12 | (over >> 26 & 1) << 11
        } else {
            let [software, illegal, stack] =
                [setting.software_exception, setting.illegal_opcode, setting.mask_stack];
            u32::from(software) << 13 | u32::from(illegal) << 12 | u32::from(stack) << 11
        };
        let keeps_stacks = [Device::Bw, Device::Cl].contains(&device);
        if keeps_stacks {
            exceptions &= !(1 << 11);
        }
        let slot = &mut self[setting.slot];
        if !keeps_stacks {
            slot.left = Default::default();
        }
        slot.attention.1 = false;
        let (stacks, depths) = slot.left;
        Start {
            header,
            control: [
                u32::from(setting.is_alternative) + 4 * u32::from(setting.is_single_program_flow),
                exceptions,
            ],
            masks: [setting.mask; 4],
            stacks,
            depths,
            notifications: slot.notifications,
        }
    }
}
