//! Printing: text, JSON and tables on standard output.

use std::{
    borrow::Cow,
    fmt::Display,
    io::{self, BufWriter, StdoutLock, Write},
    path::Path,
    sync::OnceLock,
};

use parallax_lockstep::escape;
pub(crate) use parallax_lockstep::words::brief;
use serde::{Serialize, Serializer};

/// Columns that text is wrapped to.
const WIDTH: usize = 100;

/// The first error of standard output, after which nothing more is written to it.
static ERROR: OnceLock<io::Error> = OnceLock::new();

/// What went wrong with standard output, if anything did. A reader that closed the pipe (`| head`) has all it
/// wanted: that is no error.
pub(crate) fn error() -> Option<&'static io::Error> {
    ERROR.get().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
}

/// Writes to standard output. An error ends no command, since its exit code may be a verdict that does not
/// depend on whether anybody reads it: it is kept for [`error`].
pub(crate) fn attempt(write: impl FnOnce(&mut StdoutLock) -> io::Result<()>) {
    if ERROR.get().is_some() {
        return;
    }
    let mut stdout = io::stdout().lock();
    if let Err(error) = write(&mut stdout).and_then(|()| stdout.flush()) {
        // Nobody else has set it: standard output is locked.
        let _ = ERROR.set(error);
    }
}

/// Prints a text and a line end; foreign text in it is escaped.
pub(crate) fn print(text: impl Display) {
    let text = text.to_string();
    attempt(|stdout| writeln!(stdout, "{}", escape::lines(&text)));
}

/// How foreign text is escaped in what is printed.
pub(crate) type Escape = fn(&str) -> Cow<'_, str>;

/// Prints what is written piece by piece; foreign text in it is escaped.
pub(crate) fn stream(escape: Escape, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
    attempt(|stdout| {
        let mut stdout = Escaping::new(BufWriter::new(stdout), escape);
        write(&mut stdout).and_then(|()| stdout.flush())
    });
}

/// A writer of text that escapes foreign text.
pub(crate) struct Escaping<W> {
    to: W,
    escape: Escape,
    /// The start of a character whose other bytes are still to come.
    begun: Vec<u8>,
}

impl<W: Write> Escaping<W> {
    /// Writes to another writer.
    pub(crate) fn new(to: W, escape: Escape) -> Self {
        Self { to, escape, begun: Vec::new() }
    }
}

impl<W: Write> Write for Escaping<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut joined = std::mem::take(&mut self.begun);
        joined.extend_from_slice(bytes);
        for chunk in joined.utf8_chunks() {
            self.to.write_all((self.escape)(chunk.valid()).as_bytes())?;
            // Only at the end a character may be incomplete; its bytes are at most three.
            let is_last = joined.ends_with(chunk.invalid());
            match str::from_utf8(chunk.invalid()) {
                Err(error) if error.error_len().is_none() && is_last => {
                    self.begun = chunk.invalid().to_vec();
                }
                Err(_) => self.to.write_all("\u{FFFD}".as_bytes())?,
                Ok(_) => {}
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// A path as text for JSON, whatever bytes its name has: those that are no UTF-8 become U+FFFD.
pub(crate) fn path_text<S: Serializer>(
    path: impl AsRef<Path>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.as_ref().display())
}

/// The same of a path that may be missing.
pub(crate) fn optional_path_text<P: AsRef<Path>, S: Serializer>(
    path: &Option<P>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => path_text(path, serializer),
        None => serializer.serialize_none(),
    }
}

/// Prints a value as indented JSON.
pub(crate) fn print_json(value: &impl Serialize) {
    print(to_json(value));
}

/// A value as indented JSON.
pub(crate) fn to_json(value: &impl Serialize) -> String {
    let document = serde_json::to_string_pretty(value);
    let document = document.expect("keys and paths are text, values finite");
    escape::json(&document).into_owned()
}

/// A text wrapped and indented by `indent` spaces.
pub(crate) fn wrap(text: &str, indent: usize) -> String {
    let indent = " ".repeat(indent);
    let options = textwrap::Options::new(WIDTH).initial_indent(&indent).subsequent_indent(&indent);
    textwrap::fill(text, options)
}

/// Columns of text. Those whose heading starts with `>` stand at the right edge.
pub(crate) struct Table<'h> {
    headings: Vec<&'h str>,
    rows: Vec<Vec<String>>,
}

impl<'h> Table<'h> {
    pub(crate) fn new(headings: &[&'h str]) -> Self {
        Self { headings: headings.to_vec(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: impl Into<Vec<String>>) {
        let cells: Vec<String> = cells.into();
        let cells: Vec<_> = cells.iter().map(|cell| escape::line(cell).into_owned()).collect();
        debug_assert_eq!(cells.len(), self.headings.len(), "a cell for every heading");
        self.rows.push(cells);
    }
}

impl Display for Table<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let headings: Vec<String> =
            self.headings.iter().map(|h| h.trim_start_matches('>').to_owned()).collect();
        let rows = || std::iter::once(&headings).chain(&self.rows);
        let width = |n: usize| rows().map(|row| row[n].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..headings.len()).map(width).collect();
        for (number, row) in rows().enumerate() {
            let mut line = String::new();
            for ((cell, heading), &width) in row.iter().zip(&self.headings).zip(&widths) {
                line += &match heading.starts_with('>') {
                    true => format!("{cell:>width$}  "),
                    false => format!("{cell:<width$}  "),
                };
            }
            f.write_str(line.trim_end())?;
            if number < self.rows.len() {
                f.write_str("\n")?;
            }
        }
        Ok(())
    }
}

/// A number with its thousands grouped: `12,345`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Bytes as hex digits, in memory order.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `1 rule`, `2 rules`.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", grouped(number))
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("--time"), "--time");
        assert_eq!(quoted("cmd:python3 it's.py"), "'cmd:python3 it'\\''s.py'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn pieces_are_escaped_wherever_they_are_cut() {
        let text = "na\u{EF}ve \u{1b}[2J\u{202E}\u{9b}\u{E0041} done";
        for length in 1..text.len() {
            let mut written = Vec::new();
            let mut to = Escaping::new(&mut written, escape::lines);
            text.as_bytes().chunks(length).for_each(|piece| to.write_all(piece).expect("memory"));
            assert_eq!(String::from_utf8_lossy(&written), escape::lines(text), "{length}");
        }
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(12_345_678), "12,345,678");
    }

    #[test]
    fn numbers_stand_at_the_right() {
        let mut table = Table::new(&["name", ">cases"]);
        table.row(["eu".into(), "1,000".into()]);
        table.row(["formats".into(), "7".into()]);
        assert_eq!(table.to_string(), "name     cases\neu       1,000\nformats      7");
    }
}
