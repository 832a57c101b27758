//! Faults of render target and typed surface messages of Gen7 and later.

use parallax_isa::{
    Device,
    eu::{
        Instruction, State,
        instruction::{ExtendedDescriptor, Predicate},
    },
};
use parallax_lockstep::eu::generate;

use super::{
    Eu, Fault, around,
    data_port::{byte_too_much, first_byte_lost},
    disturb,
    early_messages::reply,
    later::{
        change, descriptor, extended, field, format_as, has_header, kind_as, payload, sent, states,
        with,
    },
    rewrite,
};
use crate::fault_injection::{Family, all_are_found};

const fn family(name: &'static str, device: Device, faults: &'static [Fault<Eu>]) -> Family<Eu> {
    Family { name, device, generate: generate::target_messages, bytes: generate::BYTES, faults }
}

static GEN7: Family<Eu> = family("targets", Device::Ivb, FAULTS);
static GEN9: Family<Eu> = family("targets of Gen9", Device::Skl, GEN9_FAULTS);
static GEN12: Family<Eu> = family("targets of Gen12", Device::Dg1, GEN12_FAULTS);

#[test]
fn faults_of_targets_are_found() {
    all_are_found(&GEN7);
}

#[test]
fn faults_of_targets_of_gen9_are_found() {
    all_are_found(&GEN9);
}

#[test]
fn faults_of_targets_of_gen12_are_found() {
    all_are_found(&GEN12);
}

/// The render cache, and port 1 of the data cache.
const CACHES: &[u8] = &[5, 12];

// Message types.
const READ: u32 = 5;
const ATOMIC: u32 = 6;
const RENDER: u32 = 12;
const WRITE: u32 = 13;

