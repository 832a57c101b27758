//! Threads, with what each of them starts from.

use std::path::PathBuf;

use csv::StringRecord;
use parallax_lockstep::subject::UnderTest;

use super::{
    arguments::Dispatch,
    machine::Dispatched,
    payload::{Grid, Payloads, Size},
};
use crate::{commands::exec::Arguments, failure::Failure};

/// Threads of a program with what each of them starts from.
pub(super) struct Threads<M: Dispatched> {
    /// What all of them have.
    pub(super) case: M::Case,
    payloads: Option<Payloads<M>>,
    pub(super) grid: Option<Grid<M>>,
    pub(super) count: u64,
    pub(super) under_test: Option<UnderTest>,
}

impl<M: Dispatched> Threads<M> {
    /// The threads that arguments ask for, if the rows of payloads and the places of a grid go together.
    pub(super) fn new(arguments: &Arguments, case: M::Case) -> Result<Self, Failure> {
        let Dispatch { payload, grid, threads, .. } = &arguments.dispatch;
        let read = |path: &PathBuf| Payloads::<M>::read(path, arguments.start.device, &case);
        let payloads = payload.as_ref().map(read).transpose()?;
        let grid = grid.map(|size| grid_of::<M>(size, arguments, &case)).transpose()?;
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
    pub(super) fn rows(&self) -> impl Iterator<Item = Option<StringRecord>> {
        let payloads = self.payloads.iter().flat_map(Payloads::threads).map(Some);
        payloads.chain(std::iter::repeat_with(|| None)).take(self.count as usize)
    }

    /// Makes a case that of a thread.
    pub(super) fn begin(
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

/// The grid of a size that arguments ask for.
fn grid_of<M: Dispatched>(
    size: Size,
    arguments: &Arguments,
    case: &M::Case,
) -> Result<Grid<M>, Failure> {
    let Dispatch { payload, x, y, channels, quads, .. } = &arguments.dispatch;
    let device = arguments.start.device;
    let [usual, most] = M::channels(case);
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
    Grid::new(size, channels, *quads, [x, y].map(Option::as_deref), device, case)
}
