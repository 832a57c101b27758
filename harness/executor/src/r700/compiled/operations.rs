//! What operations of one slot compute, as values of eight pixels.

use parallax_isa::r700::case::Profile;

use super::values::{Round, Test, Value, Values};
use crate::r700::{
    number::{INFINITY, MAX_FLOAT, NAN, ONE, SIGN},
    operand::Modifiers,
};

/// A source of a slot before its modifiers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source {
    pub(super) value: Value,
    pub(super) modifiers: Modifiers,
}

impl Source {
    /// As an operand of arithmetic.
    pub(super) fn float(self, values: &mut Values) -> Value {
        self.modified(values, self.value)
    }

    /// With the bits that it stands for.
    pub(super) fn bits(self, values: &mut Values) -> Value {
        let tight = values.tight(self.value);
        self.modified(values, tight)
    }

    fn modified(self, values: &mut Values, mut value: Value) -> Value {
        let Modifiers { keep, flip } = self.modifiers;
        if keep != u32::MAX {
            value = values.magnitude(value);
        }
        if flip != 0 {
            let sign = values.all(flip);
            value = values.xor(value, sign);
        }
        value
    }
}

/// What a slot computes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Computed {
    pub(super) result: Value,
    /// Of predicate setters: all ones for pixels for which the predicate says execute.
    pub(super) passes: Option<Value>,
}

impl From<Value> for Computed {
    fn from(result: Value) -> Self {
        Self { result, passes: None }
    }
}

/// What an operation of a name computes from its sources, of which there are three; `None` if machine code
/// does not know it.
pub(super) fn compute(
    values: &mut Values,
    name: &str,
    profile: Profile,
    sources: [Source; 3],
) -> Option<Computed> {
    if let Some(computed) = predicate(values, name, sources) {
        return Some(computed);
    }
    let result = arithmetic(values, name, sources)
        .or_else(|| choice(values, name, sources))
        .or_else(|| comparison(values, name, sources))
        .or_else(|| integer(values, name, profile, sources))
        .or_else(|| conversion(values, name, profile, sources))
        .or_else(|| approximation(values, name, sources))?;
    Some(result.into())
}

/// The DX9 product, where zero times anything is zero, or the IEEE product.
pub(super) fn product(values: &mut Values, ieee: bool, a: Value, b: Value) -> Value {
    let product = values.product(a, b);
    if ieee {
        return product;
    }
    let zero = values.all(0);
    let mut kept = product;
    for factor in [a, b] {
        let counts = values.compare(Test::NotEqualOrUnordered, factor, zero);
        kept = values.kept(counts, kept);
    }
    kept
}

/// Sums, products and integral parts.
fn arithmetic(values: &mut Values, name: &str, [a, b, c]: [Source; 3]) -> Option<Value> {
    let (name, factor) = match name.rsplit_once('_') {
        Some((name, "M2")) => (name, 2.0),
        Some((name, "M4")) => (name, 4.0),
        Some((name, "D2")) => (name, 0.5),
        _ => (name, 1.0),
    };
    let result = match name {
        "ADD" => {
            let [a, b] = [a, b].map(|source| source.float(values));
            values.sum(a, b)
        }
        "MUL" | "MUL_IEEE" | "MUL_LIT" | "MULADD" | "MULADD_IEEE" => {
            let [a, b] = [a, b].map(|source| source.float(values));
            let product = product(values, name.ends_with("_IEEE"), a, b);
            match name {
                "MUL" | "MUL_IEEE" => product,
                "MUL_LIT" => {
                    let c = c.float(values);
                    lit(values, product, b, c)
                }
                _ => {
                    let c = c.float(values);
                    values.sum(product, c)
                }
            }
        }
        "FRACT" => {
            let a = a.float(values);
            let floor = values.round(Round::Down, a);
            values.difference(a, floor)
        }
        "TRUNC" | "CEIL" | "RNDNE" | "FLOOR" => {
            let how = match name {
                "TRUNC" => Round::TowardZero,
                "CEIL" => Round::Up,
                "RNDNE" => Round::Even,
                _ => Round::Down,
            };
            let a = a.float(values);
            values.round(how, a)
        }
        _ => return None,
    };
    Some(if factor == 1.0 { result } else { scaled(values, result, factor) })
}

