//! Faults in results that are easily taken for open, though the manual decides them.

use parallax_isa::{
    Device,
    eu::{
        Case, DataType, Instruction, Opcode, State,
        instruction::{Compression, ConditionalModifier},
        text,
    },
};
use parallax_lockstep::choices::Choices;

use super::{
    Eu, Fault, disturb, straight_line,
    values::{destination, dword, float, set_dword, truncated},
};
use crate::fault_injection::{Family, all_are_found};

static FAMILY: Family<Eu> = straight_line("what is not open", FAULTS);

#[test]
fn faults_in_what_is_not_open_are_found() {
    all_are_found(&FAMILY);
}

static NANS: Family<Eu> = Family {
    name: "NaNs that become 0",
    device: Device::G45,
    generate: nans,
    bytes: 64,
    faults: NAN_FAULTS,
};

#[test]
fn faults_of_nans_that_become_zero_are_found() {
    all_are_found(&NANS);
}

static SUMS: Family<Eu> = Family {
    name: "sums that cancel",
    device: Device::G45,
    generate: cancelling,
    bytes: 64,
    faults: SUM_FAULTS,
};

#[test]
fn faults_of_sums_that_cancel_are_found() {
    all_are_found(&SUMS);
}

const FAULTS: &[Fault<Eu>] = &[
    disturb("accumulator channel behind the instruction's written", |i, before, after| {
        let channel = usize::from(i.execution_size);
        let whole = i.compression != Compression::Compressed;
        if let Some(register) = updated(before, after).filter(|_| whole && channel < 8) {
            after.accumulator[register][channel] ^= 1;
        }
    }),
    disturb("word channels above the first eight written", |i, before, after| {
        let words = (0..2).all(|source| i.sources[source].data_type().size() <= 2);
        let eight = i.execution_size == 8 && i.compression != Compression::Compressed;
        if let Some(register) = updated(before, after).filter(|_| words && eight) {
            after.accumulator[register][15] ^= 1;
        }
    }),
    disturb("accumulator cleared behind a product of one doubleword", |i, before, after| {
        let one = i.opcode == Opcode::Mul && i.execution_size == 1;
        let doubleword = i.sources[0].data_type() == DataType::D;
        if let Some(register) = updated(before, after).filter(|_| one && doubleword) {
            after.accumulator[register][1..8].fill(0);
        }
    }),
    disturb("a doubleword cut to its low half beside a word", |i, before, after| {
        product_of(i, before, after, [4, 2]);
    }),
    disturb("a product with a doubleword in the second place lost", |i, before, after| {
        product_of(i, before, after, [2, 4]);
    }),
];

/// The accumulator that an instruction has changed.
fn updated(before: &State, after: &State) -> Option<usize> {
    let mut pairs = before.accumulator.iter().zip(&after.accumulator);
    pairs.position(|(old, new)| old != new)
}

/// Inverts the lowest bit of the upper half of the first product, where sources have these sizes.
fn product_of(i: &Instruction, before: &State, after: &mut State, sizes: [usize; 2]) {
    let own = [0, 1].map(|source: usize| i.sources[source].data_type().size());
    let integer = !i.sources.iter().any(|source| source.data_type().is_float());
    if i.opcode != Opcode::Mul || own != sizes || !integer || i.destination.data_type.size() != 4 {
        return;
    }
    let Some(byte) = destination(i, 0) else { return };
    if let Some(bits) = dword(after, byte).filter(|bits| dword(before, byte) != Some(*bits)) {
        set_dword(after, byte, bits ^ 0x1_0000);
    }
}

/// Instructions with a conditional modifier that make 0 of NaNs.
fn nans(device: Device, bytes: &[u8]) -> Case {
    let mut choices = Choices::new(bytes);
    let operation = choices.pick(&["add.sat", "mul.sat", "mov.sat", "add", "mov"]);
    let condition = choices.pick(&["e", "ne", "g", "ge", "l", "le", "u", "o"]);
    let data_type = if operation.ends_with(".sat") { "f" } else { "d" };
    let second = if operation.starts_with("mov") { "" } else { " r3<8;8,1>:f" };
    let source = format!("{operation}.{condition}.f0.0 (8) r4<1>:{data_type} r2<8;8,1>:f{second}");
    let program = text::parse(device, &source).expect("it assembles").program;
    let mut state = Box::new(State::new());
    state.mask = [u16::MAX; 4];
    for register in &mut state.grf[2..4] {
        for element in register.chunks_exact_mut(4) {
            let value = choices.pick(&[f32::NAN, f32::INFINITY, 0.0, 0.5, -0.5]);
            element.copy_from_slice(&value.to_le_bytes());
        }
    }
    Case::new(device, program.bytes().to_vec(), state, 2)
}

