//! Shared functions made wrong on purpose, in one way each: messages that are sent otherwise, what is
//! answered, what is left behind. The harness notices every fault within a budget of steps and brings the
//! case that shows it down to a few instructions.
//!
//! `cargo test --release -p parallax-lockstep --test integration -- shared_faults:: --nocapture` prints the
//! tables; `shared_faults::sampler` or `shared_faults::data_port` in place of that name some of them.

mod cubes;
mod data_port;
mod debug_registers;
mod early_messages;
mod extended_math;
mod kept;
mod kernels;
mod later;
#[allow(dead_code, reason = "each room of faults uses its own part")]
mod loop_filter;
mod messages;
mod render_target;
mod sampler;
mod targets;
mod textures;
mod urb_gateway;

use crate::fault_injection::{
    Fault,
    eu::{Disturb, Rewrite, around, disturb, event, rendering, rewrite},
};
use parallax_lockstep::eu::Eu;
