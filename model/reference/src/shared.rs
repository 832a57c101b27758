//! Shared functions: what answers the messages of execution units (G45 volume 4, section 2.1).

mod data_cache;
mod extended_math;
mod loopback;

use std::{fmt, ops::Range};

use parallax_isa::{
    Acceptance, Device,
    device::Generation,
    shared::{Memory, Request, Response, SharedFunctions, Unanswered},
};

use data_cache::DataCache;
use extended_math::ExtendedMath;

pub(crate) use loopback::Loopback;

/// Something that takes messages.
pub(crate) trait SharedFunction: fmt::Debug + Sync {
    /// The reply to a message, which may read and write memory.
    ///
    /// # Errors
    /// If what the message asks for is not there, or has no defined effect. Memory is as it was then.
    fn answer(&self, request: &Request, memory: &mut Memory) -> Result<Reply, Unanswered>;
}

/// What comes back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reply {
    /// The registers in order, as many as the request expects.
    pub(crate) registers: Vec<Response>,
    /// Doublewords that are not one exact bit pattern.
    pub(crate) open: Vec<OpenDoubleword>,
    /// What was written to memory.
    pub(crate) written: Vec<Written>,
}

/// A run of bytes of memory that a message wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    /// Which, counted from the start of memory.
    pub(crate) range: Range<usize>,
    /// What is there now is open: several channels wrote it.
    pub(crate) is_open: bool,
}

impl Reply {
    /// What is accepted of a doubleword besides its bits, if something is.
    pub(crate) fn acceptance(&self, register: usize, doubleword: usize) -> Option<Acceptance> {
        let place = (register, doubleword);
        let open = self.open.iter().find(|open| (open.register, open.doubleword) == place);
        open.map(|open| open.acceptance)
    }
}

/// A doubleword of a reply for which something else than its bits is accepted too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OpenDoubleword {
    /// Register of the reply.
    pub(crate) register: usize,
    /// Doubleword of the register, 0 to 7.
    pub(crate) doubleword: usize,
    /// What is accepted; all 32 bits are compared.
    pub(crate) acceptance: Acceptance,
}

/// What takes the messages of a case on a device; nothing, if nothing does.
pub(crate) fn behind(
    choice: SharedFunctions,
    device: Device,
) -> Option<&'static dyn SharedFunction> {
    match (choice, device.generation()) {
        (SharedFunctions::Loopback, _) => Some(&Loopback),
        (SharedFunctions::None, Some(Generation::Gen7)) => Some(&DataCache::GEN7),
        (SharedFunctions::None, Some(Generation::Gen9)) => Some(&DataCache::GEN9),
        (SharedFunctions::None, Some(Generation::Gen4)) => Some(&ExtendedMath::GEN4),
        (SharedFunctions::None, Some(Generation::Gen45)) => Some(&ExtendedMath::GEN45),
        (SharedFunctions::None, _) => None,
    }
}
