//! What comes back.

use parallax_isa::shared::{LONGEST_REPLY, Response};

use super::{
    super::Reply,
    message::{Job, Order},
};
use crate::surface::half;

/// A colour with whether a chroma key kills its pixel.
pub(super) type Colour = ([u32; 4], bool);

/// What becomes of floats on the way.
pub(super) fn carry(order: &Order, colours: &mut [Colour], narrow: bool, alternative: bool) {
    for bits in colours.iter_mut().flat_map(|(colour, _)| colour) {
        if order.form.job == Job::Size {
            *bits = (*bits as f32).to_bits();
            continue;
        }
        if narrow {
            let steps = (f64::from(f32::from_bits(*bits)) * 16384.0).round_ties_even();
            // Without the sign of a zero.
            *bits = ((steps / 16384.0) as f32 + 0.0).to_bits();
        }
        if alternative && *bits & 0x7FFF_FFFF == 0x7F80_0000 {
            *bits -= 1;
        }
    }
}

/// The registers of some colours from Gen7 on, and which of their words are written if they are words: channels
/// that come back follow each other, those of pixels or components that are off are left alone.
pub(super) fn reply_later(
    order: &Order,
    colours: &[Colour],
    enables: u16,
    are_floats: bool,
) -> (Reply, Option<u16>) {
    let mut reply = [Response::default(); LONGEST_REPLY];
    let registers = order.channel_registers();
    let returned = (0..4).filter(|channel| order.masked >> channel & 1 == 0);
    for (number, channel) in returned.enumerate() {
        for (lane, (colour, _)) in colours.iter().enumerate() {
            let bits = colour[channel];
            let (register, dword) = match order.form.lanes {
                2 => (0, 4 * lane + channel),
                _ => (number * registers + lane / 8, lane % 8),
            };
            if order.in_words {
                let word = if are_floats { half(f32::from_bits(bits)) } else { bits };
                let words = reply[number].bytes.as_chunks_mut::<2>().0;
                words[lane] = (word as u16).to_le_bytes();
                continue;
            }
            let enable = if order.form.lanes == 2 { dword } else { lane };
            let register = &mut reply[register];
            register.bytes.as_chunks_mut::<4>().0[dword] = bits.to_le_bytes();
            register.enables |= ((enables >> enable & 1) as u8) << dword;
        }
    }
    let lanes = u16::MAX >> (16 - colours.len());
    if order.has_residency {
        // Every page is there.
        let register = &mut reply[registers * (4 - order.masked.count_ones() as usize)];
        register.bytes[..2].copy_from_slice(&lanes.to_le_bytes());
        register.enables = 1;
    }
    (reply, order.in_words.then_some(enables & lanes))
}

/// The registers of some colours before, in which only active pixels are written.
pub(super) fn reply(order: &Order, colours: &[Colour], active: u32) -> Reply {
    let mut reply = [Response::default(); LONGEST_REPLY];
    let mut put = |register: usize, dword: usize, bits: u32| {
        reply[register].bytes[4 * dword..][..4].copy_from_slice(&bits.to_le_bytes());
        reply[register].enables |= 1 << dword;
    };
    let mut next = 0;
    for channel in 0..4 {
        let is_masked = order.masked >> channel & 1 == 1;
        for (lane, (colour, _)) in colours.iter().enumerate() {
            if is_masked || active >> lane & 1 == 0 {
                continue;
            }
            match order.form.lanes {
                16 => put(next + lane / 8, lane % 8, colour[channel]),
                8 => put(channel, lane, colour[channel]),
                _ => put(0, 4 * lane + channel, colour[channel]),
            }
        }
        next += if is_masked { 0 } else { 2 };
    }
    if order.form.kills {
        let killed = colours.iter().enumerate().filter(|(_, (_, killed))| *killed);
        put(4, 0, killed.fold(u32::MAX, |mask, (lane, _)| mask & !(1 << lane)));
    }
    reply
}
