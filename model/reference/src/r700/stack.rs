//! The stack of pixel states, loops and return addresses (sections 3.6.4 and 3.6.5).

use parallax_isa::r700::state::{Frame, STACK_FRAMES, frame};

use super::wavefront::{Executed, Wavefront, refuse};

/// Quarters of a stack entry for wavefronts of 64 pixels.
const SUBENTRIES: u32 = 4;

impl Wavefront {
    /// The frame on top.
    pub(super) fn top(&self) -> Option<&Frame> {
        let depth = self.state.stack_depth as usize;
        self.state.stack.get(depth.checked_sub(1)?)
    }

    /// The frame on top, which must be of a kind.
    pub(super) fn top_of(&self, kind: u32, what: &str) -> Executed<Frame> {
        match self.top() {
            Some(top) if top.kind == kind => Ok(*top),
            _ => refuse(format!("{what} is not on top of the stack")),
        }
    }

    /// Quarters of entries a frame takes.
    fn cost(frame: &Frame) -> u32 {
        match frame.kind {
            frame::BRANCH if frame.whole_quad == 0 => 1,
            frame::CALL | frame::CALL_FETCH => 1,
            _ => SUBENTRIES,
        }
    }

    /// Whether another frame has room.
    pub(super) fn room_for(&self, new: &Frame) -> Executed {
        // Decision D-r700-stack.
        let depth = self.state.stack_depth as usize;
        let live = &self.state.stack[..depth.min(STACK_FRAMES)];
        let costs = live.iter().chain([new]).map(Self::cost);
        let (entries, quarters) = costs.fold((0, 0), |(entries, quarters), cost| {
            if cost == SUBENTRIES { (entries + 1, quarters) } else { (entries, quarters + cost) }
        });
        let reserve = if self.pushes { 2 } else { 0 };
        let needed = entries + (quarters + reserve).div_ceil(SUBENTRIES);
        if needed > self.case.stack_size || depth >= STACK_FRAMES {
            return refuse(format!(
                "a push needs {needed} stack entries and {} frames, there are {} and {STACK_FRAMES}",
                depth + 1,
                self.case.stack_size
            ));
        }
        Ok(())
    }

    /// Pushes a frame.
    pub(super) fn push(&mut self, frame: Frame) -> Executed {
        self.room_for(&frame)?;
        let depth = self.state.stack_depth as usize;
        self.state.stack[depth] = frame;
        self.state.stack_depth += 1;
        Ok(())
    }

    /// Pushes the pixels' states.
    pub(super) fn push_states(&mut self, whole_quad: bool) -> Executed {
        let pixels = self.state.pixels;
        let whole_quad = u32::from(whole_quad);
        self.push(Frame { kind: frame::BRANCH, pixels, whole_quad, ..Frame::default() })
    }

    /// Takes the frame on top, which must be of a kind.
    pub(super) fn take(&mut self, kind: u32, what: &str) -> Executed<Frame> {
        let top = self.top_of(kind, what)?;
        self.state.stack_depth -= 1;
        let depth = self.state.stack_depth as usize;
        self.state.stack[depth] = Frame::default();
        Ok(top)
    }

    /// Pops some saved pixel states and restores those of the last one. Pixels that have left the
    /// loop or its iteration stay so.
    pub(super) fn pop_states(&mut self, count: u32) -> Executed {
        let mut last = None;
        for _ in 0..count {
            last = Some(self.take(frame::BRANCH, "a saved pixel state")?);
        }
        let Some(saved) = last else { return Ok(()) };
        let states = &mut self.state.pixels;
        let left = states.inactive_continue | states.inactive_break;
        states.active = saved.pixels.active & !left;
        states.inactive_continue |= saved.pixels.inactive_continue & !left;
        states.inactive_break |= saved.pixels.inactive_break & !left;
        Ok(())
    }
}
