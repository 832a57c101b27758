//! AMD R700: whole programs, 64 pixels at a time.
//!
//! A program is decoded once, at load, into control flow instructions and groups whose slots are
//! bound to lane kernels; a step then runs one control flow instruction or one group.

mod clause;
mod decode;
mod doubles;
mod fetch;
mod flow;
mod format;
mod group;
mod kernels;
mod memory;
mod simd;
mod texture;
mod written;

use parallax_isa::{
    LoadError, Model, Outcome, Step,
    r700::{
        Case, R700, State,
        case::ProgramType,
        state::{self, Frame, PixelStates, Register, STACK_FRAMES},
    },
};

use clause::{Scratch, Surroundings};
use decode::{AluClause, BranchKind, ControlFlow, Export, Fetch, FlowOperation, PixelMode};
use fetch::Registers;
use flow::Flow;
use group::ReadyGroup;
use simd::GroupRunner;
use written::Written;

/// Longest program, in dwords.
const LARGEST_PROGRAM: usize = 4 << 20;

/// A control flow instruction with the groups or the fetches of its clause.
struct Ready {
    flow: ControlFlow,
    groups: Vec<ReadyGroup>,
    fetches: Vec<Fetch>,
}

/// A state whose registers start where vectors do.
#[repr(C, align(64))]
struct AlignedState(State);

/// The executor of R700 programs.
pub struct Executor {
    case: Option<Case>,
    state: Box<AlignedState>,
    /// What the program can change of the registers and memories.
    written: Written,
    /// The state has values that no step of the loaded program wrote.
    foreign: bool,
    /// Control flow instructions by address.
    program: Vec<Ready>,
    /// Some instruction of the program pushes pixel states.
    pushes: bool,
    /// Number of the next group in the clause that is running.
    next_group: usize,
    steps: u64,
    scratch: Box<Scratch>,
    run_group: GroupRunner,
    finished: Option<Outcome>,
}

impl Default for Executor {
    fn default() -> Self {
        Self::new()
    }
}

impl Executor {
    /// An executor without a program.
    #[must_use]
    pub fn new() -> Self {
        Self {
            case: None,
            state: Box::new(AlignedState(State::new())),
            written: Written::default(),
            foreign: true,
            program: Vec::new(),
            pushes: false,
            next_group: 0,
            steps: 0,
            scratch: Scratch::new(),
            run_group: simd::group_runner().best(),
            finished: Some(Outcome::Halted),
        }
    }

    /// Takes up the loaded case again from its first step.
    pub fn restart(&mut self) {
        if let Some(case) = &self.case {
            if self.foreign {
                self.state.0.clone_from(&case.state);
            } else {
                self.written.restore(&mut self.state.0, &case.state);
            }
            self.foreign = false;
            self.steps = 0;
            self.next_group = 0;
            self.finished = None;
        }
    }

    /// Runs to the end.
    pub fn run(&mut self) -> Outcome {
        loop {
            if let Step::Finished(outcome) = self.step() {
                return outcome;
            }
        }
    }

    fn finish(&mut self, outcome: Outcome) -> Step {
        self.finished = Some(outcome.clone());
        Step::Finished(outcome)
    }

    /// One control flow instruction; one that cannot be done changes nothing.
    fn flow_step(&mut self) -> Result<Option<Outcome>, String> {
        let case = self.case.as_ref().ok_or("no program")?;
        let state = &mut self.state.0;
        let ready = ready_at(&self.program, state.cf)?;
        self.next_group = 0;
        // Others look before they change anything.
        let before = ready.flow.operation.pops_and_pushes().then(|| FlowSnapshot::of(state));
        run_flow(ready, case, self.pushes, state).inspect_err(|_| {
            if let Some(before) = before {
                before.restore(state);
            }
        })
    }

