//! Whole surfaces, block by block.

use parallax_isa::surface::{Format, Layout, Sheet, Texel};

use super::{SurfaceError, View, decode};

/// The texels of a surface, row by row.
///
/// # Errors
/// If the size is none of the format's, there are too few bytes, or a block cannot be decoded.
pub fn decode_sheet(
    format: &Format,
    sheet: Sheet,
    bytes: &[u8],
    view: &View,
) -> Result<Vec<Texel>, SurfaceError> {
    sheet.require(format, bytes.len())?;
    let (width, height) = (sheet.width as usize, sheet.height as usize);
    let (block_width, block_height) =
        (usize::from(format.block.width), usize::from(format.block.height));
    let mut texels = vec![None; width * height];
    for y in (0..height).step_by(block_height) {
        for x in (0..width).step_by(block_width) {
            let block = decode(format, &block_at(format, sheet, bytes, x, y), view)?;
            for (n, texel) in block.into_iter().enumerate() {
                let (column, row) = (x + n % block_width, y + n / block_width);
                texels[row * width + column] = Some(texel);
            }
        }
    }
    Ok(texels.into_iter().map(|texel| texel.expect("every block was decoded")).collect())
}

/// The bytes of the block whose first texel is at (x, y).
fn block_at(format: &Format, sheet: Sheet, bytes: &[u8], x: usize, y: usize) -> Vec<u8> {
    let pitch = sheet.pitch as usize;
    if let Layout::Planar { luma, .. } = &format.layout {
        let size = usize::from(luma.bits / 8);
        let span = |row: usize| bytes[row * pitch + x * size..][..2 * size].to_vec();
        // Two rows of luma, and one of the chroma plane below all luma.
        return [span(y), span(y + 1), span(sheet.height as usize + y / 2)].concat();
    }
    let block = format.block;
    let (column, row) = (x / usize::from(block.width), y / usize::from(block.height));
    let size = usize::from(block.bytes);
    bytes[row * pitch + column * size..][..size].to_vec()
}
