//! Where no machine code is made: other processors, other systems.

use std::convert::Infallible;

use parallax_isa::eu::State;

use super::{
    Setting,
    description::{LaterNode, Planned},
    graph::Graph,
};
use crate::eu::{flow_op::FlowOp, micro_op::MicroOp, program::Program};

/// Nothing is saved of a state.
pub(in crate::eu) type Chunk = ();

/// No code at all.
pub(in crate::eu) struct Code(Infallible);

impl Code {
    pub(in crate::eu) fn run(&self, _: &mut State, _: &mut Vec<Chunk>, _: u32) -> bool {
        match self.0 {}
    }

    pub(in crate::eu) fn run_for(&self, _: &mut State, _: &mut Vec<Chunk>, _: u64) -> Option<u64> {
        match self.0 {}
    }

    pub(in crate::eu) fn bytes(&self) -> usize {
        match self.0 {}
    }
}

/// No micro-op can be compiled.
pub(super) fn plan(_: &MicroOp, _: &[MicroOp], _: Setting) -> Option<Planned> {
    None
}

/// None.
pub(super) fn code(_: &[Planned], _: Setting) -> Option<Code> {
    None
}

/// No branch can be compiled.
pub(super) fn serves_branch(_: &FlowOp) -> bool {
    false
}

/// No message can be compiled.
pub(super) fn serves_message(_: &MicroOp) -> bool {
    false
}

/// None.
pub(in crate::eu) fn code_of_nodes(_: &[LaterNode]) -> Option<Code> {
    None
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
