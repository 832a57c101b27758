//! Values at the ends of their types that were once accepted whatever an engine had, and readings of
//! operands that nobody specifies: an engine with another reading is right.

use parallax_isa::{
    Device,
    eu::{
        Case, DataType, Instruction, Opcode, State,
        operand::{Register, Source},
        register::{ArfKind, REGISTER_BYTES, RegisterFile},
        text,
    },
};
use parallax_lockstep::choices::Choices;
use rstest::rstest;

use super::{
    super::values::{bits, changed, element},
    Eu, Fault, disturb, family, rewrite,
};
use crate::fault_injection::{Family, all_are_found, none_is_found};

/// Cases of one instruction on doublewords at the ends of their types.
const fn ends(device: Device, name: &'static str, faults: &'static [Fault<Eu>]) -> Family<Eu> {
    Family { name, device, generate: integers, bytes: 64, faults }
}

/// An instruction with a negated or absolute source, or a shift to quadwords.
fn integers(device: Device, bytes: &[u8]) -> Case {
    let later = [
        "mov (8|M0) r10.0<1>:f -r2.0<8;8,1>:d",
        "mov (8|M0) r10.0<1>:f (abs)r2.0<8;8,1>:d",
        "add.sat (8|M0) r10.0<1>:d -r2.0<8;8,1>:d 0:d",
        "cmp.l.f0.0 (8|M0) null.0<1>:d -r2.0<8;8,1>:d 0:d",
        "add (8|M0) r10.0<1>:d r3.0<8;8,1>:d -r2.0<8;8,1>:w",
        "add (8|M0) acc0.0<1>:w r2.0<8;8,1>:w r3.0<8;8,1>:w",
        "shl (8|M0) r10.0<1>:q r2.0<8;8,1>:d 36:w",
        "asr (8|M0) r10.0<1>:q r2.0<8;8,1>:d 36:w",
    ];
    let early = ["mov (8) r10.0<1>:f -r2.0<8;8,1>:d", "mov.sat (8) r10.0<1>:d (abs)r2.0<8;8,1>:d"];
    let lines = match device {
        Device::G45 => &early[..],
        Device::Skl => &later[..],
        // No quadwords.
        _ => &later[..6],
    };
    let mut choices = Choices::new(bytes);
    let line = lines[choices.below(lines.len())];
    let program = text::parse(device, line).expect("it assembles").program;
    let mut state = Box::new(State::of(device));
    for register in &mut state.grf[2..4] {
        for dword in register.chunks_exact_mut(4) {
            let number = [0x8000_0000, 0x7FFF_8000, 0x8000_7FFF, 1, u32::MAX, choices.word()];
            dword.copy_from_slice(&number[choices.below(number.len())].to_le_bytes());
        }
    }
    Case::new(device, program.bytes().to_vec(), state, 2)
}

/// Wrong on every device.
const CERTAIN: &[Fault<Eu>] = &[
    disturb("-2^31 negated in more than 32 bits", |i, before, after| {
        if i.opcode == Opcode::Mov && turns(i, 0, 4) {
            most_negative(i, 0, before, after, |bits| bits ^ 0x8000_0000);
        }
    }),
    disturb("a saturated difference with 2^31", |i, before, after| {
        if i.saturate && turns(i, 0, 4) {
            most_negative(i, 0, before, after, |_| 0x7FFF_FFFF);
        }
    }),
    disturb("-2^31 negated greater than zero", |i, before, after| {
        let lanes = 0..i.execution_size;
        if i.opcode == Opcode::Cmp && turns(i, 0, 4) {
            let is_least = |n: &u8| element(i, 0, *n, before) == Some(0x8000_0000);
            lanes.filter(is_least).for_each(|n| after.flag[0] &= !(1 << n));
        }
    }),
];

/// Wrong where there are quadwords.
const QUADWORDS: &[Fault<Eu>] = &[rewrite("doublewords shifted by five bits to quadwords", |i| {
    let Source::Immediate { bits, .. } = &mut i.sources[1] else { return None };
    let is_shift = matches!(i.opcode, Opcode::Shl | Opcode::Asr);
    // A word stands in both halves of an immediate.
    let is_long = i.destination.data_type == DataType::Q && *bits & 32 != 0;
    (is_shift && is_long).then(|| *bits &= !0x20_0020)
})];

/// Right: nobody says that it is not so.
const OTHER_WIDTH: &[Fault<Eu>] =
    &[disturb("8000h of W negated among doublewords at its own width", |i, before, after| {
        if i.opcode == Opcode::Add && i.destination.data_type == DataType::D && turns(i, 1, 2) {
            for n in 0..i.execution_size {
                if element(i, 1, n, before) == Some(0x8000) {
                    changed(i, n, before, after, |sum| sum.wrapping_sub(0x1_0000));
                }
            }
        }
    })];

/// Right on Gen12 only.
const SHORT_ACCUMULATORS: &[Fault<Eu>] =
    &[disturb("word accumulators of 16 bits", |i, _, after| {
        if i.destination.register.arf() == Some(ArfKind::Accumulator) {
            for channel in &mut after.accumulator[0] {
                *channel = i64::from(*channel as i16).cast_unsigned();
            }
        }
    })];

