//! Runs one case on two engines in lockstep and compares them after every step. Generators of cases, traces, the
//! minimiser and the campaign are here too.
//!
//! ```
//! use parallax_executor::eu::Executor;
//! use parallax_isa::Device;
//! use parallax_lockstep::{Verdict, eu::{self, generate}, lockstep, random::SplitMix64};
//!
//! // The same bytes always make the same legal program and initial state.
//! let mut bytes = vec![0; generate::BYTES];
//! SplitMix64::new(1).fill(&mut bytes);
//! let case = generate::straight_line(Device::Skl, &bytes);
//!
//! match lockstep(&mut eu::reference(), &mut Executor::new(), &case) {
//!     Verdict::Agreed(agreement) => assert!(agreement.steps > 0),
//!     Verdict::Diverged(divergence) => panic!("step {}: {}", divergence.step, divergence.instruction),
//!     Verdict::NotRun(error) => panic!("{error}"),
//! }
//! ```
//!
//! An engine of your own implements [`parallax_isa::Model`] or [`parallax_isa::Engine`] in this process, or speaks the
//! protocol of `parallax-engine` in another. `examples/counter.rs` adds a machine.

mod accepted_end;
pub mod bench;
pub mod campaign;
pub mod choices;
mod codec;
mod compare;
pub mod conformance;
mod corners;
pub mod declined;
pub mod depth;
pub mod elements;
mod ends;
mod enums;
pub mod equivalence;
pub mod escape;
pub mod eu;
pub mod exactness;
mod executed;
mod form;
mod formats;
mod forward;
mod free_run;
pub mod fuzzed;
mod heartbeat;
mod leave_out;
pub mod lockstep;
pub mod minimize;
pub mod omission;
pub mod outside;
mod outside_reference;
mod panic_guard;
pub mod pattern;
pub mod pattern_text;
pub mod query;
pub mod r700;
pub mod random;
mod reach;
pub mod registry;
pub mod render;
mod sabotage;
pub mod scope;
pub mod scripted;
pub mod spread;
pub mod subject;
pub mod suite;
pub mod suites;
pub mod surface;
mod suspects;
mod threads;
mod timeout;
pub mod trace;
pub mod units;
pub mod unspecified;
mod verdict;
mod wanted;
mod weakness;
pub mod whole;
mod witness;
pub mod words;
mod worker_pool;

pub use form::{Executed, Features, Form, Parts};
pub use lockstep::{Divergence, Verdict, lockstep};
pub use outside::Portable;
pub use subject::Subject;
pub use verdict::OperandValues;
