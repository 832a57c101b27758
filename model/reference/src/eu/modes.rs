//! The mode bits of `cr0.0` on Gen12: each is a row of their rule, which counts where the bit decides.

use parallax_isa::device::Generation;
use parallax_spec::{RuleId, coverage, rows::Table};

/// The mode bits, in the order of the rule. That of doubles is not among them: no instruction takes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Alternative,
    SingleProgramFlow,
    VectorMask,
    Rounding,
    KeepSingle,
    KeepHalf,
}

/// Counts a mode bit that decided something on a generation.
pub(super) fn count_mode(generation: Generation, mode: Mode) {
    const TABLE: Table = Table::of(RuleId::named("gen12.isa.cr.bits")).expect("a table");
    if generation >= Generation::Gen12 {
        coverage::hit_row(TABLE.row(mode as usize));
    }
}
