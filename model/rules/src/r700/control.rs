//! Conditions on steps of control flow. Each is written once.

use std::ops::Deref;

use parallax_isa::r700::{
    Cf,
    CfOpcode::{
        self, Alu, AluBreak, AluContinue, AluElseAfter, AluPop2After, AluPopAfter, AluPushBefore,
        Else, LoopEnd, LoopStart, Nop, Pop, PopJump, PopPush, PopPushElse, Return, Tex, Vtx, VtxTc,
        WaitAck,
    },
    case::LoopConstant,
    microcode::CfWord,
    state::{Frame, PixelStates, frame},
};
use parallax_reference::r700::FlowStep;

/// A step of control flow: an instruction, or the end of an ALU clause.
#[derive(Clone, Copy)]
pub(crate) struct Flow<'a>(pub(crate) &'a FlowStep<'a>);

impl<'a> Deref for Flow<'a> {
    type Target = FlowStep<'a>;

    fn deref(&self) -> &FlowStep<'a> {
        self.0
    }
}

/// Every pixel of a quad that has one of some pixels.
fn quads(pixels: u64) -> u64 {
    (0..16).map(|quad| 0xF << (4 * quad)).filter(|quad| pixels & quad != 0).sum()
}

impl<'a> Flow<'a> {
    /// The instructions that start an ALU clause.
    pub(super) const CLAUSES: &'static [CfOpcode] =
        &[Alu, AluPushBefore, AluPopAfter, AluPop2After, AluContinue, AluBreak, AluElseAfter];

    /// Those that run a fetch clause.
    pub(super) const FETCHES: &'static [CfOpcode] = &[Tex, Vtx, VtxTc];

    /// The instruction, if it has the format of branches and loops.
    pub(super) fn word(self) -> Option<CfWord> {
        match self.0.cf {
            Cf::Plain(word) => Some(word),
            _ => None,
        }
    }

    pub(super) fn pop_count(self) -> usize {
        self.word().map_or(0, |word| word.pop_count() as usize)
    }

    /// Code of its `COND`.
    pub(super) fn condition(self) -> u32 {
        self.word().map_or(0, CfWord::cond)
    }

    pub(super) fn whole_quad(self) -> bool {
        self.0.cf.whole_quad_mode()
    }

    pub(super) fn valid_pixel(self) -> bool {
        self.0.cf.valid_pixel_mode()
    }

    /// The integers of a loop.
    pub(super) fn constant(self) -> LoopConstant {
        let number = self.word().map_or(0, |word| word.cf_const() as usize);
        self.0.case.loop_constants.get(number).copied().unwrap_or_default()
    }

    /// Whether it looks at the pixels.
    pub(super) fn tests(self) -> bool {
        self.word().is_some() && !matches!(self.0.opcode, Nop | WaitAck | Return)
    }

    /// The pixels that it looks at where some are active.
    pub(super) fn base(self, active: u64) -> u64 {
        match () {
            () if self.whole_quad() => quads(active),
            () if self.valid_pixel() => active & self.0.before.valid,
            () => active,
        }
    }

    /// The pixels that pass its test.
    pub(super) fn passing(self) -> u64 {
        let Some(word) = self.word() else { return 0 };
        let before = self.0.before;
        let active = match self.0.opcode {
            Else => self.top().map_or(0, |saved| saved.pixels.active),
            LoopEnd => !before.pixels.inactive_break,
            _ => self.restored().unwrap_or(before.pixels).active,
        };
        let base = self.base(active);
        let constant = self.0.case.bool_constants >> word.cf_const() & 1;
        let holds = [1, 0, constant, 1 - constant][word.cond() as usize & 3];
        if holds == 1 { base } else { 0 }
    }

    /// Whether some pixels are active and others are not.
    pub(super) fn is_mixed(self) -> bool {
        !matches!(self.0.before.pixels.active, 0 | u64::MAX)
    }

    /// Whether that is so in a quad.
    pub(super) fn has_mixed_quads(self) -> bool {
        let active = self.0.before.pixels.active;
        quads(active) != active
    }

    /// The pixels that are in none of the other states.
    pub(super) fn inactive_branch(self) -> u64 {
        let PixelStates { active, inactive_continue, inactive_break } = self.0.before.pixels;
        !(active | inactive_continue | inactive_break)
    }

    /// Whether it goes to another instruction than the following one.
    pub(super) fn jumps(self) -> bool {
        self.word().is_some() && self.0.after.cf != self.0.before.cf.wrapping_add(1)
    }

    // The stack.

