//! AMD R700: control flow, clauses and the five ALUs (R700 manual, chapters 3 to 9), one pixel and
//! one slot at a time.

mod alu;
mod clause;
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
mod output;
mod prepared;
mod record;
mod stack;
mod texture;
mod units;
mod wavefront;
mod write;

use std::ops::Range;

use parallax_isa::{
    Expectation, LoadError, Model, Outcome, Step,
    device::Family,
    r700::{Case, Program, R700, State, sampler::MOST_SAMPLERS, state},
};

pub use format::{Field, FieldKind, Interpretation};
pub use record::{
    Control, FetchRecord, FetchStep, FlowStep, GroupStep, MemoryAccess, Observed, Observer, Record,
    Slot,
};
use wavefront::{Refusal, Wavefront};

/// The reference model of a wavefront.
#[derive(Debug)]
pub struct Reference {
    wavefront: Wavefront,
    steps: u64,
    finished: Option<Outcome>,
}

/// What a step leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// The next step.
    Continue,
    /// The end of the program.
    End,
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
        Self {
            wavefront: Wavefront::new(Case::new(Vec::new()), Program::default(), None),
            steps: 0,
            finished: None,
        }
    }

    /// The same reference, lending the record of each step to an observer.
    #[must_use]
    pub fn observed_by(mut self, observer: Observer) -> Self {
        self.wavefront.observer = Some(observer);
        self
    }

    /// Steps taken so far.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }
}

impl Model for Reference {
    type Machine = R700;

    const NAME: &'static str = "reference";

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        // Decision D-r700-load.
        if case.device.family() != Family::R700 {
            return Err(LoadError::Case(format!("{} does not run R700 programs", case.device)));
        }
        check(case).map_err(LoadError::Case)?;
        let program = Program::of_case(case).map_err(|error| LoadError::Instruction {
            offset: error.address as usize * 8,
            message: error.problem.to_string(),
        })?;
        self.wavefront = Wavefront::new(case.clone(), program, self.wavefront.observer);
        self.steps = 0;
        self.finished = None;
        Ok(())
    }

    /// Executes one control-flow instruction or one ALU group.
    fn step(&mut self) -> Step {
        // Decision D-r700-step.
        self.wavefront.expectations.clear();
        self.wavefront.written.clear();
        self.wavefront.exact = false;
        if let Some(outcome) = &self.finished {
            return Step::Finished(outcome.clone());
        }
        let outcome = if self.steps >= self.wavefront.case.step_limit {
            Outcome::StepLimit
        } else {
            match self.wavefront.step() {
                Ok(Progress::Continue) => {
                    self.steps += 1;
                    return Step::Continue;
                }
                Ok(Progress::End) => {
                    self.steps += 1;
                    Outcome::Halted
                }
                Err(Refusal(sentence)) => Outcome::Undefined(sentence),
            }
        };
        self.finished = Some(outcome.clone());
        Step::Finished(outcome)
    }

    fn state(&self) -> &State {
        &self.wavefront.state
    }

    fn state_mut(&mut self) -> &mut State {
        &mut self.wavefront.state
    }
}

impl parallax_isa::Reference<R700> for Reference {
    fn expectations(&self) -> &[Expectation] {
        &self.wavefront.expectations
    }

    fn is_exact(&self) -> bool {
        let open = |open: &Expectation| !open.acceptance.is_exact();
        self.wavefront.exact || !self.wavefront.expectations.iter().any(open)
    }

    fn written(&self) -> Option<&[Range<usize>]> {
        Some(&self.wavefront.written)
    }
}

/// Checks the numbers of a case against what the machine has.
fn check(case: &Case) -> Result<(), String> {
    let at_most = |what: &str, number: usize, most: usize| {
        if number > most { Err(format!("{number} {what}, at most {most} exist")) } else { Ok(()) }
    };
    let registers = case.gpr_count as usize + case.clause_temporaries as usize;
    at_most("declared registers and clause temporaries", registers, state::GPR_COUNT)?;
    at_most("SIMD-global registers", case.global_gprs as usize, state::GLOBAL_COUNT)?;
    at_most("loop constants", case.loop_constants.len(), 32)?;
    at_most("stack frames", case.state.stack_depth as usize, state::STACK_FRAMES)?;
    for constants in [&case.constants, &case.alternate_constants] {
        at_most("constant file registers", constants.file.len(), 256)?;
        at_most("constant buffers", constants.buffers.len(), 16)?;
        for buffer in &constants.buffers {
            at_most("constants in a buffer", buffer.len(), 4096)?;
        }
        at_most("vertex buffers", constants.vertex_buffers.len(), 256)?;
        at_most("textures", constants.textures.len(), 256)?;
        for (number, texture) in constants.textures.iter().enumerate() {
            texture::check::texture(texture)
                .map_err(|message| format!("texture {number}: {message} [D-r700-texture]"))?;
        }
        at_most("samplers", constants.samplers.len(), MOST_SAMPLERS)?;
        for (number, sampler) in constants.samplers.iter().enumerate() {
            texture::check::sampler(sampler)
                .map_err(|message| format!("sampler {number}: {message} [D-r700-filter]"))?;
        }
    }
    if case.gpr_count == 0 {
        return Err("no declared register, at least one is needed".to_owned());
    }
    let buffers = &case.buffers;
    let plain = [buffers.scratch, buffers.reduction, buffers.ring, buffers.export];
    for range in plain.into_iter().chain(buffers.stream) {
        let end = range.base as usize + range.size as usize;
        at_most("dwords of memory", end, state::MEMORY_DWORDS)?;
    }
    Ok(())
}
