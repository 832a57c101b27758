//! A divergence as text for people.

use std::fmt::{self, Write};

use parallax_isa::{LoadError, Step};

use crate::verdict::{Difference, Divergence, Element, Mismatch, Path};

/// Places listed in full; of the others only the number is given.
const LISTED: usize = 24;

/// Neighbouring differing bytes, written as one number, most significant byte first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Architectural name of the first byte.
    pub name: String,
    /// The numbers of the first and the last of them in their register, if they are bytes of one.
    pub bytes: Option<(usize, usize)>,
    /// The reference's bytes as hexadecimal digits.
    pub expected: String,
    /// The other engine's.
    pub actual: String,
}

impl Place {
    /// A place of one doubleword.
    pub(crate) fn of_word(name: String, expected: u32, actual: u32) -> Self {
        let (expected, actual) = (format!("{expected:08x}"), format!("{actual:08x}"));
        Self { name, bytes: None, expected, actual }
    }
}

impl Difference {
    /// The name of the first place that differs.
    pub(crate) fn first_place(&self) -> String {
        self.places().swap_remove(0).name
    }

    /// The places that differ, at least one: neighbouring bytes of an aligned doubleword together. For
    /// a difference in flow, one place called `flow`.
    #[must_use]
    pub fn places(&self) -> Vec<Place> {
        match self {
            Self::State(mismatches) => {
                let same_word = |a: &Mismatch, b: &Mismatch| {
                    a.offset + 1 == b.offset && a.offset / 4 == b.offset / 4
                };
                mismatches.chunk_by(same_word).map(place).collect()
            }
            Self::Load { expected, actual } => vec![Place {
                name: "load".to_owned(),
                bytes: None,
                expected: taken_up(expected.as_ref()),
                actual: taken_up(actual.as_ref()),
            }],
            Self::Flow { expected, actual } => vec![Place {
                name: "flow".to_owned(),
                bytes: None,
                expected: describe(expected),
                actual: describe(actual),
            }],
            Self::Digest { expected, actual } => vec![Place {
                name: "digest of the last state".to_owned(),
                bytes: None,
                expected: format!("{expected:08x}"),
                actual: format!("{actual:08x}"),
            }],
            Self::Failure { engine, error } => vec![Place {
                name: format!("answer of {engine}"),
                bytes: None,
                expected: "a step".to_owned(),
                actual: format!("none, as {error}"),
            }],
        }
    }
}

fn place(bytes: &[Mismatch]) -> Place {
    let hex = |byte: fn(&Mismatch) -> u8| {
        bytes.iter().rev().fold(String::new(), |mut text, mismatch| {
            let _ = write!(text, "{:02x}", byte(mismatch));
            text
        })
    };
    let name = bytes.first().map(|mismatch| mismatch.place.clone()).unwrap_or_default();
    let numbers = bytes.first().zip(bytes.last()).map(|(first, last)| (first.byte, last.byte));
    Place { name, bytes: numbers, expected: hex(|m| m.expected), actual: hex(|m| m.actual) }
}

fn taken_up(refused: Option<&LoadError>) -> String {
    refused.map_or("taken up".to_owned(), |why| format!("refused: {why}"))
}

fn describe(step: &Step) -> String {
    match step {
        Step::Continue => "goes on".to_owned(),
        Step::Finished(outcome) => outcome.to_string(),
    }
}

impl Divergence {
    /// The first thing that differs: an element as a number if its type is known, or else a place.
    #[must_use]
    pub fn first(&self) -> Place {
        match self.elements.first().cloned() {
            Some(Element { name, expected, actual, .. }) => {
                Place { name, bytes: None, expected, actual }
            }
            None => self.difference.places().swap_remove(0),
        }
    }

