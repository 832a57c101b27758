//! Messages to the Sampling Engine (chapter 4): which one it is follows from its code and its length.

use super::{super::prelude::*, Described};

checks! {
    Instruction UpToGen45 ["g45.smsg.desc.bad"]
        about |f| message(f).is_some_and(|message| message.length() > 0),
        holds |f| replies(f).is_some(),
        "there is no message of this code and length; see the table of sampler messages";
    Instruction Gen4 ["g45.smsg.sample-l-c.errata"]
        holds |f| replies(f) != Some(Replies::OneCompared),
        "the device has no sample_l_c of two samples; use the one of 8 pixels";
    Instruction UpToGen45 ["g45.smsg.wb.simd8-rlen"]
        about |f| replies(f) == Some(Replies::Pixels8),
        holds |f| answer(f).is_none_or(|registers| registers == 4),
        "8 pixels come back in four registers";
    Instruction UpToGen45 ["g45.smsg.killpix.simd"]
        about |f| replies(f) == Some(Replies::Pixels8AndMask),
        holds |f| answer(f).is_none_or(|registers| registers == 5),
        "8 pixels with the mask of those that are left come back in five registers";
    Instruction UpToGen45 ["g45.smsg.desc.bad", "g45.msg.error.rlen-check"]
        about |f| replies(f) == Some(Replies::Pixels16),
        holds |f| answer(f).is_none_or(|registers| registers.is_multiple_of(2)),
        "16 pixels come back in two registers for each channel that is not masked";
    Instruction UpToGen45 ["g45.smsg.desc.bad", "g45.msg.error.rlen-check"]
        about |f| matches!(replies(f), Some(Replies::One | Replies::OneCompared)),
        holds |f| answer(f).is_none_or(|registers| registers == 1),
        "two samples come back in one register";
}

/// What comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Replies {
    /// Two registers for each channel that the header does not mask.
    Pixels16,
    Pixels8,
    Pixels8AndMask,
    /// Two samples.
    One,
    /// Two samples of a comparison at given levels, which not every device has.
    OneCompared,
}

/// A message that a thread does not end with: none can.
fn message(f: &Facts) -> Option<Described> {
    Described::to(f, 2).filter(|message| !message.is_last)
}

/// Registers of the reply, if there is one, of a length that there may be.
fn answer(f: &Facts) -> Option<u32> {
    message(f).filter(|message| message.is_answered()).map(Described::reply)
}

/// What it replies with; `None`: the table has no such message.
fn replies(f: &Facts) -> Option<Replies> {
    use Replies::{One, OneCompared, Pixels8, Pixels8AndMask, Pixels16};
    let message = message(f)?;
    let code = match f.generation {
        Generation::Gen4 => message.field(14, 2),
        _ => message.field(12, 4),
    };
    Some(match (code, message.length()) {
        (0, 3 | 5 | 7 | 9) | (1 | 2, 9) | (2, 3) | (3, 3 | 5 | 7 | 9) => Pixels16,
        (0 | 3, 4) | (0 | 1, 6) | (2, 7 | 10) => Pixels8,
        (1, 4) => Pixels8AndMask,
        (0..=3, 2) | (2, 4) => One,
        (1, 3) => OneCompared,
        _ => return None,
    })
}
