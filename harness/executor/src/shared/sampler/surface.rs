//! Surfaces that are sampled, and what they must not be.

use parallax_isa::{
    Device,
    shared::Unanswered,
    surface::{self, BorderMode, Natural, Use},
};

use super::super::{
    data_port::{Shape, SurfaceState, Walk},
    refuse,
};
use crate::surface::{
    Decoder, View,
    blocks::{Family, sampled},
    format_name,
};

/// How blocks become texels.
#[derive(Debug)]
pub(super) enum Reader {
    Plain(Box<Decoder>),
    Blocks(Family),
}

/// A surface.
#[derive(Debug)]
pub(super) struct Surface {
    pub(super) state: SurfaceState,
    pub(super) device: Device,
    pub(super) name: &'static str,
    pub(super) natural: Natural,
    pub(super) reader: Option<Reader>,
    /// Texels and bytes of a block.
    pub(super) block: [i64; 3],
    /// How many there are from the first one on.
    pub(super) levels: u32,
    pub(super) first_level: u32,
    pub(super) is_right: bool,
    /// Bit n: face n is there.
    pub(super) faces: u32,
    pub(super) is_narrow: bool,
    filterable: bool,
    shadowable: bool,
    keyable: bool,
    pub(super) mode: BorderMode,
}

impl Surface {
    pub(super) fn new(
        dwords: &[u32; 6],
        device: Device,
        mode: BorderMode,
        palettes: &[Vec<u32>; 2],
    ) -> Result<Self, Unanswered> {
        let state = SurfaceState::of(dwords, device);
        let (d0, is_void) = (dwords[0], state.shape == Shape::Void);
        if state.shape == Shape::Unsupported {
            return refuse("a reserved surface type");
        }
        let has_lines = state.walk == Walk::Linear && state.shape != Shape::Buffer;
        if has_lines && !is_void && state.origin != (0, 0) {
            return refuse("an origin of lines");
        }
        let mut surface = Self {
            state,
            device,
            name: "",
            natural: Natural::Float32,
            reader: None,
            block: [1, 1, 1],
            levels: state.level + 1,
            first_level: dwords[4] >> 28,
            is_right: d0 >> 10 & 1 == 1,
            // In the state +Z is lowest and -X highest.
            faces: [4, 5, 2, 3, 0, 1]
                .iter()
                .enumerate()
                .fold(0, |faces, (face, bit)| faces | (d0 >> bit & 1) << face),
            is_narrow: !is_void && d0 >> 27 & 1 == 1,
            filterable: false,
            shadowable: false,
            keyable: false,
            mode,
        };
        if is_void {
            return Ok(surface);
        }
        surface.read_as(state.format, palettes)?;
        surface.check()?;
        Ok(surface)
    }

    /// Finds out how texels of a format are read.
    fn read_as(&mut self, code: u32, palettes: &[Vec<u32>; 2]) -> Result<(), Unanswered> {
        let name = format_name(self.device, code as u16);
        let format = surface::code(self.device, code).ok();
        let (Some(name), Some(format)) = (name, format) else {
            return refuse("a code that no format has");
        };
        let allows = |purpose| format.allows(self.device, purpose);
        if !allows(Use::Sampling) {
            return refuse("a format that is not sampled");
        }
        self.name = name;
        self.filterable = allows(Use::Filtering);
        self.shadowable = allows(Use::Shadow);
        self.keyable = allows(Use::ChromaKey);
        let palettes = palettes.each_ref().map(Vec::as_slice);
        let (border_mode, linearise) = (self.mode, false);
        let view = View { border_mode, linearise, palettes, ..View::default() };
        if let Some(family) = sampled::family(name, &view) {
            self.block = [family.width() as i64, 4, family.bytes() as i64];
            self.reader = Some(Reader::Blocks(family));
            return Ok(());
        }
        let decoder = Decoder::new(self.device, name, &view)
            .map_err(|why| Unanswered::Undefined(why.0.to_owned()))?;
        if decoder.is_wide() {
            return refuse("a format of 64 bits");
        }
        self.block = [decoder.texels() as i64, 1, decoder.bytes() as i64];
        self.natural = decoder.types()[0];
        self.reader = Some(Reader::Plain(Box::new(decoder)));
        Ok(())
    }

