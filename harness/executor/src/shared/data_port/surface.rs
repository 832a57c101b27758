//! Surface states, and surfaces as data ports take them, decoded when a case is loaded.

use std::cell::OnceCell;

use parallax_isa::{
    Device,
    shared::{Environment, Unanswered},
    surface::{self, Use, pixel::WriteMask},
};

use super::super::refuse;
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

/// How the type field reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Shape {
    Buffer,
    Line,
    Plane,
    /// Slices one behind the other.
    Volume,
    /// Six of them.
    Cube,
    Void,
    Unsupported,
}

/// How bytes are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Walk {
    Linear,
    X,
    Y,
}

impl Walk {
    /// How lines stand, by dword 3 of a surface state.
    fn of(dword: u32) -> Self {
        match dword & 3 {
            0 | 1 => Self::Linear,
            2 => Self::X,
            _ => Self::Y,
        }
    }

    /// Where a byte of a line is.
    pub(in super::super) fn offset(self, pitch: u64, x: u64, y: u64) -> u64 {
        self.row(pitch, y) + self.column(x)
    }

    /// Where a line begins.
    #[inline(always)]
    pub(in super::super) fn row(self, pitch: u64, y: u64) -> u64 {
        match self {
            Self::Linear => y * pitch,
            Self::X => (y >> 3) * (pitch << 3) + ((y & 7) << 9),
            Self::Y => (y >> 5) * (pitch << 5) + ((y & 31) << 4),
        }
    }

    /// Where from there on a byte is.
    #[inline(always)]
    pub(in super::super) fn column(self, x: u64) -> u64 {
        match self {
            Self::Linear => x,
            Self::X => x >> 9 << 12 | x & 511,
            Self::Y => x >> 7 << 12 | (x >> 4 & 7) << 9 | x & 15,
        }
    }

    /// Where so many bytes of so many lines end, with all of the tiles that they are in.
    pub(in super::super) fn end(self, pitch: u64, bytes: u64, lines: u64) -> u64 {
        let (right, below) = match self {
            Self::Linear => (0, 0),
            Self::X => (511, 7),
            Self::Y => (127, 31),
        };
        self.offset(pitch, (bytes - 1) | right, (lines - 1) | below) + 1
    }
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

/// What a surface state says, whoever reads it.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct SurfaceState {
    pub(in super::super) shape: Shape,
    pub(in super::super) walk: Walk,
    pub(in super::super) base: u64,
    pub(in super::super) pitch: u64,
    /// Elements, if it is a buffer.
    pub(in super::super) entries: u64,
    pub(in super::super) width: u32,
    pub(in super::super) height: u32,
    /// Slices of a volume, elements of an array.
    pub(in super::super) depth: u32,
    pub(in super::super) first_element: u32,
    /// The code of its format.
    pub(in super::super) format: u32,
    /// Every second line, from this one on.
    pub(in super::super) field: Option<u32>,
    /// Levels beside the first, or the one that is drawn to.
    pub(in super::super) level: u32,
    /// Where in its tiles it starts: pixels, lines.
    pub(in super::super) origin: (u64, u64),
}

impl SurfaceState {
    /// The doublewords that an index of a binding table leads to.
    pub(in super::super) fn bound(heap: &[u32], table: u32, index: usize) -> Option<&[u32; 6]> {
        let entry = *heap.get((table >> 5 << 3) as usize + index)?;
        let first = (entry >> 5 << 3) as usize;
        heap.get(first..first + 6)?.first_chunk::<6>()
    }

    pub(in super::super) fn of([d0, d1, d2, d3, d4, d5]: &[u32; 6], device: Device) -> Self {
        Self {
            shape: match d0 >> 29 {
                0 => Shape::Line,
                1 => Shape::Plane,
                2 => Shape::Volume,
                3 => Shape::Cube,
                4 => Shape::Buffer,
                7 => Shape::Void,
                _ => Shape::Unsupported,
            },
            walk: Walk::of(*d3),
            base: (*d1).into(),
            pitch: u64::from(d3 >> 3 & 0x1_FFFF) + 1,
            entries: u64::from((d3 >> 21 & 0x7F) << 20 | d2 >> 19 << 7 | d2 >> 6 & 0x7F) + 1,
            width: (d2 >> 6 & 0x1FFF) + 1,
            height: (d2 >> 19) + 1,
            depth: (d3 >> 21) + 1,
            first_element: d4 >> 17 & 0x7FF,
            format: d0 >> 18 & 0x1FF,
            field: (d0 >> 12 & 1 == 1).then_some(d0 >> 11 & 1),
            level: d2 >> 2 & 0xF,
            origin: match device {
                Device::Ctg | Device::G45 => {
                    (u64::from(d5 >> 25) << 2, u64::from(d5 >> 20 & 0xF) << 1)
                }
                _ => (0, 0),
            },
        }
    }
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
            let state = SurfaceState::bound(heap, environment.binding_table, index)?;
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
    fn decode(dwords: &[u32; 6], device: Device) -> Self {
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