/// Right on Gen4.
const EARLY: &[Fault<Eu>] = &[
    disturb("-2^31 negated at its own width", |i, before, after| {
        if i.opcode == Opcode::Mov && i.destination.data_type == DataType::F && turns(i, 0, 4) {
            most_negative(i, 0, before, after, |bits| bits | 0x8000_0000);
        }
    }),
    disturb("the magnitude of -2^31 at its own width", |i, before, after| {
        if i.saturate && turns(i, 0, 4) {
            most_negative(i, 0, before, after, |_| 0x8000_0000);
        }
    }),
];

/// Wrong on Gen4 too.
const EARLY_WRONG: &[Fault<Eu>] = &[disturb("-2^31 negated to zero", |i, before, after| {
    if i.opcode == Opcode::Mov && turns(i, 0, 4) {
        most_negative(i, 0, before, after, |_| 0);
    }
})];

/// Whether a source is of a signed type of so many bytes, and negated or a magnitude.
fn turns(i: &Instruction, index: usize, bytes: usize) -> bool {
    matches!(i.sources[index], Source::Register { data_type, modifier, .. }
        if data_type.is_signed_integer()
            && data_type.size() == bytes
            && modifier.absolute != modifier.negate)
}

/// Changes what became of 80000000h.
fn most_negative(
    i: &Instruction,
    index: usize,
    before: &State,
    after: &mut State,
    change: impl Fn(u64) -> u64,
) {
    for n in 0..i.execution_size {
        if element(i, index, n, before) == Some(0x8000_0000) {
            changed(i, n, before, after, &change);
        }
    }
}

#[rstest]
fn faults_at_the_ends_of_integers_are_found(
    #[values(Device::Ivb, Device::Skl, Device::Dg1)] device: Device,
) {
    all_are_found(&ends(device, "ends of integers", CERTAIN));
    if device == Device::Skl {
        all_are_found(&ends(device, "shifts to quadwords", QUADWORDS));
    }
}

#[rstest]
#[case(Device::Ivb, OTHER_WIDTH)]
#[case(Device::Skl, OTHER_WIDTH)]
#[case(Device::Dg1, OTHER_WIDTH)]
#[case(Device::Dg1, SHORT_ACCUMULATORS)]
#[case(Device::G45, EARLY)]
fn other_readings_of_what_is_unspecified_are_accepted(
    #[case] device: Device,
    #[case] faults: &'static [Fault<Eu>],
) {
    none_is_found(&ends(device, "unspecified", faults), 20_000);
}

#[rstest]
#[case(Device::Skl, SHORT_ACCUMULATORS)]
#[case(Device::G45, EARLY_WRONG)]
fn what_is_specified_has_one_reading(#[case] device: Device, #[case] faults: &'static [Fault<Eu>]) {
    all_are_found(&ends(device, "specified", faults));
}

/// NaNs that were once open.
const NANS: &[Fault<Eu>] = &[disturb("a NaN of lrp turned to zero", |i, before, after| {
    if i.opcode == Opcode::Lrp {
        nans(i, before, after, 4, |bits| bits & 0x7FFF_FFFF > 0x7F80_0000, 0);
    }
})];

const NANS_OF_GEN7: &[Fault<Eu>] =
    &[disturb("a NaN of f32to16 turned to zero", |i, before, after| {
        if i.opcode == Opcode::F32to16 {
            nans(i, before, after, 4, |bits| bits & 0x7FFF > 0x7C00, 0);
        }
    })];

const NANS_OF_GEN9: &[Fault<Eu>] =
    &[disturb("a NaN of a sum of HF turned to infinity", |i, before, after| {
        let is_half = i.destination.data_type == DataType::Hf;
        if is_half && matches!(i.opcode, Opcode::Add | Opcode::Mul) && !i.saturate {
            nans(i, before, after, 2, |bits| bits & 0x7FFF > 0x7C00, 0x7C00);
        }
    })];

/// Changes the NaNs that an instruction has written, of F or else of half precision, so many bytes apart.
fn nans(
    i: &Instruction,
    before: &State,
    after: &mut State,
    apart: usize,
    is_nan: fn(u64) -> bool,
    to: u32,
) {
    let Register::Direct { file: RegisterFile::Grf, number, subregister } = i.destination.register
    else {
        return;
    };
    let start = REGISTER_BYTES * usize::from(number) + usize::from(subregister);
    let size = if i.destination.data_type == DataType::F { 4 } else { 2 };
    for n in 0..usize::from(i.execution_size) {
        let byte = start + n * apart;
        let [old, new] = [before, &*after].map(|state| bits(state, byte, size));
        if new.is_some_and(|new| old != Some(new) && is_nan(new))
            && let Some(place) = after.grf.as_flattened_mut().get_mut(byte..byte + size)
        {
            place.copy_from_slice(&to.to_le_bytes()[..size]);
        }
    }
}

#[rstest]
#[case(Device::Ivb, NANS)]
#[case(Device::Skl, NANS)]
#[case(Device::Ivb, NANS_OF_GEN7)]
#[case(Device::Skl, NANS_OF_GEN9)]
#[case(Device::Dg1, NANS_OF_GEN9)]
fn faults_of_nans_are_found(#[case] device: Device, #[case] faults: &'static [Fault<Eu>]) {
    all_are_found(&family(device, ("NaNs", faults)));
}
