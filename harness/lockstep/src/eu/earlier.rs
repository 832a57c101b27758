//! Cases as traces of versions 1 to 3 hold them.

use parallax_isa::{
    Device,
    eu::{
        Case,
        case::{Event, Surroundings},
    },
    shared::SharedFunctions,
};
use serde::{Deserialize, Deserializer};

use super::Eu;
use crate::{subject::Layout, trace::Flat};

/// The state of those versions.
pub(super) const LAYOUT: Layout = &[
    ("r", 4096),
    ("m", 512),
    ("acc", 256),
    ("ms", 32),
    ("a", 16),
    ("f", 4),
    ("mask", 8),
    ("msd", 4),
    ("sr", 8),
    ("cr", 12),
    ("n", 8),
    ("ip", 4),
];

#[derive(Deserialize)]
struct EarlierCase<S> {
    device: Device,
    program: Vec<u8>,
    state: Flat<Eu>,
    step_limit: u64,
    surroundings: S,
}

/// What a thread met in version 1: no shared functions.
#[derive(Deserialize)]
struct FirstSurroundings {
    system_routine: Option<u32>,
    events: Vec<Event>,
}

impl From<FirstSurroundings> for Surroundings {
    fn from(first: FirstSurroundings) -> Self {
        let FirstSurroundings { system_routine, events } = first;
        Self { system_routine, events, shared_functions: SharedFunctions::None }
    }
}

/// Reads a case of one of those versions.
pub(super) fn case<'de, D: Deserializer<'de>>(
    version: u32,
    deserializer: D,
) -> Result<Case, D::Error> {
    fn of<S: Into<Surroundings>>(earlier: EarlierCase<S>) -> Case {
        let EarlierCase { device, program, state: Flat(state), step_limit, surroundings } = earlier;
        Case { device, program, state, step_limit, surroundings: surroundings.into() }
    }
    if version == 1 {
        EarlierCase::<FirstSurroundings>::deserialize(deserializer).map(of)
    } else {
        EarlierCase::<Surroundings>::deserialize(deserializer).map(of)
    }
}
