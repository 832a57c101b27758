//! `parallax exec` on RV770.

use parallax_executor::r700::Executor;
use parallax_isa::{
    Outcome, Step,
    r700::{Case, Profile, State, case::ProgramType},
};
use parallax_lockstep::{
    Divergence, Engine, Verdict,
    lockstep::{Difference, Mismatch, lockstep},
    r700::R700,
};
use parallax_reference::r700::Reference;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{registers, values};
use crate::{
    commands::exec::EngineName,
    failure::{Ending, Failure},
    output,
    program::Content,
};

/// What to run and what to print.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) program: Content,
    /// The program's name in messages.
    pub(crate) name: String,
    pub(crate) profile: Profile,
    pub(crate) engine: Option<EngineName>,
    pub(crate) constants: &'a [String],
    pub(crate) set: &'a [String],
    pub(crate) dump: &'a [String],
    pub(crate) step_limit: u64,
    pub(crate) json: bool,
}

/// What a run came to.
struct Run {
    engine: &'static str,
    steps: u64,
    /// `None` if the engines differ.
    outcome: Option<Outcome>,
    state: Box<State>,
    divergence: Option<Box<Divergence>>,
}

/// The JSON interface.
#[derive(Serialize)]
struct Json {
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    steps: u64,
    engine: &'static str,
    profile: Profile,
    registers: Map<String, Value>,
    exports: Map<String, Value>,
}

impl Request<'_> {
    /// Runs the program and prints what came of it.
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let mut dump = Vec::new();
        for list in self.dump {
            let named = registers::parse_list(list);
            dump.extend(named.map_err(|error| Failure::input(format!("--dump: {error}")))?);
        }
        let program = super::program(self.program)
            .map_err(|message| Failure::input(format!("{}: {message}", self.name)))?;
        let mut case = Case::new(program.encode());
        case.profile = self.profile;
        case.step_limit = self.step_limit;
        for argument in self.constants {
            values::set_constants(&mut case, argument).map_err(Failure::input)?;
        }
        for argument in self.set {
            values::set_register(&mut case, argument).map_err(Failure::input)?;
        }
        let run = match self.engine {
            Some(EngineName::Reference) => alone("reference", &mut Reference::new(), &case),
            Some(EngineName::Executor) => alone("executor", &mut Executor::new(), &case),
            None => both(&case),
        }?;
        if self.json {
            output::print_json(&run.json(&case, &dump))?;
        } else {
            output::print(run.text(&case, &dump))?;
        }
        Ok(Ending::found(run.divergence.is_some()))
    }
}

/// Runs a case on one engine.
fn alone(name: &'static str, engine: &mut impl Engine<R700>, case: &Case) -> Result<Run, Failure> {
    engine.load(case).map_err(|error| Failure::input(format!("the {name}: {error}")))?;
    let mut steps = 0;
    let outcome = loop {
        match engine.step() {
            Step::Continue => steps += 1,
            Step::Finished(outcome) => break outcome,
        }
    };
    let steps = steps + last_step(&outcome);
    let state = Box::new(*engine.state());
    Ok(Run { engine: name, steps, outcome: Some(outcome), state, divergence: None })
}

/// Runs a case on both engines in lockstep; the state shown is the reference's.
fn both(case: &Case) -> Result<Run, Failure> {
    let (mut reference, mut executor) = (Reference::new(), Executor::new());
    let verdict = lockstep::<R700>(&mut reference, &mut executor, case);
    let (steps, outcome, divergence) = match verdict {
        Verdict::Agreed(agreement) => {
            let steps = agreement.steps + last_step(&agreement.outcome);
            (steps, Some(agreement.outcome), None)
        }
        Verdict::Diverged(divergence) => (divergence.step, None, Some(divergence)),
        Verdict::NotRun { engine, error } => {
            return Err(Failure::input(format!("the {engine}: {error}")));
        }
    };
    let state = Box::new(*reference.state());
    Ok(Run { engine: "both", steps, outcome, state, divergence })
}

/// The instruction that ends the program is a step too.
fn last_step(outcome: &Outcome) -> u64 {
    u64::from(*outcome == Outcome::Halted)
}

impl Run {
    fn message(&self) -> Option<String> {
        match (&self.outcome, &self.divergence) {
            (Some(Outcome::Exception(what) | Outcome::Undefined(what)), _) => Some(what.clone()),
            (_, Some(divergence)) => Some(describe(divergence)),
            _ => None,
        }
    }

    fn json(&self, case: &Case, dump: &[usize]) -> Json {
        let all: Vec<usize> = (0..128).collect();
        let dump = if dump.is_empty() { &all } else { dump };
        let pixel = case.program_type == ProgramType::Pixel;
        let register = |n: &usize| (format!("R{n}"), registers::json(&self.state.gpr[*n]));
        let export = |slot: usize| {
            (registers::export_name(slot, pixel), registers::json(&self.state.exports[slot]))
        };
        Json {
            outcome: self.outcome.as_ref().map_or("divergence", Outcome::keyword),
            message: self.message(),
            steps: self.steps,
            engine: self.engine,
            profile: case.profile,
            registers: dump.iter().map(register).collect(),
            exports: registers::exported(&self.state).map(export).collect(),
        }
    }

    /// Registers and exports as words and floats, then the outcome.
    fn text(&self, case: &Case, dump: &[usize]) -> String {
        let mut text = String::new();
        for number in 0..128 {
            let register = &self.state.gpr[number];
            let wanted = if dump.is_empty() {
                register.iter().flatten().any(|word| *word != 0)
            } else {
                dump.contains(&number)
            };
            if wanted {
                text += &registers::text(&format!("R{number}"), register);
            }
        }
        for slot in registers::exported(&self.state) {
            let name = registers::export_name(slot, case.program_type == ProgramType::Pixel);
            text += &registers::text(&name, &self.state.exports[slot]);
        }
        let steps = output::counted(self.steps, "step");
        let engines = match self.engine {
            "both" => ", reference and executor agree".to_owned(),
            engine => format!(" on the {engine}"),
        };
        text + &match (&self.outcome, self.message()) {
            (Some(outcome), None) => format!("{outcome} after {steps}{engines}"),
            (Some(outcome), Some(message)) => {
                format!("{} after {steps}{engines}: {message}", outcome.keyword())
            }
            (None, message) => {
                format!("the engines differ after {steps}\n{}", message.unwrap_or_default())
            }
        }
    }
}

/// Places of a divergence that are printed.
const PLACES: usize = 20;

/// The step at which the engines differ, and where.
fn describe(divergence: &Divergence) -> String {
    let Divergence { step, instruction, difference, .. } = divergence;
    let places = match difference {
        Difference::Flow { expected, actual } => {
            format!("the reference: {expected:?}, the executor: {actual:?}")
        }
        Difference::State(bytes) => {
            let lines = bytes.iter().take(PLACES).map(|mismatch| {
                let Mismatch { place, expected, actual, .. } = mismatch;
                format!("{place}: reference {expected:02x}, executor {actual:02x}")
            });
            lines.collect::<Vec<_>>().join("\n")
        }
    };
    format!("step {step}: {instruction}\n{places}")
}