pub(super) fn scaled(values: &mut Values, value: Value, factor: f32) -> Value {
    let factor = values.float(factor);
    values.product(value, factor)
}

/// MUL_LIT: the product, or the most negative number where the lighting terms make no sense.
fn lit(values: &mut Values, product: Value, exponent: Value, cosine: Value) -> Value {
    let (least, zero) = (values.float(f32::MIN), values.all(0));
    let no_exponent = values.compare(Test::NotGreater, exponent, least);
    let no_cosine = values.compare(Test::NotGreater, cosine, zero);
    let senseless = values.or(no_exponent, no_cosine);
    values.select(senseless, least, product)
}

/// Operations that give one of their operands as it is.
fn choice(values: &mut Values, name: &str, [a, b, c]: [Source; 3]) -> Option<Value> {
    let zero = values.all(0);
    match name {
        "MOV" => return Some(a.bits(values)),
        "CNDE" | "CNDGT" | "CNDGE" => {
            let test = match name {
                "CNDE" => Test::Equal,
                "CNDGT" => Test::Greater,
                _ => Test::GreaterEqual,
            };
            let (a, [b, c]) = (a.float(values), [b, c].map(|source| source.bits(values)));
            let chosen = values.compare(test, a, zero);
            return Some(values.select(chosen, b, c));
        }
        "CNDE_INT" | "CNDGT_INT" | "CNDGE_INT" => {
            let [a, b, c] = [a, b, c].map(|source| source.bits(values));
            return Some(match name {
                "CNDE_INT" => {
                    let chosen = values.equal(a, zero);
                    values.select(chosen, b, c)
                }
                "CNDGT_INT" => {
                    let chosen = values.greater(a, zero);
                    values.select(chosen, b, c)
                }
                _ => {
                    let negative = values.greater(zero, a);
                    values.select(negative, c, b)
                }
            });
        }
        _ => {}
    }
    let test = match name {
        "MAX" | "MAX_DX10" => Test::GreaterEqual,
        "MIN" | "MIN_DX10" => Test::Less,
        _ => return None,
    };
    let [a, b] = [a, b].map(|source| source.bits(values));
    let mut first = values.compare(test, a, b);
    if !name.ends_with("_DX10") {
        return Some(values.select(first, a, b));
    }
    // A NaN loses against a number, and two of them give the uniform one.
    let unordered = values.compare(Test::Unordered, b, b);
    first = values.or(first, unordered);
    let chosen = values.select(first, a, b);
    let (nan, unordered) = (values.all(NAN), values.compare(Test::Unordered, chosen, chosen));
    Some(values.select(unordered, nan, chosen))
}

/// MAX4 of elements, the last first.
pub(super) fn largest(values: &mut Values, [x, y, z, w]: [Source; 4]) -> Value {
    let mut largest = w.bits(values);
    for other in [z, y, x] {
        let other = other.bits(values);
        let first = values.compare(Test::GreaterEqual, largest, other);
        largest = values.select(first, largest, other);
    }
    largest
}

/// CUBE of a direction: T, S, twice the major axis, face.
pub(super) fn cube(values: &mut Values, direction: [Source; 3]) -> [Value; 4] {
    let [x, y, z] = direction.map(|source| source.float(values));
    let (zero, sign, one) = (values.all(0), values.all(SIGN), values.all(ONE));
    let [x_size, y_size, z_size] = [x, y, z].map(|element| values.magnitude(element));
    let [x_below, y_below, z_below] =
        [x, y, z].map(|element| values.compare(Test::Less, element, zero));
    let [minus_x, minus_y, minus_z] = [x, y, z].map(|element| values.xor(element, sign));
    let is_z = [x_size, y_size].map(|other| values.compare(Test::GreaterEqual, z_size, other));
    let is_z = values.and(is_z[0], is_z[1]);
    let is_y = values.compare(Test::GreaterEqual, y_size, x_size);
    // Of Z, Y and X as the major axis: what stands there below zero, and else.
    let chosen = |values: &mut Values, z: [Value; 2], y: [Value; 2], x: [Value; 2]| {
        let z = values.select(z_below, z[0], z[1]);
        let y = values.select(y_below, y[0], y[1]);
        let x = values.select(x_below, x[0], x[1]);
        let other = values.select(is_y, y, x);
        values.select(is_z, z, other)
    };
    let t = chosen(values, [minus_y; 2], [minus_z, z], [minus_y; 2]);
    let s = chosen(values, [minus_x, x], [x; 2], [z, minus_z]);
    let axis = chosen(values, [z; 2], [y; 2], [x; 2]);
    let [a, b, c, d, e, f] = [5.0, 4.0, 3.0, 2.0, 1.0, 0.0_f32].map(|face| values.float(face));
    let face = chosen(values, [a, b], [c, d], [e, f]);
    let [t, s] = [t, s].map(|value| values.product(value, one));
    [t, s, scaled(values, axis, 2.0), face]
}

