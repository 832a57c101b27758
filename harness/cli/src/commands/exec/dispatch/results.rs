//! Where the results of threads go: lines of CSV and a picture.

use std::{
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
};

use parallax_lockstep::escape;

use super::{
    elements::Elements,
    machine::Dispatched,
    payload::Size,
    thread::{Ended, Looks},
    threads::Threads,
};
use crate::{
    commands::exec::Arguments,
    failure::Failure,
    files::{self, Pieces},
    output::{self, counted},
    picture::Kind,
};

/// What is printed and drawn of threads.
pub(super) struct Results {
    pub(super) looks: Looks,
    table: Table,
    picture: Option<Picture>,
}

/// Bytes of lines that are written to standard output at once.
const AT_ONCE: usize = 8 << 10;

/// Where lines of CSV go.
enum Table {
    Nowhere,
    /// Standard output, and the lines that are not written yet.
    Screen(String),
    File(Pieces),
}

/// A picture of the places of a grid.
struct Picture {
    path: PathBuf,
    kind: Kind,
    width: u32,
    pixels: Vec<[u8; 3]>,
}

impl Results {
    /// What arguments ask for, once it is known that it can be had.
    pub(super) fn new<M: Dispatched>(
        arguments: &Arguments,
        threads: &Threads<M>,
    ) -> Result<Self, Failure> {
        let Threads { case, count, .. } = threads;
        let dispatch = &arguments.dispatch;
        let mut printed = Vec::new();
        for list in &arguments.dump {
            let elements = M::elements(case, list);
            printed.extend(elements.map_err(|wrong| Failure::input(format!("--dump: {wrong}")))?);
        }
        if printed.is_empty() && dispatch.output.is_some() {
            return Err(Failure::input(
                "--output: say which registers of each thread are written there, as in --dump r4:f",
            ));
        }
        if arguments.json && !printed.is_empty() && dispatch.output.is_none() {
            return Err(Failure::input(
                "--json takes standard output: give --dump a file, as in --output registers.csv",
            ));
        }
        let mut drawn = Vec::new();
        let mut picture = None;
        if let (Some(path), Some(pixel), Some(grid)) =
            (&dispatch.image, &dispatch.pixel, &threads.grid)
        {
            drawn = lights::<M>(case, pixel, grid.channels)
                .map_err(|wrong| Failure::input(format!("--pixel {pixel}: {wrong}")))?;
            if *count != grid.threads() {
                return Err(Failure::input(format!(
                    "--image: a picture of {} takes {}, not {}",
                    grid.size,
                    grid.described(),
                    counted(*count, "thread")
                )));
            }
            picture = Some(Picture::new(path, grid.size)?);
        }
        let table = match &dispatch.output {
            _ if printed.is_empty() => Table::Nowhere,
            Some(path) if path != Path::new("-") => Table::File(Pieces::begin(path)?),
            _ => Table::Screen(String::new()),
        };
        Ok(Self { looks: Looks { printed, drawn }, table, picture })
    }

    /// Whether lines go to standard output.
    pub(super) fn are_printed(&self) -> bool {
        matches!(self.table, Table::Screen(_))
    }

    /// Whether lines go to a terminal.
    pub(super) fn are_watched(&self) -> bool {
        self.are_printed() && io::stdout().is_terminal()
    }

    /// Takes what the next thread came to.
    pub(super) fn take<M: Dispatched>(
        &mut self,
        threads: &Threads<M>,
        thread: u64,
        ended: &Ended,
    ) -> Result<(), Failure> {
        if let (Some(picture), Some(grid)) = (&mut self.picture, &threads.grid) {
            for ([column, row], colour) in grid.places(thread).zip(&ended.colours) {
                picture.pixels[row as usize * picture.width as usize + column as usize] = *colour;
            }
        }
        if thread == 0 {
            let columns = self.looks.printed.iter().flat_map(|elements| &elements.columns);
            let columns: Vec<_> = columns.map(String::as_str).collect();
            self.table.line(&format!("thread,outcome,{}\n", columns.join(",")))?;
        }
        self.table.line(&format!("{thread},{}{}\n", ended.outcome, ended.printed))
    }

    /// Writes what is left to write.
    pub(super) fn end(self) -> Result<(), Failure> {
        if let Some(Picture { path, kind, width, pixels }) = self.picture {
            files::write(&path, &kind.file(width, &pixels))?;
        }
        match self.table {
            Table::Nowhere => Ok(()),
            Table::Screen(lines) => {
                output::attempt(|stdout| stdout.write_all(escape::lines(&lines).as_bytes()));
                Ok(())
            }
            Table::File(file) => file.end(),
        }
    }
}

impl Table {
    fn line(&mut self, line: &str) -> Result<(), Failure> {
        match self {
            Self::Nowhere => Ok(()),
            Self::Screen(lines) => {
                lines.push_str(line);
                if lines.len() >= AT_ONCE {
                    output::attempt(|stdout| stdout.write_all(escape::lines(lines).as_bytes()));
                    lines.clear();
                }
                Ok(())
            }
            Self::File(file) => file.write(line),
        }
    }
}

impl Picture {
    fn new(path: &Path, size: Size) -> Result<Self, Failure> {
        let kind = Kind::of(path).ok_or_else(|| {
            let path = path.display();
            Failure::input(format!("--image {path}: expected a name that ends in .png or .ppm"))
        })?;
        files::check(path)?;
        let pixels = vec![[0; 3]; size.places() as usize];
        Ok(Self { path: path.to_owned(), kind, width: size.width, pixels })
    }
}

/// The elements that a picture is drawn from.
fn lights<M: Dispatched>(
    case: &M::Case,
    list: &str,
    channels: usize,
) -> Result<Vec<Elements>, String> {
    let elements = M::elements(case, list)?;
    if !matches!(elements.len(), 1 | 3) {
        return Err("expected one register for grey, or three for red, green and blue".to_owned());
    }
    for light in &elements {
        if let Some(why) = light.no_light() {
            return Err(why.to_owned());
        }
        if light.reach() < channels {
            return Err(format!("there are not {channels} elements from {} on", light.columns[0]));
        }
    }
    Ok(elements)
}
