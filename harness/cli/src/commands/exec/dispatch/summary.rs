//! What all threads of a dispatch came to.

use std::{ffi::OsString, time::Duration};

use parallax_isa::{Device, Outcome};
use parallax_lockstep::subject::UnderTest;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    machine::Dispatched,
    thread::{DIVERGENCE, Ended},
    threads::Threads,
};
use crate::{
    invocation,
    output::{Table, counted, grouped, quoted},
};

/// What all threads came to, for people and as JSON.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Summary {
    /// Number of threads.
    threads: u64,
    /// Places of the grid that a thread has.
    #[serde(skip_serializing_if = "Option::is_none")]
    channels: Option<usize>,
    /// The engine: `reference`, `executor`, `both` or a name.
    engine: String,
    /// How the threads ended.
    outcomes: Vec<Ending>,
    /// Threads in which the engines have different values where results are unspecified.
    #[serde(skip_serializing_if = "Option::is_none")]
    unspecified: Option<Unspecified>,
    /// Seconds that it took.
    elapsed_s: f64,
    /// Banks that an engine outside does not have.
    #[serde(skip)]
    not_compared: Vec<&'static str>,
    /// The engine beside the reference.
    #[serde(skip)]
    beside: Option<String>,
}

/// Threads with unspecified results.
#[derive(Debug, Serialize, JsonSchema)]
struct Unspecified {
    /// How many threads.
    threads: u64,
    /// Number of the first.
    first: u64,
    /// The command that shows the first by itself.
    command: String,
}

/// How some threads ended.
#[derive(Debug, Serialize, JsonSchema)]
struct Ending {
    /// The outcome, as of one thread.
    outcome: &'static str,
    /// How many threads ended so.
    threads: u64,
    /// Number of the first.
    first: u64,
    /// More about the outcome of the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// The command that shows the first by itself; left out for `halted` and `eot`.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
}

impl Summary {
    /// Nothing so far.
    pub(super) fn new<M: Dispatched>(threads: &Threads<M>, device: Device) -> Self {
        let under_test = threads.under_test.as_ref();
        let (engine, beside) = match under_test {
            Some(UnderTest::Named(name)) => (name.clone(), None),
            Some(outside) => ("both".to_owned(), Some(outside.name().to_owned())),
            None => ("both".to_owned(), Some("executor".to_owned())),
        };
        let not_compared = match under_test {
            Some(UnderTest::Outside(outside)) => outside.banks_it_lacks::<M>(device),
            _ => Vec::new(),
        };
        Self {
            threads: 0,
            channels: threads.grid.as_ref().map(|grid| grid.channels),
            engine,
            outcomes: Vec::new(),
            unspecified: None,
            elapsed_s: 0.0,
            not_compared,
            beside,
        }
    }

    /// Takes what a thread came to.
    pub(super) fn take(&mut self, thread: u64, ended: &Ended) {
        self.threads += 1;
        if ended.is_unspecified {
            let none = || Unspecified {
                threads: 0,
                first: thread,
                command: alone(invocation::arguments(), thread),
            };
            self.unspecified.get_or_insert_with(none).threads += 1;
        }
        if let Some(same) = self.outcomes.iter_mut().find(|end| end.outcome == ended.outcome) {
            same.threads += 1;
            return;
        }
        let (outcome, message) = (ended.outcome, ended.message.clone());
        let command = (!is_usual(outcome)).then(|| alone(invocation::arguments(), thread));
        self.outcomes.push(Ending { outcome, threads: 1, first: thread, message, command });
    }

    /// Ends the count.
    pub(super) fn end(&mut self, elapsed: Duration) {
        self.elapsed_s = elapsed.as_secs_f64();
    }

    /// Whether the engines differ in a thread.
    pub(super) fn differs(&self) -> bool {
        self.outcomes.iter().any(|end| end.outcome == DIVERGENCE)
    }

    /// What a person would like to know before all threads have ended.
    pub(super) fn remarkable(&self) -> String {
        let unusual = self.outcomes.iter().filter(|end| !is_usual(end.outcome));
        unusual.map(|end| format!(", {} {}", grouped(end.threads), end.outcome)).collect()
    }

    /// The summary for people.
    pub(super) fn text(&self) -> String {
        let mut text = counted(self.threads, "thread");
        if let Some(channels) = self.channels {
            text += &format!(" of {}", counted(channels as u64, "channel"));
        }
        let rate = self.threads as f64 / self.elapsed_s.max(1e-3);
        text += &format!(" in {:.1} s ({} a second)", self.elapsed_s, grouped(rate as u64));
        text += &match &self.beside {
            Some(name) if self.differs() => format!(", reference and {name} differ\n"),
            Some(name) if self.unspecified.is_some() => {
                format!(", reference and {name} agree on what is specified\n")
            }
            Some(name) => format!(", reference and {name} agree\n"),
            None => format!(" on the {}\n", self.engine),
        };
        let mut table = Table::new(&["outcome", ">threads", "first"]);
        for end in &self.outcomes {
            table.row([end.outcome.to_owned(), grouped(end.threads), end.first.to_string()]);
        }
        text += &table.to_string();
        for Ending { outcome, first, message, command, .. } in &self.outcomes {
            let Some(command) = command else { continue };
            let message = message.as_ref().map_or(String::new(), |message| format!(": {message}"));
            text += &format!("\n\nthread {first}, {outcome}{}\n  {command}", message.trim_end());
        }
        if let Some(Unspecified { threads, first, command }) = &self.unspecified {
            let threads = counted(*threads, "thread");
            text += &format!("\n\nunspecified results in {threads}, first in {first}\n  {command}");
        }
        if !self.not_compared.is_empty() {
            let name = self.beside.as_deref().unwrap_or(&self.engine);
            let banks = self.not_compared.join(", ");
            text += &format!("\n\nnot compared, as {name} does not have them: {banks}");
        }
        text
    }
}

/// Whether threads are meant to end so.
fn is_usual(outcome: &str) -> bool {
    [Outcome::Halted, Outcome::EndOfThread].iter().any(|usual| usual.keyword() == outcome)
}

/// Arguments with a value that one thread by itself does not have.
const OF_MANY: [&str; 5] = ["--dump", "--output", "--image", "--pixel", "--threads"];

/// The command that shows one thread of those that arguments run.
fn alone(arguments: impl Iterator<Item = OsString>, thread: u64) -> String {
    let mut words = vec!["parallax".to_owned()];
    let mut arguments = arguments.map(|word| word.to_string_lossy().into_owned());
    while let Some(word) = arguments.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word.as_str(), None),
        };
        if OF_MANY.contains(&name) {
            if value.is_none() {
                arguments.next();
            }
        } else if name != "--json" {
            words.push(quoted(&word));
        }
    }
    words.push(format!("--thread {thread}"));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_for_one_thread_is_that_for_all_without_what_only_many_have() {
        let all = "exec --device g45 a.asm --dump r4 --set r2:f=1 --image=a.png --json --threads 7";
        let words = all.split_whitespace().map(OsString::from).chain(["it's".into()]);
        assert_eq!(
            alone(words, 5),
            "parallax exec --device g45 a.asm --set r2:f=1 'it'\\''s' --thread 5"
        );
    }
}
