//! Where control-flow instructions lead, and what lies on the stack there (chapter 3): every path
//! is followed with the frames it pushes and pops.
//!
//! A subroutine cannot see the frames of its callers, so its instructions are followed once whatever calls
//! it; what its callers have pushed only counts for the size of the stack. This keeps the work in proportion
//! to the program.

use std::collections::{HashMap, HashSet};

use super::{
    Findings, Settings, breaks,
    graph::{Call, Graph, Parts},
    stack::{self, Frame, Stack, Stacks},
};
use crate::r700::{instruction::Cf, microcode::CfWord, opcode::CfOpcode, program::Program};

/// `COND` of `CF_COND_ACTIVE`.
const ACTIVE: u32 = 0;

/// Follows the paths of a program; gives the control flow that was found.
/// `leaving`: jumps out of their loop, which are reported and not followed.
pub(super) fn check(
    program: &Program,
    settings: &Settings,
    leaving: &HashSet<u32>,
    findings: &mut Findings,
) -> Graph {
    let mut paths = Paths {
        program,
        leaving,
        findings,
        stacks: Stacks::default(),
        reached: HashMap::new(),
        open: Vec::new(),
        parts: Parts::default(),
        needs: Vec::new(),
    };
    paths.follow();
    let needs = std::mem::take(&mut paths.needs);
    let reached = std::mem::take(&mut paths.reached);
    let mut parts = std::mem::take(&mut paths.parts);
    parts.reached = reached.keys().copied().collect();
    let graph = Graph::new(program, parts);
    let callers = |address: u32| reached.get(&address).is_some_and(|reached| reached.in_program);
    sizes(program, settings, &needs, &graph.callers_need(callers), findings);
    graph
}

/// Whether an instruction pushes the states of the pixels.
const fn pushes_states(opcode: CfOpcode) -> bool {
    use CfOpcode::{AluElseAfter, AluPushBefore, PopPush, PopPushElse, Push, PushElse};
    matches!(opcode, Push | PushElse | PopPush | PopPushElse | AluPushBefore | AluElseAfter)
}

/// Checks the stack where it grows. `needs`: address and subentries, without those of callers.
fn sizes(
    program: &Program,
    settings: &Settings,
    needs: &[(u32, u32)],
    callers: &HashMap<u32, u32>,
    findings: &mut Findings,
) {
    let pushes = program.control_flow.values().any(|cf| cf.opcode().is_some_and(pushes_states));
    let reserve = if pushes { stack::RESERVE } else { 0 };
    for (address, subentries) in needs {
        let subentries = subentries + callers.get(address).unwrap_or(&0) + reserve;
        let (entries, size) = (subentries.div_ceil(stack::SUBENTRIES), settings.stack_size);
        if entries > size {
            breaks!(
                findings,
                *address,
                ["r700.stack.size"],
                "{entries} stack entries are needed here, {size} are there"
            );
        }
    }
}

/// How an instruction was reached.
struct Reached {
    /// What lies on the stack, callers' frames left out.
    stack: Stack,
    /// Whether the main program reaches it.
    in_program: bool,
    /// Whether a subroutine reaches it.
    in_subroutine: bool,
    /// Whether a path reaches it with another stack, which is reported once.
    unbalanced: bool,
}

/// A place on a path.
#[derive(Clone, Copy)]
struct Place {
    address: u32,
    stack: Stack,
    in_subroutine: bool,
}

/// The paths through a program.
struct Paths<'a> {
    program: &'a Program,
    leaving: &'a HashSet<u32>,
    findings: &'a mut Findings,
    stacks: Stacks,
    reached: HashMap<u32, Reached>,
    open: Vec<Place>,
    parts: Parts,
    /// Where the stack grows: address and subentries it then has.
    needs: Vec<(u32, u32)>,
}

