//! What the threads of a dispatch start from: rows of a file, and places of a grid.

use std::{fmt, path::Path, str::FromStr};

use csv::StringRecord;
use parallax_isa::Device;

use super::machine::Dispatched;
use crate::{
    failure::Failure,
    files,
    output::{brief, counted, grouped},
};

/// Largest file of payloads.
const LARGEST: u64 = 256 << 20;
/// Most threads of a dispatch.
pub(super) const MOST_THREADS: u64 = 1 << 24;
/// Most places of a grid.
const MOST_PLACES: u64 = 1 << 26;

/// A file of payloads: registers in its first row, and a row of values for each thread.
pub(super) struct Payloads<M: Dispatched> {
    name: String,
    columns: Vec<(String, M::Target)>,
    bytes: Vec<u8>,
    pub(super) rows: u64,
}

impl<M: Dispatched> Payloads<M> {
    /// Reads a file, and holds that a case can start from each of its rows.
    pub(super) fn read(path: &Path, device: Device, case: &M::Case) -> Result<Self, Failure> {
        let bytes = files::read(path, LARGEST, "a file of payloads")?;
        let name = match path.to_str() {
            Some("-") => "standard input".to_owned(),
            _ => path.display().to_string(),
        };
        let mut payloads = Self { name, columns: Vec::new(), bytes, rows: 0 };
        payloads.columns = payloads.read_columns(device)?;
        payloads.rows = payloads.check_rows(&mut case.clone())?;
        Ok(payloads)
    }

    fn read_columns(&self, device: Device) -> Result<Vec<(String, M::Target)>, Failure> {
        let heading = self.records().next().transpose().map_err(|error| self.unreadable(&error))?;
        let heading = heading.unwrap_or_default();
        if heading.iter().all(str::is_empty) {
            return Err(Failure::input(format!(
                "{}: expected a row of registers, such as r2:f,r3.4:ud, and below it a row of values for \
                 each thread",
                self.name
            )));
        }
        let column = |name: &str| Ok((name.to_owned(), M::target(device, name)?));
        let columns: Result<Vec<_>, String> = heading.iter().map(column).collect();
        columns.map_err(|wrong| Failure::input(format!("{} line 1: {wrong}", self.name)))
    }

    /// Tries all rows; how many there are.
    fn check_rows(&self, case: &mut M::Case) -> Result<u64, Failure> {
        let mut rows = 0;
        for record in self.records().skip(1) {
            let record = record.map_err(|error| self.unreadable(&error))?;
            self.assign(case, &record).map_err(Failure::input)?;
            rows += 1;
            if rows > MOST_THREADS {
                return Err(Failure::input(format!(
                    "{} has more rows than a dispatch may have threads, {}",
                    self.name,
                    grouped(MOST_THREADS)
                )));
            }
        }
        if rows == 0 {
            return Err(Failure::input(format!(
                "{}: expected a row of values for each thread below that of the registers",
                self.name
            )));
        }
        Ok(rows)
    }

    /// All rows, the first with the registers.
    fn records(&self) -> csv::StringRecordsIntoIter<&[u8]> {
        let mut reader = csv::ReaderBuilder::new();
        let reader = reader.has_headers(false).flexible(true).trim(csv::Trim::All);
        reader.from_reader(self.bytes.as_slice()).into_records()
    }

    /// The rows of the threads.
    pub(super) fn threads(&self) -> impl Iterator<Item = StringRecord> {
        self.records().skip(1).map(|record| record.expect("read before"))
    }

    /// Gives a case the values of a row.
    pub(super) fn assign(&self, case: &mut M::Case, row: &StringRecord) -> Result<(), String> {
        let line = || self.line(row.position());
        if row.len() != self.columns.len() {
            let names: Vec<_> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
            return Err(format!(
                "{} line {}: {} where the first row has {}, {}",
                self.name,
                line(),
                counted(row.len() as u64, "value"),
                counted(names.len() as u64, "register"),
                brief(&names.join(","))
            ));
        }
        for ((name, target), values) in self.columns.iter().zip(row) {
            M::assign(case, target, values)
                .map_err(|wrong| format!("{} line {}, {name}: {wrong}", self.name, line()))?;
        }
        Ok(())
    }

    /// How many threads it has values for, in words.
    pub(super) fn described(&self) -> String {
        format!("{} has {}, one a thread", self.name, counted(self.rows, "row"))
    }

    fn unreadable(&self, error: &csv::Error) -> Failure {
        let line = self.line(error.position());
        Failure::input(format!("{} line {line}: it is not text (UTF-8)", self.name))
    }

