//! Messages to the URB and the Message Gateway of G45 and its predecessors, and what the URB remembers of
//! them.

use parallax_isa::shared::{Environment, environment::UrbEntry};

use super::{
    message_draft::{Channels, Draft, Offsets},
    straight::Straight,
    surfaces::{OWN_ENTRIES, Surroundings},
};

const URB: u32 = 6;
const GATEWAY: u32 = 3;

/// What the messages of a program have done to entries of the URB, and to the thread's own gateway.
#[derive(Debug, Default)]
pub(super) struct Entries {
    complete: Vec<u16>,
    begun: Vec<u16>,
    /// How many were allocated.
    allocated: usize,
    pub(super) was_gateway_opened: bool,
}

impl Entries {
    /// Notes that a message is about some of them.
    pub(super) fn note(&mut self, entries: &[UrbEntry], completes: bool, writes: bool) {
        for handle in entries.iter().map(|entry| entry.handle) {
            if completes {
                self.begun.retain(|other| *other != handle);
                self.complete.push(handle);
            } else if writes {
                self.begun.push(handle);
            }
        }
    }

    /// Notes that the next free one is the thread's.
    pub(super) fn allocate(&mut self, environment: &Environment) {
        if let Some(handle) = environment.free_handles.get(self.allocated) {
            self.allocated += 1;
            self.begun.push(*handle as u16);
        }
    }
}

impl Straight<'_, '_> {
    /// Rows of one or two entries of the URB.
    pub(super) fn urb_write(
        &mut self,
        around: &Surroundings,
        entries: &mut Entries,
        is_last: bool,
    ) -> Draft {
        let swizzle = self.choices.below(3) as u32;
        let allocates = !is_last && self.choices.sometimes(70);
        // A last message that is not complete writes nothing, and needs what was begun to be complete.
        let completes = match entries.begun.is_empty() {
            false if allocates || is_last => !self.choices.sometimes(6),
            _ => self.choices.sometimes(70),
        };
        let writes = completes || !(allocates || is_last) || self.choices.sometimes(3);
        let registers = match swizzle {
            _ if !writes => 0,
            0 => *self.choices.pick(&[0, 1, 2, 3, 4, 5, 6, 7, 10, 12, 14]),
            1 => *self.choices.pick(&[2, 2, 3, 4, 5, 6, 8, 11, 14, 0]),
            _ => 3 * self.choices.below(5),
        };
        let two = self.two_entries(around, entries);
        let rows = match swizzle {
            0 => registers,
            1 => registers.div_ceil(2),
            _ => registers / 3 * 4,
        };
        let used = if swizzle == 1 { &two[..] } else { &two[..1] };
        let room = used.iter().map(|entry| usize::from(entry.rows).saturating_sub(rows)).min();
        let beyond = usize::from(self.choices.sometimes(6));
        let offset = (self.choices.below(room.unwrap_or(0) + 1) + beyond).min(63) as u32;
        let offset = if swizzle == 2 { offset & !1 } else { offset };
        entries.note(used, completes, registers > 0);
        if allocates {
            entries.allocate(&around.environment);
        }
        // Used and the composite check.
        let flags = self.choices.word() & 0x5000 | u32::from(completes) << 15;
        let control = flags | u32::from(allocates) << 13 | swizzle << 10 | offset << 4;
        let [first, second] = two.map(|entry| u32::from(entry.handle));
        let ids = self.choices.word() & 0xFFFF_0000;
        Draft {
            target: URB,
            control,
            header: [first | ids, second | !ids & 0xFFFF_0000, self.choices.word(), ids],
            fourth: None,
            offsets: Offsets::None,
            sent: registers,
            returned: usize::from(allocates),
            channels: if swizzle == 1 { Channels::Eight } else { Channels::Any },
            is_last,
        }
    }

