//! The enumerations of DG1 (Gen12): fields of the instruction word and what their values do.

mod functions;
mod words;

use parallax_isa::{
    device::Generation::Gen12,
    eu::{
        DataType::{self, B, D, F, Hf, Ub, Ud, Uw, W},
        Opcode::{And, Cmp, Csel, Math, Not, Or, Sel, Xor},
        instruction::{ConditionalModifier, MathFunction, PredicateControl},
        operand::Register,
        register::ArfKind,
    },
};
use parallax_spec::{RuleId, coverage, rows::Table};

use crate::{
    Rule,
    element::Element,
    flow::Flow,
    rule::{Decides, rule},
    step::Step,
};
pub(crate) use functions::CELLS;
pub(crate) use words::{CODES, RULES as WORDS};

const fn gen12(id: &str) -> Rule {
    rule(id).since(Gen12)
}

fn has_condition(step: Step) -> bool {
    !step.has_condition(ConditionalModifier::None)
}

fn is_control(step: Step, controls: &[PredicateControl]) -> bool {
    controls.contains(&step.instruction().predicate.control)
}

const BOTH_REGISTERS: &[PredicateControl] = &[PredicateControl::AnyV, PredicateControl::AllV];
const GROUPS_OF_FOUR: &[PredicateControl] = &[PredicateControl::Any4H, PredicateControl::All4H];

/// Whether the predicate combines flag bits of a group.
fn has_groups(step: Step) -> bool {
    use PredicateControl::{AllV, AnyV, None, Sequential};
    step.is_selective() && !is_control(step, &[None, Sequential, AnyV, AllV])
}

/// Whether a result that is beyond the range of `.sat` is 0 or 1.
fn is_an_end(result: Element) -> bool {
    let one = match result.data_type {
        DataType::Hf => 0x3C00,
        _ => 0x3F80_0000,
    };
    result.is_zero() || result.bits == one
}

const DIVISIONS: &[MathFunction] = &[MathFunction::Idiv, MathFunction::Iqot, MathFunction::Irem];

/// Whether integers of a type are divided in some way.
fn division(step: Step, data_type: DataType, which: fn([i128; 2]) -> bool) -> bool {
    step.applies(DIVISIONS) && step.0.source_type(0) == data_type && step.any(|c| c.are(which))
}