/// All ones where a comparison of a name holds: what stands behind `SET`, `KILL` or `PRED_SET`.
fn holds(values: &mut Values, name: &str, sources: [Source; 2]) -> Option<Value> {
    let float = match name {
        "E" => Test::Equal,
        "GT" => Test::Greater,
        "GE" => Test::GreaterEqual,
        "NE" => Test::NotEqualOrUnordered,
        _ => {
            let [a, b] = sources.map(|source| source.bits(values));
            return Some(match name {
                "E_INT" => values.equal(a, b),
                "NE_INT" => {
                    let equal = values.equal(a, b);
                    values.not(equal)
                }
                "GT_INT" => values.greater(a, b),
                "GE_INT" => {
                    let less = values.greater(b, a);
                    values.not(less)
                }
                "GE_UINT" => {
                    let larger = values.larger_unsigned(a, b);
                    values.equal(a, larger)
                }
                "GT_UINT" => {
                    let smaller = values.smaller_unsigned(a, b);
                    let is_no_more = values.equal(a, smaller);
                    values.not(is_no_more)
                }
                _ => return None,
            });
        }
    };
    let [a, b] = sources.map(|source| source.float(values));
    Some(values.compare(float, a, b))
}

fn comparison(values: &mut Values, name: &str, [a, b, _]: [Source; 3]) -> Option<Value> {
    if let Some(test) = name.strip_prefix("KILL") {
        let holds = holds(values, test, [a, b])?;
        return Some(one_where(values, holds));
    }
    let test = name.strip_prefix("SET")?;
    // These give all ones.
    let integer = test.ends_with("INT");
    let plain = test.strip_suffix("_DX10").unwrap_or(test);
    let holds = holds(values, plain, [a, b])?;
    Some(if integer || plain != test { holds } else { one_where(values, holds) })
}

fn one_where(values: &mut Values, mask: Value) -> Value {
    let one = values.all(ONE);
    values.and(mask, one)
}

fn zero_where(values: &mut Values, mask: Value) -> Value {
    let one = values.all(ONE);
    values.without(mask, one)
}

/// A denormal as a zero of its sign, other bits as they are.
fn flushed(values: &mut Values, bits: Value) -> Value {
    let [exponent, sign, zero] = [INFINITY, SIGN, 0].map(|bits| values.all(bits));
    let field = values.and(bits, exponent);
    let (is_small, sign) = (values.equal(field, zero), values.and(bits, sign));
    values.select(is_small, sign, bits)
}

