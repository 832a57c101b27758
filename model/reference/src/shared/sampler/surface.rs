//! Surfaces as the Sampling Engine sees them (G45 volume 4, section 4.7.2).

use parallax_isa::{
    Device,
    device::Generation,
    shared::{Environment, Unanswered},
    surface::{self, Format, Layout, Numeric, Use},
};

use super::super::{
    data_port::{SurfaceState, Tiling},
    undefined,
};

/// Kinds of surfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    One,
    Two,
    Three,
    Cube,
    Buffer,
    Null,
}

/// The surface of a binding table index, which keeps the manual's restrictions.
#[derive(Debug)]
pub(super) struct Surface {
    pub(super) device: Device,
    pub(super) state: SurfaceState,
    kind: Type,
    /// Its format; of a null surface it does not matter.
    pub(super) format: &'static Format,
}

/// Most levels above the first one.
const LAST_LEVEL: u32 = 13;

impl Surface {
    pub(super) fn bound(
        environment: &Environment,
        index: usize,
        device: Device,
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
        let format = surface::code(device, code).map_err(because)?;
        let surface = Self { device, state, kind, format };
        if kind != Type::Null {
            format.require_defined().map_err(because)?;
            format.require(device, Use::Sampling).map_err(because)?;
            surface.check_layout()?;
            surface.check_sizes()?;
        }
        Ok(surface)
    }

    pub(super) fn kind(&self) -> Type {
        self.kind
    }

    /// Texels of level 0, and slices or elements of an array.
    pub(super) fn base_size(&self) -> (u32, u32, u32) {
        let (width, height) = (self.state.width() as u32, self.state.height() as u32);
        (width, height, self.state.field(3, 31, 21) + 1)
    }

    /// Texels of a level, and slices of a volume or elements of an array.
    pub(super) fn size(&self, level: u32) -> (u32, u32, u32) {
        let (width, height, depth) = self.base_size();
        let shrunk = |size: u32| (size >> level).max(1);
        let depth = if self.kind == Type::Three { shrunk(depth) } else { depth };
        (shrunk(width), shrunk(height), depth)
    }

    /// Levels that can be reached.
    pub(super) fn levels(&self) -> u32 {
        self.state.field(2, 5, 2) + 1
    }

    /// Surface Min LOD: the most detailed level that can be reached.
    pub(super) fn first_level(&self) -> u32 {
        self.state.field(4, 31, 28)
    }

    /// Minimum Array Element.
    pub(super) fn first_element(&self) -> u32 {
        self.state.field(4, 27, 17)
    }

    /// Elements of a buffer.
    pub(super) fn entries(&self) -> u32 {
        self.state.entries() as u32
    }

    /// Whether levels are laid out to the right (MIPLAYOUT_RIGHT).
    pub(super) fn is_right(&self) -> bool {
        self.state.field(0, 10, 10) == 1
    }

    /// Whether only every other line of memory is the surface's.
    pub(super) fn is_field(&self) -> bool {
        self.state.line_stride() == 1
    }

    /// Cube Face Enables.
    pub(super) fn face_is_enabled(&self, face: usize) -> bool {
        // Bits of +X, -X, +Y, -Y, +Z and -Z.
        let bit = [4, 5, 2, 3, 0, 1][face];
        self.state.field(0, bit, bit) == 1
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
        if self.levels() - 1 > LAST_LEVEL || self.first_level() > LAST_LEVEL {
            return undefined("more levels than there are");
        }
        if !matches!(self.kind, Type::One | Type::Two) && self.first_element() != 0 {
            return undefined("Minimum Array Element of a surface that is no array");
        }
        let is_plain = self.kind == Type::Two && depth == 1;
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
