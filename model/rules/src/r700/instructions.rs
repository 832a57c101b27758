//! What each ALU instruction computes (section 9.2). Ids are made of the names that the table of instructions has: a row
//! is a part of the rules of several, `r700.aluinst.muladd.product-rule` and `r700.aluinst.muladd-m2.product-rule`.

use std::sync::LazyLock;

use parallax_isa::r700::{
    Alu,
    AluOpcode::{self, *},
    Profile,
    opcode::{AluFormat, Kind, Role},
};
use parallax_spec::{Level, RuleId, coverage, family::family, rows::Table};

use super::{
    groups::keeps_face,
    operands::{keeps_previous, modifies_special, negates_absolute},
    results::{is_out_of_range, only_sends, sends, stores, uses_address, writes_counter},
    rule::{Rule, When, operation, rule},
    step::{Operation, Pixel, Read, SIGN, Step, TRANS},
};
use crate::Decides;

/// The largest single.
const MAX_FLOAT: f32 = f32::MAX;

/// Whether src0 has a fraction.
fn is_fractional(p: Pixel) -> bool {
    p.float(0).is_finite() && p.float(0).fract() != 0.0
}

fn is_negative_fraction(p: Pixel) -> bool {
    is_fractional(p) && p.float(0) < 0.0
}

/// Whether src0 is half-way between two integers.
fn is_tie(p: Pixel) -> bool {
    p.float(0).fract().abs() == 0.5
}

/// Whether a source is a NaN or a denormal: arithmetic would change its bits.
fn is_fragile(bits: u32) -> bool {
    matches!(bits >> 23 & 0xFF, 0 | 0xFF) && bits & 0x7F_FFFF != 0
}

/// Zero times what is not finite: the rule of Direct3D 9 and that of IEEE 754 differ.
fn is_zero_by_no_number(p: Pixel) -> bool {
    let one = |a: f32, b: f32| a == 0.0 && !b.is_finite();
    p.lanes().any(|lane| {
        let (a, b) = (lane.float(0), lane.float(1));
        one(a, b) || one(b, a)
    })
}

/// Whether the lighting product is replaced.
fn is_guarded(p: Pixel) -> bool {
    let (base, exponent) = (p.float(1), p.float(2));
    base <= -MAX_FLOAT || base.is_nan() || exponent <= 0.0 || exponent.is_nan()
}

/// Whether the test of a push holds for its source.
fn passes(p: Pixel) -> bool {
    match p.operation.opcode {
        PredSetePush => p.float(1) == 0.0,
        PredSetgtPush => p.float(1) > 0.0,
        PredSetgePush => p.float(1) >= 0.0,
        _ => p.float(1) != 0.0,
    }
}

/// Whether a comparison of the bits would have another result than one of the numbers.
fn is_float_comparison(p: Pixel) -> bool {
    let (a, b) = (p.float(0), p.float(1));
    let are_negative = a < 0.0 && b < 0.0 && a != b;
    a.is_nan() || b.is_nan() || are_negative || a == b && p.bits(0) != p.bits(1)
}

fn has_nan(p: Pixel) -> bool {
    p.lanes().any(|lane| (0..p.operation.sources.len()).any(|source| lane.float(source).is_nan()))
}

/// Whether a result is rounded, or a value of the address register.
fn is_rounded(p: Pixel) -> bool {
    match p.operation.opcode {
        Mova => is_tie(p),
        MovaFloor => is_negative_fraction(p),
        IntToFlt => {
            p.signed(0).unsigned_abs() > 1 << 24 && p.signed(0) as f32 as i64 != p.signed(0)
        }
        UintToFlt => p.bits(0) as f32 as u64 != u64::from(p.bits(0)),
        _ => {
            let (a, b) = (f64::from(p.float(0)), f64::from(p.float(1)));
            (a * b).is_finite() && f64::from((a * b) as f32) != a * b
        }
    }
}

/// Whether a difference goes below zero, in the order of the profile.
fn borrows(p: Pixel) -> bool {
    match p.profile() {
        Profile::Manual => p.bits(1) < p.bits(0),
        Profile::Silicon => p.bits(0) < p.bits(1),
    }
}

