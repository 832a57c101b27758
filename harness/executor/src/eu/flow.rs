//! Control flow, mask stacks and wait (G45 volume 4, sections 14.1 and 14.2).

use parallax_isa::{
    device::Feature,
    eu::{Opcode, State},
};

use super::{
    decode::{Instruction, Origin, Source},
    lower::{self, Context},
    mask::{self, MaskRule},
    micro::{Fetch, Operand},
};

/// Masks by their place in `mask0`.
const AMASK: usize = 0;
const IMASK: usize = 1;
const LMASK: usize = 2;
const CMASK: usize = 3;
/// Mask stacks by their place in `ms0`.
const ISTACK: usize = 0;
const LSTACK: usize = 1;

/// Bytes a unit of a jump distance stands for, and what instruction addresses are multiples of.
const INSTRUCTION_BYTES: u32 = 16;

/// A `wait` found nothing to wait for, and stays where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stall;

/// A control flow instruction, resolved.
#[derive(Clone)]
pub(super) struct Flow {
    run: fn(&Flow, &mut State) -> Option<Stall>,
    rule: MaskRule,
    /// Where the branch leads if it is taken.
    target: u32,
    /// Levels popped off the if stack when the branch is taken.
    pops: u8,
    /// The mask and the stack of a mask stack instruction, or the notification register.
    mask: usize,
    stack: usize,
    /// Depth beyond which a push is an overflow; `None` where the device does not notice.
    trigger: Option<u16>,
    /// Byte offset of the instruction, and of its slot.
    offset: u32,
    slot: u32,
    /// The operand of `jmpi` and `pop`.
    operand: Operand,
    fetch: Fetch,
}

impl Flow {
    /// Resolves a control flow instruction; `None` if it is something else.
    pub(super) fn new(instruction: &Instruction, context: Context) -> Option<Self> {
        use Opcode::*;
        let run: fn(&Self, &mut State) -> Option<Stall> = match instruction.opcode {
            Jmpi => Self::jmpi,
            If => Self::r#if,
            Iff => Self::iff,
            Else => Self::r#else,
            Endif => Self::endif,
            Do => Self::r#do,
            While => Self::r#while,
            Break => Self::r#break,
            Cont => Self::cont,
            Halt => Self::halt,
            Msave => Self::msave,
            Mrest => Self::mrest,
            Push => Self::push_mask,
            Pop => Self::pop_levels,
            Wait => Self::wait,
            _ => return None,
        };
        let slot = context.offset / INSTRUCTION_BYTES * INSTRUCTION_BYTES;
        let whole = matches!(instruction.opcode, Do | Endif | Msave);
        let lanes = if whole { 16 } else { usize::from(instruction.execution_size.min(16)) };
        let distance = i32::from(instruction.last_dword as i16) * INSTRUCTION_BYTES as i32;
        let subregister = |origin: Origin| match origin {
            Origin::Direct { subregister, .. } => usize::from(subregister),
            Origin::Indirect { .. } => 0,
        };
        let destination = subregister(instruction.destination.origin);
        let (source, number) = match instruction.sources[0] {
            Source::Register(region) => (subregister(region.origin), region.origin),
            Source::Immediate { .. } => (0, Origin::Direct { number: 0, subregister: 0 }),
        };
        let (mask_byte, stack_byte) = match instruction.opcode {
            Mrest => (destination, source),
            Pop => (0, source),
            _ => (source, destination),
        };
        let notification = match number {
            Origin::Direct { number, .. } => usize::from(number & 1),
            Origin::Indirect { .. } => 0,
        };
        let (operand, fetch) = lower::scalar(&instruction.sources[1], context);
        Some(Self {
            run,
            rule: lower::mask_rule(
                instruction,
                lanes,
                !whole && lower::upper_half(instruction, context),
            ),
            target: slot.wrapping_add_signed(distance),
            pops: (instruction.last_dword >> 16 & 0xF) as u8,
            mask: if instruction.opcode == Wait { notification } else { (mask_byte / 2) & 3 },
            stack: (stack_byte / 16) & 1,
            trigger: context.device.has(Feature::MaskStackExceptions).then_some(12),
            offset: context.offset,
            slot,
            operand,
            fetch,
        })
    }

