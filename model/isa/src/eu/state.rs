//! The architectural state of one execution unit thread, as far as programs can see it.

use std::{mem::offset_of, ops::Range};

use bytemuck::{Pod, Zeroable};

use super::register::REGISTER_BYTES;
use crate::{
    Device,
    image::{Bank, Image, Part, assert_whole, serial},
    shared::{
        Memory,
        memory::{
            EARLY_URB_ROWS, GLOBAL_BYTES, GRAPHICS_BYTES, LOCAL_BYTES, OTHER_THREAD_REGISTERS,
            URB_ROW_BYTES, URB_ROWS,
        },
    },
};

/// General registers of a thread.
pub const GRF_COUNT: usize = 128;
/// Accumulators of a thread on Gen12; earlier ones have two.
pub const ACCUMULATOR_COUNT: usize = 8;
/// Message registers of a thread.
pub const MRF_COUNT: usize = 16;

/// All registers of a thread, and the memory its messages reach. No padding: every byte of the image is state.
///
/// Bits that a device does not store (the top four bits of `a0.2` to `a0.7`, reserved fields) are
/// zero.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct State {
    /// General registers.
    pub grf: [[u8; REGISTER_BYTES]; GRF_COUNT],
    /// Message registers.
    pub mrf: [[u8; REGISTER_BYTES]; MRF_COUNT],
    /// Accumulators `acc0` and `acc1`, on Gen12 `acc0` to `acc7`, 16 channels each. In word mode channel *n* is `[n]`, the
    /// 33-bit value sign-extended to 64; in dword mode channel *n* of 8 is `[n]`, 64 bits of two's
    /// complement; in float mode channel *n* of 8 is `[n]`, as decision D-eu-acc-float says.
    ///
    /// On Gen7 and later channels 0 to 7 of F are in `acc0` and channels 8 to 15 in `acc1`, 32 bits
    /// each; DF has channel *n* of 4 in `acc0[n]`, 64 bits; HF 16 channels in `acc0`, 16 bits each.
    /// `acc2` to `acc7` of Gen12 have floats as these do, in pairs.
    /// What is beyond the bits of a type is zero.
    pub accumulator: [[u64; 16]; ACCUMULATOR_COUNT],
    /// TmEvent, bit 0 of `tm0.2` (Gen7 and later): 1 if the context was switched since `tm0` was last
    /// read. The time itself is no state: it is never compared.
    pub timestamp_event: u64,
    /// Mask stack counters of the 16 channels: IStack, LStack.
    pub mask_stack: [[u8; 16]; 2],
    /// Where each channel goes on (`PcIP`, Gen7 and later), as [`channel_ip`] says.
    pub channel_ip: [u32; 32],
    /// Address register `a0.0` to `a0.7`, from Gen8 on to `a0.15`.
    pub address: [u16; 16],
    /// Flag registers `f0.0`, `f0.1`, and on Gen7 and later `f1.0`, `f1.1`; bit *n* is channel *n*,
    /// or from Gen7 on of the second half channel 16 + *n*.
    pub flag: [u16; 4],
    /// Execution masks `mask0.0` to `mask0.3`: AMask, IMask, LMask, CMask.
    pub mask: [u16; 4],
    /// Mask stack depths `msd0.0` (IStack), `msd0.1` (LStack).
    pub mask_stack_depth: [u16; 2],
    /// State register `sr0.0`, `sr0.1`, and on Gen7 and later the dispatch mask `sr0.2` and the
    /// vector mask `sr0.3`.
    pub status: [u32; 4],
    /// Control register `cr0.0`, `cr0.1`, `cr0.2`.
    pub control: [u32; 3],
    /// Notification registers `n0`, `n1` of Gen4 and Gen4.5.
    pub notification: [u32; 2],
    /// Notification counts `n0.0` to `n0.2` of Gen7 and later.
    pub notification_count: [u32; 3],
    /// Thread dependency register `tdr0.0` to `tdr0.7` of Gen7 to Gen9, as [`thread_dependency`] says.
    pub thread_dependency: [u16; 8],
    /// Instruction pointer: byte offset of the next instruction in the program.
    pub ip: u32,
    /// Memory.
    pub memory: Memory,
}

