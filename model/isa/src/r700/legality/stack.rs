//! The control-flow stack as a program's text shows it (section 3.6): which frames lie on it at an
//! instruction, and how much room they take.

use std::collections::HashMap;

/// Subentries of an entry, for wavefronts of 64 pixels (table 3.5).
pub(super) const SUBENTRIES: u32 = 4;
/// Subentries kept free for the current masks once a program pushes branches.
pub(super) const RESERVE: u32 = 2;
/// Subentries of a return address.
pub(super) const CALL: u32 = 1;

/// A frame that the main program, or one subroutine, has pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Frame {
    /// Per-pixel state; in whole quad mode it takes a full entry.
    Branch {
        /// Whether it was pushed in whole quad mode.
        whole_quad: bool,
    },
    /// State of a loop.
    Loop,
}

/// What the main program, or one subroutine, has pushed. Equal stacks have equal numbers, so that a
/// comparison costs the same whatever their depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Stack(u32);

impl Stack {
    /// Nothing is pushed.
    pub(super) const EMPTY: Self = Self(0);
}

/// A stack by its innermost frame, and what is asked of it often.
struct Node {
    /// `None` at the bottom.
    frame: Option<Frame>,
    below: Stack,
    depth: u32,
    subentries: u32,
    /// The stack without the branches on its top.
    without_branches: Stack,
    in_loop: bool,
}

/// All stacks that a program has.
pub(super) struct Stacks {
    nodes: Vec<Node>,
    known: HashMap<(Stack, Frame), Stack>,
}

impl Default for Stacks {
    fn default() -> Self {
        let bottom = Node {
            frame: None,
            below: Stack::EMPTY,
            depth: 0,
            subentries: 0,
            without_branches: Stack::EMPTY,
            in_loop: false,
        };
        Self { nodes: vec![bottom], known: HashMap::new() }
    }
}

impl Stacks {
    fn node(&self, stack: Stack) -> &Node {
        &self.nodes[stack.0 as usize]
    }

    pub(super) fn top(&self, stack: Stack) -> Option<Frame> {
        self.node(stack).frame
    }

    /// Frames on it.
    pub(super) fn depth(&self, stack: Stack) -> u32 {
        self.node(stack).depth
    }

    pub(super) fn in_loop(&self, stack: Stack) -> bool {
        self.node(stack).in_loop
    }

    /// Subentries it takes (table 3.6).
    pub(super) fn subentries(&self, stack: Stack) -> u32 {
        self.node(stack).subentries
    }

    pub(super) fn with(&mut self, stack: Stack, frame: Frame) -> Stack {
        if let Some(known) = self.known.get(&(stack, frame)) {
            return *known;
        }
        let new = Stack(self.nodes.len() as u32);
        let below = self.node(stack);
        let (size, without_branches) = match frame {
            Frame::Branch { whole_quad: false } => (1, below.without_branches),
            Frame::Branch { whole_quad: true } => (SUBENTRIES, below.without_branches),
            Frame::Loop => (SUBENTRIES, new),
        };
        let node = Node {
            frame: Some(frame),
            below: stack,
            depth: below.depth + 1,
            subentries: below.subentries + size,
            without_branches,
            in_loop: below.in_loop || frame == Frame::Loop,
        };
        self.nodes.push(node);
        self.known.insert((stack, frame), new);
        new
    }

    /// Without the innermost frames; `None` if they are not all branches.
    pub(super) fn popped(&self, mut stack: Stack, branches: u32) -> Option<Stack> {
        for _ in 0..branches {
            let Some(Frame::Branch { .. }) = self.top(stack) else { return None };
            stack = self.without_top(stack);
        }
        Some(stack)
    }

    /// Without the innermost frame.
    pub(super) fn without_top(&self, stack: Stack) -> Stack {
        self.node(stack).below
    }

    /// Down to the frame of the innermost loop; `None` if this subroutine is in no loop.
    pub(super) fn unwound_to_loop(&self, stack: Stack) -> Option<Stack> {
        let unwound = self.node(stack).without_branches;
        (self.top(unwound) == Some(Frame::Loop)).then_some(unwound)
    }
}
