//! What instructions write to the flag registers (G45 volume 4, section 11.3.4.6; Gen7 volume 4, section
//! 3.2.3.5).

use std::mem::offset_of;

use super::{execution::Execution, mask::Half};
use parallax_isa::{
    Acceptance, Extent,
    device::Generation,
    eu::{State, instruction::ConditionalModifier, register::ArfKind},
};

impl Execution<'_> {
    /// Updates the flag bits of enabled channels.
    pub(super) fn write_flags(&mut self, flags: FlagUpdate) {
        if self.instruction.condition == ConditionalModifier::None || flags.channels == 0 {
            return;
        }
        self.thread.record.set_flags(flags.channels, flags.undefined);
        let subregister = usize::from(self.instruction.flag_subregister & 1);
        let place = Extent::whole(offset_of!(State, flag) + 2 * subregister, 2);
        if self.since(Generation::Gen7) {
            return self.write_flags_later(flags);
        }
        let upper = Half::of(self.instruction, self.thread.device) == Half::Upper;
        if upper && self.instruction.execution_size > 8 {
            // Sixteen channels share the eight upper bits: what becomes of them is not said.
            self.thread.expect(place, Acceptance::Undefined);
            return;
        }
        let shift = if upper { 8 } else { 0 };
        let written = (flags.channels as u16) << shift;
        let old = self.thread.state.flag[subregister];
        let values = (flags.values as u16) << shift;
        self.thread.state.flag[subregister] = old & !written | values & written;
        let undefined = (flags.undefined as u16) << shift;
        let extent = Extent { mask: u64::from(undefined), ..place };
        self.thread.expect(extent, Acceptance::Undefined);
        if self.instruction.destination.register.arf() == Some(ArfKind::Flag) {
            // Destination and conditional modifier both write it; which one stays is not said.
            self.thread.expect(Extent::whole(offset_of!(State, flag), 4), Acceptance::Undefined);
        }
    }

    /// Updates the flag bits of enabled channels on Gen7 and later: those of the instruction's group in
    /// its half of its flag register, of a double those of both its channels.
    fn write_flags_later(&mut self, flags: FlagUpdate) {
        let group = u32::from(self.instruction.first_channel);
        let shift = group + 16 * u32::from(self.instruction.flag_subregister & 1);
        let in_register = |bits: u32| {
            let bits = if self.has_channel_pairs { bits | bits << 1 } else { bits };
            bits << shift
        };
        let [written, values, undefined] =
            [flags.channels, flags.values, flags.undefined].map(in_register);
        let number = self.instruction.flag_register & 1;
        let place = Extent::whole(offset_of!(State, flag) + 4 * usize::from(number), 4);
        let written = Extent { mask: written.into(), ..place };
        self.thread.write_register(written, values.into());
        self.thread.expect(Extent { mask: undefined.into(), ..place }, Acceptance::Undefined);
        if self.instruction.destination.register.arf() == Some(ArfKind::Flag) {
            // Destination and conditional modifier both write it; which one stays is not said.
            self.thread.expect(Extent::whole(offset_of!(State, flag), 8), Acceptance::Undefined);
        }
    }
}

/// New flag bits, by channel.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FlagUpdate {
    channels: u32,
    values: u32,
    undefined: u32,
}

impl FlagUpdate {
    /// Sets the bit of a channel.
    pub(super) fn set(&mut self, channel: usize, value: bool, defined: bool) {
        self.channels |= 1 << channel;
        self.values |= u32::from(value) << channel;
        self.undefined |= u32::from(!defined) << channel;
    }
}
