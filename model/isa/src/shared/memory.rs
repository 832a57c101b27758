//! The memory that messages reach, and the map by which they reach it (decision `D-eu-memory`).
//!
//! The command names it by rows of 32 bytes, `mem0` to `mem255` and `slm0` to `slm2047`, on Gen4 and Gen4.5
//! `gmem0` to `gmem511`, `urb0` to `urb767` and `other0` to `other127`, with the count `othern`: `--set mem0:ub=7,7,3`, `--dump
//! mem0..mem7`. A program of `skl` that reads an image of 8 rows of 32 bytes from
//! there, as the talk's histogram does, sends a media block read to port 1 of the data cache, with a
//! header whose doubleword 2 has the width and the height, each less one:
//!
//! ```text
//! mov (8|M0)  r35.0<1>:ud 0:ud
//! mov (1|M0)  r35.2<1>:ud 0x7001F:ud
//! send (8|M0) r36:ud r35 0xC 0x02890008     // rows 0 to 7 of picture 8 to r36 to r43
//! ```
//!
//! and may write its 256 buckets back, `r2` to `r33`, in pieces of eight octwords (`sends` with the
//! header as src0 and four registers as src1, descriptor `0x020A0400`, extended descriptor `0x10A`).

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::REGISTER_BYTES;

/// Bytes of global memory.
pub const GLOBAL_BYTES: usize = 8192;
/// The most bytes of shared local memory, and how many a case has that does not say: what 16 bits of an
/// address reach.
pub const LOCAL_BYTES: usize = 65536;

/// Bytes of graphics memory: four tiles.
pub const GRAPHICS_BYTES: usize = 16384;
/// Rows of the URB on DevCTG-B; earlier devices have [`EARLY_URB_ROWS`].
pub const URB_ROWS: usize = 768;
/// Rows of the URB before DevCTG-B.
pub const EARLY_URB_ROWS: usize = 512;
/// Bytes of a row of the URB.
pub const URB_ROW_BYTES: usize = 32;
/// General registers of the other thread that a case has.
pub const OTHER_THREAD_REGISTERS: usize = 128;

/// The memory of a case. No padding: every byte is state.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct Memory {
    /// What surfaces and stateless messages reach (Gen7 and later).
    pub global: [u8; GLOBAL_BYTES],
    /// Shared local memory of the thread group (Gen7 and later).
    pub local: [u8; LOCAL_BYTES],
    /// What the data port reaches (Gen4 and Gen4.5), and what the surfaces of a set-up lie in (Gen7 and
    /// later), from graphics address 0 on.
    pub graphics: [u8; GRAPHICS_BYTES],
    /// The URB (Gen4 and Gen4.5).
    pub urb: [[u8; URB_ROW_BYTES]; URB_ROWS],
    /// General registers of another thread, to which the Message Gateway leads (Gen4 and Gen4.5).
    pub other_thread: [[u8; REGISTER_BYTES]; OTHER_THREAD_REGISTERS],
    /// How many notifications that thread was sent.
    pub other_notification: [u8; 8],
}

impl Memory {
    /// All of it: global memory, shared local memory behind that, then what Gen4 and Gen4.5 have.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        bytemuck::bytes_of(self)
    }

    /// The same, to change.
    #[must_use]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::bytes_of_mut(self)
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::zeroed()
    }
}

/// A run of bytes of global memory that a binding table entry points to: a buffer without a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Surface {
    /// Its first byte.
    pub start: usize,
    /// How many there are.
    pub bytes: usize,
}

/// The binding table: what stands behind the indices from 0 on. The last three surfaces end inside of
/// a register, of an octword and of a doubleword.
pub const BINDING_TABLE: [Surface; 8] = [
    Surface { start: 0, bytes: 1024 },
    Surface { start: 1024, bytes: 1024 },
    Surface { start: 2048, bytes: 1024 },
    Surface { start: 3072, bytes: 1024 },
    Surface { start: 4096, bytes: 1024 },
    Surface { start: 5120, bytes: 1008 },
    Surface { start: 6144, bytes: 72 },
    Surface { start: 7168, bytes: 1021 },
];

/// A surface of rows, which media blocks reach (Gen9 and later).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picture {
    /// Its first byte in global memory.
    pub start: usize,
    /// Bytes from a row to the next.
    pub pitch: usize,
    /// Bytes of a row that are seen, a multiple of 4.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// The binding table index of the first picture; the others follow.
pub const FIRST_PICTURE: usize = 8;

/// The pictures. The first is what the talk's histogram reads: 8 rows of 32 bytes.
pub const PICTURES: [Picture; 3] = [
    Picture { start: 0, pitch: 32, width: 32, height: 8 },
    Picture { start: 4096, pitch: 64, width: 52, height: 11 },
    Picture { start: 6144, pitch: 128, width: 128, height: 16 },
];

impl Surface {
    /// Its bytes of global memory.
    #[must_use]
    pub const fn range(self) -> Range<usize> {
        self.start..self.start + self.bytes
    }
}

const _: () = {
    let mut number = 0;
    while number < BINDING_TABLE.len() {
        assert!(BINDING_TABLE[number].range().end <= GLOBAL_BYTES, "a surface lies in memory");
        number += 1;
    }
    let mut number = 0;
    while number < PICTURES.len() {
        let Picture { start, pitch, width, height } = PICTURES[number];
        assert!(
            width <= pitch && start + pitch * height <= GLOBAL_BYTES,
            "a picture lies in memory"
        );
        number += 1;
    }
};