/// The registers are the first bytes of the image; behind them is memory.
pub const REGISTERS: Range<usize> = 0..offset_of!(State, memory);

/// Accumulators that Gen4 and Gen4.5 do not have.
const FURTHER_ACCUMULATORS: Range<usize> =
    offset_of!(State, accumulator) + 2 * 128..offset_of!(State, timestamp_event);

/// Registers and the memory of Gen7 and later.
const WITH_DATA_CACHE: Range<usize> = 0..offset_of!(State, memory.graphics);

/// The memory of Gen4 and Gen4.5.
const EARLY_MEMORY: Range<usize> = offset_of!(State, memory.graphics)..size_of::<State>();

/// What `pcip` of a channel says. A channel that goes with the thread has 0: its `PcIP` is `ip`,
/// wherever that leads, so that only branches change it. One that waits has the byte offset of the
/// instruction where it goes on, a multiple of 8, and a mark below.
pub mod channel_ip {
    /// The channel waits; it goes on when the thread comes there.
    pub const WAITS: u32 = 1 << 0;
    /// A `break` sent it there: the `while` that it waits at does not test it again
    /// (E-eu-later-gens-25).
    pub const BY_BREAK: u32 = 1 << 1;
    /// The byte offset.
    pub const OFFSET: u32 = !7;
}

/// Bits of a thread dependency: `sendc` waits until the threads that a thread depends on have ended.
pub mod thread_dependency {
    /// The other thread is still in flight.
    pub const VALID: u16 = 1 << 15;
    /// The fixed function thread id of the other thread. The bits between are zero.
    pub const THREAD: u16 = 0xFF;
}

/// Bits of `cr0.0`.
pub mod control {
    /// Alternative float mode (0: IEEE).
    pub const ALTERNATIVE_FLOAT_MODE: u32 = 1 << 0;
    /// Implicit accumulator updates are off.
    pub const ACCUMULATOR_DISABLE: u32 = 1 << 1;
    /// Single program flow.
    pub const SINGLE_PROGRAM_FLOW: u32 = 1 << 2;
    /// The vector mask is the dispatch mask (Gen7 and later).
    pub const VECTOR_MASK: u32 = 1 << 3;
    /// Rounding mode (Gen7 and later): 0 nearest even, 1 up, 2 down, 3 toward zero.
    pub const ROUNDING_MODE: u32 = 3 << 4;
    /// Denormals of DF are kept (Gen7 and later).
    pub const DF_DENORMALS: u32 = 1 << 6;
    /// Denormals of F are kept (Gen8 and later).
    pub const F_DENORMALS: u32 = 1 << 7;
    /// Denormals of HF are kept (Gen8 and later).
    pub const HF_DENORMALS: u32 = 1 << 10;
}

impl Default for State {
    fn default() -> Self {
        Self::new()
    }
}

impl State {
    /// All registers zero, all 16 channels enabled, and all 128 general registers allocated (`sr0.1`).
    #[must_use]
    pub fn new() -> Self {
        Self { mask: [0xFFFF; 4], status: [0, 0x0080_FFFF, 0, 0], ..Self::zeroed() }
    }

    /// All registers zero and all channels of a device enabled: on Gen4 and Gen4.5 as
    /// [`State::new`], later all 32 channels dispatched (`sr0.2`, `sr0.3`).
    #[must_use]
    pub fn of(device: Device) -> Self {
        if Device::LATER.contains(&device) {
            Self { status: [0, 0, u32::MAX, u32::MAX], ..Self::zeroed() }
        } else {
            Self::new()
        }
    }

    /// Takes over another state of a device: all that the device has, but for the memory behind
    /// surfaces and the URB, which few cases reach. What it does not have stays as it is.
    pub fn take_over(&mut self, other: &Self, device: Device) {
        let mut copy = |range: Range<usize>| {
            self.image_mut()[range.clone()].copy_from_slice(&other.image()[range]);
        };
        if Device::LATER.contains(&device) {
            copy(WITH_DATA_CACHE);
        } else {
            copy(0..FURTHER_ACCUMULATORS.start);
            copy(FURTHER_ACCUMULATORS.end..REGISTERS.end);
        }
    }