    /// The line that a row is on; its position may be that of line ends before it.
    fn line(&self, position: Option<&csv::Position>) -> usize {
        let start = position.map_or(0, |position| position.byte() as usize);
        let ends = self.bytes[start..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
        let (before, ends) = (&self.bytes[..start], ends.count());
        let is_end = |byte: &&u8| **byte == b'\n';
        1 + before.iter().chain(&self.bytes[start..start + ends]).filter(is_end).count()
    }
}

/// The size of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Size {
    /// How many places it has.
    pub(super) fn places(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (width, height) = text.split_once('x').unwrap_or((text, "1"));
        let side = |text: &str| text.parse().ok().filter(|side| *side > 0);
        let size = match (side(width), side(height)) {
            (Some(width), Some(height)) => Self { width, height },
            _ => return Err("expected WIDTHxHEIGHT, as in 640x480, or a length".to_owned()),
        };
        if size.places() > MOST_PLACES {
            return Err(format!("a grid has at most {} places", grouped(MOST_PLACES)));
        }
        Ok(size)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// A grid whose places the channels of threads have, row by row from the top, one or two by two at a time.
pub(super) struct Grid<M: Dispatched> {
    pub(super) size: Size,
    /// Places of a thread.
    pub(super) channels: usize,
    in_quads: bool,
    /// Where column and row of each channel's place go.
    x: Option<M::Target>,
    y: Option<M::Target>,
}

impl<M: Dispatched> Grid<M> {
    /// A grid, where the registers for its places can hold them.
    pub(super) fn new(
        size: Size,
        channels: usize,
        in_quads: bool,
        [x, y]: [Option<&str>; 2],
        device: Device,
        case: &M::Case,
    ) -> Result<Self, Failure> {
        let axis = |option: &str, name: Option<&str>, last: u32| {
            let Some(name) = name else { return Ok(None) };
            let held = M::place(device, name).and_then(|target| {
                M::assign_numbers(&mut case.clone(), &target, &vec![last; channels])?;
                Ok(target)
            });
            held.map(Some).map_err(|wrong| Failure::input(format!("{option} {name}: {wrong}")))
        };
        let grid = Self {
            size,
            channels,
            in_quads,
            x: axis("--x", x, size.width - 1)?,
            y: axis("--y", y, size.height - 1)?,
        };
        if in_quads && [size.width, size.height].into_iter().any(|side| side % 2 == 1) {
            return Err(Failure::input(format!(
                "--quads: {size} is not made of squares of two by two"
            )));
        }
        if in_quads && !channels.is_multiple_of(4) {
            return Err(Failure::input(format!(
                "--quads: {channels} channels are not made of fours"
            )));
        }
        if grid.threads() > MOST_THREADS {
            return Err(Failure::input(format!(
                "--grid {size}: it is {}, and a dispatch has at most {}",
                grid.described(),
                grouped(MOST_THREADS)
            )));
        }
        Ok(grid)
    }

    /// How many threads it takes.
    pub(super) fn threads(&self) -> u64 {
        self.size.places().div_ceil(self.channels as u64)
    }

    /// The threads that it takes, in words.
    pub(super) fn described(&self) -> String {
        let channels = counted(self.channels as u64, "channel");
        format!("{} of {channels}", counted(self.threads(), "thread"))
    }

    /// Column and row of each place of a thread; the last may have fewer of them.
    pub(super) fn places(&self, thread: u64) -> impl ExactSizeIterator<Item = [u32; 2]> {
        let first = thread * self.channels as u64;
        let end = (first + self.channels as u64).min(self.size.places());
        let channels = 0..(end - first) as usize;
        channels.map(move |channel| self.place(first + channel as u64))
    }

    /// Column and row of a place of so many before it.
    fn place(&self, number: u64) -> [u32; 2] {
        let width = u64::from(self.size.width);
        if !self.in_quads {
            return [(number % width) as u32, (number / width) as u32];
        }
        let (quad, corner) = (number / 4, number as u32 % 4);
        let [column, row] = [quad % (width / 2), quad / (width / 2)].map(|quads| 2 * quads as u32);
        [column + corner % 2, row + corner / 2]
    }

    /// Gives a case the places of a thread, and enables the channels that have one.
    pub(super) fn assign(&self, case: &mut M::Case, thread: u64) -> Result<(), String> {
        M::enable(case, self.places(thread).len());
        for (axis, target) in [&self.x, &self.y].into_iter().enumerate() {
            let Some(target) = target else { continue };
            let numbers: Vec<_> = self.places(thread).map(|place| place[axis]).collect();
            M::assign_numbers(case, target, &numbers)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_products() {
        assert_eq!("640x480".parse(), Ok(Size { width: 640, height: 480 }));
        assert_eq!("7".parse(), Ok(Size { width: 7, height: 1 }));
        for mistake in ["", "x", "0x4", "4x0", "4x", "-1x4", "8192x8193", "4x4x4", "1e3"] {
            assert!(mistake.parse::<Size>().is_err(), "{mistake}");
        }
    }
}
