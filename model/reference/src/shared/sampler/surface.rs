//! Surfaces as the Sampling Engine sees them (G45 volume 4, section 4.7.2; table `eu-surface-state-by-gen`), from
//! Gen7 on also typed and render target messages.

use parallax_isa::{
    Device,
    device::Generation,
    shared::{Environment, Unanswered},
    surface::{self, Format, Layout, Numeric, Use, pixel::ChannelSelect},
};

use super::super::{
    surface_state::{Field, SurfaceState, Tiling},
    undefined,
};

/// Kinds of surfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::shared) enum Type {
    One,
    Two,
    Three,
    Cube,
    Buffer,
    Null,
}

/// The surface of a binding table index, which keeps the manual's restrictions.
#[derive(Debug)]
pub(in crate::shared) struct Surface {
    pub(super) device: Device,
    pub(in crate::shared) state: SurfaceState,
    kind: Type,
    /// What it is used for: sampling, or a single level of it for a typed or render target message.
    purpose: Use,
    /// Its format; of a null surface it does not matter.
    pub(in crate::shared) format: &'static Format,
}

impl Surface {
    /// The one that is sampled.
    pub(super) fn bound(
        environment: &Environment,
        index: usize,
        device: Device,
    ) -> Result<Self, Unanswered> {
        Self::bound_for(environment, index, device, Use::Sampling)
    }

    /// The one that is used for something.
    pub(in crate::shared) fn bound_for(
        environment: &Environment,
        index: usize,
        device: Device,
        purpose: Use,
    ) -> Result<Self, Unanswered> {
        let state = SurfaceState::bound(environment, index, device)?;
        let kind = match state.field(0, 31, 29) {
            0 => Type::One,
            1 => Type::Two,
            2 => Type::Three,
            3 => Type::Cube,
            4 => Type::Buffer,
            7 => Type::Null,
            code => return undefined(format!("a surface of type {code}")),
        };
        let code = if kind == Type::Null { 0 } else { state.format() };
        let format = surface::message_format(device, code).map_err(because)?;
        let surface = Self { device, state, kind, purpose, format };
        if kind != Type::Null {
            format.require_defined().map_err(because)?;
            format.require(device, purpose).map_err(because)?;
            if surface.is_later() {
                surface.check_modelled()?;
            }
            surface.check_layout()?;
            surface.check_sizes()?;
        }
        Ok(surface)
    }

    pub(in crate::shared) fn kind(&self) -> Type {
        self.kind
    }

    /// Texels of level 0, and slices or elements of an array.
    pub(super) fn base_size(&self) -> (u32, u32, u32) {
        let (width, height) = (self.state.width() as u32, self.state.height() as u32);
        (width, height, self.state.depth() as u32)
    }

    /// Texels of a level, and slices of a volume or elements of an array.
    pub(in crate::shared) fn size(&self, level: u32) -> (u32, u32, u32) {
        let (width, height, depth) = self.base_size();
        let shrunk = |size: u32| (size >> level).max(1);
        let depth = if self.kind == Type::Three { shrunk(depth) } else { depth };
        (shrunk(width), shrunk(height), depth)
    }

    /// Levels that can be reached.
    pub(super) fn levels(&self) -> u32 {
        self.state.level() + 1
    }

    /// Surface Min LOD: the most detailed level that can be sampled.
    pub(super) fn first_level(&self) -> u32 {
        // Decision D-eu-later-typed.
        if self.is_sampled() { self.state.get(Field::FirstLevel) } else { 0 }
    }

    fn is_sampled(&self) -> bool {
        self.purpose == Use::Sampling
    }

    /// Resource Min LOD in 256ths, counted from the first level of the resource.
    pub(super) fn least_lod(&self) -> u32 {
        self.state.get(Field::LeastLod)
    }

    /// Base Mip Level in halves, where the surface has it.
    pub(super) fn base_level(&self) -> u32 {
        self.state.get(Field::BaseMipLevel)
    }

