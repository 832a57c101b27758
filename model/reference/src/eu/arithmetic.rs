//! Parallel arithmetic: `add`, `mul`, `avg`, `mac`, `mach`, `lzd` (G45 volume 4, section 14.2).

use parallax_isa::eu::{DataType, operand::Source, register::ArfKind};
use parallax_spec::{decision, rule};

use super::{
    execution::{Execution, Operand},
    number::{ExecutionType, FloatMode, Value, fused_sum, product, wrap_signed},
    result::Computed,
    thread::Executed,
};
use crate::number::{FloatFormat, Number};

/// `add`: dst = src0 + src1.
pub(super) fn add(x: &mut Execution) -> Executed {
    let (a, b) = (x.source(0)?, x.source(1)?);
    let through_accumulator = x.is_accumulator(0);
    rule!("g45.inst.add.semantics");
    rule!("g45.inst.add.implicit-acc");
    count_mixed_sign(x);
    let destination = x.instruction.destination.register.arf();
    if destination == Some(ArfKind::InstructionPointer) {
        rule!("g45.inst.add.ip-relative");
        rule!("g45.pg.ip.relative");
        rule!("g45.pg.ip.align");
    }
    let flushes_into_accumulator = destination == Some(ArfKind::Accumulator);
    let mode = x.mode;
    x.each(|n| {
        let result = match (a[n].value, b[n].value) {
            (Value::Float(a), Value::Float(b)) => {
                rule!("g45.inst.add.float-mode");
                count_sum_rules(a, b, mode);
                if flushes_into_accumulator && b.is_zero() && b.is_negative() {
                    rule!("g45.vec.mad-flush");
                }
                Computed::fused(fused_sum(&[a, b]), through_accumulator)
            }
            (a, b) => Computed::integer(a.integer() + b.integer()),
        };
        result.of(&[&a[n], &b[n]])
    })
}

/// `mul`: dst = src0 * src1. Of two doublewords only the low 16 bits of src0 are multiplied.
pub(super) fn mul(x: &mut Execution) -> Executed {
    let (a, b) = (x.source(0)?, x.source(1)?);
    rule!("g45.inst.mul.semantics");
    let types = [x.instruction.sources[0].data_type(), x.instruction.sources[1].data_type()];
    let is_doubleword = types.map(|data_type| matches!(data_type, DataType::D | DataType::Ud));
    let negated_unsigned = x.instruction.sources.iter().any(|source| {
        matches!(source, Source::Register { data_type: DataType::Ud, modifier, .. }
            if modifier.negate)
    });
    let mode = x.mode;
    match x.execution_type {
        ExecutionType::Float => {
            rule!("g45.inst.mul.float-mode");
            if !types.iter().all(|data_type| data_type.is_float()) {
                rule!("g45.inst.mul.float-int-mix");
            }
            x.each(|n| {
                count_product_rules(a[n].float(), b[n].float(), mode);
                Computed::float(product(a[n].float(), b[n].float())).of(&[&a[n], &b[n]])
            })
        }
        ExecutionType::Word => {
            rule!("g45.inst.mul.word-acc");
            rule!("g45.acc.word-product");
            x.each(|n| Computed::integer(a[n].integer() * b[n].integer()).of(&[&a[n], &b[n]]))
        }
        ExecutionType::Doubleword => x.each(|n| {
            let multiplicand = if is_doubleword[1] && is_doubleword[0] {
                rule!("g45.inst.mul.dword-low16");
                rule!("g45.inst.mul.signed-low-half");
                a[n].integer() & 0xFFFF
            } else {
                a[n].integer()
            };
            let result = Computed::integer(multiplicand * b[n].integer()).of(&[&a[n], &b[n]]);
            let cut_is_known = is_doubleword[1];
            if !cut_is_known {
                rule!("g45.inst.mul.word-by-dword");
            }
            if negated_unsigned {
                rule!("g45.inst.mul.negated-ud");
                rule!("g45.acc.ud-negate-overflow");
            }
            let defined = result.defined && cut_is_known && !negated_unsigned;
            Computed { defined, flags_defined: false, ..result }
        }),
    }
}

