//! Reading and writing elements.

use parallax_isa::shared::{Reach, Response};

use super::{
    super::{Reply, Written},
    form::{Element, Form},
    space::Space,
};

/// A reply of so many registers of which nothing is written.
pub(super) fn unchanged(registers: usize) -> Reply {
    Reply { registers: vec![Response::default(); registers], ..Reply::default() }
}

/// The elements of a message, as far as they are inside of bounds; the others are zero.
pub(super) fn read(space: Space, form: &Form, memory: &Reach) -> Reply {
    let mut reply = unchanged(form.registers);
    for element in &form.elements {
        let value = value(space, element, memory);
        put(&mut reply, element, &value);
    }
    reply
}

/// The bytes of an element; zeros if it is out of bounds.
pub(super) fn value(space: Space, element: &Element, memory: &Reach) -> Vec<u8> {
    bytes_at(space.reached(element.offset, element.bytes), element, memory)
}

/// The same without a note of what is out of bounds.
pub(super) fn found(space: Space, element: &Element, memory: &Reach) -> Vec<u8> {
    bytes_at(space.place(element.offset, element.bytes), element, memory)
}

fn bytes_at(place: Option<usize>, element: &Element, memory: &Reach) -> Vec<u8> {
    // Decision D-eu-out-of-bounds.
    place.map_or_else(
        || vec![0; element.bytes],
        |place| memory.bytes()[place..place + element.bytes].to_vec(),
    )
}

/// Puts the bytes of an element into a reply. What is shorter than a doubleword fills one, with zeros
/// above.
pub(super) fn put(reply: &mut Reply, element: &Element, value: &[u8]) {
    for (n, doubleword) in value.chunks(4).enumerate() {
        let at = element.at + 4 * n;
        let register = &mut reply.registers[at / 32];
        register.bytes[at % 32..][..4].fill(0);
        register.bytes[at % 32..][..doubleword.len()].copy_from_slice(doubleword);
        register.enables |= 1 << (at % 32 / 4);
    }
}

/// Writes the elements of a message, as far as they are inside of bounds. Where two meet it is open
/// which one stays.
pub(super) fn write(space: Space, form: &Form, data: &[u8], memory: &mut Reach) -> Reply {
    let mut reply = unchanged(0);
    for element in &form.elements {
        let Some(place) = space.reached(element.offset, element.bytes) else { continue };
        let range = place..place + element.bytes;
        let new = &data[element.at..][..element.bytes];
        let meets =
            |other: &Written| other.range.start < range.end && range.start < other.range.end;
        let is_open = reply.written.iter().any(meets);
        memory.bytes_mut()[range.clone()].copy_from_slice(new);
        if is_open {
            // Decision D-eu-same-place.
        }
        reply.written.push(Written::perhaps(range, is_open));
    }
    reply
}
