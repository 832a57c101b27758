//! `parallax exec` on execution units.

use parallax_isa::{
    Device, Image,
    eu::State,
    image::{Register, UnknownRegister},
};
use parallax_lockstep::eu::Eu;
use serde::Serialize;

use super::{Arguments, dispatch, run::Run};
use crate::{
    eu::case,
    failure::{Ending, Failure},
    output,
};

/// Runs the program and prints what came of it.
pub(crate) fn execute(arguments: &Arguments) -> Result<Ending, Failure> {
    let case = case::of(&arguments.start)?;
    if arguments.dispatch.has_many() {
        return dispatch::execute::<Eu>(arguments, case);
    }
    let dump = registers_to_print(arguments)?;
    let case = dispatch::one::<Eu>(arguments, case)?;
    let run = Run::<Eu>::of(&case, arguments.engine()?.as_ref())?;
    if arguments.json {
        output::print_json(&json(&run, &dump))?;
    } else {
        let device = arguments.start.device;
        output::print(text(device, &run, &dump, arguments.dump.is_empty()))?;
    }
    Ok(Ending::found(run.divergence.is_some()))
}

fn registers_to_print(arguments: &Arguments) -> Result<Vec<Register>, Failure> {
    let (banks, device) = (State::BANKS, arguments.start.device);
    if arguments.dump.is_empty() {
        return Ok(Register::all(banks, device).collect());
    }
    let wrong = |error: UnknownRegister| Failure::input(format!("--dump: {error}"));
    let mut registers = Vec::new();
    for list in &arguments.dump {
        registers.extend(Register::parse_list(banks, device, list).map_err(wrong)?);
    }
    for register in &registers {
        register.bytes().map_err(wrong)?;
    }
    Ok(registers)
}

/// The JSON interface of `exec`.
#[derive(Serialize)]
struct Json<'r> {
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    steps: u64,
    engine: &'r str,
    registers: serde_json::Map<String, serde_json::Value>,
}

fn json<'r>(run: &'r Run<Eu>, dump: &[Register]) -> Json<'r> {
    let hex = |register: &Register| {
        output::hex(&run.state.image()[register.bytes().expect("checked before the run")])
    };
    Json {
        outcome: run.keyword(),
        message: run.message(),
        steps: run.steps,
        engine: &run.engine,
        registers: dump.iter().map(|r| (r.name(), hex(r).into())).collect(),
    }
}

/// Registers as words and floats, then the outcome. `only_set` leaves out registers that are as in a
/// thread's initial state.
fn text(device: Device, run: &Run<Eu>, dump: &[Register], only_set: bool) -> String {
    let mut text = String::new();
    let initial = State::of(device);
    for register in dump {
        let place = register.bytes().expect("checked before the run");
        let bytes = &run.state.image()[place.clone()];
        if !only_set || *bytes != initial.image()[place] {
            text += &describe(&register.name(), register.bank.element, bytes);
        }
    }
    text + &run.ending()
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
