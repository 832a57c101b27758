//! Intel execution units: G45 and its predecessors (G45 volume 4, chapters 9 to 14), Gen7 (volume 4,
//! part 3) and Gen9.

#[macro_use]
mod by_opcode;

mod accumulator;
mod accumulator_write;
mod arithmetic;
mod bits;
mod branches;
mod breakpoint;
mod channels;
mod compare;
mod compression;
mod condition;
mod convert;
mod exception;
mod execution;
mod flags;
mod flow;
mod gen12;
mod immediate;
mod instruction;
mod logic;
mod macros;
mod mask;
mod math;
mod message;
mod movement;
mod number;
mod operand;
mod properties;
mod readings;
mod record;
mod region;
mod result;
mod round;
mod send;
mod settings;
mod stack;
mod sum;
mod system_routine;
mod tables;
mod ternary;
mod thread;
mod tolerance;
mod vector;

use std::{
    collections::VecDeque,
    mem::offset_of,
    ops::Range,
    sync::atomic::{AtomicU64, Ordering},
};

use parallax_isa::{
    Device, Expectation, Extent, Image, LoadError, Model, Outcome, Step,
    device::Generation,
    eu::{
        Case, Eu, Instruction, Opcode, State,
        case::Event,
        instruction::Compression,
        operand::Source,
        program::{Program, ProgramError},
        state::{ACCUMULATOR_COUNT, REGISTERS},
    },
    shared::{LaunchMemory, memory::LOCAL_BYTES},
};

use breakpoint::BreakpointRegisters;
pub use compression::halves;
use exception::Exception;
pub use number::{ExecutionType, FloatMode};
pub use record::{
    AccessStep, CacheElement, CacheSpace, CacheStep, DataStep, ExceptionStep, MacroChannel,
    MacroStep, MathPath, MathStep, MessageStep, Met, Move, Observed, Observer, PixelStep, Pixels,
    Place, ReachedTexel, Record, SampleStep, SampledTexel, Sent, TexelSource, ThreadStep,
    WriteParts, sampler,
};
use thread::{Executed, Thread, Unpredictable, is_timestamp};

use crate::shared;

/// The number of the next program that is loaded.
static PROGRAMS: AtomicU64 = AtomicU64::new(1);

/// The reference model of an execution unit thread.
#[derive(Debug)]
pub struct Reference {
    thread: Thread,
    program: Option<Program>,
    steps: u64,
    step_limit: u64,
    finished: Option<Outcome>,
    /// What is still to arrive.
    events: VecDeque<Event>,
    /// The registers before the last step.
    before: Box<State>,
}

/// An instruction of the program.
struct Next {
    instruction: Instruction,
    /// Its size.
    bytes: u32,
}

/// What an executed instruction leads to.
enum Flow {
    /// The next instruction.
    Continue,
    /// The same instruction again: `wait` has nothing to take.
    Stall,
    /// The end of the thread.
    EndOfThread,
}

impl Default for Reference {
    fn default() -> Self {
        Self::new()
    }
}

impl Reference {
    /// A reference with an empty program.
    #[must_use]
    pub fn new() -> Self {
        let thread = Thread {
            device: Device::G45,
            state: Box::new(State::new()),
            accumulator_mode: [[None; 16]; ACCUMULATOR_COUNT],
            expectations: Vec::new(),
            written_general: 0,
            written: Vec::new(),
            instruction_offset: 0,
            next_offset: 0,
            passes_next: false,
            breakpoints: BreakpointRegisters::default(),
            system_routine: None,
            shared_function: None,
            launch: None,
            local_bytes: LOCAL_BYTES,
            environment: None,
            sampling: None,
            rendering: None,
            start: shared::ThreadStart::default(),
            past: shared::Past::default(),
            pending: None,
            readings: thread::Readings::default(),
            program_number: 0,
            record: Box::default(),
            division: [0; 2],
            jumps: false,
            sent: None,
            arrived: Vec::new(),
            breakpoint_registers: [false; 2],
            observer: None,
        };
        Self {
            thread,
            program: None,
            steps: 0,
            step_limit: 0,
            finished: None,
            events: VecDeque::new(),
            before: Box::new(State::new()),
        }
    }