pub(crate) const RULES: &[Rule] = &[
    gen12("dg1.accwrctrl.both")
        .when(|s| s.instruction().accumulator_write && s.control_keeps_accumulator() && s.has_exact_result())
        .decides_of(Decides::Accumulator),
    gen12("dg1.chanoff.semantics").when(|s| {
        s.instruction().first_channel != 0 && (s.is_masked() || s.is_selective() || s.sets_flags())
    }),
    gen12("dg1.chanoff.implicit-acc")
        .when(|s| s.instruction().first_channel != 0 && s.instruction().accumulator_write && s.has_exact_result())
        .decides_of(Decides::Accumulator),
    gen12("dg1.flagmod.none").when(|s| !has_condition(s) && s.has_exact_result()),
    gen12("dg1.flagmod.embedded-compare").of(&[Sel, Csel]).when(|s| has_condition(s) && s.has_exact_result()),
    gen12("dg1.flagmod.sources")
        .when(|s| !matches!(s.instruction().opcode, Sel | Csel) && s.sets_flags())
        .decides_of(Decides::Flags),
    gen12("dg1.horzstride.zero-row").when(|s| {
        s.has_several_results() && s.registers().any(|source| matches!(source.align1(), Some((_, _, 0))))
    }),
    // The magnitude of a negative number would have a logarithm.
    gen12("dg1.math.pow-abs").of(&[Math]).when(|s| {
        s.applies(&[MathFunction::Log])
            && s.is_ieee()
            && s.any(|c| c.element(0).is_some_and(|e| e.is_normal() && e.is_negative()))
    }),
    gen12("dg1.math.idiv-two-dst").of(&[Math]).when(|s| s.applies(&[MathFunction::Idiv]) && s.has_exact_result()),
    gen12("dg1.math.idiv.integer.otherwise-signed.t0")
        .of(&[Math])
        .when(|s| division(s, D, |[a, b]| b != 0 && a % b != 0)),
    gen12("dg1.math.idiv.integer.src1-0-src0-ge-0.t0").of(&[Math]).when(|s| division(s, D, |[a, b]| b == 0 && a >= 0)),
    gen12("dg1.math.idiv.integer.src1-0-src0-lt-0.t0").of(&[Math]).when(|s| division(s, D, |[a, b]| b == 0 && a < 0)),
    gen12("dg1.math.idiv.integer.ud-src1-0.t0").of(&[Math]).when(|s| division(s, Ud, |[_, b]| b == 0)),
    gen12("dg1.math.idiv.integer.ud-src1-ne-0.t0")
        .of(&[Math])
        .when(|s| division(s, Ud, |[a, b]| b != 0 && a % b != 0)),
    gen12("dg1.math.iqot").of(&[Math]).when(|s| s.applies(&[MathFunction::Iqot]) && s.has_exact_result()),
    gen12("dg1.math.irem").of(&[Math]).when(|s| s.applies(&[MathFunction::Irem]) && s.any(|c| c.result().bits != 0)),
    // Between 2 and e a logarithm is above 1 to the one base, below to the other: clamped, it is one value.
    gen12("dg1.math.log-base").of(&[Math]).when(|s| {
        s.applies(&[MathFunction::Log])
            && s.any(|c| c.element(0).is_some_and(|e| e.is_single_within(2.25..2.625)))
    }),
    // There powers of 2 and of e are farther apart than any accuracy.
    gen12("dg1.math.exp-base")
        .of(&[Math])
        .when(|s| {
            let is_far = |e: Element| e.is_single_within(0.125..100.0) || e.is_single_within(-100.0..-0.125);
            s.applies(&[MathFunction::Exp])
                && !s.instruction().saturate
                && s.any_written(|c| c.element(0).is_some_and(is_far))
        })
        .excludes_others(),
    gen12("dg1.pred.none").when(|s| !s.is_predicated() && s.has_exact_result()),
    gen12("dg1.pred.inverse-none").when(|s| {
        !s.is_predicated() && s.instruction().predicate.inverse && s.has_exact_result()
    }),
    gen12("dg1.pred.anyv-flags").when(|s| s.is_selective() && is_control(s, BOTH_REGISTERS)),
    gen12("dg1.pred.any4-both").when(|s| s.is_selective() && is_control(s, GROUPS_OF_FOUR)),
    gen12("dg1.pred.group-scope").when(has_groups),
    gen12("dg1.pred.inverse-order").when(|s| {
        s.instruction().predicate.inverse && (has_groups(s) || s.is_selective() && is_control(s, BOTH_REGISTERS))
    }),
    gen12("dg1.sat.float").when(|s| {
        s.instruction().saturate
            && s.destination().data_type.is_float()
            && s.any(|c| is_an_end(c.result()) && !c.any(|e| e.is_nan()))
    }),
    gen12("dg1.sat.int").when(|s| {
        s.instruction().saturate && !s.destination().data_type.is_float() && s.any(|c| c.overflowed())
    }),
    gen12("dg1.sat.nan").when(|s| {
        s.instruction().saturate
            && s.destination().data_type.is_float()
            && s.any(|c| c.result().is_zero() && c.any(|e| e.is_nan()))
    }),
    gen12("dg1.sat.off").when(|s| {
        !s.instruction().saturate && !s.destination().data_type.is_float() && s.any(|c| c.overflowed())
    }),
    gen12("dg1.srcmod.logic-abs").of(&[And, Or, Xor, Not]).when(|s| s.any_register(|source| source.modifier.absolute)),
    gen12("dg1.srcmod.logic-not").of(&[And, Or, Xor, Not]).when(|s| {
        s.any_register(|source| source.modifier.negate && !source.modifier.absolute)
    }),
    gen12("dg1.srcmod.order").when(|s| {
        !matches!(s.instruction().opcode, And | Or | Xor | Not)
            && s.any_register(|source| source.modifier.negate && source.modifier.absolute)
    }),
    gen12("dg1.vstride.0xf").when(|s| s.any_region(|source| source.row_addresses().is_some())),
    gen12("dg1.vstride.range").when(|s| {
        s.any_region(|source| {
            matches!(source.align1(), Some((vertical, width, _)) if width < s.size() && vertical != 0)
        })
    }),
];