impl Paths<'_> {
    fn follow(&mut self) {
        self.reach(Place { address: 0, stack: Stack::EMPTY, in_subroutine: false });
        while let Some(place) = self.open.pop() {
            let Some(&cf) = self.program.control_flow.get(&place.address) else { continue };
            if let Some(opcode) = cf.opcode() {
                self.instruction(place, cf, opcode);
            }
        }
    }

    /// Goes from an instruction to another.
    fn go(&mut self, from: Place, address: u32, stack: Stack) {
        self.parts.edges.push((from.address, address));
        self.reach(Place { address, stack, ..from });
    }

    fn reach(&mut self, place: Place) {
        let Place { address, stack, in_subroutine } = place;
        let reached = self.reached.entry(address).or_insert(Reached {
            stack,
            in_program: false,
            in_subroutine: false,
            unbalanced: false,
        });
        if reached.stack != stack {
            if !reached.unbalanced {
                reached.unbalanced = true;
                let (one, other) = (self.stacks.depth(stack), self.stacks.depth(reached.stack));
                breaks!(
                    self.findings,
                    address,
                    ["r700.cf.jump.balance"],
                    "paths reach this instruction with different stacks ({other} and {one} frames)"
                );
            }
            return;
        }
        let known =
            if in_subroutine { &mut reached.in_subroutine } else { &mut reached.in_program };
        if !*known {
            *known = true;
            self.open.push(place);
        }
    }

    /// Pushes a frame.
    fn push(&mut self, place: Place, stack: Stack, frame: Frame) -> Stack {
        let stack = self.stacks.with(stack, frame);
        self.needs.push((place.address, self.stacks.subentries(stack)));
        stack
    }

    /// Pops branches and goes on; reports what is no branch.
    fn pop(&mut self, place: Place, branches: u32) -> Option<Stack> {
        let popped = self.stacks.popped(place.stack, branches);
        if popped.is_none() {
            breaks!(
                self.findings,
                place.address,
                ["r700.cf.pop.underflow"],
                "{branches} branch entries are popped, but fewer were pushed in this loop, subroutine or program"
            );
        }
        popped
    }

    fn instruction(&mut self, place: Place, cf: Cf, opcode: CfOpcode) {
        if cf.end_of_program() {
            self.parts.ends.push(place.address);
            if place.in_subroutine || self.stacks.in_loop(place.stack) {
                breaks!(
                    self.findings,
                    place.address,
                    ["r700.cf.eop.not-in-loop"],
                    "END_OF_PROGRAM inside a loop or subroutine"
                );
            }
        }
        match cf {
            Cf::Plain(word) => self.plain(place, word, opcode),
            Cf::Alu(_) => self.alu(place, cf, opcode),
            Cf::Export(_) | Cf::Memory(_) => self.next(place, cf, place.stack),
        }
    }

    fn next(&mut self, place: Place, cf: Cf, stack: Stack) {
        if !cf.end_of_program() {
            self.go(place, place.address + 1, stack);
        }
    }

    fn alu(&mut self, place: Place, cf: Cf, opcode: CfOpcode) {
        let stack = place.stack;
        let after = match opcode {
            CfOpcode::AluPushBefore | CfOpcode::AluElseAfter => {
                self.push(place, stack, Frame::Branch { whole_quad: false })
            }
            CfOpcode::AluPopAfter | CfOpcode::AluPop2After => {
                let branches = if opcode == CfOpcode::AluPopAfter { 1 } else { 2 };
                match self.stacks.popped(stack, branches) {
                    Some(stack) => stack,
                    None => {
                        breaks!(
                            self.findings,
                            place.address,
                            ["r700.cf.alu.pop-after.branch-frame"],
                            "{} needs {branches} branch entries on top of the stack",
                            opcode.mnemonic()
                        );
                        return;
                    }
                }
            }
            CfOpcode::AluBreak | CfOpcode::AluContinue => {
                self.needs_loop(place, opcode);
                // The pixel states lie on the stack while the clause runs.
                self.push(place, stack, Frame::Branch { whole_quad: false });
                stack
            }
            _ => stack,
        };
        self.next(place, cf, after);
    }

    /// The stack at the end of the innermost loop; reports that there is none.
    fn needs_loop(&mut self, place: Place, opcode: CfOpcode) -> Option<Stack> {
        let unwound = self.stacks.unwound_to_loop(place.stack);
        if unwound.is_none() {
            breaks!(
                self.findings,
                place.address,
                ["r700.cf.loop.needs-loop"],
                "{} outside of a loop",
                opcode.mnemonic()
            );
        }
        unwound
    }

    fn plain(&mut self, place: Place, word: CfWord, opcode: CfOpcode) {
        use CfOpcode::{
            Call, Else, Jump, Kill, LoopBreak, LoopContinue, LoopEnd, LoopStart, LoopStartDx10,
            LoopStartNoAl, Pop, PopJump, PopPush, PopPushElse, Push, PushElse, Return,
        };
        let cf = Cf::Plain(word);
        let (target, count, stack) = (word.addr(), word.pop_count(), place.stack);
        let branch = Frame::Branch { whole_quad: word.whole_quad_mode() == 1 };
        match opcode {
            Jump | Push | LoopStart | LoopStartDx10 | LoopStartNoAl => {
                let inside = match opcode {
                    Jump => stack,
                    Push => self.push(place, stack, branch),
                    _ => self.push(place, stack, Frame::Loop),
                };
                self.next(place, cf, inside);
                if !self.leaving.contains(&place.address)
                    && let Some(popped) = self.pop(place, count)
                {
                    self.go(place, target, popped);
                }
            }
            PushElse => {
                let inside = self.push(place, stack, branch);
                self.next(place, cf, inside);
                self.go(place, target, inside);
            }
            Pop | PopJump | PopPush | PopPushElse => {
                let Some(popped) = self.pop(place, count) else { return };
                let inside = match opcode {
                    PopPush | PopPushElse => self.push(place, popped, branch),
                    _ => popped,
                };
                self.next(place, cf, inside);
                match opcode {
                    PopJump | PopPush => self.go(place, target, popped),
                    PopPushElse => self.go(place, target, inside),
                    _ => {}
                }
            }
            Else => self.else_(place, word),
            LoopEnd => self.loop_end(place, word),
            LoopBreak | LoopContinue => {
                if let Some(unwound) = self.needs_loop(place, opcode) {
                    self.go(place, target, unwound);
                }
                self.next(place, cf, stack);
            }
            Call => self.call(place, word),
            Return => self.return_(place),
            Kill => {
                self.next(place, cf, stack);
                self.go(place, target, stack);
            }
            _ => self.next(place, cf, stack),
        }
    }

    fn else_(&mut self, place: Place, word: CfWord) {
        if !matches!(self.stacks.top(place.stack), Some(Frame::Branch { .. })) {
            breaks!(
                self.findings,
                place.address,
                ["r700.cf.else.needs-push"],
                "ELSE without a branch entry on top of the stack"
            );
            return;
        }
        self.next(place, Cf::Plain(word), place.stack);
        if let Some(popped) = self.pop(place, word.pop_count()) {
            self.go(place, word.addr(), popped);
        }
    }

    fn loop_end(&mut self, place: Place, word: CfWord) {
        if self.stacks.top(place.stack) != Some(Frame::Loop) {
            breaks!(
                self.findings,
                place.address,
                ["r700.cf.loop.end.frame"],
                "LOOP_END is reached without its loop on top of the stack"
            );
            return;
        }
        self.go(place, word.addr(), place.stack);
        self.next(place, Cf::Plain(word), self.stacks.without_top(place.stack));
    }

    fn call(&mut self, place: Place, word: CfWord) {
        let (target, held) = (word.addr(), self.stacks.subentries(place.stack) + stack::CALL);
        self.needs.push((place.address, held));
        self.reach(Place { address: target, stack: Stack::EMPTY, in_subroutine: true });
        let call = Call { from: place.address, target, held };
        if word.end_of_program() == 0 {
            self.reach(Place { address: place.address + 1, ..place });
            if word.cond() != ACTIVE {
                self.parts.edges.push((place.address, place.address + 1));
            }
        }
        self.parts.calls.push(call);
    }

    fn return_(&mut self, place: Place) {
        if place.stack == Stack::EMPTY && place.in_subroutine {
            self.parts.returns.push(place.address);
        } else if place.in_subroutine {
            breaks!(
                self.findings,
                place.address,
                ["r700.cf.return.pairing"],
                "RETURN with loops or branches of the subroutine still on the stack"
            );
        } else {
            breaks!(
                self.findings,
                place.address,
                ["r700.cf.return.illegal"],
                "RETURN outside of a subroutine"
            );
        }
    }
}
