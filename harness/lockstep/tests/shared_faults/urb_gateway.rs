//! Faults of messages to the URB and the Message Gateway.

use parallax_isa::{
    Device,
    eu::{
        Instruction, State,
        instruction::{Compression, Predicate, PredicateControl},
    },
    shared::{Environment, environment::UrbEntry},
};
use parallax_lockstep::{eu::generate, lockstep::Pace};

use super::{
    Disturb, Eu, Fault, around, disturb,
    early_messages::{descriptor, reply, with},
    rewrite,
};
use crate::fault_injection::{Family, Mutate, all_are_found_at, none_is_found};

static MESSAGES: Family<Eu> = Family {
    name: "URB and gateway",
    device: Device::G45,
    generate: generate::data_port_messages,
    bytes: generate::BYTES,
    faults: FAULTS,
};

#[test]
fn faults_of_the_urb_and_the_gateway_are_found() {
    // A gateway is opened, and what is forwarded to it put together, before it shows.
    all_are_found_at(&MESSAGES, Pace::Steps, Eu::LONGEST + 1, Eu::SPARE + 2);
}

static OWN: Family<Eu> =
    Family { name: "the thread's own gateway", faults: OWN_GATEWAY, ..MESSAGES };

#[test]
fn faults_of_the_own_gateway_are_found() {
    all_are_found_at(&OWN, Pace::Steps, 9, 25);
}

static ACCEPTED: Family<Eu> = Family {
    name: "replies of the URB and the gateway",
    device: Device::G45,
    generate: generate::data_port_messages,
    bytes: generate::BYTES,
    faults: OPEN,
};

#[test]
fn replies_are_kept_or_written_where_channels_are_off() {
    none_is_found(&ACCEPTED, 20_000);
}

/// What the manual leaves open.
const OPEN: &[Fault<Eu>] =
    &[disturb("a reply of channels that are off is not written", |i, before, after| {
        if let (Some(_), Some(first)) = (descriptor(i, &[3, 6]), reply(i))
            && is_off(i, before)
        {
            after.grf[first][..4].copy_from_slice(&before.grf[first][..4]);
        }
    })];

/// Whether the first channel of a message of eight is off.
fn is_off(i: &Instruction, before: &State) -> bool {
    let predicate = Predicate { control: PredicateControl::Sequential, inverse: false };
    let is_plain = i.execution_size == 8 && i.compression == Compression::None;
    is_plain && i.predicate == predicate && before.flag[usize::from(i.flag_subregister)] & 1 == 0
}

