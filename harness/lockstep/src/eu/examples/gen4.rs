//! Statements of the G45 manual's syntax pages: each mnemonic in the forms of operands it takes, with a
//! predicate and a conditional modifier.

use parallax_isa::{Device, shared::SharedFunctions};
use parallax_spec::rule_id;

use super::{Example, Registers};
use crate::random::SplitMix64;

/// The immediate of integer statements, as in their text.
const IMMEDIATE: u32 = 0x0F1E_2D3C;

/// The statements of an opcode's forms, which say only what they are and what comes of them.
macro_rules! forms {
    ($opcode:literal, $rule:literal, $text:expr, $prepare:expr, $scalar:expr) => {
        Example {
            name: concat!($opcode, " in its forms"),
            text: $text,
            devices: &Device::GEN4,
            meets: || SharedFunctions::Loopback,
            prepare: $prepare,
            scalar: $scalar,
            scratch: &[],
            rules: &[rule_id!($rule)],
        }
    };
}

/// Statements with two sources of doublewords: two registers, then a register and an immediate.
macro_rules! of_two {
    ($opcode:literal, $rule:literal, $compute:expr) => {
        forms!(
            $opcode,
            $rule,
            concat!(
                $opcode,
                " (8) r20<1>:ud r2<8;8,1>:ud r3<8;8,1>:ud\n(f0.0) ",
                $opcode,
                ".nz.f0.0 (8) r21<1>:ud r2<8;8,1>:ud 0x0f1e2d3c:ud"
            ),
            |_, _| (),
            |registers| {
                let compute: fn(u32, u32) -> u32 = $compute;
                every(registers, 20, |registers, n| {
                    compute(registers.ud(2, n), registers.ud(3, n))
                });
                predicated(registers, 21, |registers, n| compute(registers.ud(2, n), IMMEDIATE));
            }
        )
    };
}

/// Statements with one source: a register, then an immediate.
macro_rules! of_one {
    ($opcode:literal, $rule:literal, $compute:expr) => {
        forms!(
            $opcode,
            $rule,
            concat!(
                $opcode,
                " (8) r20<1>:ud r2<8;8,1>:ud\n(f0.0) ",
                $opcode,
                ".nz.f0.0 (8) r21<1>:ud 0x0f1e2d3c:ud"
            ),
            |_, _| (),
            |registers| {
                let compute: fn(u32) -> u32 = $compute;
                every(registers, 20, |registers, n| compute(registers.ud(2, n)));
                predicated(registers, 21, |_, _| compute(IMMEDIATE));
            }
        )
    };
}

/// The same of floats; the immediate is -2.5.
macro_rules! of_one_float {
    ($opcode:literal, $rule:literal, $compute:expr) => {
        forms!(
            $opcode,
            $rule,
            concat!($opcode, " (8) r20<1>:f r2<8;8,1>:f\n(f0.0) ", $opcode, " (8) r21<1>:f -2.5:f"),
            |random, registers| eighths(random, registers, 1),
            |registers| {
                let compute: fn(f32) -> f32 = $compute;
                every(registers, 20, |registers, n| compute(registers.f(2, n)).to_bits());
                for n in (0..8).filter(|n| registers.flag(0, *n)).collect::<Vec<_>>() {
                    registers.set_f(21, n, compute(-2.5));
                }
            }
        )
    };
}

/// Products of groups of four channels, the sum of which all four get.
macro_rules! of_groups {
    ($opcode:literal, $rule:literal, $sum:expr) => {
        forms!(
            $opcode,
            $rule,
            concat!(
                $opcode,
                " (8) r20<1>:f r2<8;8,1>:f r3<8;8,1>:f\n",
                $opcode,
                " (8) r21<1>:f r2<8;8,1>:f 3.0:f"
            ),
            |random, registers| eighths(random, registers, 2),
            |registers| {
                let sum: fn([f32; 4], [f32; 4]) -> f32 = $sum;
                let group = |registers: &Registers, register, n: usize| {
                    [0, 1, 2, 3].map(|i| registers.f(register, n / 4 * 4 + i))
                };
                every(registers, 20, |registers, n| {
                    sum(group(registers, 2, n), group(registers, 3, n)).to_bits()
                });
                every(registers, 21, |registers, n| {
                    sum(group(registers, 2, n), [3.0; 4]).to_bits()
                });
            }
        )
    };
}