    /// Takes over the memory that Gen4 and Gen4.5 have.
    pub fn take_over_early_memory(&mut self, other: &Self) {
        self.image_mut()[EARLY_MEMORY].copy_from_slice(&other.image()[EARLY_MEMORY]);
    }
}

/// The registers of every device with execution units of this generation, in the manual's names.
const BANKS: &[Bank] = {
    const fn bank(
        name: &'static str,
        offset: usize,
        count: usize,
        sizes: [usize; 2],
        part: Part,
    ) -> Bank {
        Bank::registers(name, offset, count, sizes, part, &Device::EU)
    }
    const fn gen4(bank: Bank) -> Bank {
        Bank { devices: &Device::GEN4, ..bank }
    }
    const fn later(bank: Bank) -> Bank {
        Bank { devices: &Device::LATER, ..bank }
    }
    /// Memory in rows of the size of a register.
    const fn rows(name: &'static str, offset: usize, rows: usize) -> Bank {
        bank(name, offset, rows, [REGISTER_BYTES, 4], Part::Byte).large()
    }
    const fn memory(name: &'static str, offset: usize, bytes: usize) -> Bank {
        Bank { devices: &Device::LATER, ..rows(name, offset, bytes / REGISTER_BYTES) }
    }
    &[
        bank("r", offset_of!(State, grf), GRF_COUNT, [REGISTER_BYTES, 4], Part::Byte).of_results(),
        gen4(bank("m", offset_of!(State, mrf), MRF_COUNT, [REGISTER_BYTES, 4], Part::Byte))
            .of_results(),
        bank("acc", offset_of!(State, accumulator), ACCUMULATOR_COUNT, [128, 8], Part::Channel)
            .with_fewer(&BEFORE_GEN12, 2, 128)
            .of_results(),
        Bank::single(
            "tmevent",
            offset_of!(State, timestamp_event),
            [8, 8],
            Part::Whole,
            &Device::LATER,
        ),
        gen4(bank("ms", offset_of!(State, mask_stack), 1, [32, 1], Part::Named(mask_stack))),
        later(Bank {
            is_numbered: false,
            ..bank("pcip", offset_of!(State, channel_ip), 1, [128, 4], Part::Channel)
        }),
        bank("a", offset_of!(State, address), 1, [32, 2], Part::Element).with_fewer(
            &BEFORE_GEN8,
            1,
            16,
        ),
        bank("f", offset_of!(State, flag), 2, [4, 2], Part::Element).with_fewer(
            &Device::GEN4,
            1,
            4,
        ),
        gen4(bank("mask", offset_of!(State, mask), 1, [8, 2], Part::Named(mask))),
        gen4(bank("msd", offset_of!(State, mask_stack_depth), 1, [4, 2], Part::Element)),
        bank("sr", offset_of!(State, status), 1, [16, 4], Part::Element).with_fewer(
            &Device::GEN4,
            1,
            8,
        ),
        bank("cr", offset_of!(State, control), 1, [12, 4], Part::Element),
        gen4(bank("n", offset_of!(State, notification), 2, [4, 4], Part::Whole)),
        later(Bank {
            is_numbered: false,
            ..bank("n0", offset_of!(State, notification_count), 1, [12, 4], Part::Element)
        }),
        Bank {
            devices: &[Device::Ivb, Device::Skl],
            is_numbered: false,
            ..bank("tdr0", offset_of!(State, thread_dependency), 1, [16, 2], Part::Element)
        },
        Bank::single("ip", offset_of!(State, ip), [4, 4], Part::Whole, &Device::EU),
        memory("mem", offset_of!(State, memory.global), GLOBAL_BYTES),
        // Digests of traces are of the first 4 KiB where there is nothing behind them.
        memory("slm", offset_of!(State, memory.local), LOCAL_BYTES).with_fewer(
            &[],
            4096 / REGISTER_BYTES,
            REGISTER_BYTES,
        ),
        rows("gmem", offset_of!(State, memory.graphics), GRAPHICS_BYTES / REGISTER_BYTES),
        gen4(rows("urb", offset_of!(State, memory.urb), URB_ROWS)).with_fewer(
            &BEFORE_CTG_B,
            EARLY_URB_ROWS,
            URB_ROW_BYTES,
        ),
        gen4(rows("other", offset_of!(State, memory.other_thread), OTHER_THREAD_REGISTERS)),
        gen4(
            Bank::single(
                "othern",
                offset_of!(State, memory.other_notification),
                [8, 8],
                Part::Whole,
                &Device::EU,
            )
            .large(),
        ),
    ]
};

