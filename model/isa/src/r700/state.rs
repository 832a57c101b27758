//! The architectural state of one wavefront of 64 pixels (vertices, threads), as far as programs can
//! see it.

use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};

use crate::{
    Device,
    image::{Bank, Image, Part, assert_whole, serial},
};

/// Pixels of a wavefront. Pixels 4*n* to 4*n* + 3 are quad *n*.
pub const PIXELS: usize = 64;
/// General registers.
pub const GPR_COUNT: usize = 128;
/// SIMD-global registers.
pub const GLOBAL_COUNT: usize = 8;
/// Stack frames.
pub const STACK_FRAMES: usize = 64;
/// Slots of exports: see [`export_slot`].
pub const EXPORT_SLOTS: usize = 36;
/// Dwords of memory.
pub const MEMORY_DWORDS: usize = 4096;
/// Dwords of the local data share: four banks of 1024.
pub const LOCAL_DWORDS: usize = 4096;

/// One 32-bit element of every pixel.
pub type Lanes = [u32; PIXELS];

/// A register: elements X, Y, Z, W of every pixel.
pub type Register = [Lanes; 4];

/// What a stack frame is.
pub mod frame {
    /// No frame: all its fields are zero.
    pub const NONE: u32 = 0;
    /// Pixel states saved by a push.
    pub const BRANCH: u32 = 1;
    /// Pixel states and the outer loop's count, aL and increment.
    pub const LOOP: u32 = 2;
    /// Return address of `CALL`.
    pub const CALL: u32 = 3;
    /// Return address of `CALL_FS`.
    pub const CALL_FETCH: u32 = 4;
}

/// Per-pixel states: bit *n* is pixel *n*. A pixel in none of the masks is inactive-branch, one is in
/// at most one of them.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct PixelStates {
    /// Active.
    pub active: u64,
    /// Inactive until the loop's end: inactive-continue.
    pub inactive_continue: u64,
    /// Inactive until the loop is left: inactive-break.
    pub inactive_break: u64,
}

/// The loop a program is in. Without a loop all fields are zero.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Loop {
    /// Trips left, this one included; 0 in a `LOOP_START_DX10` loop.
    pub count: u32,
    /// Loop index aL, 13 bits.
    pub index: u32,
    /// What `LOOP_END` adds to aL; `LOOP_START` sets it, the other two leave it.
    pub increment: i32,
    /// Which instruction started it: the code of `CF_INST`, 0 without a loop.
    pub kind: u32,
}

/// A stack frame.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Frame {
    /// Saved pixel states (branch, loop).
    pub pixels: PixelStates,
    /// Saved outer loop (loop).
    pub outer: Loop,
    /// What it is: a constant of [`frame`].
    pub kind: u32,
    /// 1 if the push was in whole quad mode, which takes a whole stack entry (branch).
    pub whole_quad: u32,
    /// Address to return to, in 64-bit words (call).
    pub return_address: u32,
    /// Call depth before the call (call).
    pub depth: u32,
}

/// All state of a wavefront. No padding: every byte of the image is state.
///
/// What lives inside one ALU clause only (PV, PS, AR, predicate, execute results) is zero outside
/// of clauses.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct State {
    /// General registers. The clause temporaries are the last of them.
    pub gpr: [Register; GPR_COUNT],
    /// SIMD-global registers.
    pub global: [Register; GLOBAL_COUNT],
    /// Previous results of the units X, Y, Z, W (PV) and Trans (PS).
    pub previous: [Lanes; 5],
    /// Address register AR: elements X, Y, Z, W of every pixel, sign-extended from nine bits.
    pub ar: [[i16; PIXELS]; 4],
    /// Exports by [`export_slot`], elements X, Y, Z, W of every pixel.
    pub exports: [Register; EXPORT_SLOTS],
    /// Memory buffers, laid out as the case says.
    pub memory: [u32; MEMORY_DWORDS],
    /// Local data share: dword *n* of bank *b* is `[1024 * b + n]`.
    pub local: [u32; LOCAL_DWORDS],
    /// Vertices that every thread of a geometry shader has emitted.
    pub emitted: [u32; PIXELS],
    /// Strips that every thread of a geometry shader has cut.
    pub cut: [u32; PIXELS],
    /// Stack, from the bottom; frames from `stack_depth` on are zero.
    pub stack: [Frame; STACK_FRAMES],
    /// Slots that an export has written for at least one pixel: bit *n* is slot *n*.
    pub exported: u64,
    /// Valid mask: bit *n* is pixel *n*.
    pub valid: u64,
    /// Pixel states.
    pub pixels: PixelStates,
    /// Predicate bits, inside a clause.
    pub predicate: u64,
    /// Pixels that execute the clause, inside one.
    pub executing: u64,
    /// Pixels for which a predicate went to the execute mask in this clause.
    pub execute_set: u64,
    /// That predicate.
    pub execute_value: u64,
    /// The innermost loop.
    pub current_loop: Loop,
    /// Number of stack frames.
    pub stack_depth: u32,
    /// Call depth.
    pub call_depth: u32,
    /// Address of the control-flow instruction that is next, or whose clause is running.
    pub cf: u32,
    /// Address of the next group inside a clause, 0 outside.
    pub group: u32,
    /// 1 inside an ALU clause, else 0.
    pub in_clause: u32,
    /// Zero.
    pub reserved: u32,
}

