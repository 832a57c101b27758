//! Branches, loops and calls (sections 3.6 and 3.7).

use parallax_isa::r700::state::{Frame, Loop, PixelStates, frame};

use super::{
    decode::{Branch, BranchKind, Condition, LoopStart, PixelMode},
    masks::{branched, split},
    wavefront::{FlowError, Wavefront},
};

/// aL has 13 bits.
const INDEX_MASK: u32 = 0x1FFF;
/// Deepest nesting of calls.
const CALL_DEPTH: u32 = 32;

impl Wavefront<'_> {
    /// Swaps active and inactive-branch among the pixels that were active at the last push.
    pub(super) fn swap_branches(
        &mut self,
        mode: PixelMode,
        condition: Condition,
    ) -> Result<(), FlowError> {
        let saved = match self.top_frame() {
            Some(f) if f.kind == frame::BRANCH => f.pixels,
            _ => return Err(FlowError("ELSE without a pushed branch")),
        };
        let swapped = self.test(&saved, mode, condition);
        let off = branched(&self.state.pixels) & swapped;
        self.state.pixels.active = self.state.pixels.active & !swapped | off;
        self.drop_invalid(mode);
        Ok(())
    }

    /// Executes a control flow instruction; returns the address of the next one.
    pub(super) fn execute(
        &mut self,
        branch: &Branch,
        mode: PixelMode,
        next: u32,
    ) -> Result<u32, FlowError> {
        match branch.kind {
            BranchKind::Jump => self.jump(branch, mode, next, branch.pop_count),
            BranchKind::PopJump => {
                self.pop_and_test(branch, mode)?;
                self.jump(branch, mode, next, 0)
            }
            BranchKind::Push => self.push_branch(branch, mode, next, branch.pop_count),
            BranchKind::PopPush => {
                self.pop_and_test(branch, mode)?;
                self.push_branch(branch, mode, next, 0)
            }
            BranchKind::PushElse => self.push_else(branch, mode, next),
            BranchKind::PopPushElse => {
                self.pop_and_test(branch, mode)?;
                self.push_else(branch, mode, next)
            }
            BranchKind::Pop => {
                self.pop_and_test(branch, mode)?;
                Ok(next)
            }
            BranchKind::Else => {
                self.swap_branches(mode, branch.condition)?;
                if self.state.pixels.active != 0 {
                    return Ok(next);
                }
                self.pop(branch.pop_count, mode)?;
                Ok(branch.address)
            }
            BranchKind::LoopStart(start) => self.start_loop(branch, start, mode, next),
            BranchKind::LoopEnd => self.end_loop(branch, mode, next),
            BranchKind::LoopBreak => {
                let pass = self.passing(mode, branch.condition);
                self.state.pixels.active &= !pass;
                self.state.pixels.inactive_continue &= !pass;
                self.state.pixels.inactive_break |= pass;
                Ok(self.leave_pass(branch.address, next))
            }
            BranchKind::LoopContinue => {
                let pass = self.passing(mode, branch.condition);
                self.state.pixels.active &= !pass;
                self.state.pixels.inactive_break &= !pass;
                self.state.pixels.inactive_continue |= pass;
                Ok(self.leave_pass(branch.address, next))
            }
            BranchKind::Call => self.call(branch, mode, next, frame::CALL, branch.address),
            BranchKind::CallFetch => {
                let target = self.fetch_program.wrapping_add(branch.address);
                self.call(branch, mode, next, frame::CALL_FETCH, target)
            }
            BranchKind::Return => match self.top_frame() {
                Some(&Frame {
                    kind: frame::CALL | frame::CALL_FETCH,
                    depth,
                    return_address,
                    ..
                }) => {
                    self.take_frame();
                    self.state.call_depth = depth;
                    Ok(return_address)
                }
                // Nothing changes: the entry stays.
                _ => Err(FlowError("RETURN without a call entry on top of the stack")),
            },
            BranchKind::Kill => {
                self.state.valid &= !self.passing(mode, branch.condition);
                Ok(if self.state.valid == 0 { branch.address } else { next })
            }
        }
    }

    fn pop_and_test(&mut self, branch: &Branch, mode: PixelMode) -> Result<(), FlowError> {
        self.pop(branch.pop_count, mode)?;
        let pass = self.passing(mode, branch.condition);
        split(&mut self.state.pixels, pass);
        Ok(())
    }

    fn jump(
        &mut self,
        branch: &Branch,
        mode: PixelMode,
        next: u32,
        pops: u8,
    ) -> Result<u32, FlowError> {
        if self.passing(mode, branch.condition) != 0 {
            return Ok(next);
        }
        self.pop(pops, mode)?;
        Ok(branch.address)
    }

    fn push_branch(
        &mut self,
        branch: &Branch,
        mode: PixelMode,
        next: u32,
        pops: u8,
    ) -> Result<u32, FlowError> {
        let pass = self.passing(mode, branch.condition);
        if pass == 0 {
            self.pop(pops, mode)?;
            return Ok(branch.address);
        }
        self.push_pixels(mode)?;
        split(&mut self.state.pixels, pass);
        Ok(next)
    }

    fn push_else(&mut self, branch: &Branch, mode: PixelMode, next: u32) -> Result<u32, FlowError> {
        let pass = self.passing(mode, branch.condition);
        self.push_pixels(mode)?;
        let pixels = &mut self.state.pixels;
        pixels.active &= !pass;
        pixels.inactive_continue &= !pass;
        pixels.inactive_break &= !pass;
        Ok(if pixels.active == 0 { branch.address } else { next })
    }

    fn start_loop(
        &mut self,
        branch: &Branch,
        start: LoopStart,
        mode: PixelMode,
        next: u32,
    ) -> Result<u32, FlowError> {
        let outer = self.state.current_loop;
        let constant = self.loops.get(usize::from(branch.constant)).copied().unwrap_or_default();
        let entered = match start {
            LoopStart::Counted => Loop {
                count: constant.count,
                index: constant.initial & INDEX_MASK,
                increment: constant.increment,
                kind: 4,
            },
            LoopStart::Endless => Loop { count: 0, kind: 6, ..outer },
            LoopStart::Repeat => Loop { count: constant.count, kind: 7, ..outer },
        };
        let pass = self.passing(mode, branch.condition);
        if pass == 0 || start != LoopStart::Endless && entered.count == 0 {
            self.pop(branch.pop_count, mode)?;
            return Ok(branch.address);
        }
        let pixels = self.state.pixels;
        self.push(Frame { kind: frame::LOOP, pixels, outer, ..Frame::default() })?;
        self.state.pixels =
            PixelStates { active: pass, inactive_continue: 0, inactive_break: !pass };
        self.state.current_loop = entered;
        Ok(next)
    }

    fn end_loop(&mut self, branch: &Branch, mode: PixelMode, next: u32) -> Result<u32, FlowError> {
        if self.top_frame().is_none_or(|f| f.kind != frame::LOOP) {
            return Err(FlowError("LOOP_END without a loop entry on top of the stack"));
        }
        let inactive_break = self.state.pixels.inactive_break;
        self.state.pixels =
            PixelStates { active: !inactive_break, inactive_continue: 0, inactive_break };
        let current = self.state.current_loop;
        let last_trip = current.kind != 6 && current.count == 1;
        if self.passing(mode, branch.condition) == 0 || last_trip {
            let outer = self.take_frame().unwrap_or_default();
            self.state.pixels = outer.pixels;
            self.state.current_loop = outer.outer;
            return Ok(next);
        }
        let current = &mut self.state.current_loop;
        if current.kind != 6 {
            current.count = current.count.wrapping_sub(1);
        }
        if current.kind == 4 {
            current.index = current.index.wrapping_add_signed(current.increment) & INDEX_MASK;
        }
        Ok(branch.address)
    }

    /// After pixels broke or continued: when none is left in this pass, on to the loop's end.
    fn leave_pass(&mut self, target: u32, next: u32) -> u32 {
        let pixels = &self.state.pixels;
        if pixels.inactive_continue | pixels.inactive_break != u64::MAX {
            return next;
        }
        while self.top_frame().is_some_and(|f| f.kind == frame::BRANCH) {
            self.take_frame();
        }
        target
    }

    fn call(
        &mut self,
        branch: &Branch,
        mode: PixelMode,
        next: u32,
        kind: u32,
        target: u32,
    ) -> Result<u32, FlowError> {
        let depth = self.state.call_depth + u32::from(branch.call_count);
        if self.passing(mode, branch.condition) == 0 || depth > CALL_DEPTH {
            return Ok(next);
        }
        if kind == frame::CALL_FETCH && target == 0 {
            return Err(FlowError("CALL_FS calls a fetch program, and there is none"));
        }
        let outer = self.state.call_depth;
        self.push(Frame { kind, return_address: next, depth: outer, ..Frame::default() })?;
        self.state.call_depth = depth;
        Ok(target)
    }
}
