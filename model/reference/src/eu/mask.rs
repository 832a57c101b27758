//! Which channels an instruction acts on (G45 volume 4, sections 11.4.8 and 14.1: `Evaluate`).

use parallax_isa::{
    Device,
    device::Generation,
    eu::{
        Instruction,
        instruction::{Compression, PredicateControl},
        operand::DestinationRegion,
    },
};

use super::thread::{Executed, Thread};

/// What an instruction leaves out of its execution mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Without {
    /// Nothing.
    Nothing,
    /// CMask: `while`.
    ContinueMask,
    /// PMask: `sel`, whose predicate selects instead.
    PredicateMask,
}

/// Which half of flags and masks an instruction works with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    /// Channel n is bit n.
    Lower,
    /// Channel n (of eight) is bit n + 8.
    Upper,
}

impl Half {
    /// The half that an instruction's compression control and execution size select.
    pub(super) fn of(instruction: &Instruction, device: Device) -> Self {
        match (instruction.compression, device) {
            (Compression::SecHalf, _) if instruction.execution_size <= 8 => Self::Upper,
            (Compression::SecHalf, Device::Bw | Device::Cl) => Self::Upper,
            _ => Self::Lower,
        }
    }

    /// A 16-bit mask in which channel n is bit n.
    fn shift(self, mask: u16) -> u16 {
        match self {
            Self::Lower => mask,
            Self::Upper => mask & 0xFF00 | mask >> 8,
        }
    }
}

impl Thread {
    /// PMask: the flags combined as predicate control says, then inverted if asked for.
    pub(super) fn predicate_mask(&self, instruction: &Instruction) -> u16 {
        use PredicateControl as Control;
        let flag = self.state.flag;
        let selected = flag[usize::from(instruction.flag_subregister & 1)];
        let in_groups = |size: u32, combine: fn(u16, u16) -> bool| {
            let group = u16::MAX >> (16 - size);
            (0..16 / size)
                .map(|n| group << (n * size))
                .fold(0, |mask, bits| if combine(selected, bits) { mask | bits } else { mask })
        };
        let any: fn(u16, u16) -> bool = |flag, bits| flag & bits != 0;
        let all: fn(u16, u16) -> bool = |flag, bits| flag & bits == bits;
        let replicate = |channel: u32| {
            (0..4).map(|group| 4 * group).fold(0, |mask, first| {
                if selected >> (first + channel) & 1 == 1 { mask | 0xF << first } else { mask }
            })
        };
        let combined = match instruction.predicate.control {
            Control::None => return 0xFFFF,
            Control::Sequential => selected,
            Control::ReplicateX => replicate(0),
            Control::ReplicateY => replicate(1),
            Control::ReplicateZ => replicate(2),
            Control::ReplicateW => replicate(3),
            Control::AnyV => flag[0] | flag[1],
            Control::AllV => flag[0] & flag[1],
            Control::Any2H => in_groups(2, any),
            Control::All2H => in_groups(2, all),
            Control::Any4H => in_groups(4, any),
            Control::All4H => in_groups(4, all),
            Control::Any8H => in_groups(8, any),
            Control::All8H => in_groups(8, all),
            Control::Any16H => in_groups(16, any),
            Control::All16H => in_groups(16, all),
            Control::Any32H | Control::All32H => unreachable!("a control of later generations"),
        };
        if instruction.predicate.inverse { !combined } else { combined }
    }

    /// EMask, or what later generations have instead: a bit for each channel that is executed.
    pub(super) fn execution_mask(
        &self,
        instruction: &Instruction,
        without: Without,
    ) -> Executed<u32> {
        if self.since(Generation::Gen7) {
            return self.execution_mask_later(instruction, without);
        }
        Ok(self.mask_of_stacks(instruction, without).into())
    }

    /// EMask of Gen4 and Gen4.5: a bit for each channel that is executed.
    pub(super) fn mask_of_stacks(&self, instruction: &Instruction, without: Without) -> u16 {
        let [amask, imask, lmask, cmask] = self.state.mask;
        let mut mask = amask & imask & lmask;
        if without != Without::ContinueMask {
            mask &= cmask;
        }
        if instruction.no_mask {
            mask = 0xFFFF;
        }
        if without != Without::PredicateMask {
            mask &= self.predicate_mask(instruction);
        }
        mask = Half::of(instruction, self.device).shift(mask);
        mask &= channels_below(instruction.execution_size);
        if let DestinationRegion::ChannelEnable(enable) = instruction.destination.region {
            mask &= u16::from(enable & 0xF) * 0x1111;
        }
        mask
    }

    /// PMask with the bit of channel n as bit n: the selecting mask of `sel`.
    pub(super) fn selecting_mask(&self, instruction: &Instruction) -> u32 {
        if self.since(Generation::Gen7) {
            return self.in_group(self.predicate_of_channels(instruction), instruction);
        }
        Half::of(instruction, self.device).shift(self.predicate_mask(instruction)).into()
    }
}

/// The first `execution_size` channels, of 16.
const fn channels_below(execution_size: u8) -> u16 {
    if execution_size >= 16 { 0xFFFF } else { (1 << execution_size) - 1 }
}