    /// One group; the last one also ends its clause.
    fn group_step(&mut self) -> Result<Option<Outcome>, String> {
        let case = self.case.as_ref().ok_or("no program")?;
        let state = &mut self.state.0;
        let ready = ready_at(&self.program, state.cf)?;
        let FlowOperation::Alu(clause) = ready.flow.operation else {
            return Err("not in a clause".to_owned());
        };
        let (mode, pushes) = (ready.flow.mode, self.pushes);
        let group = ready.groups.get(self.next_group).ok_or("past the end of the clause")?;
        let around = surroundings(case, &clause);
        if let Some(problem) = &group.problem {
            return Err(problem.clone());
        }
        let following = ready.groups.get(self.next_group + 1);
        if following.is_none() {
            flow_of(case, pushes, state)
                .check_after_clause(clause.kind)
                .map_err(|error| error.0)?;
        }
        (self.run_group)(group, &around, &mut self.scratch, state);
        self.next_group += 1;
        match following {
            Some(following) => state.group = following.address,
            None => {
                flow_of(case, pushes, state)
                    .after_clause(clause.kind, mode)
                    .map_err(|error| error.0)?;
                leave_clause(state);
            }
        }
        Ok(None)
    }
}

impl Model for Executor {
    type Machine = R700;

    const NAME: &'static str = "executor";

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        let sets = [&case.constants, &case.alternate_constants];
        if let Some(message) = sets.into_iter().find_map(texture::unloadable) {
            return Err(LoadError::Case(message));
        }
        self.program = decode_program(case).map_err(|error| LoadError::Instruction {
            offset: error.address as usize * 8,
            message: error.message,
        })?;
        self.pushes = self.program.iter().any(|ready| ready.flow.operation.pushes());
        self.written = Written::by(&self.program);
        self.case = Some(case.clone());
        self.foreign = true;
        self.restart();
        Ok(())
    }

    /// Runs one control flow instruction or one group of a clause; the last group also ends its
    /// clause.
    fn step(&mut self) -> Step {
        let Some(case) = &self.case else { return Step::Finished(Outcome::Halted) };
        if let Some(outcome) = &self.finished {
            return Step::Finished(outcome.clone());
        }
        if self.steps == case.step_limit {
            return self.finish(Outcome::StepLimit);
        }
        self.steps += 1;
        let result = if self.state.0.in_clause == 1 { self.group_step() } else { self.flow_step() };
        match result {
            Ok(None) => Step::Continue,
            Ok(Some(outcome)) => self.finish(outcome),
            Err(message) => self.finish(Outcome::Undefined(message)),
        }
    }

    fn state(&self) -> &State {
        &self.state.0
    }

    fn state_mut(&mut self) -> &mut State {
        // A value of another engine.
        self.foreign = true;
        &mut self.state.0
    }
}

fn ready_at(program: &[Ready], address: u32) -> Result<&Ready, String> {
    program
        .get(address as usize)
        .ok_or_else(|| format!("there is no control flow instruction at address {address}"))
}