    /// The frame on top.
    pub(super) fn top(self) -> Option<&'a Frame> {
        self.frames().last()
    }

    fn frames(self) -> &'a [Frame] {
        self.0.before.frames()
    }

    /// How many loops it is in.
    pub(super) fn loops(self) -> usize {
        self.frames().iter().filter(|frame| frame.kind == frame::LOOP).count()
    }

    /// How many frames it has popped.
    pub(super) fn popped(self) -> usize {
        match self.0.opcode {
            Pop | PopJump | PopPush | PopPushElse => self.pop_count(),
            _ => self.frames().len().saturating_sub(self.0.after.stack_depth as usize),
        }
    }

    /// Those frames.
    pub(super) fn frames_popped(self) -> &'a [Frame] {
        &self.frames()[self.frames().len() - self.popped()..]
    }

    /// The kind of the frame that it has pushed, if it has.
    pub(super) fn pushed(self) -> Option<u32> {
        let after = self.0.after;
        let depth = after.stack_depth as usize;
        (depth + self.popped() > self.frames().len()).then(|| after.stack[depth - 1].kind)
    }

    /// Whether it has pushed a frame of a kind on a stack that has no room for another entry then. A frame of pixels'
    /// states in whole quad mode, of a loop is an entry; four of the others are one.
    pub(super) fn fills(self, kind: impl Fn(&Frame) -> bool) -> bool {
        let after = self.0.after;
        let frames = &after.stack[..after.stack_depth as usize];
        let is_entry = |frame: &&Frame| {
            frame.kind == frame::LOOP || frame.kind == frame::BRANCH && frame.whole_quad == 1
        };
        let entries = frames.iter().filter(is_entry).count();
        let reserve = if self.0.pushes { 2 } else { 0 };
        let needed = entries + (frames.len() - entries + reserve).div_ceil(4);
        self.pushed().is_some()
            && needed >= self.0.case.stack_size as usize
            && frames.last().is_some_and(kind)
    }

    /// The pixels' states that it has popped.
    pub(super) fn saved(self) -> Option<PixelStates> {
        let last = self.frames_popped().first()?;
        (last.kind == frame::BRANCH).then_some(last.pixels)
    }

    /// What they are where pixels that have left the loop or its iteration stay so; those before, if an instruction that
    /// pops has popped none.
    pub(super) fn restored(self) -> Option<PixelStates> {
        let before = self.0.before.pixels;
        let Some(saved) = self.saved() else {
            let pops = matches!(self.0.opcode, Pop | PopJump | PopPush | PopPushElse);
            return pops.then_some(before);
        };
        let left = before.inactive_continue | before.inactive_break;
        Some(PixelStates {
            active: saved.active & !left,
            inactive_continue: before.inactive_continue | saved.inactive_continue & !left,
            inactive_break: before.inactive_break | saved.inactive_break & !left,
        })
    }

    // Loops and calls.

    /// Whether it has entered a loop.
    pub(super) fn enters(self) -> bool {
        self.pushed() == Some(frame::LOOP)
    }

    /// Whether another trip of a loop begins.
    pub(super) fn iterates(self) -> bool {
        self.0.opcode == LoopEnd && self.popped() == 0
    }

    /// The next index of a loop, before it is cut to its bits.
    pub(super) fn next_index(self) -> i64 {
        let current = self.0.before.current_loop;
        i64::from(current.index) + i64::from(current.increment)
    }

    /// Whether the index of a loop that was entered is not the one before.
    pub(super) fn starts_index(self) -> bool {
        let [before, after] = [self.0.before.current_loop.index, self.0.after.current_loop.index];
        self.0.opcode == LoopStart && self.enters() && before != after
    }

    /// Whether it has gone to a subroutine.
    pub(super) fn calls(self) -> bool {
        matches!(self.pushed(), Some(frame::CALL | frame::CALL_FETCH))
    }

    // ALU clauses.

    /// Whether an ALU clause begins.
    pub(super) fn starts_clause(self) -> bool {
        !self.0.is_end && self.0.after.in_clause == 1
    }

    /// Whether the clause that ends did not execute for any pixel.
    pub(super) fn is_skipped(self) -> bool {
        self.0.is_end && self.0.before.executing == 0
    }

    /// How many instructions of a fetch clause it has run.
    pub(super) fn fetches(self) -> u32 {
        let word = self.word().filter(|_| self.passing() != 0);
        word.map_or(0, CfWord::clause_length)
    }

    /// The words of an ALU clause.
    pub(super) fn clause_words(self) -> u32 {
        match self.0.cf {
            Cf::Alu(word) => word.count() + 1,
            _ => 0,
        }
    }

    /// The active pixels for which a clause that ends computed a predicate that skips.
    pub(super) fn skipping(self) -> u64 {
        let before = self.0.before;
        before.pixels.active & before.execute_set & !before.execute_value
    }
}
