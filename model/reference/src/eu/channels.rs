//! Which channels an instruction of Gen7 and later acts on: those that were dispatched and go with the
//! thread, by predicate and channel group (Gen7 volume 4, section 1.1).

use parallax_isa::{
    device::Generation,
    eu::{Instruction, instruction::PredicateControl, operand::DestinationRegion, state::control},
};

use super::{
    macros,
    mask::Without,
    thread::{Executed, Thread, Unpredictable},
};

impl Thread {
    /// The channels that were dispatched.
    pub(super) fn dispatch_mask(&self) -> u32 {
        // Decision D-eu-later-dispatch.
        let mask = if self.state.control[0] & control::VECTOR_MASK == 0 {
            self.state.status[2]
        } else {
            self.state.status[3]
        };
        if self.since(Generation::Gen8) { mask } else { mask & 0xFFFF }
    }

    /// The dispatched channels whose PcIP is the thread's.
    pub(super) fn going_mask(&self) -> u32 {
        let dispatched = self.dispatch_mask();
        if self.single_program_flow() {
            return dispatched;
        }
        dispatched & self.not_waiting()
    }

    /// `ce0` (Gen8 and later): the channels that control flow leaves on, whether they were dispatched or
    /// not, from the first of the reading instruction on.
    pub(super) fn channel_enables(&self, instruction: &Instruction) -> u32 {
        let enabled = if self.single_program_flow() { u32::MAX } else { self.not_waiting() };
        enabled >> instruction.first_channel
    }

    /// The channels that do not wait at another place.
    fn not_waiting(&self) -> u32 {
        let waiting = self.state.channel_ip.iter().enumerate();
        waiting
            .filter(|(_, place)| **place != 0)
            .fold(u32::MAX, |mask, (channel, _)| mask & !(1 << channel))
    }

    /// A flag register: bit n is channel n.
    pub(super) fn flag_register(&self, number: u8) -> u32 {
        let halves = &self.state.flag[2 * usize::from(number & 1)..][..2];
        u32::from(halves[0]) | u32::from(halves[1]) << 16
    }

    /// PMask of all channels: bit n is channel n of the thread. A half 1 of a flag register has no
    /// bits for the upper 16.
    pub(super) fn predicate_of_channels(&self, instruction: &Instruction) -> u32 {
        use PredicateControl as Control;
        let half = 16 * u32::from(instruction.flag_subregister & 1);
        let whole = self.flag_register(instruction.flag_register);
        let in_groups = |size: u32, combine: fn(u32, u32) -> bool| {
            let group = u32::MAX >> (32 - size);
            let groups = (0..32 / size).map(|n| group << (n * size));
            groups.fold(0, |mask, bits| if combine(whole, bits) { mask | bits } else { mask })
        };
        let any: fn(u32, u32) -> bool = |flag, bits| flag & bits != 0;
        let all: fn(u32, u32) -> bool = |flag, bits| flag & bits == bits;
        let replicate = |channel: u32| {
            (0..8).map(|group| 4 * group).fold(0, |mask, first| {
                if whole >> (first + channel) & 1 == 1 { mask | 0xF << first } else { mask }
            })
        };
        let combined = match instruction.predicate.control {
            Control::None => return u32::MAX,
            Control::Sequential => whole,
            Control::ReplicateX => replicate(0),
            Control::ReplicateY => replicate(1),
            Control::ReplicateZ => replicate(2),
            Control::ReplicateW => replicate(3),
            Control::AnyV => self.flag_register(0) | self.flag_register(1),
            Control::AllV => self.flag_register(0) & self.flag_register(1),
            Control::Any2H => in_groups(2, any),
            Control::All2H => in_groups(2, all),
            Control::Any4H => in_groups(4, any),
            Control::All4H => in_groups(4, all),
            Control::Any8H => in_groups(8, any),
            Control::All8H => in_groups(8, all),
            Control::Any16H => in_groups(16, any),
            Control::All16H => in_groups(16, all),
            Control::Any32H => in_groups(32, any),
            Control::All32H => in_groups(32, all),
        };
        let combined = combined >> half;
        if instruction.predicate.inverse { !combined } else { combined }
    }

    /// A mask of all channels by the channels of an instruction: bit n is its channel n.
    pub(super) fn in_group(&self, mask: u32, instruction: &Instruction) -> u32 {
        mask >> instruction.first_channel.min(31) & channels_below(instruction.execution_size)
    }

    /// EMask and PMask of an instruction: a bit for each of its channels that is executed.
    pub(super) fn execution_mask_later(
        &self,
        instruction: &Instruction,
        without: Without,
    ) -> Executed<u32> {
        let last = u32::from(instruction.first_channel) + u32::from(instruction.execution_size);
        let uses_flags = instruction.predicate.control != PredicateControl::None
            || instruction.condition != Default::default();
        let half = 16 * u32::from(instruction.flag_subregister & 1);
        if last > 32 || uses_flags && last + half > 32 {
            // Decision D-eu-later-dispatch.
            let sentence = "the instruction has channels that masks or flags have no bit for";
            return Err(Unpredictable(sentence.to_owned()));
        }
        let mut mask = if instruction.no_mask {
            u32::MAX
        } else {
            let mask = self.going_mask();
            let is_doubled = instruction.execution_size == 32 && !self.since(Generation::Gen8);
            if is_doubled { mask | mask << 16 } else { mask }
        };
        if without != Without::PredicateMask {
            mask &= self.predicate_of_channels(instruction);
        }
        let mut mask = self.in_group(mask, instruction);
        if let DestinationRegion::ChannelEnable(enable) = instruction.destination.region
            && !macros::is_step(instruction)
        {
            let is_wide = instruction.destination.data_type.size() == 8;
            mask &= if is_wide && self.since(Generation::Gen8) {
                // Two doubles in a group of four channels: x and y stand for one, z and w.
                match (enable & 3, enable >> 2 & 3) {
                    (0, 0) => 0,
                    (3, 0) => 0x5555_5555,
                    (0, 3) => 0xAAAA_AAAA,
                    (3, 3) => u32::MAX,
                    _ => {
                        let sentence = "the channel enables divide a double";
                        return Err(Unpredictable(sentence.to_owned()));
                    }
                }
            } else {
                u32::from(enable & 0xF) * 0x1111_1111
            };
        }
        Ok(mask)
    }
}

/// The first `execution_size` channels.
pub(super) const fn channels_below(execution_size: u8) -> u32 {
    if execution_size >= 32 { u32::MAX } else { (1 << execution_size) - 1 }
}
