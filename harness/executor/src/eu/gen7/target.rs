//! Destinations: where elements go.

use parallax_isa::eu::{
    State,
    register::{ArfKind, REGISTER_BYTES, RegisterFile},
    state::GRF_COUNT,
};

use super::{
    arf::{self, Register},
    dependency,
    fields::Generation,
    instruction::Instruction,
    lanes::{Bits, CHANNELS},
};
use crate::eu::{
    description::MOST_CHANNELS,
    instruction::{Destination, Origin},
};

type Write = fn(&Target, &mut State, &Bits, u32);

/// A destination, resolved.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) offsets: [u16; CHANNELS],
    /// Address subregister of an indirect destination.
    index: Option<u8>,
    number: u8,
    generation: Generation,
    /// It is in the general registers.
    pub(super) general: bool,
    /// It is an architecture register whose bytes are stored.
    pub(super) named: bool,
    /// Elements take two channels, of which the first one writes.
    doubled: bool,
    /// It is this accumulator.
    pub(super) accumulator: Option<u8>,
    write: Write,
}

const GRF_BYTES: usize = GRF_COUNT * REGISTER_BYTES;

impl Target {
    /// Resolves a destination of elements of a size; those of DF take two channels where they are
    /// doubled.
    pub(super) fn of(instruction: &Instruction, size: usize, doubled: bool) -> Self {
        let Destination { file, origin, stride, .. } = instruction.destination;
        let unit = if doubled && size == 8 { 4 } else { size };
        let step = usize::from(stride) * unit;
        let from = |start: usize| {
            std::array::from_fn(|channel| {
                let channel = if doubled { channel & !1 } else { channel };
                (start + channel * step) as u16
            })
        };
        let mut target = Self {
            offsets: [0; CHANNELS],
            index: None,
            number: 0,
            generation: instruction.generation,
            general: true,
            named: false,
            doubled,
            accumulator: None,
            write: by_size(size, [general::<1>, general::<2>, general::<4>, general::<8>]),
        };
        match origin {
            Origin::Indirect { subregister, offset } => {
                target.index = Some(subregister);
                target.offsets = from(0).map(|byte: u16| byte.wrapping_add_signed(offset));
                target.write =
                    by_size(size, [indirect::<1>, indirect::<2>, indirect::<4>, indirect::<8>]);
            }
            Origin::Direct { number, subregister } if file == RegisterFile::Grf => {
                target.offsets =
                    from(usize::from(number) * REGISTER_BYTES + usize::from(subregister));
            }
            Origin::Direct { number, subregister } => {
                target.general = false;
                target.number = number;
                target.offsets = from(usize::from(subregister));
                target.write = nowhere;
                match arf::register(instruction.generation, number) {
                    Register::Null => {}
                    Register::Accumulator => target.accumulator = Some(number & 7),
                    register => {
                        target.named = true;
                        target.write = match register {
                            Register::Known(ArfKind::ThreadDependency) => {
                                let [byte, word] = [forgotten::<1>, forgotten::<2>];
                                by_size(size, [byte, word, forgotten::<4>, forgotten::<8>])
                            }
                            _ => by_size(size, [named::<1>, named::<2>, named::<4>, named::<8>]),
                        };
                    }
                }
            }
        }
        target
    }

    /// The bytes that its channels' elements go to if all are in the general registers.
    pub(super) fn direct(&self, count: usize, size: usize) -> Option<[u16; MOST_CHANNELS]> {
        let bytes = *self.offsets.first_chunk()?;
        let is_within = |byte: &u16| usize::from(*byte) + size <= GRF_BYTES;
        let is_direct = self.general && self.index.is_none();
        (is_direct && self.offsets[..count].iter().all(is_within)).then_some(bytes)
    }

    /// Whether nothing is written.
    pub(super) fn is_null(&self) -> bool {
        !self.general && !self.named && self.accumulator.is_none()
    }

