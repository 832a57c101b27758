//! `parallax exec` on RV770.

use parallax_isa::{
    Device, Image,
    image::Register,
    r700::{Case, Profile, State, case::ProgramType},
};
use parallax_lockstep::r700::R700;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    Arguments,
    answer::Answer,
    dispatch::{self, Dispatched, Elements},
    path,
    run::{Run, UnspecifiedJson},
};
use crate::{
    failure::{Ending, Failure},
    output,
    r700::{case, registers},
};

/// The JSON interface.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json<'r> {
    /// How the program ended: `halted`, `step-limit`, `exception` or `undefined`; `divergence` if the engines
    /// differ.
    outcome: &'static str,
    /// More about the outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// Instructions that were executed.
    steps: u64,
    /// The engine: `reference`, `executor`, `both` or a name.
    engine: &'r str,
    /// The account of the machine that was followed.
    #[schemars(with = "crate::schema::foreign::Profile")]
    profile: Profile,
    /// Elements of registers: `{"R0": {"x": [words of each thread]}}`. Only what `--dump` names.
    registers: Map<String, Value>,
    /// Exports, like `registers`.
    exports: Map<String, Value>,
    /// Words of memory by name, such as `MEM4`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    memory: Map<String, Value>,
    /// Numbers by element and type; only where `--dump` names a type.
    #[serde(skip_serializing_if = "Map::is_empty")]
    values: Map<String, Value>,
    /// Elements that hold unspecified results at the end; `registers` has the engine's value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unspecified: Vec<UnspecifiedJson<'r>>,
}

/// What is printed beside the exports.
struct Dump {
    /// Whether anything was asked for.
    is_asked: bool,
    /// Whole registers and dwords of memory.
    plain: Vec<Register>,
    /// Elements, and what has a type.
    elements: Vec<Elements>,
}

impl Dump {
    fn of(arguments: &Arguments, case: &Case) -> Result<Self, String> {
        let is_asked = !arguments.dump.is_empty();
        let mut dump = Self { is_asked, plain: Vec::new(), elements: Vec::new() };
        for item in arguments.dump.iter().flat_map(|list| list.split(',')) {
            if item.contains(':') || item.contains('.') && !item.contains("..") {
                dump.elements.extend(<R700 as Dispatched>::elements(case, item)?);
            } else {
                dump.plain.extend(registers::parse_list(item)?);
            }
        }
        Ok(dump)
    }
}

/// Runs the program and prints what came of it.
pub(super) fn execute(arguments: &Arguments) -> Result<Ending, Failure> {
    path::check(arguments)?;
    if arguments.launch.global.is_some() {
        return Err(Failure::input("--global is for kernels of skl and dg1, not rv770"));
    }
    let case = case::of(&arguments.start)?;
    if arguments.dispatch.has_many() {
        return dispatch::execute::<R700>(arguments, case);
    }
    let (run, case, dump) = run(arguments, case)?;
    if arguments.json {
        output::print_json(&json(&run, &case, &dump));
    } else {
        output::print(text(&run, &case, &dump));
    }
    Ok(Ending::found(run.divergence.is_some()))
}

/// Runs the program as one wavefront, and what is to be printed of it.
fn run(arguments: &Arguments, case: Case) -> Result<(Run<R700>, Case, Dump), Failure> {
    let case = dispatch::one::<R700>(arguments, case)?;
    let dump =
        Dump::of(arguments, &case).map_err(|error| Failure::input(format!("--dump: {error}")))?;
    let run = Run::<R700>::of(&case, arguments.engine()?.as_ref())?;
    if arguments.verbose {
        path::tell_of_clauses(&case, &run)?;
    }
    Ok((run, case, dump))
}

/// Runs the program as one wavefront: what `--json` prints of it.
pub(super) fn answer(arguments: &Arguments) -> Result<Answer, Failure> {
    let (run, case, dump) = run(arguments, case::of(&arguments.start)?)?;
    Answer::new(&json(&run, &case, &dump), run.divergence.is_some())
}

fn json<'r>(run: &'r Run<R700>, case: &Case, dump: &Dump) -> Json<'r> {
    let all = || Register::all(State::BANKS, Device::Rv770).filter(|r| r.bank.name == "R");
    let plain = if dump.is_asked { dump.plain.clone() } else { all().collect() };
    let pixel = case.program_type == ProgramType::Pixel;
    let export = |slot: usize| {
        (registers::export_name(slot, pixel), registers::json(&run.state.exports[slot]))
    };
    let (mut named, mut memory) = (Map::new(), Map::new());
    for register in &plain {
        if registers::is_memory(register) {
            let word = registers::word(register, &run.state);
            memory.insert(register.name(), format!("{word:08x}").into());
        } else {
            let lanes = &run.state.gpr[register.number];
            named.insert(register.name(), registers::json(lanes));
        }
    }
    let (untyped, typed): (Vec<_>, Vec<_>) =
        dump.elements.iter().partition(|elements| elements.data_type.is_none());
    for elements in untyped {
        // Of `R1.x` the register with that element alone; of an export likewise.
        let (name, words) = elements.json(run.state.image());
        let Some((register, element)) = name.split_once('.') else { continue };
        let register = named.entry(register).or_insert_with(|| Map::new().into());
        if let Some(register) = register.as_object_mut() {
            register.entry(element).or_insert(words);
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
        values: typed.iter().map(|elements| elements.json(run.state.image())).collect(),
        unspecified: run.unspecified_json(),
    }
}

/// Registers, memory and exports as words and floats, then the outcome. Without a list the registers
/// and memory that are not zero.
fn text(run: &Run<R700>, case: &Case, dump: &Dump) -> String {
    let mut text = String::new();
    let state = &run.state;
    for (number, register) in state.gpr.iter().enumerate() {
        let wanted = if dump.is_asked {
            dump.plain.iter().any(|r| r.bank.name == "R" && r.number == number)
        } else {
            register.iter().flatten().any(|word| *word != 0)
        };
        if wanted {
            text += &registers::text(&format!("R{number}"), register);
        }
    }
    text += &registers::memory_text(state, dump.is_asked.then_some(&dump.plain[..]));
    for elements in &dump.elements {
        text += &elements.text(state.image());
    }
    for slot in registers::exported(state) {
        let name = registers::export_name(slot, case.program_type == ProgramType::Pixel);
        text += &registers::text(&name, &state.exports[slot]);
    }
    text + &run.ending()
}
