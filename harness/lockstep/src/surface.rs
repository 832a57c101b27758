//! Surface formats and pixel operations as a machine of the harness.

pub mod generate;
mod shrink;
pub mod suites;

use parallax_executor::surface::Executor;
use parallax_isa::{
    Device,
    surface::{Case, Operation, State},
};
use parallax_reference::surface::Reference;

use crate::engine::{Machine, engines};

/// Blocks decoded and encoded, pixels tested and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {}

/// The operation that comes after a state.
fn next<'c>(case: &'c Case, state: &State) -> Option<&'c Operation> {
    case.operations.get(usize::try_from(state.done).ok()?)
}

impl Machine for Surface {
    const NAME: &'static str = "surface";
    type Case = Case;
    type State = State;

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

    fn device(case: &Case) -> Device {
        case.device
    }
}

engines!(Surface: Reference, Executor);
