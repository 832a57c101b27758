//! Pictures: which one is behind an index, and how large it is for each channel at a level (`resinfo`).

use parallax_isa::shared::{
    Request, Unanswered,
    launch::Map,
    memory::{FIRST_PICTURE, Picture},
};

use super::{Reply, lengths, refuse};

/// The picture that a message names in the low byte of its descriptor.
pub(super) fn named(request: &Request, map: &Map) -> Result<&'static Picture, Unanswered> {
    let index = usize::from(request.function_control as u8);
    match map.pictures.get(index.wrapping_sub(FIRST_PICTURE)) {
        Some(picture) => Ok(picture),
        None => refuse("an index without a picture"),
    }
}

/// The size of a picture.
pub(super) fn size(request: &Request, map: &Map) -> Result<Reply, Unanswered> {
    let bits = request.function_control;
    // Type 10; the sampler, bits 11:8, has no part in it.
    if bits >> 12 & 31 != 10 {
        return refuse("a message to the sampler that is not about a size");
    }
    let halves = match bits >> 17 {
        1 => 1,
        2 => 2,
        _ => return refuse("a size for neither 8 nor 16 channels"),
    };
    let picture = named(request, map)?;
    let front = usize::from(request.has_header);
    lengths(request, front + halves, 4 * halves)?;
    let mut reply = Reply::default();
    let channels = (8 * halves).min(request.channels.into());
    for channel in (0..channels).filter(|channel| request.channel_enables >> channel & 1 == 1) {
        let (half, lane) = (channel / 8, channel % 8);
        let level = request.payload[front + half].as_chunks::<4>().0[lane];
        let level = u32::from_le_bytes(level).min(63);
        let sizes = [(picture.width / 4) as u64 >> level, picture.height as u64 >> level, 0, 1];
        for (part, size) in sizes.into_iter().enumerate() {
            let register = &mut reply[part * halves + half];
            register.enables |= 1 << lane;
            register.bytes.as_chunks_mut::<4>().0[lane] = (size as u32).to_le_bytes();
        }
    }
    Ok(reply)
}
