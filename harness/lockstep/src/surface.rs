//! Surface formats and pixel operations as a machine of the harness.

pub mod generate;
pub mod outside;
mod shrink;
pub mod suites;

use std::sync::Arc;

pub use parallax_isa::surface::Surface;
use parallax_isa::{
    Device, Outcome, Reference,
    surface::{Case, Operation, State},
};

use crate::{
    outside::Outside,
    subject::{EngineEntry, Subject},
    suite::Suite,
};

/// The operation that comes after a state.
fn next<'c>(case: &'c Case, state: &State) -> Option<&'c Operation> {
    case.operations.get(usize::try_from(state.done).ok()?)
}

/// The reference, which counts the rules that decide its operations.
#[must_use]
pub fn reference() -> parallax_reference::surface::Reference {
    parallax_reference::surface::Reference::new().observed_by(parallax_rules::surface::observe)
}

impl Subject for Surface {
    const ENGINES: &'static [EngineEntry<Self>] = &[
        EngineEntry {
            name: "executor",
            make: || Box::new(parallax_executor::surface::Executor::new()),
        },
        EngineEntry { name: "reference", make: || Box::new(reference()) },
    ];

    // After the last operation comes a step that finds nothing to do.
    const LAST_STEP: Outcome = Outcome::EndOfThread;

    fn reference() -> Box<dyn Reference<Self>> {
        Box::new(reference())
    }

    fn suites(device: Device) -> Vec<Box<dyn Suite>> {
        suites::suites(device)
    }

    fn outside_suites(device: Device, engine: &Arc<Outside>) -> Vec<Box<dyn Suite>> {
        suites::outside(device, engine)
    }

    fn reasons(device: Device, engine: &Outside) -> Vec<String> {
        outside::reasons(device, engine.hello())
    }

    fn start(case: &Case) -> Vec<(String, String)> {
        let palettes = case.palettes.iter().enumerate().filter(|(_, entries)| !entries.is_empty());
        let hex = |entries: &[u32]| {
            let entries: Vec<_> = entries.iter().map(|entry| format!("{entry:08x}")).collect();
            entries.join(" ")
        };
        palettes.map(|(n, entries)| (format!("palette{n}"), hex(entries))).collect()
    }

    fn program(case: &Case) -> Vec<String> {
        case.operations.iter().map(|operation| operation.describe(case.device)).collect()
    }

    fn describe_next(case: &Case, state: &State) -> String {
        case.describe_next(state)
    }

    /// The kind of operation, and the format if there is one.
    fn mnemonic(case: &Case, state: &State) -> String {
        let Some(operation) = next(case, state) else { return "end".to_owned() };
        let text = operation.describe(case.device);
        let words = if operation.format().is_some() { 2 } else { 1 };
        match operation {
            Operation::WritePixel { .. } | Operation::ChromaKey { .. } => {
                text.split(' ').next().unwrap_or_default().to_owned()
            }
            _ => text.split(' ').take(words).collect::<Vec<_>>().join("-"),
        }
    }

    fn seek(_: &Case, state: &mut State, offset: usize) {
        state.done = offset as u64;
    }

    fn device(case: &Case) -> &'static str {
        case.device.name()
    }
}
