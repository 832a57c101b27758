//! Shared functions: what answers the messages of execution units.

mod around;
mod atomic;
mod barrier;
mod data_cache;
mod data_port;
mod early;
mod extended_math;
mod field;
mod gateway;
mod later;
mod loopback;
mod picture;
mod sampler;
mod surface_state;
mod targets;
mod urb;

use parallax_isa::{
    Device,
    shared::{LONGEST_REPLY, Memory, Request, Response, SharedFunctions, Unanswered},
};

pub(crate) use around::Around;
pub(crate) use data_port::{OctwordBlock, Way};
pub(crate) use extended_math::{Elementary, LanesFunction};

/// Something that takes messages and reads and writes memory. It fills in the registers of a reply, of which
/// nothing was enabled and the first `response_length` count, or says why there is none; then memory is as it
/// was.
pub(crate) type SharedFunction =
    fn(&Request, &mut Memory, &mut Around, &mut Reply) -> Result<(), Unanswered>;

/// The registers of a reply.
pub(crate) type Reply = [Response; LONGEST_REPLY];

/// What takes the messages of a case on a device; nothing, if nothing does.
pub(crate) fn behind(choice: &SharedFunctions, device: Device) -> Option<SharedFunction> {
    match (choice, device) {
        (SharedFunctions::Loopback, _) => Some(loopback::answer),
        (_, Device::Ivb) => Some(later::answer_gen7),
        (_, Device::Skl) => Some(later::answer_gen9),
        (_, Device::Dg1) => Some(later::answer_gen12),
        (_, Device::Bw | Device::Cl) => Some(early::answer_gen4),
        (_, Device::Ctg | Device::G45) => Some(early::answer_gen45),
        _ => None,
    }
}

/// A sentence of why there is no reply.
fn refuse<T>(why: &str) -> Result<T, Unanswered> {
    Err(Unanswered::Undefined(why.to_owned()))
}

/// Refuses a message unless it has so many registers and so many are expected back.
fn lengths(request: &Request, sent: usize, returned: usize) -> Result<(), Unanswered> {
    if request.payload.len() != sent {
        return refuse("a message of more or fewer registers than it has parts");
    }
    if usize::from(request.response_length) != returned || returned > LONGEST_REPLY {
        return refuse("a reply of another length");
    }
    Ok(())
}
