//! The URB of G45 and its predecessors (G45 volume 4, chapter 8): rows that fixed functions read later.

mod entries;

use std::mem::offset_of;

use parallax_isa::{
    Acceptance, Device,
    eu::register::REGISTER_BYTES,
    shared::{
        Environment, Memory, Request, Response, Unanswered,
        memory::{EARLY_URB_ROWS, URB_ROW_BYTES, URB_ROWS},
    },
};

use super::{Reply, World, Written, undefined};
pub(crate) use entries::Entries;

/// URB_WRITE, taken apart.
#[derive(Debug)]
struct Message<'r> {
    swizzle: Swizzle,
    /// The first row of the entries that is written.
    offset: usize,
    completes: bool,
    allocates: bool,
    is_last: bool,
    handles: [u16; 2],
    data: &'r [[u8; REGISTER_BYTES]],
    enables: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Swizzle {
    None,
    Interleaved,
    Transpose,
}

/// A doubleword that is written.
#[derive(Debug, Clone, Copy)]
struct Write {
    row: usize,
    doubleword: usize,
    value: [u8; 4],
    /// Whether it is written, and with this, is not said.
    is_open: bool,
}

/// The reply to a message, as soon as the case has surroundings.
pub(super) fn answer(
    device: Device,
    request: &Request,
    world: &mut World,
) -> Result<Reply, Unanswered> {
    let Some(environment) = world.environment else {
        return Err(Unanswered::NoSuchFunction("the URB, without entries"));
    };
    // Decision D-eu-urb.
    if request.is_last && environment.urb_entries.is_empty() {
        return Err(Unanswered::NoSuchFunction("the URB, without entries"));
    }
    let message = Message::of(request)?;
    message.check_combination(&world.past.entries)?;
    let writes = match message.swizzle {
        _ if message.data.is_empty() => Vec::new(),
        Swizzle::None => message.rows(environment, device)?,
        Swizzle::Interleaved => message.interleaved(environment, device)?,
        Swizzle::Transpose => message.transposed(environment, device)?,
    };
    let mut reply = Reply::default();
    let entries = &mut world.past.entries;
    if message.allocates {
        let Some(handle) = environment.free_handles.get(entries.taken) else {
            return undefined("no handle is left to be allocated");
        };
        let mut bytes = [0; REGISTER_BYTES];
        bytes[..4].copy_from_slice(&handle.to_le_bytes());
        reply.registers.push(Response { bytes, enables: 0xFF });
        reply.perhaps_under = Some(request.channel_enables);
    }
    for handle in message.entries() {
        match (message.completes, message.data) {
            (true, _) => entries.complete(*handle),
            (false, []) => {}
            (false, _) => entries.begin(*handle),
        }
    }
    if message.allocates {
        entries.allocate(environment.free_handles[entries.taken] as u16);
    }
    for write in writes {
        write.carry_out(&mut reply, world);
    }
    Ok(reply)
}

impl<'r> Message<'r> {
    fn of(request: &Request<'r>) -> Result<Self, Unanswered> {
        let control = request.function_control;
        if control & 0xF != 0 {
            return undefined(format!("URB opcode {}", control & 0xF));
        }
        let swizzle = match control >> 10 & 3 {
            0 => Swizzle::None,
            1 => Swizzle::Interleaved,
            2 => Swizzle::Transpose,
            _ => return undefined("URB swizzle 3"),
        };
        let allocates = control >> 13 & 1 == 1;
        if usize::from(request.response_length) != usize::from(allocates) {
            return undefined("a reply of the URB of another length than its handle");
        }
        let header = &request.payload[0];
        let handle = |doubleword: usize| {
            u16::from_le_bytes([header[4 * doubleword], header[4 * doubleword + 1]])
        };
        Ok(Self {
            swizzle,
            offset: (control >> 4 & 0x3F) as usize,
            completes: control >> 15 & 1 == 1,
            allocates,
            is_last: request.is_last,
            handles: [handle(0), handle(1)],
            data: &request.payload[1..],
            enables: request.channel_enables,
        })
    }

    /// The handles of the entries that it is about.
    fn entries(&self) -> &[u16] {
        match self.swizzle {
            Swizzle::Interleaved => &self.handles,
            _ => &self.handles[..1],
        }
    }

