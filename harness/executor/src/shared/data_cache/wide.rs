//! What 64-bit addresses bring: blocks of three alignments, and runs of doublewords or quadwords for each slot.

use parallax_isa::shared::{LONGEST_REPLY, Reach, Request, Unanswered};

use super::{
    super::{Reply, lengths, refuse},
    Addresses, Way, octwords_from,
    slots::Slots,
    window::Window,
};

/// A block whose address is in the header. Bits 12:11 of the descriptor say how it is aligned.
pub(super) fn block(
    request: &Request,
    memory: &mut Reach,
    window: &Window<'_>,
    way: Way,
    header: [u32; 8],
) -> Result<Reply, Unanswered> {
    let address = u64::from(header[1]) << 32 | u64::from(header[0]);
    match (request.function_control >> 11 & 3, way) {
        (0, _) => super::block(request, memory, window, way, address & !15),
        (1, Way::Load) => super::block(request, memory, window, way, address & !3),
        (3, _) => match request.function_control >> 8 & 7 {
            size @ 0..=3 => {
                octwords_from(request, memory, window, way, address & !15, 2 << size, 0)
            }
            _ => refuse("a block of more registers than fit"),
        },
        _ => refuse("a block that is aligned in no known way"),
    }
}

/// Runs of doublewords or quadwords, by bits 13:8 of the descriptor.
pub(super) fn neighbours(
    request: &Request,
    memory: &mut Reach,
    window: &Window<'_>,
    way: Way,
) -> Result<Reply, Unanswered> {
    let control = request.function_control >> 8;
    let size = match control & 3 {
        1 => 4,
        2 => 8,
        _ => return refuse("scattered bytes that come with a status"),
    };
    let slots = Slots::of(request, control >> 4 & 1 == 1, Addresses::A64)?;
    let first = |slot: usize| slots.offset(slot) & !(size as u128 - 1);
    runs(request, memory, window, way, &slots, [size, 1 << (control >> 2 & 3)], first)
}

/// So many elements of so many bytes from the place of each slot on: one element of all slots after the other.
pub(super) fn runs(
    request: &Request,
    memory: &mut Reach,
    window: &Window<'_>,
    way: Way,
    slots: &Slots,
    [size, count]: [usize; 2],
    first: impl Fn(usize) -> u128,
) -> Result<Reply, Unanswered> {
    let registers = slots.registers() * size / 4;
    let all = registers * count;
    if all > LONGEST_REPLY {
        return refuse("runs that take more registers than a reply has");
    }
    let (sent, returned) = if way == Way::Load { (0, all) } else { (all, 0) };
    lengths(request, slots.front + sent, returned)?;
    let places = slots.enabled().flat_map(|slot| (0..count).map(move |n| (slot, n)));
    let offset = |(slot, n): (usize, usize)| first(slot) + (n * size) as u128;
    window.check(places.map(offset), size as u64)?;
    let mut reply = Reply::default();
    // Where slots meet, later elements are written over earlier ones.
    for n in 0..count {
        for slot in slots.enabled() {
            let place = window.reached(offset((slot, n)), size as u64);
            let at = n * registers * 32 + slot * size;
            let (register, byte) = (at / 32, at % 32);
            match way {
                Way::Load => {
                    let response = &mut reply[register];
                    response.enables |= (if size == 8 { 3 } else { 1 }) << (byte / 4);
                    if let Some(place) = place {
                        response.bytes[byte..byte + size]
                            .copy_from_slice(&memory.bytes()[place..place + size]);
                    }
                }
                Way::Store => {
                    if let Some(place) = place {
                        let data = &request.payload[slots.front + register][byte..byte + size];
                        memory.bytes_mut()[place..place + size].copy_from_slice(data);
                    }
                }
            }
        }
    }
    Ok(reply)
}
