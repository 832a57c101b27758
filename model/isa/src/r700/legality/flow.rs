//! Where control-flow instructions lead, and what lies on the stack there (chapter 3): every path
//! is followed with the frames it pushes and pops.

use std::collections::HashMap;

use super::{
    Findings, Settings, breaks,
    stack::{Frame, Stack},
};
use crate::r700::{instruction::Cf, microcode::CfWord, opcode::CfOpcode, program::Program};

/// Callers that are told apart at one instruction.
const CONTEXTS: usize = 64;
/// Calls inside each other.
const CALL_DEPTH: usize = 32;

pub(super) fn check(program: &Program, settings: &Settings, findings: &mut Findings) {
    let loops = Loops::find(program, findings);
    targets(program, findings);
    jumps(program, &loops, findings);
    let pushes = program.control_flow.values().any(|cf| cf.opcode().is_some_and(pushes_states));
    let mut paths =
        Paths { program, settings, findings, pushes, seen: HashMap::new(), open: Vec::new() };
    paths.follow();
}

/// Whether an instruction pushes the states of the pixels.
const fn pushes_states(opcode: CfOpcode) -> bool {
    use CfOpcode::{AluElseAfter, AluPushBefore, PopPush, PopPushElse, Push, PushElse};
    matches!(opcode, Push | PushElse | PopPush | PopPushElse | AluPushBefore | AluElseAfter)
}

/// The loops of a program, by the addresses of their first and last instruction.
struct Loops(Vec<(u32, u32)>);

impl Loops {
    /// Matches starts and ends as they are nested in the text.
    fn find(program: &Program, findings: &mut Findings) -> Self {
        let (mut open, mut loops) = (Vec::new(), Vec::new());
        // Breaks and continues wait for the end of their loop.
        let mut leaving: Vec<Vec<(u32, CfWord, CfOpcode)>> = Vec::new();
        for (&address, &cf) in &program.control_flow {
            let Some(opcode) = cf.opcode() else { continue };
            match (cf, opcode) {
                (
                    Cf::Plain(word),
                    CfOpcode::LoopStart | CfOpcode::LoopStartDx10 | CfOpcode::LoopStartNoAl,
                ) => {
                    open.push((address, word));
                    leaving.push(Vec::new());
                }
                (Cf::Plain(word), CfOpcode::LoopEnd) => {
                    let Some((start, first)) = open.pop() else { continue };
                    loops.push((start, address));
                    addresses((start, first), (address, word), findings);
                    for (from, word, opcode) in leaving.pop().unwrap_or_default() {
                        to_end(from, word, opcode, address, findings);
                    }
                }
                (Cf::Plain(word), CfOpcode::LoopBreak | CfOpcode::LoopContinue) => {
                    if let Some(leaving) = leaving.last_mut() {
                        leaving.push((address, word, opcode));
                    }
                }
                _ => {}
            }
        }
        Self(loops)
    }

    /// The innermost loop around an address.
    fn around(&self, address: u32) -> Option<(u32, u32)> {
        // A jump to the start of a loop does not enter it yet.
        let around = self.0.iter().filter(|(start, end)| *start < address && address <= *end);
        around.min_by_key(|(start, end)| end - start).copied()
    }
}

fn addresses((start, first): (u32, CfWord), (end, last): (u32, CfWord), findings: &mut Findings) {
    if first.addr() != end + 1 {
        breaks!(
            findings,
            start,
            ["r700.cf.loop.addr.start"],
            "ADDR of the loop start is {}: it should be {}, after the end of the loop",
            first.addr(),
            end + 1
        );
    }
    if last.addr() != start + 1 {
        breaks!(
            findings,
            end,
            ["r700.cf.loop.addr.end"],
            "ADDR of LOOP_END is {}: it should be {}, after the start of the loop",
            last.addr(),
            start + 1
        );
    }
}

fn to_end(from: u32, word: CfWord, opcode: CfOpcode, end: u32, findings: &mut Findings) {
    if word.addr() != end {
        breaks!(
            findings,
            from,
            ["r700.cf.loop.addr.break"],
            "ADDR of {} is {}: it should be {end}, the LOOP_END",
            opcode.mnemonic(),
            word.addr()
        );
    }
}

fn targets(program: &Program, findings: &mut Findings) {
    for (&address, cf) in &program.control_flow {
        let Some(target) = cf.target().filter(|to| !program.control_flow.contains_key(to)) else {
            continue;
        };
        breaks!(
            findings,
            address,
            ["r700.cf.addr.target-kind"],
            "{} goes to address {target}, where no control-flow instruction is",
            cf.opcode().map_or("", CfOpcode::mnemonic)
        );
    }
}

