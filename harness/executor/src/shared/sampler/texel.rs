//! Texels as they are in memory.

use parallax_isa::shared::{Memory, Sampling, Unanswered, memory::GRAPHICS_BYTES};

use super::{
    super::refuse,
    state::Keyed,
    surface::{Reader, Surface},
};
use crate::surface::{Refused, blocks, blocks::sampled, pixels::chroma_key};

/// A texel's bits, and whether a key kills its pixel.
pub(super) type Texel = ([u32; 4], bool);

impl Surface {
    /// A texel of a level, whose slice is counted from the first of all. Of a key, the texel is looked at.
    pub(super) fn fetch(
        &self,
        level: u32,
        [x, y, slice]: [i64; 3],
        memory: &Memory,
        sampling: &Sampling,
        keyed: Option<Keyed>,
    ) -> Result<Texel, Unanswered> {
        let [left, top] = self.corner(level, slice);
        let (column, row) = (left + x, top + y);
        let [columns, rows, _] = self.block;
        let place = (row % rows * columns + column % columns) as usize;
        let bytes = self.load(column / columns, row / rows, memory)?;
        let is_pair = columns == 2;
        let is_last = x + 1 >= self.size(level)[0];
        let next = match is_pair && place == 1 && !is_last {
            true => Some(self.load(column / columns + 1, row, memory)?),
            false => None,
        };
        let texels = self.decode(&bytes)?;
        let mut texel = texels[place];
        if let Some(next) = next.as_ref().filter(|_| sampling.interpolates_chroma) {
            let right = self.decode(next)?[0];
            let code = |bits: u32| (f64::from(f32::from_bits(bits)) * 255.0).round();
            for channel in [0, 2] {
                let sum = code(texels[0][channel]) + code(right[channel]);
                texel[channel] = ((sum / 510.0) as f32).to_bits();
            }
        }
        let Some(Keyed { key, kills }) = keyed else { return Ok((texel, false)) };
        let size = self.block[2] as usize;
        let next = next.as_ref().map(|next| &next[..size]);
        let matching = chroma_key::matches(self.device, self.name, &bytes[..size], next, key)
            .map_err(|why| Unanswered::Undefined(why.0.to_owned()))?;
        Ok(match (matching >> place & 1 == 1, kills) {
            (true, true) => (texel, true),
            (true, false) => (self.black(), false),
            (false, _) => (texel, false),
        })
    }

    /// An element of a buffer.
    pub(super) fn element(&self, index: u32, memory: &Memory) -> Result<[u32; 4], Unanswered> {
        if self.block[0] != 1 || self.block[1] != 1 {
            return refuse("a buffer of blocks");
        }
        let size = self.block[2] as usize;
        let start = self.state.base.saturating_add(u64::from(index) * self.state.pitch);
        let end = start.saturating_add(size as u64);
        if end > GRAPHICS_BYTES as u64 {
            return refuse("an element beyond memory");
        }
        let mut bytes = [0; 16];
        bytes[..size].copy_from_slice(&memory.graphics[start as usize..end as usize]);
        Ok(self.decode(&bytes)?[0])
    }

    /// What a texel becomes that is taken out.
    fn black(&self) -> [u32; 4] {
        if !self.name.starts_with("YCRCB") {
            return [0; 4];
        }
        let byte = |byte: u8| (f32::from(byte) / 255.0).to_bits();
        [byte(0x80), byte(0x10), byte(0x80), 0]
    }

    /// The bytes of a block.
    fn load(&self, column: i64, row: i64, memory: &Memory) -> Result<[u8; 16], Unanswered> {
        let mut bytes = [0; 16];
        for (n, byte) in bytes.iter_mut().enumerate().take(self.block[2] as usize) {
            match memory.graphics.get(self.address(column, row, n as u64) as usize) {
                Some(value) => *byte = *value,
                None => return refuse("a texel beyond memory"),
            }
        }
        Ok(bytes)
    }

    /// The address of a byte of a block.
    fn address(&self, column: i64, row: i64, byte: u64) -> u64 {
        let state = &self.state;
        let row = row as u64 + state.origin.1;
        let line = match state.field {
            Some(first) => 2 * row + u64::from(first),
            None => row,
        };
        let x = (column as u64 + state.origin.0) * self.block[2] as u64 + byte;
        state.base.saturating_add(state.walk.offset(state.pitch, x, line))
    }

    /// The address of a texel of a level, whose slice is counted from the first of all, of a format with one in
    /// a block.
    pub(in super::super) fn address_of(&self, level: u32, [x, y, slice]: [i64; 3]) -> u64 {
        let [left, top] = self.corner(level, slice);
        self.address(left + x, top + y, 0)
    }

    /// A texel, of a format with one in a block, from its bytes.
    pub(in super::super) fn decoded(&self, bytes: &[u8]) -> Result<[u32; 4], Unanswered> {
        let mut block = [0; 16];
        block[..bytes.len()].copy_from_slice(bytes);
        Ok(self.decode(&block)?[0])
    }

    /// The texels of a block.
    fn decode(&self, bytes: &[u8; 16]) -> Result<[[u32; 4]; blocks::MOST_TEXELS], Unanswered> {
        let mut texels = [[0; 4]; blocks::MOST_TEXELS];
        let because = |why: Refused| Unanswered::Undefined(why.0.to_owned());
        let bytes = &bytes[..self.block[2] as usize];
        match &self.reader {
            Some(Reader::Plain(decoder)) => {
                decoder.rows(bytes, &mut texels).map_err(because)?;
            }
            Some(Reader::Blocks(family)) => {
                let view = self.decoded_as();
                let block = sampled::decode(self.device, self.name, *family, &view, bytes);
                let block = block.map_err(because)?;
                for (texel, decoded) in texels.iter_mut().zip(block.texels) {
                    *texel = decoded.map(|bits| bits as u32);
                }
            }
            None => {}
        }
        Ok(texels)
    }
}
