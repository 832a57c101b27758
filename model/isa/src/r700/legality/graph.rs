//! Control flow as a graph: what follows what, calls and returns kept apart.

use std::collections::HashMap;

use crate::r700::program::Program;

/// Calls inside each other that the hardware follows (section 3.7.6).
const CALL_DEPTH: usize = 32;

/// A call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    pub(super) from: u32,
    pub(super) target: u32,
    /// Subentries of the stack that its own subroutine or the main program holds while it runs.
    pub(super) held: u32,
}

/// What paths were found to do, by address.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// From an instruction to one that follows it in the same subroutine; behind an unconditional call
    /// nothing follows but by a return.
    pub(super) edges: Vec<(u32, u32)>,
    pub(super) calls: Vec<Call>,
    pub(super) returns: Vec<u32>,
    pub(super) ends: Vec<u32>,
    /// Everything that a path reaches.
    pub(super) reached: Vec<u32>,
}

/// A list of numbers for each instruction.
struct Lists {
    starts: Vec<usize>,
    items: Vec<usize>,
}

impl Lists {
    fn new(count: usize, pairs: &[(usize, usize)]) -> Self {
        let mut starts = vec![0; count + 1];
        for (from, _) in pairs {
            starts[from + 1] += 1;
        }
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        let (mut free, mut items) = (starts.clone(), vec![0; pairs.len()]);
        for (from, to) in pairs {
            items[free[*from]] = *to;
            free[*from] += 1;
        }
        Self { starts, items }
    }

    fn of(&self, index: usize) -> &[usize] {
        &self.items[self.starts[index]..self.starts[index + 1]]
    }
}

/// Control flow by the numbers of instructions in the order of their addresses.
pub(super) struct Graph {
    addresses: Vec<u32>,
    after: Lists,
    before: Lists,
    /// Numbers of the call's instruction, of its target, and the subentries it holds.
    calls: Vec<(usize, usize, u32)>,
    /// The calls by the instruction they go to, and by the one behind them.
    calls_by_target: Lists,
    calls_by_continuation: Lists,
    /// The instruction behind a call.
    continuation: Vec<Option<usize>>,
    is_return: Vec<bool>,
    is_end: Vec<bool>,
    is_reached: Vec<bool>,
}

impl Graph {
    pub(super) fn new(program: &Program, parts: Parts) -> Self {
        let addresses: Vec<u32> = program.control_flow.keys().copied().collect();
        let count = addresses.len();
        let number = |address: u32| addresses.binary_search(&address).ok();
        let mut edges: Vec<(usize, usize)> = Vec::with_capacity(parts.edges.len());
        edges.extend(parts.edges.iter().filter_map(|(from, to)| number(*from).zip(number(*to))));
        let mut calls = Vec::new();
        let mut continuation = vec![None; count];
        for Call { from, target, held } in parts.calls {
            let Some((from, target)) = number(from).zip(number(target)) else { continue };
            let behind = from + 1;
            if behind < count && addresses[behind] == addresses[from] + 1 {
                continuation[from] = Some(behind);
            }
            calls.push((from, target, held));
        }
        let numbered = calls.iter().enumerate();
        let by_target: Vec<_> = numbered.clone().map(|(n, (_, target, _))| (*target, n)).collect();
        let by_continuation: Vec<_> =
            numbered.filter_map(|(n, (from, ..))| Some((continuation[*from]?, n))).collect();
        let marked = |marks: &[u32]| {
            let mut is_marked = vec![false; count];
            for index in marks.iter().filter_map(|address| number(*address)) {
                is_marked[index] = true;
            }
            is_marked
        };
        let back: Vec<_> = edges.iter().map(|(from, to)| (*to, *from)).collect();
        Self {
            after: Lists::new(count, &edges),
            before: Lists::new(count, &back),
            calls_by_target: Lists::new(count, &by_target),
            calls_by_continuation: Lists::new(count, &by_continuation),
            is_return: marked(&parts.returns),
            is_end: marked(&parts.ends),
            is_reached: marked(&parts.reached),
            calls,
            continuation,
            addresses,
        }
    }

    /// The instructions that follow one in the same subroutine, calls passed over.
    fn inside(&self, index: usize) -> impl Iterator<Item = usize> {
        self.after.of(index).iter().copied().chain(self.continuation[index])
    }

    /// The most subentries of the stack that callers hold, by the addresses of subroutines. `in_program`:
    /// whether the main program reaches an instruction.
    pub(super) fn callers_need(&self, in_program: impl Fn(u32) -> bool) -> HashMap<u32, u32> {
        let mut needs: Vec<Option<u32>> = vec![None; self.addresses.len()];
        let of_program = self.calls.iter().filter(|(from, ..)| in_program(self.addresses[*from]));
        let mut entries: Vec<_> = of_program.map(|(_, target, held)| (*held, *target)).collect();
        for _ in 0..CALL_DEPTH {
            // With the largest first, every instruction is visited once a round.
            entries.sort_unstable_by(|one, other| other.cmp(one));
            let mut raised = vec![false; needs.len()];
            for (need, target) in entries.drain(..) {
                let mut open = vec![target];
                while let Some(index) = open.pop() {
                    if needs[index] < Some(need) {
                        needs[index] = Some(need);
                        raised[index] = true;
                        open.extend(self.inside(index));
                    }
                }
            }
            for (from, target, held) in &self.calls {
                if let Some(need) = needs[*from].filter(|_| raised[*from]) {
                    entries.push((need + held, *target));
                }
            }
            if entries.is_empty() {
                break;
            }
        }
        let known = self.addresses.iter().zip(needs);
        known.filter_map(|(address, need)| Some((*address, need?))).collect()
    }

