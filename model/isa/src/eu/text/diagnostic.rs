//! What is wrong with an assembly text, and where.

use std::fmt::Write as _;

/// A mistake in an assembly text.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Diagnostic {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Characters it spans, at least 1.
    pub length: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it, where that is known.
    pub help: Option<String>,
}

impl Diagnostic {
    /// The same with a suggestion.
    #[must_use]
    pub(super) fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// The diagnostic for people: place, message, the line with carets, help. `name` is what the
    /// text is called (a file name), `source` the text itself.
    #[must_use]
    pub fn render(&self, name: &str, source: &str) -> String {
        let line = source.lines().nth(self.line - 1).unwrap_or_default();
        let line: String = line.chars().map(|c| if c == '\t' { ' ' } else { c }).collect();
        let (shown, column) = window(&line, self.column);
        let number = self.line.to_string();
        let gutter = " ".repeat(number.len());
        let left = shown.chars().count().saturating_sub(column - 1).max(1);
        let carets = "^".repeat(self.length.clamp(1, left));
        let indent = " ".repeat(column - 1);
        let mut text = format!("{name}:{}:{}: {}\n", self.line, self.column, self.message);
        let _ = writeln!(text, "{gutter} |");
        let _ = writeln!(text, "{number} | {}", shown.trim_end());
        let _ = writeln!(text, "{gutter} | {indent}{carets}");
        if let Some(help) = &self.help {
            let _ = writeln!(text, "{gutter} = help: {help}");
        }
        text
    }
}

/// Most characters of a line that are shown.
const WIDTH: usize = 120;

/// The part of a line around a column, and the column in that part.
fn window(line: &str, column: usize) -> (String, usize) {
    if line.chars().count() <= WIDTH {
        return (line.to_owned(), column);
    }
    let first = column.saturating_sub(WIDTH / 2);
    (line.chars().skip(first).take(WIDTH).collect(), column - first)
}
