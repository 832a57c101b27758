//! The executor held against programs of compilers, files of others and third opinions.
//!
//! One binary: a file beside this one runs when it is named here.

mod blocks_third_opinions;
mod compiled_programs;
mod half_third_opinion;
mod r700_compiled_programs;
mod r700_formats;
mod r700_memory;
mod restart;
