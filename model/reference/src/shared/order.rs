//! In which order messages to memory are done, as far as anyone promises (G45 volume 4, sections 5.3
//! and 5.4): what a later message may meet of an earlier one.

use parallax_spec::{coverage, decision, rule, rule_id};

/// What earlier messages may still be about to do to each byte of graphics memory.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// One for each byte from graphics address 0 on, as far as any was touched.
    bytes: Vec<Standing>,
}

/// How a byte stands.
#[derive(Debug, Default, Clone, Copy)]
struct Standing {
    /// It was written without a commit: nobody knows when.
    is_uncommitted: bool,
    /// It was written since the render cache was flushed: other caches may have what was there before.
    is_unflushed: bool,
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

impl Order {
    fn standing(&mut self, address: usize) -> &mut Standing {
        if self.bytes.len() <= address {
            self.bytes.resize(address + 1, Standing::default());
        }
        &mut self.bytes[address]
    }

    /// Whether a read of a byte is sure to get what is there.
    pub(crate) fn read(&mut self, address: usize, cache: Cache, lines: Option<Lines>) -> bool {
        let standing = self.standing(address);
        if cache != Cache::Render {
            // What is in this cache may be older than what the render cache has.
            if standing.is_flushed && !standing.is_unflushed {
                coverage::hit_all(&[
                    rule_id!("g45.dataport.frc.operation"),
                    rule_id!("g45.dataport.frc.commit"),
                    rule_id!("g45.dataport.commit.flush"),
                ]);
            }
            return !standing.is_unflushed;
        }
        if standing.is_unflushed && !standing.is_uncommitted {
            coverage::hit_all(&[
                rule_id!("g45.dataport.commit.meaning-raw"),
                rule_id!("g45.dataport.cache.render.rw"),
                rule_id!("g45.inst.send.write-commit"),
            ]);
        }
        !standing.is_uncommitted && standing.meets_only(lines)
    }

    /// Whether a write to a byte is sure to be the last one.
    pub(crate) fn write(&mut self, address: usize, commits: bool, lines: Option<Lines>) -> bool {
        decision!("D-eu-message-order");
        let standing = self.standing(address);
        let is_sure = !standing.is_uncommitted && standing.meets_only(lines);
        if standing.is_unflushed && is_sure {
            rule!("g45.dataport.commit.meaning-waw");
        }
        standing.is_unflushed = true;
        standing.is_uncommitted |= !commits;
        is_sure
    }

    /// The render cache is in memory, and the thread has been told.
    pub(crate) fn flush(&mut self) {
        for standing in &mut self.bytes {
            let is_flushed = standing.is_flushed || standing.is_unflushed;
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
