//! Extended math (G45 volume 4, chapter 6): eight channels at a time, all of them, whichever are on.

use parallax_isa::{
    eu::register::REGISTER_BYTES,
    shared::{Request, Response, Unanswered},
};

use super::Reply;
use crate::elementary::{alternative_power, divide, power, reciprocal_root, sines};

/// A register's doublewords.
type Lanes = [u32; 8];

/// How floats are computed, and integers divided.
#[derive(Debug, Clone, Copy)]
struct Modes {
    alternative: bool,
    saturate: bool,
    signed: bool,
}

type Compute = fn(&Lanes, &Lanes, Modes) -> Lanes;

/// A function: registers of operands, then what computes each register of the reply.
struct Function {
    operands: usize,
    floats: bool,
    results: &'static [Compute],
}

const fn floats(operands: usize, results: &'static [Compute]) -> Option<Function> {
    Some(Function { operands, floats: true, results })
}

const fn integers(results: &'static [Compute]) -> Option<Function> {
    Some(Function { operands: 2, floats: false, results })
}

/// By bits 3:0 of the descriptor.
static FUNCTIONS: [Option<Function>; 16] = [
    None,
    floats(1, &[inverse]),
    floats(1, &[logarithm]),
    floats(1, &[exponential]),
    floats(1, &[square_root]),
    floats(1, &[inverse_root]),
    floats(1, &[sine]),
    floats(1, &[cosine]),
    floats(1, &[sine, cosine]),
    None,
    floats(2, &[to_the_power]),
    integers(&[quotient, remainder]),
    integers(&[quotient]),
    integers(&[remainder]),
    None,
    None,
];

/// The answer; only later units take messages of 16 channels.
pub(super) fn answer(
    request: &Request,
    reply: &mut Reply,
    takes_wide: bool,
) -> Result<(), Unanswered> {
    let wrong = |what: &str| Err(Unanswered::Undefined(format!("extended math with {what}")));
    if request.target != 1 {
        return Err(Unanswered::NoSuchFunction("not extended math"));
    }
    let control = request.function_control;
    if control & 0xFE00 != 0 {
        return wrong("reserved bits");
    }
    let Some(function) = &FUNCTIONS[(control & 15) as usize] else {
        return wrong("a reserved function");
    };
    if !function.floats && control & 1 << 6 != 0 {
        return wrong("saturated integers");
    }
    let scalar = control & 1 << 7 != 0;
    let modes = Modes {
        alternative: request.alternative_float_mode,
        saturate: control & 1 << 6 != 0,
        signed: control & 1 << 4 != 0,
    };
    let load = |register: &[u8; REGISTER_BYTES]| {
        let doublewords = register.as_chunks::<4>().0;
        let from = |lane: usize| if scalar { lane & 4 } else { lane };
        std::array::from_fn(|lane| u32::from_le_bytes(doublewords[from(lane)]))
    };
    let [low, high] = request.channel_enables.to_le_bytes();
    let results = function.results;
    match (request.payload, usize::from(request.response_length)) {
        (payload, expected) if payload.len() == function.operands => {
            if expected != results.len() {
                return wrong("a reply of another length");
            }
            let (a, b) = (load(&payload[0]), load(&payload[payload.len() - 1]));
            for (register, compute) in reply.iter_mut().zip(results) {
                *register = store(&compute(&a, &b, modes), low);
            }
        }
        ([first, second], 2) if takes_wide && results.len() == 1 => {
            let [a, b] = [first, second].map(load);
            reply[0] = store(&results[0](&a, &a, modes), low);
            reply[1] = store(&results[0](&b, &b, modes), high);
        }
        _ => return wrong("a message of another length"),
    }
    Ok(())
}

/// Functions that processors have an instruction for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Elementary {
    /// One divided by a number.
    Inverse,
    SquareRoot,
}

/// A function of one operand and one result, with what else its descriptor says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LanesFunction {
    code: u8,
    saturate: bool,
}

impl LanesFunction {
    /// By the function control, if that is all there is to it: all lanes by themselves.
    pub(crate) fn of(control: u32) -> Option<Self> {
        let is_plain = control & 0xFE80 == 0 && (1..=7).contains(&(control & 0xF));
        is_plain.then_some(Self { code: (control & 0xF) as u8, saturate: control & 1 << 6 != 0 })
    }

    /// The instruction of the processor that it is, if it is one, and whether its results are saturated.
    pub(crate) fn elementary(self) -> Option<(Elementary, bool)> {
        let elementary = match self.code {
            1 => Elementary::Inverse,
            4 => Elementary::SquareRoot,
            _ => return None,
        };
        Some((elementary, self.saturate))
    }

    /// The function of these lanes in a float mode.
    #[inline(always)]
    pub(crate) fn compute<const N: usize>(self, lanes: &[u32; N], alternative: bool) -> [u32; N] {
        let modes = Modes { alternative, saturate: self.saturate, signed: false };
        match self.code {
            1 => inverse(lanes, lanes, modes),
            2 => logarithm(lanes, lanes, modes),
            3 => exponential(lanes, lanes, modes),
            4 => square_root(lanes, lanes, modes),
            5 => inverse_root(lanes, lanes, modes),
            6 => sine(lanes, lanes, modes),
            _ => cosine(lanes, lanes, modes),
        }
    }
}

fn store(lanes: &Lanes, enables: u8) -> Response {
    let mut bytes = [0; REGISTER_BYTES];
    for (place, lane) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(lanes) {
        *place = lane.to_le_bytes();
    }
    Response { bytes, enables }
}

