//! The architectural state of one execution unit thread, as far as programs can see it.

use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};

use super::register::REGISTER_BYTES;
use crate::{
    Device,
    image::{Bank, Image, Part, assert_whole, serial},
};

/// General registers of a thread.
pub const GRF_COUNT: usize = 128;
/// Message registers of a thread.
pub const MRF_COUNT: usize = 16;

/// All registers of a thread. No padding: every byte of the image is state.
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
    /// Accumulators `acc0` and `acc1`, 16 channels each. In word mode channel *n* is `[n]`, the
    /// 33-bit value sign-extended to 64; in dword mode channel *n* of 8 is `[n]`, 64 bits of two's
    /// complement; in float mode channel *n* of 8 is `[n]`, as decision D-eu-acc-float says.
    pub accumulator: [[u64; 16]; 2],
    /// Mask stack counters of the 16 channels: IStack, LStack.
    pub mask_stack: [[u8; 16]; 2],
    /// Address register `a0.0` to `a0.7`.
    pub address: [u16; 8],
    /// Flag register `f0.0`, `f0.1`; bit *n* is channel *n*.
    pub flag: [u16; 2],
    /// Execution masks `mask0.0` to `mask0.3`: AMask, IMask, LMask, CMask.
    pub mask: [u16; 4],
    /// Mask stack depths `msd0.0` (IStack), `msd0.1` (LStack).
    pub mask_stack_depth: [u16; 2],
    /// State register `sr0.0`, `sr0.1`.
    pub status: [u32; 2],
    /// Control register `cr0.0`, `cr0.1`, `cr0.2`.
    pub control: [u32; 3],
    /// Notification registers `n0`, `n1`.
    pub notification: [u32; 2],
    /// Instruction pointer: byte offset of the next instruction in the program.
    pub ip: u32,
}

/// Bits of `cr0.0`.
pub mod control {
    /// Alternative float mode (0: IEEE).
    pub const ALTERNATIVE_FLOAT_MODE: u32 = 1 << 0;
    /// Implicit accumulator updates are off.
    pub const ACCUMULATOR_DISABLE: u32 = 1 << 1;
    /// Single program flow.
    pub const SINGLE_PROGRAM_FLOW: u32 = 1 << 2;
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
        Self { mask: [0xFFFF; 4], status: [0, 0x0080_FFFF], ..Self::zeroed() }
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
    &[
        bank("r", offset_of!(State, grf), GRF_COUNT, [REGISTER_BYTES, 4], Part::Byte).of_results(),
        bank("m", offset_of!(State, mrf), MRF_COUNT, [REGISTER_BYTES, 4], Part::Byte).of_results(),
        bank("acc", offset_of!(State, accumulator), 2, [128, 8], Part::Channel).of_results(),
        bank("ms", offset_of!(State, mask_stack), 1, [32, 1], Part::Named(mask_stack)),
        bank("a", offset_of!(State, address), 1, [16, 2], Part::Element),
        bank("f", offset_of!(State, flag), 1, [4, 2], Part::Element),
        bank("mask", offset_of!(State, mask), 1, [8, 2], Part::Named(mask)),
        bank("msd", offset_of!(State, mask_stack_depth), 1, [4, 2], Part::Element),
        bank("sr", offset_of!(State, status), 1, [8, 4], Part::Element),
        bank("cr", offset_of!(State, control), 1, [12, 4], Part::Element),
        bank("n", offset_of!(State, notification), 2, [4, 4], Part::Whole),
        Bank::single("ip", offset_of!(State, ip), [4, 4], Part::Whole, &Device::EU),
    ]
};

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

#[cfg(test)]
mod tests {
    use super::*;

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
    }
}
