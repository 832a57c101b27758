//! What Gen7 and later have behind their messages.

use parallax_isa::shared::{Memory, Request, Unanswered};

use super::{Around, Reply, SharedFunction, data_cache};

/// On Gen7.
pub(super) fn answer_gen7(
    request: &Request,
    memory: &mut Memory,
    around: &mut Around,
    reply: &mut Reply,
) -> Result<(), Unanswered> {
    answer(request, memory, around, reply, data_cache::answer_gen7)
}

/// On Gen9.
pub(super) fn answer_gen9(
    request: &Request,
    memory: &mut Memory,
    around: &mut Around,
    reply: &mut Reply,
) -> Result<(), Unanswered> {
    answer(request, memory, around, reply, data_cache::answer_gen9)
}

/// On Gen12.
pub(super) fn answer_gen12(
    request: &Request,
    memory: &mut Memory,
    around: &mut Around,
    reply: &mut Reply,
) -> Result<(), Unanswered> {
    answer(request, memory, around, reply, data_cache::answer_gen12)
}

/// By the Sampling Engine where there are surfaces, otherwise by the data cache and what goes with it.
fn answer(
    request: &Request,
    memory: &mut Memory,
    around: &mut Around,
    reply: &mut Reply,
    others: SharedFunction,
) -> Result<(), Unanswered> {
    if request.target == 2 && around.has_memory() {
        around.words = around.textures()?.answer(request, memory, reply)?;
        return Ok(());
    }
    others(request, memory, around, reply)
}
