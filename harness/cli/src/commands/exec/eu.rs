//! `parallax exec` on execution units.

use parallax_isa::{
    Device, Image,
    eu::{Case, State, register::REGISTER_BYTES},
    image::{Register, UnknownRegister},
};
use parallax_lockstep::eu::{Eu, setup};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Arguments,
    answer::Answer,
    dispatch::{self, Dispatched, Elements},
    launch, path,
    run::{Run, UnspecifiedJson},
};
use crate::{
    eu::case,
    failure::{Ending, Failure},
    output,
};

/// Runs the program and prints what came of it.
pub(super) fn execute(arguments: &Arguments) -> Result<Ending, Failure> {
    path::check(arguments)?;
    if let Some(global) = arguments.launch.global {
        return launch::execute(arguments, global);
    }
    let case = case::of(&arguments.start)?;
    if arguments.dispatch.has_many() {
        return dispatch::execute::<Eu>(arguments, case);
    }
    let (run, dump) = run(arguments, case)?;
    if arguments.json {
        output::print_json(&json(&run, &dump));
    } else {
        let device = arguments.start.device;
        output::print(text(device, &run, &dump, arguments.dump.is_empty()));
    }
    Ok(Ending::found(run.divergence.is_some()))
}

/// Runs the program as one thread, and what is to be printed of it.
fn run(arguments: &Arguments, case: Case) -> Result<(Run<Eu>, Vec<Shown>), Failure> {
    let dump = shown(arguments, &case)?;
    let case = dispatch::one::<Eu>(arguments, case)?;
    let run = Run::<Eu>::of(&case, arguments.engine()?.as_ref())?;
    if arguments.verbose {
        path::tell_of_blocks(&case, &run)?;
    }
    Ok((run, dump))
}

/// Runs the program as one thread: what `--json` prints of it.
pub(super) fn answer(arguments: &Arguments) -> Result<Answer, Failure> {
    let (run, dump) = run(arguments, case::of(&arguments.start)?)?;
    Answer::new(&json(&run, &dump), run.divergence.is_some())
}

/// What is printed of the last state.
enum Shown {
    /// A register, or an element of it, whatever is in it.
    Plain(Register),
    /// Elements of a type.
    Typed(Elements),
}

fn shown(arguments: &Arguments, case: &Case) -> Result<Vec<Shown>, Failure> {
    let banks = State::BANKS;
    if arguments.dump.is_empty() {
        return Ok(Register::all(banks, case.device).map(Shown::Plain).collect());
    }
    let items = arguments.dump.iter().flat_map(|list| list.split(','));
    let of_item = |item: &str| -> Result<Vec<Shown>, String> {
        if let Some(index) = item.strip_prefix("mem:") {
            return surface(case, index).map(|rows| rows.map(Shown::Plain).collect());
        }
        if item.contains(':') {
            let typed = <Eu as Dispatched>::elements(case, item)?;
            return Ok(typed.into_iter().map(Shown::Typed).collect());
        }
        let wrong = |error: UnknownRegister| error.to_string();
        let registers = Register::parse_list(banks, case.device, item).map_err(wrong)?;
        registers.iter().try_for_each(|register| register.bytes().map(drop)).map_err(wrong)?;
        Ok(registers.into_iter().map(Shown::Plain).collect())
    };
    let all: Result<Vec<_>, String> = items.map(of_item).collect();
    Ok(all
        .map_err(|error| Failure::input(format!("--dump: {error}")))?
        .into_iter()
        .flatten()
        .collect())
}

/// The rows of graphics memory in which a surface of the setup file lies.
fn surface(case: &Case, index: &str) -> Result<impl Iterator<Item = Register>, String> {
    let device = case.device;
    let number: usize = index.parse().map_err(|_| {
        format!("mem:{index}: expected a surface's place in the binding table, as in mem:0")
    })?;
    let bytes = setup::surface_bytes(case, number).map_err(|why| format!("mem:{index}: {why}"))?;
    let rows = bytes.start / REGISTER_BYTES..bytes.end.div_ceil(REGISTER_BYTES);
    let memory =
        Register::all(State::BANKS, device).filter(|register| register.bank.name == "gmem");
    Ok(memory.skip(rows.start).take(rows.len()))
}