    /// Minimum Array Element.
    pub(in crate::shared) fn first_element(&self) -> u32 {
        self.state.get(Field::FirstLayer)
    }

    /// Whether a coordinate chooses an element: before Gen7 there always is one.
    pub(in crate::shared) fn is_array(&self) -> bool {
        !self.is_later() || self.state.get(Field::Array) == 1
    }

    /// Elements of a buffer.
    pub(in crate::shared) fn entries(&self) -> i128 {
        self.state.entries()
    }

    /// Whether levels are laid out to the right (MIPLAYOUT_RIGHT).
    pub(super) fn is_right(&self) -> bool {
        !self.is_later() && self.state.field(0, 10, 10) == 1
    }

    /// Whether only every other line of memory is the surface's.
    pub(super) fn is_field(&self) -> bool {
        self.state.line_stride() == 1
    }

    /// Cube Face Enables.
    pub(super) fn face_is_enabled(&self, face: usize) -> bool {
        // Bits of +X, -X, +Y, -Y, +Z and -Z.
        let bit = [4, 5, 2, 3, 0, 1][face];
        self.state.get(Field::CubeFaces) >> bit & 1 == 1
    }

    /// What red, green, blue and alpha of a reply take of a texel (Gen7.5 and later).
    pub(super) fn selects(&self) -> Result<Option<[ChannelSelect; 4]>, Unanswered> {
        if self.generation() < Generation::Gen75 {
            return Ok(None);
        }
        let fields = [Field::SelectRed, Field::SelectGreen, Field::SelectBlue, Field::SelectAlpha];
        let mut selects = [ChannelSelect::Zero; 4];
        for (select, field) in selects.iter_mut().zip(fields) {
            *select = ChannelSelect::from_code(self.state.get(field))
                .map_err(|why| Unanswered::Undefined(why.to_string()))?;
        }
        Ok(Some(selects))
    }

    /// Its generation.
    pub(super) fn generation(&self) -> Generation {
        self.device.generation().unwrap_or(Generation::Gen4)
    }

    /// Whether the device is of Gen7 or later.
    pub(super) fn is_later(&self) -> bool {
        self.generation() >= Generation::Gen7
    }

    /// Whether it is a line without tiles, which has a layout of its own from Gen9 on.
    pub(super) fn is_straight(&self) -> bool {
        self.kind == Type::One && self.generation() >= Generation::Gen9
    }

    /// Whether the device is a [DevCTG] or later.
    pub(super) fn is_ctg(&self) -> bool {
        self.device.generation() >= Some(Generation::Gen45)
    }

    /// Whether its texels are integers.
    pub(super) fn has_integers(&self) -> bool {
        let is_integer = |numeric| matches!(numeric, Numeric::Uint | Numeric::Sint);
        self.format.layout.components().any(|component| is_integer(component.numeric))
    }

    /// Whether its blocks are compressed.
    pub(super) fn is_compressed(&self) -> bool {
        matches!(self.format.layout, Layout::Compressed(_))
    }

    /// Refuses what changes results and is not modelled.
    fn check_modelled(&self) -> Result<(), Unanswered> {
        // Decision D-eu-later-surfaces.
        let state = &self.state;
        let refused = [
            (Field::Samples, "a multisampled surface"),
            (Field::Compressed, "a surface with an auxiliary one"),
            (Field::TiledResource, "a tiled resource"),
            (Field::MemoryCompression, "compressed memory"),
            (Field::Rotation, "a rotated surface"),
            (Field::Quilt, "a quilted surface"),
            (Field::CornerTexel, "texel centres at corners"),
        ];
        if let Some((_, what)) = refused.iter().find(|(field, _)| state.get(*field) != 0) {
            return undefined(*what);
        }
        if state.get(Field::TileMode) == 1 {
            return undefined("tiles W");
        }
        if self.kind == Type::Buffer || self.is_straight() {
            return Ok(());
        }
        let codes = [Field::HorizontalAlignment, Field::VerticalAlignment];
        let [columns, rows] = codes.map(|field| state.get(field));
        let is_known = match self.generation() {
            Generation::Gen7 => rows < 2,
            _ => columns != 0 && rows != 0,
        };
        if !is_known {
            return undefined("a reserved alignment of levels");
        }
        Ok(())
    }