const MODES: Table = table("gen12.isa.cr.bits");
const ACCUMULATORS: Table = table("gen12.isa.op.acc");
const COERCED: Table = table("dg1.regtype.coerce");
const COMPARED: Table = table("gen12.isa.op.cmp-types");

const fn table(id: &str) -> Table {
    Table::of(RuleId::named(id)).expect("a table")
}

/// The types of registers that there are instructions for, in the order of the table's rows.
const TYPES: [DataType; 8] = [B, Ub, W, Uw, D, Ud, Hf, F];

/// The mode bits of `cr0.0`, in the order of the table's rows. That of doubles is not among them: no instruction takes one.
#[derive(Debug, Clone, Copy)]
enum Mode {
    Alternative,
    SingleProgramFlow,
    VectorMask,
    Rounding,
    KeepSingle,
    KeepHalf,
}

/// Whether a mode bit decides a step.
fn decides(step: Step, mode: Mode) -> bool {
    let keeps = |data_type| {
        step.keeps_denormals(data_type)
            && step.reads_numbers()
            && step.any_of_sources(data_type, |e| e.is_denormal())
    };
    match mode {
        Mode::Alternative => {
            step.is_alternative()
                && step.destination().data_type == F
                && step.any(|c| c.overflowed())
        }
        Mode::SingleProgramFlow => false,
        Mode::VectorMask => {
            step.has_vector_mask() && step.has_two_dispatch_masks() && step.is_masked()
        }
        Mode::Rounding => step.rounds_by(&[1, 2, 3]) && step.any(|c| c.is_rounded()),
        Mode::KeepSingle => keeps(F),
        Mode::KeepHalf => keeps(Hf),
    }
}

/// Counts the row of single program flow where it decides what a branch does.
pub(crate) fn observe_flow(step: Flow) {
    if step.device.generation() >= Some(Gen12) && step.is_alone() && step.parts() {
        coverage::hit_row(MODES.row(Mode::SingleProgramFlow as usize));
    }
}

/// Counts the rows of tables that decide a step: the types that operands are read with where it shows, and those that are
/// compared.
pub(crate) fn observe_tables(step: Step) {
    if !step.is_since(Gen12) || !step.has_exact_result() {
        return;
    }
    let opcode = step.instruction().opcode;
    use Mode::{Alternative, KeepHalf, KeepSingle, Rounding, VectorMask};
    for mode in [Alternative, VectorMask, Rounding, KeepSingle, KeepHalf] {
        if decides(step, mode) {
            coverage::hit_row(MODES.row(mode as usize));
        }
    }
    let registers = step.registers().map(|source| source.register);
    for register in registers.chain([step.destination().register]) {
        if let (Some(ArfKind::Accumulator), Register::Direct { number, .. }) =
            (register.arf(), register)
        {
            coverage::hit_row(ACCUMULATORS.row(usize::from(number & 7)));
        }
    }
    if step.reads_numbers() {
        for source in step.registers() {
            let row = TYPES.iter().position(|listed| *listed == source.data_type);
            row.into_iter().for_each(|row| coverage::hit_row(COERCED.row(row)));
        }
    }
    if opcode == Cmp {
        let row = match [step.0.source_type(0), step.0.source_type(1)] {
            [F, F] => 1,
            [Hf, Hf] => 2,
            [F, Hf] | [Hf, F] => 3,
            _ => 0,
        };
        coverage::hit_row(COMPARED.row(row));
    }
}