    /// Refuses what surfaces must not be.
    fn check(&self) -> Result<(), Unanswered> {
        let state = &self.state;
        if state.shape == Shape::Buffer {
            return match state.walk {
                Walk::Linear => Ok(()),
                _ => refuse("a tiled buffer"),
            };
        }
        let [columns, rows, bytes] = self.block;
        let (base, pitch) = match state.walk {
            Walk::Linear => (0, 0),
            Walk::X => (4095, 511),
            Walk::Y => (4095, 127),
        };
        if state.base & base != 0 || state.pitch & pitch != 0 {
            return refuse("tiles that are not aligned");
        }
        let blocks = u64::from(state.width).div_ceil(columns as u64);
        if blocks * bytes as u64 > state.pitch {
            return refuse("a row that is longer than the pitch");
        }
        let is_even = [1, 2, 4, 8, 16].contains(&bytes) && columns == 1 && rows == 1;
        let (right, down) = state.origin;
        let (tile_bytes, tile_rows) = match state.walk {
            Walk::Linear => (u64::MAX, u64::MAX),
            Walk::X => (512, 8),
            Walk::Y => (128, 32),
        };
        let edge = right * bytes as u64;
        let is_beyond = edge >= tile_bytes || down >= tile_rows;
        let is_moved = (right, down) != (0, 0);
        if is_moved && (!is_even || is_beyond || edge + blocks * bytes as u64 > state.pitch) {
            return refuse("an origin of such texels");
        }
        let (side, deepest) = match state.shape {
            Shape::Volume => (2048, 2048),
            Shape::Cube => (8192, 1),
            _ => (8192, 512),
        };
        if state.width.max(state.height) > side || state.depth > deepest {
            return refuse("a size beyond the greatest one");
        }
        let plain = state.shape == Shape::Plane && state.depth == 1;
        let wrong = match state.shape {
            Shape::Line => state.height != 1,
            Shape::Cube => state.height != state.width,
            _ => false,
        };
        if wrong {
            return refuse("sides that do not go together");
        }
        if self.levels > 14 || self.first_level > 13 {
            return refuse("levels beyond the last one");
        }
        if state.first_element != 0 && !matches!(state.shape, Shape::Line | Shape::Plane) {
            return refuse("a first element of what has none");
        }
        if state.field.is_some() && (!plain || self.is_packed()) || self.is_right && !plain {
            return refuse("a layout that only plain planes have");
        }
        Ok(())
    }

    /// Whether several rows are in a block.
    pub(super) fn is_packed(&self) -> bool {
        self.block[1] > 1
    }

    pub(super) fn is_filterable(&self) -> bool {
        self.filterable
    }

    pub(super) fn is_shadowable(&self) -> bool {
        self.shadowable
    }

    pub(super) fn is_keyable(&self) -> bool {
        self.keyable
    }

    /// `resinfo`.
    pub(super) fn resinfo(&self, lod: u32) -> Result<[u32; 4], Unanswered> {
        let by = u64::from(lod) + u64::from(self.first_level);
        let at = |size: u32| if by > 31 { 0 } else { size >> by };
        let elements = if self.state.depth > 1 { self.state.depth } else { 0 };
        let [width, height] = [at(self.state.width), at(self.state.height)];
        Ok(match self.state.shape {
            Shape::Line => [width, elements, 0, self.levels],
            Shape::Plane => [width, height, elements, self.levels],
            Shape::Volume => [width, height, at(self.state.depth), self.levels],
            Shape::Cube => [width, height, 0, self.levels],
            Shape::Buffer | Shape::Void | Shape::Unsupported => {
                return refuse("the size of a buffer");
            }
        })
    }
}
