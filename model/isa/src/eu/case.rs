//! A case: everything that decides a run on an execution unit.

use serde::{Deserialize, Serialize};

use super::state::State;
use crate::{Device, shared::SharedFunctions};

/// A program with all it starts from. The same case always gives the same run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
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
    /// What the thread meets from outside its program.
    pub surroundings: Surroundings,
}

/// What a thread meets from outside its program.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Surroundings {
    /// The system instruction pointer: byte offset in the program of the system routine, a multiple
    /// of 16. `None`: there is no system routine, and an exception ends the run with
    /// [`Outcome::Exception`](crate::Outcome::Exception).
    pub system_routine: Option<u32>,
    /// What arrives while the program runs, in order of steps.
    pub events: Vec<Event>,
    /// What answers messages.
    pub shared_functions: SharedFunctions,
}

/// Something that arrives while a program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Event {
    /// It arrives when this many steps were taken, before the next one. A step in which `wait` or
    /// `sendc` stalls counts.
    pub step: u64,
    /// What it is.
    pub kind: EventKind,
}

/// What can arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum EventKind {
    /// External halt: the halt signal that goes to all execution units.
    ExternalHalt,
    /// A notification from a thread: `n0` counts one more.
    ThreadNotification,
    /// A notification from the host: `n1` becomes 1.
    HostNotification,
    /// The host clears the attention of the thread: `n1` becomes 1, and Host Notification Data 0. On
    /// the execution units before Gen7; on later ones nothing changes.
    AttentionClear,
    /// The host writes a debug register. On the execution units before Gen7; on later ones nothing
    /// changes.
    DebugRegister {
        /// Which one.
        register: DebugRegister,
        /// What it holds from then on; all of them are 0 at first.
        value: u32,
    },
    /// A fixed function thread has ended, and says so to all others: those that depend on it no longer
    /// do (`tdr0`, Gen7 to Gen9); on others nothing changes.
    ThreadRetired {
        /// Its fixed function thread id.
        thread: u8,
    },
    /// The thread's context was switched out and restored, so that TmEvent is 1 (Gen7 and later); on
    /// others nothing changes.
    ContextSwitch,
}

/// A register of the instruction cache that gives instructions a breakpoint (G45 volume 4, section
/// 3.4.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum DebugRegister {
    /// `ISC_L1CA_BP_ADR1`: bits 31:4 are those of an instruction's address, bit 0 enables it.
    BreakpointAddress1,
    /// `ISC_L1CA_BP_ADR2`, which is like it.
    BreakpointAddress2,
    /// `ISC_L1CA_BP_OPC1`: bits 23:16 are an opcode, bit 0 enables it, and bit 1 limits it to
    /// instructions with End Of Thread.
    BreakpointOpcode1,
    /// `ISC_L1CA_BP_OPC2`, which is like it but for bit 1.
    BreakpointOpcode2,
}

impl DebugRegister {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::BreakpointAddress1,
        Self::BreakpointAddress2,
        Self::BreakpointOpcode1,
        Self::BreakpointOpcode2,
    ];
}

impl Case {
    /// A case in which nothing comes from outside.
    #[must_use]
    pub fn new(device: Device, program: Vec<u8>, state: Box<State>, step_limit: u64) -> Self {
        Self { device, program, state, step_limit, surroundings: Surroundings::default() }
    }
}