    /// Two entries that a thread has and that are not complete, seldom others.
    fn two_entries(&mut self, around: &Surroundings, entries: &Entries) -> [UrbEntry; 2] {
        let all = &around.environment.urb_entries;
        let own = &all[..(OWN_ENTRIES + entries.allocated).min(all.len())];
        let is_open = |entry: &&UrbEntry| !entries.complete.contains(&entry.handle);
        let open: Vec<_> = own.iter().filter(is_open).copied().collect();
        let from = if open.is_empty() || self.choices.sometimes(3) { all } else { &open };
        let mut two = [0, 1].map(|_| *self.choices.pick(from));
        if two[0].handle == two[1].handle && from.len() > 1 && !self.choices.sometimes(64) {
            let other = from.iter().find(|entry| entry.handle != two[0].handle);
            two[1] = *other.unwrap_or(&two[1]);
        }
        two
    }

    /// A gateway is opened or closed, or something is forwarded to the other thread, or to this one, whose key is its
    /// number.
    pub(super) fn gateway(&mut self, around: &Surroundings, entries: &mut Entries) -> Draft {
        let kind = match self.choices.sometimes(60) && !entries.was_gateway_opened {
            true => 0,
            false => *self.choices.pick(&[0, 1, 2, 2, 2, 2, 2, 2, 3]),
        };
        entries.was_gateway_opened |= kind == 0;
        let own = u32::from(around.environment.thread);
        let is_own =
            kind == 2 && self.choices.sometimes(if entries.was_gateway_opened { 200 } else { 20 });
        // Nobody says when it is done otherwise.
        let acknowledges = self.choices.sometimes(if is_own { 252 } else { 150 });
        let (key, recipient) = match around.environment.other_thread {
            _ if is_own => (own, own >> 4 << 24 | (own & 3) << 16),
            Some(other) => {
                let gateway = other.gateway.map_or(0, |gateway| gateway.key);
                let unit = u32::from(other.execution_unit) << 24;
                (u32::from(gateway), unit | u32::from(other.thread) << 16)
            }
            None => (0, 0x0702_0000),
        };
        let mut is_byte = false;
        let (place, to) = match kind {
            0 => {
                let size = self.choices.below(8) as u32;
                // The last one is the last register.
                let most = 128 - (1 << size.min(5));
                let first = match self.choices.sometimes(80) {
                    true => most,
                    false => self.choices.below(most + 1),
                } as u32;
                let key =
                    if self.choices.sometimes(40) { self.choices.word() & 0xFFFF } else { own };
                (first << 21 | size << 8, key)
            }
            2 => {
                let length = match self.choices.byte() {
                    // Reserved.
                    0..=1 => 1,
                    2..=30 => 5 + self.choices.below(3),
                    31..=90 => 0,
                    _ => 2 + self.choices.below(3),
                };
                is_byte = length == 0;
                let unit = [1, 4, 4, 8, 16, 16, 16, 16][length];
                let byte = (self.choices.below(32) / unit * unit) as u32;
                let most = if self.choices.sometimes(60) { 40 } else { 10 };
                let register = self.choices.below(most) as u32;
                // One bit is enough, whichever it is.
                let bit = 1 << ((register + byte) % 16);
                let key = if self.choices.sometimes(20) { key ^ bit } else { key };
                let other = if self.choices.sometimes(12) { 0x0400_0000 } else { 0 };
                // Bits that are not looked at.
                let unused = self.choices.word() & 0xF0FC_0000;
                (
                    register << 21 | byte << 16 | (length as u32) << 8,
                    (recipient ^ other) | key | unused,
                )
            }
            _ => (self.choices.word(), self.choices.word()),
        };
        let place = place & !0xFF | self.choices.word() & 0xFF;
        let data = match self.choices.word() {
            // A byte comes in four copies; unequal ones have no defined effect.
            word if is_byte && !self.choices.sometimes(3) => (word & 0xFF) * 0x0101_0101,
            word => word,
        };
        let notifies = u32::from(self.choices.sometimes(128));
        let control = notifies << 15 | u32::from(acknowledges) << 14 | kind;
        Draft {
            target: GATEWAY,
            control,
            header: [data, self.choices.word(), self.choices.word(), place],
            fourth: Some(to),
            offsets: Offsets::None,
            sent: 0,
            returned: usize::from(acknowledges),
            channels: Channels::Any,
            is_last: false,
        }
    }
}
