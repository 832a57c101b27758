//! What double-precision operations compute: eight pixels are two values of four doubles.
//!
//! The first operand that is a NaN is the result as it is, which the processor would make quiet.

use super::{
    operations::{Computed, Source},
    values::{Test, Value, Values},
};

/// Doubles of eight pixels.
type Doubles = [Value; 2];

/// The low and the high dwords of the results of an operation, from the dwords of its sources; `None` if
/// machine code does not know it.
pub(super) fn compute(
    values: &mut Values,
    name: &str,
    high: [Source; 3],
    low: [Source; 3],
) -> Option<[Computed; 2]> {
    let test = match name {
        "PRED_SETE_64" => Some(Test::Equal),
        "PRED_SETGT_64" => Some(Test::Greater),
        "PRED_SETGE_64" => Some(Test::GreaterEqual),
        "ADD_64" | "MUL_64" | "MULADD_64" | "MULADD_64_M2" | "MULADD_64_M4" | "MULADD_64_D2" => {
            None
        }
        _ => return None,
    };
    let [a, b, c] = [0, 1, 2].map(|number: usize| doubles(values, high[number], low[number]));
    if let Some(test) = test {
        let both = [0, 1].map(|half: usize| values.compare_doubles(test, a[half], b[half]));
        return Some([false, true].map(|upper| {
            let passes = values.dwords(both, upper);
            Computed { result: values.not(passes), passes: Some(passes) }
        }));
    }
    let both = [0, 1].map(|half: usize| {
        let [a, b, c] = [a, b, c].map(|doubles| doubles[half]);
        match name {
            "ADD_64" => {
                let sum = values.sum_of_doubles(a, b);
                propagated(values, sum, &[a, b])
            }
            "MUL_64" => {
                let product = values.product_of_doubles(a, b);
                propagated(values, product, &[a, b])
            }
            _ => {
                let product = values.product_of_doubles(a, b);
                let sum = values.sum_of_doubles(product, c);
                let sum = propagated(values, sum, &[a, b, product, c]);
                scaled(values, name, sum)
            }
        }
    });
    Some([false, true].map(|upper| values.dwords(both, upper).into()))
}

/// The multiple of a sum that the end of a name says.
fn scaled(values: &mut Values, name: &str, sum: Value) -> Value {
    let factor = match name.rsplit_once('_') {
        Some((_, "M2")) => 2.0,
        Some((_, "M4")) => 4.0,
        Some((_, "D2")) => 0.5,
        _ => return sum,
    };
    let factor = values.all_doubles(factor);
    let scaled = values.product_of_doubles(sum, factor);
    propagated(values, scaled, &[sum])
}

fn doubles(values: &mut Values, high: Source, low: Source) -> Doubles {
    let [high, low] = [high, low].map(|source| source.bits(values));
    [values.first_pairs(low, high), values.last_pairs(low, high)]
}

/// The first NaN of some operands, else the result, a denormal as a zero of its sign.
fn propagated(values: &mut Values, result: Value, operands: &[Value]) -> Value {
    let one = values.all_doubles(1.0);
    let mut kept = values.product_of_doubles(result, one);
    if !values.is_careful() {
        // One that is made here is the uniform one.
        let outside = operands.iter().filter(|operand| !values.is_product(**operand));
        let outside: Vec<_> = outside.copied().collect();
        for two in outside.chunks(2) {
            let nan = values.unordered_doubles(two[0], two[two.len() - 1]);
            values.trust_empty(nan);
        }
        return kept;
    }
    for &operand in operands.iter().rev() {
        let is_nan = values.unordered_doubles(operand, operand);
        kept = values.select(is_nan, operand, kept);
    }
    kept
}
