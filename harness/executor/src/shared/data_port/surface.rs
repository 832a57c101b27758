//! Surfaces as data ports take them, decoded when a case is loaded.

use std::cell::OnceCell;

use parallax_isa::{
    Device,
    shared::{Environment, Unanswered},
    surface::{self, Use, pixel::WriteMask},
};

use super::super::{
    refuse,
    surface_state::{Columns, Shape, SurfaceState},
};
use crate::surface::{Refused, pixels::render_target::Writer};

/// The binding table with what is behind it.
#[derive(Debug)]
pub(crate) struct Surfaces {
    /// By index; where the table or a state lies beyond its bound there is none.
    table: Vec<Option<Surface>>,
    general_state: (u64, u64),
    pub(super) is_gen45: bool,
    pub(super) device: Device,
}

/// What an index stands for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target<'s> {
    /// From an address on, up to another.
    Addresses {
        base: u64,
        end: u64,
    },
    Void,
    Surface(&'s Surface),
}

/// What of a format matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pixel {
    Bytes1,
    Bytes2,
    Bytes4,
    /// Luma, chroma, luma, chroma.
    Yuyv,
    /// Chroma, luma, chroma, luma.
    Uyvy,
    Unsupported,
}

/// A surface as data ports take it.
#[derive(Debug)]
pub(super) struct Surface {
    pub(super) state: SurfaceState,
    pub(super) boundary_mode: u32,
    pub(super) pixel: Pixel,
    /// Doublewords of a vertex that is streamed out; 0: none can be.
    pub(super) vertex: usize,
    /// How it takes colours, if it does.
    pub(super) paint: Option<Paint>,
}

/// A surface as a render target.
#[derive(Debug)]
pub(super) struct Paint {
    /// The name of its format.
    name: &'static str,
    /// What writes its pixels, once there was one.
    writer: OnceCell<Result<Writer, Refused>>,
    pub(super) bytes: u64,
    /// Its format can be blended into, and it is.
    pub(super) can_blend: bool,
    pub(super) blends: bool,
    pub(super) mask: WriteMask,
}

impl Paint {
    /// What writes its pixels.
    pub(super) fn writer(&self, device: Device) -> Result<&Writer, Refused> {
        let writer = self.writer.get_or_init(|| Writer::new(device, self.name));
        writer.as_ref().map_err(|why| *why)
    }
}

impl Surfaces {
    pub(in super::super) fn of(environment: &Environment, device: Device) -> Self {
        let heap = &environment.surface_states;
        let is_gen45 = matches!(device, Device::Ctg | Device::G45);
        let table = (0..255_usize).map(|index| {
            let state = Columns::of(device).bound(heap, environment.binding_table, index)?;
            Some(Surface::decode(state, device))
        });
        let bound = match environment.general_state_bound {
            0 => u64::MAX,
            bound => bound.into(),
        };
        let general_state = (environment.general_state_base.into(), bound);
        Self { table: table.collect(), general_state, is_gen45, device }
    }

    /// What is behind an index; `low` is the doubleword with the base of stateless messages.
    pub(super) fn target(&self, index: u8, low: u32) -> Result<Target<'_>, Unanswered> {
        let Some(entry) = self.table.get(usize::from(index)) else {
            let (base, end) = self.general_state;
            return Ok(Target::Addresses { base: base + u64::from(low >> 10 << 10), end });
        };
        match entry {
            None => refuse("a surface state beyond the bound"),
            Some(surface) if surface.state.shape == Shape::Void => Ok(Target::Void),
            Some(surface) => Ok(Target::Surface(surface)),
        }
    }
}

impl Surface {
    fn decode(dwords: &[u32], device: Device) -> Self {
        let (state, d0) = (SurfaceState::of(dwords, device), dwords[0]);
        let format = surface::code(device, state.format).ok();
        let pixel = match format {
            Some(format) => match (format.name, format.bits) {
                ("YCRCB_NORMAL" | "YCRCB_SWAPUV", _) => Pixel::Yuyv,
                ("YCRCB_SWAPY" | "YCRCB_SWAPUVY", _) => Pixel::Uyvy,
                (_, 8) => Pixel::Bytes1,
                (_, 16) => Pixel::Bytes2,
                (_, 32) => Pixel::Bytes4,
                _ => Pixel::Unsupported,
            },
            None => Pixel::Unsupported,
        };
        let vertex = format
            .filter(|format| format.allows(device, Use::StreamOutput))
            .map_or(0, |format| usize::from(format.bits / 32));
        let paint =
            format.filter(|format| format.allows(device, Use::RenderTarget)).map(|format| {
                // Of the field, alpha comes first, then red to blue.
                let [alpha, red, green, blue] = [17, 16, 15, 14].map(|bit: u32| d0 >> bit & 1 == 0);
                let mask = [red, green, blue, alpha].into_iter().zip(0..);
                let mask =
                    mask.fold(0, |mask, (is_written, bit)| mask | u8::from(is_written) << bit);
                Paint {
                    name: format.name,
                    writer: OnceCell::new(),
                    bytes: (format.bits / 8).max(1).into(),
                    can_blend: format.allows(device, Use::Blend),
                    blends: d0 >> 13 & 1 == 1,
                    mask: WriteMask::new(mask),
                }
            });
        Self { state, boundary_mode: d0 >> 6 & 3, pixel, vertex, paint }
    }
}

// What only pixels ask for.
impl Surface {
    pub(super) fn has_pixel(&self, x: u64, y: u64) -> bool {
        let state = &self.state;
        let (width, height) = match state.shape {
            Shape::Buffer => (state.entries, 1),
            Shape::Line => (state.width.into(), 1),
            _ => (state.width.into(), state.height.into()),
        };
        x < width && y < height
    }

    /// The first line of an element of an array, a slice or a face.
    pub(super) fn top_of(&self, element: u32) -> u64 {
        let even = |lines: u64| (lines + 1) & !1;
        let state = &self.state;
        let last = if state.shape == Shape::Cube { 5 } else { state.depth - 1 };
        let number = state.first_element + if element <= last { element } else { 0 };
        let own = even(state.height.into());
        let lines = match state.shape {
            Shape::Volume | Shape::Cube => own,
            // Those of the next level are there too, and eleven times two more.
            _ => own + even(u64::from(state.height >> 1).max(1)) + 22,
        };
        u64::from(number) * lines
    }

    /// The address of a pixel of so many bytes.
    pub(super) fn pixel(&self, bytes: u64, x: u64, y: u64, top: u64) -> u64 {
        let state = &self.state;
        if state.shape == Shape::Buffer {
            return state.base + x * state.pitch;
        }
        let (right, down) = state.origin;
        state.base + state.walk.offset(state.pitch, bytes * (x + right), top + y + down)
    }
}
