//! The rule catalogue: one testable statement of a manual each.

use std::fmt;

/// How binding a rule is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Behaviour every implementation has to show.
    Must,
    /// Behaviour the manual leaves open: nothing is compared.
    Undefined,
    /// Something programs must not do: checked by legality, not by execution.
    Restriction,
    /// Background that has no testable effect.
    Info,
}

/// One testable statement of a manual.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Rule {
    /// Dotted name, unique over all catalogues: `g45.inst.add.saturate`.
    pub id: &'static str,
    /// Subject class: `float`, `region`, `encoding`, …
    pub kind: &'static str,
    /// What the rule is about: an instruction, a register, a table.
    pub unit: &'static str,
    /// A few words.
    pub title: &'static str,
    /// Line numbers in the document.
    pub lines: &'static str,
    /// How binding it is.
    pub level: Level,
    /// The statement, precise enough to write a test from.
    pub rule: &'static str,
    /// Name of the catalogue file without its ending: `g45-instructions`.
    pub catalogue: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// Number of rules in the catalogue.
pub const COUNT: usize = IDS.len();

/// A rule by its place in [`RULES`]. Made from text only where the text is known to name a rule.
///
/// Written as its id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Deserialize)]
#[serde(try_from = "String")]
pub struct RuleId(u16);

impl TryFrom<String> for RuleId {
    type Error = String;

    fn try_from(id: String) -> Result<Self, String> {
        Self::find(&id).ok_or_else(|| format!("no rule has the id `{id}`"))
    }
}

impl RuleId {
    /// The rule of this id.
    ///
    /// # Panics
    /// If no rule has the id; in a constant that is a compile error, which is how [`rule_id!`] checks its argument.
    ///
    /// [`rule_id!`]: crate::rule_id
    #[must_use]
    pub const fn named(id: &str) -> Self {
        match position(&IDS, id) {
            Some(index) => Self(index as u16),
            None => panic!("no rule of the catalogue has this id"),
        }
    }

    /// The rule of this id, if there is one.
    #[must_use]
    pub fn find(id: &str) -> Option<Self> {
        position(&IDS, id).map(|index| Self(index as u16))
    }

    /// The rule at a place in [`RULES`], if there are so many.
    pub(crate) fn at(index: u16) -> Option<Self> {
        (usize::from(index) < COUNT).then_some(Self(index))
    }

    /// Place in [`RULES`].
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Every rule's id, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..COUNT as u16).map(Self)
    }

    /// The rule itself.
    #[must_use]
    pub fn rule(self) -> &'static Rule {
        &RULES[self.index()]
    }
}

impl fmt::Debug for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule().id)
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule().id)
    }
}

impl serde::Serialize for RuleId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.rule().id)
    }
}

/// Whether `decisions.md` has a decision of this id.
#[must_use]
pub const fn is_decision(id: &str) -> bool {
    position(&DECISION_IDS, id).is_some()
}

/// Binary search in a sorted list, usable in constants.
pub(crate) const fn position(sorted: &[&str], wanted: &str) -> Option<usize> {
    let (mut low, mut high) = (0, sorted.len());
    while low < high {
        let middle = low.midpoint(high);
        match compare(sorted[middle].as_bytes(), wanted.as_bytes()) {
            0 => return Some(middle),
            -1 => low = middle + 1,
            _ => high = middle,
        }
    }
    None
}

const fn compare(a: &[u8], b: &[u8]) -> i8 {
    let mut i = 0;
    while i < a.len() && i < b.len() {
        if a[i] != b[i] {
            return if a[i] < b[i] { -1 } else { 1 };
        }
        i += 1;
    }
    if a.len() == b.len() {
        0
    } else if a.len() < b.len() {
        -1
    } else {
        1
    }
}

/// The [`RuleId`] of a rule, checked at compile time: an unknown id does not build.
#[macro_export]
macro_rules! rule_id {
    ($id:expr) => {
        const { $crate::RuleId::named($id) }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_found_by_its_id() {
        for id in RuleId::all() {
            assert_eq!(RuleId::find(id.rule().id), Some(id));
        }
    }

    #[test]
    fn unknown_ids_are_not_found() {
        assert_eq!(RuleId::find("g45.inst.add.no-such-rule"), None);
        assert_eq!(RuleId::find(""), None);
        assert_eq!(RuleId::find("~"), None);
    }

    #[test]
    fn the_catalogue_is_whole() {
        assert_eq!(COUNT, 8469);
        assert_eq!(RULES.iter().filter(|r| r.level == Level::Must).count(), 6018);
    }
}
