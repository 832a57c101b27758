//! Decoding, text, legality and surface formats, held against examples and the text of others.
//!
//! One binary: a file beside this one runs when it is named here.

mod arbitrary;
mod compiled;
mod compiled_programs;
mod dialects;
mod fixes;
mod malformed;
mod r700_dialects;
mod r700_exhaustive;
mod restriction_examples;
mod scoreboard;
mod scoreboard_forms;
mod scoreboard_paths;
mod surface_formats;
