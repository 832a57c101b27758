//! Render targets and depth buffers: where pixels are, and how colours get there.

use parallax_isa::{
    Expectation, Extent,
    shared::{Rendering, Unanswered, rendering::DepthBuffer},
    surface::{
        self, Component, Format, Layout, Numeric, Use,
        operation::{DepthFormat, Output},
        pixel::WriteMask,
    },
};

use super::{
    super::{
        World,
        order::{Cache, Lines, Others},
    },
    DataPort, Place,
    fragment::{Fragment, Left},
    space::memory,
    store::Store,
    surface::{SurfaceState, Tiling, Type, byte},
    undefined,
};
use crate::surface::{encode::channel_of, open_after_write, pixels::render_target::write_pixel};

/// A surface that pixels are written to.
#[derive(Debug)]
pub(super) struct Target {
    surface: SurfaceState,
    format: &'static Format,
    /// Bytes of a pixel.
    bytes: i128,
    /// The row that the array element, slice or face starts with.
    first_row: i128,
}

/// The depth buffer as a message meets it.
#[derive(Debug)]
pub(super) struct DepthTarget {
    buffer: DepthBuffer,
}

impl DataPort {
    /// A surface as a render target; nothing for SURFTYPE_NULL.
    pub(super) fn target(
        &self,
        surface: SurfaceState,
        array_index: u32,
        state: &Rendering,
    ) -> Result<Option<Target>, Unanswered> {
        if surface.kind() == Type::Null {
            return Ok(None);
        }
        let format = surface::code(self.device, surface.format()).ok();
        let Some(format) = format.filter(|format| format.allows(self.device, Use::RenderTarget))
        else {
            return undefined(format!("a render target of format {:#x}", surface.format()));
        };
        if state.blend.is_some() && surface.blends() && !format.allows(self.device, Use::Blend) {
            return undefined(format!("blending into format {}", format.name));
        }
        if !matches!(format.layout, Layout::Plain(_)) {
            return undefined(format!("a render target of pairs, {}", format.name));
        }
        if state.alpha_test.is_some() && has_integers(format) {
            return undefined(format!("an alpha test of format {}", format.name));
        }
        let bytes = i128::from(format.bits) / 8;
        let target = Target { surface, format, bytes, first_row: 0 };
        target.check(array_index)?;
        let first_row = target.first_row(array_index);
        if first_row != 0 && surface.origin().1 != 0 {
            return undefined("a Y Offset and an array element that is not the first");
        }
        Ok(Some(Target { first_row, ..target }))
    }
}

impl Target {
    fn check(&self, array_index: u32) -> Result<(), Unanswered> {
        let Self { surface, bytes, .. } = self;
        if surface.line_stride() == 1 {
            return undefined("a render target in field mode");
        }
        if surface.level() != 0 {
            return undefined("a render target of a level of detail that is not modelled");
        }
        match surface.kind() {
            Type::Other => return undefined("a render target of a reserved type"),
            Type::Buffer if array_index != 0 => return undefined("an array of buffers"),
            Type::Buffer if surface.tiling() != Tiling::Linear => {
                return undefined("a buffer that is tiled");
            }
            Type::Buffer if surface.base() % bytes != 0 => {
                return undefined("a buffer whose base address is not aligned to its elements");
            }
            Type::Buffer => return Ok(()),
            _ => {}
        }
        let (alignment, pitch) = match surface.tiling() {
            Tiling::Linear => (*bytes, *bytes),
            Tiling::XMajor => (4096, 512),
            Tiling::YMajor => (4096, 128),
        };
        if surface.base() % alignment != 0 || surface.pitch() % pitch != 0 {
            return undefined("a render target whose base address or pitch is not aligned");
        }
        if surface.tiling() == Tiling::YMajor && *bytes == 16 {
            return undefined("a render target of 128 bits a pixel in Y-major tiles");
        }
        let row_bytes = bytes * surface.width();
        if row_bytes > surface.pitch() {
            return undefined("a render target whose rows do not fit in its pitch");
        }
        if surface.origin() != (0, 0) && !matches!(bytes, 1 | 2 | 4 | 8 | 16) {
            return undefined("an origin of a render target of another size than a power of two");
        }
        surface.check_origin(*bytes, row_bytes)
    }

    /// The row that an array index leads to, from row 0 of the surface on.
    fn first_row(&self, array_index: u32) -> i128 {
        let Self { surface, .. } = self;
        let padded = |rows: i128| rows + rows % 2;
        let deepest = match surface.kind() {
            Type::Cube => 5,
            _ => surface.depth() - 1,
        };
        let index = i128::from(array_index);
        let least = surface.minimum_array_element();
        let effective = least + if index > deepest { 0 } else { index };
        let height = surface.height();
        let apart = match surface.kind() {
            Type::Cube | Type::Volume => padded(height),
            _ => padded(height) + padded((height / 2).max(1)) + 22,
        };
        effective * apart
    }

    pub(super) fn is_linear(&self) -> bool {
        self.surface.tiling() == Tiling::Linear
    }

    /// The lines of an X-major surface that are reached.
    pub(super) fn lines(&self) -> Option<Lines> {
        (self.surface.tiling() == Tiling::XMajor).then_some(Lines::Frame)
    }

    /// Refuses rows of a surface that has none.
    pub(super) fn check_coordinates(&self, y: i128) -> Result<(), Unanswered> {
        if matches!(self.surface.kind(), Type::Buffer | Type::Line) && y != 0 {
            return undefined("a Y coordinate of a buffer or a 1D surface");
        }
        Ok(())
    }

