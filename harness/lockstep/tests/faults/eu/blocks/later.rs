//! The same of Gen7 and later, on whose blocks a compiler has other things to get wrong: channels that are
//! written before others are read, two flag registers, groups of channels, what is not a number.

use parallax_isa::eu::{
    DataType, Instruction, Opcode, State,
    instruction::{ConditionalModifier as Condition, PredicateControl},
    operand::{Register, Source, SourceModifier},
    register::RegisterFile,
    state::channel_ip,
};

use super::super::{
    Eu, Fault, disturb, rewrite,
    values::{changed, element, flushed_before_rounding},
};

/// A fault of values that few steps have, on each generation.
pub(super) const ROUNDS_UP: &[Fault<Eu>] =
    &[disturb("a product that rounds up to the smallest normal number flushed", |i, b, a| {
        flushed_before_rounding(i, DataType::F, b, a);
    })
    .in_free_runs()];

pub(super) const FAULTS: &[Fault<Eu>] = &[
    rewrite("cmpn compiled as cmp", |i| (i.opcode == Opcode::Cmpn).then(|| i.opcode = Opcode::Cmp))
        .in_free_runs(),
    rewrite("f1 compiled as f0 where it is a predicate", |i| {
        let reads = i.predicate.control == PredicateControl::Sequential && i.opcode != Opcode::Jmpi;
        (reads && i.flag_register == 1).then(|| i.flag_register = 0)
    })
    .in_free_runs(),
    rewrite("a group of channels compiled as the first one", |i| {
        let reads = i.opcode != Opcode::Jmpi && i.execution_size > 1;
        (reads && i.first_channel > 0).then(|| i.first_channel = 0)
    })
    .in_free_runs(),
    rewrite("a selection by order compiled as that of the other", |i| {
        (i.opcode == Opcode::Sel && i.condition == Condition::Less)
            .then(|| i.condition = Condition::GreaterEqual)
    })
    .in_free_runs(),
    rewrite("saturation of sums of products forgotten", |i| {
        (i.opcode == Opcode::Mad && i.saturate).then(|| i.saturate = false)
    })
    .in_free_runs(),
    // Effects from some turn on.
    disturb("the upper channels of a copy made of what the lower ones wrote", |i, _, after| {
        let (Register::Direct { file: RegisterFile::Grf, number: to, .. }, Some(from)) =
            (i.destination.register, packed(i))
        else {
            return;
        };
        let copies = i.opcode == Opcode::Mov && i.execution_size == 16 && to == from + 1;
        if copies && i.destination.data_type.size() == 4 {
            after.grf[usize::from(to) + 1] = after.grf[usize::from(to)];
        }
    })
    .after(1)
    .in_free_runs(),
    disturb("what is not a number of a source kept by arithmetic", |i, before, after| {
        let computes = matches!(i.opcode, Opcode::Add | Opcode::Mul);
        if !computes || i.destination.data_type != DataType::F || i.saturate {
            return;
        }
        for channel in 0..i.execution_size {
            let bits = element(i, 0, channel, before).map(|bits| bits as u32);
            if let Some(bits) = bits.filter(|bits| f32::from_bits(*bits).is_nan()) {
                changed(i, channel, before, after, |_| u64::from(bits | 0x0040_0000));
            }
        }
    })
    .after(1)
    .in_free_runs(),
    disturb("a result of a comparison that nobody reads", results_of_comparisons)
        .after(2)
        .in_free_runs(),
    disturb("the counter of a loop not taken up again", |i, before, after| {
        if i.opcode == Opcode::Jmpi && after.ip < before.ip {
            after.ip = before.ip + 16;
        }
    })
    .after(3)
    .in_free_runs(),
    // Branches.
    disturb("a channel that an if sends away goes with the thread", |i, before, after| {
        stays(i, Opcode::If, before, after);
    })
    .in_free_runs(),
    disturb("a channel that a break sends away goes with the thread", |i, before, after| {
        stays(i, Opcode::Break, before, after);
    })
    .in_free_runs(),
    disturb("a channel that leaves a loop goes round again", |i, before, after| {
        stays(i, Opcode::While, before, after);
    })
    .after(1)
    .in_free_runs(),
    disturb("a channel that waits at an endif waits on", |i, before, after| {
        let channels = before.channel_ip.iter().zip(&mut after.channel_ip);
        let woken = channels.filter(|(before, after)| **before != 0 && **after == 0).last();
        if let (Opcode::Endif, Some((before, after))) = (i.opcode, woken) {
            *after = *before;
        }
    })
    .in_free_runs(),
    disturb("a break that is taken for a cont", |i, before, after| {
        for (before, after) in before.channel_ip.iter().zip(&mut after.channel_ip) {
            if i.opcode == Opcode::Break && *before == 0 {
                *after &= !channel_ip::BY_BREAK;
            }
        }
    })
    .in_free_runs(),
    disturb("what was left of a run that was cut off in a block", |i, before, after| {
        if i.opcode == Opcode::Add {
            after.grf = before.grf;
        }
    })
    .after_a_cut()
    .in_free_runs(),
];

/// The last of the channels that a branch sends away stays with the thread.
fn stays(i: &Instruction, opcode: Opcode, before: &State, after: &mut State) {
    let channels = before.channel_ip.iter().zip(&mut after.channel_ip);
    let sent = channels.filter(|(before, after)| **before == 0 && **after != 0).last();
    if let (true, Some((_, after))) = (i.opcode == opcode, sent) {
        *after = 0;
    }
}

/// The register that a packed source without modifiers begins at.
fn packed(i: &Instruction) -> Option<u8> {
    match i.sources[0] {
        Source::Register {
            register: Register::Direct { file: RegisterFile::Grf, number, subregister: 0 },
            region,
            modifier: SourceModifier { absolute: false, negate: false },
            ..
        } if region != parallax_isa::eu::operand::Region::SCALAR => Some(number),
        _ => None,
    }
}

/// The destination of a comparison stays as it is.
fn results_of_comparisons(i: &Instruction, before: &State, after: &mut State) {
    if matches!(i.opcode, Opcode::Cmp | Opcode::Cmpn) {
        after.grf = before.grf;
    }
}