/// Runs a control flow instruction; an ALU clause is entered, or passed over where no pixel
/// executes it.
fn run_flow(
    ready: &Ready,
    case: &Case,
    pushes: bool,
    state: &mut State,
) -> Result<Option<Outcome>, String> {
    let next = state.cf + 1;
    let mode = ready.flow.mode;
    let mut flow = flow_of(case, pushes, state);
    match &ready.flow.operation {
        FlowOperation::Nop => state.cf = next,
        FlowOperation::Branch(branch) => {
            let vertex = matches!(case.program_type, ProgramType::Vertex | ProgramType::Export);
            if branch.kind == BranchKind::CallFetch && !vertex {
                return Err("only vertex programs call the fetch subroutine".to_owned());
            }
            let target = flow.execute(branch, mode, next).map_err(|error| error.0)?;
            state.cf = target;
        }
        FlowOperation::Alu(clause) => enter_clause(clause, mode, case, pushes, state)?,
        FlowOperation::Export(export) => {
            let executing = flow.executing(mode);
            run_export(export, executing, case, state)?;
            state.cf = next;
        }
        FlowOperation::Fetch(clause) => {
            let executing = flow.passing(mode, clause.condition);
            run_fetches(&ready.fetches, executing, case, state)?;
            state.cf = next;
        }
        FlowOperation::MemoryWrite(write) => {
            let executing = flow.executing(mode);
            memory::write(write, executing, &case.buffers, Registers::of(case), state);
            state.cf = next;
        }
        &FlowOperation::Emit { condition, vertex, cut } => {
            if case.program_type != ProgramType::Geometry {
                return Err("only geometry programs emit vertices and cut strips".to_owned());
            }
            for pixel in fetch::ones(flow.passing(mode, condition)) {
                state.emitted[pixel] = state.emitted[pixel].wrapping_add(vertex.into());
                state.cut[pixel] = state.cut[pixel].wrapping_add(cut.into());
            }
            state.cf = next;
        }
    }
    // Entries that are left on the stack trouble the next program only (decision D-r700-end).
    Ok(ready.flow.end_of_program.then_some(Outcome::Halted))
}

fn enter_clause(
    clause: &AluClause,
    mode: PixelMode,
    case: &Case,
    pushes: bool,
    state: &mut State,
) -> Result<(), String> {
    for window in clause.constants.iter().filter(|window| window.length > 0) {
        let constants = if clause.alternate { &case.alternate_constants } else { &case.constants };
        if usize::from(window.buffer) >= constants.buffers.len() {
            return Err(format!("the case has no constant buffer {}", window.buffer));
        }
    }
    let mut flow = flow_of(case, pushes, state);
    flow.before_clause(clause.kind).map_err(|error| error.0)?;
    let executing = flow.executing(mode);
    if executing == 0 {
        flow.after_clause(clause.kind, mode).map_err(|error| error.0)?;
        leave_clause(state);
        return Ok(());
    }
    state.executing = executing;
    // Pixels that whole quad mode adds start with a predicate of 0.
    state.predicate = state.pixels.active;
    state.in_clause = 1;
    state.group = clause.address;
    Ok(())
}

/// A fetch clause as a whole; it is skipped if no pixel executes it.
fn run_fetches(
    fetches: &[Fetch],
    executing: u64,
    case: &Case,
    state: &mut State,
) -> Result<(), String> {
    if executing == 0 {
        return Ok(());
    }
    if let Some(problem) = fetches.iter().find_map(|fetch| fetch::problem(fetch, case)) {
        return Err(problem);
    }
    for fetch in fetches {
        fetch::run(fetch, executing, case, state);
    }
    Ok(())
}

/// What an instruction that pops and pushes changes, to be put back when it cannot push.
struct FlowSnapshot {
    stack: [Frame; STACK_FRAMES],
    stack_depth: u32,
    pixels: PixelStates,
}

impl FlowSnapshot {
    fn of(state: &State) -> Self {
        let &State { stack, stack_depth, pixels, .. } = state;
        Self { stack, stack_depth, pixels }
    }

    fn restore(self, state: &mut State) {
        Self { stack: state.stack, stack_depth: state.stack_depth, pixels: state.pixels } = self;
    }
}

/// On to the next control flow instruction: what lives inside one clause only goes.
fn leave_clause(state: &mut State) {
    state.previous = [[0; 64]; 5];
    state.ar = [[0; 64]; 4];
    state.predicate = 0;
    state.executing = 0;
    state.execute_set = 0;
    state.execute_value = 0;
    state.in_clause = 0;
    state.group = 0;
    state.cf += 1;
}

fn flow_of<'a>(case: &'a Case, pushes: bool, state: &'a mut State) -> Flow<'a> {
    Flow {
        state,
        booleans: case.bool_constants,
        loops: &case.loop_constants,
        fetch_program: case.fetch_program,
        stack_size: case.stack_size,
        pushes,
    }
}

