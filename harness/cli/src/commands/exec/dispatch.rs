//! Dispatches: one program as many threads, each with a payload of its own, over all cores.

mod elements;
mod eu;
mod payload;
mod r700;
mod results;
mod summary;
mod thread;

use std::{path::PathBuf, sync::atomic::Ordering, time::Instant};

use clap::Args;
use csv::StringRecord;
use indicatif::{ProgressBar, ProgressStyle};
use parallax_isa::Device;
use parallax_lockstep::{Subject, subject::UnderTest};
use rayon::prelude::*;

use self::{
    elements::Elements,
    payload::{Grid, Payloads, Size},
    results::Results,
    summary::Summary,
    thread::{Ended, Runner},
};
use super::Arguments;
use crate::{
    failure::{Ending, Failure, note},
    interrupt, number,
    output::{self, counted},
};

/// Most threads of a dispatch.
const MOST_THREADS: u64 = 1 << 24;
/// Threads whose payloads and results are held at a time.
const AT_A_TIME: usize = 4096;
/// Threads for which an engine is made at least.
const FOR_AN_ENGINE: usize = 16;

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
    payload: Option<PathBuf>,
    /// Run as many threads as it takes that each place of a grid (pixel, element) has a channel of its own
    ///
    /// Channels have the places row by row from the top, those of a thread beside each other; --x and --y say where the
    /// program finds them. The channels are enabled that have one. Beside a --payload with as many rows as there
    /// are threads it only says the size of a picture.
    #[arg(long, value_name = "WIDTHxHEIGHT", allow_negative_numbers = true)]
    grid: Option<Size>,
    /// Register for the columns of the channels' places, an element each from there on: r2:f, r4.8:uw
    /// [rv770: R0.x:f or R0.x:d]
    #[arg(long, value_name = "REGISTER:TYPE", requires = "grid")]
    x: Option<String>,
    /// Register for the rows of the channels' places
    #[arg(long, value_name = "REGISTER:TYPE", requires = "grid")]
    y: Option<String>,
    /// Places that a thread has [default: channels that the program's instructions are for; on rv770 64]
    #[arg(long, value_name = "N", requires = "grid", value_parser = number::within(1..=64), allow_negative_numbers = true)]
    channels: Option<u64>,
    /// Run the first so many threads only [default: all]
    #[arg(long, value_name = "N", value_parser = number::within(1..=MOST_THREADS), allow_negative_numbers = true)]
    threads: Option<u64>,
    /// Run this one of the threads (the first is 0) by itself, and print it as a run of one thread
    #[arg(long, value_name = "NUMBER", value_parser = number::within(0..=MOST_THREADS - 1), allow_negative_numbers = true, conflicts_with_all = ["threads", "output", "image"])]
    thread: Option<u64>,
    /// Write the registers of --dump to this file, as CSV with a row for each thread [default: standard output]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw the grid: a picture whose kind the name says, .png or .ppm
    #[arg(long, value_name = "FILE", requires = "grid", requires = "pixel")]
    image: Option<PathBuf>,
    /// What is drawn: the register with the grey of a thread's channels, or three for red, green and blue
    ///
    /// A channel has an element, counted from the first of the register on. Integers are 0 for black to 255 for
    /// white, floats 0.0 to 1.0; what is beyond is black or white.
    #[arg(long, value_name = "REGISTERS:TYPE", requires = "image")]
    pixel: Option<String>,
}

impl Dispatch {
    /// Whether many threads are to run.
    pub(super) fn has_many(&self) -> bool {
        self.are_there() && self.thread.is_none()
    }

    /// Whether there are many threads, of which perhaps one is to run.
    fn are_there(&self) -> bool {
        self.payload.is_some() || self.grid.is_some()
    }

