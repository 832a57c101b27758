//! Mask stacks: a counter for each channel, and the depth (G45 volume 4, sections 11.3.4.8, 11.3.4.9
//! and 14.1: `Push`, `Pop`, `TopOfStack`).

use parallax_isa::eu::State;

use super::{flow_op::FlowOp, modes};

/// Mask stacks by their place in `ms0`.
pub(super) const ISTACK: usize = 0;
pub(super) const LSTACK: usize = 1;

impl FlowOp {
    /// Counts a level for every channel whose mask bit is 0.
    #[inline]
    pub(super) fn push(&self, state: &mut State, stack: usize, mask: u16) {
        if modes::single_program_flow(state) {
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

    #[inline]
    pub(super) fn pop(&self, state: &mut State, stack: usize, levels: u8) {
        if modes::single_program_flow(state) {
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
#[inline]
pub(super) fn top(state: &State, stack: usize) -> u16 {
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
#[inline]
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
