//! `math`: its functions by the table eu-math-functions.

use super::{
    compute::{Compute, Computed, Inputs, floats},
    modes::Modes,
    operation::{Form, Operands, Operation, data},
};

/// The operation; the instruction says which function.
pub(super) const ROWS: &[Operation] =
    &[data(0x38, "math", Operands::Math).form(Form::Math).nearest()];

/// The function for floats or integers.
pub(super) fn function(code: u8, is_float: bool) -> Option<Compute> {
    Some(match (code, is_float) {
        (1, true) => |i, _, out| floats(i, out, |a, _, _| 1.0 / a),
        (2, true) => |i, modes, out| floats(i, out, |a, _, _| legal(a, modes).log2()),
        (3, true) => |i, _, out| floats(i, out, |a, _, _| a.exp2()),
        (4, true) => |i, modes, out| floats(i, out, |a, _, _| legal(a, modes).sqrt()),
        (5, true) => |i, modes, out| floats(i, out, |a, _, _| reciprocal_root(a, modes)),
        (6, true) => |i, _, out| floats(i, out, |a, _, _| a.sin()),
        (7, true) => |i, _, out| floats(i, out, |a, _, _| a.cos()),
        (9, true) => |i, _, out| floats(i, out, |a, b, _| a / b),
        (10, true) => |i, modes, out| floats(i, out, |a, b, _| power(a, b, modes)),
        (11, false) => |i, _, out| divide(i, out, |quotient, remainder| (quotient, remainder)),
        (12, false) => |i, _, out| divide(i, out, |quotient, _| (quotient, 0)),
        (13, false) => |i, _, out| divide(i, out, |_, remainder| (remainder, 0)),
        _ => return None,
    })
}

/// The function that writes a second register.
pub(super) const QUOTIENT_AND_REMAINDER: u8 = 11;

/// The alternative mode takes magnitudes where negative numbers have no result.
fn legal(value: f64, modes: &Modes) -> f64 {
    if modes.alternative { value.abs() } else { value }
}

fn reciprocal_root(value: f64, modes: &Modes) -> f64 {
    1.0 / legal(value, modes).sqrt()
}

/// The alternative mode knows no product of zero and infinity: what is no NaN is 1 to the power of 0.
fn power(base: f64, by: f64, modes: &Modes) -> f64 {
    if modes.alternative && by == 0.0 && !base.is_nan() {
        return 1.0;
    }
    (by * base.abs().log2()).exp2()
}

/// Quotients truncated toward zero, and remainders with the sign of the dividend. A division by zero
/// gives the largest or smallest number.
fn divide(inputs: &Inputs, out: &mut Computed, choose: impl Fn(i128, i128) -> (i128, i128)) {
    for channel in 0..inputs.count {
        let (a, b) = (inputs.a[channel], inputs.b[channel]);
        let limit = match a {
            _ if inputs.unsigned => u32::MAX.into(),
            0.. => i32::MAX.into(),
            _ => i32::MIN.into(),
        };
        let (quotient, remainder) = if b == 0 { (limit, limit) } else { (a / b, a % b) };
        (out.lanes[channel], out.second[channel]) = choose(quotient, remainder);
    }
}
