//! Faults of messages to the data cache: descriptors taken for others, effects on memory disturbed.

use parallax_isa::{
    Device,
    eu::{
        Instruction, State,
        instruction::{Descriptor, Predicate},
        operand::{Register, Source},
    },
    shared::memory::GLOBAL_BYTES,
};
use parallax_lockstep::eu::generate;

use super::{Eu, Fault, disturb, rewrite};
use crate::fault_injection::{Family, all_are_found};

const fn messages(name: &'static str, device: Device, faults: &'static [Fault<Eu>]) -> Family<Eu> {
    Family { name, device, generate: generate::messages, bytes: generate::BYTES, faults }
}

static GEN7: Family<Eu> = messages("messages", Device::Ivb, FAULTS);
static GEN9: Family<Eu> = messages("messages of Gen9", Device::Skl, GEN9_FAULTS);
static GEN12: Family<Eu> = messages("messages of Gen12", Device::Dg1, GEN9_FAULTS);

#[test]
fn faults_of_messages_are_found() {
    all_are_found(&GEN7);
}

#[test]
fn faults_of_messages_of_gen9_are_found() {
    all_are_found(&GEN9);
}

#[test]
fn faults_of_messages_of_gen12_are_found() {
    all_are_found(&GEN12);
}

/// The upper sixteen channels taken for the lower ones, and the fourth quarter for the third.
const UPPER_CHANNELS: [Fault<Eu>; 2] = [
    rewrite("the upper sixteen channels taken for the lower ones", |i| {
        i.message?;
        (i.first_channel >= 16).then(|| i.first_channel -= 16)
    }),
    rewrite("the fourth quarter taken for the third", |i| {
        i.message?;
        (i.first_channel == 24).then(|| i.first_channel = 16)
    }),
];

