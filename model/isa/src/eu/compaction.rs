//! The 64-bit compact form (G45 volume 4, section 11.6): five indices into fixed tables and the
//! register numbers. Both directions are exact.

use parallax_spec::{RuleId, coverage, rule, rule_id};

use super::encode::EncodeError;
use crate::{Device, device::Feature};

mod tables;

use tables::{CONTROL, DATA_TYPE, SOURCE, SUBREGISTER};

/// Whether a device has the compact form.
#[must_use]
pub const fn is_supported(device: Device) -> bool {
    device.has(Feature::Compaction)
}

/// Bit 29 tells the forms apart; in the 128-bit word it is zero.
const COMPACT_CONTROL: u64 = 1 << 29;

/// Fields that are copied: their lowest bit in the compact form, in the word, and their width.
const COPIED: [(u32, u32, u32); 8] = [
    (0, 0, 7),    // Opcode
    (7, 30, 1),   // DebugCtrl
    (23, 28, 1),  // MaskCtrlEx
    (24, 24, 4),  // CondModifier
    (28, 89, 1),  // FlagSubRegNum
    (40, 53, 8),  // destination register number
    (48, 69, 8),  // src0 register number
    (56, 101, 8), // src1 register number
];

/// A field that stands for an entry of a table.
struct Indexed {
    name: &'static str,
    /// The rules about its index and its entries.
    rules: [RuleId; 2],
    /// Lowest bit of the index in the compact form; an index is 5 bits.
    index: u32,
    entries: &'static [u32; 32],
    /// Where the entry goes: lowest bit in the word and width, the least significant part first.
    parts: &'static [(u32, u32)],
}

const INDEXED: [Indexed; 5] = [
    Indexed {
        name: "control",
        rules: [rule_id!("g45.compact.control-index"), rule_id!("g45.compact.control")],
        index: 8,
        entries: &CONTROL,
        parts: &[(8, 16), (31, 1)],
    },
    Indexed {
        name: "data type",
        rules: [rule_id!("g45.compact.datatype-index"), rule_id!("g45.compact.datatype")],
        index: 13,
        entries: &DATA_TYPE,
        parts: &[(32, 15), (61, 3)],
    },
    Indexed {
        name: "subregister",
        rules: [rule_id!("g45.compact.subreg-index"), rule_id!("g45.compact.subreg")],
        index: 18,
        entries: &SUBREGISTER,
        parts: &[(48, 5), (64, 5), (96, 5)],
    },
    Indexed {
        name: "source 0",
        rules: [rule_id!("g45.compact.src-index"), rule_id!("g45.compact.source")],
        index: 30,
        entries: &SOURCE,
        parts: &[(77, 12)],
    },
    Indexed {
        name: "source 1",
        rules: [rule_id!("g45.compact.src-index"), rule_id!("g45.compact.source")],
        index: 35,
        entries: &SOURCE,
        parts: &[(109, 12)],
    },
];

const fn ones(width: u32) -> u128 {
    (1 << width) - 1
}

impl Indexed {
    /// The entry's bits as they stand in a word.
    fn gather(&self, word: u128) -> u32 {
        self.parts
            .iter()
            .rev()
            .fold(0, |entry, &(low, width)| entry << width | (word >> low & ones(width)) as u32)
    }

    /// The word with only the entry's bits.
    fn scatter(&self, entry: u32) -> u128 {
        let mut rest = u128::from(entry);
        let mut word = 0;
        for &(low, width) in self.parts {
            word |= (rest & ones(width)) << low;
            rest >>= width;
        }
        word
    }
}

/// The 128-bit word that a compact instruction stands for. Every pattern stands for one.
#[must_use]
pub fn expand(compact: u64) -> u128 {
    rule!("g45.compact.bit");
    rule!("g45.compact.layout");
    rule!("g45.compact.fields");
    rule!("g45.compact.direct-bits");
    rule!("g45.compact.reserved-zero");
    rule!("g45.compact.tables");
    INDEXED.iter().flat_map(|field| field.rules).for_each(coverage::hit);
    word_of(compact)
}

/// [`expand`], without counting rules.
pub(super) fn word_of(compact: u64) -> u128 {
    let copied = COPIED.iter().fold(0, |word, &(from, to, width)| {
        word | (u128::from(compact) >> from & ones(width)) << to
    });
    INDEXED.iter().fold(copied, |word, field| {
        let index = compact >> field.index & 31;
        word | field.scatter(field.entries[index as usize])
    })
}

/// The compact form of a 128-bit word.
///
/// # Errors
/// If a table lacks the entry that the word needs, or the word has a bit set for which the compact
/// form has no place.
pub fn compacted(word: u128) -> Result<u64, EncodeError> {
    let mut compact = COMPACT_CONTROL;
    for (to, from, width) in COPIED {
        compact |= ((word >> from & ones(width)) as u64) << to;
    }
    for field in &INDEXED {
        let entry = field.gather(word);
        let index = field
            .entries
            .iter()
            .position(|&listed| listed == entry)
            .ok_or(EncodeError::NotCompactable { table: field.name, bits: entry.into() })?;
        compact |= (index as u64) << field.index;
    }
    match word_of(compact) ^ word {
        0 => Ok(compact),
        lost => Err(EncodeError::NotCompactable { table: "unmapped", bits: lost }),
    }
}

#[cfg(test)]
mod tests;
