//! Examples of the Gen7 manual.

use parallax_isa::Device;
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
        prepare: addresses,
        scalar: |registers| (0..4).for_each(|n| registers.0.address[n] = registers.uw(1, n)),
        scratch: &[],
        rules: &[rule_id!("gen7.a0.example-load4")],
    },
    Example {
        name: "one address four times",
        text: "mov (4|M0) a0.4<1>:uw r1.4<0;1,0>:uw",
        devices: &Device::LATER,
        prepare: addresses,
        scalar: |registers| (4..8).for_each(|n| registers.0.address[n] = registers.uw(1, 4)),
        scratch: &[],
        rules: &[rule_id!("gen7.a0.example-load-replicate")],
    },
    Example {
        name: "sums of eight channels in the accumulator",
        text: "add (8|M0) r20.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f {AccWrEn}\n\
               mov (8|M0) r21.0<1>:f acc0.0<8;8,1>:f",
        devices: &Device::LATER,
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
        prepare: |random, registers| floats(random, registers, 2, 2),
        scalar: sums_twice,
        scratch: &[],
        rules: &[rule_id!("gen7.acc.example-q2")],
    },
    Example {
        name: "two vertices, or one",
        text: "add (8) r20<1>.xyzw:f r2<4>.xyzw:f r3<4>.xyzw:f {Align16}",
        devices: &Device::LATER,
        prepare: |random, registers| {
            floats(random, registers, 2, 2);
            registers.dispatch([0x00FF, 0x000F][random.below(2) as usize]);
        },
        scalar: |registers| sums(registers, 20),
        scratch: &[],
        rules: &[rule_id!("gen7.simd4x2.dispatch-mask")],
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