const FAULTS: &[Fault<Eu>] = &[
    UPPER_CHANNELS[0],
    UPPER_CHANNELS[1],
    rewrite("another surface", |i| with(i, |bits| (low(bits) == 1).then_some(bits ^ 3))),
    rewrite("shared local memory taken for stateless", |i| index_as(i, 254, 255)),
    rewrite("stateless taken for the first surface", |i| index_as(i, 255, 0)),
    rewrite("the upper half of a register taken for the lower", |i| {
        control_as(i, &[0, 1, 8], 7, 1, 0)
    }),
    rewrite("an unaligned block taken for an aligned one", |i| type_as(i, 1, 0)),
    rewrite("eight octwords taken for four", |i| control_as(i, &[0, 1, 8], 7, 4, 3)),
    rewrite("bytes taken for words", |i| control_as(i, &[4, 12], 0xC, 0, 4)),
    rewrite("words taken for doublewords", |i| control_as(i, &[4, 12], 0xC, 4, 8)),
    rewrite("offsets in doublewords taken for bytes", |i| {
        with(i, |bits| {
            let is_doublewords = kind(bits) == Some(3);
            is_doublewords
                .then_some(bits & !(0xF << 14 | 0x3F << 8) | 4 << 14 | (8 | bits >> 8 & 1) << 8)
        })
    }),
    rewrite("R and A of an untyped message swapped", |i| {
        with(i, |bits| {
            let untyped = matches!(kind(bits), Some(5 | 13));
            let one = matches!(bits >> 8 & 9, 1 | 8);
            (untyped && one).then_some(bits ^ 9 << 8)
        })
    }),
    rewrite("and taken for or", |i| control_as(i, &[6], 0xF, 1, 2)),
    rewrite("xor taken for or", |i| control_as(i, &[6], 0xF, 3, 2)),
    rewrite("add taken for sub", |i| control_as(i, &[6], 0xF, 7, 8)),
    rewrite("revsub taken for sub", |i| control_as(i, &[6], 0xF, 9, 8)),
    rewrite("imax taken for umax", |i| control_as(i, &[6], 0xF, 10, 12)),
    rewrite("umin taken for imin", |i| control_as(i, &[6], 0xF, 13, 11)),
    rewrite("inc taken for dec", |i| control_as(i, &[6], 0xF, 5, 6)),
    rewrite("predec returns the old value", |i| control_as(i, &[6], 0xF, 15, 6)),
    rewrite("mov taken for add", |i| control_as(i, &[6], 0xF, 4, 7)),
    rewrite("scratch one register later", |i| with(i, |bits| is_scratch(bits).then_some(bits ^ 1))),
    rewrite("the upper bits of a scratch block's offset lost", |i| {
        // Memory ends below the ninth bit.
        with(i, |bits| (is_scratch(bits) && bits & 0xE00 != 0).then_some(bits & !0xE00))
    }),
    disturb("the last doubleword of memory not written", |_, before, after| {
        let last = GLOBAL_BYTES - 4;
        after.memory.global[last..].copy_from_slice(&before.memory.global[last..]);
    }),
    disturb("the last byte of shared local memory not written", |_, before, after| {
        let last = after.memory.local.len() - 1;
        after.memory.local[last] = before.memory.local[last];
    }),
    disturb(
        "a store to shared local memory dropped where bit 28 of an address is set",
        |i, before, after| {
            let is_local = descriptor(i).is_some_and(|bits| bits & 0xFF == 254);
            let Source::Register { register: Register::Direct { number, .. }, .. } = i.sources[0]
            else {
                return;
            };
            let addresses = before.grf[usize::from(number & 127)..].iter().take(3);
            let is_far = |register: &[u8; 32]| register.chunks(4).any(|dword| dword[3] == 0x10);
            if is_local && addresses.into_iter().any(is_far) {
                after.memory.local = before.memory.local;
            }
        },
    ),
    rewrite("predicate of a message lost", |i| {
        i.message?;
        (i.predicate != Predicate::default()).then(|| i.predicate = Predicate::default())
    }),
    rewrite("a message not masked", |i| {
        i.message?;
        (!i.no_mask && i.first_channel == 0).then(|| i.no_mask = true)
    }),
    rewrite("the second quarter taken for the first", |i| {
        i.message?;
        (i.first_channel == 8).then(|| i.first_channel = 0)
    }),
    rewrite("a payload that ends with the last register taken for one before it", |i| {
        let Descriptor::Immediate(bits) = i.message?.descriptor else { return None };
        let Source::Register { register: Register::Direct { number, .. }, .. } = &mut i.sources[0]
        else {
            return None;
        };
        (u32::from(*number) + (bits >> 25 & 15) == 128).then(|| *number -= 1)
    }),
    rewrite("a reply one register later", |i| {
        i.message?;
        match &mut i.destination.register {
            Register::Direct { number, .. } if *number < 120 => {
                *number += 1;
                Some(())
            }
            _ => None,
        }
    }),
    disturb("one byte too much written", |i, before, after| {
        let last = changed(i, before, after).last();
        if let Some(next) = last.map(|last| last + 1).filter(|next| *next < GLOBAL_BYTES) {
            after.memory.global[next] ^= 1;
        }
    }),
    disturb("the first byte not written", |i, before, after| {
        let first = changed(i, before, after).next();
        if let Some(first) = first {
            after.memory.global[first] = before.memory.global[first];
        }
    }),
    disturb("what was there in place of zeros beyond the end", |i, before, after| {
        let is_read = |bits| matches!(kind(bits), Some(0 | 1 | 3 | 4 | 5));
        if descriptor(i).is_none_or(|bits| !is_read(bits)) {
            return;
        }
        let (old, new) = (before.grf.as_flattened(), after.grf.as_flattened_mut());
        for (old, new) in old.chunks(4).zip(new.chunks_mut(4)) {
            if new == [0; 4] {
                new.copy_from_slice(old);
            }
        }
    }),
    disturb("shared local memory written at other times", |i, before, after| {
        let is_block = descriptor(i).is_some_and(|bits| kind(bits) == Some(8));
        if is_block && before.memory.global != after.memory.global {
            after.memory.local[17] ^= 0x80;
        }
    }),
];

