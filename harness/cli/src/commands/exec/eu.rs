//! `parallax exec` on execution units.

use parallax_executor::eu::Executor;
use parallax_isa::{
    Image, Outcome, Step,
    eu::{Case, State},
};
use parallax_lockstep::{Divergence, Engine, Verdict, eu::Eu, lockstep};
use parallax_reference::eu::Reference;
use serde::Serialize;

use super::{Arguments, EngineName};
use crate::{
    eu::{case, registers::Register},
    failure::{Ending, Failure},
    output,
};

/// What a run came to.
struct Run {
    engine: &'static str,
    steps: u64,
    /// `None` if the engines differ.
    outcome: Option<Outcome>,
    state: Box<State>,
    divergence: Option<Box<Divergence>>,
}

/// Runs the program and prints what came of it.
pub(super) fn execute(arguments: &Arguments) -> Result<Ending, Failure> {
    let dump = registers_to_print(arguments)?;
    let case = case::of(&arguments.start)?;
    let run = match arguments.engine {
        Some(EngineName::Reference) => alone("reference", &mut Reference::new(), &case),
        Some(EngineName::Executor) => alone("executor", &mut Executor::new(), &case),
        None => both(&case),
    };
    let run = run?;
    if arguments.json {
        output::print_json(&run.json(&dump))?;
    } else {
        output::print(run.text(&dump, arguments.dump.is_empty()))?;
    }
    Ok(Ending::found(run.divergence.is_some()))
}

fn registers_to_print(arguments: &Arguments) -> Result<Vec<Register>, Failure> {
    if arguments.dump.is_empty() {
        return Ok(Register::all());
    }
    let lists = arguments.dump.iter().map(|list| Register::parse_list(list));
    let lists = lists.collect::<Result<Vec<_>, _>>();
    let registers = lists.map_err(|error| Failure::input(format!("--dump: {error}")))?.concat();
    for register in &registers {
        register.bytes().map_err(|error| Failure::input(format!("--dump: {error}")))?;
    }
    Ok(registers)
}

/// Runs a case on one engine.
fn alone(name: &'static str, engine: &mut impl Engine<Eu>, case: &Case) -> Result<Run, Failure> {
    engine.load(case).map_err(|error| Failure::input(format!("the {name}: {error}")))?;
    let mut steps = 0;
    let outcome = loop {
        match engine.step() {
            Step::Continue => steps += 1,
            Step::Finished(outcome) => break outcome,
        }
    };
    Ok(Run {
        engine: name,
        steps: steps + last_step(&outcome),
        outcome: Some(outcome),
        state: Box::new(*engine.state()),
        divergence: None,
    })
}

/// Runs a case on both engines in lockstep; the state shown is the reference's.
fn both(case: &Case) -> Result<Run, Failure> {
    let (mut reference, mut executor) = (Reference::new(), Executor::new());
    let (steps, outcome, divergence) = match lockstep(&mut reference, &mut executor, case) {
        Verdict::Agreed(agreement) => {
            let steps = agreement.steps + last_step(&agreement.outcome);
            (steps, Some(agreement.outcome), None)
        }
        Verdict::Diverged(divergence) => (divergence.step, None, Some(divergence)),
        Verdict::NotRun { engine, error } => {
            return Err(Failure::input(format!("the {engine}: {error}")));
        }
    };
    let state = Box::new(*Engine::<Eu>::state(&reference));
    Ok(Run { engine: "both", steps, outcome, state, divergence })
}

/// A send that ends the thread is a step too.
fn last_step(outcome: &Outcome) -> u64 {
    u64::from(*outcome == Outcome::EndOfThread)
}

/// The JSON interface of `exec`.
#[derive(Serialize)]
struct Json {
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    steps: u64,
    engine: &'static str,
    registers: serde_json::Map<String, serde_json::Value>,
}

impl Run {
    fn json(&self, dump: &[Register]) -> Json {
        let hex = |register: &Register| {
            output::hex(&self.state.image()[register.bytes().expect("checked before the run")])
        };
        Json {
            outcome: self.outcome.as_ref().map_or("divergence", Outcome::keyword),
            message: self.message(),
            steps: self.steps,
            engine: self.engine,
            registers: dump.iter().map(|r| (r.name(), hex(r).into())).collect(),
        }
    }
}

impl Run {
    /// What ended the run in more than a word, or how the engines differ.
    fn message(&self) -> Option<String> {
        match (&self.outcome, &self.divergence) {
            (Some(Outcome::Exception(what) | Outcome::Undefined(what)), _) => Some(what.clone()),
            (_, Some(divergence)) => Some(divergence.to_string()),
            _ => None,
        }
    }

    /// Registers as words and floats, then the outcome. `only_set` leaves out registers that are
    /// as in a thread's initial state.
    fn text(&self, dump: &[Register], only_set: bool) -> String {
        let mut text = String::new();
        let initial = State::new();
        for register in dump {
            let place = register.bytes().expect("checked before the run");
            let bytes = &self.state.image()[place.clone()];
            if !only_set || *bytes != initial.image()[place] {
                text += &describe(&register.name(), register.file.element, bytes);
            }
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

/// Elements printed on a line.
const PER_LINE: usize = 8;

/// A register as lines of hex elements; under 32-bit ones that look like floats, the floats.
fn describe(name: &str, element: usize, bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut heading = name;
    for line in bytes.chunks(PER_LINE * element) {
        let value = |chunk: &[u8]| {
            chunk.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte))
        };
        let values: Vec<u64> = line.chunks(element).map(value).collect();
        let hex: Vec<String> =
            values.iter().map(|v| format!("{v:0w$x}", w = 2 * element)).collect();
        text += &format!("{heading:<6}{}\n", columns(&hex));
        heading = "";
        if element == 4 && name.starts_with(['r', 'm']) && values.iter().any(|&v| is_plain_float(v))
        {
            let floats: Vec<String> =
                values.iter().map(|&v| float(f32::from_bits(v as u32))).collect();
            text += &format!("{:<6}{}\n", "", columns(&floats));
        }
    }
    text
}

/// Whether 32 bits are more likely a float than an integer: magnitude between 1e-6 and 1e9.
fn is_plain_float(bits: u64) -> bool {
    let magnitude = f32::from_bits(bits as u32).abs();
    (1e-6..1e9).contains(&magnitude)
}

/// A float in at most eleven columns.
fn float(value: f32) -> String {
    let plain = format!("{value:?}");
    if plain.len() <= 11 { plain } else { format!("{value:.4e}") }
}

fn columns(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:<11}")).collect();
    cells.join(" ").trim_end().to_owned()
}