    /// The same reference, lending the record of each instruction to an observer.
    #[must_use]
    pub fn observed_by(mut self, observer: Observer) -> Self {
        self.thread.observer = Some(observer);
        self
    }

    /// Takes up what a case has beside its program and state.
    fn start(&mut self, case: &Case) {
        self.thread.accumulator_mode = [[None; 16]; ACCUMULATOR_COUNT];
        self.thread.expectations.clear();
        self.thread.written_general = 0;
        self.thread.written.clear();
        self.thread.breakpoints = BreakpointRegisters::default();
        self.thread.system_routine = case.surroundings.system_routine;
        let functions = &case.surroundings.shared_functions;
        self.thread.shared_function = shared::behind(functions, case.device);
        self.thread.launch = None;
        self.thread.local_bytes = functions.local_bytes();
        self.thread.environment = functions.environment().cloned().map(Box::new);
        self.thread.sampling = functions.sampling().cloned().map(Box::new);
        self.thread.rendering = functions.rendering().cloned().map(Box::new);
        self.thread.start = *case.state.grf.first_chunk().expect("there are more registers");
        self.thread.past = shared::Past::default();
        self.thread.pending = None;
        self.thread.passes_next = false;
        self.events = case.surroundings.events.iter().copied().collect();
        self.steps = 0;
        self.step_limit = case.step_limit;
        self.finished = None;
    }

    /// The instruction that starts at a byte of the program.
    fn instruction_at(&self, offset: u32) -> Option<Next> {
        let program = self.program.as_ref()?;
        let index = program.index_at(offset as usize)?;
        let bytes = program.bytes_of(index).len() as u32;
        Some(Next { instruction: program.instructions()[index].instruction, bytes })
    }

    /// Executes the next instruction, or says how the run ends. What has no defined effect has
    /// none: the registers stay as they were before the step.
    fn next(&mut self) -> Result<Flow, Outcome> {
        self.copy_before_step();
        let flow = self.next_or_end();
        if let Err(Outcome::Undefined(_)) = flow {
            // A message that is not answered has not written memory.
            let registers = &self.before.image()[REGISTERS];
            self.thread.state.image_mut()[REGISTERS].copy_from_slice(registers);
            self.thread.expectations.clear();
            self.thread.written.clear();
        }
        flow
    }

    /// Keeps the state before a step: of general registers and memory what the step before wrote, and
    /// the other registers.
    fn copy_before_step(&mut self) {
        let mut written = std::mem::take(&mut self.thread.written_general);
        while written != 0 {
            let register = written.trailing_zeros() as usize;
            self.before.grf[register] = self.thread.state.grf[register];
            written &= written - 1;
        }
        let state = self.thread.state.image();
        let others = size_of_val(&self.before.grf)..REGISTERS.end;
        for range in std::iter::once(others).chain(self.thread.written.drain(..)) {
            self.before.image_mut()[range.clone()].copy_from_slice(&state[range]);
        }
        debug_assert!(self.before.image()[REGISTERS] == state[REGISTERS], "all that was written");
    }

    fn next_or_end(&mut self) -> Result<Flow, Outcome> {
        if self.steps >= self.step_limit {
            return Err(Outcome::StepLimit);
        }
        self.thread.arrived.clear();
        while let Some(event) = self.events.pop_front_if(|event| event.step <= self.steps) {
            self.thread.arrived.push(event.kind);
            self.thread.arrive(event.kind);
        }
        let offset = self.thread.state.ip;
        let next = self.instruction_at(offset);
        let instruction = next.as_ref().map(|next| &next.instruction);
        if let Some(exception) = self.thread.recognise(instruction) {
            return self.except(exception, instruction);
        }
        let length = self.program.as_ref().map_or(0, |program| program.bytes().len());
        if offset as usize == length {
            return Err(Outcome::Halted);
        }
        let Some(Next { instruction, bytes }) = next else {
            let sentence = format!("no instruction starts at byte {offset} of the program");
            return Err(Outcome::Undefined(sentence));
        };
        if instruction.opcode == Opcode::Illegal
            && let Some(exception) = self.thread.recognise_illegal()
        {
            return self.except(exception, Some(&instruction));
        }
        self.thread.instruction_offset = offset;
        self.thread.next_offset = offset + bytes;
        (self.thread.division, self.thread.jumps) = ([0; 2], false);
        self.thread.sent = None;
        if self.thread.since(Generation::Gen7) {
            self.thread.wake(&instruction);
        }
        match execute(&mut self.thread, &instruction) {
            Ok(Flow::Stall) if self.events.is_empty() && !self.thread.waits_for_group() => {
                // Decision D-eu-wait-for-ever.
                Err(Outcome::Undefined("waits for something that never comes".to_owned()))
            }
            Ok(Flow::Stall) => {
                if let Some(launch) = &mut self.thread.launch {
                    launch.group.waits = true;
                }
                self.lend(&instruction, offset + bytes);
                Ok(Flow::Continue)
            }
            Ok(flow) => {
                let next = self.thread.next_offset;
                self.thread.state.ip = next;
                if std::mem::take(&mut self.thread.passes_next) {
                    let Some(Next { bytes, .. }) = self.instruction_at(next) else {
                        let sentence = "a break out of a loop that has no end".to_owned();
                        return Err(Outcome::Undefined(sentence));
                    };
                    self.thread.state.ip += bytes;
                }
                self.lend(&instruction, offset + bytes);
                Ok(flow)
            }
            Err(Unpredictable(sentence)) => Err(Outcome::Undefined(sentence)),
        }
    }
}

