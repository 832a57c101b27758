//! What Gen4 and Gen4.5 have behind their messages.

use parallax_isa::shared::{Memory, Request, Unanswered};

use super::{Around, Reply, SharedFunction, data_port, extended_math, refuse};

/// On Gen4.
pub(super) fn answer_gen4(
    request: &Request,
    memory: &mut Memory,
    around: &mut Around,
    reply: &mut Reply,
) -> Result<(), Unanswered> {
    answer(request, memory, around, reply, false)
}

/// On Gen4.5.
pub(super) fn answer_gen45(
    request: &Request,
    memory: &mut Memory,
    around: &mut Around,
    reply: &mut Reply,
) -> Result<(), Unanswered> {
    answer(request, memory, around, reply, true)
}

const _: [SharedFunction; 2] = [answer_gen4, answer_gen45];

fn answer(
    request: &Request,
    memory: &mut Memory,
    around: &mut Around,
    reply: &mut Reply,
    is_gen45: bool,
) -> Result<(), Unanswered> {
    if request.target == 2 && around.has_memory() {
        return around.textures()?.answer(request, memory, reply).map(drop);
    }
    match (request.target, &mut around.functions) {
        (0, _) if request.response_length == 0 => return Ok(()),
        (0, _) => return refuse("a reply of nobody"),
        (8.., _) if request.response_length == 0 => return Ok(()),
        (1, _) => extended_math::answer(request, reply, is_gen45)?,
        (3, Some(functions)) => *reply = functions.threads.answer(request, memory)?,
        (4, Some(functions)) => *reply = data_port::read(request, memory, &functions.surfaces)?,
        (5, Some(functions)) => {
            data_port::write(request, memory, &functions.surfaces, &functions.rendering)?;
        }
        (6, Some(functions)) => *reply = functions.urb.answer(request, memory)?,
        _ => return Err(Unanswered::NoSuchFunction("nothing is there")),
    }
    Ok(())
}
