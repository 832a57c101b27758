//! The architectural state of one execution unit thread, as far as programs can see it.

use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};

use super::register::REGISTER_BYTES;
use crate::image::Image;

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

    /// Fields in order of address: offset, bytes of an element, name of an element by its number.
    #[expect(clippy::type_complexity, reason = "a table of three columns")]
    const FIELDS: [(usize, usize, fn(usize, usize) -> String); 12] = [
        (offset_of!(State, grf), 32, |n, byte| format!("r{n}.{byte}")),
        (offset_of!(State, mrf), 32, |n, byte| format!("m{n}.{byte}")),
        (offset_of!(State, accumulator), 8, |n, _| format!("acc{}[{}]", n / 16, n % 16)),
        (offset_of!(State, mask_stack), 1, |n, _| {
            format!("{}[{}]", ["istack", "lstack"][n / 16], n % 16)
        }),
        (offset_of!(State, address), 2, |n, _| format!("a0.{n}")),
        (offset_of!(State, flag), 2, |n, _| format!("f0.{n}")),
        (offset_of!(State, mask), 2, |n, _| ["amask", "imask", "lmask", "cmask"][n].to_owned()),
        (offset_of!(State, mask_stack_depth), 2, |n, _| format!("msd0.{n}")),
        (offset_of!(State, status), 4, |n, _| format!("sr0.{n}")),
        (offset_of!(State, control), 4, |n, _| format!("cr0.{n}")),
        (offset_of!(State, notification), 4, |n, _| format!("n{n}")),
        (offset_of!(State, ip), 4, |_, _| "ip".to_owned()),
    ];
}

impl Image for State {
    fn place(offset: usize) -> String {
        let field = Self::FIELDS.iter().rev().find(|(start, ..)| *start <= offset);
        let (start, size, name) = field.expect("the first field starts at 0");
        name((offset - start) / size, (offset - start) % size)
    }
}

impl serde::Serialize for State {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.image())
    }
}

impl<'de> serde::Deserialize<'de> for State {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let bytes = <Vec<u8>>::deserialize(deserializer)?;
        bytemuck::try_pod_read_unaligned(&bytes).map_err(|_| {
            D::Error::invalid_length(bytes.len(), &"the bytes of an execution unit state")
        })
    }
}

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