    /// Refuses surfaces whose lines are not where they could be.
    fn check_layout(&self) -> Result<(), Unanswered> {
        let pitch = self.state.pitch();
        let (base, unit) = match self.state.tiling() {
            Tiling::Linear => (1, 1),
            Tiling::XMajor => (4096, 512),
            Tiling::YMajor => (4096, 128),
        };
        if self.kind == Type::Buffer {
            return match self.state.tiling() {
                Tiling::Linear => Ok(()),
                _ => undefined("a buffer that is tiled"),
            };
        }
        if self.is_straight() {
            let is_plain = self.state.tiling() == Tiling::Linear && !self.is_compressed();
            return match is_plain {
                true => Ok(()),
                false => undefined("a line of tiles or blocks"),
            };
        }
        if self.state.base() % base != 0 || pitch % unit != 0 {
            return undefined("a tiled surface that is not aligned to tiles");
        }
        let block = self.format.block;
        let blocks = self.state.width().div_euclid(block.width.into())
            + i128::from(self.state.width() % i128::from(block.width) != 0);
        if blocks * i128::from(block.bytes) > pitch {
            return undefined("a surface that is wider than its pitch");
        }
        let bytes = i128::from(block.bytes);
        self.state.check_origin(bytes, blocks * bytes)?;
        let has_origin = self.state.origin() != (0, 0);
        let is_pixel = (block.width, block.height) == (1, 1) && block.bytes.is_power_of_two();
        if has_origin && !is_pixel {
            return undefined("X and Y Offset of a surface without pixels of 8 to 128 bits");
        }
        let is_alone = self.kind == Type::Two && !self.is_array() && self.levels() == 1;
        if has_origin && self.is_later() && !(is_alone && self.first_level() == 0) {
            return undefined("X and Y Offset of something else than a single level");
        }
        Ok(())
    }

    /// Refuses sizes that a type of surface cannot have.
    fn check_sizes(&self) -> Result<(), Unanswered> {
        if self.kind == Type::Buffer {
            return Ok(());
        }
        // Decision D-eu-sampler.
        let (width, height, depth) = self.base_size();
        let (most, deepest) = match self.kind {
            // As large as fields can say.
            _ if self.is_later() => (1 << 14, 1 << 11),
            Type::Three => (2048, 2048),
            Type::Cube => (8192, 1),
            _ => (8192, 512),
        };
        if width > most || height > most || depth > deepest {
            return undefined("a surface larger than surfaces of its type are");
        }
        if self.kind == Type::One && height != 1 {
            return undefined("a height of a surface of one dimension");
        }
        if self.kind == Type::Cube && width != height {
            return undefined("a cube that is not square");
        }
        let last = if self.is_later() { 14 } else { 13 };
        if self.levels() - 1 > last || self.first_level() > last {
            return undefined("more levels than there are");
        }
        let has_elements = match self.kind {
            Type::Three => self.generation() >= Generation::Gen9 || !self.is_sampled(),
            Type::Cube => self.is_later(),
            _ => true,
        };
        if !has_elements && self.first_element() != 0 {
            return undefined("Minimum Array Element of a surface that is no array");
        }
        let is_alone = if self.is_later() { !self.is_array() } else { depth == 1 };
        let is_plain = self.kind == Type::Two && is_alone;
        if self.is_field() && (!is_plain || self.is_compressed()) {
            return undefined("lines of a field of something else than a plain 2D surface");
        }
        if self.is_right() && !is_plain {
            return undefined("MIPLAYOUT_RIGHT of something else than a plain 2D surface");
        }
        Ok(())
    }
}

/// A format that cannot be used.
fn because(why: surface::FormatError) -> Unanswered {
    Unanswered::Undefined(why.to_string())
}
