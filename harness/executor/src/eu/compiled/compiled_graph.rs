//! Blocks that branches lead from one to the other, compiled as one: loops and their ways around stay in
//! machine code.
//!
//! Such code begins at a block and goes on until the program leaves what is compiled, a branch would raise
//! an exception, or its steps are used up; the interpreter goes on from there. It stops in front of a block
//! unless the steps left are enough for the whole of it, as the interpreter does. Where floats overflow,
//! everything since it was entered is taken back.

use std::collections::VecDeque;

use parallax_isa::{Image as _, eu::State};

use super::{
    Chunk, Code, Ran, Setting, code_of_graph,
    graph::{Behind, Graph, Node},
    interpret_steps, plan, serves_branch, serves_message,
};
use crate::eu::program::{Action, Program};

/// The most blocks that are compiled as one.
const MOST_NODES: usize = 512;
/// The most micro-ops in them.
const MOST_OPS: usize = 1024;

/// Compiled blocks with the branches between them.
pub(super) struct CompiledGraph {
    code: Code,
    setting: Setting,
}

impl Graph {
    /// What can be reached from a step, if a branch or a message is among it.
    pub(super) fn of(program: &Program, first: usize, setting: Setting) -> Option<Self> {
        let graph = Self::reached(program, first, setting, true)?;
        let messages = graph.nodes.iter().any(|node| matches!(node.behind, Behind::Message { .. }));
        // What a message did cannot be taken back.
        match messages && graph.may_be_refused(program, setting) {
            true => Self::reached(program, first, setting, false),
            false => Some(graph),
        }
    }

    fn may_be_refused(&self, program: &Program, setting: Setting) -> bool {
        let mut ops = self.nodes.iter().flat_map(|node| {
            let ops = node.ops.clone();
            ops.map(|op| plan(&program.ops[op], &program.ops[op + 1..node.ops_end], setting))
        });
        ops.any(|planned| planned.is_none_or(|planned| planned.may_be_refused()))
    }

    fn reached(program: &Program, first: usize, setting: Setting, messages: bool) -> Option<Self> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut waiting = VecDeque::from([first]);
        let mut ops = 0;
        while let Some(step) = waiting.pop_front() {
            let is_known = nodes.iter().any(|node| node.first == step);
            if is_known || nodes.len() == MOST_NODES {
                continue;
            }
            let node = Node::at(program, step, setting, messages);
            ops += node.ops.len();
            if ops > MOST_OPS {
                break;
            }
            if let Behind::Branch { flow, step } = node.behind {
                let ways = [Some(program.steps[step].next), program.flows[flow].leads_to()];
                let ways = ways.into_iter().flatten();
                waiting.extend(ways.filter_map(|byte| program.step_at(byte)));
            }
            if let Behind::Message { step, .. } = node.behind {
                waiting.extend(program.step_at(program.steps[step].next));
            }
            nodes.push(node);
        }
        let goes_on = nodes.first().is_some_and(|node| !matches!(node.behind, Behind::End(_)));
        goes_on.then_some(Self { nodes })
    }
}

impl Node {
    fn at(program: &Program, first: usize, setting: Setting, messages: bool) -> Self {
        let end = program.steps[first].block_end as usize;
        let place = |step: usize| {
            program.steps.get(step).map_or(program.ops.len(), |step| step.op as usize)
        };
        let block = program.block(first, end);
        let mut step = first;
        let served = |step: usize| {
            let ops = place(step) - place(first)..place(step + 1) - place(first);
            ops.into_iter().all(|index| plan(&block[index], &block[index + 1..], setting).is_some())
        };
        while step < end && served(step) {
            step += 1;
        }
        let branch = match program.steps.get(step).map(|step| &step.action) {
            Some(Action::Flow(flow)) if step == end => Some(*flow as usize),
            _ => None,
        };
        let is_breakpoint = program.steps.get(step).is_some_and(|step| step.breakpoint);
        let branch = branch.filter(|flow| !is_breakpoint && serves_branch(&program.flows[*flow]));
        let op = place(step);
        let sends = messages && step < end && serves_message(&program.ops[op]);
        let steps = (step - first) as u64;
        let (behind, further) = match branch {
            Some(flow) => (Behind::Branch { flow, step }, 1),
            None if sends => (Behind::Message { op, step }, 0),
            None => (Behind::End(program.byte_of(step)), 0),
        };
        Self {
            first,
            ops: place(first)..place(step),
            ops_end: place(end),
            needs: (end - first) as u64 + further,
            takes: steps + if sends { 1 } else { further },
            behind,
        }
    }
}

impl CompiledGraph {
    /// The code of what can be reached from a step.
    pub(super) fn compile(program: &Program, first: usize, setting: Setting) -> Option<Self> {
        // Branches change which channels are active.
        let setting = Setting { open: false, ..setting };
        let graph = Graph::of(program, first, setting)?;
        Some(Self::of(code_of_graph(program, &graph, setting)?, setting))
    }

    /// Code that was made for a setting.
    pub(super) fn of(code: Code, setting: Setting) -> Self {
        Self { code, setting }
    }

    /// The machine code.
    #[cfg(test)]
    pub(super) fn code(&self) -> &Code {
        &self.code
    }

    /// Whether it was compiled for the modes of a thread.
    pub(super) fn is_for(&self, setting: Setting) -> bool {
        self.setting.accumulator_disabled == setting.accumulator_disabled
    }

    pub(super) fn bytes(&self) -> usize {
        self.code.bytes()
    }

    /// Runs it for so many steps at most, and says how many it took; `None` if it was taken back.
    pub(super) fn run(&self, state: &mut State, room: &mut Vec<Chunk>, steps: u64) -> Option<u64> {
        Some(steps - self.code.run_for(state, room, steps)?)
    }

    /// The same, compared at its end with what the interpreter comes to. Where code ends within a block,
    /// that is run to its end first: accumulators that nobody sees may differ before.
    #[cold]
    #[inline(never)]
    pub(super) fn run_checked(
        &self,
        program: &Program,
        state: &mut State,
        room: &mut Vec<Chunk>,
        steps: u64,
    ) -> Ran {
        let mut interpreted = *state;
        let mut taken = self.run(state, room, steps);
        if let Some(taken) = &mut taken {
            let rest = program
                .step_at(state.ip)
                .map_or(0, |step| (program.steps[step].block_end as usize - step) as u64);
            let rest = if rest > steps - *taken { 0 } else { rest };
            interpret_steps(program, state, rest);
            *taken += rest;
            interpret_steps(program, &mut interpreted, *taken);
        }
        match taken {
            _ if interpreted.image() != state.image() => Ran::Otherwise,
            Some(steps) => Ran::Steps(steps),
            None => Ran::Not,
        }
    }
}
