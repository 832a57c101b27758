//! Which rules say the same of an instruction, and which are not about its generation.

use super::prelude::*;

/// Keeps of what was found the rules that are about the generation, and lets two that say the same of the
/// instruction name each other.
pub(super) fn settle(generation: Generation, violations: &mut [Violation]) {
    for violation in violations.iter_mut() {
        let mut rules = violation.rules();
        rules.retain(|rule| is_about(*rule, generation));
        if let [rule, also @ ..] = rules.as_slice() {
            (violation.rule, violation.also) = (*rule, also.to_vec());
        }
    }
    for index in 0..violations.len() {
        let rules = violations[index].rules();
        let others = violations.iter().enumerate().filter(|(other, _)| *other != index);
        let same = others.filter(|(_, other)| say_the_same(&rules, &other.rules()));
        let mut also: Vec<_> = same.flat_map(|(_, other)| other.rules()).collect();
        also.retain(|rule| !rules.contains(rule));
        also.sort_unstable();
        also.dedup();
        violations[index].also.extend(also);
    }
}

/// Whether a rule is about a generation: rows of the table `eu-legality-by-gen` say so, of other rules the
/// document says it.
pub(super) fn is_about(rule: RuleId, generation: Generation) -> bool {
    let rule = rule.rule();
    match rule.id.split('.').next() {
        Some("leg") => is_listed(rule.rule, generation),
        Some("gen12" | "dg1") => generation == Generation::Gen12,
        Some("gen9") if rule.id == "gen9.isa.op.csel-f-only" => generation == Generation::Gen9,
        Some("gen9") => generation >= Generation::Gen9,
        _ => true,
    }
}

/// Whether the generations at the start of a row of the table include one: `[Gen4-Gen7.5]`,
/// `[Gen8(CHV), Gen9(BXT/GLK)]`.
pub(super) fn is_listed(statement: &str, wanted: Generation) -> bool {
    let Some((list, _)) = statement.trim_start_matches('[').split_once(']') else { return true };
    let number = |text: &str| -> Option<f32> {
        let digits = text.trim().trim_start_matches("Gen");
        let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
        digits[..end].parse().ok()
    };
    let wanted = number(wanted.name());
    list.split(',').any(|item| match item.split_once('-') {
        Some((from, to)) => number(from) <= wanted && wanted <= number(to),
        None => number(item) == wanted && !item.contains("BXT"),
    })
}

/// Groups of rules.
macro_rules! groups {
    ($([$($id:literal)+])*) => { &[$(&[$(rule_id!($id)),+]),*] };
}

/// Rules of which one follows from the other, or which are about the same thing from two sides.
static GROUPS: &[&[RuleId]] = groups! {
    // A product of doublewords, and how many channels an accumulator has.
    ["leg.inst.addc-subb" "leg.inst.mach-simd" "leg.acc.simd16-int" "leg.acc.simd16-dword-ivb"]
    // How many bytes an instruction of many channels reaches over.
    ["leg.enc.simd32-types" "leg.enc.exec-bytes" "leg.region.src-two-regs" "leg.region.dst-two-regs"
        "dg1.vstride.16-types" "dg1.vstride.32-types"]
    ["leg.enc.simd32-types" "leg.enc.exec-bytes" "leg.type.64bit-gen12lp"]
    ["leg.enc.nib-ctrl" "leg.enc.qtr-exec-size"]
    ["leg.inst.sel-simd32-ivb" "leg.enc.simd32-cmod"]
    ["leg.inst.sel-simd32-ivb" "leg.enc.simd32-mask"]
    ["leg.mixed.acc-src" "leg.mixed.acc-dst-stride"]
    ["leg.mixed.packed-align" "leg.type.f-hf-stride"]
    ["leg.type.dst-size-ratio" "leg.type.vec-imm-other-source"]
};

/// Rules about types beside the rows of the table `eu-operand-types`, which exclude what they forbid.
static OF_TYPES: &[&[RuleId]] = groups! {
    ["leg.type.int-float-mix" "leg.type.byte-64bit" "leg.type.hf-64bit" "leg.type.64bit-gen12lp"
        "leg.type.byte-src1-gen11" "leg.inst.mul-dword-operand" "leg.inst.mul-dst-f"
        "leg.inst.mul-dword-dword-gen12"
        "leg.inst.csel-types-gen12" "leg.inst.rot" "leg.inst.mad-types-gen12"
        "leg.inst.math-idiv-types" "leg.inst.smov" "leg.enc.3src-a1-exec-type"]
};

/// Whether two findings of one instruction are the same one.
fn say_the_same(one: &[RuleId], other: &[RuleId]) -> bool {
    let both = |group: &[RuleId]| {
        let has = |rules: &[RuleId]| rules.iter().any(|rule| group.contains(rule));
        has(one) && has(other)
    };
    GROUPS.iter().any(|group| both(group))
        || (is_row(one) || is_row(other)) && is_of_types(one) && is_of_types(other)
}

/// Whether one of some rules is a row of the table `eu-operand-types`.
fn is_row(rules: &[RuleId]) -> bool {
    rules.iter().any(|rule| rule.rule().id.contains(".isa.types."))
}

/// Whether one of some rules is about types and nothing else.
pub(super) fn is_of_types(rules: &[RuleId]) -> bool {
    is_row(rules) || rules.iter().any(|rule| OF_TYPES[0].contains(rule))
}
