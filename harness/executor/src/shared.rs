//! Shared functions: what answers the messages of execution units.

mod loopback;

use parallax_isa::shared::{LONGEST_REPLY, Request, Response, SharedFunctions, Unanswered};

/// Something that takes messages: the reply's registers, of which the first `response_length`
/// count, or why there is none.
pub(crate) type SharedFunction = fn(&Request) -> Result<Reply, Unanswered>;

/// The registers of a reply.
pub(crate) type Reply = [Response; LONGEST_REPLY];

/// What takes the messages of a case; nothing, if nothing does.
pub(crate) fn behind(choice: SharedFunctions) -> Option<SharedFunction> {
    match choice {
        SharedFunctions::None => None,
        SharedFunctions::Loopback => Some(loopback::answer),
    }
}
