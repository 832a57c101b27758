//! The first words of an engine.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::instructions::Instructions;

/// The newest version of the protocol; the others, from 1 on, are spoken too.
pub const VERSION: u32 = 2;

/// What an engine is and what it has. A list that is left out means all there is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// Its name, for people.
    pub name: String,
    /// The machine whose cases it runs.
    #[serde(default = "execution_units")]
    pub machine: String,
    /// The devices whose cases it runs.
    pub devices: Vec<String>,
    /// The banks of state that it has. Frames name a bank by its number in this list.
    pub banks: Vec<String>,
    /// Whether it can stop after so many steps; else it only runs to the end.
    #[serde(default = "yes")]
    pub steps: bool,
    /// Whether an engine that only runs to the end takes several starts of a program at once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub batch: bool,
    /// The instructions that it has: their mnemonics, or what it has of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Instructions>,
    /// The operand types that it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub types: Option<Vec<String>>,
    /// What it has beyond plain instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<Vec<String>>,
    /// The numbers of the shared functions whose messages it answers itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<u8>>,
    /// The accounts of an R700 machine that it follows, `manual` or `silicon`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profiles: Option<Vec<String>>,
    /// What it does not claim to have right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weaknesses: Option<Vec<String>>,
    /// How many units in the last place the results of functions may be off, by mnemonic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approximations: Option<BTreeMap<String, u32>>,
}

fn execution_units() -> String {
    "eu".to_owned()
}

const fn yes() -> bool {
    true
}

impl Hello {
    /// Whether it has an instruction; one that lists none has all.
    #[must_use]
    pub fn has_instruction(&self, name: &str) -> bool {
        self.instructions.as_ref().is_none_or(|instructions| instructions.has(name))
    }

    /// An engine of execution units that can step and has every instruction.
    #[must_use]
    pub fn new(name: &str, devices: &[&str], banks: &[&str]) -> Self {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            protocol: VERSION,
            name: name.to_owned(),
            machine: execution_units(),
            devices: owned(devices),
            banks: owned(banks),
            steps: true,
            batch: false,
            instructions: None,
            types: None,
            features: None,
            messages: None,
            profiles: None,
            weaknesses: None,
            approximations: None,
        }
    }
}
