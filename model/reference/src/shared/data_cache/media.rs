//! Media blocks: rectangles of a picture (the talk's table of data port messages).

use parallax_isa::shared::{Request, Unanswered, memory::Picture};

use super::{
    form::{Element, Form},
    space::header,
    undefined,
};

/// Bytes of a pixel: the table has doublewords.
const PIXEL: usize = 4;
/// Registers of the longest block.
const LONGEST: usize = 8;

impl Form {
    /// The pixels of a rectangle. Its rows stand a power of two of bytes apart in the data.
    pub(super) fn media(
        request: &Request,
        control: u32,
        picture: Picture,
        is_write: bool,
    ) -> Result<Self, Unanswered> {
        // Decision D-eu-media-block.
        if !request.has_header {
            return undefined("a media block without a header");
        }
        if control != 0 {
            return undefined("a media block of fields");
        }
        let [left, top] = [0, 1].map(|place| i128::from(header(request, place).cast_signed()));
        let size = header(request, 2);
        let (width, height) = ((size & 0x3F) as usize + 1, (size >> 16 & 0x3F) as usize + 1);
        if left.rem_euclid(PIXEL as i128) != 0 || !width.is_multiple_of(PIXEL) {
            return undefined("a media block that is not made of whole doublewords");
        }
        let pitch = width.next_power_of_two();
        let registers = (height * pitch).div_ceil(32);
        if registers > LONGEST {
            return undefined("a media block of more than eight registers");
        }
        let (last_column, last_row) = ((picture.width - PIXEL) as i128, picture.height as i128 - 1);
        let mut elements = Vec::new();
        for row in 0..height {
            for column in (0..width).step_by(PIXEL) {
                let (x, y) = (left + column as i128, top + row as i128);
                // Beyond an edge the pixel at the edge is read, and nothing is written.
                let (inside_x, inside_y) = (x.clamp(0, last_column), y.clamp(0, last_row));
                if is_write && (x, y) != (inside_x, inside_y) {
                    continue;
                }
                elements.push(Element {
                    offset: inside_y * picture.pitch as i128 + inside_x,
                    bytes: PIXEL,
                    at: row * pitch + column,
                });
            }
        }
        Ok(Self { front: 1, registers, elements, is_block: true })
    }
}
