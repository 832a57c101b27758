//! What goes to an engine outside and what it answers, as states, steps and errors.

use parallax_engine::{
    Flow, Kind, Malformed, Write,
    message::{Reader, Writes},
};
use parallax_isa::{Declined, EngineError, LoadError, Outcome, Step, image::Bank};

use super::Portable;
use crate::escape;

/// Adds what is not zero in some banks.
pub(super) fn write_state(banks: &[&'static Bank], image: &[u8], out: &mut Vec<u8>) {
    /// Bytes of zeros that are not sent.
    const GAP: usize = 64;
    let mut writes = Writes::new(out);
    for (number, bank) in banks.iter().enumerate() {
        let content = &image[bank.range()];
        for (piece, bytes) in content.chunks(GAP).enumerate() {
            // All of them, which is quicker than up to the first.
            if bytes.iter().fold(0, |any, byte| any | byte) != 0 {
                writes.add(Write { bank: number, offset: piece * GAP, bytes });
            }
        }
    }
}

/// Takes over what a step did.
pub(super) fn one_step(
    reader: &mut Reader,
    banks: &[&'static Bank],
    image: &mut [u8],
) -> Result<Flow, Malformed> {
    let flow = reader.flow()?;
    reader.writes(|Write { bank: number, offset, bytes }| {
        let Some(bank) = banks.get(number) else {
            return Err(Malformed(format!("it has no bank {number}, it said {}", banks.len())));
        };
        let range = offset..offset.saturating_add(bytes.len());
        let Some(place) = image[bank.range()].get_mut(range) else {
            return Err(Malformed(format!(
                "the bank `{}` has {} bytes, not {} from byte {offset} on",
                bank.name,
                bank.len(),
                bytes.len()
            )));
        };
        place.copy_from_slice(bytes);
        Ok(())
    })?;
    Ok(flow)
}

pub(super) fn step_of(flow: Flow) -> Result<Step, EngineError> {
    Ok(Step::Finished(match flow {
        Flow::Continue => return Ok(Step::Continue),
        Flow::Halted => Outcome::Halted,
        Flow::EndOfThread => Outcome::EndOfThread,
        Flow::StepLimit => Outcome::StepLimit,
        Flow::Exception(name) => Outcome::Exception(escape::reported(&name)),
        Flow::Undefined(what) => Outcome::Undefined(escape::reported(&what)),
        Flow::Declined(reason) => return Err(declined(None, &reason)),
    }))
}

/// Most characters that are kept of a reason.
const LONGEST_REASON: usize = 160;

pub(super) fn declined(offset: Option<u32>, reason: &str) -> EngineError {
    let reason = escape::shortened(reason, LONGEST_REASON);
    EngineError::Declined(Declined { offset, reason })
}

pub(super) fn unexpected(kind: Kind, wanted: &str) -> EngineError {
    EngineError::Nonsense(format!("it answers `{}` where `{wanted}` belongs", kind.name()))
}

pub(super) fn nonsense(Malformed(what): Malformed) -> EngineError {
    EngineError::Nonsense(what)
}

pub(super) fn no_case() -> EngineError {
    EngineError::Nonsense("no case is under way".to_owned())
}

pub(super) fn no_form<M: Portable>() -> LoadError {
    LoadError::Case(format!("the protocol has no form for cases of the machine `{}`", M::NAME))
}
