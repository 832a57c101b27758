//! Typed surface messages, as compute programs send them.

use parallax_isa::device::Generation::{Gen7, Gen75};

use crate::{
    Rule,
    message::{Message, doubleword},
    rule::message,
};

// Where typed messages go.
const RENDER_CACHE: u8 = 5;
const PORT1: u8 = 12;
const PORTS: &[u8] = &[RENDER_CACHE, PORT1];

// Their types.
const READ: u32 = 5;
const ATOMIC: u32 = 6;
const WRITE: u32 = 13;

/// The type of a typed message; `None` of any other message.
fn kind(m: Message) -> Option<u32> {
    let is_gen7 = m.device.generation() <= Some(Gen7);
    let (port, high) = if is_gen7 { (RENDER_CACHE, 17) } else { (PORT1, 18) };
    let code = m.control(high, 14);
    let is_typed = m.environment.is_some()
        && m.request.target == port
        && [READ, ATOMIC, WRITE].contains(&code);
    is_typed.then_some(code)
}

/// Whether it reads something, or writes to memory.
fn moves(m: Message) -> bool {
    m.stores || m.reply.iter().any(|register| register.enables != 0 && register.bytes != [0; 32])
}

/// Registers of coordinates.
fn coordinates<'a>(m: Message<'a>) -> &'a [[u8; 32]] {
    let first = usize::from(m.request.has_header);
    let channels = 4 - m.control(11, 8).count_ones() as usize;
    let data = match kind(m) {
        Some(WRITE) => channels,
        // Increments and decrements have no operand, a comparison has two.
        Some(ATOMIC) => match m.control(11, 8) {
            5 | 6 | 15 => 0,
            14 => 2,
            _ => 1,
        },
        _ => 0,
    };
    m.request.payload.get(first..m.request.payload.len() - data).unwrap_or_default()
}

/// Whether the mask of the header is that of the other slots.
fn takes_upper_slots(m: Message) -> bool {
    let is_gen7 = m.device.generation() < Some(Gen75);
    match kind(m) {
        Some(ATOMIC) => m.control(12, 12) == 1,
        _ if is_gen7 => m.control(13, 13) == 1,
        _ => m.control(13, 12) == 2,
    }
}

/// The format of the surface: bits 26:18 of the first doubleword of its state.
fn format(m: Message) -> Option<u32> {
    let environment = m.environment?;
    let states = &environment.surface_states;
    let entry = environment.binding_table / 4 + m.control(7, 0);
    let state = states.get(entry as usize)? & !31;
    Some(states.get(state as usize / 4)? >> 18 & 0x1FF)
}

/// Formats whose texels are four, two or one components of 32 bits, which are not converted.
const PLAIN: &[u32] = &[0x000, 0x001, 0x002, 0x085, 0x086, 0x087, 0x0D6, 0x0D7, 0x0D8];

pub(super) const RULES: &[Rule] = &[
    message("gen7.msg.typed.coords", PORTS, |m| {
        let has_second = coordinates(m).get(1).is_some_and(|register| *register != [0; 32]);
        kind(m).is_some() && has_second && moves(m)
    }),
    message("gen7.msg.typed.slots", PORTS, |m| {
        let mask = doubleword(m.request.payload.first(), 7);
        kind(m).is_some()
            && m.request.has_header
            && takes_upper_slots(m)
            && (mask >> 8 ^ mask) & u32::from(m.enables()) != 0
            && moves(m)
    }),
    message("gen7.msg.typed.conv", PORTS, |m| {
        let is_converted = || format(m).is_some_and(|format| !PLAIN.contains(&format));
        matches!(kind(m), Some(READ | WRITE)) && moves(m) && is_converted()
    }),
];
