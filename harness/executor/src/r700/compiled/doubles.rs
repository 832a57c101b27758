//! What double-precision operations compute: eight pixels are two values of four doubles.
//!
//! The first operand that is a NaN is the result as it is, which the processor would make quiet.

use super::{
    operations::Source,
    values::{Value, Values},
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
) -> Option<[Value; 2]> {
    if !["ADD_64", "MUL_64", "MULADD_64"].contains(&name) {
        return None;
    }
    let [a, b, c] = [0, 1, 2].map(|number: usize| doubles(values, high[number], low[number]));
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
                propagated(values, sum, &[a, b, product, c])
            }
        }
    });
    Some([false, true].map(|upper| values.dwords(both, upper)))
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
