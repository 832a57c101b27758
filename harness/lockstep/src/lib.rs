//! Two engines, one case: step by step, compared, with everything that belongs to that — the
//! generators of cases, traces, the minimiser and the campaign.

pub mod bench;
pub mod choices;
pub mod engine;
pub mod eu;
pub mod lockstep;
pub mod r700;
pub mod random;

pub use engine::{Engine, Machine, Reference};
pub use lockstep::{Divergence, Verdict, lockstep};