/// `avg`: dst = (src0 + src1 + 1) >> 1.
pub(super) fn avg(x: &mut Execution) -> Executed {
    let (a, b) = (x.source(0)?, x.source(1)?);
    rule!("g45.inst.avg.semantics");
    rule!("g45.inst.avg.examples");
    x.each(|n| Computed::integer((a[n].integer() + b[n].integer() + 1) >> 1).of(&[&a[n], &b[n]]))
}

/// `mac`: dst = src0 * src1 + acc; the sum is the new acc.
pub(super) fn mac(x: &mut Execution) -> Executed {
    let (a, b, accumulator) = (x.source(0)?, x.source(1)?, x.accumulator_source());
    rule!("g45.inst.mac.semantics");
    rule!("g45.inst.mac.acc-chain");
    x.each(|n| {
        let result = match (a[n].value, b[n].value, accumulator[n].value) {
            (Value::Float(a), Value::Float(b), Value::Float(accumulator)) => {
                rule!("g45.inst.mac.float-fused");
                rule!("g45.pg.line.dph");
                Computed::fused(fused_sum(&[product(a, b), accumulator]), true)
            }
            (a, b, accumulator) => {
                Computed::integer(a.integer() * b.integer() + accumulator.integer())
            }
        };
        result.of(&[&a[n], &b[n], &accumulator[n]])
    })
}

/// `mach`: acc = ((src0 >> 16) * src1 << 16) + acc in 64 bits; dst = the high half of acc.
pub(super) fn mach(x: &mut Execution) -> Executed {
    let (a, b, accumulator) = (x.source(0)?, x.source(1)?, x.accumulator_source());
    rule!("g45.inst.mach.semantics");
    rule!("g45.inst.mach.sign");
    rule!("g45.inst.mach.mul-sequence");
    rule!("g45.inst.mul.full-product");
    if x.accumulator_disabled {
        rule!("g45.inst.mach.acc-disable");
    }
    let unsigned = x.instruction.destination.data_type == DataType::Ud;
    if x.instruction.destination.register.arf() == Some(ArfKind::Accumulator) {
        // The sum and its high half would go to the same accumulator.
        return x.each(|_| Computed::UNDEFINED);
    }
    x.each(|n| {
        let high_product = ((a[n].integer() >> 16) * b[n].integer()) << 16;
        let sum = wrap_signed(high_product + accumulator[n].integer(), 64);
        let high_half = if unsigned { sum >> 32 & 0xFFFF_FFFF } else { sum >> 32 };
        let accumulator_value = Some(Value::Integer(sum));
        Computed { accumulator_value, ..Computed::integer(high_half) }.of(&[
            &a[n],
            &b[n],
            &accumulator[n],
        ])
    })
}

/// `lzd`: dst = the number of zeros above the highest one of src0.
pub(super) fn lzd(x: &mut Execution) -> Executed {
    let source = x.source(0)?;
    rule!("g45.inst.lzd.semantics");
    rule!("g45.sysroutine.priority-lzd");
    x.each(|n| {
        let Ok(unsigned) = u32::try_from(source[n].integer()) else {
            // A signed source has to carry (abs).
            return Computed::UNDEFINED;
        };
        if unsigned == 0x8000_0000 {
            rule!("g45.inst.lzd.abs-min");
        }
        Computed::integer(i128::from(unsigned.leading_zeros())).of(&[&source[n]])
    })
}

/// Counts that a signed and an unsigned doubleword meet, each with its own value.
pub(super) fn count_mixed_sign(x: &Execution) {
    let types = x.instruction.sources.map(|source| source.data_type());
    if matches!(types, [DataType::Ud, DataType::D, _] | [DataType::D, DataType::Ud, _]) {
        rule!("g45.vec.mixed-sign");
    }
}

