//! Which rules about operands of a certain kind an instruction exercises: data, counted when the
//! instruction runs on such operands.

use std::sync::LazyLock;

use parallax_isa::r700::{AluOpcode, Profile};
use parallax_spec::{RuleId, coverage, family, rule_id};

use super::{Operands, Value, function, tables};
use crate::{
    number::Number,
    r700::number::{SIGN, add},
};

/// Whether a rule decides the result for some operands.
type Decides = fn(&Operands) -> bool;

/// Always: the rule is about every result.
const ANY: Decides = |_| true;

/// The last parts of the names of rules about single-precision and integer instructions.
const SINGLE: &[(&str, Decides)] = &[
    ("already-off", |s| !s.float(0).is_zero()),
    ("ar-write", ANY),
    ("bits", ANY),
    ("branches", ANY),
    ("clamp", |s| s.float(0).is_zero()),
    ("copy", ANY),
    ("count", |s| s.unsigned(1) > 31),
    ("count-unsigned", |s| s.unsigned(1) > 31),
    ("direction", |s| s.bits[0] != 0 && s.bits[1] != 0),
    ("equal", |s| s.bits[0] != s.bits[1] && s.float(0) == s.float(1)),
    ("exact", |s| s.float(0).is_negative() && !fractional(s)),
    ("exact-half", half),
    ("faceid-modifiers", ANY),
    ("float-compare", |s| s.float(0).is_zero() || s.float(1).is_zero()),
    ("float-zero", |s| s.float(0).is_zero() || s.float(0).is_nan()),
    ("function", ANY),
    ("guard", |s| s.float(1).is_nan() || s.float(2).is_nan() || !positive(s)),
    ("inf-to-zero", |s| s.float(0).is_zero()),
    ("int-zero", |s| s.bits[0] & !SIGN == 0),
    ("lanes", ANY),
    ("nan", |s| s.float(0).is_nan() || s.float(1).is_nan()),
    ("nonneg", |s| s.float(0).is_negative() && fractional(s)),
    ("one", |s| s.bits[0] == 0x3F80_0000),
    ("operand-roles", ANY),
    ("order", |s| s.bits[0] != s.bits[1]),
    ("outputs", ANY),
    ("overflow", |s| exponent_of(s).is_some_and(|exponent| exponent >= 31)),
    ("product", |s| positive(s)),
    ("product-rule", zero_factor),
    // As an integer, what is 256 as a float is out of range too.
    ("range", |s| exponent_of(s).is_some_and(|exponent| exponent >= 8)),
    ("rounding", half),
    ("same-bits", |s| (s.bits[0] | s.bits[1]) & SIGN != 0),
    ("scale-order", ANY),
    ("signed", |s| (s.bits[0] ^ s.bits[1]) & SIGN != 0),
    ("three-sources", ANY),
    ("ties", half),
    ("toward-zero", |s| s.float(0).is_negative() && fractional(s)),
    ("truncate", fractional),
    ("unit", |s| exponent_of(s).is_some()),
    ("unsigned", |s| (s.bits[0] | s.bits[1]) & SIGN != 0),
    ("value", ANY),
    ("wrap", |s| (s.bits[0] ^ s.bits[1]) & SIGN == 0 && s.bits[0] & SIGN != 0),
    ("zero-rule", zero_factor),
];

