//! The control-flow stack as a program's text shows it (section 3.6): which frames lie on it at an
//! instruction, and how much room they take.

/// Subentries of an entry, for wavefronts of 64 pixels (table 3.5).
const SUBENTRIES: u32 = 4;
/// Subentries kept free for the current masks once a program pushes branches.
const RESERVE: u32 = 2;

/// A frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Frame {
    /// Per-pixel state; in whole quad mode it takes a full entry.
    Branch {
        /// Whether it was pushed in whole quad mode.
        whole_quad: bool,
    },
    /// State of a loop.
    Loop,
    /// Return address.
    Call {
        /// The instruction after the call.
        back: u32,
    },
}

/// The frames, the innermost last.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Stack(Vec<Frame>);

impl Stack {
    pub(super) fn top(&self) -> Option<Frame> {
        self.0.last().copied()
    }

    pub(super) fn with(&self, frame: Frame) -> Self {
        let mut frames = self.0.clone();
        frames.push(frame);
        Self(frames)
    }

    /// Without the innermost frames; `None` if they are not all branches.
    pub(super) fn popped(&self, branches: u32) -> Option<Self> {
        let keep = self.0.len().checked_sub(branches as usize)?;
        let branch = |frame: &Frame| matches!(frame, Frame::Branch { .. });
        self.0[keep..].iter().all(branch).then(|| Self(self.0[..keep].to_vec()))
    }

    /// Without the innermost frame.
    pub(super) fn without_top(&self) -> Self {
        Self(self.0[..self.0.len().saturating_sub(1)].to_vec())
    }

    /// Down to the frame of the innermost loop; `None` if there is none in this subroutine.
    pub(super) fn unwound_to_loop(&self) -> Option<Self> {
        let mut stack = self.clone();
        while matches!(stack.top(), Some(Frame::Branch { .. })) {
            stack.0.pop();
        }
        (stack.top() == Some(Frame::Loop)).then_some(stack)
    }

    /// The frames pushed since the last call: what all callers have in common.
    pub(super) fn since_call(&self) -> &[Frame] {
        let calls = |frame: &Frame| matches!(frame, Frame::Call { .. });
        let start = self.0.iter().rposition(calls).map_or(0, |place| place + 1);
        &self.0[start..]
    }

    pub(super) fn calls(&self) -> usize {
        self.0.iter().filter(|frame| matches!(frame, Frame::Call { .. })).count()
    }

    pub(super) fn has_loop_or_call(&self) -> bool {
        self.0.iter().any(|frame| !matches!(frame, Frame::Branch { .. }))
    }

    /// Entries it takes (table 3.6), with the room that a program which pushes pixel states keeps free.
    pub(super) fn entries(&self, pushes: bool) -> u32 {
        let (mut entries, mut subentries) = (0, 0);
        for frame in &self.0 {
            match frame {
                Frame::Branch { whole_quad: false } | Frame::Call { .. } => subentries += 1,
                Frame::Branch { whole_quad: true } | Frame::Loop => entries += 1,
            }
        }
        if pushes {
            subentries += RESERVE;
        }
        entries + u32::div_ceil(subentries, SUBENTRIES)
    }
}
