//! What the G45 manual says of instructions that go beyond what there is, or name what hardware ignores: they
//! raise nothing, and what follows does what it would do anyway.

use parallax_isa::{Device, shared::SharedFunctions};
use parallax_spec::rule_id;

use super::{Example, Registers, gen4::every};
use crate::random::SplitMix64;

/// Lets every exception enter the system routine, which there is not: one that is raised ends the run.
fn enable_exceptions(_: &mut SplitMix64, registers: &mut Registers) {
    registers.0.control[1] |= 0xF800;
}

/// Copies the control register to `r20`, as it is at the start.
fn read_control(registers: &mut Registers) {
    for (n, value) in registers.0.control.into_iter().enumerate() {
        registers.set_ud(20, n, value);
    }
}

pub(super) const EXAMPLES: &[Example] = &[
    Example {
        name: "a write to a subregister of the control register that is not there",
        text: "mov (1) cr0.3<1>:ud r2.0<0;1,0>:ud {Switch}\n\
               mov (1) r20.0<1>:ud cr0.0<0;1,0>:ud {Switch}\n\
               mov (1) r20.1<1>:ud cr0.1<0;1,0>:ud {Switch}\n\
               mov (1) r20.2<1>:ud cr0.2<0;1,0>:ud {Switch}",
        devices: &Device::GEN4,
        meets: || SharedFunctions::None,
        prepare: |_, _| (),
        scalar: read_control,
        scratch: &[],
        rules: &[rule_id!("g45.cr.cr3-write")],
    },
    Example {
        name: "the same on Gen7 and later",
        text: "mov (1|M0) cr0.3<1>:ud r2.0<0;1,0>:ud {Switch}\n\
               mov (1|M0) r20.0<1>:ud cr0.0<0;1,0>:ud {Switch}\n\
               mov (1|M0) r20.1<1>:ud cr0.1<0;1,0>:ud {Switch}\n\
               mov (1|M0) r20.2<1>:ud cr0.2<0;1,0>:ud {Switch}",
        devices: &[Device::Ivb, Device::Skl],
        meets: || SharedFunctions::None,
        prepare: |_, _| (),
        scalar: read_control,
        scratch: &[],
        rules: &[rule_id!("gen7.cr.sub3-write")],
    },
    Example {
        name: "reserved bits of the application's address",
        text: "mov (1|M0) cr0.2<1>:ud r2.0<0;1,0>:ud {Switch}\n\
               mov (1|M0) r20.0<1>:ud cr0.2<0;1,0>:ud {Switch}\n\
               and (1|M0) r20.0<1>:ud r20.0<0;1,0>:ud 7:ud",
        devices: &[Device::Ivb, Device::Skl],
        meets: || SharedFunctions::None,
        prepare: |_, _| (),
        scalar: |registers| registers.set_ud(20, 0, 0),
        scratch: &[],
        rules: &[rule_id!("gen7.cr.aip-reserved")],
    },
    Example {
        name: "an accumulator whose modifiers are ignored",
        text: "mov (8) acc0.0<1>:d r2<8;8,1>:d\n\
               add (8) r20<1>:d -acc0.0<8;8,1>:d r3<8;8,1>:d\n\
               mov (8) acc0.0<1>:d r2<8;8,1>:d\n\
               add (8) r21<1>:d (abs)acc0.0<8;8,1>:d r3<8;8,1>:d",
        devices: &Device::GEN4,
        meets: || SharedFunctions::None,
        prepare: |_, _| (),
        scalar: |registers| {
            for register in [20, 21] {
                every(registers, register, |registers, n| {
                    registers.ud(2, n).wrapping_add(registers.ud(3, n))
                });
            }
        },
        scratch: &[],
        rules: &[rule_id!("g45.acc.modifiers-ignored")],
    },
    Example {
        name: "a register beyond the last one",
        text: "mov (8) r20<1>:ud r[a0.0, 0]<8;8,1>:ud\nmov (8) r21<1>:ud r2<8;8,1>:ud",
        devices: &Device::GEN4,
        meets: || SharedFunctions::None,
        prepare: |random, registers| {
            enable_exceptions(random, registers);
            // Some channels read the end of the last register, the others what is behind it.
            registers.0.address[0] = 4092 - 4 * random.below(7) as u16;
        },
        scalar: |registers| every(registers, 21, |registers, n| registers.ud(2, n)),
        scratch: &[20],
        rules: &[rule_id!("g45.exc.grf-oob-no-exception")],
    },
    Example {
        name: "a message that no function takes",
        text: "mov (8) m1<1>:ud r2<8;8,1>:ud\n\
               send (8) null<1>:ud m1 r3<8;8,1>:ud 0x0b100001\n\
               mov (8) r21<1>:ud r2<8;8,1>:ud",
        devices: &Device::GEN4,
        meets: || SharedFunctions::None,
        prepare: enable_exceptions,
        scalar: |registers| every(registers, 21, |registers, n| registers.ud(2, n)),
        scratch: &[],
        rules: &[
            rule_id!("g45.msg.error.sfid-discarded"),
            rule_id!("g45.exc.malformed-message-no-exception"),
        ],
    },
    Example {
        name: "an odd register of doublewords in a compressed instruction",
        text: "add (16) r20<1>:ud r3<8;8,1>:ud r4<8;8,1>:ud {Compr}",
        devices: &Device::GEN4,
        meets: || SharedFunctions::None,
        prepare: |_, _| (),
        scalar: |registers| {
            for n in 0..16 {
                let sum = registers.ud(3, n % 8).wrapping_add(registers.ud(4, n));
                registers.set_ud(20, n, sum);
            }
        },
        scratch: &[],
        rules: &[rule_id!("g45.vec.compr-fig19b")],
    },
    Example {
        name: "an odd register of words in a compressed instruction",
        text: "add (32) r20<1>:uw r3<16;16,1>:uw r4<16;16,1>:uw {Compr}",
        devices: &Device::GEN4,
        meets: || SharedFunctions::None,
        prepare: |_, _| (),
        scalar: |registers| {
            for n in 0..32 {
                let sum = registers.uw(3, n % 16).wrapping_add(registers.uw(4, n));
                registers.set_uw(20, n, sum);
            }
        },
        scratch: &[],
        rules: &[rule_id!("g45.vec.compr-fig19e")],
    },
    Example {
        name: "the first and the last register of a thread",
        text: "mov (8) r127<1>:ud r0<8;8,1>:ud\nmov (8) r0<1>:ud r111<8;8,1>:ud",
        devices: &Device::GEN4,
        meets: || SharedFunctions::None,
        prepare: |_, _| (),
        scalar: |registers| {
            every(registers, 127, |registers, n| registers.ud(0, n));
            every(registers, 0, |registers, n| registers.ud(111, n));
        },
        scratch: &[],
        rules: &[rule_id!("g45.grf.alloc")],
    },
];