/// The same about double-precision operations, by the high words of their operands.
const DOUBLE: &[(&str, Decides)] = &[
    ("add-table", ANY),
    ("below-one", |s| s.bits[0] & SIGN != 0 && (1..969).contains(&exponent(s, 0))),
    ("bias", |s| exponent_of(s).is_some()),
    ("denorm", |s| s.bits[0] & 0x7F80_0000 == 0 && s.bits[0] & !SIGN != 0),
    ("denorm-test", |s| exponent(s, 0) == 0),
    ("dst", ANY),
    ("dst-order", ANY),
    ("dst-slot", ANY),
    ("finite", |s| (1..0x7FF).contains(&exponent(s, 0))),
    ("formula", |s| (1..0x7FF).contains(&exponent(s, 0))),
    ("ieee-zero", |s| exponent(s, 0) == 0 && exponent(s, 1) == 0x7FF),
    ("inf", |s| s.float(0).is_infinite()),
    ("inf-nan", |s| exponent(s, 0) == 0x7FF),
    ("mant-test", |s| exponent(s, 0) == 0x7FF),
    ("multiply-table", ANY),
    ("nan-canonical", |s| exponent(s, 0) == 0x7FF && s.bits[0] & 0xF_FFFF != 0),
    ("nan-order", |s| exponent(s, 0) == 0x7FF && exponent(s, 1) == 0x7FF),
    ("nan-payload", |s| s.float(0).is_nan()),
    ("negative-zero", |s| exponent(s, 0) == 0 && s.bits[0] & SIGN != 0),
    ("not-fused", |s| (0..3).all(|n| (1..0x7FF).contains(&exponent(s, n)))),
    ("optional-predicate", ANY),
    ("overflow", |s| exponent(s, 0) != 0x7FF && moved(s) >= 0x7FF),
    ("roles", ANY),
    ("scale", ANY),
    ("slots", ANY),
    ("slots-xy", ANY),
    ("slots-zw", ANY),
    ("source-slot", ANY),
    ("src-slots", ANY),
    ("underflow", |s| (1..0x7FF).contains(&exponent(s, 0)) && moved(s) <= 0),
    ("zero", |s| exponent(s, 0) == 0),
    ("zero-signs", |s| exponent(s, 0) == 0 && exponent(s, 1) == 0),
];

/// Rules about all double-precision operations.
const DOUBLES: &[(RuleId, Decides)] = &[
    (rule_id!("r700.aluinst.f64.storage"), ANY),
    (rule_id!("r700.aluinst.f64.denorm-in"), |s| exponent(s, 0) == 0 && s.bits[0] & !SIGN != 0),
    (rule_id!("r700.aluinst.f64.nan-propagate"), |s| {
        exponent(s, 0) == 0x7FF && s.bits[0] & 0xF_FFFF != 0
    }),
    (rule_id!("r700.alu.dp.storage"), ANY),
    (rule_id!("r700.alu.group.double"), ANY),
];

/// The exponent field of the double whose high word a source has.
fn exponent(s: &Operands, number: usize) -> i64 {
    i64::from(s.bits[number] >> 20 & 0x7FF)
}

/// The exponent field that `LDEXP_64` comes to.
fn moved(s: &Operands) -> i64 {
    exponent(s, 0) + i64::from(s.bits[1].cast_signed())
}

fn zero_factor(s: &Operands) -> bool {
    s.float(0).is_zero() || s.float(1).is_zero()
}

/// The exponent of src0, if it is finite and not zero.
fn exponent_of(s: &Operands) -> Option<i32> {
    Some(s.float(0).finite_non_zero()?.highest_digit())
}

/// Whether src0 has a fraction.
fn fractional(s: &Operands) -> bool {
    s.float(0).finite_non_zero().is_some_and(|number| number.lowest_digit() < 0)
}

/// Whether src0 is half-way between integers, or the number before one half.
fn half(s: &Operands) -> bool {
    let tie = s.float(0).finite_non_zero().is_some_and(|number| number.lowest_digit() == -1);
    tie || s.bits[0] & !SIGN == 0x3EFF_FFFF
}

/// Whether src2 is above zero.
fn positive(s: &Operands) -> bool {
    s.float(2) > Number::ZERO
}

/// Rules with what decides whether they count.
type Rows = Vec<(RuleId, Decides)>;

