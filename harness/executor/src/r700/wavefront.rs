//! The wavefront whose program runs, as its control flow instructions see it.

use parallax_isa::r700::{Case, case::LoopConstant, state::State};

/// A use of the stack that has no defined effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FlowError(pub(super) &'static str);

/// The part of a state that control flow instructions work on, with the constants they read.
pub(super) struct Wavefront<'a> {
    pub(super) state: &'a mut State,
    pub(super) booleans: u32,
    pub(super) loops: &'a [LoopConstant],
    /// What CALL_FS adds to its address.
    pub(super) fetch_program: u32,
    /// Stack entries the program may use.
    pub(super) stack_size: u32,
    /// The program has an instruction that pushes pixel states.
    pub(super) pushes: bool,
}

impl<'a> Wavefront<'a> {
    pub(super) fn of(case: &'a Case, pushes: bool, state: &'a mut State) -> Self {
        Self {
            state,
            booleans: case.bool_constants,
            loops: &case.loop_constants,
            fetch_program: case.fetch_program,
            stack_size: case.stack_size,
            pushes,
        }
    }
}
