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

/// Rules of which one follows from the other, or which are about the same thing from two sides.
static GROUPS: &[&[RuleId]] = &[
    // A product of doublewords, and how many channels an accumulator has.
    &[
        rule_id!("leg.inst.addc-subb"),
        rule_id!("leg.inst.mach-simd"),
        rule_id!("leg.acc.simd16-int"),
        rule_id!("leg.acc.simd16-dword-ivb"),
    ],
    // How many bytes an instruction of many channels reaches over.
    &[
        rule_id!("leg.enc.simd32-types"),
        rule_id!("leg.enc.exec-bytes"),
        rule_id!("leg.region.src-two-regs"),
        rule_id!("leg.region.dst-two-regs"),
        rule_id!("dg1.vstride.16-types"),
        rule_id!("dg1.vstride.32-types"),
    ],
    &[
        rule_id!("leg.enc.simd32-types"),
        rule_id!("leg.enc.exec-bytes"),
        rule_id!("leg.type.64bit-gen12lp"),
    ],
    &[rule_id!("leg.enc.nib-ctrl"), rule_id!("leg.enc.qtr-exec-size")],
    &[rule_id!("leg.inst.sel-simd32-ivb"), rule_id!("leg.enc.simd32-cmod")],
    &[rule_id!("leg.inst.sel-simd32-ivb"), rule_id!("leg.enc.simd32-mask")],
    &[rule_id!("leg.mixed.acc-src"), rule_id!("leg.mixed.acc-dst-stride")],
    &[rule_id!("leg.mixed.packed-align"), rule_id!("leg.type.f-hf-stride")],
    &[rule_id!("leg.type.dst-size-ratio"), rule_id!("leg.type.vec-imm-other-source")],
];

/// Rules about types beside the rows of the table `eu-operand-types`, which exclude what they forbid.
static OF_TYPES: &[RuleId] = &[
    rule_id!("leg.type.int-float-mix"),
    rule_id!("leg.type.byte-64bit"),
    rule_id!("leg.type.hf-64bit"),
    rule_id!("leg.type.64bit-gen12lp"),
    rule_id!("leg.type.byte-src1-gen11"),
    rule_id!("leg.inst.mul-dword-operand"),
    rule_id!("leg.inst.mul-dst-f"),
    rule_id!("leg.inst.csel-types-gen12"),
    rule_id!("leg.inst.rot"),
    rule_id!("leg.inst.mad-types-gen12"),
    rule_id!("leg.inst.math-idiv-types"),
    rule_id!("leg.inst.smov"),
    rule_id!("leg.enc.3src-a1-exec-type"),
];

/// Whether two findings of one instruction are the same one.
fn say_the_same(one: &[RuleId], other: &[RuleId]) -> bool {
    let both = |group: &[RuleId]| {
        let has = |rules: &[RuleId]| rules.iter().any(|rule| group.contains(rule));
        has(one) && has(other)
    };
    let is_row = |rules: &[RuleId]| rules.iter().any(|rule| rule.rule().id.contains(".isa.types."));
    let is_of_types =
        |rules: &[RuleId]| is_row(rules) || rules.iter().any(|rule| OF_TYPES.contains(rule));
    GROUPS.iter().any(|group| both(group))
        || (is_row(one) || is_row(other)) && is_of_types(one) && is_of_types(other)
}
