//! Blocks that branches lead from one to the other, compiled as one.
//!
//! Such code begins at a block of a thread in which no channel waits, and goes on until the program leaves
//! what is compiled or its steps are used up; the interpreter goes on from there. Where floats underflow,
//! everything since it was entered is taken back.

use std::collections::VecDeque;

use parallax_isa::{Image as _, eu::State};

use super::plan;
use crate::eu::{
    compiled::{Chunk, Code, Ran, code_of_nodes},
    description::{LaterBehind, LaterNode},
    gen7::{
        flow, mask,
        program::{Action, Program, Step},
    },
};

/// The most nodes and micro-ops that are compiled as one.
const MOST_NODES: usize = 512;
const MOST_OPS: usize = 1024;

/// The most steps that code takes before the executor looks around again.
const MOST_STEPS: u64 = 100_000;

/// Compiled blocks with the branches between them.
pub(super) struct Graph {
    pub(super) code: Code,
}

impl Graph {
    /// The code of what can be reached from a step, if there is a branch behind its block.
    pub(super) fn compile(program: &Program, first: usize, state: &State) -> Option<Self> {
        let nodes = nodes(program, first, state);
        let branches =
            nodes.first().is_some_and(|node| matches!(node.behind, LaterBehind::Branch(_)));
        if !branches {
            return None;
        }
        Some(Self { code: code_of_nodes(&nodes)? })
    }

    /// Bytes of code.
    pub(super) fn bytes(&self) -> usize {
        self.code.bytes()
    }

    /// Runs it for so many steps at most, and says how many it took; `None` if it was taken back.
    pub(super) fn run(
        &self,
        program: &Program,
        state: &mut State,
        room: &mut Vec<Chunk>,
        left: u64,
    ) -> Option<u64> {
        let steps = left.min(MOST_STEPS);
        let dispatched = mask::dispatched(program.generation, state);
        Some(steps - self.code.run_for(state, room, u64::from(dispatched) << 32 | steps)?)
    }

    /// The same, compared at its end with what the interpreter comes to.
    #[cold]
    #[inline(never)]
    pub(super) fn run_checked(
        &self,
        program: &Program,
        state: &mut State,
        room: &mut Vec<Chunk>,
        left: u64,
    ) -> Ran {
        let mut interpreted = *state;
        let taken = self.run(program, state, room, left);
        (0..taken.unwrap_or(0)).for_each(|_| interpret_step(program, &mut interpreted));
        // What the code woke at the place where it ends, the interpreter wakes there too.
        match taken {
            _ if interpreted.image() != state.image() => Ran::Otherwise,
            Some(steps) if steps > 0 => Ran::Steps(steps),
            _ => Ran::Not,
        }
    }
}

/// What can be reached from a step; its places at which channels may wait begin a node each.
pub(super) fn nodes(program: &Program, first: usize, state: &State) -> Vec<LaterNode> {
    let branches = program.steps.iter().filter_map(|step| match &step.action {
        Action::Flow(flow) => Some(flow.compiled(state)),
        _ => None,
    });
    // Of a branch that cannot be compiled nobody knows where it sends channels; code does not run on behind it.
    let waited_at: Vec<u32> = branches.flatten().filter_map(|branch| branch.waited_at()).collect();
    let mut nodes: Vec<LaterNode> = Vec::new();
    let mut waiting = VecDeque::from([first]);
    let mut ops = 0;
    while let Some(step) = waiting.pop_front() {
        let at = program.steps[step].at;
        if nodes.len() == MOST_NODES || nodes.iter().any(|node| node.at == at) {
            continue;
        }
        let node = node(program, step, state, &waited_at);
        ops += node.planned.len();
        if ops > MOST_OPS {
            break;
        }
        if node.takes == 0 {
            continue;
        }
        let ways = match &node.behind {
            LaterBehind::Next(byte) => [Some(*byte), None],
            LaterBehind::Branch(branch) => [Some(branch.next), Some(branch.taken())],
        };
        waiting.extend(ways.into_iter().flatten().filter_map(|byte| program.step_at(byte)));
        nodes.push(node);
    }
    nodes
}

/// The node that begins at a step; one that takes no steps is none.
fn node(program: &Program, first: usize, state: &State, waited_at: &[u32]) -> LaterNode {
    let end = program.steps[first].block_end as usize;
    let mut planned = Vec::new();
    let mut step = first;
    let begins_another = |step: usize| {
        step > first && program.steps.get(step).is_some_and(|step| waited_at.contains(&step.at))
    };
    while step < end && !begins_another(step) {
        let plans: Option<Vec<_>> = program.block(step, step + 1).iter().map(plan).collect();
        let Some(plans) = plans else { break };
        planned.extend(plans);
        step += 1;
    }
    let branch = match program.steps.get(step) {
        Some(Step { action: Action::Flow(flow), breakpoint: false, .. })
            if step == end && !begins_another(step) =>
        {
            flow.compiled(state)
        }
        _ => None,
    };
    let at = program.steps[first].at;
    let takes = (step - first) as u32 + u32::from(branch.is_some());
    let next = program.steps.get(step).map_or(program.length, |step| step.at);
    LaterNode {
        at,
        is_waited_at: waited_at.contains(&at),
        planned,
        takes,
        behind: branch.map_or(LaterBehind::Next(next), LaterBehind::Branch),
    }
}

/// Runs the step at hand, which is one that code was made of.
fn interpret_step(program: &Program, state: &mut State) {
    let Some(index) = program.step_at(state.ip) else { return };
    let Step { action, at, next, .. } = &program.steps[index];
    let is_while = matches!(action, Action::Flow(flow) if flow.is_while());
    flow::wake(state, *at, is_while);
    let active = mask::active(program.generation, state);
    state.ip = *next;
    match action {
        Action::Data(op) => {
            let op = &program.ops[*op as usize];
            (op.run)(op, state, active);
        }
        Action::Flow(flow) => {
            let _ = flow.run(state);
        }
        _ => {}
    }
}
