//! Writing destination elements (G45 volume 4, section 11.4).
//!
//! Each function writes one element size to one kind of place and is chosen when the program is
//! loaded. Elements outside their register file, which the manual leaves undefined, are dropped.

use parallax_isa::eu::{State, register::RegisterFile};

use super::{
    arf,
    native::{Target, Write},
    result::Final,
};

/// Where a destination's elements go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    General,
    Message,
    Indirect,
    Architecture,
    /// The null register, or an accumulator, which is written by other means.
    Nowhere,
}

/// The function for a place and an element size.
pub(super) fn choose(place: Place, size: usize) -> Write {
    match size {
        1 => by_place::<1>(place),
        2 => by_place::<2>(place),
        _ => by_place::<4>(place),
    }
}

fn by_place<const SIZE: usize>(place: Place) -> Write {
    match place {
        Place::General => general::<SIZE>,
        Place::Message => message::<SIZE>,
        Place::Indirect => indirect::<SIZE>,
        Place::Architecture => architecture::<SIZE>,
        Place::Nowhere => |_, _, _, _| {},
    }
}

/// Writes the enabled channels' elements into the bytes of a file.
fn scatter<const SIZE: usize>(
    file: &mut [u8],
    at: impl Fn(usize) -> usize,
    result: &Final,
    enabled: u16,
) {
    for (channel, bits) in result.bits.iter().enumerate() {
        if enabled >> channel & 1 == 0 {
            continue;
        }
        let at = at(channel);
        if let Some(element) = file.get_mut(at..at + SIZE) {
            element.copy_from_slice(&bits.to_le_bytes()[..SIZE]);
        }
    }
}

fn general<const SIZE: usize>(target: &Target, state: &mut State, result: &Final, enabled: u16) {
    let at = |channel: usize| usize::from(target.offsets[channel]);
    scatter::<SIZE>(state.grf.as_flattened_mut(), at, result, enabled);
}

fn message<const SIZE: usize>(target: &Target, state: &mut State, result: &Final, enabled: u16) {
    let at = |channel: usize| usize::from(target.offsets[channel]);
    scatter::<SIZE>(state.mrf.as_flattened_mut(), at, result, enabled);
}

fn indirect<const SIZE: usize>(target: &Target, state: &mut State, result: &Final, enabled: u16) {
    let address = state.address[usize::from(target.index & 7)];
    let at = |channel: usize| arf::indirect(address, target.offsets[channel]);
    let file = match target.file {
        RegisterFile::Mrf => state.mrf.as_flattened_mut(),
        _ => state.grf.as_flattened_mut(),
    };
    scatter::<SIZE>(file, at, result, enabled);
}

fn architecture<const SIZE: usize>(
    target: &Target,
    state: &mut State,
    result: &Final,
    enabled: u16,
) {
    let mut bytes = arf::image(state, target.number, state.ip);
    let at = |channel: usize| usize::from(target.offsets[channel]);
    if enabled != 0 {
        scatter::<SIZE>(&mut bytes, at, result, enabled);
        arf::store(state, target.number, &bytes);
    }
}
