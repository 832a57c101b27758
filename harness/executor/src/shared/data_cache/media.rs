//! Media blocks: rectangles of pictures, a row after the other.

use parallax_isa::shared::{Reach, Request, Unanswered};

use super::{super::picture, Reply, Way, any, lengths, refuse};

/// Moves the rectangle that a header describes.
pub(super) fn run(
    request: &Request,
    header: &[u32; 8],
    memory: &mut Reach,
    way: Way,
) -> Result<Reply, Unanswered> {
    let picture = picture::named(request, memory.map)?;
    let (left, top) = (i64::from(header[0].cast_signed()), i64::from(header[1].cast_signed()));
    let (columns, rows) = ((header[2] & 63) + 1, (header[2] >> 16 & 63) + 1);
    if left & 3 != 0 || columns & 3 != 0 {
        return refuse("a rectangle that cuts through doublewords");
    }
    // Doublewords of a row, in picture and registers.
    let (across, apart) = (columns as usize / 4, columns.next_power_of_two() as usize / 4);
    let registers = (apart * rows as usize).div_ceil(8);
    if registers > 8 {
        return refuse("a rectangle beyond eight registers");
    }
    let (sent, returned) = if way == Way::Load { (1, registers) } else { (1 + registers, 0) };
    lengths(request, sent, returned)?;
    let mut reply = Reply::default();
    if !any(request) {
        return Ok(reply);
    }
    let (width, height) = (picture.width as i64 / 4, picture.height as i64);
    for row in 0..rows as usize {
        for column in 0..across {
            let (x, y) = (left / 4 + column as i64, top + row as i64);
            let [near_x, near_y] = [x.min(width - 1).max(0), y.min(height - 1).max(0)];
            let place = picture.start + near_y as usize * picture.pitch + 4 * near_x as usize;
            let pixel = &mut memory.bytes_mut()[place..place + 4];
            let (register, lane) = ((row * apart + column) / 8, (row * apart + column) % 8);
            match way {
                Way::Load => {
                    reply[register].enables |= 1 << lane;
                    reply[register].bytes[4 * lane..][..4].copy_from_slice(pixel);
                }
                Way::Store if (x, y) == (near_x, near_y) => {
                    pixel.copy_from_slice(&request.payload[1 + register][4 * lane..][..4]);
                }
                Way::Store => {}
            }
        }
    }
    Ok(reply)
}