    /// The places that differ and are not part of an element.
    fn other_places(&self) -> Vec<Place> {
        let Difference::State(mismatches) = &self.difference else {
            return self.difference.places();
        };
        let is_shown = |mismatch: &&Mismatch| {
            self.elements.iter().any(|element| element.places.contains(&mismatch.offset))
        };
        let others: Vec<_> = mismatches.iter().filter(|m| !is_shown(m)).cloned().collect();
        Difference::State(others).places()
    }
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = match self.path {
            Path::Steps => "",
            Path::FreeRun => " (right on its own, wrong in a free run from the start)",
            Path::Repeated => " (right at first, wrong after the program has run many times)",
        };
        writeln!(f, "step {}: {}{path}", self.step, self.instruction)?;
        for operand in &self.operands {
            writeln!(f, "  {}", operand.name)?;
            for (row, values) in operand.channels.chunks(4).enumerate() {
                writeln!(f, "    [{:2}] {}", 4 * row, values.join("  "))?;
            }
        }
        if !self.elements.is_empty() {
            writeln!(f, "  {:<22}  {:<33}  actual", "differing", "expected")?;
        }
        for Element { name, expected, actual, .. } in self.elements.iter().take(LISTED) {
            let (expected, actual) = mark_digits(expected, actual);
            writeln!(f, "  {name:<22}  {expected:<33}  {actual}")?;
        }
        if let Some(more) = self.elements.len().checked_sub(LISTED).filter(|more| *more > 0) {
            writeln!(f, "  and {more} elements more")?;
        }
        let places = self.other_places();
        if !places.is_empty() {
            writeln!(f, "  differing{:>13}  {:<7}  {:<24}  actual", "", "bytes", "expected")?;
        }
        for place in places.iter().take(LISTED) {
            let (expected, actual) = mark(&place.expected, &place.actual);
            let bytes = match place.bytes {
                Some((first, last)) if first == last => first.to_string(),
                Some((first, last)) => format!("{first}..{last}"),
                None => String::new(),
            };
            writeln!(f, "  {:<22}  {bytes:<7}  {expected:<24}  {actual}", place.name)?;
        }
        if places.len() > LISTED {
            writeln!(f, "  and {} places more", places.len() - LISTED)?;
        }
        let (own, shared) = self.rules.split_at(self.implicated.min(self.rules.len()));
        let own: Vec<_> = own.iter().map(ToString::to_string).collect();
        write!(f, "  rules: {}", own.join(" "))?;
        match shared.len() {
            0 => Ok(()),
            more => write!(f, " and {more} that other instructions apply too"),
        }
    }
}

/// Puts the digits that differ in brackets, of a number and its hexadecimal digits only of those.
fn mark_digits(expected: &str, actual: &str) -> (String, String) {
    let (Some((number, digits)), Some((other, other_digits))) =
        (expected.rsplit_once(' '), actual.rsplit_once(' '))
    else {
        return mark(expected, actual);
    };
    let (digits, other_digits) = mark(digits, other_digits);
    (format!("{number} {digits}"), format!("{other} {other_digits}"))
}

/// Puts the digits that differ in brackets.
fn mark(expected: &str, actual: &str) -> (String, String) {
    if expected.len() != actual.len() || !expected.is_ascii() || !actual.is_ascii() {
        return (expected.to_owned(), actual.to_owned());
    }
    let pairs = || expected.chars().zip(actual.chars());
    let Some(first) = pairs().position(|(e, a)| e != a) else {
        return (expected.to_owned(), actual.to_owned());
    };
    let last = expected.len()
        - pairs().collect::<Vec<_>>().iter().rev().position(|(e, a)| e != a).unwrap_or(0);
    let bracket =
        |text: &str| format!("{}[{}]{}", &text[..first], &text[first..last], &text[last..]);
    (bracket(expected), bracket(actual))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_that_differ_are_marked() {
        assert_eq!(mark("3f800000", "3f900010"), ("3f[80000]0".into(), "3f[90001]0".into()));
        assert_eq!(mark("halted", "goes on"), ("halted".into(), "goes on".into()));
    }

    #[test]
    fn bytes_of_a_doubleword_are_one_place() {
        let byte = |offset, actual| Mismatch {
            offset,
            place: format!("r0.{offset}"),
            byte: offset,
            expected: 0,
            actual,
        };
        let difference = Difference::State(vec![byte(2, 1), byte(3, 2), byte(4, 3)]);
        let places = difference.places();
        assert_eq!(places.len(), 2);
        assert_eq!((&*places[0].name, &*places[0].actual), ("r0.2", "0201"));
        assert_eq!((places[0].bytes, places[1].bytes), (Some((2, 3)), Some((4, 4))));
    }
}
