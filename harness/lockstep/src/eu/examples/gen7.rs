//! Examples of the Gen7 manual.

use parallax_isa::{Device, shared::SharedFunctions};
use parallax_spec::rule_id;

use super::{
    Example, Registers,
    talk::{even, floats},
};
use crate::random::SplitMix64;

pub(super) const EXAMPLES: &[Example] = &[
    Example {
        name: "four addresses",
        text: "mov (4|M0) a0.0<1>:uw r1.0<4;4,1>:uw",
        devices: &Device::LATER,
        meets: || SharedFunctions::Loopback,
        prepare: addresses,
        scalar: |registers| (0..4).for_each(|n| registers.0.address[n] = registers.uw(1, n)),
        scratch: &[],
        rules: &[rule_id!("gen7.a0.example-load4")],
    },
    Example {
        name: "one address four times",
        text: "mov (4|M0) a0.4<1>:uw r1.4<0;1,0>:uw",
        devices: &Device::LATER,
        meets: || SharedFunctions::Loopback,
        prepare: addresses,
        scalar: |registers| (4..8).for_each(|n| registers.0.address[n] = registers.uw(1, 4)),
        scratch: &[],
        rules: &[rule_id!("gen7.a0.example-load-replicate")],
    },
    Example {
        name: "all addresses",
        text: "mov (8|M0) r1.0<1>:uw a0.0<8;8,1>:uw",
        devices: &Device::LATER,
        meets: || SharedFunctions::Loopback,
        prepare: addresses,
        scalar: |registers| (0..8).for_each(|n| registers.set_uw(1, n, registers.0.address[n])),
        scratch: &[],
        rules: &[rule_id!("gen7.a0.example-copy8")],
    },
    Example {
        name: "one address eight times",
        text: "mov (8|M0) r1.8<1>:uw a0.4<0;1,0>:uw",
        devices: &Device::LATER,
        meets: || SharedFunctions::Loopback,
        prepare: addresses,
        scalar: |registers| (8..16).for_each(|n| registers.set_uw(1, n, registers.0.address[4])),
        scratch: &[],
        rules: &[rule_id!("gen7.a0.example-replicate")],
    },
    Example {
        name: "sums of eight channels in the accumulator",
        text: "add (8|M0) r20.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f {AccWrEn}\n\
               mov (8|M0) r21.0<1>:f acc0.0<8;8,1>:f",
        devices: &Device::LATER,
        meets: || SharedFunctions::Loopback,
        prepare: |random, registers| floats(random, registers, 2, 2),
        scalar: sums_twice,
        scratch: &[],
        rules: &[rule_id!("gen7.acc.example-simd8")],
    },
    Example {
        name: "sums of the second quarter in the accumulator",
        text: "add (8|M8) r20.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f {AccWrEn}\n\
               mov (8|M8) r21.0<1>:f acc1.0<8;8,1>:f",
        devices: &Device::LATER,
        meets: || SharedFunctions::Loopback,
        prepare: |random, registers| floats(random, registers, 2, 2),
        scalar: sums_twice,
        scratch: &[],
        rules: &[rule_id!("gen7.acc.example-q2")],
    },
    Example {
        name: "two vertices, or one",
        text: "add (8) r20<1>.xyzw:f r2<4>.xyzw:f r3<4>.xyzw:f {Align16}",
        devices: &Device::LATER,
        meets: || SharedFunctions::Loopback,
        prepare: |random, registers| {
            floats(random, registers, 2, 2);
            registers.dispatch([0x00FF, 0x000F][random.below(2) as usize]);
        },
        scalar: |registers| sums(registers, 20),
        scratch: &[],
        rules: &[rule_id!("gen7.simd4x2.dispatch-mask")],
    },
    Example {
        name: "half precision in Align16",
        text: "f32to16 (8) r20<1>.xyzw:w r2<4>.xyzw:f {Align16}",
        devices: &[Device::Ivb],
        meets: || SharedFunctions::Loopback,
        prepare: |random, registers| {
            (0..8).for_each(|n| registers.set_f(2, n, random.below(2048) as f32));
        },
        scalar: |registers| {
            (0..8).for_each(|n| registers.set_ud(20, n, half_of(registers.f(2, n) as u32)));
        },
        scratch: &[],
        rules: &[rule_id!("gen7.isa.conv.f32to16-high-a16")],
    },
    Example {
        name: "notification counts",
        text: "mov (1|M0) n0.0<1>:ud r2.0<0;1,0>:ud\n\
               mov (1|M0) r20.0<1>:ud n0.0<0;1,0>:ud\n\
               mov (1|M0) r20.1<1>:ud n0.1<0;1,0>:ud\n\
               mov (1|M0) r20.2<1>:ud n0.2<0;1,0>:ud",
        devices: &Device::GEN7,
        meets: || SharedFunctions::Loopback,
        prepare: |random, registers| {
            let counts = random.next();
            registers.0.notification_count =
                [counts as u32 & 0xFFFF, (counts >> 16 & 1) as u32, (counts >> 32) as u32 & 0xFFFF];
        },
        scalar: |registers| {
            let counts = registers.0.notification_count;
            counts.iter().enumerate().for_each(|(n, count)| registers.set_ud(20, n, *count));
        },
        scratch: &[],
        rules: &[
            rule_id!("gen7.n.fields"),
            rule_id!("gen7.n.shape"),
            rule_id!("gen7.arf.readonly-write"),
        ],
    },
];

/// Addresses that every device keeps all bits of.
fn addresses(random: &mut SplitMix64, registers: &mut Registers) {
    for n in 0..8 {
        registers.set_uw(1, n, even(random, 1 << 12));
    }
}

/// The sums of the channels that take part.
fn sums(registers: &mut Registers, destination: usize) {
    for n in (0..8).filter(|n| registers.is_dispatched(*n)).collect::<Vec<_>>() {
        registers.set_f(destination, n, registers.f(2, n) + registers.f(3, n));
    }
}

fn sums_twice(registers: &mut Registers) {
    sums(registers, 20);
    sums(registers, 21);
}

/// The half precision number of an integer below 2048, which is one.
fn half_of(integer: u32) -> u32 {
    match integer.checked_ilog2() {
        None => 0,
        Some(exponent) => (exponent + 15) << 10 | (integer << (10 - exponent)) & 0x3FF,
    }
}