fn has_sign(p: Pixel) -> bool {
    (0..p.operation.sources.len()).any(|source| p.bits(source) & SIGN != 0)
}

fn signs_differ(p: Pixel) -> bool {
    (p.bits(0) ^ p.bits(1)) & SIGN != 0
}

/// Whether each source that is read is none of the others, and not zero: it shows which is which.
fn tells_sources_apart(p: Pixel) -> bool {
    (0..p.operation.sources.len())
        .all(|n| p.bits(n) != 0 && (0..n).all(|other| p.bits(other) != p.bits(n)))
}

fn is_plain(operation: Operation) -> bool {
    operation.alu.omod() == 0
        && operation.alu.clamp() == 0
        && operation.sources.iter().all(|source| !source.negate && !source.absolute)
}

/// Whether lanes of a reduction read something else.
fn lanes_differ(p: Pixel) -> bool {
    p.lanes().any(|lane| lane.bits(0) != p.bits(0))
}

/// Whether no two lanes of a reduction give the same.
fn results_differ(p: Pixel) -> bool {
    let others = |n: usize| p.lanes().skip(n + 1);
    p.lanes().enumerate().all(|(n, lane)| others(n).all(|other| other.result() != lane.result()))
}

/// Whether a result, though within a tolerance, is far from what another reading of the rule would give: an angle in
/// turns, a reciprocal of the other scale, or none. Below that a few units are a large part.
fn is_distinguished(operation: Operation) -> bool {
    operation.alu.clamp() == 0
        && operation.any_approximate(|p| match operation.opcode {
            RecipInt => (2..1 << 21).contains(&p.signed(0).abs()),
            RecipUint => (2..1 << 22).contains(&p.bits(0)),
            _ => false,
        })
}

fn shows_its_unit(operation: Operation) -> bool {
    operation.alu.clamp() == 0
        && operation.any_approximate(|p| {
            let angle = f64::from(p.float(0));
            let turns = angle * std::f64::consts::TAU;
            let difference = match operation.opcode {
                Sin => angle.sin() - turns.sin(),
                _ => angle.cos() - turns.cos(),
            };
            p.profile() == Profile::Manual && difference.abs() > 0.001
        })
}

/// The exponent field that `LDEXP_64` comes to.
fn moved(p: Pixel) -> i64 {
    p.exponent(0) + p.signed(1)
}

/// Whether a source is a double that is neither zero, denormal, infinite nor a NaN.
fn is_normal(p: Pixel, source: usize) -> bool {
    (1..0x7FF).contains(&p.exponent(source))
}

/// A part of the rules of instructions.
struct Part {
    name: &'static str,
    when: fn(Operation) -> bool,
    distinguished: Option<fn(Operation) -> bool>,
    is_unconditional: bool,
}

const fn part(name: &'static str, when: fn(Operation) -> bool) -> Part {
    Part { name, when, distinguished: None, is_unconditional: false }
}

/// A part that decides every result.
const fn of_all(name: &'static str) -> Part {
    Part { is_unconditional: true, ..part(name, |_| true) }
}

impl Part {
    const fn distinguished(self, distinguished: fn(Operation) -> bool) -> Self {
        Self { distinguished: Some(distinguished), ..self }
    }
}

/// Parts of the rules of all instructions.
const COMMON: &[Part] = &[
    of_all("encoding").distinguished(is_distinguished),
    of_all("operation").distinguished(is_distinguished),
    part("operands", |o| o.any(tells_sources_apart)).distinguished(is_distinguished),
];

