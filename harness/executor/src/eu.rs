//! Intel execution units, fast.

mod arf;
mod arithmetic;
mod breakpoint;
mod compaction;
mod compare;
mod compiled;
mod compression;
mod compute;
mod condition;
mod decode;
mod description;
mod exception;
mod fetch;
mod float;
mod flow;
mod flow_op;
mod gen7;
mod immediate;
mod instruction;
mod lanes;
mod logic;
mod lower;
mod mask;
mod math_op;
mod message;
mod message_op;
mod micro_op;
mod modes;
mod movement;
mod native;
mod octword_op;
mod operation;
mod program;
mod region;
mod result;
mod round;
mod stack;
mod vector;
mod write;

use breakpoint::Breakpoints;
pub use compiled::WARM;
use compiled::{Blocks, Ran};
use gen7::{Thread, World};
use message::Sent;
use parallax_isa::{
    Device, Image as _, LoadError, Model, Outcome, Step,
    eu::{Case, Eu, Reading, Reads, State, case::Surroundings, state::REGISTERS},
    shared::{LaunchMemory, SharedFunctions},
};
use program::{Action, Program};

use crate::{
    machine_code::Compiling,
    shared::{self, Around, SharedFunction},
};

/// Runs programs of execution units: by itself those of the G45 and its predecessors, as a thread of
/// `gen7` those of later ones.
pub struct Executor {
    program: Program,
    /// The program of a device of Gen7 or later.
    thread: Option<Box<Thread>>,
    /// When blocks become machine code.
    compiling: Compiling,
    blocks: Blocks,
    state: Box<Aligned>,
    /// The state a case starts from, for `restart`.
    initial: Box<State>,
    /// Memory of a program of Gen7 or later may be other than that: no message changed it, but who asked
    /// for the state may have.
    memory_differs: bool,
    steps_taken: u64,
    step_limit: u64,
    surroundings: Surroundings,
    /// What answers messages, if something does.
    shared_function: Option<SharedFunction>,
    /// What messages find beside memory.
    around: Around,
    /// Room for replies.
    reply: shared::Reply,
    device: Device,
    /// Events that have arrived.
    arrived: usize,
    breakpoints: Breakpoints,
    /// A mask stack exception of the last instruction, which enters the system routine next.
    raised: Option<&'static str>,
    /// How the run ended, if it did by something that cannot be seen in the state.
    ended: Option<Outcome>,
}

/// A state whose registers do not straddle cache lines more than they must.
#[repr(align(64))]
struct Aligned(State);

impl Default for Executor {
    fn default() -> Self {
        Self::new()
    }
}

impl Executor {
    /// An executor with an empty program.
    #[must_use]
    pub fn new() -> Self {
        Self {
            program: Program::default(),
            thread: None,
            compiling: Compiling::usual(WARM),
            blocks: Blocks::default(),
            state: Box::new(Aligned(State::new())),
            initial: Box::default(),
            memory_differs: true,
            steps_taken: 0,
            step_limit: 0,
            surroundings: Surroundings::default(),
            shared_function: None,
            around: Around::default(),
            reply: shared::Reply::default(),
            device: Device::G45,
            arrived: 0,
            breakpoints: Breakpoints::default(),
            raised: None,
            ended: None,
        }
    }

    /// An executor that compiles no block.
    #[must_use]
    pub fn interpreting() -> Self {
        Self { compiling: Compiling::Never, ..Self::new() }
    }

    /// An executor that compiles every block that it can, before that has run at all.
    #[must_use]
    pub fn compiling_at_once() -> Self {
        Self { compiling: Compiling::After(0), ..Self::new() }
    }

    /// The same, which compares each compiled block at its end with what the interpreter makes of it:
    /// where they differ, the run ends as undefined and says so.
    #[must_use]
    pub fn checking_blocks() -> Self {
        Self { compiling: Compiling::Checked, ..Self::new() }
    }

