//! The environment variables that choose what the executor's kernels of surfaces and R700 are compiled for,
//! and whether it compiles blocks of programs itself.

use std::env;

use parallax_executor::{InstructionSet, interpret_all_blocks};

use crate::failure::Failure;

const VARIABLE: &str = "PARALLAX_ISA";
const BLOCKS: &str = "PARALLAX_BLOCKS";

/// Lets the executor use what the variables say; without them, the best there is.
pub(crate) fn choose() -> Result<(), Failure> {
    match env::var_os(BLOCKS) {
        Some(value) if value == "interpreted" => interpret_all_blocks(),
        Some(value) if !value.is_empty() && value != "compiled" => {
            let value = value.to_string_lossy();
            let names = "compiled, interpreted";
            return Err(Failure::input(format!("{BLOCKS} is `{value}`; expected one of {names}")));
        }
        _ => {}
    }
    let Some(value) = env::var_os(VARIABLE).filter(|value| !value.is_empty()) else {
        return Ok(());
    };
    let named = InstructionSet::ALL.into_iter().find(|set| value == *set.name());
    let Some(set) = named else {
        let names = InstructionSet::ALL.map(InstructionSet::name).join(", ");
        let value = value.to_string_lossy();
        return Err(Failure::input(format!("{VARIABLE} is `{value}`; expected one of {names}")));
    };
    set.limit().map_err(|error| Failure::input(format!("{VARIABLE}: {error}")))
}
