//! Two engines, one case: step by step, compared, with everything that belongs to that — the
//! generators of cases, traces, the minimiser and the campaign.

pub mod engine;
pub mod lockstep;

pub use engine::{Engine, Machine, Reference};
pub use lockstep::{Divergence, Verdict, lockstep};
