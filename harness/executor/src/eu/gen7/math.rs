//! `math`: its functions by the table eu-math-functions.

use super::{
    compute::{Compute, Computed, Inputs, floats},
    instruction::Source,
    modes::Modes,
    operation::{Form, Operands, Operation, data},
};
use crate::elementary::{self, alternative_power, power, reciprocal_root};

/// The operation; the instruction says which function.
pub(super) const ROWS: &[Operation] =
    &[data(0x38, "math", Operands::Math).form(Form::Math).nearest()];

/// Refuses what the place of an immediate is too small for: 64 bits.
pub(super) fn check_immediate(source: &Source) -> Result<(), String> {
    match source {
        Source::Immediate { data_type, .. } if data_type.size() == 8 => {
            Err("an immediate of math has at most 32 bits".into())
        }
        _ => Ok(()),
    }
}

/// The name of a function.
pub(super) fn name(code: u8) -> Option<&'static str> {
    const NAMES: [&str; 16] = [
        "", "inv", "log", "exp", "sqt", "rsqt", "sin", "cos", "", "fdiv", "pow", "idiv", "iqot",
        "irem", "invm", "rsqtm",
    ];
    NAMES.get(usize::from(code)).copied().filter(|name| !name.is_empty())
}

/// The function for floats or integers.
pub(super) fn function(code: u8, is_float: bool) -> Option<Compute> {
    Some(match (code, is_float) {
        (1, true) => |i, _, out| floats(i, out, |a, _, _| 1.0 / a),
        (2, true) => |i, modes, out| floats(i, out, |a, _, _| legal(a, modes).log2()),
        (3, true) => |i, _, out| floats(i, out, |a, _, _| a.exp2()),
        (4, true) => |i, modes, out| floats(i, out, |a, _, _| legal(a, modes).sqrt()),
        (5, true) => |i, modes, out| floats(i, out, |a, _, _| reciprocal_root(legal(a, modes))),
        (6, true) => |i, _, out| floats(i, out, |a, _, _| a.sin()),
        (7, true) => |i, _, out| floats(i, out, |a, _, _| a.cos()),
        (9, true) => |i, _, out| floats(i, out, |a, b, _| a / b),
        (10, true) => |i, modes, out| {
            let power = power_in(modes);
            floats(i, out, |a, b, _| power(a, b));
        },
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

fn power_in(modes: &Modes) -> fn(f64, f64) -> f64 {
    if modes.alternative { alternative_power } else { power }
}

/// Quotients and remainders, of which the caller chooses.
fn divide(inputs: &Inputs, out: &mut Computed, choose: impl Fn(i128, i128) -> (i128, i128)) {
    for channel in 0..inputs.count {
        let (quotient, remainder) =
            elementary::divide(inputs.a[channel], inputs.b[channel], inputs.unsigned);
        (out.lanes[channel], out.second[channel]) = choose(quotient, remainder);
    }
}
