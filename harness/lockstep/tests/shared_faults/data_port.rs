//! Faults of messages to the data port: descriptors and surface states taken for others, effects on memory
//! disturbed.

use parallax_isa::{
    Device,
    eu::{
        Instruction, State,
        instruction::{Compression, Predicate, PredicateControl},
        operand::Register,
        register::RegisterFile,
    },
    shared::Environment,
};
use parallax_lockstep::eu::generate;

use super::{
    Eu, Fault, around, disturb,
    early_messages::{self, each_surface, reply},
    rewrite,
};
use crate::fault_injection::{Family, all_are_found};

const fn messages(name: &'static str, device: Device, faults: &'static [Fault<Eu>]) -> Family<Eu> {
    let (generate, bytes) = (generate::data_port_messages, generate::BYTES);
    Family { name, device, generate, bytes, faults }
}

static MESSAGES: Family<Eu> = messages("data port", Device::G45, MESSAGE_FAULTS);
static SURFACES: Family<Eu> = messages("surfaces", Device::G45, SURFACE_FAULTS);
static EARLY: Family<Eu> = messages("data port of Gen4", Device::Bw, EARLY_FAULTS);

#[test]
fn faults_of_messages_to_the_data_port_are_found() {
    all_are_found(&MESSAGES);
    all_are_found(&EARLY);
}

#[test]
fn faults_of_surfaces_are_found() {
    all_are_found(&SURFACES);
}

