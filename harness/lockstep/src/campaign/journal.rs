//! The journal of a campaign: its last [`Record`] as a file, which is there whole whenever the campaign
//! is killed. It is for the program that wrote it: what the uses of rules are of depends on the
//! catalogue.
//!
//! A header of the magic, a version, a checksum of the catalogue, the length of the content and a
//! checksum of what follows; then the content, compressed: the engine as it was named, what the run was limited to, and
//! the record.

use std::path::Path;

use parallax_spec::coverage::Coverage;
use serde::{Deserialize, Serialize};

use super::Record;
use crate::{
    codec::{self, LARGEST_CONTENT},
    trace::{TraceError, write_file},
};

const MAGIC: [u8; 8] = *b"PLXJOURN";
const VERSION: u32 = 10;
const HEADER: usize = 8 + 4 + 4 + 4 + 4;

/// Largest file that is read as a journal.
pub const LARGEST_FILE: u64 = 64 << 20;

/// What a campaign's journal says.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Journal {
    /// The engine under test, as it was named.
    pub engine: String,
    /// The engine that takes the model's place, as it was named, if one does.
    pub reference: Option<String>,
    /// The mnemonics that programs were limited to; empty if they were not.
    pub instructions: Vec<String>,
    /// The ids of the rules that suites were selected for; empty if they were not.
    pub rules: Vec<String>,
    /// The id of the rule of the engine that is broken on purpose, if one is.
    pub sabotage: Option<String>,
    /// How far the campaign is.
    pub record: Record,
}

/// Why bytes are no journal to go on from.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// They are something else.
    #[error("this is no journal of a campaign")]
    NoJournal,
    /// They are of another program.
    #[error("this journal is of version {0}, and this program goes on from version {VERSION}")]
    Version(u32),
    /// They are of a program with other rules.
    #[error(
        "this journal is of a program with another catalogue of rules, and their uses cannot be added"
    )]
    Catalogue,
    /// They are not what was written.
    #[error("this journal is damaged: {0}")]
    Damaged(String),
}

impl Journal {
    /// Writes it to a file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written; what stood there before still does then.
    pub fn write(&self, path: &Path) -> Result<(), TraceError> {
        write_file(path, &self.to_bytes())
    }

    fn to_bytes(&self) -> Vec<u8> {
        let content = codec::encode(self).expect("a record has a form");
        let packed = codec::compress(&content).expect("memory takes what is written");
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, catalogue(), content.len() as u32, crc32fast::hash(&packed)] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(packed);
        bytes
    }

    /// Reads a journal.
    ///
    /// # Errors
    /// If the bytes are none, or one of another program.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, JournalError> {
        let damaged = |what: &str| JournalError::Damaged(what.to_owned());
        let (header, packed) = bytes.split_at_checked(HEADER).ok_or(JournalError::NoJournal)?;
        let Some(header) = header.strip_prefix(&MAGIC) else { return Err(JournalError::NoJournal) };
        let mut numbers = header
            .chunks_exact(4)
            .map(|four| u32::from_le_bytes(four.try_into().expect("chunks of four bytes")));
        let mut number = || numbers.next().expect("the header has four numbers");
        let version = number();
        if version != VERSION {
            return Err(JournalError::Version(version));
        }
        if number() != catalogue() {
            return Err(JournalError::Catalogue);
        }
        let (length, checksum) = (number() as usize, number());
        if length > LARGEST_CONTENT || crc32fast::hash(packed) != checksum {
            return Err(damaged("it is not what was written"));
        }
        let content = codec::decompress(packed, length);
        let content = content.map_err(|error| JournalError::Damaged(error.to_string()))?;
        let (journal, _) =
            codec::decode(&content).map_err(|error| JournalError::Damaged(error.to_string()))?;
        Ok(journal)
    }
}

/// A checksum of what the uses of rules are of.
fn catalogue() -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for (rule, row) in Coverage::places() {
        hasher.update(format!("{rule} {row:?}\n").as_bytes());
    }
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::campaign::{Bound, Campaign, Plan, Shard, THIN_AFTER};

    fn journal() -> Journal {
        let plan = Plan {
            seed: 7,
            jobs: None,
            bound: Bound::Time(Duration::from_secs(5)),
            first: 0,
            stop_after: None,
            known: Vec::new(),
            thin_after: Some(THIN_AFTER),
            shrink: Some(Duration::from_millis(200)),
            shard: Shard { number: 2, of: 3 },
            findings: None,
        };
        Journal {
            engine: "executor".to_owned(),
            reference: Some("cmd:other".to_owned()),
            instructions: vec!["add".to_owned()],
            rules: Vec::new(),
            sabotage: Some("g45.inst.add.semantics".to_owned()),
            record: Campaign::new(plan, Vec::new()).record(),
        }
    }

    #[test]
    fn a_journal_is_read_as_it_was_written() {
        let written = journal();
        let read = Journal::from_bytes(&written.to_bytes()).expect("it is whole");
        assert_eq!((read.engine, read.reference), (written.engine, written.reference));
        assert_eq!((read.instructions, read.rules), (written.instructions, written.rules));
        assert_eq!(read.sabotage, written.sabotage);
        assert_eq!(read.record.plan, written.record.plan);
    }

    #[test]
    fn every_damage_is_noticed() {
        let whole = journal().to_bytes();
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x10;
            assert!(Journal::from_bytes(&damaged).is_err(), "byte {place}");
            assert!(Journal::from_bytes(&whole[..place]).is_err(), "cut at {place}");
        }
    }
}
