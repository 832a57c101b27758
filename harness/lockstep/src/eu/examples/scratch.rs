//! The G45 manual's programs with scratch memory: headers made of `r0`, blocks and scattered doublewords that are
//! written and read through the data port. What they leave in memory is compared too.

use parallax_isa::{
    Device,
    shared::{Environment, SharedFunctions},
};
use parallax_spec::rule_id;

use super::{Example, Registers};
use crate::random::SplitMix64;

/// Shared functions around a thread whose scratch memory starts at graphics address 0.
fn data_port() -> SharedFunctions {
    SharedFunctions::around(Environment::default())
}

/// Gives `r0` the base of scratch memory (dword 5) and an offset there (dword 2), and memory random bytes.
fn payload(random: &mut SplitMix64, registers: &mut Registers) {
    registers.set_ud(0, 5, 1024 * random.below(8) as u32);
    registers.set_ud(0, 2, 16 * random.below(16) as u32);
    random.fill(&mut registers.0.memory.graphics);
}

/// The graphics address that `r0` leads to.
fn start(registers: &Registers) -> usize {
    (registers.ud(0, 5) + registers.ud(0, 2)) as usize
}

fn store(registers: &mut Registers, address: usize, value: u32) {
    registers.0.memory.graphics[address..address + 4].copy_from_slice(&value.to_le_bytes());
}

fn load(registers: &Registers, address: usize) -> u32 {
    let bytes = &registers.0.memory.graphics[address..address + 4];
    u32::from_le_bytes(bytes.try_into().expect("four bytes"))
}

/// What the loopback function makes of a doubleword of the first register of a message.
const fn sent_back(value: u32, channels: u32, function: u32, control: u32) -> u32 {
    value ^ (channels << 24 | function << 16 | control)
}