impl Reference {
    /// Enters the system routine instead of executing an instruction, and lends that to the observer.
    fn except(
        &mut self,
        exception: Exception,
        instruction: Option<&Instruction>,
    ) -> Result<Flow, Outcome> {
        let entered = self.thread.enter_system_routine(exception);
        if let Some(observe) = self.thread.observer {
            observe(&Observed::Exception(ExceptionStep {
                device: self.thread.device,
                status: exception.status(),
                enters: entered.is_ok(),
                instruction,
                breakpoint_registers: self.thread.breakpoint_registers,
                arrived: &self.thread.arrived,
                before: &self.before,
                after: &self.thread.state,
            }));
        }
        entered.map(|()| Flow::Continue)
    }

    /// Lends what an instruction did to the thread, which would go on at a byte of the program, to the observer.
    fn lend(&self, instruction: &Instruction, following: u32) {
        let (Some(observe), Some(program)) = (self.thread.observer, &self.program) else { return };
        observe(&Observed::Thread(ThreadStep {
            device: self.thread.device,
            program,
            program_number: self.thread.program_number,
            offset: self.thread.instruction_offset,
            instruction,
            following,
            division: self.thread.division,
            jumps: self.thread.jumps,
            message: self.thread.sent,
            arrived: &self.thread.arrived,
            before: &self.before,
            after: &self.thread.state,
        }));
    }
}

impl Model for Reference {
    type Machine = Eu;

    const NAME: &'static str = "reference";

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        case.device.execution_unit().map_err(|error| LoadError::Case(error.to_string()))?;
        let program = Program::decode_meaning(case.device, &case.program).map_err(load_error)?;
        if case.device.generation() >= Some(Generation::Gen12) {
            gen12::check(&program)?;
        }
        self.program = Some(program);
        self.thread.program_number = PROGRAMS.fetch_add(1, Ordering::Relaxed);
        self.thread.device = case.device;
        *self.thread.state = *case.state;
        *self.before = *case.state;
        self.start(case);
        Ok(())
    }

    fn start_again(&mut self, case: &Case) -> Result<(), LoadError> {
        self.thread.state.take_over(&case.state, case.device);
        self.before.take_over(&case.state, case.device);
        if case.surroundings.shared_functions.environment().is_some() {
            self.thread.state.take_over_early_memory(&case.state);
            self.before.take_over_early_memory(&case.state);
        }
        self.start(case);
        Ok(())
    }

    /// Executes one instruction, a compressed one whole.
    fn step(&mut self) -> Step {
        self.thread.expectations.clear();
        if let Some(outcome) = &self.finished {
            return Step::Finished(outcome.clone());
        }
        let next = self.next();
        let outcome = match next {
            Ok(Flow::Continue | Flow::Stall) => {
                self.steps += 1;
                return Step::Continue;
            }
            Ok(Flow::EndOfThread) => {
                self.steps += 1;
                Outcome::EndOfThread
            }
            Err(outcome) => outcome,
        };
        self.finished = Some(outcome.clone());
        Step::Finished(outcome)
    }

    fn exchange_memory(&mut self, memory: &mut Option<Box<LaunchMemory>>) -> bool {
        std::mem::swap(&mut self.thread.launch, memory);
        true
    }

    fn state(&self) -> &State {
        &self.thread.state
    }

    fn state_mut(&mut self) -> &mut State {
        self.thread.written_general = u128::MAX;
        &mut self.thread.state
    }
}

