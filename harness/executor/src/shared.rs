//! Shared functions: what answers the messages of execution units.

mod data_cache;
mod extended_math;
mod loopback;

use parallax_isa::{
    Device,
    shared::{LONGEST_REPLY, Memory, Request, Response, SharedFunctions, Unanswered},
};

/// Something that takes messages and reads and writes memory: the reply's registers, of which the
/// first `response_length` count, or why there is none; then memory is as it was.
pub(crate) type SharedFunction = fn(&Request, &mut Memory) -> Result<Reply, Unanswered>;

/// The registers of a reply.
pub(crate) type Reply = [Response; LONGEST_REPLY];

/// What takes the messages of a case on a device; nothing, if nothing does.
pub(crate) fn behind(choice: SharedFunctions, device: Device) -> Option<SharedFunction> {
    match (choice, device) {
        (SharedFunctions::Loopback, _) => Some(loopback::answer),
        (SharedFunctions::None, Device::Ivb) => Some(data_cache::answer_gen7),
        (SharedFunctions::None, Device::Skl) => Some(data_cache::answer_gen9),
        (SharedFunctions::None, Device::Bw | Device::Cl) => Some(extended_math::answer_narrow),
        (SharedFunctions::None, Device::Ctg | Device::G45) => Some(extended_math::answer),
        (SharedFunctions::None, _) => None,
    }
}