const MESSAGE_FAULTS: &[Fault<Eu>] = &[
    rewrite("another surface", |i| with(i, |bits| (bits & 0xFF == 0).then_some(bits | 1))),
    rewrite("a surface's number without its uppermost bit", |i| {
        with(i, |bits| {
            let is_bound = bits & 0xFF != 0xFF && kind(bits) != FLUSH;
            (is_bound && bits & 1 << 7 != 0).then_some(bits & !(1 << 7))
        })
    }),
    rewrite("stateless taken for the first surface", |i| {
        with(i, |bits| (bits & 0xFF == 0xFF && kind(bits) != FLUSH).then_some(bits & !0xFF))
    }),
    rewrite("the upper half of a register taken for the lower", |i| {
        control_as(i, &[BLOCK_READ, BLOCK_WRITE], 7, 1, 0)
    }),
    rewrite("the lower half of a register taken for the upper", |i| {
        control_as(i, &[BLOCK_READ, BLOCK_WRITE], 7, 0, 1)
    }),
    rewrite("two octwords taken for one", |i| control_as(i, &[BLOCK_READ, BLOCK_WRITE], 7, 2, 0)),
    rewrite("eight octwords taken for four", |i| {
        control_as(i, &[BLOCK_READ, BLOCK_WRITE], 7, 4, 3)
    }),
    rewrite("four octwords of a pair taken for one", |i| {
        control_as(i, &[DUAL_READ, DUAL_WRITE], 3, 2, 0)
    }),
    rewrite("sixteen doublewords taken for eight", |i| {
        control_as(i, &[SCATTERED_READ, SCATTERED_WRITE], 3, 3, 2)
    }),
    rewrite("lines of a media block not overridden", |i| {
        control_as(i, &[MEDIA_READ, MEDIA_WRITE], 4, 4, 0)
    }),
    rewrite("the surface's lines overridden by none", |i| {
        control_as(i, &[MEDIA_READ, MEDIA_WRITE], 7, 1, 5)
    }),
    rewrite("fields taken for a frame", |i| control_as(i, &[MEDIA_READ, MEDIA_WRITE], 6, 6, 4)),
    rewrite("the second field taken for the first", |i| {
        control_as(i, &[MEDIA_READ, MEDIA_WRITE], 7, 7, 6)
    }),
    rewrite("a media block read taken for octwords", |i| {
        with(i, |bits| {
            (kind(bits) == MEDIA_READ && bits >> 16 & 0xF < 3).then_some(bits & !(7 << 11))
        })
    }),
    rewrite("octwords written taken for a streamed vertex", |i| {
        with(i, |bits| (kind(bits) == BLOCK_WRITE).then_some(bits | 5 << 12))
    }),
    rewrite("the predicate lost", |i| {
        is_data_port(i)?;
        (i.predicate != Predicate::default()).then(|| i.predicate = Predicate::default())
    }),
    rewrite("not masked", |i| {
        is_data_port(i)?;
        (!i.no_mask).then(|| i.no_mask = true)
    }),
    rewrite("the second half taken for the first", |i| {
        is_data_port(i)?;
        (i.compression == Compression::SecHalf).then(|| i.compression = Compression::None)
    }),
    rewrite("a message one register later", |i| {
        is_data_port(i)?;
        let message = i.message.as_mut()?;
        (message.current_destination < 9).then(|| message.current_destination += 1)
    }),
    rewrite("a reply one register later", |i| {
        is_data_port(i)?;
        match &mut i.destination.register {
            Register::Direct { file: RegisterFile::Grf, number, .. } if *number < 118 => {
                *number += 1;
                Some(())
            }
            _ => None,
        }
    }),
    disturb("the last doubleword of memory not written", |_, before, after| {
        let last = after.memory.graphics.len() - 4;
        after.memory.graphics[last..].copy_from_slice(&before.memory.graphics[last..]);
    }),
    disturb("one byte too much written", byte_too_much),
    disturb("the first byte not written", first_byte_lost),
    disturb("octwords written whole", |i, before, after| {
        if descriptor(i).is_none_or(|bits| kind(bits) != BLOCK_WRITE) {
            return;
        }
        if let Some(first) = changed(i, before, after).next() {
            for place in first & !15..(first & !15) + 16 {
                if after.memory.graphics[place] == before.memory.graphics[place] {
                    after.memory.graphics[place] ^= 0x80;
                }
            }
        }
    }),
    disturb("doublewords of an octword read one by one", |i, before, after| {
        let (Some(first), Some(bits)) = (reply(i), descriptor(i)) else { return };
        if matches!(kind(bits), BLOCK_READ | DUAL_READ) && is_flagged(i) {
            for n in (0..4).filter(|n| before.flag[0] >> n & 1 == 0) {
                restore(before, after, first, n);
            }
        }
    }),
    disturb("octwords without channels read", |i, before, after| {
        let (Some(first), Some(bits)) = (reply(i), descriptor(i)) else { return };
        if matches!(kind(bits), BLOCK_READ | DUAL_READ) && is_flagged(i) {
            for half in after.grf[first].chunks_mut(16).zip(before.grf[first].chunks(16)) {
                if half.0 == half.1 {
                    half.0.fill(0);
                }
            }
        }
    }),
    disturb("channels of a media block masked", |i, before, after| {
        let (Some(first), Some(bits)) = (reply(i), descriptor(i)) else { return };
        if kind(bits) == MEDIA_READ && is_flagged(i) {
            for n in (0..8).filter(|n| before.flag[0] >> n & 1 == 0) {
                restore(before, after, first, n);
            }
        }
    }),
    disturb("channels of scattered doublewords not masked", |i, before, after| {
        let (Some(first), Some(bits)) = (reply(i), descriptor(i)) else { return };
        if kind(bits) == SCATTERED_READ && is_flagged(i) {
            for n in (0..8).filter(|n| before.flag[0] >> n & 1 == 0) {
                after.grf[first][4 * n..][..4].fill(0x5A);
            }
        }
    }),
    disturb("offsets added in 32 bits", |i, _, after| {
        let (Some(first), Some(bits), Some(message)) = (reply(i), descriptor(i), i.message) else {
            return;
        };
        let header = usize::from(message.current_destination);
        if kind(bits) == SCATTERED_READ && header < 15 {
            let word = |register: usize, n: usize| {
                let bytes = after.mrf[register].as_chunks().0[n];
                u32::from_le_bytes(bytes)
            };
            let leads_round =
                |n: &usize| word(header + 1, *n).checked_add(word(header, 2)).is_none();
            for n in (0..8).filter(leads_round).collect::<Vec<_>>() {
                after.grf[first][4 * n] ^= 1;
            }
        }
    }),
    disturb("what was there in place of zeros beyond the end", |i, before, after| {
        if descriptor(i).is_none_or(|bits| bits >> 24 != 4) {
            return;
        }
        let (old, new) = (before.grf.as_flattened(), after.grf.as_flattened_mut());
        for (old, new) in old.chunks(4).zip(new.chunks_mut(4)) {
            if new == [0; 4] {
                new.copy_from_slice(old);
            }
        }
    }),
    disturb("zeros left of a plane", |i, before, after| {
        each_byte(i, before, after, |x, _| x < 0);
    }),
    disturb("zeros above a plane", |i, before, after| {
        each_byte(i, before, after, |_, y| y < 0);
    }),
    disturb("the first row of a block not read", |i, before, after| {
        let Some(block) = media(i, before, after) else { return };
        let old = before.grf[block.reply][..block.pitch.min(32)].to_vec();
        after.grf[block.reply][..old.len()].copy_from_slice(&old);
    }),
    disturb("the answer of a write written", |i, _, after| {
        let (Some(first), Some(bits)) = (reply(i), descriptor(i)) else { return };
        if bits >> 24 == 5 {
            after.grf[first][0] ^= 1;
        }
    }),
    disturb("a read that writes", |i, before, after| {
        let is_block = descriptor(i).is_some_and(|bits| kind(bits) == BLOCK_READ);
        if is_block && before.grf != after.grf {
            after.memory.graphics[77] ^= 0x80;
        }
    }),
    disturb("the URB in place of memory", |i, before, after| {
        if let Some(first) = changed(i, before, after).next() {
            after.memory.urb[0][0] ^= after.memory.graphics[first] | 1;
        }
    }),
];

