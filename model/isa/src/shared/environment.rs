//! What messages meet beside memory: what commands of the 3D and media pipelines have set up before the
//! thread runs (decisions `D-eu-environment`, `D-eu-later-surfaces`).

use serde::{Deserialize, Serialize};

use crate::device::Generation;

/// Dwords of a surface state before Gen7.
pub const SURFACE_STATE_DWORDS: usize = 6;

/// Dwords of a surface state of a generation.
#[must_use]
pub const fn surface_state_dwords(generation: Generation) -> usize {
    match generation {
        Generation::Gen4 | Generation::Gen45 => SURFACE_STATE_DWORDS,
        Generation::Gen7 | Generation::Gen75 => 8,
        Generation::Gen8 | Generation::Gen9 | Generation::Gen12 => 16,
    }
}
/// Most dwords from Surface State Base Address on.
pub const MOST_SURFACE_STATE_DWORDS: usize = 4096;

/// The surroundings of a thread's messages.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Environment {
    /// General State Base Address, a graphics address.
    pub general_state_base: u32,
    /// General State Access Upper Bound: the first graphics address beyond. 0: there is none.
    pub general_state_bound: u32,
    /// What stands from Surface State Base Address on: binding table and surface states. Where it ends
    /// is the upper bound. Threads do not write there.
    pub surface_states: Vec<u32>,
    /// The binding table pointer: a byte offset in that.
    pub binding_table: u32,
    /// What URB handles stand for.
    pub urb_entries: Vec<UrbEntry>,
    /// URB handles that are free: a message that allocates gets the first of them, the next one the
    /// second. Bits 31:16 are the handle's ID, bits 15:0 its return handle.
    pub free_handles: Vec<u32>,
    /// This thread: execution unit (bits 7:4) and thread number (bits 1:0).
    pub thread: u8,
    /// The other thread of the case in the same way, and its gateway as it has opened it.
    pub other_thread: Option<OtherThread>,
}

/// An entry of the URB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct UrbEntry {
    /// Its return handle, bits 15:0 of a header's doubleword.
    pub handle: u16,
    /// Its first row.
    pub first_row: u16,
    /// How many rows it has.
    pub rows: u16,
}

/// Another thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct OtherThread {
    /// Its execution unit, 0 to 15.
    pub execution_unit: u8,
    /// Its number there, 0 to 3.
    pub thread: u8,
    /// Its gateway, if it is open.
    pub gateway: Option<Gateway>,
}

/// An open gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Gateway {
    /// The key that messages need.
    pub key: u16,
    /// The first general register that may be written.
    pub first_register: u8,
    /// How many there are.
    pub registers: u8,
}

/// Most dwords from General State Base Address on that the Sampling Engine finds.
pub const MOST_GENERAL_STATE_DWORDS: usize = 4096;
/// Most entries of a palette.
pub const MOST_PALETTE_ENTRIES: usize = 256;

/// What messages to the Sampling Engine meet besides surfaces (decision `D-eu-sampler`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Sampling {
    /// What the Sampling Engine finds from General State Base Address on, from Gen7 on Dynamic State Base
    /// Address: tables of sampler states and border colours. Threads do not write there.
    pub general_states: Vec<u32>,
    /// Entries that were loaded into each palette, from the first one on.
    pub palettes: [Vec<u32>; 2],
    /// Low and high value of each chroma key.
    pub chroma_keys: [[u32; 2]; 4],
    /// Odd pixels of 4:2:2 surfaces take the mean of the chroma to both sides.
    pub interpolates_chroma: bool,
}