const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7F80_0000;
const ONE: u32 = 0x3F80_0000;

/// Zero of the same sign in place of a denormal number.
#[inline(always)]
fn flush(bits: u32) -> u32 {
    if bits & INFINITY == 0 { bits & SIGN } else { bits }
}

/// A result as its register holds it.
#[inline(always)]
fn finish(value: f32, modes: Modes) -> u32 {
    let mut lanes = [value.to_bits()];
    finish_all(&mut lanes, modes);
    lanes[0]
}

/// The same of all lanes: a loop for each step, so that lanes are computed together.
#[inline(always)]
fn finish_all<const N: usize>(lanes: &mut [u32; N], modes: Modes) {
    each(lanes, flush);
    if modes.alternative {
        // The largest finite number is next below infinity.
        each(lanes, |bits| bits - u32::from(bits & !SIGN == INFINITY));
    }
    if modes.saturate {
        // Bits of positive numbers are in the order of the numbers.
        let is_positive = |bits: u32| bits.wrapping_sub(1) < INFINITY;
        each(lanes, |bits| if is_positive(bits) { bits.min(ONE) } else { 0 });
    }
}

#[inline(always)]
fn each<const N: usize>(lanes: &mut [u32; N], change: impl Fn(u32) -> u32) {
    // `array::map` is a function of its own here, which would compute lane by lane.
    for lane in lanes {
        *lane = change(*lane);
    }
}

#[inline(always)]
fn map<const N: usize>(a: &[u32; N], modes: Modes, operation: impl Fn(f32) -> f32) -> [u32; N] {
    let mut lanes = *a;
    each(&mut lanes, flush);
    each(&mut lanes, |bits| operation(f32::from_bits(bits)).to_bits());
    finish_all(&mut lanes, modes);
    lanes
}

/// Lanes as numbers.
#[inline(always)]
fn numbers<const N: usize>(lanes: &[u32; N]) -> [f32; N] {
    let mut numbers = [0.0; N];
    for (number, lane) in numbers.iter_mut().zip(lanes) {
        *number = f32::from_bits(flush(*lane));
    }
    numbers
}

/// Results as their registers hold them.
#[inline(always)]
fn finished<const N: usize>(numbers: &[f32; N], modes: Modes) -> [u32; N] {
    let mut lanes = [0; N];
    for (lane, number) in lanes.iter_mut().zip(numbers) {
        *lane = number.to_bits();
    }
    finish_all(&mut lanes, modes);
    lanes
}

/// Operands that have no negative ones: the alternative mode takes magnitudes.
#[inline(always)]
fn magnitude(value: f32, modes: Modes) -> f32 {
    if modes.alternative { value.abs() } else { value }
}

#[inline(always)]
fn inverse<const N: usize>(a: &[u32; N], _: &[u32; N], modes: Modes) -> [u32; N] {
    map(a, modes, |a| 1.0 / a)
}

#[inline(always)]
fn logarithm<const N: usize>(a: &[u32; N], _: &[u32; N], modes: Modes) -> [u32; N] {
    map(a, modes, |a| f64::from(magnitude(a, modes)).log2() as f32)
}

#[inline(always)]
fn exponential<const N: usize>(a: &[u32; N], _: &[u32; N], modes: Modes) -> [u32; N] {
    map(a, modes, |a| f64::from(a).exp2() as f32)
}

#[inline(always)]
fn square_root<const N: usize>(a: &[u32; N], _: &[u32; N], modes: Modes) -> [u32; N] {
    map(a, modes, |a| magnitude(a, modes).sqrt())
}

#[inline(always)]
fn inverse_root<const N: usize>(a: &[u32; N], _: &[u32; N], modes: Modes) -> [u32; N] {
    map(a, modes, |a| reciprocal_root(f64::from(magnitude(a, modes))) as f32)
}

#[inline(always)]
fn sine<const N: usize>(a: &[u32; N], _: &[u32; N], modes: Modes) -> [u32; N] {
    // No closure: that would be a function of its own, which is not compiled for the processor at hand.
    finished(&sines(numbers(a), 0), modes)
}

#[inline(always)]
fn cosine<const N: usize>(a: &[u32; N], _: &[u32; N], modes: Modes) -> [u32; N] {
    finished(&sines(numbers(a), 1), modes)
}

/// The first operand to the power of the second.
fn to_the_power(a: &Lanes, b: &Lanes, modes: Modes) -> Lanes {
    std::array::from_fn(|lane| {
        let [base, by] = [a[lane], b[lane]].map(|bits| f64::from(f32::from_bits(flush(bits))));
        let result = if modes.alternative { alternative_power(base, by) } else { power(base, by) };
        finish(result as f32, modes)
    })
}

/// The second operand divided by the first: quotients and remainders.
fn divided(a: &Lanes, b: &Lanes, modes: Modes) -> [(u32, u32); 8] {
    let number = |bits: u32| match modes.signed {
        true => i128::from(bits.cast_signed()),
        false => i128::from(bits),
    };
    std::array::from_fn(|lane| {
        let (quotient, remainder) = divide(number(b[lane]), number(a[lane]), !modes.signed);
        (quotient as u32, remainder as u32)
    })
}

fn quotient(a: &Lanes, b: &Lanes, modes: Modes) -> Lanes {
    divided(a, b, modes).map(|(quotient, _)| quotient)
}

fn remainder(a: &Lanes, b: &Lanes, modes: Modes) -> Lanes {
    divided(a, b, modes).map(|(_, remainder)| remainder)
}