fn surroundings<'a>(case: &'a Case, clause: &AluClause) -> Surroundings<'a> {
    Surroundings {
        constants: if clause.alternate { &case.alternate_constants } else { &case.constants },
        windows: clause.constants,
        profile: case.profile,
        gpr_count: case.gpr_count,
        first_temporary: 128 - case.clause_temporaries.min(128),
        global_count: case.global_gprs.min(state::GLOBAL_COUNT as u32),
        pixel_program: case.program_type == ProgramType::Pixel,
    }
}

/// EXPORT and EXPORT_DONE: registers to the output of each executing pixel that is valid.
fn run_export(
    export: &Export,
    executing: u64,
    case: &Case,
    state: &mut State,
) -> Result<(), String> {
    let executing = executing & state.valid;
    for step in 0..export.burst {
        let index = export.array_base + step;
        let Some(slot) = state::export_slot(u32::from(export.target), index) else {
            return Err(format!("there is no export {index} of type {}", export.target));
        };
        let base = u32::from(export.gpr) + step;
        let address = if export.relative { base + state.current_loop.index } else { base };
        let address = if address < 128 && (!export.relative || address < case.gpr_count) {
            address as usize
        } else {
            0
        };
        let source: Register = state.gpr[address];
        for (element, &select) in export.select.iter().enumerate() {
            let lanes = match select {
                0..=3 => source[usize::from(select)],
                4 => [0; 64],
                5 => [0x3F80_0000; 64],
                _ => continue,
            };
            let out = &mut state.exports[slot][element];
            for pixel in (0..64).filter(|pixel| executing >> pixel & 1 == 1) {
                out[pixel] = lanes[pixel];
            }
        }
        if executing != 0 {
            state.exported |= 1 << slot;
        }
    }
    Ok(())
}

/// Decodes the control flow instructions, which stand from address 0 to the first clause that one
/// of them runs, and their clauses (decision D-r700-step).
fn decode_program(case: &Case) -> Result<Vec<Ready>, decode::DecodeError> {
    let refuse = |address: u32, message: &str| {
        Err(decode::DecodeError { address, message: message.to_owned() })
    };
    if case.program.len() > LARGEST_PROGRAM || !case.program.len().is_multiple_of(2) {
        return refuse(0, "the program is too long or cut inside a 64-bit word");
    }
    let mut end = case.program.len() as u32 / 2;
    let mut program = Vec::new();
    let mut clauses = Vec::new();
    let mut ends = false;
    while (program.len() as u32) < end {
        let place = program.len() as u32;
        let flow = decode::control_flow(&case.program, place)?;
        let mut ready = Ready { flow, groups: Vec::new(), fetches: Vec::new() };
        let clause = match &ready.flow.operation {
            FlowOperation::Alu(clause) => {
                let around = surroundings(case, clause);
                for group in decode::groups(&case.program, clause, case.prefer_vector)? {
                    ready.groups.push(group::prepare(group, &around));
                }
                Some((clause.address, clause.count))
            }
            FlowOperation::Fetch(clause) => {
                ready.fetches = decode::fetches(&case.program, clause)?;
                Some((clause.address, 2 * clause.count))
            }
            _ => None,
        };
        if let Some((address, length)) = clause {
            if address <= place {
                return refuse(address, "a clause lies over control flow instructions");
            }
            end = end.min(address);
            clauses.push((address, length));
        }
        ends |= ready.flow.end_of_program;
        program.push(ready);
    }
    clauses.sort_unstable();
    clauses.dedup();
    if let Some(pair) = clauses.windows(2).find(|pair| pair[1].0 < pair[0].0 + pair[0].1) {
        return refuse(pair[1].0, "clauses lie over one another");
    }
    if ends { Ok(program) } else { refuse(end, "no instruction has END_OF_PROGRAM") }
}
