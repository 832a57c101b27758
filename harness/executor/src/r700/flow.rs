//! The per-pixel state machine and its stack (sections 3.6 and 3.7), on 64-bit masks: bit *n* is
//! pixel *n*.

use parallax_isa::r700::{
    case::LoopConstant,
    state::{Frame, Loop, PixelStates, STACK_FRAMES, State, frame},
};

use super::decode::{Branch, BranchKind, ClauseKind, Condition, LoopStart, PixelMode};

/// aL has 13 bits.
const INDEX_MASK: u32 = 0x1FFF;
/// Deepest nesting of calls.
const CALL_DEPTH: u32 = 32;
/// Subentries in a stack entry of a device with 64 pixels to a wavefront.
const SUBENTRIES: u32 = 4;

/// A use of the stack that has no defined effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FlowError(pub(super) &'static str);

/// The part of a state that control flow instructions work on, with the constants they read.
pub(super) struct Flow<'a> {
    pub(super) state: &'a mut State,
    pub(super) booleans: u32,
    pub(super) loops: &'a [LoopConstant],
    /// What CALL_FS adds to its address.
    pub(super) fetch_program: u32,
    /// Stack entries the program may use.
    pub(super) stack_size: u32,
    /// The program has an instruction that pushes pixel states.
    pub(super) pushes: bool,
}

/// Pixels that a branch switched off.
fn branched(pixels: &PixelStates) -> u64 {
    !(pixels.active | pixels.inactive_continue | pixels.inactive_break)
}

/// Passing pixels become active; active ones that fail become inactive-branch.
fn split(pixels: &mut PixelStates, pass: u64) {
    pixels.active = pass;
    pixels.inactive_continue &= !pass;
    pixels.inactive_break &= !pass;
}