pub(super) const EXAMPLES: &[Example] = &[
    of_two!("and", "g45.inst.and.forms", |a, b| a & b),
    of_two!("or", "g45.inst.or.forms", |a, b| a | b),
    of_two!("xor", "g45.inst.xor.forms", |a, b| a ^ b),
    of_two!("shr", "g45.inst.shr.forms", |a, b| a >> (b & 31)),
    of_one!("not", "g45.inst.not.forms", |a| !a),
    of_one!("mov", "g45.inst.mov.forms", |a| a),
    of_one_float!("rndd", "g45.inst.rndd.forms", f32::floor),
    // The other roundings write the floor as well: what is to be added goes into the flag (.r).
    of_one_float!("rndu", "g45.inst.rndu.forms", f32::floor),
    of_one_float!("rnde", "g45.inst.rnde.forms", f32::floor),
    of_one_float!("rndz", "g45.inst.rndz.forms", f32::floor),
    of_one_float!("frc", "g45.inst.frc.forms", |a| a - a.floor()),
    of_groups!("dp2", "g45.inst.dp2.forms", |a, b| a[0] * b[0] + a[1] * b[1]),
    of_groups!("dp3", "g45.inst.dp3.forms", |a, b| a[0] * b[0] + a[1] * b[1] + a[2] * b[2]),
    of_groups!("dp4", "g45.inst.dp4.forms", |a, b| {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    }),
    of_groups!("dph", "g45.inst.dph.forms", |a, b| {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + b[3]
    }),
    Example {
        name: "message of four registers",
        text: "mul (8) m4<1>:f r20<8;8,1>:f r19<8;8,1>:f\n\
               mov (8) m6<1>:ud r21<8;8,1>:ud\n\
               add (8) m5<1>:ud r29<8;8,1>:ud r28<8;8,1>:ud\n\
               send (16) r30<1>:uw m3 r0<16;16,1>:uw 0x04441234\n\
               mov (8) m6<1>:ud r15<8;8,1>:ud\n\
               mov (8) r40<1>:ud r33<8;8,1>:ud\n\
               mov (8) r41<1>:ud r30<8;8,1>:ud",
        devices: &Device::GEN4,
        meets: || SharedFunctions::Loopback,
        prepare: |random, registers| {
            for n in 0..16 {
                registers.set_f(19, n, random.below(257) as f32 / 8.0 - 16.0);
            }
        },
        scalar: |registers| {
            for n in 0..8 {
                let sent = [
                    registers.ud(0, n),
                    (registers.f(20, n) * registers.f(19, n)).to_bits(),
                    registers.ud(29, n).wrapping_add(registers.ud(28, n)),
                    registers.ud(21, n),
                ];
                // As the loopback function sends it back: to function 4, with 1234h, of 16 channels.
                let mut reply = |register: usize, i: usize| {
                    registers.set_ud(register, n, sent[i].rotate_left(i as u32) ^ 0x1004_1234);
                };
                (0..4).for_each(|i| reply(30 + i, i));
                reply(40, 3);
                reply(41, 0);
            }
        },
        scratch: &[],
        rules: &[
            rule_id!("g45.msg.send.example-seq"),
            rule_id!("g45.msg.send.example-hazard"),
            rule_id!("g45.msg.mrf.inflight-set"),
            rule_id!("g45.msg.wb.inflight"),
            rule_id!("g45.msg.wb.order"),
        ],
    },
    Example {
        name: "two divisions on the way",
        text: "mov (8) m2<1>:ud r4<8;8,1>:ud\n\
               send (8) r10<1>:ud m1 r3<8;8,1>:ud 0x0121000c\n\
               send (8) r11<1>:ud m1 r3<8;8,1>:ud 0x0121000d\n\
               mov (8) r12<1>:ud r11<8;8,1>:ud\n\
               mov (8) r13<1>:ud r10<8;8,1>:ud",
        devices: &Device::GEN4,
        meets: || SharedFunctions::None,
        prepare: |random, registers| {
            (0..8).for_each(|n| registers.set_ud(3, n, 1 + (random.next() as u32 >> 8)));
        },
        // In whichever order the replies come, who reads them waits.
        scalar: |registers| {
            let quotient = |r: &Registers, n| r.ud(4, n) / r.ud(3, n);
            let remainder = |r: &Registers, n| r.ud(4, n) % r.ud(3, n);
            [10, 13].into_iter().for_each(|register| every(registers, register, quotient));
            [11, 12].into_iter().for_each(|register| every(registers, register, remainder));
        },
        scratch: &[],
        rules: &[rule_id!("g45.extmath.general.out-of-order")],
    },
    Example {
        name: "descriptor in its parts",
        text: "send (16) r5<1>:uw m3 r0<16;16,1>:uw 0x01110001",
        devices: &Device::GEN4,
        meets: || SharedFunctions::Loopback,
        prepare: |_, _| (),
        // To function 1, with 1, of 16 channels.
        scalar: |registers| every(registers, 5, |registers, n| registers.ud(0, n) ^ 0x1001_0001),
        scratch: &[],
        rules: &[rule_id!("g45.msg.send.example-desc")],
    },
    Example {
        name: "lzd in its form",
        text: "lzd (8) r20<1>:ud r2<8;8,1>:ud\n(f0.0) lzd.nz.f0.0 (8) r21<1>:ud r3<8;8,1>:ud",
        devices: &Device::GEN4,
        meets: || SharedFunctions::Loopback,
        prepare: |random, registers| {
            (0..8).for_each(|n| registers.set_ud(2, n, u32::MAX >> random.below(32)));
        },
        scalar: |registers| {
            every(registers, 20, |registers, n| registers.ud(2, n).leading_zeros());
            predicated(registers, 21, |registers, n| registers.ud(3, n).leading_zeros());
        },
        scratch: &[],
        rules: &[rule_id!("g45.inst.lzd.forms")],
    },
    Example {
        name: "line in its forms",
        text: "line (8) r20<1>:f r2<0;1,0>:f r3<8;8,1>:f\nline (8) r21<1>:f r2<0;1,0>:f 3.0:f",
        devices: &Device::GEN4,
        meets: || SharedFunctions::Loopback,
        prepare: |random, registers| eighths(random, registers, 2),
        scalar: |registers| {
            let [slope, offset] = [registers.f(2, 0), registers.f(2, 3)];
            every(registers, 20, |registers, n| (slope * registers.f(3, n) + offset).to_bits());
            every(registers, 21, |_, _| (slope * 3.0 + offset).to_bits());
        },
        scratch: &[],
        rules: &[rule_id!("g45.inst.line.forms")],
    },
    Example {
        name: "pln in its form",
        text: "pln (8) r20<1>:f r2<0;1,0>:f r4<8;8,1>:f",
        devices: &[Device::Ctg, Device::G45],
        meets: || SharedFunctions::Loopback,
        prepare: |random, registers| eighths(random, registers, 4),
        scalar: |registers| {
            let [x, y, offset] = [0, 1, 3].map(|n| registers.f(2, n));
            every(registers, 20, |registers, n| {
                (x * registers.f(4, n) + y * registers.f(5, n) + offset).to_bits()
            });
        },
        scratch: &[],
        rules: &[rule_id!("g45.inst.pln.forms")],
    },
    Example {
        name: "mac in its forms, and the accumulator by name",
        text: "mov (8) acc0<1>:f r4<8;8,1>:f\n\
               mac (8) r20<1>:f r2<8;8,1>:f r3<8;8,1>:f\n\
               mov (8) acc0.0<1>:f r5<8;8,1>:f\n\
               mac (8) r21<1>:f r2<8;8,1>:f 3.0:f",
        devices: &Device::GEN4,
        meets: || SharedFunctions::Loopback,
        prepare: |random, registers| eighths(random, registers, 4),
        scalar: |registers| {
            every(registers, 20, |registers, n| {
                (registers.f(4, n) + registers.f(2, n) * registers.f(3, n)).to_bits()
            });
            every(registers, 21, |registers, n| {
                (registers.f(5, n) + registers.f(2, n) * 3.0).to_bits()
            });
        },
        scratch: &[],
        rules: &[rule_id!("g45.inst.mac.forms"), rule_id!("g45.asm.reg.acc")],
    },
    Example {
        name: "mach in its forms",
        text: "mul (8) acc0<1>:d r2<8;8,1>:d r3<8;8,1>:d\n\
               mach (8) r20<1>:d r2<8;8,1>:d r3<8;8,1>:d\n\
               mul (8) acc0<1>:d r2<8;8,1>:d 0x0f1e2d3c:d\n\
               (f0.0) mach (8) r21<1>:d r2<8;8,1>:d 0x0f1e2d3c:d",
        devices: &Device::GEN4,
        meets: || SharedFunctions::Loopback,
        prepare: |_, _| (),
        scalar: |registers| {
            let high = |a: u32, b: u32| {
                let [a, b] = [a, b].map(|bits| i64::from(bits.cast_signed()));
                ((a * b) >> 32) as u32
            };
            every(registers, 20, |registers, n| high(registers.ud(2, n), registers.ud(3, n)));
            for n in (0..8).filter(|n| registers.flag(0, *n)).collect::<Vec<_>>() {
                registers.set_ud(21, n, high(registers.ud(2, n), IMMEDIATE));
            }
        },
        scratch: &[],
        rules: &[rule_id!("g45.inst.mach.forms")],
    },
    Example {
        name: "cmpn in its forms",
        text: "cmpn.l.f0.0 (8) null<1>:ud r2<8;8,1>:ud r3<8;8,1>:ud\n\
               (f0.0) cmpn.l.f0.0 (8) null<1>:ud r2<8;8,1>:ud 0x0f1e2d3c:ud\n\
               (f0.0) mov (8) r20<1>:ud r2<8;8,1>:ud",
        devices: &Device::GEN4,
        meets: || SharedFunctions::Loopback,
        prepare: |_, _| (),
        scalar: |registers| {
            for n in 0..8 {
                let value = registers.ud(2, n);
                let is_less = value < registers.ud(3, n) && value < IMMEDIATE;
                registers.set_flag(0, n, is_less);
                if is_less {
                    registers.set_ud(20, n, value);
                }
            }
        },
        scratch: &[],
        rules: &[rule_id!("g45.inst.cmpn.forms")],
    },
    Example {
        name: "nenop in its form",
        text: "nenop\nmov (8) r20<1>:ud r2<8;8,1>:ud",
        devices: &Device::GEN4,
        meets: || SharedFunctions::Loopback,
        prepare: |_, _| (),
        scalar: |registers| every(registers, 20, |registers, n| registers.ud(2, n)),
        scratch: &[],
        rules: &[rule_id!("g45.inst.nenop.forms")],
    },
    Example {
        name: "mask registers by name",
        text: "mov (1) r20.0<1>:uw mask0.0<0;1,0>:uw {Switch}\n\
               mov (1) r20.1<1>:uw imask<0;1,0>:uw {Switch}\n\
               mov (1) r20.2<1>:uw mask0.2<0;1,0>:uw {Switch}\n\
               mov (1) r20.3<1>:uw cmask<0;1,0>:uw {Switch}\n\
               mov (1) r20.4<1>:uw amask<0;1,0>:uw {Switch}\n\
               mov (1) r20.5<1>:uw lmask<0;1,0>:uw {Switch}",
        devices: &Device::GEN4,
        meets: || SharedFunctions::Loopback,
        prepare: |_, _| (),
        scalar: |registers| {
            let masks = registers.0.mask;
            for (element, mask) in [0, 1, 2, 3, 0, 2].into_iter().enumerate() {
                registers.set_uw(20, element, masks[mask]);
            }
        },
        scratch: &[],
        rules: &[rule_id!("g45.asm.reg.mask")],
    },
    Example {
        name: "the address register by name",
        text: "mov (4) a0<1>:uw r2<4;4,1>:uw\nmov (4) a0.4<1>:uw r3<4;4,1>:uw",
        devices: &Device::GEN4,
        meets: || SharedFunctions::Loopback,
        prepare: |random, registers| {
            for n in 0..4 {
                registers.set_uw(2, n, random.below(1 << 12) as u16);
                registers.set_uw(3, n, random.below(1 << 12) as u16);
            }
        },
        scalar: |registers| {
            for n in 0..4 {
                registers.0.address[n] = registers.uw(2, n);
                registers.0.address[4 + n] = registers.uw(3, n);
            }
        },
        scratch: &[],
        rules: &[rule_id!("g45.asm.reg.addr")],
    },
];

/// Gives every channel of a register a value.
pub(super) fn every(
    registers: &mut Registers,
    destination: usize,
    value: impl Fn(&Registers, usize) -> u32,
) {
    let values = std::array::from_fn::<_, 8, _>(|n| value(registers, n));
    values.into_iter().enumerate().for_each(|(n, value)| registers.set_ud(destination, n, value));
}

/// Gives the channels whose flag is set a value, and lets the flag say whether that is not zero.
fn predicated(
    registers: &mut Registers,
    destination: usize,
    value: impl Fn(&Registers, usize) -> u32,
) {
    for n in (0..8).filter(|n| registers.flag(0, *n)).collect::<Vec<_>>() {
        let value = value(registers, n);
        registers.set_ud(destination, n, value);
        registers.set_flag(0, n, value != 0);
    }
}

/// Fills registers from `r2` on with small multiples of an eighth, whose sums of products are exact.
fn eighths(random: &mut SplitMix64, registers: &mut Registers, count: usize) {
    for n in 0..8 * count {
        registers.set_f(2, n, random.below(257) as f32 / 8.0 - 16.0);
    }
}
