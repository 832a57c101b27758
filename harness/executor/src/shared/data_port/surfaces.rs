//! Surface states, decoded when a case is loaded.

use parallax_isa::{
    Device,
    shared::{Environment, Unanswered},
    surface::{self, Use},
};

use super::super::refuse;

/// The binding table with what is behind it.
#[derive(Debug)]
pub(crate) struct Surfaces {
    /// By index; where the table or a state lies beyond its bound there is none.
    table: Vec<Option<Surface>>,
    general_state: (u64, u64),
    pub(super) is_gen45: bool,
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
pub(super) enum Shape {
    Buffer,
    Plane,
    Void,
    Unsupported,
}

/// How bytes are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Walk {
    Linear,
    X,
    Y,
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

/// A surface state.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surface {
    pub(super) shape: Shape,
    pub(super) walk: Walk,
    pub(super) base: u64,
    pub(super) pitch: u64,
    /// Elements, if it is a buffer.
    pub(super) entries: u64,
    /// Columns of doublewords and rows, if it is a plane.
    pub(super) width: i64,
    pub(super) height: i64,
    /// Every second line, from this one on.
    pub(super) field: Option<u32>,
    pub(super) boundary_mode: u32,
    pub(super) pixel: Pixel,
    /// Doublewords of a vertex that is streamed out; 0: none can be.
    pub(super) vertex: usize,
    /// Where in its tiles it starts: bytes, lines.
    pub(super) origin: (u64, u64),
}

impl Surfaces {
    pub(in super::super) fn of(environment: &Environment, device: Device) -> Self {
        let heap = &environment.surface_states;
        let is_gen45 = matches!(device, Device::Ctg | Device::G45);
        let table = (0..255_usize).map(|index| {
            let entry = *heap.get((environment.binding_table >> 5 << 3) as usize + index)?;
            let first = (entry >> 5 << 3) as usize;
            let state = heap.get(first..first + 6)?.first_chunk::<6>()?;
            Some(Surface::decode(state, device, is_gen45))
        });
        let bound = match environment.general_state_bound {
            0 => u64::MAX,
            bound => bound.into(),
        };
        let general_state = (environment.general_state_base.into(), bound);
        Self { table: table.collect(), general_state, is_gen45 }
    }

    /// What is behind an index; `low` is the doubleword with the base of stateless messages.
    pub(super) fn target(&self, index: u8, low: u32) -> Result<Target<'_>, Unanswered> {
        let Some(entry) = self.table.get(usize::from(index)) else {
            let (base, end) = self.general_state;
            return Ok(Target::Addresses { base: base + u64::from(low >> 10 << 10), end });
        };
        match entry {
            None => refuse("a surface state beyond the bound"),
            Some(surface) if surface.shape == Shape::Void => Ok(Target::Void),
            Some(surface) => Ok(Target::Surface(surface)),
        }
    }
}

impl Surface {
    fn decode([d0, d1, d2, d3, _, d5]: &[u32; 6], device: Device, has_origin: bool) -> Self {
        let walk = match d3 & 3 {
            0 | 1 => Walk::Linear,
            2 => Walk::X,
            _ => Walk::Y,
        };
        let format = surface::code(device, d0 >> 18 & 0x1FF).ok();
        let pixel = match format {
            Some(format) if format.palette().is_some() => Pixel::Unsupported,
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
        let has_origin = has_origin && walk != Walk::Linear;
        Self {
            shape: match d0 >> 29 {
                1 => Shape::Plane,
                4 => Shape::Buffer,
                7 => Shape::Void,
                _ => Shape::Unsupported,
            },
            walk,
            base: (*d1).into(),
            pitch: u64::from(d3 >> 3 & 0x1_FFFF) + 1,
            entries: u64::from((d3 >> 21 & 0x7F) << 20 | d2 >> 19 << 7 | d2 >> 6 & 0x7F) + 1,
            width: i64::from(d2 >> 6 & 0x1FFF) + 1,
            height: i64::from(d2 >> 19) + 1,
            field: (d0 >> 12 & 1 == 1).then_some(d0 >> 11 & 1),
            boundary_mode: d0 >> 6 & 3,
            pixel,
            vertex,
            origin: if has_origin {
                (u64::from(d5 >> 25) << 4, u64::from(d5 >> 20 & 0xF) << 1)
            } else {
                (0, 0)
            },
        }
    }
}
