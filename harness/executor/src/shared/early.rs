//! What Gen4 and Gen4.5 have behind their messages.

use parallax_isa::{
    Device,
    shared::{Memory, Request, SharedFunctions, Unanswered},
};

use super::{Reply, SharedFunction, data_port, data_port::Surfaces, extended_math, refuse};

/// What a case has around its thread, resolved when it is loaded.
#[derive(Debug, Default)]
pub(crate) struct Around {
    surfaces: Option<Surfaces>,
}

impl Around {
    pub(crate) fn of(choice: &SharedFunctions, device: Device) -> Self {
        Self { surfaces: choice.environment().map(|environment| Surfaces::of(environment, device)) }
    }

    /// Whether messages can reach memory.
    pub(crate) fn has_memory(&self) -> bool {
        self.surfaces.is_some()
    }
}

/// On Gen4.
pub(super) fn answer_gen4(
    request: &Request,
    memory: &mut Memory,
    around: &mut Around,
) -> Result<Reply, Unanswered> {
    answer(request, memory, around, false)
}

/// On Gen4.5.
pub(super) fn answer_gen45(
    request: &Request,
    memory: &mut Memory,
    around: &mut Around,
) -> Result<Reply, Unanswered> {
    answer(request, memory, around, true)
}

const _: [SharedFunction; 2] = [answer_gen4, answer_gen45];

fn answer(
    request: &Request,
    memory: &mut Memory,
    around: &mut Around,
    is_gen45: bool,
) -> Result<Reply, Unanswered> {
    match (request.target, &around.surfaces) {
        (0, _) if request.response_length == 0 => Ok(Reply::default()),
        (0, _) => refuse("a reply of nobody"),
        (1, _) => extended_math::answer(request, is_gen45),
        (4, Some(surfaces)) => data_port::read(request, memory, surfaces),
        (5, Some(surfaces)) => data_port::write(request, memory, surfaces),
        _ => Err(Unanswered::NoSuchFunction("nothing is there")),
    }
}