/// Parts of those of single-precision and integer instructions.
const SINGLE: &[Part] = &[
    part("already-off", |o| o.any(|p| p.float(0) != 0.0 && passes(p))),
    of_all("ar-write"),
    part("bits", |o| o.any(|p| (0..o.sources.len()).any(|source| is_fragile(p.bits(source))))),
    of_all("branches"),
    part("clamp", |o| o.any(|p| p.float(0) == 0.0)),
    part("copy", |o| match o.opcode {
        Mov => is_plain(o),
        _ => o.any(|p| p.bits(1) != p.bits(2)),
    }),
    part("count", |o| o.any(|p| p.bits(1) > 31)),
    part("count-unsigned", |o| o.any(|p| p.bits(1) > 31)),
    part("direction", |o| o.any(|p| p.bits(0) != 0 && (1..32).contains(&p.bits(1)))),
    part("equal", |o| o.any(|p| p.bits(0) != p.bits(1) && p.float(0) == p.float(1))),
    part("exact", |o| o.any(|p| p.float(0) < 0.0 && !is_fractional(p))),
    part("exact-half", |o| {
        // Odd integers above 2^23 too.
        let is_odd = |bits: u32| bits >> 23 & 0xFF == 127 + 23 && bits & 1 == 1;
        o.any(|p| p.bits(0) & !SIGN == 0x3EFF_FFFF || is_odd(p.bits(0)))
    }),
    part("faceid-modifiers", keeps_face),
    part("float-compare", |o| o.any(is_float_comparison)),
    part("float-zero", |o| o.any(|p| p.float(0).is_nan() || p.float(0) == 0.0 && p.bits(0) != 0)),
    part("function", |o| o.any(|p| p.float(0) != 1.0)),
    part("guard", |o| o.any(is_guarded)),
    part("inf-to-zero", |o| o.any(|p| p.float(0) == 0.0)),
    part("int-zero", |o| o.any(|p| p.bits(0) == SIGN)),
    part("lanes", |o| o.any(lanes_differ)),
    part("nan", |o| o.any(has_nan)),
    part("nonneg", |o| o.any(is_negative_fraction)),
    part("one", |o| o.any(|p| p.float(0) == 1.0)),
    part("operand-roles", |o| o.any(tells_sources_apart)),
    part("order", |o| o.any(|p| p.bits(0) != p.bits(1))),
    part("outputs", |o| o.any(results_differ)),
    part("overflow", |o| match o.opcode {
        FltToInt => o.any(|p| p.float(0).is_finite() && p.float(0).abs() >= 2_147_483_648.0),
        _ => o.any(is_guarded),
    }),
    part("product", |o| o.any(|p| !is_guarded(p))),
    part("product-rule", |o| o.any(is_zero_by_no_number)),
    part("range", |o| o.any(is_out_of_range)),
    part("rounding", |o| o.any(is_rounded)),
    part("same-bits", |o| o.any(has_sign)),
    part("scale-order", |o| {
        o.any(|p| p.float(2) != 0.0 && p.computed() != 0.0 && p.computed().is_finite())
    }),
    part("signed", |o| o.any(signs_differ)),
    of_all("three-sources"),
    part("ties", |o| o.any(is_tie)),
    part("toward-zero", |o| o.any(is_negative_fraction)),
    part("truncate", |o| o.any(is_fractional)),
    part("unit", |_| false).distinguished(shows_its_unit),
    part("unsigned", |o| o.any(has_sign)),
    of_all("value"),
    part("wrap", |o| match o.opcode {
        AddInt => o.any(|p| p.bits(0).checked_add(p.bits(1)).is_none()),
        _ => o.any(borrows),
    }),
    part("zero-rule", |o| o.any(is_zero_by_no_number)),
];