    /// Writes the elements of the enabled channels.
    pub(super) fn write(&self, state: &mut State, bits: &Bits, enabled: u32) {
        let enabled = if self.doubled { enabled & 0x5555_5555 } else { enabled };
        (self.write)(self, state, bits, enabled);
    }

    /// Whether a channel can write outside the registers.
    pub(super) fn may_escape(&self, channels: u32, size: usize) -> bool {
        let mut places = self.offsets.iter().enumerate().filter(|(n, _)| channels >> n & 1 == 1);
        self.general
            && (self.index.is_some() || places.any(|(_, at)| usize::from(*at) + size > GRF_BYTES))
    }

    /// Whether an enabled channel writes outside the registers.
    pub(super) fn escapes(&self, state: &State, enabled: u32, size: usize) -> bool {
        let place = |offset: u16| match self.index {
            Some(index) => {
                let address = state.address[usize::from(index & 15)];
                arf::indirect(self.generation, address, offset)
            }
            None => usize::from(offset),
        };
        let mut places = self.offsets.iter().enumerate().filter(|(n, _)| enabled >> n & 1 == 1);
        self.general && places.any(|(_, at)| place(*at) + size > GRF_BYTES)
    }

    /// The same destination one register further on.
    pub(super) fn next_register(&self) -> Self {
        let mut next = self.clone();
        for offset in &mut next.offsets {
            *offset = offset.wrapping_add(REGISTER_BYTES as u16);
        }
        next
    }
}

fn by_size(size: usize, [byte, word, dword, qword]: [Write; 4]) -> Write {
    match size {
        1 => byte,
        2 => word,
        4 => dword,
        _ => qword,
    }
}

/// Writes the enabled channels' elements into the bytes of a file; what is beyond it is dropped.
fn scatter<const SIZE: usize>(
    file: &mut [u8],
    at: impl Fn(usize) -> usize,
    bits: &Bits,
    enabled: u32,
) {
    let mut rest = enabled;
    while rest != 0 {
        let channel = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let at = at(channel);
        if let Some(element) = file.get_mut(at..at.wrapping_add(SIZE)) {
            element.copy_from_slice(&bits[channel].to_le_bytes()[..SIZE]);
        }
    }
}

fn general<const SIZE: usize>(target: &Target, state: &mut State, bits: &Bits, enabled: u32) {
    let at = |channel: usize| usize::from(target.offsets[channel]);
    scatter::<SIZE>(state.grf.as_flattened_mut(), at, bits, enabled);
}

fn indirect<const SIZE: usize>(target: &Target, state: &mut State, bits: &Bits, enabled: u32) {
    let address = state.address[usize::from(target.index.unwrap_or(0) & 15)];
    let at = |channel: usize| arf::indirect(target.generation, address, target.offsets[channel]);
    scatter::<SIZE>(state.grf.as_flattened_mut(), at, bits, enabled);
}

fn named<const SIZE: usize>(target: &Target, state: &mut State, bits: &Bits, enabled: u32) {
    if enabled == 0 {
        return;
    }
    let mut bytes = arf::image(target.generation, state, target.number, 0, state.ip);
    let at = |channel: usize| usize::from(target.offsets[channel]);
    scatter::<SIZE>(&mut bytes, at, bits, enabled);
    arf::store(target.generation, state, target.number, &bytes);
}

/// What is written there is lost; that something is, is not.
fn forgotten<const SIZE: usize>(target: &Target, state: &mut State, _: &Bits, enabled: u32) {
    let touched =
        target.offsets.iter().enumerate().filter(|(channel, _)| enabled >> channel & 1 == 1);
    let words = touched.fold(0_u32, |words, (_, at)| {
        let (first, last) = (at / 2, (at + SIZE as u16 - 1) / 2);
        (first..=last.min(15)).fold(words, |words, word| words | 1 << word)
    });
    dependency::forget(state, |n, _| words >> n & 1 == 1);
}

fn nowhere(_: &Target, _: &mut State, _: &Bits, _: u32) {}
