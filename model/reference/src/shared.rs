//! Shared functions: what answers the messages of execution units (G45 volume 4, section 2.1).

mod loopback;

use std::fmt;

use parallax_isa::{
    Acceptance,
    shared::{Request, Response, SharedFunctions, Unanswered},
};

pub(crate) use loopback::Loopback;

/// Something that takes messages.
pub(crate) trait SharedFunction: fmt::Debug + Sync {
    /// The reply to a message.
    ///
    /// # Errors
    /// If what the message asks for is not there, or has no defined effect.
    fn answer(&self, request: &Request) -> Result<Reply, Unanswered>;
}

/// What comes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    /// The registers in order, as many as the request expects.
    pub(crate) registers: Vec<Response>,
    /// Doublewords that are not one exact bit pattern.
    pub(crate) open: Vec<OpenDoubleword>,
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

/// What takes the messages of a case; nothing, if nothing does.
pub(crate) fn behind(choice: SharedFunctions) -> Option<&'static dyn SharedFunction> {
    match choice {
        SharedFunctions::None => None,
        SharedFunctions::Loopback => Some(&Loopback),
    }
}