const FAULTS: &[Fault<Eu>] = &[
    rewrite("upper subspans taken for lower ones", |i| subtype_as(i, 3, 2)),
    rewrite("lower subspans taken for upper ones", |i| subtype_as(i, 2, 3)),
    rewrite("one colour taken for sixteen", |i| subtype_as(i, 1, 0)),
    rewrite("the second group of slots taken for the first", |i| {
        with(i, CACHES, |bits| {
            (kind(bits) == RENDER && bits >> 11 & 1 == 1).then_some(bits ^ 1 << 11)
        })
    }),
    rewrite("header ignored", |i| {
        with(i, CACHES, |bits| {
            (kind(bits) == RENDER && has_header(bits)).then_some(bits & !(1 << 19))
        })
    }),
    sent("pixel mask ignored", |i, state| second(i, state, 7, |mask| mask | 0xFFFF)),
    sent("columns and rows of subspans exchanged", |i, state| {
        (2..6).for_each(|dword| second(i, state, dword, |place| place.rotate_left(16)));
    }),
    sent("the last two subspans exchanged", |i, state| {
        if let Some([_, register, ..]) = written(i).as_deref() {
            state.grf[*register][16..24].rotate_left(4);
        }
    }),
    sent("layer ignored", |i, state| first(i, state, |bits| bits & !(0x7FF << 16))),
    sent("layer without its lowest bit", |i, state| first(i, state, |bits| bits & !(1 << 16))),
    sent("sample masks ignored", |i, state| {
        let Some(registers) = written(i) else { return };
        let flags = state.grf[registers[0]][1];
        // Behind an alpha it is elsewhere.
        if flags >> 3 & 3 == 2 {
            state.grf[registers[2]].fill(0xFF);
        }
    }),
    sent("the last alpha lost", |i, state| {
        let Some(bits) = descriptor(i, CACHES).filter(|bits| kind(*bits) == RENDER) else { return };
        if bits >> 8 & 7 == 4 && payload(i).len() == 4 {
            state.grf[payload(i)[3]] = [0; 32];
        }
    }),
    sent("red and blue exchanged", |i, state| {
        let Some(bits) = descriptor(i, CACHES).filter(|bits| kind(*bits) == RENDER) else { return };
        if bits >> 8 & 7 == 4 && payload(i).len() == 4 {
            state.grf.swap(payload(i)[0], payload(i)[2]);
        }
    }),
    around("Minimum Array Element lost", |around| field(around, 4, 18, 11, |_| 0)),
    around("view extent one layer less", |around| {
        field(around, 4, 7, 11, |last| last.saturating_sub(1))
    }),
    around("a column too few", |around| field(around, 2, 0, 14, |last| last.saturating_sub(1))),
    around("a row too few", |around| field(around, 2, 16, 14, |last| last.saturating_sub(1))),
    around("the level lost", |around| field(around, 5, 0, 4, |_| 0)),
    around("Y-major tiles taken for lines", |around| {
        states(around, |state| (state[0] >> 13 & 3 == 3).then(|| state[0] ^= 1 << 14))
    }),
    around("a volume taken for an array", |around| kind_as(around, 2, 1)),
    around("a cube taken for an array", |around| kind_as(around, 3, 1)),
    around("a null surface taken for a plane", |around| kind_as(around, 7, 1)),
    around("sRGB taken for linear colours", |around| format_as(around, 0x0C8, 0x0C7)),
    around("signed taken for unsigned", |around| format_as(around, 0x0C9, 0x0C7)),
    around("signed integers taken for unsigned ones", |around| format_as(around, 0x0CA, 0x0CB)),
    around("BGRA taken for RGBA", |around| format_as(around, 0x0C0, 0x0C7)),
    rewrite("the other slots of a typed message", |i| {
        with(i, CACHES, |bits| matches!(kind(bits), READ | WRITE).then_some(bits ^ 1 << 13))
    }),
    sent("mask of a typed message ignored", |i, state| {
        if let Some(registers) = typed(i) {
            change(state, registers[0], 7, |mask| mask | 0xFFFF);
        }
    }),
    rewrite("channels left out in the opposite order", |i| {
        with(i, CACHES, |bits| {
            let mask = bits >> 8 & 0xF;
            let other = mask.reverse_bits() >> 28;
            (matches!(kind(bits), READ | WRITE) && other != mask)
                .then_some(bits ^ (other ^ mask) << 8)
        })
    }),
    sent("u and v exchanged", |i, state| {
        if let Some(registers) = typed(i).filter(|registers| registers.len() > 2) {
            state.grf.swap(registers[1], registers[2]);
        }
    }),
    rewrite("and taken for or", |i| operation_as(i, 1, 2)),
    rewrite("xor taken for or", |i| operation_as(i, 3, 2)),
    rewrite("mov taken for add", |i| operation_as(i, 4, 7)),
    rewrite("inc taken for dec", |i| operation_as(i, 5, 6)),
    rewrite("revsub taken for sub", |i| operation_as(i, 9, 8)),
    rewrite("imax taken for umax", |i| operation_as(i, 10, 12)),
    rewrite("umin taken for imin", |i| operation_as(i, 13, 11)),
    rewrite("predec returns the old value", |i| operation_as(i, 15, 6)),
    sent("operands of cmpwr exchanged", |i, state| {
        let is_one = |bits: &u32| kind(*bits) == ATOMIC && bits >> 8 & 0xF == 14;
        let registers = payload(i);
        if descriptor(i, CACHES).is_some_and(|bits| is_one(&bits)) && registers.len() > 1 {
            state.grf.swap(registers[registers.len() - 1], registers[registers.len() - 2]);
        }
    }),
    disturb("what was there in place of zeros out of bounds", |i, before, after| {
        let is_read = descriptor(i, CACHES).is_some_and(|bits| kind(bits) == READ);
        let Some(register) = reply(i).filter(|_| is_read) else { return };
        let (old, new) = (&before.grf[register], &mut after.grf[register]);
        for (old, new) in old.chunks(4).zip(new.chunks_mut(4)) {
            if new == [0; 4] {
                new.copy_from_slice(old);
            }
        }
    }),
    disturb("the first byte not written", first_byte_lost),
    disturb("one byte too much written", byte_too_much),
    rewrite("predicate lost", |i| {
        i.message?;
        (i.predicate != Predicate::default()).then(|| i.predicate = Predicate::default())
    }),
    rewrite("not masked", |i| {
        i.message?;
        (!i.no_mask).then(|| i.no_mask = true)
    }),
];

