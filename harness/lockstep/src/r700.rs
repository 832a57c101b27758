//! AMD R700 as a machine of the harness: engines, cases, explanations.

mod earlier;
pub mod flow;
pub mod generate;
mod layout;
mod operand_values;
mod shrink;
pub mod suites;

use parallax_executor::r700::Executor;
use parallax_isa::{
    Device,
    r700::{Case, CfOpcode, Program, State, text},
};
use parallax_reference::r700::Reference;
use serde::{Deserialize as _, Deserializer};

use crate::engine::{Machine, OperandValues, engines};

/// A wavefront of RV770.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum R700 {}

impl Machine for R700 {
    const NAME: &'static str = "r700";
    type Case = Case;
    type State = State;

    fn earlier_case<'de, D: Deserializer<'de>>(_: u32, deserializer: D) -> Result<Case, D::Error> {
        earlier::EarlierCase::deserialize(deserializer).map(Case::from)
    }

    fn device(_: &Case) -> Device {
        Device::Rv770
    }

    fn describe_next(case: &Case, state: &State) -> String {
        let Ok(program) = Program::decode(&case.program) else {
            return "a program that does not decode".to_owned();
        };
        if state.in_clause != 0
            && let Some(group) = program.group_at(state.group)
        {
            return format!("group at {}: {}", state.group, text::print_group(group));
        }
        match program.control_flow.get(state.cf as usize) {
            Some(cf) => format!("{:02} {}", state.cf, text::print_control_flow(*cf)),
            None => format!("nothing at address {}", state.cf),
        }
    }

    fn operands(case: &Case, state: &State) -> Vec<OperandValues> {
        operand_values::operands(case, state)
    }

    fn mnemonic(case: &Case, state: &State) -> String {
        if state.in_clause != 0 {
            return "group".to_owned();
        }
        let program = Program::decode(&case.program).unwrap_or_default();
        let opcode = program.control_flow.get(state.cf as usize).and_then(|cf| cf.opcode());
        opcode.map_or("end", CfOpcode::mnemonic).to_owned()
    }
}

engines!(R700: Reference, Executor);
