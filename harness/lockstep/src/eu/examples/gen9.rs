//! Statements of what the Gen7 manual and the talk leave out, for Gen9 and Gen12.

use parallax_isa::{Device, shared::SharedFunctions};
use parallax_spec::rule_id;

use super::{Example, Registers};

pub(super) const EXAMPLES: &[Example] = &[
    Example {
        name: "channel enables inside a branch",
        text: "(f0.0) if (16|M0) end end\n\
               mov (1|M0) r20.0<1>:ud ce0.0<0;1,0>:ud {NoMask}\n\
               mov (1|M8) r20.1<1>:ud ce0.0<0;1,0>:ud {NoMask}\n\
               end: endif (16|M0) last\n\
               last: mov (1|M0) r20.2<1>:ud ce0.0<0;1,0>:ud {NoMask}",
        devices: &[Device::Skl],
        meets: || SharedFunctions::Loopback,
        prepare: |random, registers| {
            // No channel, or as many as there happen to be.
            let kept = [0, u16::MAX, u16::MAX, 0x8100][random.below(4) as usize];
            registers.0.flag[..2].iter_mut().for_each(|flag| *flag &= kept);
        },
        scalar: channel_enables,
        scratch: &[],
        rules: &[rule_id!("gen7.isa.mask.ce-gen8")],
    },
    Example {
        name: "doublewords into some channels",
        text: "smov (8|M0) r20.0<1>:d r2.0<8;8,1>:d 0xA6:ud",
        devices: &[Device::Skl],
        meets: || SharedFunctions::Loopback,
        prepare: |_, _| (),
        scalar: |registers| {
            for n in [1, 2, 5, 7] {
                registers.set_ud(20, n, registers.ud(2, n));
            }
        },
        scratch: &[],
        rules: &[rule_id!("gen9.isa.op.smov")],
    },
    Example {
        name: "words through an address into some channels",
        text: "smov (16|M0) r[a0.2]<1>:uw r2.0<16;16,1>:uw 0x8421:ud",
        devices: &[Device::Skl],
        meets: || SharedFunctions::Loopback,
        prepare: |random, registers| registers.0.address[2] = 32 * (random.below(100) as u16 + 4),
        scalar: |registers| {
            let first = usize::from(registers.0.address[2]) / 32;
            for n in [0, 5, 10, 15] {
                registers.set_uw(first, n, registers.uw(2, n));
            }
        },
        scratch: &[],
        rules: &[rule_id!("gen9.isa.op.smov")],
    },
    Example {
        name: "two ports of the data cache",
        // Scattered doublewords through port 0 and an untyped surface through port 1, of the same memory.
        text: "send.dc0 (8|M0) null r4 r5 0x40 0x0202C202\n\
               send.dc1 (8|M0) r20 r3 null 0x0 0x02106E02",
        devices: &[Device::Dg1],
        meets: || SharedFunctions::None,
        prepare: |random, registers| {
            let rotation = random.below(8) as u32;
            for n in 0..8 {
                let place = 3 * (n + rotation) % 8;
                registers.set_ud(4, n as usize, place);
                registers.set_ud(3, n as usize, 4 * place);
            }
        },
        scalar: |registers| (0..8).for_each(|n| registers.set_ud(20, n, registers.ud(5, n))),
        scratch: &[],
        rules: &[rule_id!("dg1.sfid.dc-family")],
    },
];

/// Behind the branch all channels are on again, in it those whose flag is set: a branch is one of all
/// channels (D-eu-later-branch-channels).
fn channel_enables(registers: &mut Registers) {
    registers.set_ud(20, 2, u32::MAX);
    let enabled = u32::from(registers.0.flag[0]) | u32::from(registers.0.flag[1]) << 16;
    if enabled != 0 {
        registers.set_ud(20, 0, enabled);
        registers.set_ud(20, 1, enabled >> 8);
    }
}
