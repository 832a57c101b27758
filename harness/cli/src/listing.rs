//! Programs as `asm`, `disasm`, `check` and `exec` see them, whatever the device: instructions with
//! their machine code and text, and what is wrong with them.

use std::{cmp::Reverse, collections::BTreeMap, iter, path::Path};

use parallax_isa::{Syntax, eu::text::Diagnostic};
use parallax_spec::{Practice, RuleId, Severity};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    descriptor::DecodedDescriptor,
    failure::{Failure, note},
    unlisted::WithUnlisted,
};

/// A program that could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listing {
    /// All machine code.
    pub(crate) code: Vec<u8>,
    /// Instruction by instruction.
    pub(crate) instructions: Vec<Instruction>,
    /// Where it breaks rules of the manual.
    pub(crate) violations: Problems,
    /// Where it does not wait for what may be under way: the software scoreboard of Gen12. Results do not
    /// depend on it, so that it is still legal.
    pub(crate) hazards: Problems,
    /// Where it leads away from what was looked at for these.
    pub(crate) not_followed: Problems,
    /// Labels of its text: the byte offsets they stand for.
    pub(crate) labels: BTreeMap<String, usize>,
    /// The syntax that its text was read in, where its content showed it.
    pub(crate) read_as: Option<Syntax>,
    /// What its text says that was read otherwise.
    pub(crate) warnings: Problems,
    /// Its text, where that is more than its instructions one a line.
    pub(crate) assembly: Option<String>,
    /// Words that do not decode. They are listed like instructions; of a program that has some, only what
    /// each other instruction shows by itself is judged.
    pub(crate) undecodable: Problems,
}

/// An instruction in the JSON interface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Instruction {
    /// Offset in the program, in bytes.
    pub(crate) offset: usize,
    /// The bytes in memory order, as hex digits.
    pub(crate) hex: String,
    /// The assembly text.
    pub(crate) text: String,
    /// What an immediate message descriptor says, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    /// The same field by field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) descriptor: Option<DecodedDescriptor>,
    /// Whether it decodes and nothing of it is illegal.
    pub(crate) legal: bool,
    /// Severity of the worst rule that it breaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<crate::schema::foreign::Severity>")]
    pub(crate) level: Option<Severity>,
    /// Ids of the rules that it breaks, at any level.
    pub(crate) rules: Vec<&'static str>,
}

/// A rule that an instruction breaks: how bad that is, the rule, others that say the same.
pub(crate) type Broken<'a> = (Severity, RuleId, &'a [RuleId]);

impl Instruction {
    /// The same with what it breaks.
    pub(crate) fn judged<'a>(mut self, broken: impl IntoIterator<Item = Broken<'a>>) -> Self {
        for (severity, rule, also) in broken {
            self.level = self.level.max(Some(severity));
            self.rules.extend(iter::once(&rule).chain(also).map(|rule| rule.rule().id));
        }
        self.legal = self.level != Some(Severity::Illegal);
        self
    }
}

/// What is wrong with a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Problems {
    /// In order of lines.
    pub(crate) list: Vec<Problem>,
    /// The text that lines and columns count in: the program's own, or for machine code its
    /// disassembly; empty if there is none.
    pub(crate) source: String,
}

/// One thing that is wrong with a program. Lines and columns count from 1; in machine code the
/// line is the number of the instruction, as in its disassembly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Problem {
    /// Severity.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<crate::schema::foreign::Severity>")]
    pub(crate) level: Option<Severity>,
    /// Id of the broken rule; null if no rule says it, as for words that are no instruction.
    pub(crate) rule: Option<&'static str>,
    /// Ids of other rules that say the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) also: Vec<&'static str>,
    /// The line, from 1; in machine code the number of the instruction.
    pub(crate) line: usize,
    /// The column, from 1.
    pub(crate) column: usize,
    /// Number of characters.
    pub(crate) length: usize,
    /// What is wrong, in a sentence.
    pub(crate) message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) help: Option<String>,
    /// If less than illegal: who does it nevertheless.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<&'static str>,
}

impl Problem {
    /// Something illegal at a place, one character long.
    pub(crate) fn at(line: usize, column: usize, message: String) -> Self {
        Self {
            level: Some(Severity::Illegal),
            rule: None,
            also: Vec::new(),
            line,
            column,
            length: 1,
            message,
            help: None,
            source: None,
        }
    }

    /// The same with the rules that are broken.
    pub(crate) fn breaking(mut self, rules: &[RuleId]) -> Self {
        let mut ids = rules.iter().map(|rule| rule.rule().id);
        self.rule = ids.next();
        self.also = ids.collect();
        self
    }

    /// The same as something that published drivers do, if it is.
    pub(crate) fn practised(mut self, practice: Option<&'static Practice>) -> Self {
        if let Some(practice) = practice {
            self.level = Some(practice.severity);
            self.source = Some(practice.source);
        }
        self
    }

    fn is_illegal(&self) -> bool {
        self.level == Some(Severity::Illegal)
    }
}

/// Problems that are printed; the rest is counted.
const LISTED: usize = 20;

impl Problems {
    /// These and others of the same text, in order of lines.
    pub(crate) fn with(mut self, others: Self) -> Self {
        self.list.extend(others.list);
        self.list.sort_by_key(|problem| problem.line);
        self
    }

    /// The same of a text that was read in a syntax because its content showed it.
    pub(crate) fn read_as(mut self, syntax: Option<Syntax>) -> Self {
        if let (Some(syntax), Some(first)) = (syntax, self.list.first_mut()) {
            let said = format!("the text was read as {}; --syntax names another", syntax.title());
            first.help = Some(match first.help.take() {
                Some(help) => format!("{help}; {said}"),
                None => said,
            });
        }
        self
    }