const GEN9_FAULTS: &[Fault<Eu>] = &[
    rewrite("sixteen pixels that are read taken for eight", |i| {
        with(i, CACHES, |bits| {
            let is_read = is_render_cache(bits) && bits >> 8 & 1 == 0;
            is_read.then_some(bits | 1 << 8)
        })
    }),
    rewrite("components of 16 bits taken for 32", |i| {
        with(i, CACHES, |bits| {
            (kind(bits) == RENDER && bits >> 30 & 1 == 1).then_some(bits ^ 1 << 30)
        })
    }),
    sent("stencil flag taken for depth", |i, state| {
        first(i, state, |bits| if bits >> 13 & 3 == 2 { bits ^ 1 << 14 } else { bits });
    }),
    around("tiles taken for lines", |around| field(around, 0, 12, 2, |_| 0)),
    around("X-major tiles taken for Y-major ones", |around| {
        field(around, 0, 12, 2, |mode| if mode == 2 { 3 } else { mode })
    }),
    around("layers four rows further apart", |around| field(around, 1, 0, 15, |rows| rows + 1)),
    rewrite("imin taken for umin", |i| operation_as(i, 11, 13)),
];

const GEN12_FAULTS: &[Fault<Eu>] = &[
    rewrite("null bit lost", |i| extended_bit(i, 20)),
    rewrite("source 0 alpha taken for red", |i| extended_bit(i, 15)),
    sent("layer of the header's second register ignored", |i, state| {
        second(i, state, 1, |bits| bits & !(0x7FF << 16));
    }),
    around("Surface Array lost", |around| field(around, 0, 28, 1, |_| 0)),
];

fn kind(bits: u32) -> u32 {
    bits >> 14 & 0xF
}

/// Whether a message of type 13 reads a render target: those have a header, and a long reply.
fn is_render_cache(bits: u32) -> bool {
    kind(bits) == WRITE && bits >> 20 & 0x1F == 8
}

fn subtype_as(i: &mut Instruction, from: u32, to: u32) -> Option<()> {
    with(i, CACHES, |bits| {
        let is_one = kind(bits) == RENDER && bits >> 8 & 7 == from;
        is_one.then_some(bits & !(7 << 8) | to << 8)
    })
}

fn operation_as(i: &mut Instruction, from: u32, to: u32) -> Option<()> {
    with(i, CACHES, |bits| {
        let is_one = kind(bits) == ATOMIC && bits >> 8 & 0xF == from;
        is_one.then_some(bits & !(0xF << 8) | to << 8)
    })
}

/// Takes a bit from the extended descriptor.
fn extended_bit(i: &mut Instruction, bit: u32) -> Option<()> {
    let bits = extended(i).filter(|bits| bits >> bit & 1 == 1)?;
    i.message.as_mut()?.extended = ExtendedDescriptor::Immediate(bits ^ 1 << bit);
    Some(())
}

/// The registers of a render target write with a header.
fn written(i: &Instruction) -> Option<Vec<usize>> {
    descriptor(i, CACHES).filter(|bits| kind(*bits) == RENDER && has_header(*bits))?;
    Some(payload(i))
}

/// The registers of a typed read or write with a header.
fn typed(i: &Instruction) -> Option<Vec<usize>> {
    let is_plain = |bits: &u32| matches!(kind(*bits), READ | WRITE) && has_header(*bits);
    descriptor(i, CACHES).filter(is_plain)?;
    Some(payload(i))
}

/// Changes the first doubleword of the header of a render target write.
fn first(i: &Instruction, state: &mut State, to: fn(u32) -> u32) {
    if let Some(registers) = written(i) {
        change(state, registers[0], 0, to);
    }
}

/// Changes a doubleword of the second register of the header.
fn second(i: &Instruction, state: &mut State, dword: usize, to: fn(u32) -> u32) {
    if let Some(registers) = written(i) {
        change(state, registers[1], dword, to);
    }
}
