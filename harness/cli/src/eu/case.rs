//! The case that arguments describe.

use parallax_isa::eu::{Case, State, state::control};

use super::values;
use crate::{
    failure::Failure,
    start::{FloatMode, Start},
};

/// A program with the registers it starts from.
pub(crate) fn of(start: &Start) -> Result<Case, Failure> {
    start.only_execution_unit()?;
    let program = start.listing()?.code;
    let mut state = Box::new(State::new());
    let mask = u16::try_from(start.mask.unwrap_or(0xFFFF))
        .map_err(|_| Failure::input("--mask: an execution unit has 16 channels".to_owned()))?;
    state.mask = [mask; 4];
    state.status[1] = state.status[1] & !0xFFFF | u32::from(mask);
    if start.float_mode == Some(FloatMode::Alt) {
        state.control[0] |= control::ALTERNATIVE_FLOAT_MODE;
    }
    for assignment in &start.set {
        values::set(&mut state, assignment).map_err(Failure::input)?;
    }
    let mut case = Case::new(start.device, program, state, start.step_limit);
    case.surroundings.shared_functions =
        start.shared_function.map_or_else(Default::default, Into::into);
    Ok(case)
}