fn predicate(values: &mut Values, name: &str, [a, b, _]: [Source; 3]) -> Option<Computed> {
    let name = name.strip_prefix("PRED_SET")?;
    let zero = values.all(0);
    let (result, passes) = match name {
        "_CLR" => (values.all(MAX_FLOAT), zero),
        "_INV" | "_RESTORE" => {
            let bits = a.bits(values);
            let mut result = flushed(values, bits);
            let is_zero = values.compare(Test::Equal, bits, zero);
            if name == "_INV" {
                let one = values.all(ONE);
                result = values.select(is_zero, one, result);
                let is_one = values.compare(Test::Equal, bits, one);
                (values.without(is_one, result), is_one)
            } else {
                (values.without(is_zero, result), is_zero)
            }
        }
        "_POP" => {
            let [a, b] = [a, b].map(|source| source.float(values));
            let passes = values.compare(Test::LessEqual, a, b);
            let difference = values.difference(a, b);
            let difference = values.tight(difference);
            (values.without(passes, difference), passes)
        }
        _ => match name.split_once("_PUSH") {
            Some((test, integer)) => {
                let holds = push(values, test, !integer.is_empty(), b)?;
                let a = a.float(values);
                let is_zero = values.compare(Test::Equal, a, zero);
                let (passes, one) = (values.and(is_zero, holds), values.all(ONE));
                let deeper = values.sum(a, one);
                let deeper = values.tight(deeper);
                (values.without(passes, deeper), passes)
            }
            None => {
                let holds = holds(values, name, [a, b])?;
                (zero_where(values, holds), holds)
            }
        },
    };
    Some(Computed { result, passes: Some(passes) })
}

/// All ones where the second source of PRED_SET*_PUSH passes its test against zero.
fn push(values: &mut Values, test: &str, integer: bool, b: Source) -> Option<Value> {
    let zero = Source { value: values.all(0), modifiers: Modifiers::NONE };
    match (test, integer) {
        ("LT", true) => holds(values, "GT_INT", [zero, b]),
        ("LE", true) => holds(values, "GE_INT", [zero, b]),
        (test, true) => holds(values, &format!("{test}_INT"), [b, zero]),
        (test, false) => holds(values, test, [b, zero]),
    }
}

fn integer(
    values: &mut Values,
    name: &str,
    profile: Profile,
    [a, b, _]: [Source; 3],
) -> Option<Value> {
    let stem = name.strip_suffix("_INT").or_else(|| name.strip_suffix("_UINT"))?;
    let signed = !name.ends_with("_UINT");
    let known = [
        "AND", "OR", "XOR", "NOT", "ADD", "SUB", "MAX", "MIN", "ASHR", "LSHR", "LSHL", "MULLO",
        "MULHI",
    ];
    if !known.contains(&stem) {
        return None;
    }
    let [a, mut b] = [a, b].map(|source| source.bits(values));
    if stem.contains("SH") && profile == Profile::Silicon {
        let five_bits = values.all(31);
        b = values.and(b, five_bits);
    }
    Some(match (stem, signed) {
        ("AND", _) => values.and(a, b),
        ("OR", _) => values.or(a, b),
        ("XOR", _) => values.xor(a, b),
        ("NOT", _) => values.not(a),
        ("ADD", _) => values.sum_of_integers(a, b),
        ("SUB", _) => match profile {
            Profile::Manual => values.difference_of_integers(b, a),
            Profile::Silicon => values.difference_of_integers(a, b),
        },
        ("MAX", true) => values.larger_signed(a, b),
        ("MIN", true) => values.smaller_signed(a, b),
        ("MAX", false) => values.larger_unsigned(a, b),
        ("MIN", false) => values.smaller_unsigned(a, b),
        ("ASHR", _) => values.shifted_with_sign(a, b),
        ("LSHR", _) => values.shifted_right(a, b),
        ("LSHL", _) => values.shifted_left(a, b),
        ("MULHI", signed) => values.upper_product_of_integers(a, b, signed),
        _ => values.product_of_integers(a, b),
    })
}

/// 2^31, from which on a float is no signed integer.
const SIGNED_END: f32 = 2_147_483_648.0;

