//! What instructions were: how many of each mnemonic with its types, of each execution size, with each region.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What an instruction is, for those who count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    /// Mnemonic and types: `add :f <- :d, :d`.
    pub form: String,
    /// Its execution size, or how many instructions its group has; empty where there is no such thing.
    pub size: String,
    /// The regions of its sources: `<8;8,1>`.
    pub regions: Vec<String>,
}

/// How many instructions there were of each shape.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    /// By mnemonic and types.
    pub forms: BTreeMap<String, u64>,
    /// By execution size.
    pub sizes: BTreeMap<String, u64>,
    /// By the region of a source.
    pub regions: BTreeMap<String, u64>,
}

impl Spread {
    /// Counts an instruction.
    pub fn count(&mut self, Shape { form, size, regions }: Shape) {
        let named = |name: &String| !name.is_empty();
        for (counts, name) in [(&mut self.forms, form), (&mut self.sizes, size)] {
            if named(&name) {
                *counts.entry(name).or_default() += 1;
            }
        }
        for region in regions {
            *self.regions.entry(region).or_default() += 1;
        }
    }

    /// Adds the counts of others.
    pub fn merge(&mut self, other: &Self) {
        let pairs = [
            (&mut self.forms, &other.forms),
            (&mut self.sizes, &other.sizes),
            (&mut self.regions, &other.regions),
        ];
        for (counts, others) in pairs {
            add(counts, others);
        }
    }
}

fn add(counts: &mut BTreeMap<String, u64>, others: &BTreeMap<String, u64>) {
    for (name, count) in others {
        *counts.entry(name.clone()).or_default() += count;
    }
}