/// The rules of every opcode.
static RULES: LazyLock<Vec<Rows>> = LazyLock::new(|| {
    let doubles = |opcode: &AluOpcode| opcode.double_slots() > 0;
    let mut rules = vec![Rows::new(); AluOpcode::ALL.len()];
    for (parts, of_doubles) in [(SINGLE, false), (DOUBLE, true)] {
        let names: Vec<_> = parts.iter().map(|(part, _)| *part).collect();
        let opcodes = AluOpcode::ALL.iter().filter(|opcode| doubles(opcode) == of_doubles);
        let found = family::family(opcodes.clone(), &names, |opcode, part| opcode.rule_name(part));
        for (opcode, found) in opcodes.zip(found) {
            let own = found.into_iter().zip(parts);
            let own = own.filter_map(|(rule, (_, decides))| Some((rule?, *decides)));
            let all = DOUBLES.iter().filter(|_| of_doubles).copied();
            rules[*opcode as usize] = own.chain(all).collect();
        }
    }
    rules
});

/// Counts the rules that decide what an opcode makes of some operands, those of each slot it takes.
pub(in crate::r700) fn count(opcode: AluOpcode, slots: &[Operands]) {
    let operands = &slots[0];
    for (rule, decides) in &RULES[opcode as usize] {
        if decides(operands) {
            coverage::hit(*rule);
        }
    }
    count_opcode(opcode, operands);
    tables::count(opcode, slots);
}

/// Counts the rules of approximations whose other readings are far outside of what is accepted for some operands: an
/// angle in turns, a reciprocal of the other scale, or none.
pub(in crate::r700) fn count_told_apart(opcode: AluOpcode, operands: &Operands) {
    let value = |operands: &Operands| function(opcode).map(|function| function(operands).value);
    let is_far = match opcode {
        AluOpcode::Sin | AluOpcode::Cos if operands.profile == Profile::Manual => {
            let turns = Operands { profile: Profile::Silicon, ..*operands };
            match [value(operands), value(&turns)] {
                [Some(Value::Approximate(result, _)), Some(Value::Approximate(other, _))] => {
                    add(result, -other).abs() > Number::ONE.scaled(-10)
                }
                _ => false,
            }
        }
        // Below that a few units are a large part.
        AluOpcode::RecipInt => (2..1 << 21).contains(&operands.signed(0).abs()),
        AluOpcode::RecipUint => (2..1 << 22).contains(&operands.unsigned(0)),
        _ => false,
    };
    if !is_far {
        return;
    }
    macro_rules! rules {
        ($($id:literal),+) => { const { &[$(rule_id!($id)),+] } };
    }
    let rules: &[RuleId] = match opcode {
        AluOpcode::Sin => rules!["r700.aluinst.sin.unit"],
        AluOpcode::Cos => rules!["r700.aluinst.cos.unit"],
        AluOpcode::RecipInt => rules![
            "r700.aluinst.recip-int.encoding",
            "r700.aluinst.recip-int.operation",
            "r700.aluinst.recip-int.operands"
        ],
        _ => rules![
            "r700.aluinst.recip-uint.encoding",
            "r700.aluinst.recip-uint.operation",
            "r700.aluinst.recip-uint.operands"
        ],
    };
    rules.iter().for_each(|rule| coverage::hit_told_apart(*rule));
}

/// Counts the rules that every use of an opcode rests on: its encoding and operation, and its operands
/// where it matters which is which.
fn count_opcode(opcode: AluOpcode, operands: &Operands) {
    static OPCODES: LazyLock<Vec<[RuleId; 3]>> = LazyLock::new(|| {
        let rules = |opcode: &AluOpcode| {
            ["encoding", "operation", "operands"].map(|part| family::rule(&opcode.rule_name(part)))
        };
        AluOpcode::ALL.iter().map(rules).collect()
    });
    let [encoding, operation, of_operands] = OPCODES[opcode as usize];
    [encoding, operation].into_iter().for_each(coverage::hit);
    let bits = &operands.bits[..opcode.row().sources.len()];
    let told_apart = |(n, value): (usize, &u32)| *value != 0 && !bits[..n].contains(value);
    if bits.iter().enumerate().all(told_apart) {
        coverage::hit(of_operands);
    }
}
