//! Mask stacks (G45 volume 4, sections 11.3.4.8, 11.3.4.9 and 14.1: `Push`, `Pop`, `TopOfStack`).
//!
//! A stack does not hold masks: each of the 16 channels has a counter of the pushes since its mask
//! bit became 0.

use parallax_isa::Device;
use parallax_spec::{decision, rule};

use super::rules::{Rules, count};
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
            rule!("g45.mask.push.spf");
            return;
        }
        count(PUSH);
        if mask == 0xFFFF {
            rule!("g45.mstack.full-push");
        }
        let counters = &mut self.state.mask_stack[stack as usize];
        for (channel, counter) in counters.iter_mut().enumerate() {
            if mask >> channel & 1 == 0 {
                *counter = (*counter % 16 + 1) % 16;
            }
        }
        count(rules!["g45": "mask.push.depth", "mdepth.modular"]);
        let depth = &mut self.state.mask_stack_depth[stack as usize];
        let true_depth = *depth % 16 + 1;
        *depth = true_depth % 16;
        if let Some(trigger) = overflow_trigger(self.device)
            && true_depth > trigger
        {
            count(rules!["g45": "mask.push.overflow", "mdepth.overflow", "vec.depth-overflow"]);
            decision!("D-eu-exception-entry");
            self.raise(match stack {
                Stack::If => Exception::IfStackOverflow,
                Stack::Loop => Exception::LoopStackOverflow,
            });
        }
    }

    /// Pops some levels: every counter that many less, but not below 0.
    pub(super) fn pop(&mut self, stack: Stack, levels: u8) {
        if self.single_program_flow() {
            rule!("g45.mask.pop.spf");
            return;
        }
        count(rules!["g45": "mask.pop.counters", "mstack.pop"]);
        match levels {
            0 => rule!("g45.mask.pop.zero"),
            1 => {}
            _ => rule!("g45.mstack.pop-multi"),
        }
        for counter in &mut self.state.mask_stack[stack as usize] {
            *counter = counter.saturating_sub(levels);
        }
        count(rules!["g45": "mask.pop.depth", "mdepth.modular"]);
        let levels = u16::from(levels);
        let depth = &mut self.state.mask_stack_depth[stack as usize];
        let before = *depth % 16;
        *depth = (before + 16 - levels) % 16;
        if levels > before && overflow_trigger(self.device).is_some() {
            count(rules!["g45": "mask.pop.underflow", "mdepth.underflow", "vec.depth-underflow"]);
            self.raise(match stack {
                Stack::If => Exception::IfStackUnderflow,
                Stack::Loop => Exception::LoopStackUnderflow,
            });
        }
    }

    /// The mask on top of a stack: the channels whose counter is 0.
    pub(super) fn top(&self, stack: Stack) -> u16 {
        rule!("g45.mask.top");
        let counters = self.state.mask_stack[stack as usize].iter().enumerate();
        counters.fold(0, |mask, (channel, counter)| mask | u16::from(*counter == 0) << channel)
    }

    /// Takes the mask on top of a stack off it.
    pub(super) fn restore(&mut self, stack: Stack) -> u16 {
        rule!("g45.vec.push-pop");
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

// What the manual says in several places.

const PUSH: Rules = rules!["g45": "mstack.push", "mask.push.counters", "mask.push.16wide",
    "mask.stack-16-channels", "mask.counter-width"];
