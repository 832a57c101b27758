//! Dispatches: one program as many threads, each with a payload of its own, over all cores.

mod arguments;
mod elements;
mod eu;
mod machine;
mod payload;
mod r700;
mod results;
mod summary;
mod thread;
mod threads;

use std::{sync::atomic::Ordering, time::Instant};

use csv::StringRecord;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

pub(super) use self::elements::Elements;
pub(crate) use self::{arguments::Dispatch, summary::Summary};
pub(crate) use self::{elements::text as number_text, machine::Dispatched};
use self::{
    results::Results,
    thread::{Ended, Runner},
    threads::Threads,
};
use super::Arguments;
use crate::{
    failure::{Ending, Failure, note},
    interrupt,
    output::{self, counted},
};

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
    // Lines and a bar would stand in each other's way.
    let bar = if results.are_watched() { ProgressBar::hidden() } else { bar(threads.count) };
    let at_a_time = results.looks.threads_at_a_time();
    let mut rows = threads.rows();
    let mut first = 0;
    while first < threads.count {
        let rows: Vec<_> = rows.by_ref().take(at_a_time).collect();
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
            .map_init(|| Runner::new(&threads, &results.looks), run);
        let ended: Option<Vec<Ended>> = ended.collect::<Result<_, Failure>>()?;
        let Some(ended) = ended else {
            bar.abandon();
            let [done, all] = [bar.position(), threads.count].map(output::grouped);
            note(format_args!("stopped after {done} of {all} threads; no file was written"));
            return Ok(Ending::Interrupted);
        };
        for (thread, ended) in (first..).zip(&ended) {
            results.take(&threads, thread, ended)?;
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
        output::print_json(&summary);
    } else if are_printed {
        note(summary.text());
    } else {
        output::print(summary.text());
    }
    Ok(Ending::found(summary.differs()))
}

/// A line on the terminal that says how far the threads are.
pub(super) fn bar(threads: u64) -> ProgressBar {
    let style = "[{bar:24}] {human_pos} of {human_len} threads, {per_sec}, {eta} left{msg}";
    let style = ProgressStyle::with_template(style).expect("the template is part of the source");
    ProgressBar::new(threads).with_style(style.progress_chars("=> "))
}
