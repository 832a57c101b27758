//! `parallax exec` on RV770.

use parallax_isa::{
    Device, Image,
    image::Register,
    r700::{Case, Profile, State, case::ProgramType},
};
use parallax_lockstep::r700::R700;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Arguments, dispatch, run::Run};
use crate::{
    failure::{Ending, Failure},
    output,
    r700::{case, registers},
};

/// The JSON interface.
#[derive(Serialize)]
struct Json<'r> {
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    steps: u64,
    engine: &'r str,
    profile: Profile,
    registers: Map<String, Value>,
    exports: Map<String, Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    memory: Map<String, Value>,
}

/// Runs the program and prints what came of it.
pub(crate) fn execute(arguments: &Arguments) -> Result<Ending, Failure> {
    let case = case::of(&arguments.start)?;
    if arguments.dispatch.has_many() {
        return dispatch::execute::<R700>(arguments, case);
    }
    let case = dispatch::one::<R700>(arguments, case)?;
    let mut dump = Vec::new();
    for list in &arguments.dump {
        let named = registers::parse_list(list);
        dump.extend(named.map_err(|error| Failure::input(format!("--dump: {error}")))?);
    }
    let run = Run::<R700>::of(&case, arguments.engine()?.as_ref())?;
    if arguments.json {
        output::print_json(&json(&run, &case, &dump))?;
    } else {
        output::print(text(&run, &case, &dump))?;
    }
    Ok(Ending::found(run.divergence.is_some()))
}

fn json<'r>(run: &'r Run<R700>, case: &Case, dump: &[Register]) -> Json<'r> {
    let all = || Register::all(State::BANKS, Device::Rv770).filter(|r| r.bank.name == "R");
    let dump = if dump.is_empty() { all().collect() } else { dump.to_vec() };
    let pixel = case.program_type == ProgramType::Pixel;
    let export = |slot: usize| {
        (registers::export_name(slot, pixel), registers::json(&run.state.exports[slot]))
    };
    let (mut named, mut memory) = (Map::new(), Map::new());
    for register in &dump {
        if registers::is_memory(register) {
            let word = registers::word(register, &run.state);
            memory.insert(register.name(), format!("{word:08x}").into());
        } else {
            let lanes = &run.state.gpr[register.number];
            named.insert(register.name(), registers::json(lanes));
        }
    }
    Json {
        outcome: run.keyword(),
        message: run.message(),
        steps: run.steps,
        engine: &run.engine,
        profile: case.profile,
        registers: named,
        exports: registers::exported(&run.state).map(export).collect(),
        memory,
    }
}

/// Registers, memory and exports as words and floats, then the outcome. Without a list the registers
/// and memory that are not zero.
fn text(run: &Run<R700>, case: &Case, dump: &[Register]) -> String {
    let mut text = String::new();
    let state = &run.state;
    for (number, register) in state.gpr.iter().enumerate() {
        let wanted = if dump.is_empty() {
            register.iter().flatten().any(|word| *word != 0)
        } else {
            dump.iter().any(|r| r.bank.name == "R" && r.number == number)
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