impl Flow<'_> {
    /// Pixels an instruction executes for.
    pub(super) fn executing(&self, mode: PixelMode) -> u64 {
        self.in_mode(&self.state.pixels, mode)
    }

    fn in_mode(&self, pixels: &PixelStates, mode: PixelMode) -> u64 {
        match mode {
            PixelMode::Active => pixels.active,
            PixelMode::Valid => pixels.active & self.state.valid,
            PixelMode::WholeQuad => whole_quads(pixels.active),
        }
    }

    /// Pixels that pass the test of an instruction that is no branch.
    pub(super) fn passing(&self, mode: PixelMode, condition: Condition) -> u64 {
        self.test(&self.state.pixels, mode, condition)
    }

    fn test(&self, pixels: &PixelStates, mode: PixelMode, condition: Condition) -> u64 {
        let base = self.in_mode(pixels, mode);
        match condition {
            Condition::Active => base,
            Condition::False => 0,
            Condition::Boolean { constant, wanted } => {
                if (self.booleans >> constant & 1 == 1) == wanted { base } else { 0 }
            }
        }
    }

    fn push(&mut self, new: Frame) -> Result<(), FlowError> {
        let depth = self.state.stack_depth as usize;
        if depth == STACK_FRAMES {
            return Err(FlowError("the stack overflows"));
        }
        if self.entries_with(&new) > self.stack_size {
            return Err(FlowError("the program uses more stack entries than it declares"));
        }
        self.state.stack[depth] = new;
        self.state.stack_depth += 1;
        Ok(())
    }

    /// Stack entries in use with one more frame: loops and whole-quad pushes take a whole one,
    /// pushes and calls a subentry; two subentries are set aside in programs that push (decision
    /// D-r700-stack).
    fn entries_with(&self, new: &Frame) -> u32 {
        let frames = &self.state.stack[..self.state.stack_depth as usize];
        let whole = |f: &&Frame| f.kind == frame::LOOP || f.whole_quad == 1;
        let frames = frames.iter().chain([new]);
        let entries = frames.clone().filter(whole).count() as u32;
        let subentries = frames.count() as u32 - entries + if self.pushes { 2 } else { 0 };
        entries + subentries.div_ceil(SUBENTRIES)
    }

    fn push_pixels(&mut self, mode: PixelMode) -> Result<(), FlowError> {
        self.push(Frame {
            kind: frame::BRANCH,
            pixels: self.state.pixels,
            whole_quad: u32::from(mode == PixelMode::WholeQuad),
            ..Frame::default()
        })
    }

    /// Takes the top frame off the stack and clears its place.
    fn take_frame(&mut self) -> Option<Frame> {
        let top = self.state.stack_depth.checked_sub(1)?;
        self.state.stack_depth = top;
        Some(std::mem::take(&mut self.state.stack[top as usize]))
    }

    fn top_frame(&self) -> Option<&Frame> {
        self.state.stack[..self.state.stack_depth as usize].last()
    }

    /// Whether that many branch entries are on top of the stack.
    fn check_pop(&self, count: u8) -> Result<(), FlowError> {
        let frames = &self.state.stack[..self.state.stack_depth as usize];
        let mut popped = frames.iter().rev().take(count.into());
        if popped.len() < count.into() {
            Err(FlowError("the stack underflows"))
        } else if popped.any(|f| f.kind != frame::BRANCH) {
            Err(FlowError("a pop meets a loop or call entry"))
        } else {
            Ok(())
        }
    }

    /// Pops branch entries. Pixels that broke out of or continued the current loop stay so.
    fn pop(&mut self, count: u8, mode: PixelMode) -> Result<(), FlowError> {
        self.check_pop(count)?;
        let mut popped = None;
        for _ in 0..count {
            popped = self.take_frame();
        }
        let Some(Frame { pixels: saved, .. }) = popped else { return Ok(()) };
        let pixels = &mut self.state.pixels;
        let waiting = pixels.inactive_continue | pixels.inactive_break;
        pixels.active = saved.active & !waiting;
        pixels.inactive_continue |= saved.inactive_continue & !waiting;
        pixels.inactive_break |= saved.inactive_break & !waiting;
        self.drop_invalid(mode);
        Ok(())
    }

    /// In valid pixel mode, pixels that a restore made active though invalid become
    /// inactive-branch.
    fn drop_invalid(&mut self, mode: PixelMode) {
        if mode == PixelMode::Valid {
            self.state.pixels.active &= self.state.valid;
        }
    }

    /// Swaps active and inactive-branch among the pixels that were active at the last push.
    fn swap_branches(&mut self, mode: PixelMode, condition: Condition) -> Result<(), FlowError> {
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
            BranchKind::Return => match self.take_frame() {
                Some(f) if matches!(f.kind, frame::CALL | frame::CALL_FETCH) => {
                    self.state.call_depth = f.depth;
                    Ok(f.return_address)
                }
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
        let outer = self.state.call_depth;
        self.push(Frame { kind, return_address: next, depth: outer, ..Frame::default() })?;
        self.state.call_depth = depth;
        Ok(target)
    }

    /// What an ALU clause does before its groups.
    pub(super) fn before_clause(&mut self, kind: ClauseKind) -> Result<(), FlowError> {
        match kind {
            // They take a subentry, in whole quad mode too.
            ClauseKind::PushBefore | ClauseKind::ElseAfter => self.push_pixels(PixelMode::Active),
            // A subentry is needed while the clause runs.
            ClauseKind::Break | ClauseKind::Continue => {
                self.push_pixels(PixelMode::Active)?;
                self.take_frame();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Whether [`after_clause`](Self::after_clause) can be done.
    pub(super) fn check_after_clause(&self, kind: ClauseKind) -> Result<(), FlowError> {
        if let ClauseKind::PopAfter(count) = kind { self.check_pop(count) } else { Ok(()) }
    }

    /// What it does after them: pixels for which a predicate went to the active mask follow it.
    pub(super) fn after_clause(
        &mut self,
        kind: ClauseKind,
        mode: PixelMode,
    ) -> Result<(), FlowError> {
        let (set, value) = (self.state.execute_set, self.state.execute_value);
        let pixels = &mut self.state.pixels;
        let failed = pixels.active & set & !value;
        pixels.active &= !failed;
        match kind {
            ClauseKind::Continue => pixels.inactive_continue |= failed,
            ClauseKind::Break => pixels.inactive_break |= failed,
            _ => {}
        }
        match kind {
            ClauseKind::PopAfter(count) => self.pop(count, mode),
            // Whole quads execute the clause; only pixels that were active change their states.
            ClauseKind::ElseAfter => self.swap_branches(PixelMode::Active, Condition::Active),
            _ => Ok(()),
        }
    }
}

/// Every pixel of each quad (four neighbours in number) that has a pixel of the mask.
pub(super) fn whole_quads(mask: u64) -> u64 {
    let any = mask | mask >> 1 | mask >> 2 | mask >> 3;
    (any & 0x1111_1111_1111_1111) * 0xF
}
