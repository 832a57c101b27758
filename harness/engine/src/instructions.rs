//! The instructions that an engine declares: their names, or each with what it has of them.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, SeqAccess, Visitor, value},
};

/// The instructions that an engine has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Instructions {
    /// All of each.
    Names(Vec<String>),
    /// What is said of each.
    Each(BTreeMap<String, Capability>),
}

/// What an engine has of an instruction; what is left out it has all of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capability {
    /// Types of destination and sources, each row a combination; a name of a set stands for each of its types: `int`,
    /// `float`, `byte`, `word`, `dword`, `quad`, `any`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub types: Option<Vec<Vec<String>>>,
    /// Execution sizes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_sizes: Option<Vec<u8>>,
    /// Regions of sources in Align1, as assembly has them, or `scalar` (`<0;1,0>`), `packed` (neighbours in their order),
    /// `immediate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regions: Option<Vec<String>>,
    /// Types of destinations for which it saturates, or their sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saturate: Option<Vec<String>>,
    /// Types of sources that may have modifiers, or their sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_modifiers: Option<Vec<String>>,
    /// Conditional modifiers: `e`, `ne`, `g`, `ge`, `l`, `le`, `o`, `u`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Vec<String>>,
    /// Whether it has predicates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicate: Option<bool>,
    /// Whether it has the access mode Align16.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub align16: Option<bool>,
}

impl Instructions {
    /// Their names.
    pub fn names(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        match self {
            Self::Names(names) => Box::new(names.iter().map(String::as_str)),
            Self::Each(each) => Box::new(each.keys().map(String::as_str)),
        }
    }

    /// Whether an instruction is among them.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }

    /// What the engine has of an instruction; `None` if all.
    #[must_use]
    pub fn capability(&self, name: &str) -> Option<&Capability> {
        match self {
            Self::Names(_) => None,
            Self::Each(each) => each.get(name),
        }
    }

    /// Those of them that `keep` holds for.
    #[must_use]
    pub fn only(&self, keep: impl Fn(&str) -> bool) -> Self {
        match self {
            Self::Names(names) => {
                Self::Names(names.iter().filter(|name| keep(name)).cloned().collect())
            }
            Self::Each(each) => {
                let kept = each.iter().filter(|(name, _)| keep(name));
                Self::Each(
                    kept.map(|(name, capability)| (name.clone(), capability.clone())).collect(),
                )
            }
        }
    }
}

impl<S: Into<String>> FromIterator<S> for Instructions {
    /// All of each of some instructions.
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        Self::Names(names.into_iter().map(Into::into).collect())
    }
}

impl<'de> Deserialize<'de> for Instructions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;

        impl<'de> Visitor<'de> for Read {
            type Value = Instructions;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of mnemonics, or an object of what is had of each")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Instructions, A::Error> {
                Deserialize::deserialize(value::SeqAccessDeserializer::new(list))
                    .map(Instructions::Names)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Instructions, A::Error> {
                Deserialize::deserialize(value::MapAccessDeserializer::new(map))
                    .map(Instructions::Each)
            }
        }

        deserializer.deserialize_any(Read)
    }
}