    /// An executor of a case whose messages are all delivered, none a micro-op.
    #[cfg(test)]
    fn delivering(case: &Case) -> Self {
        let mut executor = Self::new();
        executor.load(case).expect("it loads");
        executor.program = Program::load(case.device, &case.program, None).expect("it loads again");
        executor
    }

    /// Whether the first step of a case runs as a micro-op, as data instructions do.
    #[cfg(test)]
    fn has_micro_op(case: &Case) -> bool {
        let mut executor = Self::new();
        executor.load(case).expect("it loads");
        matches!(executor.program.steps[0].action, Action::Data)
    }

    /// Instructions of the loaded program that ran as compiled machine code.
    #[must_use]
    pub fn compiled_instructions(&self) -> u64 {
        match &self.thread {
            Some(thread) => thread.compiled_instructions(),
            None => self.blocks.compiled,
        }
    }

    /// Goes back to the first step of the loaded case.
    pub fn restart(&mut self) {
        let sends = self.thread.as_ref().is_none_or(|thread| thread.sends());
        if sends || std::mem::take(&mut self.memory_differs) {
            self.state.0.take_over(&self.initial, self.device);
        } else {
            self.state.0.image_mut()[REGISTERS].copy_from_slice(&self.initial.image()[REGISTERS]);
        }
        if self.has_graphics_memory() {
            self.state.0.take_over_early_memory(&self.initial);
        }
        self.around.restart();
        self.steps_taken = 0;
        self.arrived = 0;
        self.breakpoints = Breakpoints::default();
        self.raised = None;
        self.ended = None;
        if let Some(thread) = &mut self.thread {
            thread.restart(&self.initial);
        }
    }

    /// What a program of Gen7 or later runs with.
    fn later(&mut self) -> Option<(&mut Thread, &mut State, World<'_>)> {
        let thread = self.thread.as_deref_mut()?;
        let world = World {
            surroundings: &self.surroundings,
            shared_function: self.shared_function,
            step_limit: self.step_limit,
            compiling: self.compiling,
        };
        Some((thread, &mut self.state.0, world))
    }

    /// Whether messages can reach graphics memory.
    fn has_graphics_memory(&self) -> bool {
        match &self.thread {
            Some(thread) => thread.has_graphics_memory(),
            None => self.around.has_memory(),
        }
    }

    /// Executes until the run ends.
    pub fn run(&mut self) -> Outcome {
        loop {
            if let Step::Finished(outcome) = self.run_for(u64::MAX) {
                return outcome;
            }
        }
    }

    /// Executes the data instructions up to the next other instruction, if the bound on steps taken
    /// and events allow all of them.
    fn run_block(&mut self, bound: u64) {
        let Some(first) = self.program.step_at(self.state.0.ip) else { return };
        let end = self.program.steps[first].block_end as usize;
        let count = (end - first) as u64;
        let last = self.steps_taken + count;
        let event = self.surroundings.events.get(self.arrived).map(|event| event.step);
        // Nothing arrives within a block.
        let bound = event.map_or(bound, |step| step.min(bound));
        if count == 0
            || self.ended.is_some()
            || self.raised.is_some()
            || last > bound
            || !exception::quiet(&self.state.0)
            || !self.breakpoints.is_empty()
        {
            return;
        }
        let state = &mut self.state.0;
        let left = bound - self.steps_taken;
        match self.blocks.run(self.compiling, &self.program, first..end, state, left) {
            Ran::Compiled => {}
            Ran::Steps(steps) => {
                self.steps_taken += steps;
                return;
            }
            Ran::Not => {
                compiled::interpret(self.program.block(first, end), state);
            }
            Ran::Otherwise => {
                let (ip, end) = (state.ip, self.program.steps[end - 1].next);
                let why = format!(
                    "the compiled block of bytes {ip} to {end} ends otherwise than interpreted"
                );
                self.ended = Some(Outcome::Undefined(why));
            }
        }
        self.state.0.ip = self.program.steps[end - 1].next;
        self.steps_taken = last;
    }