/// Slot of an export: pixel targets 0 to 7 are slots 0 to 7 and depth is slot 8; positions 0 to 3
/// are slots 0 to 3 and parameters 0 to 31 slots 4 to 35. `kind` is the instruction's `TYPE`, `index`
/// its `ARRAY_BASE` plus the number of the burst step. `None` if there is no such export.
#[must_use]
pub const fn export_slot(kind: u32, index: u32) -> Option<usize> {
    match (kind, index) {
        (0, 0..=7) => Some(index as usize),
        (0, 61) => Some(8),
        (1, 60..=63) => Some(index as usize - 60),
        (2, 0..=31) => Some(index as usize + 4),
        _ => None,
    }
}

impl Default for State {
    fn default() -> Self {
        Self::new()
    }
}

impl State {
    /// All registers zero and all 64 pixels valid and active.
    #[must_use]
    pub fn new() -> Self {
        let pixels = PixelStates { active: u64::MAX, ..PixelStates::default() };
        Self { valid: u64::MAX, pixels, ..Self::zeroed() }
    }
}

/// All state of a wavefront.
const BANKS: &[Bank] = {
    const LANES: usize = size_of::<Lanes>();
    const REGISTER: [usize; 2] = [4 * LANES, 4];
    const ON: &[Device] = &[Device::Rv770];
    const fn registers(name: &'static str, offset: usize, count: usize) -> Bank {
        Bank::registers(name, offset, count, REGISTER, Part::Lane, ON)
    }
    const fn dwords(name: &'static str, offset: usize, count: usize) -> Bank {
        Bank::registers(name, offset, count, [4, 4], Part::Whole, ON)
    }
    const fn lanes(name: &'static str, offset: usize) -> Bank {
        Bank::single(name, offset, [LANES, 4], Part::Channel, ON)
    }
    const fn mask(name: &'static str, offset: usize) -> Bank {
        Bank::single(name, offset, [8, 8], Part::Whole, ON)
    }
    const fn number(name: &'static str, offset: usize) -> Bank {
        Bank::single(name, offset, [4, 4], Part::Whole, ON)
    }
    const PREVIOUS: usize = offset_of!(State, previous);
    const STACK: usize = offset_of!(State, stack);
    &[
        registers("R", offset_of!(State, gpr), GPR_COUNT).large().of_results(),
        registers("G", offset_of!(State, global), GLOBAL_COUNT).of_results(),
        Bank::single("PV", PREVIOUS, REGISTER, Part::Lane, ON).of_results(),
        lanes("PS", PREVIOUS + 4 * LANES).of_results(),
        Bank::single("AR", offset_of!(State, ar), [4 * 2 * PIXELS, 2], Part::Lane, ON),
        registers("EXPORT", offset_of!(State, exports), EXPORT_SLOTS).large(),
        dwords("MEM", offset_of!(State, memory), MEMORY_DWORDS).large(),
        dwords("LDS", offset_of!(State, local), LOCAL_DWORDS).large(),
        lanes("emitted", offset_of!(State, emitted)),
        lanes("cut", offset_of!(State, cut)),
        Bank::single(
            "stack",
            STACK,
            [size_of::<[Frame; STACK_FRAMES]>(), size_of::<Frame>()],
            Part::Channel,
            ON,
        ),
        mask("exported", offset_of!(State, exported)),
        mask("valid", offset_of!(State, valid)),
        mask("active", offset_of!(State, pixels)),
        mask("inactive-continue", offset_of!(State, pixels) + 8),
        mask("inactive-break", offset_of!(State, pixels) + 16),
        mask("predicate", offset_of!(State, predicate)),
        mask("executing", offset_of!(State, executing)),
        mask("execute-set", offset_of!(State, execute_set)),
        mask("execute-value", offset_of!(State, execute_value)),
        number("loop.count", offset_of!(State, current_loop)),
        number("aL", offset_of!(State, current_loop) + 4),
        number("loop.increment", offset_of!(State, current_loop) + 8),
        number("loop.kind", offset_of!(State, current_loop) + 12),
        number("stack-depth", offset_of!(State, stack_depth)),
        number("call-depth", offset_of!(State, call_depth)),
        number("cf", offset_of!(State, cf)),
        number("group", offset_of!(State, group)),
        number("in-clause", offset_of!(State, in_clause)),
        number("reserved", offset_of!(State, reserved)),
    ]
};

const _: () = assert_whole(BANKS, size_of::<State>());

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("cf", &self.cf)
            .field("group", &self.group)
            .field("valid", &self.valid)
            .field("pixels", &self.pixels)
            .finish_non_exhaustive()
    }
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

    #[test]
    fn places_have_their_architectural_names() {
        let at = |offset| State::place(offset);
        assert_eq!(at(0), "R0.x[0]");
        assert_eq!(at(4 * (256 * 127 + 64 * 3 + 63)), "R127.w[63]");
        assert_eq!(at(offset_of!(State, previous) + 4 * (256 + 5)), "PS[5]");
        assert_eq!(at(offset_of!(State, ar) + 2 * 65), "AR.y[1]");
        assert_eq!(at(offset_of!(State, local) + 4 * 1025), "LDS1025");
        assert_eq!(at(offset_of!(State, pixels) + 8), "inactive-continue");
        assert_eq!(at(offset_of!(State, current_loop) + 4), "aL");
        assert_eq!(at(offset_of!(State, in_clause)), "in-clause");
    }
}
