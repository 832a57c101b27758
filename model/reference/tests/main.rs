//! The reference held against examples, programs of compilers and third opinions.
//!
//! One binary: a file beside this one runs when it is named here.

mod common;
mod compiled_programs;
mod examples;
mod flow;
mod hostile;
mod later_compiled_programs;
mod later_flow;
mod later_tables;
mod r700_compiled_programs;
mod r700_double_tables;
mod r700_special;
mod surface_chroma_key;
mod surface_classes;
mod surface_engine;
mod surface_fxt1;
mod surface_pixels;
mod surface_plain;
mod surface_sheet;
mod surface_third_opinions;
mod tables;
