//! The data cache of Gen7, Gen9 and Gen12, and the cache of constants: descriptors resolved into jobs, jobs done on
//! flat memory.

mod atomic;
mod media;
mod slots;
mod wide;
mod window;

use parallax_isa::shared::{Memory, Reach, Request, Response, Unanswered};

use super::{Around, Reply, atomic::Atomic, barrier, lengths, picture, refuse};
use slots::Slots;
use window::Window;

/// The data cache of a generation, with what goes with it.
pub(super) fn answer_by(
    request: &Request,
    memory: &mut Memory,
    around: &mut Around,
    reply: &mut Reply,
    traits: &Traits,
) -> Result<(), Unanswered> {
    let code = request.function_control >> 14;
    let kind = match (request.target, traits.port1) {
        (2, Some(_)) => {
            *reply = picture::size(request, around.reach(memory).map)?;
            return Ok(());
        }
        (3, _) => return barrier::arrive(request, around, traits.count_bit, reply),
        (9, _) => CONSTANTS[(code & 15) as usize],
        (10, _) => traits.port0[(code & 15) as usize],
        (12, Some(port1)) => port1[(code & 31) as usize],
        _ => return Err(Unanswered::NoSuchFunction("not the data cache")),
    };
    let local_bytes = around.local_bytes;
    *reply = answer(request, &mut around.reach(memory), kind, traits, local_bytes)?;
    Ok(())
}

/// In what generations differ.
pub(super) struct Traits {
    /// What messages of a type are about, on port 0 and on port 1 if there is one.
    port0: &'static [Kind; 16],
    port1: Option<&'static [Kind; 32]>,
    /// Binding table indices of stateless messages.
    stateless: &'static [u8],
    /// Registers of a scratch block by its code; 0 is none.
    scratch: [usize; 4],
    /// The lowest bit of the number of threads in the payload of a barrier.
    count_bit: u32,
}

pub(super) const GEN7: Traits = Traits {
    port0: &PORT0_GEN7,
    port1: None,
    stateless: &[255],
    scratch: [1, 2, 0, 4],
    count_bit: 9,
};
pub(super) const GEN9: Traits = Traits {
    port0: &PORT0,
    port1: Some(&PORT1),
    stateless: &[255, 253],
    scratch: [1, 2, 4, 8],
    count_bit: 9,
};
pub(super) const GEN12: Traits = Traits { count_bit: 8, ..GEN9 };

