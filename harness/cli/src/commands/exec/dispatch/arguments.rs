//! What makes a run one of many threads, on the command line.

use std::path::PathBuf;

use clap::Args;

use super::payload::{MOST_THREADS, Size};
use crate::{failure::Failure, number};

/// What makes a run one of many threads.
#[derive(Debug, Args)]
#[command(next_help_heading = "Many threads")]
#[group(skip)]
pub(crate) struct Dispatch {
    /// Run a thread for each row of a CSV file, over all cores
    ///
    /// The first row names registers as --set does, with their types, and every other row has their values for
    /// a thread: `r2:f,r3.4:ud`, then `0.5,7`. Several values of one register stand in quotes: "1,2,3". What --set
    /// says is the same for all threads.
    ///
    /// Threads do not meet: each starts from the memory of --setup as it is there, sees nothing of what the others
    /// write, and meets the events of --event itself.
    #[arg(long, value_name = "FILE")]
    pub(super) payload: Option<PathBuf>,
    /// Run as many threads as it takes that each place of a grid (pixel, element) has a channel of its own
    ///
    /// Channels have the places row by row from the top, those of a thread beside each other; --x and --y say where the
    /// program finds them. Enabled are, of those of --mask, the channels that have one. Beside a --payload with as many rows as there
    /// are threads it only says the size of a picture.
    #[arg(long, value_name = "WIDTHxHEIGHT", allow_negative_numbers = true)]
    pub(super) grid: Option<Size>,
    /// Register for the columns of the channels' places, an element each from there on: r2:f, r4.8:uw
    /// [rv770: R0.x:f or R0.x:d]
    #[arg(long, value_name = "REGISTER:TYPE", requires = "grid")]
    pub(super) x: Option<String>,
    /// Register for the rows of the channels' places
    #[arg(long, value_name = "REGISTER:TYPE", requires = "grid")]
    pub(super) y: Option<String>,
    /// Places that a thread has [default: channels that the program's instructions are for; on rv770 64]
    #[arg(long, value_name = "N", requires = "grid", value_parser = number::within(1..=64), allow_negative_numbers = true)]
    pub(super) channels: Option<u64>,
    /// Give four channels at a time the places of a square, as pixels are dispatched: upper left, upper right, lower
    /// left, lower right. What is computed from neighbours, as levels of detail and gradients are, is right then
    #[arg(long, requires = "grid")]
    pub(super) quads: bool,
    /// Run the first so many threads only [default: all]
    #[arg(long, value_name = "N", value_parser = number::within(1..=MOST_THREADS), allow_negative_numbers = true)]
    pub(super) threads: Option<u64>,
    /// Run this one of the threads (the first is 0) by itself, and print it as a run of one thread
    #[arg(long, value_name = "NUMBER", value_parser = number::within(0..=MOST_THREADS - 1), allow_negative_numbers = true, conflicts_with_all = ["threads", "output", "image"])]
    pub(super) thread: Option<u64>,
    /// Write the registers of --dump to this file, as CSV with a row for each thread [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Draw the grid: a picture whose kind the name says, .png or .ppm
    #[arg(long, value_name = "FILE", requires = "grid", requires = "pixel")]
    pub(super) image: Option<PathBuf>,
    /// What is drawn: the register with the grey of a thread's channels, or three for red, green and blue
    ///
    /// A channel has an element, counted from the first of the register on. Integers are 0 for black to 255 for
    /// white, floats 0.0 to 1.0; what is beyond is black or white.
    #[arg(long, value_name = "REGISTERS:TYPE", requires = "image")]
    pub(super) pixel: Option<String>,
}

impl Dispatch {
    /// Whether many threads are to run.
    pub(in crate::commands::exec) fn has_many(&self) -> bool {
        self.are_there() && self.thread.is_none()
    }

    /// Whether there are many threads, of which perhaps one is to run.
    pub(in crate::commands::exec) fn are_there(&self) -> bool {
        self.payload.is_some() || self.grid.is_some()
    }

    /// Refuses what only many threads have.
    pub(in crate::commands::exec) fn only_many(&self) -> Result<(), Failure> {
        let given = [
            (self.threads.is_some(), "--threads"),
            (self.thread.is_some(), "--thread"),
            (self.output.is_some(), "--output"),
        ];
        match given.iter().find(|(is_given, _)| *is_given) {
            Some((_, name)) => Err(Failure::input(format!(
                "{name} is for many threads: give them their payloads with --payload or --grid"
            ))),
            None => Ok(()),
        }
    }
}