/// Parts of those of double-precision operations.
const DOUBLE: &[Part] = &[
    of_all("add-table"),
    part("below-one", |o| o.any(|p| p.bits(0) & SIGN != 0 && (1..969).contains(&p.exponent(0)))),
    part("bias", |o| o.any(|p| p.float(0).is_normal())),
    part("denorm", |o| o.any(|p| p.bits(0) & 0x7F80_0000 == 0 && p.bits(0) & !SIGN != 0)),
    part("denorm-test", |o| o.any(|p| p.exponent(0) == 0)),
    of_all("dst"),
    of_all("dst-order"),
    of_all("dst-slot"),
    part("finite", |o| {
        o.any(|p| is_normal(p, 0) && (o.opcode == Frexp64 || (1..0x7FF).contains(&moved(p))))
    }),
    part("formula", |o| o.any(|p| is_normal(p, 0))),
    part("ieee-zero", |o| {
        let one = |a: f64, b: f64| a == 0.0 && b.is_infinite();
        o.any(|p| one(p.double(0), p.double(1)) || one(p.double(1), p.double(0)))
    }),
    part("inf", |o| o.any(|p| p.float(0).is_infinite())),
    part("inf-nan", |o| o.any(|p| p.exponent(0) == 0x7FF)),
    part("mant-test", |o| o.any(|p| p.exponent(0) == 0x7FF)),
    of_all("multiply-table"),
    part("nan-canonical", |o| o.any(|p| p.double(0).is_nan())),
    part("nan-order", |o| {
        o.any(|p| (0..3).filter(|source| p.double(*source).is_nan()).count() > 1)
    }),
    part("nan-payload", |o| o.any(|p| p.float(0).is_nan())),
    part("negative-zero", |o| o.any(|p| p.exponent(0) == 0 && p.bits(0) & SIGN != 0)),
    part("not-fused", |o| {
        o.any(|p| {
            let product = p.double(0) * p.double(1);
            product.is_normal()
                && p.double(0).mul_add(p.double(1), -product) != 0.0
                && p.double(0).mul_add(p.double(1), p.double(2)) != product + p.double(2)
        })
    }),
    part("optional-predicate", |o| !o.alu.update_pred() && !o.alu.update_execute_mask()),
    part("overflow", |o| o.any(|p| is_normal(p, 0) && moved(p) >= 0x7FF)),
    part("roles", |o| o.any(|p| is_normal(p, 0) && p.signed(1) != 0)),
    part("scale", |o| o.any(|p| is_normal(p, 0) && is_normal(p, 1))),
    of_all("slots"),
    part("slots-xy", |o| o.unit == 0),
    part("slots-zw", |o| o.unit == 2),
    of_all("source-slot"),
    of_all("src-slots"),
    part("underflow", |o| o.any(|p| is_normal(p, 0) && moved(p) <= 0)),
    part("zero", |o| o.any(|p| p.exponent(0) == 0)),
    part("zero-signs", |o| o.any(|p| p.exponent(0) == 0 && p.exponent(1) == 0)),
];

/// The rules that parts make of the names of opcodes.
pub(super) static FAMILIES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let mut rules = Vec::new();
    let is_double = |opcode: &&AluOpcode| opcode.double_slots() > 0;
    let doubles: Vec<&AluOpcode> = AluOpcode::ALL.iter().filter(is_double).collect();
    let singles: Vec<&AluOpcode> = AluOpcode::ALL.iter().filter(|o| !is_double(o)).collect();
    let all: Vec<&AluOpcode> = AluOpcode::ALL.iter().collect();
    for (parts, opcodes) in [(COMMON, all), (SINGLE, singles), (DOUBLE, doubles)] {
        let names: Vec<&str> = parts.iter().map(|part| part.name).collect();
        let found = family(opcodes.iter(), &names, |opcode, part| opcode.rule_name(part));
        for (opcode, found) in opcodes.iter().zip(found) {
            let own = found.into_iter().zip(parts);
            rules.extend(own.filter_map(|(id, part)| rule_of_part(id?, opcode, part)));
        }
    }
    rules
});

/// What a part says of an opcode, if it is a rule of what is computed. What `NOP` does is among the rules of groups, and
/// of `MOVA_GPR_INT` the manual says nothing.
fn rule_of_part(id: RuleId, opcode: &'static AluOpcode, part: &Part) -> Option<Rule> {
    if matches!(opcode, Nop | MovaGprInt)
        || matches!(id.rule().level, Level::Restriction | Level::Info)
    {
        return None;
    }
    let row = Rule::of_id(id, When::Operation(std::slice::from_ref(opcode), part.when));
    let row = part.distinguished.map_or(row, |distinguished| row.distinguished(distinguished));
    let reads_nothing = opcode.row().sources.is_empty();
    let row = if part.is_unconditional || reads_nothing { row.unconditional() } else { row };
    Some(match opcode.row().role {
        Role::Address => row.decides_of(Decides::AddressRegister),
        _ => row,
    })
}

/// Whether a predicate setter that compares integers sets a predicate.
fn compares_integers(step: Step) -> bool {
    step.any(|slot| {
        let kinds = slot.opcode.row().sources;
        slot.role() == Role::Predicate
            && kinds.iter().any(|kind| matches!(kind, Kind::I32 | Kind::U32))
    })
}