const SURFACE_FAULTS: &[Fault<Eu>] = &[
    around("general state base one page later", |around| {
        (around.general_state_base == 0).then(|| around.general_state_base = 4096)
    }),
    around("no general state bound", |around| {
        (around.general_state_bound == 12288).then(|| around.general_state_bound = 0)
    }),
    around("binding table at the beginning", |around| {
        (around.binding_table != 0).then(|| around.binding_table = 0)
    }),
    around("surface states bounded early", |around| {
        around.surface_states.truncate(50);
        Some(())
    }),
    around("entries of a buffer from zero on", |around| {
        each_surface(around, |state| of_type(state, 4).then(|| state[2] ^= 1 << 6))
    }),
    around("height of a buffer lost", |around| {
        each_surface(around, |state| of_type(state, 4).then(|| state[2] &= 0x7_FFFF))
    }),
    around("depth of a buffer lost", |around| {
        each_surface(around, |state| of_type(state, 4).then(|| state[3] &= !(0x7F << 21)))
    }),
    around("the pitch of a buffer lost", |around| {
        each_surface(around, |state| of_type(state, 4).then(|| state[3] ^= 4 << 3))
    }),
    around("a base rounded to 64 bytes", |around| {
        each_surface(around, |state| of_type(state, 4).then(|| state[1] &= !63))
    }),
    around("R32G32B32A32 streamed as R32G32B32", |around| {
        each_surface(around, |state| {
            (of_type(state, 4) && format(state) < 3).then(|| state[0] ^= 0x40 << 18)
        })
    }),
    around("a plane one row higher", |around| {
        each_surface(around, |state| of_type(state, 1).then(|| state[2] += 1 << 19))
    }),
    around("a plane one doubleword less wide", |around| {
        each_surface(around, |state| {
            (of_type(state, 1) && state[2] >> 6 & 0x1FFF > 0).then(|| state[2] -= 1 << 6)
        })
    }),
    around("width in bytes", |around| {
        each_surface(around, |state| {
            of_type(state, 1).then(|| {
                let width = ((state[2] >> 6 & 0x1FFF) + 1) / 4;
                state[2] = state[2] & !(0x1FFF << 6) | width << 6;
            })
        })
    }),
    around("a pitch of linear lines four bytes longer", |around| {
        each_surface(around, |state| {
            (of_type(state, 1) && state[3] & 2 == 0).then(|| state[3] += 4 << 3)
        })
    }),
    around("tiles taken for lines", |around| {
        each_surface(around, |state| {
            (of_type(state, 1) && state[3] & 2 != 0).then(|| state[3] ^= 2)
        })
    }),
    around("Y-major tiles taken for X-major ones", |around| {
        each_surface(around, |state| {
            let is_y = of_type(state, 1) && state[3] & 3 == 3;
            is_y.then(|| state[3] = 511 << 3 | 2)
        })
    }),
    around("X-major tiles taken for Y-major ones", |around| {
        each_surface(around, |state| {
            let is_x = of_type(state, 1) && state[3] & 3 == 2;
            is_x.then(|| state[3] |= 1)
        })
    }),
    around("fields of a surface taken for a frame", |around| {
        each_surface(around, |state| {
            (of_type(state, 1) && state[0] >> 12 & 1 == 1).then(|| state[0] ^= 1 << 12)
        })
    }),
    around("the second field of a surface taken for the first", |around| {
        each_surface(around, |state| {
            (of_type(state, 1) && state[0] >> 11 & 3 == 3).then(|| state[0] ^= 1 << 11)
        })
    }),
    around("progressive edges taken for normal ones", |around| mode_as(around, 2, 0)),
    around("interlaced edges taken for normal ones", |around| mode_as(around, 3, 0)),
    around("normal edges taken for progressive ones", |around| mode_as(around, 0, 2)),
    around("words taken for bytes", |around| format_as(around, 0x10D, 0x143)),
    around("bytes taken for words", |around| format_as(around, 0x143, 0x10D)),
    around("doublewords taken for words", |around| format_as(around, 0x0D7, 0x10D)),
    around("bytes of palette indices taken for words", |around| format_as(around, 0x147, 0x10D)),
    around("words with palette indices taken for bytes", |around| format_as(around, 0x110, 0x143)),
    around("luma first taken for chroma first", |around| format_as(around, 0x182, 0x190)),
    around("chroma first taken for luma first", |around| format_as(around, 0x183, 0x18F)),
    around("pairs taken for doublewords", |around| format_as(around, 0x18F, 0x0D7)),
    around("X Offset lost", |around| {
        each_surface(around, |state| {
            (of_type(state, 1) && state[5] >> 25 != 0).then(|| state[5] &= (1 << 25) - 1)
        })
    }),
    around("Y Offset lost", |around| {
        each_surface(around, |state| {
            (of_type(state, 1) && state[5] >> 20 & 0xF != 0).then(|| state[5] &= !(0xF << 20))
        })
    }),
    around("a null surface taken for a buffer", |around| {
        each_surface(around, |state| {
            of_type(state, 7).then(|| *state = [4 << 29, 0, 1 << 19, 3 << 3, 0, 0])
        })
    }),
];