    /// Executes it; the instruction pointer already names the next instruction.
    pub(super) fn run(&self, state: &mut State) -> Option<Stall> {
        (self.run)(self, state)
    }

    /// The channels it acts on.
    fn evaluate(&self, state: &State) -> u16 {
        self.rule.enabled(state).0
    }

    /// The scalar operand.
    fn value(&self, state: &State) -> i64 {
        let mut lanes = [0; 16];
        (self.fetch)(&self.operand, state, &mut lanes);
        lanes[0].cast_signed()
    }

    fn jmpi(&self, state: &mut State) -> Option<Stall> {
        if self.evaluate(state) & 1 != 0 {
            let index = i32::from(self.value(state) as i16) + 1;
            state.ip = self.slot.wrapping_add_signed(index * INSTRUCTION_BYTES as i32);
        }
        None
    }

    fn r#if(&self, state: &mut State) -> Option<Stall> {
        let enabled = self.evaluate(state);
        self.push(state, ISTACK, state.mask[IMASK]);
        state.mask[IMASK] = enabled;
        if enabled == 0 {
            state.ip = self.target;
        }
        None
    }

    fn iff(&self, state: &mut State) -> Option<Stall> {
        let enabled = self.evaluate(state);
        if enabled == 0 {
            state.ip = self.target;
        } else {
            self.push(state, ISTACK, state.mask[IMASK]);
            state.mask[IMASK] = enabled;
        }
        None
    }

    fn r#else(&self, state: &mut State) -> Option<Stall> {
        state.mask[IMASK] = !state.mask[IMASK] & top(state, ISTACK);
        if self.evaluate(state) == 0 {
            state.mask[IMASK] = top(state, ISTACK);
            self.pop(state, ISTACK, self.pops);
            state.ip = self.target;
        }
        None
    }

    fn endif(&self, state: &mut State) -> Option<Stall> {
        state.mask[IMASK] = top(state, ISTACK);
        self.pop(state, ISTACK, self.pops);
        None
    }

    fn r#do(&self, state: &mut State) -> Option<Stall> {
        let enabled = self.evaluate(state);
        self.push(state, LSTACK, state.mask[LMASK]);
        self.push(state, LSTACK, state.mask[CMASK]);
        state.mask[LMASK] = enabled;
        state.mask[CMASK] = enabled;
        None
    }

    fn r#while(&self, state: &mut State) -> Option<Stall> {
        // Channels parked by cont take part again.
        let [amask, imask, lmask, _] = state.mask;
        let base = if self.rule.no_mask { 0xFFFF } else { amask & imask & lmask };
        let (enabled, _) = self.rule.apply(state, base);
        if enabled == 0 {
            self.leave_loop(state);
        } else {
            state.mask[LMASK] = enabled;
            state.mask[CMASK] = enabled;
            state.ip = self.target;
        }
        None
    }

    fn r#break(&self, state: &mut State) -> Option<Stall> {
        let enabled = self.evaluate(state);
        state.mask[LMASK] &= !enabled;
        state.mask[CMASK] &= !enabled;
        if state.mask[LMASK] & state.mask[AMASK] == 0 {
            self.leave_loop(state);
            self.unwind_ifs(state);
            state.ip = self.target;
        }
        None
    }

    fn cont(&self, state: &mut State) -> Option<Stall> {
        state.mask[CMASK] &= !self.evaluate(state);
        if state.mask[CMASK] & state.mask[AMASK] == 0 {
            self.unwind_ifs(state);
            state.ip = self.target;
        }
        None
    }

    fn halt(&self, state: &mut State) -> Option<Stall> {
        state.mask[AMASK] &= !self.evaluate(state);
        if state.mask[AMASK] == 0 {
            state.ip = self.target;
        }
        None
    }

    fn msave(&self, state: &mut State) -> Option<Stall> {
        let enabled = self.evaluate(state);
        self.push(state, self.stack, state.mask[self.mask]);
        state.mask[self.mask] = enabled;
        None
    }

    fn mrest(&self, state: &mut State) -> Option<Stall> {
        state.mask[self.mask] = top(state, self.stack);
        self.pop(state, self.stack, 1);
        None
    }

    fn push_mask(&self, state: &mut State) -> Option<Stall> {
        self.push(state, self.stack, state.mask[self.mask]);
        None
    }

    fn pop_levels(&self, state: &mut State) -> Option<Stall> {
        let levels = self.value(state) as u8 & 0xF;
        self.pop(state, self.stack, levels);
        None
    }

    fn wait(&self, state: &mut State) -> Option<Stall> {
        match state.notification[self.mask].checked_sub(1) {
            Some(left) => {
                state.notification[self.mask] = left;
                None
            }
            None => {
                state.ip = self.offset;
                Some(Stall)
            }
        }
    }

    /// Restores the loop masks as they were before the loop.
    fn leave_loop(&self, state: &mut State) {
        state.mask[CMASK] = top(state, LSTACK);
        self.pop(state, LSTACK, 1);
        state.mask[LMASK] = top(state, LSTACK);
        self.pop(state, LSTACK, 1);
    }

    /// Leaves the ifs that a taken break or cont jumps out of.
    fn unwind_ifs(&self, state: &mut State) {
        if self.pops != 0 {
            self.pop(state, ISTACK, self.pops - 1);
            state.mask[IMASK] = top(state, ISTACK);
            self.pop(state, ISTACK, 1);
        }
    }

    /// Counts a level for every channel whose mask bit is 0.
    fn push(&self, state: &mut State, stack: usize, mask: u16) {
        if mask::single_program_flow(state) {
            return;
        }
        for (counters, mask) in
            state.mask_stack[stack].as_chunks_mut::<8>().0.iter_mut().zip(mask.to_le_bytes())
        {
            let sums = u64::from_le_bytes(*counters) + one_byte_each(!mask);
            *counters = (sums & 0x0F0F_0F0F_0F0F_0F0F).to_le_bytes();
        }
        let depth = state.mask_stack_depth[stack] + 1;
        state.mask_stack_depth[stack] = depth & 0xF;
        if self.trigger.is_some_and(|trigger| depth > trigger) {
            state.control[1] |= OVERFLOW[stack];
        }
    }

    fn pop(&self, state: &mut State, stack: usize, levels: u8) {
        if mask::single_program_flow(state) {
            return;
        }
        for counter in &mut state.mask_stack[stack] {
            *counter = counter.saturating_sub(levels);
        }
        let depth = state.mask_stack_depth[stack];
        let levels = u16::from(levels);
        state.mask_stack_depth[stack] = depth.wrapping_sub(levels) & 0xF;
        if self.trigger.is_some() && levels > depth {
            state.control[1] |= UNDERFLOW[stack];
        }
    }
}

