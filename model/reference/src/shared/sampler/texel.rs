//! Texels of a surface as they are in memory (G45 volume 4, section 4.3).

use parallax_isa::{
    shared::{Sampling, Unanswered},
    surface::{Block, BorderMode, Layout, Texel, operation::Key},
};

use crate::surface::{SurfaceError, View, decode, pixels::chroma_key};

use super::{
    super::{
        World,
        data_port::{Place, memory},
        order::{Cache, Others},
        undefined,
    },
    reply::Colour,
    surface::{Surface, Type},
};

/// A texel that was fetched.
#[derive(Debug)]
pub(super) struct Fetched<'s> {
    surface: &'s Surface,
    sampling: Option<&'s Sampling>,
    /// The block that it is in, and where in that.
    block: Vec<u8>,
    number: usize,
    /// The block to the right, if there is one and its chroma may count.
    next: Option<Vec<u8>>,
    /// What is in memory is certain to be met.
    pub(super) is_sure: bool,
    /// sRGB codes are made linear before anything else is done with them (Gen7 and later).
    pub(super) linearises: bool,
}

impl Surface {
    /// The texel of a level at x and y of a slice, all of them inside.
    pub(super) fn texel<'s, 'w: 's>(
        &'s self,
        level: u32,
        place: [i64; 3],
        world: &mut World<'w>,
    ) -> Result<Fetched<'s>, Unanswered> {
        let position = self.position(level, place);
        let block = self.format.block;
        let (width, height) = (i128::from(block.width), i128::from(block.height));
        let (column, row) = (position.x / width, position.y / height);
        let number = (position.y % height * width + position.x % width) as usize;
        let (bytes, mut is_sure) = self.block(column, row, world)?;
        let is_pair = matches!(self.format.layout, Layout::Subsampled(_));
        let has_next = is_pair && place[0] + 1 < i64::from(self.size(level).0) && number == 1;
        let next = if has_next {
            let (bytes, is_known) = self.block(column + 1, row, world)?;
            is_sure &= is_known;
            Some(bytes)
        } else {
            None
        };
        is_sure &= position.is_sure;
        let sampling = world.sampling;
        let linearises = self.is_later();
        Ok(Fetched { surface: self, sampling, block: bytes, number, next, is_sure, linearises })
    }

    /// An element of a buffer.
    pub(super) fn element(&self, index: u32, world: &mut World) -> Result<Colour, Unanswered> {
        debug_assert_eq!(self.kind(), Type::Buffer);
        let block = self.format.block;
        if (block.width, block.height) != (1, 1) {
            return undefined("a buffer of blocks");
        }
        let start = self.state.base() + i128::from(index) * self.state.pitch();
        let addresses = (0..i128::from(block.bytes)).map(|byte| start + byte);
        let (block, is_sure) = read(addresses, world)?;
        let sampling = world.sampling;
        let (next, linearises) = (None, self.is_later());
        let texel =
            Fetched { surface: self, sampling, block, number: 0, next, is_sure, linearises };
        Ok(Colour::of_texel(texel.colour()?, is_sure))
    }

    /// The bytes of a block, and whether they are sure.
    fn block(
        &self,
        column: i128,
        row: i128,
        world: &mut World,
    ) -> Result<(Vec<u8>, bool), Unanswered> {
        let size = i128::from(self.format.block.bytes);
        read((0..size).map(|byte| self.address(column, row, byte)), world)
    }

    /// Refuses a slice of a level that is not in the memory of the case as a whole.
    pub(super) fn require_memory(&self, level: u32, slice: i64) -> Result<(), Unanswered> {
        let (width, height, _) = self.size(level);
        let last = self.position(level, [i64::from(width) - 1, i64::from(height) - 1, slice]);
        let Block { width, height, bytes } = self.format.block;
        let (column, row) = (last.x / i128::from(width), last.y / i128::from(height));
        let (column, line) = self.byte_of(column, row, i128::from(bytes) - 1);
        memory(self.state.greatest_address(column, line))?;
        Ok(())
    }

    /// The graphics address of a byte of a block.
    pub(in crate::shared) fn address(&self, column: i128, row: i128, byte: i128) -> i128 {
        let (column, line) = self.byte_of(column, row, byte);
        self.state.address(column, line)
    }

    /// The byte of which line a byte of a block is.
    fn byte_of(&self, column: i128, row: i128, byte: i128) -> (i128, i128) {
        let size = i128::from(self.format.block.bytes);
        let (right, down) = self.state.origin();
        let (column, row) = (column + right, row + down);
        let line =
            if self.is_field() { 2 * row + i128::from(self.state.line_offset()) } else { row };
        (column * size + byte, line)
    }
}

/// Bytes of memory, and whether they are sure.
fn read(
    addresses: impl Iterator<Item = i128>,
    world: &mut World,
) -> Result<(Vec<u8>, bool), Unanswered> {
    let (mut bytes, mut is_sure) = (Vec::new(), true);
    for address in addresses {
        let Place::Memory(place) = memory(address)? else {
            return undefined("a texel that is nowhere");
        };
        is_sure &= world.past.order.read(place, Cache::Sampler, None) == Others::None;
        bytes.push(world.memory.graphics[place]);
    }
    Ok((bytes, is_sure))
}

impl Fetched<'_> {
    /// Its colour in the default state of a sampler.
    pub(super) fn colour(&self) -> Result<Texel, Unanswered> {
        self.colour_in(BorderMode::Dx10Ogl)
    }

    /// Its colour, which the border colour mode has a part in.
    pub(super) fn colour_in(&self, mode: BorderMode) -> Result<Texel, Unanswered> {
        let format = self.surface.format;
        let view = self.view(mode);
        let texel = decode(format, &self.block, &view).map_err(because)?[self.number];
        let interpolates = self.sampling.is_some_and(|sampling| sampling.interpolates_chroma);
        if let Some(next) = self.next.as_ref().filter(|_| interpolates) {
            let left = decode(format, &self.block, &view).map_err(because)?[0];
            let next = decode(format, next, &view).map_err(because)?[0];
            return Ok(chroma_key::interpolated_chroma(left, texel, next));
        }
        Ok(texel)
    }

    /// Whether it is in the range of a chroma key.
    pub(super) fn matches(&self, key: Key, mode: BorderMode) -> Result<bool, Unanswered> {
        let (format, next) = (self.surface.format, self.next.as_deref());
        let view = self.view(mode);
        let device = self.surface.device;
        let matches = chroma_key::matches(device, format, &self.block, next, &view, key);
        Ok(matches.map_err(because)?[self.number])
    }

    fn view(&self, border_mode: BorderMode) -> View<'_> {
        let palettes = self.sampling.map_or([&[][..]; 2], |sampling| {
            sampling.palettes.each_ref().map(|entries| &entries[..])
        });
        View { border_mode, palettes, linearise: self.linearises, ..View::default() }
    }
}

/// A texel that cannot be decoded.
fn because(why: SurfaceError) -> Unanswered {
    Unanswered::Undefined(why.to_string())
}