const FAULTS: &[Fault<Eu>] = &[
    rewrite("a row too far", |i| {
        with(i, URB, |bits| (bits >> 10 & 3 < 2).then_some(bits ^ 1 << 4))
    }),
    rewrite("interleaved taken for not swizzled", |i| {
        with(i, URB, |bits| (bits >> 10 & 3 == 1).then_some(bits & !(3 << 10)))
    }),
    rewrite("transposed taken for not swizzled", |i| {
        with(i, URB, |bits| (bits >> 10 & 3 == 2).then_some(bits & !(3 << 10)))
    }),
    rewrite("the channels of an interleaved message lost", |i| {
        let bits = descriptor(i, URB)?;
        (bits >> 10 & 3 == 1 && i.predicate != Predicate::default())
            .then(|| i.predicate = Predicate::default())
    }),
    rewrite("the second half taken for the first", |i| {
        descriptor(i, URB)?;
        (i.compression == Compression::SecHalf).then(|| i.compression = Compression::None)
    }),
    rewrite("a forward taken for a close", |i| {
        with(i, GATEWAY, |bits| (bits & 3 == 2).then_some(bits ^ 3))
    }),
    rewrite("a reserved message taken for a close", |i| {
        with(i, GATEWAY, |bits| (bits & 3 == 3).then_some(bits ^ 2))
    }),
    rewrite("an open taken for a close", |i| {
        with(i, GATEWAY, |bits| (bits & 3 == 0).then_some(bits | 1))
    }),
    rewrite("a notification lost", |i| {
        with(i, GATEWAY, |bits| (bits & 0x8003 == 0x8002).then_some(bits ^ 0x8000))
    }),
    rewrite("a notification nobody asked for", |i| {
        with(i, GATEWAY, |bits| (bits & 0x8003 == 2).then_some(bits ^ 0x8000))
    }),
    around("entries one row later", |around| {
        around.urb_entries.iter_mut().for_each(|entry| entry.first_row -= 1);
        Some(())
    }),
    around("entries of fewer rows", |around| {
        around.urb_entries.iter_mut().for_each(|entry| entry.rows = 2);
        Some(())
    }),
    around("handles exchanged", |around| {
        let first = around.urb_entries[0].first_row;
        around.urb_entries[0].first_row = around.urb_entries[1].first_row;
        around.urb_entries[1].first_row = first;
        Some(())
    }),
    around("the second free handle first", |around| {
        (around.free_handles.len() > 1).then(|| around.free_handles.swap(0, 1))
    }),
    around("another key", |around| {
        let gateway = around.other_thread.as_mut()?.gateway.as_mut()?;
        gateway.key ^= 0x100;
        Some(())
    }),
    around("no key", |around| {
        let gateway = around.other_thread.as_mut()?.gateway.as_mut()?;
        gateway.key ^= 1;
        Some(())
    }),
    around("a gateway of more registers", |around| {
        let gateway = around.other_thread.as_mut()?.gateway.as_mut()?;
        gateway.registers += 1;
        Some(())
    }),
    around("a closed gateway", |around| around.other_thread.as_mut()?.gateway.take().map(|_| ())),
    around("another thread number", |around| {
        around.other_thread.as_mut()?.thread ^= 2;
        Some(())
    }),
    around("another execution unit", |around| {
        around.other_thread.as_mut()?.execution_unit ^= 4;
        Some(())
    }),
    around("a gateway from another register on", |around| {
        let gateway = around.other_thread.as_mut()?.gateway.as_mut()?;
        (gateway.first_register > 0).then(|| gateway.first_register -= 1)
    }),
    disturb("the zeros of a transposed message not written", |i, before, after| {
        if descriptor(i, URB).is_none_or(|bits| bits >> 10 & 3 != 2) {
            return;
        }
        for (old, new) in before.memory.urb.iter().zip(&mut after.memory.urb) {
            if old != new {
                new[8..12].copy_from_slice(&old[8..12]);
            }
        }
    }),
    disturb("the second entry of an interleaved message not written", |i, before, after| {
        if descriptor(i, URB).is_none_or(|bits| bits >> 10 & 3 != 1) {
            return;
        }
        let changed = (0..768).rev().find(|n| before.memory.urb[*n] != after.memory.urb[*n]);
        if let Some(row) = changed {
            after.memory.urb[row] = before.memory.urb[row];
        }
    }),
    Fault::disturb(
        "data not written through the second handle",
        Disturb::Message(|around, i, before, after| {
            if let Some(entry) = second_entry(around, i, after) {
                let rows = usize::from(entry.first_row)..usize::from(entry.first_row + entry.rows);
                after.memory.urb[rows.clone()].copy_from_slice(&before.memory.urb[rows]);
            }
        }),
    ),
    Fault::disturb(
        "the last data through the second handle those through the first",
        Disturb::Message(|around, i, before, after| {
            if let Some(entry) = second_entry(around, i, after) {
                let rows = usize::from(entry.first_row)..usize::from(entry.first_row + entry.rows);
                let last = rows.rev().find(|n| before.memory.urb[*n] != after.memory.urb[*n]);
                let message = i.message.map(|message| usize::from(message.current_destination));
                if let (Some(row), Some(first)) = (last, message) {
                    let data = after.mrf[first + 1];
                    after.memory.urb[row][..16].copy_from_slice(&data[..16]);
                }
            }
        }),
    ),
    disturb("one doubleword too much written", |i, before, after| {
        let changed = |n: &usize| before.memory.urb[*n] != after.memory.urb[*n];
        if descriptor(i, URB).is_some()
            && let Some(row) = (1..768).find(changed)
        {
            after.memory.urb[row - 1][28] ^= 1;
        }
    }),
    disturb("an allocation that leaves the rest of its register", |i, before, after| {
        if let (Some(_), Some(first)) = (descriptor(i, URB), reply(i)) {
            after.grf[first][4..].copy_from_slice(&before.grf[first][4..]);
        }
    }),
    disturb("an acknowledgement over the whole register", |i, _, after| {
        if let (Some(_), Some(first)) = (descriptor(i, GATEWAY), reply(i)) {
            after.grf[first][4..].fill(0);
        }
    }),
    disturb("error codes lost", |i, _, after| {
        if let (Some(_), Some(first)) = (descriptor(i, GATEWAY), reply(i)) {
            after.grf[first][0] &= !7;
        }
    }),
    disturb("an acknowledgement of nobody", |i, _, after| {
        if let (Some(_), Some(first)) = (descriptor(i, GATEWAY), reply(i)) {
            after.grf[first][2] = 0;
        }
    }),
    disturb("the last message of a thread stores nothing", |i, before, after| {
        if descriptor(i, URB).is_some() && i.message.is_some_and(|message| message.end_of_thread) {
            after.memory.urb = before.memory.urb;
        }
    }),
    rewrite("a completed entry taken for one that is not", |i| {
        with(i, URB, |bits| (bits & 0xA000 == 0xA000).then_some(bits ^ 0x8000))
    }),
    rewrite("an offset of four bits", |i| {
        with(i, URB, |bits| (bits >> 8 & 3 != 0).then_some(bits & !0x300))
    }),
    disturb("registers beyond the tenth not stored", |i, before, after| {
        if descriptor(i, URB).is_none_or(|bits| bits >> 20 & 15 < 12) {
            return;
        }
        let changed = (0..768).rev().find(|n| before.memory.urb[*n] != after.memory.urb[*n]);
        if let Some(row) = changed {
            after.memory.urb[row] = before.memory.urb[row];
        }
    }),
    disturb("a reply of channels that are off neither kept nor written", |i, before, after| {
        if let (Some(_), Some(first)) = (descriptor(i, &[3, 6]), reply(i))
            && is_off(i, before)
        {
            after.grf[first][0] ^= 4;
        }
    }),
    disturb("the last row of the URB not written", |_, before, after| {
        let last = after.memory.urb.len() - 1;
        after.memory.urb[last] = before.memory.urb[last];
    }),
    disturb("the last register of another thread not written", |_, before, after| {
        let last = after.memory.other_thread.len() - 1;
        after.memory.other_thread[last] = before.memory.other_thread[last];
    }),
    disturb("a forward one byte too long", |i, before, after| {
        let (old, new) = (
            before.memory.other_thread.as_flattened(),
            after.memory.other_thread.as_flattened_mut(),
        );
        let last = (0..old.len() - 1).rev().find(|n| old[*n] != new[*n]);
        if let (Some(_), Some(last)) = (descriptor(i, GATEWAY), last) {
            new[last + 1] ^= 1;
        }
    }),
];

