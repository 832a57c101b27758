//! Where no machine code is made: other processors, other systems.

use std::{convert::Infallible, ops::Range};

use parallax_isa::eu::State;

use super::{Setting, graph::Graph};
use crate::eu::{flow_op::FlowOp, micro_op::MicroOp, program::Program};

/// Nothing is saved of a state.
pub(super) type Chunk = ();

/// No code at all.
pub(super) struct Code(Infallible);

impl Code {
    pub(super) fn run(&self, _: &mut State, _: &mut Vec<Chunk>) -> bool {
        match self.0 {}
    }

    pub(super) fn run_for(&self, _: &mut State, _: &mut Vec<Chunk>, _: u64) -> Option<u64> {
        match self.0 {}
    }

    pub(super) fn bytes(&self) -> usize {
        match self.0 {}
    }
}

/// No micro-op can be compiled.
pub(super) fn serves(_: &[MicroOp], _: usize, _: Setting) -> bool {
    false
}

/// None.
pub(super) fn code(_: &[MicroOp], _: Range<usize>, _: Setting) -> Option<Code> {
    None
}

/// No branch can be compiled.
pub(super) fn serves_branch(_: &FlowOp) -> bool {
    false
}

/// None.
pub(super) fn code_of_graph(_: &Program, _: &Graph, _: Setting) -> Option<Code> {
    None
}

impl FlowOp {
    /// Nowhere that matters.
    pub(super) fn leads_to(&self) -> Option<u32> {
        None
    }
}