fn jumps(program: &Program, loops: &Loops, findings: &mut Findings) {
    for (&address, &cf) in &program.control_flow {
        let (Some(CfOpcode::Jump), Some(target)) = (cf.opcode(), cf.target()) else { continue };
        if loops.around(address) != loops.around(target) {
            breaks!(
                findings,
                address,
                ["r700.cf.jump.scope"],
                "JUMP to {target} enters or leaves a loop"
            );
        }
    }
}

/// The paths through a program.
struct Paths<'a> {
    program: &'a Program,
    settings: &'a Settings,
    findings: &'a mut Findings,
    /// Whether an instruction pushes pixel states.
    pushes: bool,
    /// The stacks with which each instruction was reached.
    seen: HashMap<u32, Vec<Stack>>,
    open: Vec<(u32, Stack)>,
}

impl Paths<'_> {
    fn follow(&mut self) {
        self.go(0, Stack::default());
        while let Some((address, stack)) = self.open.pop() {
            let Some(&cf) = self.program.control_flow.get(&address) else { continue };
            if let Some(opcode) = cf.opcode() {
                self.instruction(address, cf, opcode, &stack);
            }
        }
    }

    /// Reaches an instruction with a stack.
    fn go(&mut self, address: u32, stack: Stack) {
        let seen = self.seen.entry(address).or_default();
        if seen.contains(&stack) || seen.len() == CONTEXTS {
            return;
        }
        let other = seen.iter().find(|other| other.since_call() != stack.since_call());
        if let Some(other) = other {
            let (one, other) = (stack.since_call().len(), other.since_call().len());
            breaks!(
                self.findings,
                address,
                ["r700.cf.jump.balance"],
                "paths reach this instruction with different stacks ({other} and {one} frames)"
            );
            return;
        }
        seen.push(stack.clone());
        self.open.push((address, stack));
    }

    fn push(&mut self, address: u32, stack: &Stack, frame: Frame) -> Stack {
        let stack = stack.with(frame);
        self.fits(address, &stack);
        stack
    }

    fn fits(&mut self, address: u32, stack: &Stack) {
        let (entries, size) = (stack.entries(self.pushes), self.settings.stack_size);
        if entries > size {
            breaks!(
                self.findings,
                address,
                ["r700.stack.size"],
                "{entries} stack entries are needed here, {size} are there"
            );
        }
    }

    /// Pops branches and goes on; reports what is no branch.
    fn pop(&mut self, address: u32, stack: &Stack, branches: u32) -> Option<Stack> {
        let popped = stack.popped(branches);
        if popped.is_none() {
            breaks!(
                self.findings,
                address,
                ["r700.cf.pop.underflow"],
                "{branches} branch entries are popped, but fewer were pushed in this loop, subroutine or program"
            );
        }
        popped
    }

    fn instruction(&mut self, address: u32, cf: Cf, opcode: CfOpcode, stack: &Stack) {
        if cf.end_of_program() && stack.has_loop_or_call() {
            breaks!(
                self.findings,
                address,
                ["r700.cf.eop.not-in-loop"],
                "END_OF_PROGRAM inside a loop or subroutine"
            );
        }
        match cf {
            Cf::Plain(word) => self.plain(address, word, opcode, stack),
            Cf::Alu(_) => self.alu(address, cf, opcode, stack),
            Cf::Export(_) | Cf::Memory(_) => self.next(address, cf, stack.clone()),
        }
    }

    fn next(&mut self, address: u32, cf: Cf, stack: Stack) {
        if !cf.end_of_program() {
            self.go(address + 1, stack);
        }
    }

    fn alu(&mut self, address: u32, cf: Cf, opcode: CfOpcode, stack: &Stack) {
        let after = match opcode {
            CfOpcode::AluPushBefore | CfOpcode::AluElseAfter => {
                self.push(address, stack, Frame::Branch { whole_quad: false })
            }
            CfOpcode::AluPopAfter | CfOpcode::AluPop2After => {
                let branches = if opcode == CfOpcode::AluPopAfter { 1 } else { 2 };
                match stack.popped(branches) {
                    Some(stack) => stack,
                    None => {
                        breaks!(
                            self.findings,
                            address,
                            ["r700.cf.alu.pop-after.branch-frame"],
                            "{} needs {branches} branch entries on top of the stack",
                            opcode.mnemonic()
                        );
                        return;
                    }
                }
            }
            CfOpcode::AluBreak | CfOpcode::AluContinue => {
                self.needs_loop(address, opcode, stack);
                // The pixel states lie on the stack while the clause runs.
                self.fits(address, &stack.with(Frame::Branch { whole_quad: false }));
                stack.clone()
            }
            _ => stack.clone(),
        };
        self.next(address, cf, after);
    }

    /// The stack at the end of the innermost loop; reports that there is none.
    fn needs_loop(&mut self, address: u32, opcode: CfOpcode, stack: &Stack) -> Option<Stack> {
        let unwound = stack.unwound_to_loop();
        if unwound.is_none() {
            breaks!(
                self.findings,
                address,
                ["r700.cf.loop.needs-loop"],
                "{} outside of a loop",
                opcode.mnemonic()
            );
        }
        unwound
    }

    fn plain(&mut self, address: u32, word: CfWord, opcode: CfOpcode, stack: &Stack) {
        use CfOpcode::{
            Call, Else, Jump, Kill, LoopBreak, LoopContinue, LoopEnd, LoopStart, LoopStartDx10,
            LoopStartNoAl, Pop, PopJump, PopPush, PopPushElse, Push, PushElse, Return,
        };
        let cf = Cf::Plain(word);
        let (target, count) = (word.addr(), word.pop_count());
        let branch = Frame::Branch { whole_quad: word.whole_quad_mode() == 1 };
        match opcode {
            Jump | Push | LoopStart | LoopStartDx10 | LoopStartNoAl => {
                let inside = match opcode {
                    Jump => stack.clone(),
                    Push => self.push(address, stack, branch),
                    _ => self.push(address, stack, Frame::Loop),
                };
                self.next(address, cf, inside);
                if let Some(popped) = self.pop(address, stack, count) {
                    self.go(target, popped);
                }
            }
            PushElse => {
                let inside = self.push(address, stack, branch);
                self.next(address, cf, inside.clone());
                self.go(target, inside);
            }
            Pop | PopJump | PopPush | PopPushElse => {
                let Some(popped) = self.pop(address, stack, count) else { return };
                let inside = match opcode {
                    PopPush | PopPushElse => self.push(address, &popped, branch),
                    _ => popped.clone(),
                };
                self.next(address, cf, inside.clone());
                match opcode {
                    PopJump | PopPush => self.go(target, popped),
                    PopPushElse => self.go(target, inside),
                    _ => {}
                }
            }
            Else => self.else_(address, word, stack),
            LoopEnd => self.loop_end(address, word, stack),
            LoopBreak | LoopContinue => {
                if let Some(unwound) = self.needs_loop(address, opcode, stack) {
                    self.go(target, unwound);
                }
                self.next(address, cf, stack.clone());
            }
            Call => {
                self.next(address, cf, stack.clone());
                if stack.calls() < CALL_DEPTH {
                    let inside = self.push(address, stack, Frame::Call { back: address + 1 });
                    self.go(target, inside);
                }
            }
            Return => self.return_(address, stack),
            Kill => {
                self.next(address, cf, stack.clone());
                self.go(target, stack.clone());
            }
            _ => self.next(address, cf, stack.clone()),
        }
    }

    fn else_(&mut self, address: u32, word: CfWord, stack: &Stack) {
        if !matches!(stack.top(), Some(Frame::Branch { .. })) {
            breaks!(
                self.findings,
                address,
                ["r700.cf.else.needs-push"],
                "ELSE without a branch entry on top of the stack"
            );
            return;
        }
        self.next(address, Cf::Plain(word), stack.clone());
        if let Some(popped) = self.pop(address, stack, word.pop_count()) {
            self.go(word.addr(), popped);
        }
    }

    fn loop_end(&mut self, address: u32, word: CfWord, stack: &Stack) {
        if stack.top() != Some(Frame::Loop) {
            breaks!(
                self.findings,
                address,
                ["r700.cf.loop.end.frame"],
                "LOOP_END is reached without its loop on top of the stack"
            );
            return;
        }
        self.go(word.addr(), stack.clone());
        self.next(address, Cf::Plain(word), stack.without_top());
    }

    fn return_(&mut self, address: u32, stack: &Stack) {
        match stack.top() {
            Some(Frame::Call { back }) => self.go(back, stack.without_top()),
            _ if stack.calls() == 0 => breaks!(
                self.findings,
                address,
                ["r700.cf.return.illegal"],
                "RETURN outside of a subroutine"
            ),
            _ => breaks!(
                self.findings,
                address,
                ["r700.cf.return.pairing"],
                "RETURN with loops or branches of the subroutine still on the stack"
            ),
        }
    }
}
