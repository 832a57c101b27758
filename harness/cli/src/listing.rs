//! Programs as `asm`, `disasm`, `check` and `exec` see them, whatever the device: instructions with
//! their machine code and text, and what is wrong with them.

use std::{fmt::Write, path::Path};

use parallax_isa::{Device, device::Family};
use serde::Serialize;

use crate::{eu, failure::Failure, program::Content};

/// A program that could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listing {
    /// All machine code.
    pub(crate) code: Vec<u8>,
    /// Instruction by instruction.
    pub(crate) instructions: Vec<Instruction>,
    /// Where it breaks rules of the manual.
    pub(crate) violations: Vec<Problem>,
}

/// An instruction in the JSON interface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Instruction {
    /// Byte offset in the program.
    pub(crate) offset: usize,
    /// Bytes in memory order.
    pub(crate) hex: String,
    /// Assembly text.
    pub(crate) text: String,
    /// Whether it breaks no rule.
    pub(crate) legal: bool,
    /// The rules it breaks.
    pub(crate) rules: Vec<&'static str>,
}

/// One thing that is wrong with a program. Lines and columns count from 1; in machine code the
/// line is the number of the instruction, as in its disassembly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Problem {
    /// The rule that is broken, if one of the manual is.
    pub(crate) rule: Option<&'static str>,
    /// Line.
    pub(crate) line: usize,
    /// Column.
    pub(crate) column: usize,
    /// What is wrong, in a sentence.
    pub(crate) message: String,
    /// The line itself.
    #[serde(skip)]
    pub(crate) source: String,
}

/// Everything that is wrong with a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problems(pub(crate) Vec<Problem>);

/// Problems that are printed; the rest is counted.
const LISTED: usize = 20;

impl Problems {
    /// The problems for people: each with its place, and the line with the column marked.
    pub(crate) fn text(&self, path: &Path) -> String {
        let mut text = String::new();
        for Problem { rule, line, column, message, source } in self.0.iter().take(LISTED) {
            let rule = rule.map(|rule| format!(" [{rule}]")).unwrap_or_default();
            writeln!(text, "{}:{line}:{column}: {message}{rule}", path.display())
                .expect("writing to a string");
            if !source.is_empty() {
                let mark: String = source.chars().take(column - 1).map(blank).collect();
                writeln!(text, "    {source}\n    {mark}^").expect("writing to a string");
            }
        }
        if let Some(more) = self.0.len().checked_sub(LISTED).filter(|&more| more > 0) {
            writeln!(text, "and {more} more").expect("writing to a string");
        }
        text.trim_end().to_owned()
    }

    /// The problems as the reason why a command cannot go on.
    pub(crate) fn failure(&self, path: &Path) -> Failure {
        Failure::input(self.text(path))
    }
}

/// What stands above a mark: tabs stay tabs.
fn blank(character: char) -> char {
    if character == '\t' { '\t' } else { ' ' }
}

#[expect(dead_code, reason = "asm and disasm come next")]
/// The JSON interface of `asm` and `disasm`.
#[derive(Serialize)]
pub(crate) struct Json<'a> {
    instructions: &'a [Instruction],
}

#[expect(dead_code, reason = "asm and disasm come next")]
impl Listing {
    /// The JSON interface of `asm` and `disasm`.
    pub(crate) fn json(&self) -> Json<'_> {
        Json { instructions: &self.instructions }
    }

    /// Assembly text, an instruction a line, with offset and machine code before it if asked for.
    pub(crate) fn text(&self, with_offsets: bool) -> String {
        let lines = self.instructions.iter().map(|Instruction { offset, hex, text, .. }| {
            if with_offsets { format!("{offset:6}  {hex:<32}  {text}") } else { text.clone() }
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Reports violations on standard error.
    pub(crate) fn warn(&self, path: &Path) {
        if !self.violations.is_empty() {
            eprintln!("{}", Problems(self.violations.clone()).text(path));
        }
    }

    /// The listing, if the program breaks no rule.
    pub(crate) fn legal(self) -> Result<Self, Problems> {
        if self.violations.is_empty() { Ok(self) } else { Err(Problems(self.violations)) }
    }
}

/// Reads a program for a device.
pub(crate) fn of(device: Device, content: Content) -> Result<Listing, Problems> {
    match device.family() {
        Family::Eu => eu::listing::of(device, content),
        Family::R700 => Err(Problems(vec![Problem {
            rule: None,
            line: 1,
            column: 1,
            message: format!("programs for {device} are not modelled yet"),
            source: String::new(),
        }])),
    }
}