    /// The instructions that are reached, but never behind one of some others.
    pub(super) fn never_behind(&self, is_start: impl Fn(u32) -> bool) -> Vec<u32> {
        let count = self.addresses.len();
        let (mut behind, mut returned) = (vec![false; count], false);
        let starts = (0..count).filter(|index| is_start(self.addresses[*index]));
        let mut open: Vec<usize> = starts.flat_map(|index| self.inside(index)).collect();
        let mut target = vec![None; count];
        for (from, to, _) in &self.calls {
            target[*from] = Some(*to);
        }
        while let Some(index) = open.pop() {
            if std::mem::replace(&mut behind[index], true) {
                continue;
            }
            open.extend(self.inside(index).chain(target[index]));
            // Which caller a return goes to does not matter here.
            if self.is_return[index] && !std::mem::replace(&mut returned, true) {
                open.extend(self.continuation.iter().flatten());
            }
        }
        let never = (0..count).filter(|index| self.is_reached[*index] && !behind[*index]);
        never.map(|index| self.addresses[index]).collect()
    }

    /// Of some instructions, given by their addresses, those behind which a path ends the program and
    /// meets none of them again.
    pub(super) fn last(&self, is_one: impl Fn(u32) -> bool) -> Vec<u32> {
        let ones: Vec<bool> = self.addresses.iter().map(|address| is_one(*address)).collect();
        let found = ToTheEnd::find(self, &ones);
        let is_last = |index: &usize| {
            ones[*index]
                && (self.is_end[*index]
                    || self.after.of(*index).iter().any(|after| found.ends[*after]))
        };
        (0..ones.len()).filter(is_last).map(|index| self.addresses[index]).collect()
    }
}

/// From where a path leads on without meeting some instructions.
struct ToTheEnd<'a> {
    graph: &'a Graph,
    /// The instructions that are not to be met.
    ones: &'a [bool],
    /// To a return of the same subroutine.
    returns: Vec<bool>,
    /// To the end of the program.
    ends: Vec<bool>,
    /// Whether the end is reached so behind a call of the instruction's subroutine.
    callers_end: Vec<bool>,
    open: Vec<Fact>,
}

/// Something that was found of an instruction.
enum Fact {
    Returns(usize),
    Ends(usize),
    CallersEnd(usize),
}

impl<'a> ToTheEnd<'a> {
    fn find(graph: &'a Graph, ones: &'a [bool]) -> Self {
        let none = vec![false; ones.len()];
        let (returns, ends, callers_end) = (none.clone(), none.clone(), none);
        let mut found = Self { graph, ones, returns, ends, callers_end, open: Vec::new() };
        for index in 0..ones.len() {
            if graph.is_return[index] {
                found.returns(index);
            }
            if graph.is_end[index] {
                found.ends(index);
            }
        }
        while let Some(fact) = found.open.pop() {
            match fact {
                Fact::Returns(index) => found.after_returns(index),
                Fact::Ends(index) => found.after_ends(index),
                Fact::CallersEnd(index) => found.after_callers_end(index),
            }
        }
        found
    }

    fn returns(&mut self, index: usize) {
        if !self.ones[index] && !std::mem::replace(&mut self.returns[index], true) {
            self.open.push(Fact::Returns(index));
        }
    }

    fn ends(&mut self, index: usize) {
        if !self.ones[index] && !std::mem::replace(&mut self.ends[index], true) {
            self.open.push(Fact::Ends(index));
        }
    }

    fn callers_end(&mut self, index: usize) {
        if !std::mem::replace(&mut self.callers_end[index], true) {
            self.open.push(Fact::CallersEnd(index));
        }
    }

    fn after_returns(&mut self, index: usize) {
        let graph = self.graph;
        for before in graph.before.of(index) {
            self.returns(*before);
        }
        let calls = graph.calls_by_target.of(index).iter();
        for call in calls.chain(graph.calls_by_continuation.of(index)) {
            let (from, target, _) = graph.calls[*call];
            let Some(behind) = graph.continuation[from].filter(|_| self.returns[target]) else {
                continue;
            };
            if self.returns[behind] {
                self.returns(from);
            }
            if self.ends[behind] {
                self.ends(from);
            }
        }
    }

    fn after_ends(&mut self, index: usize) {
        let graph = self.graph;
        for before in graph.before.of(index) {
            self.ends(*before);
        }
        for call in graph.calls_by_continuation.of(index) {
            let (from, target, _) = graph.calls[*call];
            if self.returns[target] {
                self.ends(from);
            }
            self.callers_end(target);
        }
    }

    fn after_callers_end(&mut self, index: usize) {
        let graph = self.graph;
        if graph.is_return[index] {
            self.ends(index);
        }
        for inside in graph.inside(index) {
            self.callers_end(inside);
        }
    }
}
