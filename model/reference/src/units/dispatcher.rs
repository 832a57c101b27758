//! The thread dispatcher: how a thread begins, and what the host sees of threads that wait for it (sections
//! 3.4.1, 3.5 and 7.4).

use parallax_isa::{
    Device,
    units::{SLOTS, Setting, Start, address},
};

use super::registers::Registers;

/// What stays in an execution unit from thread to thread.
#[derive(Debug, Clone, Default)]
pub(super) struct Dispatcher {
    slots: [Slot; SLOTS],
    /// The next thread is halted.
    halts_next: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    stacks: [[u8; 16]; 2],
    depths: [u16; 2],
    notifications: u16,
    is_attended: bool,
    host_data: bool,
}

/// Channels of the subspans that there are: four each.
pub(super) fn mask_of_subspans(valid: [bool; 4]) -> u16 {
    let channels = (0..16).filter(|channel| valid[channel / 4]);
    channels.map(|channel| 1 << channel).sum()
}

impl Dispatcher {
    pub(super) fn reset(&mut self) {
        for slot in &mut self.slots {
            slot.notifications = 0;
        }
    }

    /// The host has written the control register.
    pub(super) fn arm(&mut self, control: u32) {
        self.halts_next = control >> 6 & 1 == 1;
    }

    fn slot(&mut self, slot: u8) -> &mut Slot {
        &mut self.slots[usize::from(slot)]
    }

    pub(super) fn end(&mut self, slot: u8, stacks: [[u8; 16]; 2], depths: [u16; 2]) {
        let slot = self.slot(slot);
        slot.stacks = stacks;
        slot.depths = depths;
    }

    pub(super) fn notify(&mut self, slot: u8) {
        self.slot(slot).notifications += 1;
    }

    pub(super) fn host_data(&mut self, slot: u8, value: bool) {
        self.slot(slot).host_data = value;
    }

    pub(super) fn wait(&mut self, slot: u8) {
        self.slot(slot).is_attended = true;
    }

    pub(super) fn clear_attention(&mut self, slot: u8) {
        let slot = self.slot(slot);
        slot.is_attended = false;
        slot.host_data = false;
    }

    pub(super) fn attention(&mut self, slot: u8) -> u32 {
        let slot = self.slot(slot);
        u32::from(slot.is_attended) | u32::from(slot.host_data) << 1
    }

    /// A thread of a header begins.
    pub(super) fn dispatch(
        &mut self,
        device: Device,
        registers: &Registers,
        header: [u32; 2],
        setting: &Setting,
    ) -> Start {
        let is_snapshot = header[1] >> 31 == 1;
        let control = address::TD_CTL;

        let mut is_halted = false;
        if self.halts_next && registers.is_enabled(control, 6) {
            self.halts_next = false;
            is_halted = true;
        }
        if registers.is_enabled(control, 7) {
            let values = [address::TD_0_6_EHTRG_VAL, address::TD_0_7_EHTRG_VAL];
            let masks = [address::TD_0_6_EHTRG_MSK, address::TD_0_7_EHTRG_MSK];
            is_halted |= (0..2).all(|word| {
                let mask = registers.field(masks[word], 23, 0);
                header[word] & mask == registers.get(values[word]) & mask
            });
        }

        let is_forced = registers.is_enabled(control, 4);
        let breaks_by_snapshot = registers.is_enabled(control, 2) && is_snapshot;
        let has_breakpoints = is_forced || breaks_by_snapshot;

        let (illegal_opcode, mask_stack, software) = if registers.is_enabled(control, 5) {
            let bit = |bit| registers.bit(address::TD_CTL2, bit);
            (bit(28), bit(26), bit(25))
        } else {
            (setting.illegal_opcode, setting.mask_stack, setting.software_exception)
        };
        let is_early = matches!(device, Device::Bw | Device::Cl);
        let mask_stack = mask_stack && !is_early;

        let bits = |bits: &[(u32, bool)]| {
            bits.iter().map(|(bit, is_set)| u32::from(*is_set) << bit).sum::<u32>()
        };
        let modes = bits(&[(0, setting.is_alternative), (2, setting.is_single_program_flow)]);
        let exceptions = bits(&[
            (30, is_halted),
            (15, has_breakpoints),
            (13, software),
            (12, illegal_opcode),
            (11, mask_stack),
        ]);

        let masks = [setting.mask; 4];
        let slot = self.slot(setting.slot);
        if !is_early {
            slot.stacks = [[0; 16]; 2];
            slot.depths = [0; 2];
        }
        // A new thread has told the host nothing.
        slot.host_data = false;
        Start {
            header,
            control: [modes, exceptions],
            masks,
            stacks: slot.stacks,
            depths: slot.depths,
            notifications: slot.notifications,
        }
    }
}