/// A row of comparisons of which the result is scaled.
const fn scaled(id: &str, opcode: &'static [AluOpcode]) -> Rule {
    operation(id, opcode, |o| o.scales())
}

/// A row of instructions that leave the address register of pixels alone that they do not execute for.
const fn predicated(id: &str, opcode: &'static [AluOpcode]) -> Rule {
    operation(id, opcode, |o| o.is_selective()).decides_of(Decides::AddressRegister)
}

/// A row of `NOP`, which has no result: that nothing is written is compared.
const fn of_nop(id: &str) -> Rule {
    operation(id, &[Nop], |o| o.on != 0 && o.alu.write_mask()).unconditional()
}

/// Whether a result of instructions whose names end in some way is infinite without the ending.
fn replaces_infinity(operation: Operation) -> bool {
    operation.any(|p| p.float(0) == 0.0)
}

const REDUCTIONS: &[AluOpcode] = &[Dot4, Dot4Ieee, Max4];

pub(super) const RULES: &[Rule] = &[
    of_nop("r700.aluinst.nop.encoding"),
    of_nop("r700.aluinst.nop.operands"),
    of_nop("r700.aluinst.nop.operation"),
    operation(
        "r700.aluinst.f32.max-float",
        &[PredSetClr, LogClamped, RecipClamped, RecipsqrtClamped],
        |o| o.opcode == PredSetClr || replaces_infinity(o),
    ),
    operation("r700.aluinst.f32.ff-zero", &[RecipFf, RecipsqrtFf], replaces_infinity),
    rule("r700.aluinst.mask.dx10", |s| {
        s.any(|slot| slot.mnemonic().starts_with("SET") && slot.opcode.row().result == Kind::U32)
    }),
    rule("r700.aluinst.bool.float", |s| {
        s.any(|slot| slot.mnemonic().starts_with("SET") && slot.opcode.row().result == Kind::F32)
    }),
    rule("r700.aluinst.format.op2op3", |s| s.is_decided()).unconditional(),
    rule("r700.aluinst.format.op3-no-fields", |s| s.any(|slot| matches!(slot.alu, Alu::Op3(_)))),
    operation("r700.aluinst.group.reduction-pv", REDUCTIONS, |o| o.exact != 0).unconditional(),
    operation("r700.aluinst.group.reduction-replicate", REDUCTIONS, |o| {
        o.lanes().filter(|lane| lane.written & lane.exact != 0).count() > 1
    }),
    rule("r700.aluinst.group.kill-effect", |s| s.any(|slot| slot.role() == Role::Kill)),
    rule("r700.aluinst.pred.result-mapping", stores).decides_of(Decides::Predicate),
    rule("r700.aluinst.pred.no-update", |s| {
        s.any(|slot| {
            slot.predicated != 0 && !slot.alu.update_pred() && !slot.alu.update_execute_mask()
        })
    }),
    rule("r700.aluinst.pred.exec-only", only_sends).decides_of(Decides::Predicate),
    rule("r700.aluinst.pred.write-mask", |s| {
        (stores(s) || sends(s)) && s.any(|slot| slot.predicated != 0 && !slot.alu.write_mask())
    })
    .decides_of(Decides::Predicate),
    rule("r700.aluinst.pred.setkillreg", |s| compares_integers(s) && (stores(s) || sends(s)))
        .decides_of(Decides::Predicate),
    rule("r700.aluinst.pred.dst-polarity", writes_counter),
    rule("r700.aluinst.pred.int-dst-float", compares_integers),
    rule("r700.aluinst.pred.push-types", |s| s.any(|slot| slot.mnemonic().ends_with("_PUSH_INT"))),
    rule("r700.aluinst.pred.push-counter", |s| s.any(|slot| slot.mnemonic().contains("_PUSH"))),
    operation("r700.aluinst.pred.le-int.semantics", &[PredSetgeInt], |o| {
        o.any(|p| p.bits(0) == p.bits(1) || signs_differ(p))
    }),
    operation("r700.aluinst.pred.lt-int.semantics", &[PredSetgtInt], |o| {
        o.any(|p| p.bits(0) == p.bits(1) || signs_differ(p))
    }),
    rule("r700.aluinst.mov.as-nop", keeps_previous),
    of_nop("r700.aluinst.nop.no-write"),
    rule("r700.aluinst.nop.implicit", |s| {
        s.is_decided() && (0..=TRANS).any(|unit| s.slot(unit).is_none())
    }),
    predicated("r700.aluinst.mova.predicated", &[Mova]),
    predicated("r700.aluinst.mova-floor.predicated", &[MovaFloor]),
    predicated("r700.aluinst.mova-int.predicated", &[MovaInt]),
    rule("r700.aluinst.mova.clause-lifetime", uses_address),
    rule("r700.aluinst.mova.scope", uses_address),
    scaled("r700.aluinst.sete.omod", &[Sete]),
    scaled("r700.aluinst.setgt.omod", &[Setgt]),
    scaled("r700.aluinst.setge.omod", &[Setge]),
    scaled("r700.aluinst.setne.omod", &[Setne]),
    rule("r700.aluinst.omod.order", |s| s.any(Operation::clamps_after_scaling)),
    rule("r700.aluinst.modifier.order", negates_absolute),
    rule("r700.aluinst.modifier.bits", modifies_special),
    rule("r700.aluinst.glossary.pv", |s| s.reads(Read::is_previous)),
    rule("r700.aluinst.glossary.active-mask", sends).decides_of(Decides::Predicate),
    rule("r700.aluinst.trans.result", |s| s.any(|slot| slot.unit == TRANS)),
];