const EARLY_FAULTS: &[Fault<Eu>] = &[
    rewrite("scattered doublewords taken for octwords", |i| {
        with(i, |bits| (bits >> 24 == 4 && bits >> 12 & 3 == 3).then_some(bits & !(3 << 12)))
    }),
    rewrite("a pair of octwords taken for a block", |i| {
        with(i, |bits| (bits >> 24 == 4 && bits >> 12 & 3 == 1).then_some(bits & !(3 << 12)))
    }),
    around("a plane with an origin", |around| {
        each_surface(around, |state| {
            (of_type(state, 1) && state[3] & 2 != 0).then(|| state[1] += 4096)
        })
    }),
];

// Messages by target and type.
const BLOCK_READ: u32 = 0x40;
const DUAL_READ: u32 = 0x42;
const MEDIA_READ: u32 = 0x44;
const SCATTERED_READ: u32 = 0x46;
const BLOCK_WRITE: u32 = 0x50;
const DUAL_WRITE: u32 = 0x51;
const MEDIA_WRITE: u32 = 0x52;
const SCATTERED_WRITE: u32 = 0x53;
const FLUSH: u32 = 0x57;

/// What a message is, by its descriptor on [DevCTG].
fn kind(bits: u32) -> u32 {
    match bits >> 24 {
        4 => 0x40 | bits >> 11 & 7,
        _ => 0x50 | bits >> 12 & 7,
    }
}

/// Data port reads and writes.
const TARGETS: &[u32] = &[4, 5];

/// The descriptor of a message to the data port that has it with it.
fn descriptor(i: &Instruction) -> Option<u32> {
    early_messages::descriptor(i, TARGETS)
}

fn is_data_port(i: &Instruction) -> Option<()> {
    descriptor(i).map(|_| ())
}

/// Gives a message another descriptor.
fn with(i: &mut Instruction, change: impl FnOnce(u32) -> Option<u32>) -> Option<()> {
    early_messages::with(i, TARGETS, change)
}

