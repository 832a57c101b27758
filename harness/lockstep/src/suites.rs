//! What suites run for each of their cases.

pub(crate) mod comparison;
pub(crate) mod followed;
mod kind;
pub mod lockstep;
mod starts;

pub(crate) use starts::Starts;