    /// Refuses what only many threads have.
    fn only_many(&self) -> Result<(), Failure> {
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

/// What a machine says of its threads.
pub(crate) trait Dispatched: Subject {
    /// A register that a payload has values for.
    type Target: Sync;

    /// Reads a register's name as it stands in the first row of payloads.
    fn target(device: Device, name: &str) -> Result<Self::Target, String>;

    /// Gives it values as they stand in the rows below.
    fn assign(case: &mut Self::Case, target: &Self::Target, values: &str) -> Result<(), String>;

    /// Reads the name and type of a register for numbers.
    fn place(device: Device, name: &str) -> Result<Self::Target, String>;

    /// Gives it numbers, an element each.
    fn assign_numbers(
        case: &mut Self::Case,
        target: &Self::Target,
        numbers: &[u32],
    ) -> Result<(), String>;

    /// The registers of a list, in which each may have a type.
    fn elements(case: &Self::Case, list: &str) -> Result<Vec<Elements>, String>;

    /// Channels that a case's program is for, and how many there may be.
    fn channels(case: &Self::Case) -> [usize; 2];

    /// Leaves only the first channels enabled, of those that are.
    fn enable(case: &mut Self::Case, channels: usize);

    /// Lets a case start from the state that another one starts from.
    fn start_over(case: &mut Self::Case, from: &Self::Case);
}

/// Threads of a program with what each of them starts from.
pub(super) struct Threads<M: Dispatched> {
    /// What all of them have.
    case: M::Case,
    payloads: Option<Payloads<M>>,
    grid: Option<Grid<M>>,
    count: u64,
    under_test: Option<UnderTest>,
}

impl<M: Dispatched> Threads<M> {
    fn new(arguments: &Arguments, case: M::Case) -> Result<Self, Failure> {
        let Dispatch { payload, grid, x, y, channels, threads, .. } = &arguments.dispatch;
        let device = arguments.start.device;
        let read = |path: &PathBuf| Payloads::<M>::read(path, device, &case);
        let payloads = payload.as_ref().map(read).transpose()?;
        let grid = match grid {
            Some(size) => {
                let [usual, most] = M::channels(&case);
                let channels = channels.map_or(usual, |channels| channels as usize);
                if channels > most {
                    let message = format!("--channels: a thread of {device} has at most {most}");
                    return Err(Failure::input(message));
                }
                if payload.is_none() && x.is_none() && y.is_none() {
                    return Err(Failure::input(
                        "--grid: say which registers get the places of the channels, as in --x r2:f --y r4:f",
                    ));
                }
                let places = [x, y].map(Option::as_deref);
                Some(Grid::new(*size, channels, places, device, &case)?)
            }
            None => None,
        };
        let rows = payloads.as_ref().map(|payloads| (payloads.rows, payloads.described()));
        let of_grid = grid.as_ref().map(|grid| {
            let is = format!("--grid {} is {}", grid.size, grid.described());
            (grid.threads(), is)
        });
        if let (Some((rows, payloads)), Some((threads, is))) = (&rows, &of_grid)
            && rows != threads
        {
            return Err(Failure::input(format!("{is}, but {payloads}")));
        }
        let (all, described) = rows.or(of_grid).expect("one of them is given");
        let count = threads.unwrap_or(all);
        if count > all {
            return Err(Failure::input(format!("--threads {count}: {described}")));
        }
        Ok(Self { case, payloads, grid, count, under_test: arguments.engine()? })
    }

    /// The rows of payloads from the first thread on, as far as there are any.
    fn rows(&self) -> impl Iterator<Item = Option<StringRecord>> {
        let payloads = self.payloads.iter().flat_map(Payloads::threads).map(Some);
        payloads.chain(std::iter::repeat_with(|| None)).take(self.count as usize)
    }

    /// Makes a case that of a thread.
    fn begin(
        &self,
        case: &mut M::Case,
        thread: u64,
        row: Option<&StringRecord>,
    ) -> Result<(), String> {
        if let Some(grid) = &self.grid {
            grid.assign(case, thread)?;
        }
        match (&self.payloads, row) {
            (Some(payloads), Some(row)) => payloads.assign(case, row),
            _ => Ok(()),
        }
    }
}

/// The case to run by itself: that of one thread, where there are many.
pub(super) fn one<M: Dispatched>(arguments: &Arguments, case: M::Case) -> Result<M::Case, Failure> {
    if !arguments.dispatch.are_there() {
        return arguments.dispatch.only_many().map(|()| case);
    }
    let thread = arguments.dispatch.thread.unwrap_or_default();
    let threads = Threads::<M>::new(arguments, case)?;
    let Some(row) = threads.rows().nth(thread as usize) else {
        let there_are = counted(threads.count, "thread");
        let message = format!("--thread {thread}: there are {there_are}, the first is number 0");
        return Err(Failure::input(message));
    };
    let mut case = threads.case.clone();
    threads.begin(&mut case, thread, row.as_ref()).map_err(Failure::input)?;
    Ok(case)
}

/// Runs all threads and prints what came of them.
pub(super) fn execute<M: Dispatched>(
    arguments: &Arguments,
    case: M::Case,
) -> Result<Ending, Failure> {
    let threads = Threads::<M>::new(arguments, case)?;
    let mut results = Results::new(arguments, &threads)?;
    let mut summary = Summary::new(&threads, arguments.start.device);
    let (cancel, start) = (interrupt::listen()?, Instant::now());
    let bar = bar(threads.count);
    let mut rows = threads.rows();
    let mut first = 0;
    while first < threads.count {
        let rows: Vec<_> = rows.by_ref().take(AT_A_TIME).collect();
        let run = |runner: &mut Runner<'_, M>, (number, row): (usize, Option<StringRecord>)| {
            if cancel.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let ended = runner.run(first + number as u64, row.as_ref());
            bar.inc(1);
            ended.map(Some)
        };
        let number = rows.len() as u64;
        let ended = rows
            .into_par_iter()
            .enumerate()
            .with_min_len(FOR_AN_ENGINE)
            .map_init(|| Runner::new(&threads, &results.looks), run);
        let ended: Option<Vec<Ended>> = ended.collect::<Result<_, Failure>>()?;
        let Some(ended) = ended else {
            bar.abandon();
            let [done, all] = [bar.position(), threads.count].map(output::grouped);
            note(format_args!("stopped after {done} of {all} threads; no file was written"));
            return Ok(Ending::Interrupted);
        };
        for (thread, ended) in (first..).zip(&ended) {
            results.take(thread, ended)?;
            summary.take(thread, ended);
        }
        bar.set_message(summary.remarkable());
        first += number;
    }
    bar.finish_and_clear();
    summary.end(start.elapsed());
    let are_printed = results.are_printed();
    results.end()?;
    if arguments.json {
        output::print_json(&summary)?;
    } else if are_printed {
        note(summary.text());
    } else {
        output::print(summary.text())?;
    }
    Ok(Ending::found(summary.differs()))
}

/// A line on the terminal that says how far the threads are.
fn bar(threads: u64) -> ProgressBar {
    let style = "[{bar:24}] {human_pos} of {human_len} threads, {per_sec}, {eta} left{msg}";
    let style = ProgressStyle::with_template(style).expect("the template is part of the source");
    ProgressBar::new(threads).with_style(style.progress_chars("=> "))
}
