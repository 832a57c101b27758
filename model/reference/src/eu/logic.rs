//! Logic and shifts: `not`, `and`, `or`, `xor`, `shr`, `shl`, `asr` (G45 volume 4, section 14.2).
//!
//! Integers are two's complement without end: what falls off is decided where the result is
//! converted.

use parallax_isa::{
    device::Generation,
    eu::{DataType, operand::Source},
};

use super::{
    execution::Execution,
    number::{ExecutionType, Value},
    operand::{Operand, Operands},
    result::Computed,
    thread::Executed,
};

/// `not`: dst = the bitwise complement of src0.
pub(super) fn not(x: &mut Execution) -> Executed {
    let source = logic_source(x, 0)?;
    x.each(|n| Computed::integer(!source[n].integer()).of(&[&source[n]]))
}

/// `and`: dst = src0 & src1.
pub(super) fn and(x: &mut Execution) -> Executed {
    bitwise(x, |a, b| a & b)
}

/// `or`: dst = src0 | src1.
pub(super) fn or(x: &mut Execution) -> Executed {
    bitwise(x, |a, b| a | b)
}

/// `xor`: dst = src0 ^ src1.
pub(super) fn xor(x: &mut Execution) -> Executed {
    bitwise(x, |a, b| a ^ b)
}

fn bitwise(x: &mut Execution, combine: fn(i128, i128) -> i128) -> Executed {
    let (a, b) = (logic_source(x, 0)?, logic_source(x, 1)?);
    x.each(|n| Computed::integer(combine(a[n].integer(), b[n].integer())).of(&[&a[n], &b[n]]))
}

/// A source of a logic instruction: from Gen8 on its negation is the complement of its bits, which no
/// value overflows.
fn logic_source(x: &mut Execution, index: usize) -> Executed<Operands> {
    let mut operands = x.source(index)?;
    let negate = matches!(x.instruction.sources[index], Source::Register { modifier, .. }
        if modifier.negate);
    // Decision D-eu-later-modifiers.
    if !negate || !x.since(Generation::Gen8) {
        return Ok(operands);
    }
    // What was negated as a number is brought back: -a - 1 is the complement of a.
    for operand in &mut operands {
        operand.value = Value::Integer(operand.integer() - 1);
    }
    Ok(operands)
}

/// `shr`: dst = src0 shifted right by the low five or six bits of src1, zeros shifted in.
pub(super) fn shr(x: &mut Execution) -> Executed {
    let (a, b) = (x.source(0)?, x.source(1)?);
    let channel = (1_i128 << x.execution_type.integer_bits().min(64)) - 1;
    let bits = count_bits(x);
    let accumulator = x.is_accumulator(0);
    let magnitude = x.magnitude_mask(0);
    x.each(|n| {
        let unsigned = match (accumulator, magnitude) {
            (true, _) => a[n].integer() & channel,
            (false, Some(bits)) => a[n].integer() & bits,
            (false, None) => a[n].integer(),
        };
        let result = Computed::integer(unsigned >> count(&b[n], bits)).of(&[&a[n], &b[n]]);
        // A negative source is not allowed: it has to carry (abs).
        Computed { defined: result.defined && unsigned >= 0, ..result }
    })
}

/// `shl`: dst = src0 shifted left by the low five or six bits of src1, zeros shifted in.
pub(super) fn shl(x: &mut Execution) -> Executed {
    let (a, b) = (x.source(0)?, x.source(1)?);
    let word = x.execution_type == ExecutionType::Word;
    let saturate = x.instruction.saturate;
    let bits = count_bits(x);
    x.each(|n| {
        let result = Computed::integer(a[n].integer() << count(&b[n], bits)).of(&[&a[n], &b[n]]);
        Computed { defined: result.defined && (word || !saturate), ..result }
    })
}

/// `asr`: dst = src0 shifted right by the low five or six bits of src1, the sign shifted in: the floor
/// of the quotient.
pub(super) fn asr(x: &mut Execution) -> Executed {
    let (a, b) = (x.source(0)?, x.source(1)?);
    let bits = count_bits(x);
    x.each(|n| Computed::integer(a[n].integer() >> count(&b[n], bits)).of(&[&a[n], &b[n]]))
}

/// `rol` (Gen12): dst = src0, its bits turned left by src1 modulo their number (decision
/// D-eu-later-shift-counts).
pub(super) fn rol(x: &mut Execution) -> Executed {
    rotate(x, |bits, count, width| bits << count | bits >> (width - count))
}

/// `ror` (Gen12): dst = src0, its bits turned right by src1 modulo their number.
pub(super) fn ror(x: &mut Execution) -> Executed {
    rotate(x, |bits, count, width| bits >> count | bits << (width - count))
}

fn rotate(x: &mut Execution, turned: fn(u64, u32, u32) -> u64) -> Executed {
    let (a, b) = (x.source(0)?, x.source(1)?);
    let [source, _] = x.source_types();
    let width = 8 * source.size() as u32;
    let mask = (1_u64 << width) - 1;
    let destination = x.instruction.destination.data_type;
    // Words and doublewords without a sign, the same in source and destination.
    let is_allowed = matches!(source, DataType::Uw | DataType::Ud) && source == destination;
    x.each(|n| {
        let bits = (a[n].integer() as u64) & mask;
        let count = (b[n].integer() as u32) & (width - 1);
        let result = Computed::integer(i128::from(turned(bits, count, width) & mask));
        let result = result.of(&[&a[n], &b[n]]);
        Computed { defined: result.defined && is_allowed, ..result }
    })
}

/// How many bits of a shift count matter: six where src0 or the destination has 64 bits, else five.
fn count_bits(x: &Execution) -> u32 {
    // Decision D-eu-later-shift-counts.
    let has_quadwords =
        [x.source_types()[0], x.instruction.destination.data_type].map(|of| of.size() == 8);
    if has_quadwords.contains(&true) { 6 } else { 5 }
}

/// A shift count: the low bits.
fn count(source: &Operand, bits: u32) -> u32 {
    (source.integer() & ((1 << bits) - 1)) as u32
}
