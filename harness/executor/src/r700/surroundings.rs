//! What instructions read besides the state.

use parallax_isa::r700::{
    Case,
    case::{Constants, Profile, ProgramType},
    state,
};

use super::decode::{AluClause, ConstantWindow};

/// Everything a clause reads besides the state.
pub(super) struct Surroundings<'a> {
    pub(super) constants: &'a Constants,
    pub(super) windows: [ConstantWindow; 2],
    pub(super) profile: Profile,
    /// Declared registers.
    pub(super) gpr_count: u32,
    /// First clause temporary; 128 without any.
    pub(super) first_temporary: u32,
    pub(super) global_count: u32,
    /// Kills take effect.
    pub(super) pixel_program: bool,
}

impl<'a> Surroundings<'a> {
    pub(super) fn of(case: &'a Case, clause: &AluClause) -> Self {
        Self {
            constants: if clause.alternate { &case.alternate_constants } else { &case.constants },
            windows: clause.constants,
            profile: case.profile,
            gpr_count: case.gpr_count,
            first_temporary: 128 - case.clause_temporaries.min(128),
            global_count: case.global_gprs.min(state::GLOBAL_COUNT as u32),
            pixel_program: case.program_type == ProgramType::Pixel,
        }
    }
}
