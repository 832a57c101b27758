//! What published drivers do against the manuals (`model/spec/practices.toml`): a check that finds it
//! does not call the program illegal.

use crate::rules::position;

/// How bad a broken restriction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A workaround for faulty hardware that published drivers keep, and a program may not need.
    Erratum,
    /// The manual forbids it, published drivers do it, and hardware runs it.
    Warning,
    /// The manual forbids it.
    Illegal,
}

impl Severity {
    /// The word of the JSON interface.
    #[must_use]
    pub const fn keyword(self) -> &'static str {
        match self {
            Self::Erratum => "erratum",
            Self::Warning => "warning",
            Self::Illegal => "illegal",
        }
    }
}

/// Something that published drivers do against the manuals, or a workaround that only drivers speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Practice {
    /// Its name in `practices.toml`.
    pub name: &'static str,
    /// What a check says of it: never [`Severity::Illegal`].
    pub severity: Severity,
    /// The devices it is about.
    pub devices: &'static [&'static str],
    /// The ids of the rules that it breaks.
    pub rules: &'static [&'static str],
    /// What is done, in a few words.
    pub what: &'static str,
    /// Who does it, or who says that it is needed.
    pub source: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/practices.rs"));

impl Practice {
    /// The practice of this name.
    ///
    /// # Panics
    /// If there is none; in a constant that is a compile error, which is how [`practice!`] checks its
    /// argument.
    ///
    /// [`practice!`]: crate::practice!
    #[must_use]
    pub const fn named(name: &str) -> &'static Self {
        match position(&NAMES, name) {
            Some(index) => &PRACTICES[index],
            None => panic!("practices.toml has no practice of this name"),
        }
    }
}

/// A practice of `practices.toml` by its name, checked at compile time.
#[macro_export]
macro_rules! practice {
    ($name:expr) => {
        const { $crate::Practice::named($name) }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Level, RuleId};

    /// A practice is about restrictions of the catalogue, and says who does it. What only drivers avoid, the
    /// manual may allow.
    #[test]
    fn practices_break_restrictions() {
        for practice in &PRACTICES {
            let name = practice.name;
            assert!(!practice.rules.is_empty() && !practice.devices.is_empty(), "{name}");
            assert!(practice.source.ends_with('.'), "{name}: the source is a sentence");
            for id in practice.rules {
                let rule = RuleId::find(id).unwrap_or_else(|| panic!("{name}: no rule {id}"));
                let is_restriction = rule.rule().level == Level::Restriction;
                assert!(is_restriction || practice.severity == Severity::Erratum, "{name}: {id}");
            }
        }
    }
}