/// The entry that the second handle of an interleaved message names, if that is not the first one's too.
fn second_entry(around: &Environment, i: &Instruction, after: &State) -> Option<UrbEntry> {
    descriptor(i, URB).filter(|bits| bits >> 10 & 3 == 1)?;
    let header = after.mrf[usize::from(i.message?.current_destination)];
    let [first, second] = [0, 4].map(|n| u16::from_le_bytes([header[n], header[n + 1]]));
    let entries = around.urb_entries.iter().copied();
    entries.filter(|_| first != second).find(|entry| entry.handle == second)
}

/// Of the thread's own gateway: they show once it was opened.
const OWN_GATEWAY: &[Fault<Eu>] = &[
    rewrite("an open that nobody acknowledges lost", |i| {
        with(i, GATEWAY, |bits| (bits & 0x4003 == 0).then_some(bits | 3))
    }),
    rewrite("a close that nobody acknowledges lost", |i| {
        with(i, GATEWAY, |bits| (bits & 0x4003 == 1).then_some(bits | 2))
    }),
    disturb("what came through the thread's own gateway not written", |i, before, after| {
        if let Some(register) = own_register(i, before, after) {
            after.grf[register] = before.grf[register];
        }
    }),
    disturb("what came through the thread's own gateway one register later", |i, before, after| {
        if let Some(register) = own_register(i, before, after).filter(|register| *register < 127) {
            after.grf[register + 1] = after.grf[register];
            after.grf[register] = before.grf[register];
        }
    }),
    disturb("a count of notifications with one bit more", |i, before, after| {
        if descriptor(i, GATEWAY).is_some() && after.notification[0] < before.notification[0] {
            after.notification[0] = before.notification[0] + 1;
        }
    }),
    disturb("a notification from the thread itself not counted", |i, before, after| {
        if descriptor(i, GATEWAY).is_some() {
            after.notification = before.notification;
        }
    }),
];

/// The register that came through the thread's own gateway.
fn own_register(i: &Instruction, before: &State, after: &State) -> Option<usize> {
    descriptor(i, GATEWAY)?;
    let mut registers = 0..before.grf.len();
    registers.find(|n| before.grf[*n] != after.grf[*n] && reply(i) != Some(*n))
}

const URB: &[u32] = &[6];
const GATEWAY: &[u32] = &[3];
