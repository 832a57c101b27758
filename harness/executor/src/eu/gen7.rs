//! Execution units of Gen7 and later: three sources, 32 channels, a place in the program for each.

mod arf;
mod bits;
mod compaction;
mod compare;
mod compiled;
mod compute;
mod decode;
mod dependency;
mod exact;
mod exception;
mod fields;
mod float;
mod float_ops;
mod flow;
mod gen12;
mod instruction;
mod integer;
mod lanes;
mod lower;
mod macros;
mod mask;
mod math;
mod message;
mod modes;
mod movement;
mod native;
mod opcodes;
mod operand;
mod operation;
mod program;
mod reading;
mod result;
mod signals;
mod target;
mod vector;
mod word;

use parallax_isa::{
    self as isa, LoadError, Outcome,
    eu::{State, case::Surroundings},
    shared::LaunchMemory,
};

use compiled::Blocks;
pub(super) use fields::Generation;
use flow::Stop;
use message::Sent;
use program::{Action, Program, Step};
pub(super) use reading::reading;

use crate::{
    eu::{
        compiled::Ran,
        exception::{BREAKPOINT, ILLEGAL_OPCODE, breaks, quiet},
    },
    machine_code::Compiling,
    shared::{Around, SharedFunction},
};

/// A thread of Gen7 or later: its program and how far it is. The state is its owner's.
pub(super) struct Thread {
    program: Program,
    steps_taken: u64,
    /// Events that have arrived.
    arrived: usize,
    /// How the run ended, if it did by something that cannot be seen in the state.
    ended: Option<Outcome>,
    blocks: Blocks,
    /// What messages find beside the memory of the case.
    around: Around,
}

/// What a thread runs in.
pub(super) struct World<'a> {
    pub(super) surroundings: &'a Surroundings,
    pub(super) shared_function: Option<SharedFunction>,
    pub(super) step_limit: u64,
    /// When blocks become machine code.
    pub(super) compiling: Compiling,
}

impl Thread {
    /// Loads a program.
    pub(super) fn load(
        generation: Generation,
        bytes: &[u8],
        around: Around,
    ) -> Result<Self, LoadError> {
        let program = Program::load(generation, bytes)?;
        Ok(Self {
            program,
            steps_taken: 0,
            arrived: 0,
            ended: None,
            blocks: Blocks::default(),
            around,
        })
    }

    /// Whether messages can reach graphics memory.
    pub(super) fn has_graphics_memory(&self) -> bool {
        self.around.has_memory()
    }

    /// Whether the program has messages, without which no memory changes.
    pub(super) fn sends(&self) -> bool {
        self.program.sends
    }

    /// Instructions that ran as compiled machine code.
    pub(super) fn compiled_instructions(&self) -> u64 {
        self.blocks.compiled
    }

    /// Goes back to the first step, before which the state is this one.
    pub(super) fn restart(&mut self, initial: &State) {
        self.steps_taken = 0;
        self.arrived = 0;
        self.ended = None;
        self.around.launch = None;
        self.around.begin(&initial.grf);
    }

    /// Exchanges the memory of a launch.
    pub(super) fn exchange_memory(&mut self, memory: &mut Option<Box<LaunchMemory>>) {
        std::mem::swap(&mut self.around.launch, memory);
    }

    /// Waits for the others of its group, if there are any.
    fn wait_for_group(&mut self) -> bool {
        let group = self.around.launch.as_deref_mut().map(|launch| &mut launch.group);
        group.filter(|group| group.threads > 1).map(|group| group.waits = true).is_some()
    }

    /// Executes some steps, blocks of data instructions as a whole.
    pub(super) fn run_for(&mut self, state: &mut State, world: &World, steps: u64) -> isa::Step {
        let end = self.steps_taken.saturating_add(steps);
        let bound = end.min(world.step_limit);
        while self.steps_taken < end {
            self.run_block(state, world, bound);
            if self.steps_taken < end
                && let Some(outcome) = self.advance(state, world)
            {
                return isa::Step::Finished(outcome);
            }
        }
        isa::Step::Continue
    }

    /// Executes the data instructions up to the next other instruction, if the bound on steps taken,
    /// events and waiting channels allow all of them.
    fn run_block(&mut self, state: &mut State, world: &World, bound: u64) {
        let Some(first) = self.program.step_at(state.ip) else { return };
        let Step { at, block_end, .. } = self.program.steps[first];
        let end = block_end as usize;
        let count = (end - first) as u64;
        let last = self.steps_taken + count;
        let event = world.surroundings.events.get(self.arrived).map(|event| event.step);
        if count == 0
            || self.ended.is_some()
            || last > bound
            || event.is_some_and(|step| step < last)
            || !quiet(state)
        {
            return;
        }
        let behind = self.program.steps[end - 1].next;
        let mut is_block = mask::is_single_flow(state);
        if flow::any_waits(state) && !is_block {
            flow::wake(state, at, false);
            if flow::waits_within(state, at, behind) {
                return;
            }
            is_block = flow::any_waits(state);
        }
        let active = mask::active(self.program.generation, state);
        let plain = state.control[0] & modes::NOT_PLAIN == 0;
        let (program, block) = (&self.program, self.program.block(first, end));
        if plain {
            // Branches act on each channel for itself; nothing arrives meanwhile.
            let bound = event.map_or(bound, |step| step.min(bound));
            let left = (!is_block).then(|| bound - self.steps_taken);
            match self.blocks.run(world.compiling, program, first..end, state, active, left) {
                Ran::Steps(steps) => {
                    self.steps_taken += steps;
                    return;
                }
                Ran::Otherwise => {
                    let why = format!(
                        "the compiled block of bytes {at} to {behind} ends otherwise than interpreted"
                    );
                    self.ended = Some(Outcome::Undefined(why));
                }
                Ran::Not => compiled::interpret(block, state, active),
                Ran::Compiled => {}
            }
        } else {
            compiled::interpret(block, state, active);
        }
        state.ip = behind;
        self.steps_taken = last;
    }

