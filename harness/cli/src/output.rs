//! Printing: text, JSON and tables on standard output.

use std::{
    fmt::Display,
    io::{self, BufWriter, Write},
};

pub(crate) use parallax_lockstep::words::brief;
use serde::Serialize;

use crate::failure::Failure;

/// Columns that text is wrapped to.
const WIDTH: usize = 100;

/// Prints a text and a line end.
pub(crate) fn print(text: impl Display) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{text}").and_then(|()| stdout.flush()).map_err(Failure::Output)
}

/// Prints what is written bit by bit.
pub(crate) fn stream(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut stdout = BufWriter::new(io::stdout().lock());
    write(&mut stdout).and_then(|()| stdout.flush()).map_err(Failure::Output)
}

/// Prints a value as indented JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    print(to_json(value))
}

/// A value as indented JSON.
pub(crate) fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("keys are text and values finite")
}

/// A text wrapped and indented by `indent` spaces.
pub(crate) fn wrap(text: &str, indent: usize) -> String {
    let indent = " ".repeat(indent);
    let options = textwrap::Options::new(WIDTH).initial_indent(&indent).subsequent_indent(&indent);
    textwrap::fill(text, options)
}

/// Columns of text. Those whose heading starts with `>` stand at the right edge.
pub(crate) struct Table {
    headings: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(headings: &[&'static str]) -> Self {
        Self { headings: headings.to_vec(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: impl Into<Vec<String>>) {
        let cells = cells.into();
        debug_assert_eq!(cells.len(), self.headings.len(), "a cell for every heading");
        self.rows.push(cells);
    }
}

impl Display for Table {
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