const NAN_FAULTS: &[Fault<Eu>] = &[
    disturb("a NaN that became 0 equal to zero", |i, before, after| {
        of_nans(i, before, after, ConditionalModifier::Equal, true);
    }),
    disturb("a NaN that became 0 not unequal to zero", |i, before, after| {
        of_nans(i, before, after, ConditionalModifier::NotEqual, false);
    }),
    disturb("a NaN that became 0 greater than or equal to zero", |i, before, after| {
        of_nans(i, before, after, ConditionalModifier::GreaterEqual, true);
    }),
    disturb("a NaN that became 0 less than or equal to zero", |i, before, after| {
        of_nans(i, before, after, ConditionalModifier::LessEqual, true);
    }),
];

/// Sets the flags of channels whose result is a NaN that becomes 0.
fn of_nans(
    i: &Instruction,
    before: &State,
    after: &mut State,
    condition: ConditionalModifier,
    value: bool,
) {
    let becomes_zero = i.saturate || i.destination.data_type == DataType::D;
    if i.condition != condition || !becomes_zero {
        return;
    }
    for channel in 0..i.execution_size {
        if float(i, 0, channel, before).is_some_and(f32::is_nan) {
            let flags = &mut after.flag[usize::from(i.flag_subregister & 1)];
            *flags = *flags & !(1 << channel) | u16::from(value) << channel;
        }
    }
}

/// `dp4` of terms the largest of which cancel, or which come near the limit of the format.
fn cancelling(device: Device, bytes: &[u8]) -> Case {
    const SOURCE: &str = "dp4 (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f";
    let program = text::parse(device, SOURCE).expect("it assembles").program;
    let mut choices = Choices::new(bytes);
    let mut state = Box::new(State::new());
    state.mask = [u16::MAX; 4];
    for group in 0..2 {
        let mut fraction = || 1.0 + (choices.word() >> 9) as f32 / (1 << 23) as f32;
        let [a, b, c, d, e] = std::array::from_fn(|_| fraction());
        let below = 2f32.powi(-36 - choices.below(8) as i32);
        let large = 2f32.powi(127);
        let factors = match choices.below(2) {
            0 => [(a, b), (-a, b), (c * below, d), (e * below, c)],
            // No sum of some of them is out of range.
            _ => [(a * large, 1.0), (-b * large, 1.0), (0.0, 0.0), (0.0, 0.0)],
        };
        for (n, (x, y)) in factors.into_iter().enumerate() {
            let at = 4 * (4 * group + n);
            state.grf[2][at..at + 4].copy_from_slice(&x.to_le_bytes());
            state.grf[3][at..at + 4].copy_from_slice(&y.to_le_bytes());
        }
    }
    Case::new(device, program.bytes().to_vec(), state, 2)
}

const SUM_FAULTS: &[Fault<Eu>] = &[
    disturb("terms cut to the 48 bits of a product", |i, before, after| {
        sums(i, before, after, |terms| Some(cut(terms, 48)));
    }),
    disturb("a sum in single precision", |i, before, after| {
        sums(i, before, after, |terms| {
            let sum = terms.iter().fold(0.0, |sum, term| sum + *term as f32);
            sum.is_finite().then(|| f64::from(sum))
        });
    }),
    disturb("zero for what is left of terms that cancel", |i, before, after| {
        sums(i, before, after, |terms| (terms[3] != 0.0).then_some(0.0));
    }),
    disturb("infinity where the magnitudes add up to it", |i, before, after| {
        sums(i, before, after, |terms| {
            let magnitudes: f64 = terms.iter().map(|term| term.abs()).sum();
            (magnitudes >= 2f64.powi(128)).then_some(f64::INFINITY)
        });
    }),
];

/// Replaces sums of `dp4`.
fn sums(i: &Instruction, before: &State, after: &mut State, change: fn([f64; 4]) -> Option<f64>) {
    if i.opcode != Opcode::Dp4 {
        return;
    }
    for group in 0..i.execution_size / 4 {
        let product = |n| {
            let factor = |source| float(i, source, 4 * group + n as u8, before).map(f64::from);
            Some(factor(0)? * factor(1)?)
        };
        let terms: [Option<f64>; 4] = std::array::from_fn(product);
        let [Some(a), Some(b), Some(c), Some(d)] = terms else { return };
        let Some(sum) = change([a, b, c, d]) else { continue };
        let sum = if sum.is_finite() { truncated(sum) } else { f32::INFINITY };
        for channel in 4 * group..4 * group + 4 {
            if let Some(byte) = destination(i, channel) {
                set_dword(after, byte, sum.to_bits());
            }
        }
    }
}

/// The sum of terms of which digits below so many of the largest one are dropped.
fn cut(terms: [f64; 4], bits: i32) -> f64 {
    let exponent = |term: f64| (term.to_bits() >> 52 & 0x7FF) as i32 - 1023;
    let highest = terms.into_iter().map(exponent).max().expect("four terms");
    let unit = 2f64.powi(highest - bits + 1);
    terms.into_iter().map(|term| (term / unit).trunc() * unit).sum()
}
