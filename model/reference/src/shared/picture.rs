//! Pictures, which media blocks reach, and `resinfo`, the one message of the sampling engine of Gen9 and
//! later that is answered without surfaces of a set-up: the size of one (the talk's message in two parts; what
//! comes back is as on G45, rules `g45.smsg.resinfo.*`).

use parallax_isa::shared::{
    Request, Response, Unanswered,
    launch::Map,
    memory::{FIRST_PICTURE, Picture},
};

use super::{Reply, check_lengths, undefined};

/// The code of the shared function.
pub(super) const SAMPLING_ENGINE: u8 = 2;
/// The message type.
const RESINFO: u32 = 10;
/// Bytes of a pixel of a picture.
const PIXEL: u32 = 4;

/// The picture behind a binding table index.
pub(super) fn behind(request: &Request, map: &Map) -> Result<Picture, Unanswered> {
    // Decision D-eu-memory.
    let index = (request.function_control & 0xFF) as usize;
    let picture = index.checked_sub(FIRST_PICTURE).and_then(|number| map.pictures.get(number));
    picture.copied().map_or_else(|| undefined(format!("surface {index} is no picture")), Ok)
}

/// Width, height, depth and number of levels, at the level of detail of each channel.
pub(super) fn resinfo(request: &Request, map: &Map) -> Result<Reply, Unanswered> {
    // Decision D-eu-resinfo.
    let control = request.function_control;
    let message_type = control >> 12 & 0x1F;
    if message_type != RESINFO {
        return undefined(format!("sampling engine message type {message_type}"));
    }
    let slots: usize = match control >> 17 & 3 {
        1 => 8,
        2 => 16,
        mode => return undefined(format!("a resinfo of SIMD mode {mode}")),
    };
    let picture = behind(request, map)?;
    let header = usize::from(request.has_header);
    let registers = slots / 8;
    check_lengths(request, header + registers, 4 * registers)?;
    let levels = request.payload[header..].as_flattened().chunks(4);
    let mut reply = vec![Response::default(); 4 * registers];
    for (slot, level) in levels.enumerate().take(request.channels.into()) {
        if request.channel_enables >> slot & 1 == 0 {
            continue;
        }
        let level = level.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
        let at_level = |size: u32| size.checked_shr(level).unwrap_or(0);
        let (width, height) = (picture.width as u32 / PIXEL, picture.height as u32);
        for (component, value) in [at_level(width), at_level(height), 0, 1].into_iter().enumerate()
        {
            let Response { bytes, enables } = &mut reply[component * registers + slot / 8];
            bytes[slot % 8 * 4..][..4].copy_from_slice(&value.to_le_bytes());
            *enables |= 1 << (slot % 8);
        }
    }
    Ok(Reply { registers: reply, ..Reply::default() })
}