/// The devices with eight address subregisters.
const BEFORE_GEN12: [Device; 6] =
    [Device::Bw, Device::Cl, Device::Ctg, Device::G45, Device::Ivb, Device::Skl];
const BEFORE_GEN8: [Device; 5] = [Device::Bw, Device::Cl, Device::Ctg, Device::G45, Device::Ivb];

/// The devices with the smaller URB.
const BEFORE_CTG_B: [Device; 3] = [Device::Bw, Device::Cl, Device::Ctg];

const _: () = assert_whole(BANKS, size_of::<State>());

/// The name of a channel's mask stack counter.
fn mask_stack(_: usize, byte: usize) -> String {
    format!("{}[{}]", ["istack", "lstack"][byte / 16], byte % 16)
}

/// The name of an execution mask.
fn mask(_: usize, byte: usize) -> String {
    ["amask", "imask", "lmask", "cmask"][byte / 2].to_owned()
}

impl Image for State {
    const BANKS: &'static [Bank] = BANKS;
}

serial::in_files!(State);

#[cfg(feature = "arbitrary")]
impl<'a> arbitrary::Arbitrary<'a> for State {
    fn arbitrary(input: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
        crate::image::arbitrary::state(input)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Register;

    #[test]
    fn places_have_their_architectural_names() {
        let at = |offset| State::place(offset);
        assert_eq!(at(0), "r0.0");
        assert_eq!(at(32 * 127 + 31), "r127.31");
        assert_eq!(at(offset_of!(State, mrf) + 33), "m1.1");
        assert_eq!(at(offset_of!(State, accumulator) + 8 * 17), "acc1[1]");
        assert_eq!(at(offset_of!(State, mask_stack) + 18), "lstack[2]");
        assert_eq!(at(offset_of!(State, flag) + 3), "f0.1");
        assert_eq!(at(offset_of!(State, ip)), "ip");
        assert_eq!(at(offset_of!(State, flag) + 6), "f1.1");
        assert_eq!(at(offset_of!(State, address) + 30), "a0.15");
        assert_eq!(at(offset_of!(State, channel_ip) + 12), "pcip[3]");
        assert_eq!(at(offset_of!(State, notification_count) + 8), "n0.2");
        assert_eq!(at(offset_of!(State, memory) + 33), "mem1.1");
        assert_eq!(at(offset_of!(State, memory.graphics) - 1), "slm2047.31");
        assert_eq!(at(offset_of!(State, memory.graphics) + 32), "gmem1.0");
        assert_eq!(at(offset_of!(State, memory.urb) + 65), "urb2.1");
        assert_eq!(at(offset_of!(State, memory.other_notification) - 1), "other127.31");
        assert_eq!(at(size_of::<State>() - 1), "othern");
    }

    #[test]
    fn registers_are_those_of_the_device() {
        let has = |device, name| {
            let register = Register::parse(BANKS, device, name);
            register.is_ok_and(|register| register.bytes().is_ok())
        };
        for device in Device::GEN4 {
            for name in
                ["m15", "f0.1", "a0.7", "n1", "mask0", "sr0.1", "gmem511", "urb511", "other7"]
            {
                assert!(has(device, name), "{name}");
            }
            assert_eq!(has(device, "urb767"), device == Device::G45);
            for name in ["f1", "a0.8", "n0.1", "pcip", "sr0.2", "mem0", "slm0"] {
                assert!(!has(device, name), "{name}");
            }
        }
        for device in Device::LATER {
            for name in [
                "f1.1", "a0.7", "n0.2", "pcip.31", "sr0.3", "acc1", "cr0.2", "ip", "mem255",
                "slm0.7",
            ] {
                assert!(has(device, name), "{name}");
            }
            for name in ["m0", "n1", "mask0", "ms0", "f2", "pcip0", "mem256", "slm2048", "urb0"] {
                assert!(!has(device, name), "{name}");
            }
        }
        assert!(!has(Device::Ivb, "a0.8") && has(Device::Skl, "a0.15"));
    }
}