    /// Refuses what the table of Complete, Allocate and End Of Thread does not have.
    fn check_combination(&self, entries: &Entries) -> Result<(), Unanswered> {
        if self.allocates && self.is_last {
            return undefined("a last message that allocates an entry");
        }
        if !self.completes && (self.allocates || self.is_last) {
            if !self.data.is_empty() {
                return undefined("a partial write that allocates or is the last message");
            }
            entries.check_all_complete()?;
        }
        if !self.data.is_empty() {
            self.entries().iter().try_for_each(|handle| entries.check_write(*handle))?;
        }
        Ok(())
    }

    /// URB_NOSWIZZLE: register by register, whole.
    fn rows(&self, around: &Environment, device: Device) -> Result<Vec<Write>, Unanswered> {
        let mut writes = Vec::new();
        for (number, register) in self.data.iter().enumerate() {
            let row = row(around, device, self.handles[0], self.offset + number)?;
            for doubleword in 0..8 {
                writes.push(Write {
                    row,
                    doubleword,
                    value: word(register, doubleword),
                    is_open: false,
                });
            }
        }
        Ok(writes)
    }

    /// URB_INTERLEAVED: the halves of each register go to two entries, where they fill rows.
    fn interleaved(&self, around: &Environment, device: Device) -> Result<Vec<Write>, Unanswered> {
        if self.data.len() == 1 {
            return undefined("one register for two entries");
        }
        if self.enables >> 8 != 0 {
            return undefined("interleaved entries under more than eight channels");
        }
        let mut writes = Vec::new();
        for (number, register) in self.data.iter().enumerate() {
            for (vertex, handle) in self.handles.into_iter().enumerate() {
                let row = row(around, device, handle, self.offset + number / 2)?;
                for n in 0..4 {
                    let (from, to) = (4 * vertex + n, 4 * (number % 2) + n);
                    if self.enables >> from & 1 == 1 {
                        let value = word(register, from);
                        writes.push(Write { row, doubleword: to, value, is_open: false });
                    }
                    if number % 2 == 0 && number + 1 == self.data.len() {
                        writes.push(Write { row, doubleword: 4 + n, value: [0; 4], is_open: true });
                    }
                }
            }
        }
        Ok(writes)
    }

    /// URB_TRANSPOSE: three registers with a coefficient of eight attributes each, and zeros.
    fn transposed(&self, around: &Environment, device: Device) -> Result<Vec<Write>, Unanswered> {
        if !self.data.len().is_multiple_of(3) || !self.offset.is_multiple_of(2) {
            return undefined("transposed rows that are not sets of three from an even row on");
        }
        let mut writes = Vec::new();
        for (set, registers) in self.data.chunks(3).enumerate() {
            for attribute in 0..8 {
                let number = self.offset + 4 * set + attribute / 2;
                let row = row(around, device, self.handles[0], number)?;
                let [cx, cy, c0] = [0, 1, 2].map(|n| word(&registers[n], attribute));
                for (n, value) in [cx, cy, [0; 4], c0].into_iter().enumerate() {
                    let doubleword = 4 * (attribute % 2) + n;
                    writes.push(Write { row, doubleword, value, is_open: false });
                }
            }
        }
        Ok(writes)
    }
}

impl Write {
    fn carry_out(self, reply: &mut Reply, world: &mut World) {
        let Self { row, doubleword, value, is_open } = self;
        let place = &mut world.memory.urb[row][4 * doubleword..][..4];
        let old = u32::from_le_bytes([0, 1, 2, 3].map(|n| place[n]));
        let mut open = world.past.entries.write(row, doubleword, old).acceptance();
        world.past.order.met.unordered |= open.is_some();
        if is_open {
            open = Some(Acceptance::Undefined);
        } else {
            place.copy_from_slice(&value);
        }
        let start = offset_of!(Memory, urb) + URB_ROW_BYTES * row + 4 * doubleword;
        reply.written.push(Written { range: start..start + 4, open, bits: u64::MAX });
    }
}

/// The row of an entry that a handle stands for.
fn row(
    around: &Environment,
    device: Device,
    handle: u16,
    number: usize,
) -> Result<usize, Unanswered> {
    let entry = around.urb_entries.iter().find(|entry| entry.handle == handle);
    let Some(entry) = entry.filter(|entry| number < usize::from(entry.rows)) else {
        return undefined(format!("URB handle {handle:#x} has no row {number}"));
    };
    let row = usize::from(entry.first_row) + number;
    let rows = match device {
        Device::G45 => URB_ROWS,
        _ => EARLY_URB_ROWS,
    };
    if row >= rows { undefined(format!("the URB has no row {row}")) } else { Ok(row) }
}

fn word(register: &[u8; REGISTER_BYTES], number: usize) -> [u8; 4] {
    [0, 1, 2, 3].map(|n| register[4 * number + n])
}