/// Counts the rules of tables 14-1 and 14-2 that decide a float sum.
fn count_sum_rules(a: Number, b: Number, mode: FloatMode) {
    let opposite = a.is_negative() != b.is_negative();
    let is_one_zero = a.is_zero() != b.is_zero();
    match mode {
        FloatMode::Ieee => {
            if a.is_nan() || b.is_nan() {
                rule!("g45.inst.add.ieee.nan");
            } else if a.is_infinite() || b.is_infinite() {
                if a.is_infinite() && b.is_infinite() && opposite {
                    rule!("g45.float.ieee.inf-minus-inf");
                }
                let infinity = if a.is_infinite() { a } else { b };
                if infinity.is_negative() {
                    rule!("g45.inst.add.ieee.neg-inf-row");
                } else {
                    rule!("g45.inst.add.ieee.pos-inf-row");
                }
            } else if a.is_zero() && b.is_zero() {
                rule!("g45.inst.add.ieee.zero-zero");
                if opposite {
                    rule!("g45.float.ieee.negzero-plus-zero");
                }
                rule!("g45.float.ieee.add-negzero");
            } else if is_one_zero {
                rule!("g45.inst.add.ieee.finite-plus-zero");
                rule!("g45.float.ieee.add-zero-identity");
            } else if opposite {
                rule!("g45.inst.add.ieee.mixed-sign");
            } else if a.is_negative() {
                rule!("g45.inst.add.ieee.neg-neg");
            } else {
                rule!("g45.inst.add.ieee.pos-pos");
            }
        }
        FloatMode::Alternative => {
            let largest = FloatFormat::BINARY32.decode(FloatFormat::BINARY32.largest());
            rule!("g45.float.alt.no-special-results");
            rule!("g45.float.alt.only-listed-differences");
            if a.is_zero() && b.is_zero() {
                rule!("g45.inst.add.alt.zero-zero");
            } else if a.abs() == largest || b.abs() == largest {
                rule!("g45.inst.add.alt.fmax-rows");
                if opposite && !is_one_zero {
                    rule!("g45.inst.add.alt.fmax-mixed");
                }
            } else {
                rule!("g45.inst.add.alt.finite");
            }
        }
    }
}

/// Counts the rules of tables 14-7 and 14-8 that decide a float product.
fn count_product_rules(a: Number, b: Number, mode: FloatMode) {
    let one = Number::ONE;
    let is_one = a.abs() == one || b.abs() == one;
    match mode {
        FloatMode::Ieee => {
            if a.is_nan() || b.is_nan() {
                rule!("g45.inst.mul.ieee.nan");
                return;
            }
            rule!("g45.inst.mul.ieee.sign");
            match (a.is_infinite() || b.is_infinite(), a.is_zero() || b.is_zero()) {
                (true, true) => {
                    rule!("g45.inst.mul.ieee.inf-zero");
                    rule!("g45.float.ieee.zero-times-inf");
                    rule!("g45.float.ieee.denorm-times-inf");
                }
                (true, false) => rule!("g45.inst.mul.ieee.inf-finite"),
                (false, true) => {
                    rule!("g45.inst.mul.ieee.zero");
                    if is_one {
                        rule!("g45.float.ieee.mul-one-flushes");
                    }
                }
                (false, false) => {
                    rule!("g45.inst.mul.ieee.overflow");
                    if is_one {
                        rule!("g45.inst.mul.ieee.one");
                        rule!("g45.float.ieee.mul-one-identity");
                    }
                }
            }
        }
        FloatMode::Alternative => {
            let largest = FloatFormat::BINARY32.decode(FloatFormat::BINARY32.largest());
            rule!("g45.float.alt.no-special-results");
            rule!("g45.float.alt.only-listed-differences");
            if a.is_zero() || b.is_zero() {
                rule!("g45.inst.mul.alt.zero");
            } else if is_one {
                rule!("g45.inst.mul.alt.one");
            } else if a.abs() == largest || b.abs() == largest {
                rule!("g45.inst.mul.alt.fmax");
            } else {
                rule!("g45.inst.mul.alt.overflow");
            }
        }
    }
}

/// An operand of a fused product, for [`super::vector`].
pub(super) fn product_of(a: &Operand, b: &Operand) -> Number {
    decision!("D-eu-acc-float");
    product(a.float(), b.float())
}
