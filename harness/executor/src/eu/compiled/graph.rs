//! Blocks that branches lead from one to the other, as they are compiled.

use std::ops::Range;

use crate::eu::program::Program;

/// A run of steps of data instructions, and what comes behind it.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// The first step.
    pub(super) first: usize,
    /// Its micro-ops, by their places in the program, and where those of the block that it is of end.
    pub(super) ops: Range<usize>,
    pub(super) ops_end: usize,
    /// Steps that have to be left for it to begin, and steps that it takes.
    pub(super) needs: u64,
    pub(super) takes: u64,
    pub(super) behind: Behind,
}

/// What comes behind a run of data instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Behind {
    /// The code ends in front of the instruction at a byte.
    End(u32),
    /// A branch, by its place in the program, and the step that it is.
    Branch { flow: usize, step: usize },
    /// A message, by its place among the micro-ops, and the step that it is.
    Message { op: usize, step: usize },
}

/// Nodes, the first of which is where the code begins.
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
}

impl Graph {
    /// The node that begins at a byte of the program.
    pub(super) fn node_at(&self, program: &Program, byte: u32) -> Option<usize> {
        let step = program.step_at(byte)?;
        self.nodes.iter().position(|node| node.first == step)
    }
}
