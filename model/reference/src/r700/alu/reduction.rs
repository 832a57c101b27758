//! Reductions: the four vector slots together compute from all their operands.

use parallax_isa::r700::AluOpcode;

use super::{Operands, Value};
use crate::{
    number::Number,
    r700::number::{SIGN, add, bits, multiply, multiply_dx9},
};

/// What the slots X, Y, Z, W give.
pub(crate) fn reduce(opcode: AluOpcode, slots: &[Operands; 4]) -> [Value; 4] {
    match opcode {
        AluOpcode::Dot4 => [Value::Float(dot4(slots, multiply_dx9)); 4],
        AluOpcode::Dot4Ieee => [Value::Float(dot4(slots, multiply)); 4],
        AluOpcode::Max4 => [max4(slots); 4],
        _ => cube(slots),
    }
}

/// `DOT4`, `DOT4_IEEE`: ((W + Z) + Y) + X of the products, each step rounded.
fn dot4(slots: &[Operands; 4], product: fn(Number, Number) -> Number) -> Number {
    let [x, y, z, w] = slots.map(|slot| product(slot.float(0), slot.float(1)));
    add(add(add(w, z), y), x)
}

/// `MAX4`: MAX(MAX(MAX(W, Z), Y), X), where MAX takes the second on a NaN.
fn max4(slots: &[Operands; 4]) -> Value {
    let max = |a: Operands, b: Operands| if a.float(0) >= b.float(0) { a } else { b };
    let [x, y, z, w] = *slots;
    let largest = max(max(max(w, z), y), x);
    // A denormal is compared as zero and keeps its bits; of zeros of both signs either may come out.
    let opposite =
        |slot: &Operands| slot.float(0).is_zero() && (slot.bits[0] ^ largest.bits[0]) & SIGN != 0;
    if largest.bits[0] & !SIGN == 0 && slots.iter().any(opposite) {
        let value = largest.float(0);
        return Value::Either(value, -value);
    }
    Value::Copy(largest.bits[0])
}

/// `CUBE`: coordinates T, S, twice the major axis, and the number of the face that a direction meets.
/// The slots hold src0 = zzxy and src1 = yxzz of the direction.
fn cube(slots: &[Operands; 4]) -> [Value; 4] {
    let (x, y, z) = (slots[1].float(1), slots[0].float(1), slots[0].float(0));
    let (size_x, size_y, size_z) = (x.abs(), y.abs(), z.abs());
    let nothing = x.is_zero() && y.is_zero() && z.is_zero();
    if nothing || x.is_nan() || y.is_nan() || z.is_nan() {
        return [Value::Undefined; 4];
    }
    let (s, t, major, face) = if size_z >= size_x && size_z >= size_y {
        if z.is_negative() { (-x, -y, z, 5) } else { (x, -y, z, 4) }
    } else if size_y >= size_x {
        if y.is_negative() { (x, -z, y, 3) } else { (x, z, y, 2) }
    } else if x.is_negative() {
        (z, -y, x, 1)
    } else {
        (-z, -y, x, 0)
    };
    [
        Value::Float(t),
        Value::Float(s),
        Value::Float(multiply(major, Number::integer(2))),
        // Output modifiers leave the face alone.
        Value::Bits(bits(Number::integer(face))),
    ]
}