/// Exception status bits of `cr0.1`, for each stack.
const OVERFLOW: [u32; 2] = [1 << 25, 1 << 27];
const UNDERFLOW: [u32; 2] = [1 << 24, 1 << 26];

/// The mask on top of a stack: channels whose counter is zero.
fn top(state: &State, stack: usize) -> u16 {
    // Adding 7Fh sets the high bit of every byte that is not zero; the product gathers those bits.
    let zeros = |counters: &[u8; 8]| {
        let some = u64::from_le_bytes(*counters) + 0x7F7F_7F7F_7F7F_7F7F;
        let none = !some >> 7 & 0x0101_0101_0101_0101;
        (none.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
    };
    let [low, high] = [0, 1].map(|half| zeros(&state.mask_stack[stack].as_chunks().0[half]));
    u16::from_le_bytes([low, high])
}

/// A byte of 0 or 1 for each bit.
fn one_byte_each(bits: u8) -> u64 {
    let spread = u64::from(bits).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    (spread + 0x7F7F_7F7F_7F7F_7F7F) >> 7 & 0x0101_0101_0101_0101
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_spread_to_bytes_and_back() {
        for mask in 0..=u16::MAX {
            let mut state = State::new();
            let counters = state.mask_stack[1].as_chunks_mut::<8>().0;
            for (counters, bits) in counters.iter_mut().zip(mask.to_le_bytes()) {
                *counters = one_byte_each(!bits).to_le_bytes();
            }
            let counted = state.mask_stack[1].iter().enumerate();
            for (channel, counter) in counted {
                assert_eq!(u16::from(*counter), !mask >> channel & 1);
            }
            assert_eq!(top(&state, 1), mask);
        }
    }
}
