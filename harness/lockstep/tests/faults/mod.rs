//! A harness that cannot fail is worthless: engines made wrong on purpose in one way each, and what
//! the harness makes of them. It notices every fault within a budget of steps and brings the case
//! that shows it down to a few instructions; it notices nothing where nothing is wrong. A room for
//! each machine holds the tables of faults; what messages do is in `shared_faults`.
//!
//! `cargo test --release -p parallax-lockstep --test integration -- faults:: --nocapture` prints the tables;
//! `faults::eu` or `faults::r700::memory` in place of that name some of them.

mod answers;
mod campaign;
mod encoding;
mod ends;
mod eu;
#[allow(dead_code, reason = "each room of faults uses its own part")]
mod many;
mod minimiser;
mod optimisers;
mod parts;
mod r700;
mod shrinking;
mod surface;
mod suspects;
mod warm;
mod weak;