    /// One step; an outcome if the run is over. What ends it as undefined changes nothing.
    pub(super) fn advance(&mut self, state: &mut State, world: &World) -> Option<Outcome> {
        let State { ip, control, notification_count, channel_ip, .. } = *state;
        let State { thread_dependency, timestamp_event, .. } = *state;
        let outcome = self.attempt(state, world);
        if let Some(Outcome::Undefined(_)) = outcome {
            // What arrived or was noticed on the way.
            (state.ip, state.control) = (ip, control);
            (state.notification_count, state.channel_ip) = (notification_count, channel_ip);
            (state.thread_dependency, state.timestamp_event) = (thread_dependency, timestamp_event);
        }
        outcome
    }

    fn attempt(&mut self, state: &mut State, world: &World) -> Option<Outcome> {
        if self.ended.is_some() {
            return self.ended.clone();
        }
        if self.steps_taken >= world.step_limit {
            return Some(Outcome::StepLimit);
        }
        exception::arrive(state, world.surroundings, &mut self.arrived, self.steps_taken);
        let ip = state.ip;
        let index = self.program.step_at(ip);
        let breakpoint = index.is_some_and(|index| self.program.steps[index].breakpoint);
        if breakpoint || !quiet(state) {
            // As Breakpoint Suppress stands before it lets the instruction run.
            let held = exception::held(state).map(|exception| exception.name);
            let entered = match breaks(state, breakpoint, exception::held) {
                true => Some(BREAKPOINT.name),
                false => held,
            };
            if let Some(name) = entered {
                return self.enter_system_routine(state, world, name);
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
        let Step { action, at, next, reads_clock, .. } = &self.program.steps[index];
        // An instruction in whose place the system routine is entered is not executed.
        if !matches!(action, Action::Illegal) {
            let is_while = matches!(action, Action::Flow(flow) if flow.is_while());
            flow::wake(state, *at, is_while);
        }
        match action {
            Action::Data(op) => {
                let op = &self.program.ops[*op as usize];
                let active = mask::active(self.program.generation, state);
                if op.guarded && op.escapes(state, active) {
                    let why = "a channel writes outside the registers";
                    return Some(Outcome::Undefined(why.into()));
                }
                state.ip = *next;
                (op.run)(op, state, active);
                if *reads_clock {
                    state.timestamp_event = 0;
                }
            }
            Action::Flow(flow) => {
                state.ip = *next;
                match flow.run(state) {
                    Ok(()) => {}
                    Err(Stop::Stalls) if self.arrived < world.surroundings.events.len() => {}
                    Err(Stop::Stalls) if self.wait_for_group() => {}
                    Err(Stop::Stalls) => {
                        let why = "wait for a notification that never comes";
                        return Some(Outcome::Undefined(why.into()));
                    }
                    Err(Stop::Undefined(why)) => return Some(Outcome::Undefined(why.into())),
                }
            }
            Action::Macro(op) => {
                if let Err(why) = op.run(state, mask::active(self.program.generation, state)) {
                    return Some(Outcome::Undefined(why.into()));
                }
                state.ip = *next;
            }
            Action::Nop => state.ip = *next,
            Action::Illegal => {
                if ILLEGAL_OPCODE.happens(state) {
                    let name = ILLEGAL_OPCODE.name;
                    return self.enter_system_routine(state, world, name);
                }
                flow::wake(state, *at, false);
                state.ip = *next;
            }
            Action::Send(message) => {
                match message.send(state, world.shared_function, &mut self.around) {
                    Ok(Sent::Answered) => state.ip = *next,
                    Ok(Sent::EndOfThread) => {
                        state.ip = *next;
                        self.ended = Some(Outcome::EndOfThread);
                    }
                    Ok(Sent::Waits) if self.arrived < world.surroundings.events.len() => {}
                    Ok(Sent::Waits) => {
                        let why = "sendc waits for the end of a thread that never comes";
                        return Some(Outcome::Undefined(why.into()));
                    }
                    Err(why) => return Some(Outcome::Undefined(why)),
                }
            }
            Action::Uncovered(why) => return Some(Outcome::Undefined(why.clone())),
        }
        self.steps_taken += 1;
        self.ended.clone()
    }

    /// Goes to the system routine, which is a step; without one the run ends.
    fn enter_system_routine(
        &mut self,
        state: &mut State,
        world: &World,
        exception: &str,
    ) -> Option<Outcome> {
        match world.surroundings.system_routine {
            Some(ip) => {
                exception::control(self.program.generation).enter(state, ip);
                self.steps_taken += 1;
            }
            None => self.ended = Some(Outcome::Exception(exception.to_owned())),
        }
        self.ended.clone()
    }
}
