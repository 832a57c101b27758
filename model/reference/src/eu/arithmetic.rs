//! Parallel arithmetic: `add`, `mul`, `avg`, `mac`, `mach`, `lzd` (G45 volume 4, section 14.2).

use parallax_isa::{
    device::Generation,
    eu::{DataType, instruction::ConditionalModifier, operand::Source, register::ArfKind},
};

use super::{
    execution::Execution,
    number::{ExecutionType, Value, fused_sum, product, wrap_signed},
    operand::{Operand, Operands},
    result::Computed,
    tables::{special_product, special_sum},
    thread::Executed,
};
use crate::number::Number;

/// `add`: dst = src0 + src1.
pub(super) fn add(x: &mut Execution) -> Executed {
    let (a, b) = (x.source(0)?, x.source(1)?);
    let through_accumulator = x.is_accumulator(0);
    if x.since(Generation::Gen7) {
        return x.each_exactly(|rounding, n| {
            match (a[n].value, b[n].value) {
                (Value::Float(a), Value::Float(b)) => Computed::float(a.plus(b, rounding)),
                (a, b) => Computed::integer(a.integer() + b.integer()),
            }
            .of(&[&a[n], &b[n]])
        });
    }
    x.each(|n| {
        let result = match (a[n].value, b[n].value) {
            (Value::Float(a), Value::Float(b)) => match special_sum(a, b) {
                Some(result) => Computed::float(result),
                None => Computed::fused(fused_sum(&[a, b]), through_accumulator),
            },
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
    let negated_unsigned = negates_unsigned(x);
    if x.since(Generation::Gen7) {
        return later_mul(x, &a, &b);
    }
    match x.execution_type {
        ExecutionType::Float => x.each(|n| {
            let (first, second) = (a[n].float(), b[n].float());
            let result = special_product(first, second).unwrap_or_else(|| product(first, second));
            Computed::float(result).of(&[&a[n], &b[n]])
        }),
        ExecutionType::Word => {
            x.each(|n| Computed::integer(a[n].integer() * b[n].integer()).of(&[&a[n], &b[n]]))
        }
        ExecutionType::Doubleword => {
            let low_half = is_doubleword == [true; 2];
            x.each(|n| {
                let multiplicand = a[n].integer() & if low_half { 0xFFFF } else { -1 };
                let result = Computed::integer(multiplicand * b[n].integer()).of(&[&a[n], &b[n]]);
                let defined = result.defined && !negated_unsigned;
                Computed { defined, flags_defined: false, ..result }
            })
        }
        ExecutionType::Quadword | ExecutionType::Half | ExecutionType::Double => {
            x.each(|_| Computed::UNDEFINED)
        }
    }
}

/// Whether a source is an unsigned doubleword that is negated: its product has a bit too much.
fn negates_unsigned(x: &Execution) -> bool {
    x.instruction.sources.iter().any(|source| {
        matches!(source, Source::Register { data_type: DataType::Ud, modifier, .. }
            if modifier.negate)
    })
}

/// `mul` on Gen7 and later: dst = src0 * src1. Gen7 takes only the low 16 bits of a doubleword src1, as
/// an unsigned number.
fn later_mul(x: &mut Execution, a: &Operands, b: &Operands) -> Executed {
    let is_doubleword = |data_type| matches!(data_type, DataType::D | DataType::Ud);
    let [first, second] = x.source_types();
    let low_half = x.settings.generation == Generation::Gen7 && is_doubleword(second);
    if x.since(Generation::Gen12) && is_doubleword(first) && is_doubleword(second) {
        return x.each(|_| Computed::UNDEFINED);
    }
    let to_accumulator = x.writes_accumulator();
    let negated_unsigned = negates_unsigned(x);
    let is_integer_product = x.execution_type == ExecutionType::Doubleword;
    x.each(|n| {
        let result = match (a[n].value, b[n].value) {
            (Value::Float(a), Value::Float(b)) => Computed::float(a.times(b)),
            (a, b) => {
                let factor = if low_half { b.integer() & 0xFFFF } else { b.integer() };
                Computed::integer(a.integer() * factor)
            }
        };
        let mut result = result.of(&[&a[n], &b[n]]);
        if is_integer_product {
            // Products of doublewords have no flags, and a negated UD leaves 33 bits.
            result.flags_defined = false;
            result.defined &= !(negated_unsigned && to_accumulator);
        }
        result
    })
}

/// `avg`: dst = (src0 + src1 + 1) >> 1.
pub(super) fn avg(x: &mut Execution) -> Executed {
    let (a, b) = (x.source(0)?, x.source(1)?);
    x.each(|n| Computed::integer((a[n].integer() + b[n].integer() + 1) >> 1).of(&[&a[n], &b[n]]))
}

/// `mac`: dst = src0 * src1 + acc; the sum is the new acc.
pub(super) fn mac(x: &mut Execution) -> Executed {
    let (a, b, accumulator) = (x.source(0)?, x.source(1)?, x.accumulator_source());
    if x.since(Generation::Gen7) {
        return x.multiply_add([&a, &b, &accumulator], Fusion::Either);
    }
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
    if x.since(Generation::Gen7) {
        return later_mach(x, &a, &b, &accumulator);
    }
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

/// `mach` on Gen7 and later: the product of src0 and the high half of src1, added to the accumulator
/// 16 bits up; dst = the high half of that, and with AccWrCtrl the accumulator its low half. On Gen12
/// dst is the low half without AccWrCtrl.
fn later_mach(x: &mut Execution, a: &Operands, b: &Operands, accumulator: &Operands) -> Executed {
    let types = x.source_types();
    // From Gen9 on each source has a sign or none by its own type.
    let is_mixed = types[0] != types[1] && !x.since(Generation::Gen8);
    let saturates_other_type =
        x.instruction.saturate && types != [x.instruction.destination.data_type; 2];
    let is_unsigned = types == [DataType::Ud; 2];
    if x.instruction.destination.register.arf() == Some(ArfKind::Accumulator) {
        return x.each(|_| Computed::UNDEFINED);
    }
    let gives_low_half = x.since(Generation::Gen12) && !x.instruction.accumulator_write;
    let saturates_low_half = gives_low_half && x.instruction.saturate;
    let negated_unsigned = negates_unsigned(x);
    x.each(|n| {
        let high_product = (a[n].integer() * (b[n].integer() >> 16)) << 16;
        let sum = wrap_signed(high_product + accumulator[n].integer(), 64);
        let half = if gives_low_half { sum & 0xFFFF_FFFF } else { sum >> 32 & 0xFFFF_FFFF };
        let half = if is_unsigned { half } else { wrap_signed(half, 32) };
        let accumulator_value = Some(Value::Integer(sum & 0xFFFF_FFFF));
        let result =
            Computed { accumulator_value, accumulator_bits: Some(32), ..Computed::integer(half) }
                .of(&[&a[n], &b[n], &accumulator[n]]);
        // No conditional modifier goes with it, on Gen12 no saturation.
        let is_open = is_mixed || negated_unsigned || saturates_low_half || saturates_other_type;
        Computed { defined: result.defined && !is_open, flags_defined: false, ..result }
    })
}

/// `addc` (Gen7 and later): dst = the low 32 bits of src0 + src1, the accumulator the carry.
pub(super) fn addc(x: &mut Execution) -> Executed {
    with_carry(x, |a, b| a + b)
}

/// `subb` (Gen7 and later): dst = the low 32 bits of src0 - src1, the accumulator the borrow.
pub(super) fn subb(x: &mut Execution) -> Executed {
    with_carry(x, |a, b| a - b)
}

fn with_carry(x: &mut Execution, combine: fn(i128, i128) -> i128) -> Executed {
    let (a, b) = (x.source(0)?, x.source(1)?);
    if x.instruction.destination.register.arf() == Some(ArfKind::Accumulator) {
        // The result and the carry would go to the same accumulator.
        return x.each(|_| Computed::UNDEFINED);
    }
    let saturates = x.instruction.saturate;
    let tests_overflow = x.instruction.condition == ConditionalModifier::Overflow;
    let is_negated = x
        .instruction
        .sources
        .iter()
        .any(|source| matches!(source, Source::Register { modifier, .. } if modifier.negate));
    x.each(|n| {
        let exact = combine(a[n].integer(), b[n].integer());
        let carry = i128::from(exact & 0xFFFF_FFFF != exact);
        let accumulator_value = Some(Value::Integer(carry));
        // A negated UD has a bit more, and a word may be negative: whether that is a carry is not said.
        let is_negative = is_negated || b[n].integer() < 0;
        let accumulator_bits = is_negative.then_some(0);
        // Nor is it whether a carry is an overflow.
        let flags_defined = carry == 0 && !is_negative || !tests_overflow;
        let low = Computed::integer(exact & 0xFFFF_FFFF);
        let result = Computed { accumulator_value, accumulator_bits, flags_defined, ..low };
        let result = result.of(&[&a[n], &b[n]]);
        Computed { defined: result.defined && !saturates, ..result }
    })
}

/// How a product is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fusion {
    /// In one operation that rounds once.
    Fused,
    /// As the hardware likes: once, or the product by itself first.
    Either,
}

impl Execution<'_> {
    /// dst = factor * factor + addend.
    pub(super) fn multiply_add(
        &mut self,
        [a, b, addend]: [&Operands; 3],
        fusion: Fusion,
    ) -> Executed {
        let settings = self.settings;
        let format = self.execution_type.format();
        self.each_exactly(|rounding, n| {
            let sources = [&a[n], &b[n], &addend[n]];
            let result = match (a[n].value, b[n].value, addend[n].value) {
                (Value::Float(a), Value::Float(b), Value::Float(addend)) => {
                    let product = a.times(b);
                    let sum = product.plus(addend, rounding);
                    let separate = format.filter(|_| fusion == Fusion::Either).map(|format| {
                        let product = settings.context(format).rounded(product, format);
                        product.plus(addend, rounding)
                    });
                    Computed::float(sum).or_other(separate.filter(|sum| !sum.is_nan()))
                }
                (a, b, addend) => Computed::integer(a.integer() * b.integer() + addend.integer()),
            };
            result.of(&sources)
        })
    }
}

/// `lzd`: dst = the number of zeros above the highest one of src0.
pub(super) fn lzd(x: &mut Execution) -> Executed {
    let source = x.source(0)?;
    let takes_any = x.since(Generation::Gen12);
    let magnitude = x.magnitude_mask(0);
    x.each(|n| {
        if takes_any {
            let extended = source[n].integer() as u32;
            return Computed::integer(extended.leading_zeros().into()).of(&[&source[n]]);
        }
        let integer = source[n].integer() & magnitude.unwrap_or(-1);
        let Ok(unsigned) = u32::try_from(integer) else {
            // A signed source has to carry (abs).
            return Computed::UNDEFINED;
        };
        Computed::integer(i128::from(unsigned.leading_zeros())).of(&[&source[n]])
    })
}

/// An operand of a fused product, for [`super::vector`].
pub(super) fn product_of(a: &Operand, b: &Operand) -> Number {
    // Decision D-eu-acc-float.
    product(a.float(), b.float())
}