/// Control bits of some messages taken for others.
fn control_as(i: &mut Instruction, kinds: &[u32], mask: u32, from: u32, to: u32) -> Option<()> {
    with(i, |bits| {
        let is_one = kinds.contains(&kind(bits));
        (is_one && bits >> 8 & mask == from).then_some(bits & !(mask << 8) | to << 8)
    })
}

/// Whether a message of eight channels has those that the flag register says.
fn is_flagged(i: &Instruction) -> bool {
    i.execution_size == 8
        && i.compression == Compression::None
        && i.flag_subregister == 0
        && i.predicate == Predicate { control: PredicateControl::Sequential, inverse: false }
}

fn restore(before: &State, after: &mut State, register: usize, doubleword: usize) {
    let old = &before.grf[register][4 * doubleword..][..4];
    after.grf[register][4 * doubleword..][..4].copy_from_slice(old);
}

/// The bytes of graphics memory that a message changed.
pub(super) fn changed(
    i: &Instruction,
    before: &State,
    after: &State,
) -> impl Iterator<Item = usize> + use<> {
    let places: Vec<_> = match i.message {
        Some(_) => {
            let pairs = before.memory.graphics.iter().zip(&after.memory.graphics).enumerate();
            pairs.filter(|(_, (old, new))| old != new).map(|(place, _)| place).collect()
        }
        None => Vec::new(),
    };
    places.into_iter()
}

/// The first byte that a message changed is as it was.
pub(super) fn first_byte_lost(i: &Instruction, before: &State, after: &mut State) {
    if let Some(first) = changed(i, before, after).next() {
        after.memory.graphics[first] = before.memory.graphics[first];
    }
}

/// The byte behind those that a message changed has another bit.
pub(super) fn byte_too_much(i: &Instruction, before: &State, after: &mut State) {
    let next = changed(i, before, after).last().map(|last| last + 1);
    if let Some(byte) = next.and_then(|next| after.memory.graphics.get_mut(next)) {
        *byte ^= 1;
    }
}

/// A media block that was read.
struct Block {
    x: i32,
    y: i32,
    width: usize,
    height: usize,
    pitch: usize,
    reply: usize,
}

fn media(i: &Instruction, before: &State, after: &State) -> Option<Block> {
    let reply = reply(i)?;
    if kind(descriptor(i)?) != MEDIA_READ || before.grf == after.grf {
        return None;
    }
    let header = &after.mrf[usize::from(i.message?.current_destination)];
    let doubleword =
        |n: usize| u32::from_le_bytes(header[4 * n..][..4].try_into().expect("four bytes"));
    let size = doubleword(2);
    let width = (size & 31) as usize + 1;
    Some(Block {
        x: doubleword(0).cast_signed(),
        y: doubleword(1).cast_signed(),
        width,
        height: (size >> 16 & 63) as usize + 1,
        pitch: width.next_power_of_two().max(4),
        reply,
    })
}

/// Makes bytes of a media block zero by their column and row.
fn each_byte(i: &Instruction, before: &State, after: &mut State, is_one: fn(i32, i32) -> bool) {
    let Some(block) = media(i, before, after) else { return };
    for row in 0..block.height {
        for column in 0..block.width {
            let at = row * block.pitch + column;
            if is_one(block.x.wrapping_add(column as i32), block.y.wrapping_add(row as i32)) {
                after.grf[block.reply + at / 32][at % 32] = 0;
            }
        }
    }
}

fn format(state: &[u32; 6]) -> u32 {
    state[0] >> 18 & 0x1FF
}

fn of_type(state: &[u32; 6], code: u32) -> bool {
    state[0] >> 29 == code
}

/// A boundary mode taken for another.
fn mode_as(around: &mut Environment, from: u32, to: u32) -> Option<()> {
    each_surface(around, |state| {
        (of_type(state, 1) && state[0] >> 6 & 3 == from)
            .then(|| state[0] = state[0] & !(3 << 6) | to << 6)
    })
}

/// A format of planes taken for another.
fn format_as(around: &mut Environment, from: u32, to: u32) -> Option<()> {
    each_surface(around, |state| {
        (of_type(state, 1) && format(state) == from)
            .then(|| state[0] = state[0] & !(0x1FF << 18) | to << 18)
    })
}
