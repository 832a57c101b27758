//! Mask stacks (G45 volume 4, sections 11.3.4.8, 11.3.4.9 and 14.1: `Push`, `Pop`, `TopOfStack`).
//!
//! A stack does not hold masks: each of the 16 channels has a counter of the pushes since its mask
//! bit became 0.

use parallax_isa::Device;

use super::{exception::Exception, thread::Thread};

/// One of the two mask stacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stack {
    /// IStack: conditional blocks.
    If,
    /// LStack: loops.
    Loop,
}

impl Thread {
    /// Pushes a mask: the channels whose bit is 0 count one more.
    pub(super) fn push(&mut self, stack: Stack, mask: u16) {
        if self.single_program_flow() {
            return;
        }
        let counters = &mut self.state.mask_stack[stack as usize];
        for (channel, counter) in counters.iter_mut().enumerate() {
            if mask >> channel & 1 == 0 {
                *counter = (*counter % 16 + 1) % 16;
            }
        }
        let depth = &mut self.state.mask_stack_depth[stack as usize];
        let true_depth = *depth % 16 + 1;
        *depth = true_depth % 16;
        if let Some(trigger) = overflow_trigger(self.device)
            && true_depth > trigger
        {
            // Decision D-eu-exception-entry.
            self.raise(match stack {
                Stack::If => Exception::IfStackOverflow,
                Stack::Loop => Exception::LoopStackOverflow,
            });
        }
    }

    /// Pops some levels: every counter that many less, but not below 0.
    pub(super) fn pop(&mut self, stack: Stack, levels: u8) {
        if self.single_program_flow() {
            return;
        }
        for counter in &mut self.state.mask_stack[stack as usize] {
            *counter = counter.saturating_sub(levels);
        }
        let levels = u16::from(levels);
        let depth = &mut self.state.mask_stack_depth[stack as usize];
        let before = *depth % 16;
        *depth = (before + 16 - levels) % 16;
        if levels > before && overflow_trigger(self.device).is_some() {
            self.raise(match stack {
                Stack::If => Exception::IfStackUnderflow,
                Stack::Loop => Exception::LoopStackUnderflow,
            });
        }
    }

    /// The mask on top of a stack: the channels whose counter is 0.
    pub(super) fn top(&self, stack: Stack) -> u16 {
        let counters = self.state.mask_stack[stack as usize].iter().enumerate();
        counters.fold(0, |mask, (channel, counter)| mask | u16::from(*counter == 0) << channel)
    }

    /// Takes the mask on top of a stack off it.
    pub(super) fn restore(&mut self, stack: Stack) -> u16 {
        let mask = self.top(stack);
        self.pop(stack, 1);
        mask
    }
}

/// The depth beyond which a push overflows (table 11-16); DevBW and DevCL have no mask stack
/// exceptions.
fn overflow_trigger(device: Device) -> Option<u16> {
    match device {
        Device::Ctg | Device::G45 => Some(12),
        _ => None,
    }
}
