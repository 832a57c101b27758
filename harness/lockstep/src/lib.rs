//! Two engines, one case: step by step, compared, with everything that belongs to that — the
//! generators of cases, traces, the minimiser and the campaign.

pub mod bench;
mod both;
pub mod campaign;
pub mod choices;
mod codec;
mod corners;
mod crew;
pub mod depth;
pub mod elements;
mod enums;
pub mod escape;
pub mod eu;
pub mod exactness;
mod exercise;
mod form;
mod formats;
pub mod fuzzed;
mod guard;
pub mod lockstep;
pub mod minimize;
pub mod outside;
mod patience;
mod pulse;
pub mod r700;
pub mod random;
pub mod registry;
pub mod render;
mod sabotage;
pub mod scripted;
mod stake;
mod stretch;
pub mod subject;
pub mod suite;
pub mod surface;
mod threads;
pub mod trace;
mod units;
pub mod unspecified;
mod verdict;
pub mod whole;
pub mod words;

pub use form::{Features, Form};
pub use lockstep::{Divergence, Verdict, lockstep};
pub use outside::Portable;
pub use subject::{OperandValues, Subject};