const GEN9_FAULTS: &[Fault<Eu>] = &[
    UPPER_CHANNELS[0],
    UPPER_CHANNELS[1],
    rewrite("253 taken for a surface", |i| index_as(i, 253, 3)),
    rewrite("the second part of a payload one register later", |i| {
        i.message?;
        match &mut i.sources[1] {
            Source::Register { register: Register::Direct { number, .. }, .. }
                if (1..120).contains(number) =>
            {
                *number += 1;
                Some(())
            }
            _ => None,
        }
    }),
    rewrite("quadwords of an atomic cut to doublewords", |i| port1_bits(i, 18, 1 << 4)),
    rewrite("words at 64-bit addresses taken for bytes", |i| port1_as(i, 16, 0xC, 4, 0)),
    rewrite("doublewords at 64-bit addresses taken for words", |i| port1_as(i, 26, 0xC, 8, 4)),
    rewrite("an unaligned block at a 64-bit address taken for an aligned one", |i| {
        port1_as(i, 20, 0x18, 8, 0)
    }),
    rewrite("registers of a block at a 64-bit address taken for octwords", |i| {
        port1_as(i, 21, 0x1F, 0x19, 2)
    }),
    rewrite("doublewords at 64-bit addresses taken for bytes", |i| port1_as(i, 16, 3, 1, 0)),
    disturb("quadwords with their doublewords swapped", |i, _, after| {
        let Some(bits) = descriptor(i).filter(|bits| bits >> 14 & 0x1F == 16) else { return };
        let Register::Direct { number, .. } = i.destination.register else { return };
        if i.message.is_some_and(|message| message.shared_function == 12) && bits >> 8 & 3 == 2 {
            after.grf[usize::from(number)][..8].rotate_left(4);
        }
    }),
    rewrite("fmax taken for fmin", |i| port1_as(i, 27, 7, 1, 2)),
    rewrite("fmin at 64-bit addresses taken for fmax", |i| port1_as(i, 29, 7, 2, 1)),
    rewrite("constants of another surface", |i| {
        let bits = descriptor(i).filter(|bits| low(*bits) == 1)?;
        (i.message?.shared_function == 9).then(|| set_descriptor(i, bits ^ 3))
    }),
    disturb("a barrier that notifies nobody", |i, before, after| {
        if i.message.is_some_and(|message| message.shared_function == 3) {
            after.notification_count = before.notification_count;
        }
    }),
    rewrite("cmpwr taken for mov", |i| port1_as(i, 2, 0xF, 14, 4)),
    disturb("cmpwr never writes", |i, before, after| {
        if is_compare_and_write(i) {
            for place in changed(i, before, after) {
                after.memory.global[place] = before.memory.global[place];
            }
        }
    }),
    rewrite("imin taken for umin", |i| port1_as(i, 18, 0xF, 11, 13)),
    rewrite("a fence that writes", |i| {
        with(i, |bits| (kind(bits) == Some(7)).then_some(bits & !(0xF << 14) | 8 << 14))
    }),
    rewrite("the size of another picture", |i| {
        let bits = descriptor(i).filter(|bits| low(*bits) == 10)?;
        (i.message?.shared_function == 2).then(|| set_descriptor(i, bits - 2))
    }),
    disturb("the level of a size is ignored", |i, _, after| {
        if i.message.is_some_and(|message| message.shared_function == 2)
            && low(descriptor(i).unwrap_or(0)) == 8
        {
            let Register::Direct { number, .. } = i.destination.register else { return };
            after.grf[usize::from(number)][..4].copy_from_slice(&8_u32.to_le_bytes());
        }
    }),
    rewrite("a picture taken for the one before", |i| {
        let bits = media_block(i)?;
        (low(bits) == 9).then(|| set_descriptor(i, bits - 1))
    }),
    rewrite("a media block taken for one of fields", |i| {
        let bits = media_block(i)?;
        set_descriptor(i, bits | 1 << 10);
        Some(())
    }),
    disturb("the edge of a picture is read as zero", |i, _, after| {
        let Some(bits) = media_block(i).filter(|bits| bits >> 14 & 0x1F == 4) else { return };
        let Register::Direct { number, .. } = i.destination.register else { return };
        let first = usize::from(number);
        let registers = &mut after.grf[first..first + (bits >> 20 & 0x1F) as usize];
        let doublewords = registers.as_flattened_mut().as_chunks_mut::<4>().0;
        for n in (1..doublewords.len()).rev() {
            if doublewords[n] == doublewords[n - 1] {
                doublewords[n] = [0; 4];
            }
        }
    }),
    rewrite("eight registers of scratch taken for four", |i| {
        with(i, |bits| (is_scratch(bits) && bits >> 12 & 3 == 3).then_some(bits ^ 1 << 12))
    }),
];