    /// One step; an outcome if the run is over. What ends it as undefined changes nothing.
    fn advance(&mut self) -> Option<Outcome> {
        let State { ip, control, notification, .. } = self.state.0;
        let outcome = self.attempt();
        if let Some(Outcome::Undefined(_)) = outcome {
            // What arrived or was noticed on the way.
            let state = &mut self.state.0;
            (state.ip, state.control, state.notification) = (ip, control, notification);
        }
        outcome
    }

    fn attempt(&mut self) -> Option<Outcome> {
        if self.ended.is_some() {
            return self.ended.clone();
        }
        if self.steps_taken >= self.step_limit {
            return Some(Outcome::StepLimit);
        }
        let state = &mut self.state.0;
        let (events, device) = (&self.surroundings, self.device);
        let (arrived, breakpoints) = (&mut self.arrived, &mut self.breakpoints);
        exception::arrive(state, events, arrived, self.steps_taken, device, breakpoints);
        let ip = state.ip;
        let index = self.program.step_at(ip);
        let breakpoint = index.is_some_and(|index| {
            let step = &self.program.steps[index];
            step.breakpoint
                || !breakpoints.is_empty()
                    && exception::stops_at_breakpoints(state)
                    && breakpoints.hit(ip, step.looked)
        });
        if breakpoint || self.raised.is_some() || !exception::quiet(state) {
            // As Breakpoint Suppress stands before it lets the instruction run.
            let held = exception::held(state).map(|exception| exception.name);
            let entered = if let Some(name) = self.raised.take() {
                Some(name)
            } else if exception::breaks(state, breakpoint, exception::held) {
                Some(exception::BREAKPOINT.name)
            } else {
                held
            };
            if let Some(name) = entered {
                return self.enter_system_routine(name);
            }
        }
        let Some(index) = index else {
            if ip != self.program.length {
                return Some(Outcome::Undefined(format!("no instruction starts at byte {ip}")));
            }
            // A breakpoint that was let pass is not looked at again.
            self.ended = Some(Outcome::Halted);
            return self.ended.clone();
        };
        let step = &self.program.steps[index];
        match &step.action {
            Action::Data => {
                let op = &self.program.ops[step.op as usize];
                if op.guarded && op.escapes(state) {
                    let why = "a channel writes outside the registers";
                    return Some(Outcome::Undefined(why.into()));
                }
                state.ip = step.next;
                let before = state.control[1];
                op.run(state);
                exception::drop_reserved(state, before, self.device);
            }
            Action::Flow(flow) => {
                let status = state.control[1];
                state.ip = step.next;
                let stall = self.program.flows[*flow as usize].run(state);
                if stall.is_some() && self.arrived == self.surroundings.events.len() {
                    let why = "wait for a notification that never comes";
                    return Some(Outcome::Undefined(why.into()));
                }
                self.raised = exception::mask_stack(state, status);
            }
            Action::Nop => state.ip = step.next,
            Action::Illegal => {
                if exception::ILLEGAL_OPCODE.happens(state) {
                    return self.enter_system_routine(exception::ILLEGAL_OPCODE.name);
                }
                state.ip = step.next;
            }
            Action::Send { implied_move, messages } => {
                // Only the first of two messages can be refused: what refuses the second refuses it too.
                for (message, op) in messages.clone().zip(step.op..) {
                    let implied_move = implied_move.then(|| &self.program.ops[op as usize]);
                    let message = &self.program.messages[message as usize];
                    let (function, around) = (self.shared_function, &mut self.around);
                    match message.send(state, implied_move, function, around, &mut self.reply) {
                        Ok(Sent::Answered) => {}
                        Ok(Sent::EndOfThread) => self.ended = Some(Outcome::EndOfThread),
                        Err(why) => return Some(Outcome::Undefined(why)),
                    }
                }
                state.ip = step.next;
            }
            Action::Uncovered(why) => return Some(Outcome::Undefined(why.clone())),
        }
        self.steps_taken += 1;
        self.ended.clone()
    }