pub(super) const EXAMPLES: &[Example] = &[
    Example {
        name: "the header of a scratch read",
        text: "mov (8) r3<1>:d r0<8;8,1>:d {NoMask}\n\
               mov (1) r3.0<1>:d 64:d {NoMask}\n\
               mov (1) r3.1<1>:d 80:d {NoMask}\n\
               send (8) r10<1>:ud m0 r3<8;8,1>:ud 0x041150ff",
        devices: &Device::GEN4,
        meets: || SharedFunctions::Loopback,
        prepare: |_, _| (),
        scalar: |registers| {
            for n in 0..8 {
                let header = [64, 80].get(n).copied().unwrap_or(registers.ud(0, n));
                registers.set_ud(3, n, header);
                registers.set_ud(10, n, sent_back(header, 8, 4, 0x50FF));
            }
        },
        scratch: &[],
        rules: &[rule_id!("g45.pg.send.scratch-read")],
    },
    Example {
        name: "a scratch write under a write mask",
        text: "mov (1) m1.0<1>:ud 64:ud {NoMask}\n\
               mov (1) m1.4<1>:ud 128:ud {NoMask}\n\
               mov (8) m2<1>:ud r1<8;8,1>:ud\n\
               send (8) null<1>.xz:ud m0 r0<4>.xyzw:ud 0x053010ff {Align16}",
        devices: &Device::GEN4,
        meets: data_port,
        prepare: payload,
        scalar: |registers| {
            // Components x and z of two vertices.
            for (vertex, component) in [(0, 0), (0, 2), (1, 0), (1, 2)] {
                let address = start(registers) + 64 * (1 + vertex) + 4 * component;
                let value = registers.ud(1, 4 * vertex + component);
                store(registers, address, value);
            }
        },
        scratch: &[],
        rules: &[rule_id!("g45.pg.send.scratch-write")],
    },
    Example {
        name: "a scratch write of 16 pixels",
        text: "mov (8) r4<1>:d 0x76543210:v {NoMask}\n\
               mul (8) r4<1>:d r4<8;8,1>:d 16:d {NoMask}\n\
               add (8) r5<1>:d r4<8;8,1>:d 128:d {NoMask}\n\
               add (16) m2<1>:d r4<8;8,1>:d 512:d {Compr, NoMask}\n\
               mov (16) m4<1>:ud r8<8;8,1>:ud {Compr}\n\
               send (16) null<1>:uw m1 r0<16;16,1>:uw 0x055033ff",
        devices: &Device::GEN4,
        meets: data_port,
        prepare: payload,
        scalar: |registers| {
            for pixel in 0..16 {
                let offset = 16 * pixel;
                registers.set_ud(4, pixel, offset as u32);
                let (address, value) = (start(registers) + 512 + offset, registers.ud(8, pixel));
                store(registers, address, value);
            }
        },
        scratch: &[],
        rules: &[rule_id!("g45.pg.send.scratch-simd16")],
    },
    Example {
        name: "scratch memory that is read, changed and written back",
        text: "mov (8) m2<1>:ud r0<8;8,1>:ud {NoMask}\n\
               add (1) m2.2<1>:ud r0.2<0;1,0>:ud 128:ud {NoMask}\n\
               send (16) r16<1>:uw m1 r0<16;16,1>:uw 0x041444ff\n\
               send (16) r20<1>:uw m2 null 0x041444ff\n\
               (f0.0) add (16) r16<1>:ud r16<8;8,1>:ud r2<8;8,1>:ud {Compr}\n\
               (f0.0) add (16) r18<1>:ud r18<8;8,1>:ud r4<8;8,1>:ud {Compr}\n\
               (f0.0) add (16) r20<1>:ud r20<8;8,1>:ud r6<8;8,1>:ud {Compr}\n\
               (f0.0) add (16) r22<1>:ud r22<8;8,1>:ud r8<8;8,1>:ud {Compr}\n\
               mov (16) m4<1>:ud r16<8;8,1>:ud {Compr, NoMask}\n\
               mov (16) m6<1>:ud r18<8;8,1>:ud {Compr, NoMask}\n\
               send (16) null<1>:uw m3 r0<16;16,1>:uw 0x055004ff {NoMask}\n\
               mov (8) m8<1>:ud r0<8;8,1>:ud {NoMask}\n\
               add (1) m8.2<1>:ud r0.2<0;1,0>:ud 128:ud {NoMask}\n\
               mov (16) m9<1>:ud r20<8;8,1>:ud {Compr, NoMask}\n\
               mov (16) m11<1>:ud r22<8;8,1>:ud {Compr, NoMask}\n\
               send (16) null<1>:uw m8 null 0x055004ff {NoMask}",
        devices: &Device::GEN4,
        meets: data_port,
        prepare: payload,
        scalar: |registers| {
            for n in 0..64 {
                let address = start(registers) + 4 * n;
                let before = load(registers, address);
                let added = if registers.flag(0, n % 16) { registers.ud(2, n) } else { 0 };
                let value = before.wrapping_add(added);
                registers.set_ud(16, n, value);
                store(registers, address, value);
            }
        },
        scratch: &[],
        rules: &[rule_id!("g45.pg.send.scratch-rmw")],
    },
    Example {
        name: "headers of a system routine",
        text: "mov (8) m0<1>:ud r0<8;8,1>:ud {NoMask}\n\
               add (1) m0.2<1>:ud r0.4<0;1,0>:ud 0:ud {NoMask}\n\
               mov (8) m7<1>:ud r0<8;8,1>:ud {NoMask}\n\
               add (1) m7.2<1>:ud r0.4<0;1,0>:ud 256:ud {NoMask}\n\
               mov (8) m1<1>:ud r1<8;8,1>:ud {NoMask}\n\
               mov (8) m8<1>:ud r2<8;8,1>:ud {NoMask}\n\
               send (16) r20<1>:uw m0 null 0x05920000 {NoMask}\n\
               send (16) r22<1>:uw m7 null 0x05920000 {NoMask}",
        devices: &Device::GEN4,
        meets: || SharedFunctions::Loopback,
        prepare: |_, _| (),
        scalar: |registers| {
            for (reply, data, offset) in [(20, 1, 0), (22, 2, 256)] {
                for n in 0..8 {
                    let header = match n {
                        2 => registers.ud(0, 4).wrapping_add(offset),
                        _ => registers.ud(0, n),
                    };
                    registers.set_ud(reply, n, sent_back(header, 16, 5, 0));
                    let value = registers.ud(data, n).rotate_left(1);
                    registers.set_ud(reply + 1, n, sent_back(value, 16, 5, 0));
                }
            }
        },
        scratch: &[],
        rules: &[rule_id!("g45.sysroutine.header-build")],
    },
];
