//! Faults of programs of several messages: what only shows when one message builds on another, and one fault
//! each of the functions that they go to.

use parallax_isa::{
    Device,
    eu::{
        Instruction, Opcode,
        instruction::ConditionalModifier,
        operand::{Register, Source},
    },
};
use parallax_lockstep::eu::generate;

use super::{
    Eu, Fault, Rewrite, around,
    data_port::changed,
    disturb,
    early_messages::{descriptor, each_surface, reply, with},
    rendering, rewrite,
};
use crate::fault_injection::{Family, all_are_found};

static KERNELS: Family<Eu> = Family {
    name: "kernels",
    device: Device::G45,
    generate: generate::kernels,
    bytes: generate::BYTES,
    faults: FAULTS,
};
static EARLY: Family<Eu> = Family {
    name: "kernels of Gen4",
    device: Device::Bw,
    generate: generate::kernels,
    bytes: generate::BYTES,
    faults: EARLY_FAULTS,
};

#[test]
fn faults_of_kernels_are_found() {
    all_are_found(&KERNELS);
    all_are_found(&EARLY);
}

const FAULTS: &[Fault<Eu>] = &[
    rewrite("a turn of a loop more", |i| counter(i, |turns| turns + 1)),
    rewrite("a loop that counts by twos", |i| {
        let is_count = i.opcode == Opcode::Add && i.condition == ConditionalModifier::NotEqual;
        match &mut i.sources[1] {
            Source::Immediate { bits, .. } if is_count => {
                *bits = 0xFFFF_FFFE;
                Some(())
            }
            _ => None,
        }
    }),
    rewrite("a loop that ends when it should go on", |i| {
        (i.opcode == Opcode::Jmpi).then(|| i.predicate.inverse ^= true)
    }),
    rewrite("spilled octwords brought back from another surface", |i| {
        with(i, &[4], |bits| (bits >> 14 & 3 == 2 && bits & 0xFF != 0xFF).then_some(bits ^ 1))
    }),
    rewrite("octwords brought back one register later", |i| {
        descriptor(i, &[4])?;
        match &mut i.destination.register {
            Register::Direct { number, .. } if *number < 88 => {
                *number += 1;
                Some(())
            }
            _ => None,
        }
    }),
    rewrite("another texture", |i| with(i, &[2], |bits| Some(bits ^ 1))),
    rewrite("another target", |i| with(i, &[5], |bits| (bits >> 12 & 7 == 4).then_some(bits ^ 1))),
    around("targets one element wider", |around| {
        each_surface(around, |state| (state[0] >> 29 == 1).then(|| state[2] += 1 << 6))
    }),
    rendering("no blending", |state| state.blend.take().map(|_| ())),
    Fault::rewrite(
        "all samplers wrap",
        Rewrite::Sampler(|state| (state[1] & 0x1FF != 0).then(|| state[1] &= !0x1FF)),
    ),
    disturb("a pixel drawn that is not there", |i, before, after| {
        let is_drawn = descriptor(i, &[5]).is_some_and(|bits| bits >> 12 & 7 == 4);
        let next = changed(i, before, after).last().map(|last| last + 1);
        if let Some(byte) = next.and_then(|next| after.memory.graphics.get_mut(next)) {
            *byte ^= u8::from(is_drawn);
        }
    }),
    disturb("red and green of a texel exchanged", |i, _, after| {
        if let (Some(first), Some(_)) = (reply(i), descriptor(i, &[2])) {
            after.grf.swap(first, first + 1);
        }
    }),
    disturb("what was there brought back in place of what was spilled", |i, before, after| {
        let is_back = descriptor(i, &[4]).is_some_and(|bits| bits >> 14 & 3 == 2);
        if let Some(first) = reply(i).filter(|_| is_back) {
            after.grf[first] = before.grf[first];
        }
    }),
    disturb("a write that also changes what is computed with", |i, before, after| {
        if descriptor(i, &[5]).is_some() && changed(i, before, after).next().is_some() {
            after.grf[41][0] ^= 0x40;
        }
    }),
];

const EARLY_FAULTS: &[Fault<Eu>] = &[
    rewrite("a turn of a loop less", |i| counter(i, |turns| turns.saturating_sub(1).max(1))),
    rewrite("another texture", |i| with(i, &[2], |bits| Some(bits ^ 1))),
    rendering("no alpha test", |state| state.alpha_test.take().map(|_| ())),
];

/// Gives a loop another number of turns.
fn counter(i: &mut Instruction, turns: fn(u64) -> u64) -> Option<()> {
    const COUNTER: u8 = 96;
    let is_counter = matches!(i.destination.register, Register::Direct { number: COUNTER, .. });
    match &mut i.sources[0] {
        Source::Immediate { bits, .. } if is_counter && i.opcode == Opcode::Mov => {
            let new = turns(*bits);
            (new != *bits).then(|| *bits = new)
        }
        _ => None,
    }
}