/// What a message type is about.
#[derive(Clone, Copy)]
enum Kind {
    None,
    Fence,
    Block(Way, Addresses),
    UnalignedBlock,
    Media(Way),
    Bytes(Way, Addresses),
    Doublewords(Way),
    Untyped(Way, Addresses),
    Atomic(Addresses),
    /// Of numbers of single precision.
    FloatAtomic(Addresses),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Load,
    Store,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Addresses {
    A32,
    A64,
}

use Addresses::{A32, A64};
use Way::{Load, Store};

/// Message types of port 0.
const PORT0: [Kind; 16] = {
    let mut kinds = [Kind::None; 16];
    kinds[0] = Kind::Block(Load, A32);
    kinds[1] = Kind::UnalignedBlock;
    kinds[3] = Kind::Doublewords(Load);
    kinds[4] = Kind::Bytes(Load, A32);
    kinds[7] = Kind::Fence;
    kinds[8] = Kind::Block(Store, A32);
    kinds[11] = Kind::Doublewords(Store);
    kinds[12] = Kind::Bytes(Store, A32);
    kinds
};

/// Message types of port 0 when it was the only one.
const PORT0_GEN7: [Kind; 16] = {
    let mut kinds = PORT0;
    kinds[5] = Kind::Untyped(Load, A32);
    kinds[6] = Kind::Atomic(A32);
    kinds[13] = Kind::Untyped(Store, A32);
    kinds
};

/// Message types of the cache of constants.
const CONSTANTS: [Kind; 16] = {
    let mut kinds = [Kind::None; 16];
    kinds[0] = PORT0[0];
    kinds[1] = PORT0[1];
    kinds[3] = PORT0[3];
    kinds
};

/// Message types of port 1.
const PORT1: [Kind; 32] = {
    let mut kinds = [Kind::None; 32];
    kinds[1] = Kind::Untyped(Load, A32);
    kinds[2] = Kind::Atomic(A32);
    kinds[4] = Kind::Media(Load);
    kinds[9] = Kind::Untyped(Store, A32);
    kinds[10] = Kind::Media(Store);
    kinds[16] = Kind::Bytes(Load, A64);
    kinds[17] = Kind::Untyped(Load, A64);
    kinds[18] = Kind::Atomic(A64);
    kinds[20] = Kind::Block(Load, A64);
    kinds[21] = Kind::Block(Store, A64);
    kinds[25] = Kind::Untyped(Store, A64);
    kinds[26] = Kind::Bytes(Store, A64);
    kinds[27] = Kind::FloatAtomic(A32);
    kinds[29] = Kind::FloatAtomic(A64);
    kinds
};

fn answer(
    request: &Request,
    memory: &mut Reach,
    kind: Kind,
    traits: &Traits,
    local_bytes: usize,
) -> Result<Reply, Unanswered> {
    let bits = request.function_control;
    let control = bits >> 8 & 0x3F;
    if request.target == 10 && bits >> 18 == 1 {
        return scratch(request, memory, traits);
    }
    match kind {
        Kind::None => refuse("a type of message that the data cache does not describe"),
        Kind::Fence => fence(request),
        Kind::Block(way, addresses) => {
            let window = Window::behind(request, addresses, traits, memory, local_bytes)?;
            let header = header(request)?;
            match addresses {
                A32 => block(request, memory, &window, way, u64::from(header[2]) << 4),
                A64 => wide::block(request, memory, &window, way, header),
            }
        }
        Kind::UnalignedBlock => {
            let window = Window::behind(request, A32, traits, memory, local_bytes)?;
            let first = u64::from(header(request)?[2] & !3);
            block(request, memory, &window, Load, first)
        }
        Kind::Media(way) if control == 0 => media::run(request, &header(request)?, memory, way),
        Kind::Media(_) => refuse("media blocks of every second line"),
        Kind::Bytes(way, A64) if control & 3 != 0 => {
            let window = Window::behind(request, A64, traits, memory, local_bytes)?;
            wide::neighbours(request, memory, &window, way)
        }
        Kind::Bytes(way, addresses) => {
            let window = Window::behind(request, addresses, traits, memory, local_bytes)?;
            let is_16 = control >> (if addresses == A64 { 4 } else { 0 }) & 1 == 1;
            let Some(size) = [Some(1), Some(2), Some(4), None][(control >> 2 & 3) as usize] else {
                return refuse("scattered bytes, eight at a time");
            };
            let slots = Slots::of(request, is_16, addresses)?;
            let global = if addresses == A32 { optional_header(request)[2] } else { 0 };
            let offset = |slot: usize| slots.offset(slot) + u128::from(global);
            scattered(request, memory, &window, way, &slots, size, offset)
        }
        Kind::Doublewords(way) => {
            let window = Window::behind(request, A32, traits, memory, local_bytes)?;
            let is_16 = match control & 3 {
                2 => false,
                3 => true,
                _ => return refuse("neither 8 nor 16 doublewords"),
            };
            let slots = Slots::of(request, is_16, A32)?;
            let global = u128::from(optional_header(request)[2]);
            let offset = |slot: usize| (slots.offset(slot) + global) << 2;
            match control >> 2 & 3 {
                0 => scattered(request, memory, &window, way, &slots, 4, offset),
                more => wide::runs(request, memory, &window, way, &slots, [4, 1 << more], offset),
            }
        }
        Kind::Untyped(way, addresses) => {
            let window = Window::behind(request, addresses, traits, memory, local_bytes)?;
            let is_16 = match control >> 4 {
                1 => true,
                2 => false,
                _ => return refuse("an untyped message in a mode without 8 or 16 slots"),
            };
            let slots = Slots::of(request, is_16, addresses)?.of_header(request, addresses);
            untyped(request, memory, &window, way, &slots, !control & 15)
        }
        Kind::Atomic(addresses) => {
            let window = Window::behind(request, addresses, traits, memory, local_bytes)?;
            let slots = Slots::of(request, addresses == A32 && control >> 4 & 1 == 0, addresses)?
                .of_header(request, addresses);
            let is_quad = addresses == A64 && control >> 4 & 1 == 1;
            Atomic::of(control, is_quad)?.run(request, memory, &window, &slots)
        }
        Kind::FloatAtomic(addresses) => {
            let window = Window::behind(request, addresses, traits, memory, local_bytes)?;
            let is_8 = control >> 4 & 1 == 1;
            if is_8 && addresses == A64 {
                return refuse("an atomic operation of floats that are not of single precision");
            }
            let slots = Slots::of(request, !is_8 && addresses == A32, addresses)?
                .of_header(request, addresses);
            Atomic::of_floats(control)?.run(request, memory, &window, &slots)
        }
    }
}

/// The header, which has to be there.
fn header(request: &Request) -> Result<[u32; 8], Unanswered> {
    if request.has_header { Ok(optional_header(request)) } else { refuse("no header") }
}

/// The header; zeros without one.
fn optional_header(request: &Request) -> [u32; 8] {
    match request.payload.first() {
        Some(register) if request.has_header => {
            let words = register.as_chunks::<4>().0;
            std::array::from_fn(|n| u32::from_le_bytes(words[n]))
        }
        _ => [0; 8],
    }
}

/// A fence with a commit (bit 13) is answered by a register, in which there is nothing to be read.
fn fence(request: &Request) -> Result<Reply, Unanswered> {
    let commits = request.function_control >> 13 & 1;
    lengths(request, request.payload.len(), commits as usize)?;
    let mut reply = Reply::default();
    reply[0].enables = 0xFF;
    Ok(reply)
}

/// Whether any channel of the send is enabled: then a block, which has one slot, is done.
fn any(request: &Request) -> bool {
    let channels = (1_u32 << request.channels.min(16)) - 1;
    u32::from(request.channel_enables) & channels != 0
}

/// The message type's octwords from a byte on.
fn block(
    request: &Request,
    memory: &mut Reach,
    window: &Window<'_>,
    way: Way,
    first: u64,
) -> Result<Reply, Unanswered> {
    let (octwords, at) = match request.function_control >> 8 & 7 {
        0 => (1, 0),
        1 => (1, 16),
        2 => (2, 0),
        3 => (4, 0),
        4 => (8, 0),
        _ => return refuse("a block of no size"),
    };
    octwords_from(request, memory, window, way, first, octwords, at)
}

/// Registers at a place that the descriptor says.
fn scratch(request: &Request, memory: &mut Reach, traits: &Traits) -> Result<Reply, Unanswered> {
    let bits = request.function_control;
    let registers = traits.scratch[(bits >> 12 & 3) as usize];
    if registers == 0 {
        return refuse("a scratch block of no size");
    }
    let window = Window::stateless(memory, header(request)?[5]);
    let way = if bits >> 17 & 1 == 1 { Store } else { Load };
    let first = u64::from(bits & 0xFFF) << 5;
    let channels = (1_u32 << request.channels.min(16)) - 1;
    let enabled = u32::from(request.channel_enables) & channels;
    if bits >> 16 & 1 == 1 && enabled != channels {
        if way == Load || 8 * registers != usize::from(request.channels) {
            return refuse("a scratch block in doubleword mode without all of its channels");
        }
        lengths(request, 1 + registers, 0)?;
        let data = request.payload[1..].as_flattened().as_chunks::<4>().0;
        let data = data.iter().enumerate();
        for (channel, doubleword) in data.filter(|(channel, _)| enabled >> channel & 1 == 1) {
            if let Some(place) = window.reached(u128::from(first) + 4 * channel as u128, 4) {
                memory.bytes_mut()[place..place + 4].copy_from_slice(doubleword);
            }
        }
        return Ok(Reply::default());
    }
    octwords_from(request, memory, &window, way, first, 2 * registers, 0)
}

/// Octwords one behind the other, in registers from a byte of the first one on.
fn octwords_from(
    request: &Request,
    memory: &mut Reach,
    window: &Window<'_>,
    way: Way,
    first: u64,
    octwords: usize,
    at: usize,
) -> Result<Reply, Unanswered> {
    let registers = octwords.div_ceil(2);
    let (sent, returned) = if way == Load { (1, registers) } else { (1 + registers, 0) };
    lengths(request, sent, returned)?;
    let mut reply = Reply::default();
    if !any(request) {
        return Ok(reply);
    }
    let offset = |octword: usize| u128::from(first) + 16 * octword as u128;
    window.check((0..octwords).map(offset), 16)?;
    for octword in 0..octwords {
        let place = window.reached(offset(octword), 16);
        let (register, byte) = ((at + 16 * octword) / 32, (at + 16 * octword) % 32);
        match way {
            Load => {
                let response = &mut reply[register];
                response.enables |= 0xF << (byte / 4);
                if let Some(place) = place {
                    response.bytes[byte..byte + 16]
                        .copy_from_slice(&memory.bytes()[place..place + 16]);
                }
            }
            Store => {
                if let Some(place) = place {
                    memory.bytes_mut()[place..place + 16]
                        .copy_from_slice(&request.payload[1 + register][byte..byte + 16]);
                }
            }
        }
    }
    Ok(reply)
}

/// Some bytes for each slot, in a doubleword of its own.
fn scattered(
    request: &Request,
    memory: &mut Reach,
    window: &Window<'_>,
    way: Way,
    slots: &Slots,
    size: usize,
    offset: impl Fn(usize) -> u128,
) -> Result<Reply, Unanswered> {
    let registers = slots.registers();
    let (sent, returned) = if way == Load { (0, registers) } else { (registers, 0) };
    lengths(request, slots.front + sent, returned)?;
    window.check(slots.enabled().map(&offset), size as u64)?;
    let mut reply = Reply::default();
    for slot in slots.enabled() {
        let place = window.reached(offset(slot), size as u64);
        move_slot(request, memory, way, &mut reply, slots.front, slot, place, size);
    }
    Ok(reply)
}

/// A doubleword for each slot and each component of a mask.
fn untyped(
    request: &Request,
    memory: &mut Reach,
    window: &Window<'_>,
    way: Way,
    slots: &Slots,
    components: u32,
) -> Result<Reply, Unanswered> {
    if components == 0 {
        return refuse("an untyped message of no component");
    }
    let registers = slots.registers() * components.count_ones() as usize;
    let (sent, returned) = if way == Load { (0, registers) } else { (registers, 0) };
    lengths(request, slots.front + sent, returned)?;
    let present = (0..4).filter(|component| components >> component & 1 == 1);
    let offset = |component: u128, slot: usize| (slots.offset(slot) & !3) + 4 * component;
    for component in present.clone() {
        window.check(slots.enabled().map(|slot| offset(component, slot)), 4)?;
    }
    let mut reply = Reply::default();
    let mut lane = 0;
    for component in present {
        for slot in slots.enabled() {
            let place = window.reached(offset(component, slot), 4);
            move_slot(request, memory, way, &mut reply, slots.front, lane + slot, place, 4);
        }
        lane += 8 * slots.registers();
    }
    Ok(reply)
}

/// Loads or stores the low bytes of a doubleword of the data.
#[expect(clippy::too_many_arguments, reason = "both ways of a move, in one place")]
#[inline]
fn move_slot(
    request: &Request,
    memory: &mut Reach,
    way: Way,
    reply: &mut Reply,
    front: usize,
    doubleword: usize,
    place: Option<usize>,
    size: usize,
) {
    let (register, byte) = (doubleword / 8, doubleword % 8 * 4);
    match way {
        Load => {
            let Response { bytes, enables } = &mut reply[register];
            *enables |= 1 << (doubleword % 8);
            if let Some(place) = place {
                bytes[byte..byte + size].copy_from_slice(&memory.bytes()[place..place + size]);
            }
        }
        Store => {
            if let Some(place) = place {
                let data = &request.payload[front + register][byte..byte + size];
                memory.bytes_mut()[place..place + size].copy_from_slice(data);
            }
        }
    }
}