fn conversion(
    values: &mut Values,
    name: &str,
    profile: Profile,
    [a, ..]: [Source; 3],
) -> Option<Value> {
    match name {
        "INT_TO_FLT" => {
            let a = a.bits(values);
            Some(values.integer_as_float(a))
        }
        "UINT_TO_FLT" => {
            // Both halves are exact, and their sum is rounded once.
            let a = a.bits(values);
            let [low, half] = [values.all(0xFFFF), values.all(16)];
            let (low, high) = (values.and(a, low), values.shifted_right(a, half));
            let [low, high] = [low, high].map(|half| values.integer_as_float(half));
            let scale = values.float(65536.0);
            let high = values.product(high, scale);
            Some(values.sum(high, low))
        }
        "FLT_TO_UINT" => {
            let (a, zero, sign) = (a.float(values), values.all(0), values.all(SIGN));
            // What is no number, and below zero, gives zero.
            let a = values.larger(a, zero);
            let (end, no_end) = (values.float(SIGNED_END), values.float(2.0 * SIGNED_END));
            let (large, beyond) = (
                values.compare(Test::GreaterEqual, a, end),
                values.compare(Test::GreaterEqual, a, no_end),
            );
            let (taken, given) = (values.and(large, end), values.and(large, sign));
            let rest = values.difference(a, taken);
            let integer = values.float_as_integer(rest);
            let integer = values.xor(integer, given);
            Some(values.or(integer, beyond))
        }
        "FLT_TO_INT" if profile == Profile::Manual => {
            let a = a.bits(values);
            Some(low_bits(values, a))
        }
        "FLT_TO_INT" => {
            let a = a.float(values);
            let (end, most) = (values.float(SIGNED_END), values.all(i32::MAX.cast_unsigned()));
            let (beyond, ordered) =
                (values.compare(Test::GreaterEqual, a, end), values.compare(Test::Ordered, a, a));
            let integer = values.float_as_integer(a);
            let integer = values.select(beyond, most, integer);
            Some(values.and(ordered, integer))
        }
        _ => None,
    }
}

/// The low 32 bits of truncated floats, zero for those that are not finite.
fn low_bits(values: &mut Values, a: Value) -> Value {
    let [fraction, hidden, field, by] =
        [0x7F_FFFF, 0x80_0000, 23, 150].map(|bits| values.all(bits));
    let magnitude = values.magnitude(a);
    let exponent = values.shifted_right(magnitude, field);
    let significand = values.and(a, fraction);
    let significand = values.or(significand, hidden);
    let (left, right) =
        (values.difference_of_integers(exponent, by), values.difference_of_integers(by, exponent));
    // One of both counts is negative, and leaves nothing, or both are zero.
    let (left, right) =
        (values.shifted_left(significand, left), values.shifted_right(significand, right));
    let either = values.or(left, right);
    let sign = values.all(31);
    let sign = values.shifted_with_sign(a, sign);
    let flipped = values.xor(either, sign);
    values.difference_of_integers(flipped, sign)
}

/// Reciprocals and roots that single precision gives as exactly as double precision rounded again.
fn approximation(values: &mut Values, name: &str, [a, ..]: [Source; 3]) -> Option<Value> {
    let (stem, form) = name.rsplit_once('_')?;
    let result = match (stem, form) {
        ("RECIP", "CLAMPED" | "FF" | "IEEE") => {
            let (a, one) = (a.float(values), values.all(ONE));
            values.quotient(one, a)
        }
        ("RECIPSQRT", "CLAMPED" | "FF" | "IEEE") => {
            let a = a.float(values);
            reciprocal_root(values, a)
        }
        ("SQRT", "IEEE") => {
            let a = a.float(values);
            return Some(values.root(a));
        }
        _ => return None,
    };
    if form == "IEEE" {
        return Some(result);
    }
    let tight = values.tight(result);
    let (magnitude, infinity) = (values.magnitude(tight), values.all(INFINITY));
    let (is_infinite, sign) = (values.equal(magnitude, infinity), values.all(SIGN));
    let mut instead = values.and(tight, sign);
    if form == "CLAMPED" {
        let most = values.all(MAX_FLOAT);
        instead = values.or(instead, most);
    }
    Some(values.select(is_infinite, instead, tight))
}

/// A step of Newton's method behind root and quotient.
fn reciprocal_root(values: &mut Values, a: Value) -> Value {
    let (root, one) = (values.root(a), values.all(ONE));
    let near = values.quotient(one, root);
    let product = values.product(a, near);
    let lost = values.fused_difference(a, near, product);
    let rest = values.fused_remainder(product, near, one);
    let rest = values.fused_remainder(lost, near, rest);
    let half = values.float(0.5);
    let half = values.product(near, half);
    let better = values.fused_sum(half, rest, near);
    // Zeros, infinities and NaNs are final: it comes to a NaN with them.
    let is_final = values.compare(Test::Unordered, better, better);
    values.select(is_final, near, better)
}
