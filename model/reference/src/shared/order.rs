//! In which order messages to memory are done, as far as anyone promises (G45 volume 4, sections 5.3
//! and 5.4): what a later message may meet of an earlier one.

use parallax_isa::Acceptance;

/// What earlier messages may still be about to do to each byte of graphics memory.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// One for each byte from graphics address 0 on, as far as any was touched.
    bytes: Vec<Standing>,
    /// What the message under way met.
    pub(crate) met: Met,
}

/// What a message met of those before it, in some byte.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Met {
    /// It read through another cache what was written before a flush.
    pub flushed: bool,
    /// It read through the render cache what was written and committed, but not flushed.
    pub committed: bool,
    /// It wrote over what was committed.
    pub overwritten: bool,
    /// It wrote to an entry of the URB what an earlier message wrote there, in no certain order.
    pub unordered: bool,
}

/// What may be in a place instead of what is known to be there.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Others<T> {
    /// Nothing else.
    #[default]
    None,
    One(T),
    /// Several things, or anything.
    Many,
}

/// How a byte stands.
#[derive(Debug, Default, Clone, Copy)]
struct Standing {
    /// What it was before writes without a commit: nobody knows when they are done.
    uncommitted: Others<u8>,
    /// What it was since the render cache was flushed: other caches may still have that.
    unflushed: Others<u8>,
    /// It was written before the render cache was flushed.
    is_flushed: bool,
    /// It was reached through the render cache in lines of a frame, and in lines of a field, of an
    /// X-major surface.
    lines: [bool; 2],
}

/// Which cache a read goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cache {
    Data,
    Render,
    Sampler,
}

/// Lines of an X-major surface, of which a message reaches each or each other one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lines {
    Frame,
    Field,
}

impl<T: Copy + PartialEq + Into<u64>> Others<T> {
    /// Notes one more thing that may be there.
    pub(crate) fn note(&mut self, value: T) {
        *self = match *self {
            Self::None => Self::One(value),
            Self::One(other) if other == value => *self,
            _ => Self::Many,
        };
    }

    /// What is accepted besides what is known to be there, if something is.
    pub(crate) fn acceptance(self) -> Option<Acceptance> {
        match self {
            Self::None => None,
            Self::One(value) => Some(Acceptance::Or(value.into())),
            Self::Many => Some(Acceptance::Undefined),
        }
    }
}

impl Order {
    fn standing(&mut self, address: usize) -> &mut Standing {
        if self.bytes.len() <= address {
            self.bytes.resize(address + 1, Standing::default());
        }
        &mut self.bytes[address]
    }

    /// What a read of a byte may get besides what is there.
    pub(crate) fn read(
        &mut self,
        address: usize,
        cache: Cache,
        lines: Option<Lines>,
    ) -> Others<u8> {
        let standing = self.standing(address);
        if cache != Cache::Render {
            // What is in this cache may be older than what the render cache has.
            let (is_flushed, unflushed) = (standing.is_flushed, standing.unflushed);
            self.met.flushed |= is_flushed && unflushed == Others::None;
            return unflushed;
        }
        let is_committed =
            standing.unflushed != Others::None && standing.uncommitted == Others::None;
        let others = if standing.meets_only(lines) { standing.uncommitted } else { Others::Many };
        self.met.committed |= is_committed;
        others
    }

    /// What may be left in a byte besides what is written there over something old.
    pub(crate) fn write(
        &mut self,
        address: usize,
        old: u8,
        commits: bool,
        lines: Option<Lines>,
    ) -> Others<u8> {
        // Decision D-eu-message-order.
        let standing = self.standing(address);
        let is_only_one_way = standing.meets_only(lines);
        let left = match standing.uncommitted {
            _ if !is_only_one_way => Others::Many,
            Others::None => Others::None,
            // What was written without a commit may come later.
            Others::One(_) => Others::One(old),
            Others::Many => Others::Many,
        };
        let is_overwritten = standing.unflushed != Others::None && left == Others::None;
        standing.unflushed.note(old);
        if !commits || standing.uncommitted != Others::None {
            standing.uncommitted.note(old);
        }
        self.met.overwritten |= is_overwritten;
        left
    }

    /// The render cache is in memory, and the thread has been told.
    pub(crate) fn flush(&mut self) {
        for standing in &mut self.bytes {
            let is_flushed = standing.is_flushed || standing.unflushed != Others::None;
            *standing = Standing { is_flushed, ..Standing::default() };
        }
    }
}

impl Standing {
    /// Notes how a byte is reached; whether it was not reached in the other way before.
    fn meets_only(&mut self, lines: Option<Lines>) -> bool {
        let Some(lines) = lines else { return true };
        self.lines[lines as usize] = true;
        self.lines != [true; 2]
    }
}