    /// Goes to the system routine, which is a step; without one the run ends.
    fn enter_system_routine(&mut self, exception: &str) -> Option<Outcome> {
        match self.surroundings.system_routine {
            Some(ip) => {
                exception::CONTROL.enter(&mut self.state.0, ip);
                self.steps_taken += 1;
            }
            None => self.ended = Some(Outcome::Exception(exception.to_owned())),
        }
        self.ended.clone()
    }
}

/// What the executor's decoder takes the instruction at the start of `code` for, or why it is none; `None` on
/// devices before Gen7.
#[must_use]
pub fn reading(device: Device, code: &[u8]) -> Option<Result<Reading, String>> {
    Some(gen7::reading(gen7::Generation::of(device)?, code))
}

impl Reads for Executor {
    fn reading(&self, device: Device, code: &[u8]) -> Option<Result<Reading, String>> {
        reading(device, code)
    }
}

impl Model for Executor {
    type Machine = Eu;

    const NAME: &'static str = "executor";

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        let around = Around::of(&case.surroundings.shared_functions, case.device);
        self.thread = None;
        self.blocks.clear();
        if let Some(generation) = gen7::Generation::of(case.device) {
            self.thread = Some(Box::new(Thread::load(generation, &case.program, around)?));
            self.program = Program::default();
            self.around = Around::default();
        } else {
            let functions = &case.surroundings.shared_functions;
            // What answers each function is known then, and never changes.
            let known = match functions {
                SharedFunctions::Loopback => None,
                _ => Some(&around),
            };
            self.program = Program::load(case.device, &case.program, known)?;
            self.around = around;
        }
        *self.initial = *case.state;
        self.state.0 = *case.state;
        self.step_limit = case.step_limit;
        self.surroundings = case.surroundings.clone();
        let functions = &case.surroundings.shared_functions;
        self.shared_function = shared::behind(functions, case.device);
        self.device = case.device;
        self.restart();
        Ok(())
    }

    /// Executes one instruction.
    fn step(&mut self) -> Step {
        let outcome = match self.later() {
            Some((thread, state, world)) => thread.advance(state, &world),
            None => self.advance(),
        };
        match outcome {
            Some(outcome) => Step::Finished(outcome),
            None => Step::Continue,
        }
    }

    fn restart(&mut self, _: &Case) -> Result<(), LoadError> {
        self.restart();
        Ok(())
    }

    fn start_again(&mut self, case: &Case) -> Result<(), LoadError> {
        self.initial.take_over(&case.state, self.device);
        self.memory_differs = true;
        if self.has_graphics_memory() {
            self.initial.take_over_early_memory(&case.state);
        }
        self.restart();
        Ok(())
    }

    /// Executes blocks of data instructions as a whole.
    fn run_for(&mut self, steps: u64) -> Step {
        if let Some((thread, state, world)) = self.later() {
            return thread.run_for(state, &world, steps);
        }
        let end = self.steps_taken.saturating_add(steps);
        let bound = end.min(self.step_limit);
        while self.steps_taken < end {
            self.run_block(bound);
            if self.steps_taken < end
                && let Some(outcome) = self.advance()
            {
                return Step::Finished(outcome);
            }
        }
        Step::Continue
    }

    fn exchange_memory(&mut self, memory: &mut Option<Box<LaunchMemory>>) -> bool {
        let thread = self.thread.as_deref_mut();
        thread.map(|thread| thread.exchange_memory(memory)).is_some()
    }

    fn state(&self) -> &State {
        &self.state.0
    }

    fn state_mut(&mut self) -> &mut State {
        self.memory_differs = true;
        &mut self.state.0
    }
}