    /// One problem that has no place in a text.
    pub(crate) fn of_code(line: usize, message: String) -> Self {
        Self { list: vec![Problem::at(line, 1, message)], source: String::new() }
    }

    /// Whether one of them makes a program illegal.
    pub(crate) fn has_illegal(&self) -> bool {
        self.list.iter().any(Problem::is_illegal)
    }

    /// How many there are of a level.
    pub(crate) fn count(&self, level: Severity) -> usize {
        self.list.iter().filter(|problem| problem.level == Some(level)).count()
    }

    /// The problems for people, what is illegal first: each with its place, and the line with the column
    /// marked.
    pub(crate) fn text(&self, path: &Path) -> String {
        let name = path.display().to_string();
        let mut problems: Vec<_> = self.list.iter().collect();
        problems.sort_by_key(|problem| Reverse(problem.level));
        let listed = problems.into_iter().take(LISTED).map(|problem| {
            let Problem { level, rule, also, line, column, length, message, help, source } =
                problem.clone();
            let rules: Vec<_> = rule.into_iter().chain(also).collect();
            let level = match level {
                Some(level) if level < Severity::Illegal => format!("{}: ", level.keyword()),
                _ => String::new(),
            };
            let message = match rules.as_slice() {
                [] => format!("{level}{message}"),
                rules => format!("{level}{message} [{}]", rules.join(", ")),
            };
            let help = help.or_else(|| source.map(str::to_owned));
            if self.source.is_empty() {
                let help = help.map(|help| format!("\n  = help: {help}")).unwrap_or_default();
                return format!("{name}:{line}:{column}: {message}{help}");
            }
            let diagnostic = Diagnostic { line, column, length, message, help };
            diagnostic.render(&name, &self.source).trim_end().to_owned()
        });
        let mut parts: Vec<String> = listed.collect();
        if let Some(more) = self.list.len().checked_sub(LISTED).filter(|&more| more > 0) {
            parts.push(format!("and {more} more"));
        }
        parts.join("\n")
    }

    /// The problems as the reason why a command cannot go on.
    pub(crate) fn failure(&self, path: &Path) -> Failure {
        Failure::input(self.text(path))
    }
}

/// The JSON interface of `asm` and `disasm`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json<'a> {
    /// The instructions.
    instructions: &'a [Instruction],
}

impl Listing {
    /// Whether anything of it is an instruction.
    pub(crate) fn has_decoded(&self) -> bool {
        self.undecodable.list.is_empty()
            || !self.violations.list.is_empty()
            || self.instructions.iter().any(|instruction| instruction.legal)
    }

    /// The JSON interface of `asm` and `disasm`.
    pub(crate) fn json(&self) -> Json<'_> {
        Json { instructions: &self.instructions }
    }

    /// Assembly text, an instruction a line, with offset and machine code before it and its message behind it
    /// if asked for.
    pub(crate) fn text(&self, with_offsets: bool, with_messages: bool) -> String {
        if let (Some(assembly), false) = (&self.assembly, with_offsets) {
            return assembly.clone();
        }
        let lines =
            self.instructions.iter().map(|Instruction { offset, hex, text, message, .. }| {
                let said = message.as_ref().filter(|_| with_messages);
                let said = said.map(|said| format!("    // {said}")).unwrap_or_default();
                match with_offsets {
                    true => format!("{offset:6}  {hex:<32}  {text}{said}"),
                    false => format!("{text}{said}"),
                }
            });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The listing without what is said of instructions that are allowed.
    pub(crate) fn allowing(mut self, allowed: &WithUnlisted) -> Self {
        let is_allowed = |problem: &Problem| {
            let mut rules = allowed.allow.iter().map(|unlisted| unlisted.rule().rule().id);
            rules.any(|rule| problem.rule == Some(rule))
        };
        self.violations.list.retain(|problem| !is_allowed(problem));
        self
    }

    /// Says which syntax the text was read in, if its content showed that it is another tool's, and what
    /// of it was read otherwise.
    pub(crate) fn say_syntax(&self, path: &Path) {
        if let Some(syntax) = self.read_as.filter(|syntax| *syntax != Syntax::Manual) {
            note(format_args!("{}: read as {}", path.display(), syntax.title()));
        }
        if !self.warnings.list.is_empty() {
            note(format_args!("warning: {}", self.warnings.text(path)));
        }
    }

    /// Reports violations of every level on standard error.
    pub(crate) fn warn(&self, path: &Path) {
        self.say_syntax(path);
        if !self.violations.list.is_empty() {
            note(self.violations.text(path));
        }
    }

    /// Reports violations of a program that runs nevertheless.
    pub(crate) fn warn_before_run(&self, path: &Path) {
        self.say_syntax(path);
        if !self.is_legal() {
            note(format_args!("warning: {}", self.violations.text(path)));
        }
    }

    /// The listing, if all of the program decodes.
    pub(crate) fn decoded(self) -> Result<Self, Problems> {
        if self.undecodable.list.is_empty() { Ok(self) } else { Err(self.undecodable) }
    }

    /// Whether nothing of the program is illegal.
    pub(crate) fn is_legal(&self) -> bool {
        !self.violations.has_illegal()
    }

    /// The listing, if nothing of the program is illegal.
    pub(crate) fn legal(mut self) -> Result<Self, Problems> {
        if self.is_legal() {
            return Ok(self);
        }
        self.violations.list.retain(Problem::is_illegal);
        Err(self.violations)
    }
}