    fn is_inside(&self, x: i128, y: i128) -> bool {
        let (width, height) = match self.surface.kind() {
            Type::Buffer => (self.surface.entries(), 1),
            Type::Line => (self.surface.width(), 1),
            _ => (self.surface.width(), self.surface.height()),
        };
        x < width && y < height
    }

    /// The addresses of the bytes of a pixel; nothing outside of the surface.
    pub(super) fn element(&self, x: i128, y: i128) -> Result<Option<Vec<usize>>, Unanswered> {
        if !self.is_inside(x, y) {
            return Ok(None);
        }
        let (right, down) = self.surface.origin();
        let addresses = (0..self.bytes).map(|n| {
            let address = match self.surface.kind() {
                Type::Buffer => self.surface.base() + x * self.surface.pitch() + n,
                _ => {
                    let column = (x + right) * self.bytes + n;
                    self.surface.address(column, self.first_row + y + down)
                }
            };
            in_memory(address)
        });
        addresses.collect::<Result<_, _>>().map(Some)
    }

    /// Puts a colour over what is there.
    pub(super) fn write(
        &self,
        state: &Rendering,
        fragment: &Fragment,
        element: Vec<usize>,
        store: &mut Store,
        world: &mut World,
    ) -> Result<(), Unanswered> {
        let mask = self.surface.write_mask();
        let blend = state.blend.filter(|_| self.surface.blends());
        let output = Output {
            pre_blend_clamp: state.pre_blend_clamp,
            blend,
            constant: state.constant,
            post_blend_clamp: state.post_blend_clamp,
            logic: state.logic,
            write_mask: mask,
        };
        let stored: Vec<u8> =
            element.iter().map(|address| world.memory.graphics[*address]).collect();
        let sources = (fragment.source, fragment.second_source);
        let left = write_pixel(self.format, &output, sources.0, sources.1, &stored);
        let Ok(left) = left else {
            return undefined(format!("a pixel of format {}", self.format.name));
        };
        // Without any of these nothing of the destination matters.
        let is_read = blend.is_some() || state.logic.is_some() || mask != WriteMask::ALL;
        let lines = self.lines();
        let is_sure =
            |address: &usize| world.past.order.read(*address, Cache::Render, lines) == Others::None;
        let is_open = is_read && !element.iter().all(is_sure);
        // Which NaN a float is, and bits of no component, are not defined.
        let is_written =
            |part: Component| channel_of(part.name).is_none_or(|channel| mask.writes(channel));
        if is_open {
            element.into_iter().zip(left).for_each(|(place, byte)| store.push_open(place, byte));
            return Ok(());
        }
        for Expectation { extent, acceptance } in open_after_write(self.format, &left, is_written) {
            // Tiles are of sixteen bytes at least: those of a pixel are neighbours.
            let offset = (element[0] + extent.range().start) as u32;
            store.accept(Expectation { extent: Extent { offset, ..extent }, acceptance });
        }
        element.into_iter().zip(left).for_each(|(place, byte)| store.push(place, byte));
        Ok(())
    }
}

impl DepthTarget {
    pub(super) fn new(
        buffer: DepthBuffer,
        has_stencil: bool,
        target: &Target,
    ) -> Result<Self, Unanswered> {
        if has_stencil && buffer.format != DepthFormat::D24Unorm {
            return undefined("stencil values for a buffer that keeps none");
        }
        let (alignment, unit) = if buffer.is_tiled { (4096, 128) } else { (64, 1) };
        if !buffer.base.is_multiple_of(alignment) || !buffer.pitch.is_multiple_of(unit) {
            return undefined("a depth buffer that is not aligned");
        }
        let depths = Self { buffer };
        if target.surface.kind() == Type::Buffer {
            return undefined("a depth buffer beside a render target that is a buffer");
        }
        if target.surface.width() * depths.bytes() > i128::from(buffer.pitch) {
            return undefined("a depth buffer whose rows do not fit in its pitch");
        }
        Ok(depths)
    }

    pub(super) fn format(&self) -> DepthFormat {
        self.buffer.format
    }

    fn bytes(&self) -> i128 {
        if self.buffer.format == DepthFormat::D16Unorm { 2 } else { 4 }
    }

    /// Puts what the tests left into the buffer.
    pub(super) fn write(
        &self,
        target: &Target,
        (x, y): (i128, i128),
        left: &Left,
        store: &mut Store,
    ) -> Result<(), Unanswered> {
        let tiling = if self.buffer.is_tiled { Tiling::YMajor } else { Tiling::Linear };
        let (base, pitch) = (self.buffer.base.into(), self.buffer.pitch.into());
        let row = target.first_row + y;
        let address = |n: i128| in_memory(byte(tiling, base, pitch, self.bytes() * x + n, row));
        if let Some(depth) = left.depth {
            let bytes = if self.format() == DepthFormat::D24Unorm { 3 } else { self.bytes() };
            for n in 0..bytes {
                store.push(address(n)?, (depth >> (8 * n)) as u8);
            }
        }
        if let Some(stencil) = left.stencil {
            store.push(address(3)?, stencil);
        }
        Ok(())
    }
}

fn has_integers(format: &Format) -> bool {
    format.layout.components().any(|part| matches!(part.numeric, Numeric::Uint | Numeric::Sint))
}

fn in_memory(address: i128) -> Result<usize, Unanswered> {
    match memory(address)? {
        Place::Memory(place) => Ok(place),
        Place::Nowhere | Place::BeyondBound => undefined("a pixel outside of memory"),
    }
}
