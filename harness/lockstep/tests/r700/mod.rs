//! Random programs of R700: reference and executor in lockstep.

mod groups;
mod memory;
mod numbers;
mod textures;
