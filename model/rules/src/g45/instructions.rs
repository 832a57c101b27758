//! The instructions (chapter 14): what each computes, and which attributes it has.

pub(super) mod arithmetic;
pub(super) mod comparisons;
pub(super) mod flow;
pub(super) mod logic;
pub(super) mod moves;
pub(super) mod rounding;
pub(super) mod send;
pub(super) mod vectors;

use std::sync::LazyLock;

use parallax_isa::eu::Opcode::{
    self, Add, And, Asr, Avg, Cmp, Cmpn, Dp2, Dp3, Dp4, Dph, Frc, Line, Lzd, Mac, Mach, Mov, Movi,
    Mul, Not, Or, Pln, Rndd, Rnde, Rndu, Rndz, Sad2, Sada2, Sel, Shl, Shr, Xor,
};
use parallax_spec::{Level, RuleId};

use super::of_gen4;
use crate::{Rule, rule::Decides, step::Step};

/// The data instructions, as the manual orders them.
const DATA: &[Opcode] = &[
    Add, And, Asr, Avg, Cmp, Cmpn, Dp2, Dp3, Dp4, Dph, Frc, Line, Lzd, Mac, Mach, Mov, Movi, Mul,
    Not, Or, Pln, Rndd, Rnde, Rndu, Rndz, Sad2, Sada2, Sel, Shl, Shr, Xor,
];

/// A part of the names of rules, when the rule of it decides a step, and what.
type Part = (&'static str, fn(Step) -> bool, Decides);

/// What an instruction computes, and the attributes that it may use.
const PARTS: [Part; 6] = [
    ("semantics", |s| s.has_exact_result(), Decides::Result),
    ("compression", |s| s.is_half() && s.has_exact_result(), Decides::Result),
    ("predication", |s| s.is_selective(), Decides::Result),
    ("saturate", saturates, Decides::Result),
    ("condmod", |s| s.sets_flags(), Decides::Flags),
    ("srcmod", |s| s.modifies_sources(), Decides::Result),
];

/// Those that write their result to an accumulator besides the destination.
const UPDATING: &[Opcode] = &[Add, Avg, Line, Mac, Mach, Mul, Pln, Sad2, Sada2];
/// Those that leave something unpredictable there.
const POISONING: &[Opcode] = &[Dp2, Dp3, Dp4, Dph, Frc, Lzd, Rndd, Rnde, Rndu, Rndz];
/// Those that cannot have one as destination.
const NEVER_TO_ACCUMULATORS: &[Opcode] = &[Asr, Cmp, Cmpn, Shl];

/// What an instruction does to accumulators.
fn accumulator_rules(opcode: &'static Opcode) -> impl Iterator<Item = Rule> {
    let rule = |part: &str, when: fn(Step) -> bool, decides| {
        let id = RuleId::find(&format!("g45.inst.{}.{part}", opcode.mnemonic()))?;
        Some(
            of_gen4(Rule::of_id(id))
                .of(std::slice::from_ref(opcode))
                .when(when)
                .decides_of(decides),
        )
    };
    let update = match opcode {
        _ if UPDATING.contains(opcode) => {
            rule("acc-update", |s| s.updates_accumulator_too(), Decides::Accumulator)
        }
        _ if POISONING.contains(opcode) => {
            rule("acc-update", |s| s.poisons_accumulator(), Decides::Accumulator)
        }
        _ => rule("acc-update", |s| s.lets_accumulators_be(), Decides::KeptAccumulator),
    };
    let is_unconditional = NEVER_TO_ACCUMULATORS.contains(opcode);
    let update = update.map(|rule| if is_unconditional { rule.unconditional() } else { rule });
    let preserved = rule(
        "acc-preserved",
        |s| s.control_disables_accumulator() && s.lets_accumulators_be(),
        Decides::KeptAccumulator,
    );
    let destination =
        rule("acc-dst", |s| s.names_accumulator() && s.updates_accumulator(), Decides::Accumulator);
    [update, preserved, destination].into_iter().flatten()
}

/// The rules of all instructions that are named by one of those parts, but for restrictions.
pub(crate) static ATTRIBUTES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let mut rules = Vec::new();
    for opcode in DATA {
        for (part, when, decides) in PARTS {
            let id = RuleId::find(&format!("g45.inst.{}.{part}", opcode.mnemonic()));
            let Some(id) = id.filter(|id| id.rule().level == Level::Must) else { continue };
            let rule = of_gen4(Rule::of_id(id)).of(std::slice::from_ref(opcode)).when(when);
            let rule = rule.decides_of(decides);
            rules.push(if part == "semantics" { rule.unconditional() } else { rule });
        }
        rules.extend(accumulator_rules(opcode));
    }
    rules
});

/// Whether a result is clamped, or may be; those of some instructions fit all types.
fn saturates(step: Step) -> bool {
    let always_fits = matches!(step.instruction().opcode, Lzd | Sad2);
    step.clamps() || always_fits && step.instruction().saturate && step.has_exact_result()
}

/// Whether the two float modes differ in a step: a result is too large, or an operand no number.
fn shows_float_mode(step: Step) -> bool {
    step.destination().data_type.is_float()
        && step.any(|c| {
            c.overflowed() || c.any(|e| e.is_nan() || e.is_infinite()) || c.result().is_infinite()
        })
}