/// The JSON interface of `exec`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json<'r> {
    /// How the program ended: `halted`, `eot`, `step-limit`, `exception` or `undefined`; `divergence` if the
    /// engines differ.
    outcome: &'static str,
    /// More about the outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// Instructions that were executed.
    steps: u64,
    /// The engine: `reference`, `executor`, `both` or a name.
    engine: &'r str,
    /// Registers by name, as hex digits, byte 0 first: 64 digits for `r` and `m`, 8 for `f`; for `acc0` and `acc1`
    /// (to `acc7` on `dg1`) 16 channels of 64 bits: integers are sign-extended, floats are binary64. From Gen7 on,
    /// `f` has 32 bits there, `df` 64 and `hf` 16.
    registers: serde_json::Map<String, serde_json::Value>,
    /// Numbers by register and type, as `--set` takes them; only where `--dump` names a type.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    values: serde_json::Map<String, serde_json::Value>,
    /// Elements that hold unspecified results at the end; `registers` has the engine's value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unspecified: Vec<UnspecifiedJson<'r>>,
}

fn json<'r>(run: &'r Run<Eu>, dump: &[Shown]) -> Json<'r> {
    let image = run.state.image();
    let (mut registers, mut values) = (serde_json::Map::new(), serde_json::Map::new());
    for shown in dump {
        match shown {
            Shown::Plain(register) => {
                let place = register.bytes().expect("checked before the run");
                registers.insert(register.name(), output::hex(&image[place]).into());
            }
            Shown::Typed(elements) => values.extend([elements.json(image)]),
        }
    }
    Json {
        outcome: run.keyword(),
        message: run.message(),
        steps: run.steps,
        engine: &run.engine,
        registers,
        values,
        unspecified: run.unspecified_json(),
    }
}

/// Registers as words and floats, or as what they were asked for, then the outcome. `only_set` leaves
/// out registers that are as in a thread's initial state.
fn text(device: Device, run: &Run<Eu>, dump: &[Shown], only_set: bool) -> String {
    let mut text = String::new();
    let (initial, image) = (State::of(device), run.state.image());
    let plain = |shown: &Shown| match shown {
        Shown::Plain(register) => register.name().len() + 1,
        Shown::Typed(_) => 0,
    };
    let width = if only_set { 0 } else { dump.iter().map(plain).max().unwrap_or(0) };
    for shown in dump {
        let register = match shown {
            Shown::Plain(register) => register,
            Shown::Typed(elements) => {
                text += &elements.text(image);
                continue;
            }
        };
        let place = register.bytes().expect("checked before the run");
        let bytes = &image[place.clone()];
        if !only_set || *bytes != initial.image()[place] {
            text += &describe(&register.name(), width.max(NAME), register.bank.element, bytes);
        }
    }
    text + &run.ending()
}

/// Elements printed on a line.
const PER_LINE: usize = 8;

/// Columns of a register's name, at least.
const NAME: usize = 6;

/// A register as lines of hex elements behind its name; under 32-bit ones that look like floats, the floats.
fn describe(name: &str, width: usize, element: usize, bytes: &[u8]) -> String {
    // What is longer than others still stands apart.
    let width = width.max(name.len() + 1);
    let mut text = String::new();
    let mut heading = name;
    for line in bytes.chunks(PER_LINE * element) {
        let value = |chunk: &[u8]| {
            chunk.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte))
        };
        let values: Vec<u64> = line.chunks(element).map(value).collect();
        let hex: Vec<String> =
            values.iter().map(|v| format!("{v:0w$x}", w = 2 * element)).collect();
        text += &format!("{heading:<width$}{}\n", columns(&hex));
        heading = "";
        if element == 4 && name.starts_with(['r', 'm']) && values.iter().any(|&v| is_plain_float(v))
        {
            let floats: Vec<String> =
                values.iter().map(|&v| float(f32::from_bits(v as u32))).collect();
            text += &format!("{:<width$}{}\n", "", columns(&floats));
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
