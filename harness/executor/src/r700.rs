//! AMD R700: whole programs, 64 pixels at a time.
//!
//! A program is decoded once, at load, into control flow instructions and groups whose slots are
//! bound to lane kernels; a step then runs one control flow instruction or one group.

mod alu;
mod clause;
mod compiled;
mod decode;
mod export;
mod fetch;
mod flow;
mod format;
mod group;
mod local;
mod masks;
mod memory;
mod number;
mod operand;
pub mod ports;
mod prepared;
mod program;
mod ready;
mod registers;
mod simd;
mod stack;
mod surroundings;
mod texture;
mod units;
mod wavefront;
mod write;
mod written;

use parallax_isa::{
    Image as _, LoadError, Model, Outcome, Step,
    r700::{
        Case, R700, State,
        case::ProgramType,
        state::{Frame, PixelStates, STACK_FRAMES},
    },
};

use clause::{enter_clause, leave_clause};
use compiled::Clauses;
pub use compiled::WARM;
use decode::{BranchKind, FlowOperation};
use group::{Groups, Scratch};
use masks::ones;
use program::{Flow, Ready};
use ready::ReadyGroup;
use registers::Registers;
use simd::GroupRunner;
use surroundings::Surroundings;
use wavefront::Wavefront;
use written::Written;

