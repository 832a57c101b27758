//! The architectural state of one wavefront of 64 pixels (vertices, threads), as far as programs can
//! see it.

use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};

use crate::image::Image;

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

    /// Fields in order of address: offset, bytes of an element, name of an element by its number.
    #[expect(clippy::type_complexity, reason = "a table of three columns")]
    const FIELDS: &[(usize, usize, fn(usize) -> String)] = &[
        (offset_of!(State, gpr), 4, |n| lane("R", n)),
        (offset_of!(State, global), 4, |n| lane("G", n)),
        (offset_of!(State, previous), 4, |n| {
            format!("{}[{}]", ["PV.x", "PV.y", "PV.z", "PV.w", "PS"][n / 64], n % 64)
        }),
        (offset_of!(State, ar), 2, |n| format!("AR.{}[{}]", element(n / 64), n % 64)),
        (offset_of!(State, exports), 4, |n| lane("EXPORT", n)),
        (offset_of!(State, memory), 4, |n| format!("MEM[{n}]")),
        (offset_of!(State, local), 4, |n| format!("LDS{}[{}]", n / 1024, n % 1024)),
        (offset_of!(State, emitted), 4, |n| format!("emitted[{n}]")),
        (offset_of!(State, cut), 4, |n| format!("cut[{n}]")),
        (offset_of!(State, stack), size_of::<Frame>(), |n| format!("stack[{n}]")),
        (offset_of!(State, exported), 8, |_| "exported".to_owned()),
        (offset_of!(State, valid), 8, |_| "valid".to_owned()),
        (offset_of!(State, pixels), 8, |n| {
            ["active", "inactive-continue", "inactive-break"][n].to_owned()
        }),
        (offset_of!(State, predicate), 8, |_| "predicate".to_owned()),
        (offset_of!(State, executing), 8, |_| "executing".to_owned()),
        (offset_of!(State, execute_set), 8, |_| "execute-set".to_owned()),
        (offset_of!(State, execute_value), 8, |_| "execute-value".to_owned()),
        (offset_of!(State, current_loop), 4, |n| {
            ["loop.count", "aL", "loop.increment", "loop.kind"][n].to_owned()
        }),
        (offset_of!(State, stack_depth), 4, |n| {
            ["stack-depth", "call-depth", "cf", "group", "in-clause", "reserved"][n].to_owned()
        }),
    ];
}

const fn element(number: usize) -> char {
    ['x', 'y', 'z', 'w'][number % 4]
}

/// Name of element *n* of a file of registers: `R3.y[17]`.
fn lane(file: &str, n: usize) -> String {
    format!("{file}{}.{}[{}]", n / 256, element(n / 64), n % 64)
}

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
    fn place(offset: usize) -> String {
        let field = Self::FIELDS.iter().rev().find(|(start, ..)| *start <= offset);
        let (start, size, name) = field.expect("the first field starts at 0");
        name((offset - start) / size)
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
        bytemuck::try_pod_read_unaligned(&bytes)
            .map_err(|_| D::Error::invalid_length(bytes.len(), &"the bytes of an R700 state"))
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
        assert_eq!(at(offset_of!(State, local) + 4 * 1025), "LDS1[1]");
        assert_eq!(at(offset_of!(State, pixels) + 8), "inactive-continue");
        assert_eq!(at(offset_of!(State, current_loop) + 4), "aL");
        assert_eq!(at(offset_of!(State, in_clause)), "in-clause");
    }
}