/// The descriptor of a message that has it with it.
fn descriptor(i: &Instruction) -> Option<u32> {
    match i.message?.descriptor {
        Descriptor::Immediate(bits) => Some(bits),
        Descriptor::Address => None,
    }
}

/// The descriptor of a media block.
fn media_block(i: &Instruction) -> Option<u32> {
    let is_block = |bits: &u32| matches!(bits >> 14 & 0x1F, 4 | 10);
    let is_port1 = i.message?.shared_function == 12;
    descriptor(i).filter(|bits| is_port1 && is_block(bits))
}

fn set_descriptor(i: &mut Instruction, bits: u32) {
    if let Some(message) = &mut i.message {
        message.descriptor = Descriptor::Immediate(bits);
    }
}

/// Gives a message to port 0 another descriptor.
fn with(i: &mut Instruction, change: impl FnOnce(u32) -> Option<u32>) -> Option<()> {
    let bits = change(descriptor(i)?)?;
    let message = i.message.as_mut()?;
    (message.shared_function == 10).then(|| message.descriptor = Descriptor::Immediate(bits))
}

fn low(bits: u32) -> u32 {
    bits & 0xFF
}

fn is_scratch(bits: u32) -> bool {
    bits >> 18 & 1 == 1
}

/// The message type, unless it is a scratch block.
fn kind(bits: u32) -> Option<u32> {
    (!is_scratch(bits)).then_some(bits >> 14 & 0xF)
}

/// A binding table index taken for another.
fn index_as(i: &mut Instruction, from: u32, to: u32) -> Option<()> {
    with(i, |bits| (!is_scratch(bits) && low(bits) == from).then_some(bits & !0xFF | to))
}

/// A type of message taken for another.
fn type_as(i: &mut Instruction, from: u32, to: u32) -> Option<()> {
    with(i, |bits| (kind(bits) == Some(from)).then_some(bits & !(0xF << 14) | to << 14))
}

/// Message control bits of some types taken for others.
fn control_as(i: &mut Instruction, kinds: &[u32], mask: u32, from: u32, to: u32) -> Option<()> {
    with(i, |bits| {
        let is_one = kind(bits).is_some_and(|kind| kinds.contains(&kind));
        (is_one && bits >> 8 & mask == from).then_some(bits & !(mask << 8) | to << 8)
    })
}

/// Message control bits of a type of port 1 taken for others.
fn port1_as(i: &mut Instruction, code: u32, mask: u32, from: u32, to: u32) -> Option<()> {
    let bits = descriptor(i)?;
    let is_one = i.message?.shared_function == 12 && bits >> 14 & 0x1F == code;
    if !is_one || bits >> 8 & mask != from {
        return None;
    }
    set_descriptor(i, bits & !(mask << 8) | to << 8);
    Some(())
}

/// Message control bits of a type of port 1 taken for zeros.
fn port1_bits(i: &mut Instruction, code: u32, mask: u32) -> Option<()> {
    port1_as(i, code, mask, mask, 0)
}

/// An atomic operation of doublewords on a surface, or at 64-bit addresses, that compares and writes.
fn is_compare_and_write(i: &Instruction) -> bool {
    let is_port1 = i.message.is_some_and(|message| message.shared_function == 12);
    let is_one = |bits: u32| matches!(bits >> 14 & 0x1F, 2 | 18) && bits >> 8 & 0xF == 14;
    is_port1 && descriptor(i).is_some_and(is_one)
}

/// The bytes of global memory that a message changed.
fn changed(i: &Instruction, before: &State, after: &State) -> impl Iterator<Item = usize> + use<> {
    let places: Vec<_> = match i.message {
        Some(_) => {
            let pairs = before.memory.global.iter().zip(&after.memory.global).enumerate();
            pairs.filter(|(_, (old, new))| old != new).map(|(place, _)| place).collect()
        }
        None => Vec::new(),
    };
    places.into_iter()
}