use crate::machine_code::Compiling;

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
    program: Flow,
    /// Some instruction of the program pushes pixel states.
    pushes: bool,
    /// Number of the next group in the clause that is running.
    next_group: usize,
    steps: u64,
    scratch: Box<Scratch>,
    run_group: GroupRunner<Groups>,
    compiling: Compiling,
    clauses: Clauses,
    /// PV, PS and AR are zero, as they are outside of clauses.
    clause_is_clean: bool,
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
            program: Flow::default(),
            pushes: false,
            next_group: 0,
            steps: 0,
            scratch: Scratch::new(),
            run_group: simd::group_runner::<Groups>().best(),
            compiling: Compiling::usual(WARM),
            clauses: Clauses::default(),
            clause_is_clean: false,
            finished: Some(Outcome::Halted),
        }
    }

    /// An executor that interprets every clause.
    #[must_use]
    pub fn interpreting() -> Self {
        Self { compiling: Compiling::Never, ..Self::new() }
    }

    /// An executor that compiles every clause that it can, before that has run at all.
    #[must_use]
    pub fn compiling_at_once() -> Self {
        Self { compiling: Compiling::After(0), ..Self::new() }
    }

    /// The same, which compares each compiled block of a clause at its end with what the interpreter makes
    /// of it: where they differ, the run ends as undefined and says so.
    #[must_use]
    pub fn checking_blocks() -> Self {
        Self { compiling: Compiling::Checked, ..Self::new() }
    }

    /// Groups of the loaded program that ran as compiled machine code.
    #[must_use]
    pub fn compiled_groups(&self) -> u64 {
        self.clauses.compiled
    }

    /// Restarts the loaded case at its first step.
    pub fn restart(&mut self) {
        if let Some(case) = &self.case {
            if self.foreign {
                self.state.0.clone_from(&case.state);
            } else {
                self.written.restore(&mut self.state.0, &case.state);
            }
            self.foreign = false;
            self.clause_is_clean = false;
            self.steps = 0;
            self.next_group = 0;
            self.finished = None;
        }
    }

    /// Runs to the end.
    pub fn run(&mut self) -> Outcome {
        loop {
            if let Step::Finished(outcome) = self.run_for(u64::MAX) {
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
        let around = Surroundings::of(case, &clause);
        if let Some(problem) = &group.problem {
            return Err(problem.clone());
        }
        let following = ready.groups.get(self.next_group + 1);
        if following.is_none() {
            Wavefront::of(case, pushes, state)
                .check_after_clause(clause.kind)
                .map_err(|error| error.0)?;
        }
        (self.run_group)(group, &around, &mut self.scratch, state);
        self.clause_is_clean = false;
        self.next_group += 1;
        match following {
            Some(following) => state.group = following.address,
            None => {
                Wavefront::of(case, pushes, state)
                    .after_clause(clause.kind, mode)
                    .map_err(|error| error.0)?;
                leave_clause(state, false);
                self.clause_is_clean = true;
            }
        }
        Ok(None)
    }

    /// Runs the compiled block that begins with the next group, if there is one and this many steps may be
    /// taken in all.
    #[inline]
    fn run_block(&mut self, bound: u64) {
        let Some(case) = &self.case else { return };
        let state = &mut self.state.0;
        if state.in_clause != 1 || self.finished.is_some() {
            return;
        }
        let Some((number, ready)) = self.program.numbered(state.cf) else { return };
        let FlowOperation::Alu(clause) = &ready.flow.operation else { return };
        let around = Surroundings::of(case, clause);
        let (groups, first) = (&ready.groups, self.next_group);
        let Some(block) = self.clauses.find(self.compiling, number, groups, first, &around) else {
            return;
        };
        let following = groups.get(first + block.len());
        let steps = self.steps + block.len() as u64;
        let mut flow = Wavefront::of(case, self.pushes, state);
        let ends = following.is_none();
        if steps > bound || ends && flow.check_after_clause(clause.kind).is_err() {
            return;
        }
        let groups = &groups[first..first + block.len()];
        let interpreted = (self.compiling == Compiling::Checked)
            .then(|| interpreted(self.run_group, groups, &around, &mut self.scratch, flow.state));
        let count = block.len();
        block.run(&around, flow.state);
        self.steps = steps;
        if let Some(mut interpreted) = interpreted {
            if ends {
                // They go, and code does not leave them.
                interpreted.previous = flow.state.previous;
            }
            if interpreted.image() != flow.state.image() {
                let clause = flow.state.cf;
                let why = format!(
                    "{count} compiled groups from group {first} of the clause of instruction {clause} \
                     end otherwise than interpreted"
                );
                self.finished = Some(Outcome::Undefined(why));
                return;
            }
        }
        self.next_group += count;
        match following {
            Some(following) => {
                self.clause_is_clean = false;
                flow.state.group = following.address;
            }
            None => {
                if let Err(error) = flow.after_clause(clause.kind, ready.flow.mode) {
                    self.finished = Some(Outcome::Undefined(error.0.to_owned()));
                    return;
                }
                leave_clause(flow.state, self.clause_is_clean);
                self.clause_is_clean = true;
            }
        }
    }
}

impl Model for Executor {
    type Machine = R700;

    const NAME: &'static str = "executor";

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        let sets = [&case.constants, &case.alternate_constants];
        if let Some(message) = sets.into_iter().find_map(texture::check::unloadable) {
            return Err(LoadError::Case(message));
        }
        self.program = program::prepare(case).map_err(|error| LoadError::Instruction {
            offset: error.address as usize * 8,
            message: error.message,
        })?;
        self.pushes = self.program.iter().any(|ready| ready.flow.operation.pushes());
        self.written = Written::by(&self.program);
        self.clauses.clear();
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

    /// Runs blocks of clauses as a whole.
    fn run_for(&mut self, steps: u64) -> Step {
        let end = self.steps.saturating_add(steps);
        let limit = self.case.as_ref().map_or(0, |case| case.step_limit);
        while self.steps < end {
            self.run_block(end.min(limit));
            if self.steps < end
                && let finished @ Step::Finished(_) = self.step()
            {
                return finished;
            }
        }
        match &self.finished {
            Some(outcome) if steps > 0 => Step::Finished(outcome.clone()),
            _ => Step::Continue,
        }
    }

    fn restart(&mut self, _: &Case) -> Result<(), LoadError> {
        self.restart();
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state.0
    }

    fn state_mut(&mut self) -> &mut State {
        // A value of another engine.
        self.foreign = true;
        self.clause_is_clean = false;
        &mut self.state.0
    }
}

/// What groups come to. It has a frame of its own: a state is large, and making room for it page by page
/// takes longer than most blocks.
#[cold]
#[inline(never)]
fn interpreted(
    run_group: GroupRunner<Groups>,
    groups: &[ReadyGroup],
    around: &Surroundings,
    scratch: &mut Scratch,
    start: &State,
) -> Box<State> {
    let mut state = Box::new(*start);
    groups.iter().for_each(|group| run_group(group, around, scratch, &mut state));
    state
}

fn ready_at(program: &Flow, address: u32) -> Result<&Ready, String> {
    program
        .at(address)
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
    let mut flow = Wavefront::of(case, pushes, state);
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
            export::run(export, executing, case, state)?;
            state.cf = next;
        }
        FlowOperation::Fetch(clause) => {
            let executing = flow.passing(mode, clause.condition);
            fetch::run_clause(&ready.fetches, executing, case, state)?;
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
            for pixel in ones(flow.passing(mode, condition)) {
                state.emitted[pixel] = state.emitted[pixel].wrapping_add(vertex.into());
                state.cut[pixel] = state.cut[pixel].wrapping_add(cut.into());
            }
            state.cf = next;
        }
    }
    // Entries that are left on the stack trouble the next program only (decision D-r700-end).
    Ok(ready.flow.end_of_program.then_some(Outcome::Halted))
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
