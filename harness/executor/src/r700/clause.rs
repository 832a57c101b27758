//! ALU clauses (section 3.7): what the control flow instruction does before and after the groups.

use parallax_isa::r700::{Case, state::State};

use super::{
    decode::{AluClause, ClauseKind, Condition, PixelMode},
    wavefront::{FlowError, Wavefront},
};

/// Enters a clause, or passes it over where no pixel executes it.
pub(super) fn enter_clause(
    clause: &AluClause,
    mode: PixelMode,
    case: &Case,
    pushes: bool,
    state: &mut State,
) -> Result<(), String> {
    for window in clause.constants.iter().filter(|window| window.length > 0) {
        let constants = if clause.alternate { &case.alternate_constants } else { &case.constants };
        if usize::from(window.buffer) >= constants.buffers.len() {
            return Err(format!("the case has no constant buffer {}", window.buffer));
        }
    }
    let mut flow = Wavefront::of(case, pushes, state);
    flow.before_clause(clause.kind).map_err(|error| error.0)?;
    let executing = flow.executing(mode);
    if executing == 0 {
        flow.after_clause(clause.kind, mode).map_err(|error| error.0)?;
        leave_clause(state, false);
        return Ok(());
    }
    state.executing = executing;
    // Pixels that whole quad mode adds start with a predicate of 0.
    state.predicate = state.pixels.active;
    state.in_clause = 1;
    state.group = clause.address;
    Ok(())
}

/// On to the next control flow instruction: what lives inside one clause only goes, of which PV, PS and AR
/// may be zero already.
#[inline]
pub(super) fn leave_clause(state: &mut State, is_clean: bool) {
    if !is_clean {
        state.previous = [[0; 64]; 5];
        state.ar = [[0; 64]; 4];
    }
    state.predicate = 0;
    state.executing = 0;
    state.execute_set = 0;
    state.execute_value = 0;
    state.in_clause = 0;
    state.group = 0;
    state.cf += 1;
}

impl Wavefront<'_> {
    /// What an ALU clause does before its groups.
    pub(super) fn before_clause(&mut self, kind: ClauseKind) -> Result<(), FlowError> {
        match kind {
            // They take a subentry, in whole quad mode too.
            ClauseKind::PushBefore | ClauseKind::ElseAfter => self.push_pixels(PixelMode::Active),
            // A subentry is needed while the clause runs.
            ClauseKind::Break | ClauseKind::Continue => {
                self.push_pixels(PixelMode::Active)?;
                self.take_frame();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Whether [`after_clause`](Self::after_clause) can be done.
    pub(super) fn check_after_clause(&self, kind: ClauseKind) -> Result<(), FlowError> {
        if let ClauseKind::PopAfter(count) = kind { self.check_pop(count) } else { Ok(()) }
    }

    /// What it does after them: pixels for which a predicate went to the active mask follow it.
    pub(super) fn after_clause(
        &mut self,
        kind: ClauseKind,
        mode: PixelMode,
    ) -> Result<(), FlowError> {
        let (set, value) = (self.state.execute_set, self.state.execute_value);
        let pixels = &mut self.state.pixels;
        let failed = pixels.active & set & !value;
        pixels.active &= !failed;
        match kind {
            ClauseKind::Continue => pixels.inactive_continue |= failed,
            ClauseKind::Break => pixels.inactive_break |= failed,
            _ => {}
        }
        match kind {
            ClauseKind::PopAfter(count) => self.pop(count, mode),
            // Whole quads execute the clause; only pixels that were active change their states.
            ClauseKind::ElseAfter => self.swap_branches(PixelMode::Active, Condition::Active),
            _ => Ok(()),
        }
    }
}