impl parallax_isa::Reference<Eu> for Reference {
    fn expectations(&self) -> &[Expectation] {
        &self.thread.expectations
    }

    fn written(&self) -> Option<&[Range<usize>]> {
        Some(&self.thread.written)
    }

    /// A step without open results is exact; one with some is if it changed anything else.
    fn is_exact(&self) -> bool {
        let open = self.thread.expectations.iter().filter(|open| !open.acceptance.is_exact());
        let open = open.map(|open| open.extent);
        if open.clone().next().is_none() {
            return true;
        }
        // Where a thread goes on is no result of what it computes.
        let open = open.chain([Extent::whole(offset_of!(State, ip), 4)]);
        let end = if self.thread.written.is_empty() { REGISTERS.end } else { size_of::<State>() };
        Extent::differ_outside(open, &self.before.image()[..end], &self.thread.state.image()[..end])
    }
}

/// Why a program cannot be loaded.
fn load_error(error: ProgramError) -> LoadError {
    match error {
        ProgramError::Decode { offset, error, .. } => {
            LoadError::Instruction { offset, message: error.to_string() }
        }
        error => LoadError::Case(error.to_string()),
    }
}

/// Whether an instruction is executed as two.
fn is_compressed(instruction: &Instruction) -> bool {
    instruction.compression == Compression::Compressed
}

/// Executes an instruction, a compressed one as its two halves.
fn execute(thread: &mut Thread, instruction: &Instruction) -> Executed<Flow> {
    match instruction.opcode {
        Opcode::Nop | Opcode::Nenop | Opcode::Illegal => return Ok(Flow::Continue),
        Opcode::Wait => {
            let taken = thread.wait(instruction)?;
            return Ok(if taken { Flow::Continue } else { Flow::Stall });
        }
        Opcode::Sync => {
            let taken = thread.sync(instruction)?;
            return Ok(if taken { Flow::Continue } else { Flow::Stall });
        }
        Opcode::Sendc | Opcode::Sendsc if thread.depends_on_a_thread() => {
            // Decision D-eu-thread-dependency.
            return Ok(Flow::Stall);
        }
        Opcode::Send | Opcode::Sendc | Opcode::Sends | Opcode::Sendsc
            if thread.since(Generation::Gen7) =>
        {
            let ends = send::send(thread, instruction)?;
            return Ok(if ends { Flow::EndOfThread } else { Flow::Continue });
        }
        Opcode::Send => {
            let ends = message::send(thread, instruction)?;
            return Ok(if ends { Flow::EndOfThread } else { Flow::Continue });
        }
        _ => {}
    }
    if thread.since(Generation::Gen7) {
        if let Some(executed) = branches::execute(thread, instruction) {
            return executed.map(|()| Flow::Continue);
        }
    } else if let Some(executed) = flow::execute(thread, instruction) {
        return executed.map(|()| Flow::Continue);
    }
    let Some(row) = instruction::data_instruction(instruction.opcode) else {
        let mnemonic = instruction.opcode.mnemonic();
        return Err(Unpredictable(format!("{mnemonic} is not part of the model")));
    };
    thread.in_each_reading(instruction, |thread| {
        if !is_compressed(instruction) {
            return row.execute(thread, instruction, None);
        }
        let mut halves = compression::halves(instruction, thread.device).into_iter();
        halves.try_for_each(|half| row.execute(thread, &half, Some(instruction)))
    })?;
    if thread.since(Generation::Gen7) && reads_timestamp(thread.device, instruction) {
        thread.state.timestamp_event = 0;
    }
    Ok(Flow::Continue)
}

/// Whether an instruction reads any part of `tm0`.
fn reads_timestamp(device: Device, instruction: &Instruction) -> bool {
    instruction.sources.iter().any(|source| match *source {
        Source::Register { register, .. } => is_timestamp(device, register),
        Source::Immediate { .. } => false,
    })
}
