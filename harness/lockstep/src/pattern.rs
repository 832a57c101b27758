//! Patterns: instructions by what they have in common, in words, as findings have it:
//! `any instruction with NoMask`, `mov with :vf`, `add :f <- :d, :d`, `xor`.

use serde::{Deserialize, Serialize};

use crate::form::Form;

/// Some instructions of a device.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Pattern {
    /// The pattern in words.
    pub text: String,
    mnemonic: Option<String>,
    /// The place of a feature that they have.
    feature: Option<u8>,
    /// Mnemonic and types.
    name: Option<String>,
}

impl Pattern {
    /// The instructions of a mnemonic, of any if there is none, that have a feature or a name, if one is given.
    pub(crate) const fn new(
        text: String,
        mnemonic: Option<String>,
        feature: Option<u8>,
        name: Option<String>,
    ) -> Self {
        Self { text, mnemonic, feature, name }
    }

    /// The instructions of a mnemonic.
    #[must_use]
    pub fn of_mnemonic(mnemonic: &str) -> Self {
        Self::new(mnemonic.to_owned(), Some(mnemonic.to_owned()), None, None)
    }

    /// Whether an instruction matches.
    #[must_use]
    pub fn is_of(&self, form: &Form) -> bool {
        !form.name.is_empty()
            && self.mnemonic.as_deref().is_none_or(|mnemonic| mnemonic == form.mnemonic())
            && self.feature.is_none_or(|feature| form.features.has(feature))
            && self.name.as_deref().is_none_or(|name| name == form.name)
    }

    /// How many match of some instructions with the same name, by how many there are without and with each
    /// feature.
    pub(crate) fn count(&self, name: &str, split: impl Fn(u8) -> [u64; 2], all: u64) -> u64 {
        let form = Form { name: name.to_owned(), ..Form::default() };
        let of_mnemonic = Self { feature: None, ..self.clone() };
        match self.feature {
            _ if !of_mnemonic.is_of(&form) => 0,
            None => all,
            Some(feature) => split(feature)[1],
        }
    }
}
