//! The program as its users see it: commands, reports, engines and bad input.
//!
//! One binary: a file beside this one runs when it is named here.

mod bad_input;
mod bad_input_r700;
mod bad_input_suggestions;
mod batch;
mod bundles;
mod campaign;
mod common;
mod compare;
mod compliance;
mod conformance;
mod containers;
mod declined;
mod dispatch;
mod engines;
mod engines_queries;
mod engines_r700;
mod engines_surface;
mod exec;
mod explain;
mod export;
mod first_commands;
mod foreign;
mod format;
mod frontend;
mod fuzzing;
mod isa;
mod json_page;
mod kernels;
mod known;
mod launches;
mod levels;
mod parts;
mod programs;
mod recordings;
mod references;
mod reports;
mod settings;
mod shards;
mod shells;
mod show;
mod sockets;
mod syntax;
mod topology;
mod verdicts;
