//! A case: everything that decides a run on an execution unit.

use serde::{Deserialize, Serialize};

use super::state::State;
use crate::Device;

/// A program with all it starts from. The same case always gives the same run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Device the program is for.
    pub device: Device,
    /// Machine code: instructions of 16 bytes, or 8 where compacted, in memory order.
    pub program: Vec<u8>,
    /// Registers at the first instruction. `state.ip` is the byte offset of that instruction in
    /// `program`.
    pub state: Box<State>,
    /// Steps after which the run is stopped.
    pub step_limit: u64,
}
