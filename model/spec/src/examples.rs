//! Examples of restrictions (`model/spec/examples/*.toml`): for each a legal and an illegal program that
//! differ in little, or why no static check can see it.

use crate::RuleId;

/// What is said of a restriction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Example {
    /// Pairs of a legal and an illegal program, one for each exception or form of the rule.
    Pairs(&'static [Pair]),
    /// Why no static check can see it, in a sentence.
    NotStatic(&'static str),
}

/// A legal program, and a minimal change of it that breaks the rule and no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Pair {
    /// The device it is for.
    pub device: &'static str,
    /// Kind of an R700 program, where the rule depends on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program_type: Option<&'static str>,
    /// The legal program: assembly text, or machine code as hexadecimal text.
    pub legal: &'static str,
    /// The illegal one.
    pub illegal: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/examples.rs"));

/// What is said of a restriction; `None`: nothing.
#[must_use]
pub fn of(rule: RuleId) -> Option<Example> {
    let id = rule.rule().id;
    let index = EXAMPLES.binary_search_by_key(&id, |(id, ..)| id).ok()?;
    Some(EXAMPLES[index].2)
}

/// Every example: the rule's id, the catalogue that its file is named after, what the file says.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str, Example)> {
    EXAMPLES.iter().copied()
}
