//! Surface operations for engines outside of this process: their form in the protocol, and what an engine has to have
//! to run them.

use std::sync::{Arc, LazyLock};

use parallax_engine::{Case as Sent, Hello};
use parallax_isa::{
    Device,
    surface::{Case, Operation, State, Surface, catalogue, lookup},
};
use serde::{Deserialize, Serialize};

use super::generate;
use crate::{
    outside::{
        Limits, Outside, Portable, check_instructions, check_names, check_only_instructions, has,
    },
    random::SplitMix64,
};

/// The operations by the names that engines give them, and what each does.
pub const OPERATIONS: [(&str, &str); 7] = [
    ("decode", "reads a block of a format"),
    ("encode", "writes a block of a format"),
    ("write-pixel", "writes a pixel to a render target"),
    ("test", "tests stencil and depth"),
    ("shadow", "compares a texel with a reference"),
    ("chroma-key", "compares texels with a key"),
    ("coordinate", "brings a texel index into a map"),
];

const fn name(operation: &Operation) -> &'static str {
    let place = match operation {
        Operation::Decode { .. } => 0,
        Operation::Encode { .. } => 1,
        Operation::WritePixel { .. } => 2,
        Operation::Test { .. } => 3,
        Operation::Shadow { .. } => 4,
        Operation::ChromaKey { .. } => 5,
        Operation::Coordinate { .. } => 6,
    };
    OPERATIONS[place].0
}

/// A case but for its device: there is no program.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    palettes: [Vec<u32>; 2],
    operations: Vec<Operation>,
}

/// What every case starts from.
static START: LazyLock<State> = LazyLock::new(State::default);

impl Portable for Surface {
    const HAS_FORM: bool = true;

    fn to_outside(case: &Case) -> Option<Sent> {
        let Case { device, palettes, operations } = case.clone();
        Some(Sent {
            device: device.name().to_owned(),
            // That there is nothing left to do is a step more.
            step_limit: operations.len() as u64 + 1,
            program: Vec::new(),
            settings: serde_json::to_string(&Settings { palettes, operations }).ok()?,
        })
    }

    fn start_state(_: &Case) -> Option<&State> {
        Some(&START)
    }

    fn of_outside(sent: &Sent, _: &State) -> Result<Case, String> {
        let device = sent.device.parse().map_err(|error| format!("{error}"))?;
        let settings = serde_json::from_str(&sent.settings).map_err(|error| error.to_string())?;
        let Settings { palettes, operations } = settings;
        Ok(Case { device, palettes, operations })
    }

    fn check_hello(hello: &Hello) -> Result<(), String> {
        check_only_instructions(hello, &[])?;
        check_instructions(hello, &OPERATIONS.map(|(operation, _)| operation))?;
        let devices = hello.devices.iter().filter_map(|device| device.parse().ok());
        let formats: Vec<_> = devices.flat_map(formats).collect();
        check_names(hello, "format", &hello.types, &formats)
    }

    fn beyond(case: &Case, engine: &Outside) -> Option<String> {
        case_beyond(case, engine.hello())
    }
}

/// The names of a device's formats.
fn formats(device: Device) -> Vec<&'static str> {
    catalogue(device).iter().map(|format| format.name).collect()
}

/// What a case takes that an engine does not have.
fn case_beyond(case: &Case, hello: &Hello) -> Option<String> {
    if !hello.devices.iter().any(|device| device == case.device.name()) {
        return Some(format!("the device {}", case.device));
    }
    case.operations.iter().find_map(|operation| operation_beyond(case.device, operation, hello))
}

/// What an operation takes that an engine does not have.
fn operation_beyond(device: Device, operation: &Operation, hello: &Hello) -> Option<String> {
    let name = name(operation);
    if !hello.has_instruction(name) {
        return Some(format!("the operation `{name}`"));
    }
    let format = operation.format().and_then(|code| lookup::code(device, code.into()).ok())?;
    (!has(&hello.types, format.name)).then(|| format!("the format `{}`", format.name))
}

/// Cases limited to the operations and formats that an engine has.
pub(super) struct Limited(pub(super) Arc<Hello>);

/// Cases that are looked through for an operation that an engine has.
const TRIES: usize = 256;

impl Limits<Surface> for Limited {
    fn case(&self, seed: u64, generate: &mut dyn FnMut(u64) -> Case) -> Option<Case> {
        let mut seeds = SplitMix64::new(!seed);
        let others = std::iter::from_fn(|| Some(seeds.next()));
        std::iter::once(seed).chain(others).take(TRIES).find_map(|seed| {
            let mut case = generate(seed);
            let device = case.device;
            case.operations
                .retain(|operation| operation_beyond(device, operation, &self.0).is_none());
            (!case.operations.is_empty()).then_some(case)
        })
    }

    fn start(&self, _: &mut Case) -> bool {
        true
    }
}

/// Why an engine cannot run some cases, a sentence for each that it cannot.
pub(super) fn reasons(device: Device, hello: &Hello) -> Vec<String> {
    let mut bytes = vec![0; generate::BYTES];
    let reason = |seed| {
        SplitMix64::new(seed).fill(&mut bytes);
        case_beyond(&generate::formats(device, &bytes), hello)
    };
    (0..64).filter_map(reason).collect()
}