/// The tables of an opcode: that of its units, and that of its modifiers.
type Tables = [Option<Table>; 2];

static TABLES: LazyLock<Vec<Tables>> = LazyLock::new(|| {
    let parts = ["units", "modifiers", "modifiers-apply"];
    let rules = family(AluOpcode::ALL, &parts, |opcode, part| opcode.rule_name(part));
    let tables = rules.into_iter().map(|rules| {
        let binding = |rule: &RuleId| rule.rule().level == Level::Must;
        let table = |rule: &Option<_>| rule.filter(binding).and_then(Table::of);
        [table(&rules[0]), rules[1..].iter().find_map(table)]
    });
    tables.collect()
});

/// Counts the rows of an instruction's unit and modifiers. Where a source can be negative and positive, only both
/// modifiers together show their order.
pub(super) fn observe_tables(slot: Operation) {
    let [units, modifiers] = TABLES[slot.opcode as usize];
    if let Some(row) = units.and_then(|table| table.get(slot.unit)) {
        coverage::hit_row(row);
    }
    let Some(modifiers) = modifiers else { return };
    let sources = slot.alu.operands();
    let floats = sources.iter().zip(slot.opcode.row().sources).filter(|(_, kind)| kind.is_float());
    let has_scale = slot.opcode.row().format == AluFormat::Op2;
    let is_modified = floats.map(|(source, _)| source.negate && (source.absolute || !has_scale));
    let scales = has_scale.then(|| slot.scales());
    let used = is_modified.chain(scales).chain([slot.clamps()]).enumerate();
    let rows = used.filter(|(_, is_used)| *is_used).filter_map(|(row, _)| modifiers.get(row));
    rows.for_each(coverage::hit_row);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows are as many as an instruction has modifiers: a wrong number would leave one out, or never be covered.
    #[test]
    fn every_modifier_is_a_row() {
        let mut tables = 0;
        for opcode in AluOpcode::ALL {
            let [units, modifiers] = TABLES[*opcode as usize];
            let row = opcode.row();
            assert!(units.is_none_or(|table| table.rows().count() == 5));
            let Some(modifiers) = modifiers else { continue };
            let sources = row.sources.iter().filter(|kind| kind.is_float()).count();
            let outputs = match (row.result.is_float(), row.format) {
                (false, _) => 0,
                (true, AluFormat::Op2) => 2,
                (true, AluFormat::Op3) => 1,
            };
            let is_address = row.role == Role::Address;
            assert_eq!(
                modifiers.rows().count(),
                sources + if is_address { 0 } else { outputs },
                "{opcode:?}"
            );
            tables += 1;
        }
        assert_eq!(tables, 95);
    }
}
