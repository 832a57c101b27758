//! Immediate operands (sections 10.2 and 11.3.6).

use parallax_isa::eu::DataType::{self, D, F, Ud, Uw, V, Vf, W};

use super::super::g45;
use crate::{Rule, step::Step};

const SCALARS: &[DataType] = &[W, Uw, D, Ud, F];

/// Whether several channels have a number, or each a number of a vector.
fn has(step: Step, types: &[DataType]) -> bool {
    step.has_several_results() && types.iter().any(|data_type| step.has_immediate(*data_type))
}

fn has_vector(step: Step) -> bool {
    has(step, &[V, Vf])
}

fn has_any(step: Step) -> bool {
    step.has_any_immediate() && step.has_exact_result()
}

/// Whether a half byte is read that is negative.
fn has_negative(step: Step) -> bool {
    step.any_of_sources(V, |e| e.is_negative())
}

/// Whether a restricted float is read that is not zero.
fn has_float(step: Step) -> bool {
    step.any_of_sources(Vf, |e| !e.is_zero())
}

/// The bits of the smallest restricted float above zero.
const LEAST: u64 = 0x3E08_0000;
const MAGNITUDE: u64 = 0x7FFF_FFFF;

pub(in super::super) const RULES: &[Rule] = &[
    g45("g45.gen.term.v").when(|s| has(s, &[V])),
    g45("g45.gen.term.vf").when(|s| has(s, &[Vf])),
    g45("g45.dt.halfbyte-not-addressable").when(|s| has(s, &[V])),
    g45("g45.dt.halfbyte-range").when(has_negative),
    g45("g45.dt.v-expand").when(has_negative),
    g45("g45.dt.vf-format").when(has_float),
    g45("g45.dt.vf-zero").when(|s| s.any_of_sources(Vf, |e| e.is_zero())),
    g45("g45.dt.vf-exp").when(has_float),
    g45("g45.dt.vf-table").when(has_float),
    g45("g45.dt.vf-no-denorm")
        .when(|s| s.any_of_sources(Vf, |e| !e.is_zero() && e.bits & MAGNITUDE < 0x3E80_0000)),
    g45("g45.dt.vf-no-special").when(|s| s.any_of_sources(Vf, |e| e.bits >> 23 & 0xFF == 131)),
    g45("g45.dt.vf-min-magnitude").when(|s| s.any_of_sources(Vf, |e| e.bits & MAGNITUDE == LEAST)),
    g45("g45.dt.vf-expand").when(|s| has(s, &[Vf])),
    g45("g45.exec.immediates").when(has_any),
    g45("g45.imm.forms").when(has_any),
    g45("g45.imm.v-type").when(|s| has(s, &[V])),
    g45("g45.imm.vf-type").when(|s| has(s, &[Vf])),
    g45("g45.vec.v").when(has_negative),
    g45("g45.vec.vf").when(has_float),
    g45("g45.operand.imm-scalar-broadcast").when(|s| has(s, SCALARS)),
    g45("g45.operand.imm-vector").when(has_vector),
    g45("g45.field.imm32.bits").when(|s| has_any(s) && !s.has_immediate(V) && !s.has_immediate(Vf)),
    g45("g45.field.imm32.ranges").when(|s| {
        [W, Uw, D, Ud].iter().any(|data_type| {
            s.has_immediate(*data_type) && s.any_of_sources(*data_type, |e| e.shows_its_sign())
        })
    }),
    g45("g45.pg.vec.layout").when(|s| has(s, &[V])),
    g45("g45.pg.vec.range").when(has_negative),
];
