//! What a thread has done to the entries of the URB: written, completed, allocated.

use std::collections::{HashMap, HashSet};

use parallax_isa::shared::Unanswered;

use super::super::{order::Others, undefined};

/// The entries that the messages of a thread were about.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    /// How many of the free handles were allocated.
    pub(super) taken: usize,
    /// Handles of entries that were begun and not completed: written in part, or allocated.
    begun: HashSet<u16>,
    /// Handles of entries that were marked complete.
    complete: HashSet<u16>,
    /// What earlier writes may leave in rows and doublewords: nobody says which of two comes last.
    written: HashMap<(usize, usize), Others<u32>>,
}

impl Entries {
    /// Refuses a write to an entry of which the thread has said that it is complete.
    pub(super) fn check_write(&self, handle: u16) -> Result<(), Unanswered> {
        if self.complete.contains(&handle) {
            return undefined(format!("URB handle {handle:#x} was marked complete"));
        }
        Ok(())
    }

    /// Refuses what needs all preceding entries to be complete.
    pub(super) fn check_all_complete(&self) -> Result<(), Unanswered> {
        if !self.begun.is_empty() {
            return undefined("URB entries that were begun and not completed");
        }
        Ok(())
    }

    pub(super) fn begin(&mut self, handle: u16) {
        self.begun.insert(handle);
    }

    pub(super) fn complete(&mut self, handle: u16) {
        self.begun.remove(&handle);
        self.complete.insert(handle);
    }

    /// The next of the free handles belongs to the thread.
    pub(super) fn allocate(&mut self, handle: u16) {
        self.taken += 1;
        self.complete.remove(&handle);
        self.begun.insert(handle);
    }

    /// What may be in a doubleword after another write over something old.
    pub(super) fn write(&mut self, row: usize, doubleword: usize, old: u32) -> Others<u32> {
        match self.written.get_mut(&(row, doubleword)) {
            Some(others) => {
                others.note(old);
                *others
            }
            None => {
                self.written.insert((row, doubleword), Others::None);
                Others::None
            }
        }
    }
}
