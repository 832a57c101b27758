//! The case that arguments describe.

use parallax_isa::eu::{Case, State, state::control};

use super::values;
use crate::{
    failure::Failure,
    start::{FloatMode, Start},
};

/// A program with the registers it starts from.
pub(crate) fn of(start: &Start) -> Result<Case, Failure> {
    let program = start.listing()?.code;
    let mut state = Box::new(State::new());
    state.mask = [start.mask; 4];
    state.status[1] = state.status[1] & !0xFFFF | u32::from(start.mask);
    if start.float_mode == FloatMode::Alt {
        state.control[0] |= control::ALTERNATIVE_FLOAT_MODE;
    }
    for assignment in &start.set {
        values::set(&mut state, assignment).map_err(Failure::input)?;
    }
    Ok(Case::new(start.device, program, state, start.step_limit))
}
