//! What an engine outside is named by: the command that starts it, or the socket that it listens at; and how
//! much it may take.

use std::time::Duration;

/// What starts an engine in a process of its own: `cmd:` and words.
pub const PREFIX: &str = "cmd:";

/// Where an engine listens that runs already: `unix:` and the path of its socket.
pub const SOCKET: &str = "unix:";

/// Whether a name is that of an engine outside of this process.
#[must_use]
pub fn is_outside(name: &str) -> bool {
    name.starts_with(PREFIX) || name.starts_with(SOCKET)
}

/// The name of the engine with a command, as [`super::Outside::command`] has it.
#[must_use]
pub fn name_of(command: &str) -> String {
    if command.starts_with(SOCKET) { command.to_owned() } else { format!("{PREFIX}{command}") }
}

/// What an engine may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Time that is spent waiting for it in one case.
    pub time: Duration,
    /// Bytes of address space; `None` for as many as it likes.
    pub memory: Option<u64>,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { time: Duration::from_secs(2), memory: Some(4 << 30) }
    }
}

/// A program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) words: Vec<String>,
}

impl Program {
    /// Divides a command into words, at spaces that are not between quotes or behind a backslash.
    pub(super) fn of(command: &str) -> Result<Self, String> {
        let mut words = Vec::new();
        let mut word: Option<String> = None;
        let mut quote = None;
        let mut characters = command.chars();
        while let Some(character) = characters.next() {
            match (character, quote) {
                (end, Some(start)) if end == start => quote = None,
                ('\\', None | Some('"')) => {
                    word.get_or_insert_default().extend(characters.next());
                }
                ('"' | '\'', None) => {
                    quote = Some(character);
                    word.get_or_insert_default();
                }
                (space, None) if space.is_whitespace() => words.extend(word.take()),
                _ => word.get_or_insert_default().push(character),
            }
        }
        if quote.is_some() {
            return Err(format!("the command `{command}` has a quote without an end"));
        }
        words.extend(word);
        match words.first().map(String::as_str) {
            None | Some("") => Err("the command after `cmd:` is empty".to_owned()),
            Some(_) => Ok(Self { words }),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("./mine --flag  x", &["./mine", "--flag", "x"])]
    #[case("'my engine' \"a \\\" b\" c\\ d ''", &["my engine", "a \" b", "c d", ""])]
    fn commands_are_words(#[case] command: &str, #[case] words: &[&str]) {
        assert_eq!(Program::of(command).expect("words").words, words);
    }

    #[rstest]
    #[case("")]
    #[case("   ")]
    #[case("'open")]
    #[case("''")]
    fn mistakes_are_said(#[case] command: &str) {
        assert!(Program::of(command).is_err());
    }
}
