//! The environment variable that chooses what the executor's kernels are compiled for.

use std::env;

use parallax_executor::InstructionSet;

use crate::failure::Failure;

/// Its name.
const VARIABLE: &str = "PARALLAX_ISA";

/// Lets the executor use what the variable says; without it, the best there is.
pub(crate) fn choose() -> Result<(), Failure> {
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
