//! `parallax exec` on RV770.

use parallax_isa::r700::{Case, Profile, case::ProgramType};
use parallax_lockstep::r700::R700;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Arguments, run::Run};
use crate::{
    failure::{Ending, Failure},
    output,
    r700::{
        case,
        registers::{self, Place},
    },
};

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
    #[serde(skip_serializing_if = "Map::is_empty")]
    memory: Map<String, Value>,
}

/// Runs the program and prints what came of it.
pub(super) fn execute(arguments: &Arguments) -> Result<Ending, Failure> {
    let mut dump = Vec::new();
    for list in &arguments.dump {
        let named = registers::parse_list(list);
        dump.extend(named.map_err(|error| Failure::input(format!("--dump: {error}")))?);
    }
    let case = case::of(&arguments.start)?;
    let run = Run::<R700>::of(&case, arguments.engine)?;
    if arguments.json {
        output::print_json(&json(&run, &case, &dump))?;
    } else {
        output::print(text(&run, &case, &dump))?;
    }
    Ok(Ending::found(run.divergence.is_some()))
}

fn json(run: &Run<R700>, case: &Case, dump: &[Place]) -> Json {
    let all: Vec<Place> = (0..128).map(Place::Register).collect();
    let dump = if dump.is_empty() { &all } else { dump };
    let pixel = case.program_type == ProgramType::Pixel;
    let export = |slot: usize| {
        (registers::export_name(slot, pixel), registers::json(&run.state.exports[slot]))
    };
    let (mut registers, mut memory) = (Map::new(), Map::new());
    for place in dump {
        match *place {
            Place::Register(number) => {
                registers.insert(place.name(), registers::json(&run.state.gpr[number]));
            }
            Place::Memory(_) | Place::Local(_) => {
                let word = place.word(&run.state).unwrap_or(0);
                memory.insert(place.name(), format!("{word:08x}").into());
            }
        }
    }
    Json {
        outcome: run.keyword(),
        message: run.message(),
        steps: run.steps,
        engine: run.engine,
        profile: case.profile,
        registers,
        exports: registers::exported(&run.state).map(export).collect(),
        memory,
    }
}

/// Registers, memory and exports as words and floats, then the outcome. Without a list the registers
/// and memory that are not zero.
fn text(run: &Run<R700>, case: &Case, dump: &[Place]) -> String {
    let mut text = String::new();
    let state = &run.state;
    for (number, register) in state.gpr.iter().enumerate() {
        let wanted = if dump.is_empty() {
            register.iter().flatten().any(|word| *word != 0)
        } else {
            dump.contains(&Place::Register(number))
        };
        if wanted {
            text += &registers::text(&format!("R{number}"), register);
        }
    }
    text += &registers::memory_text(state, dump);
    for slot in registers::exported(state) {
        let name = registers::export_name(slot, case.program_type == ProgramType::Pixel);
        text += &registers::text(&name, &state.exports[slot]);
    }
    text + &run.ending()
}
