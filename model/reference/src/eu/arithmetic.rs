//! Parallel arithmetic: `add`, `mul`, `avg`, `mac`, `mach`, `lzd` (G45 volume 4, section 14.2).

use parallax_isa::eu::{DataType, operand::Source, register::ArfKind};
use parallax_spec::{decision, rule};

use super::rules::count;
use super::{
    execution::{Execution, Operand},
    number::{ExecutionType, Value, fused_sum, product, wrap_signed},
    result::Computed,
    tables::{Product, Sum},
    thread::Executed,
};
use crate::number::Number;

/// `add`: dst = src0 + src1.
pub(super) fn add(x: &mut Execution) -> Executed {
    let (a, b) = (x.source(0)?, x.source(1)?);
    let through_accumulator = x.is_accumulator(0);
    let destination = x.instruction.destination.register.arf();
    let flushes_into_accumulator = destination == Some(ArfKind::Accumulator);
    let mode = x.mode;
    x.each(|n| {
        let result = match (a[n].value, b[n].value) {
            (Value::Float(a), Value::Float(b)) => {
                let row = Sum::of(a, b);
                count(row.rules(mode));
                if flushes_into_accumulator && b.is_zero() && b.is_negative() {
                    rule!("g45.vec.mad-flush");
                }
                match row.special() {
                    Some(result) => Computed::float(result),
                    None => Computed::fused(fused_sum(&[a, b]), through_accumulator),
                }
            }
            (a, b) => Computed::integer(a.integer() + b.integer()),
        };
        result.of(&[&a[n], &b[n]])
    })
}

/// `mul`: dst = src0 * src1. Of two doublewords only the low 16 bits of src0 are multiplied; beside a
/// word or byte, all of it (decision D-eu-mul-word-by-dword).
pub(super) fn mul(x: &mut Execution) -> Executed {
    let (a, b) = (x.source(0)?, x.source(1)?);
    let types = x.source_types();
    let is_doubleword = types.map(|data_type| matches!(data_type, DataType::D | DataType::Ud));
    let negated_unsigned = x.instruction.sources.iter().any(|source| {
        matches!(source, Source::Register { data_type: DataType::Ud, modifier, .. }
            if modifier.negate)
    });
    let mode = x.mode;
    match x.execution_type {
        ExecutionType::Float => x.each(|n| {
            let row = Product::of(a[n].float(), b[n].float());
            count(row.rules(mode));
            let result = row.special().unwrap_or_else(|| product(a[n].float(), b[n].float()));
            Computed::float(result).of(&[&a[n], &b[n]])
        }),
        ExecutionType::Word => {
            x.each(|n| Computed::integer(a[n].integer() * b[n].integer()).of(&[&a[n], &b[n]]))
        }
        ExecutionType::Doubleword => {
            let low_half = is_doubleword == [true; 2];
            if low_half {
                count(rules!["g45.inst.mul": "dword-low16", "signed-low-half"]);
            } else {
                decision!("D-eu-mul-word-by-dword");
                rule!("g45.inst.mul.word-by-dword");
            }
            if negated_unsigned {
                count(rules!["g45": "inst.mul.negated-ud", "acc.ud-negate-overflow"]);
            }
            x.each(|n| {
                let multiplicand = a[n].integer() & if low_half { 0xFFFF } else { -1 };
                let result = Computed::integer(multiplicand * b[n].integer()).of(&[&a[n], &b[n]]);
                let defined = result.defined && !negated_unsigned;
                Computed { defined, flags_defined: false, ..result }
            })
        }
    }
}

/// `avg`: dst = (src0 + src1 + 1) >> 1.
pub(super) fn avg(x: &mut Execution) -> Executed {
    let (a, b) = (x.source(0)?, x.source(1)?);
    x.each(|n| Computed::integer((a[n].integer() + b[n].integer() + 1) >> 1).of(&[&a[n], &b[n]]))
}

/// `mac`: dst = src0 * src1 + acc; the sum is the new acc.
pub(super) fn mac(x: &mut Execution) -> Executed {
    let (a, b, accumulator) = (x.source(0)?, x.source(1)?, x.accumulator_source());
    x.each(|n| {
        let result = match (a[n].value, b[n].value, accumulator[n].value) {
            (Value::Float(a), Value::Float(b), Value::Float(accumulator)) => {
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

/// An operand of a fused product, for [`super::vector`].
pub(super) fn product_of(a: &Operand, b: &Operand) -> Number {
    decision!("D-eu-acc-float");
    product(a.float(), b.float())
}
