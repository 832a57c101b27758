//! Surface states: what a binding table index leads to (G45 volume 4, section 4.8).

use parallax_isa::{
    Device,
    device::Generation,
    shared::{Environment, Unanswered, environment::SURFACE_STATE_DWORDS},
};
use parallax_spec::rule;

use super::undefined;

/// Kinds of surfaces that the data port tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Buffer,
    Plane,
    Null,
    Other,
}

/// How the bytes of a surface stand in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tiling {
    Linear,
    XMajor,
    YMajor,
}

/// SURFACE_STATE.
#[derive(Debug, Clone, Copy)]
pub(super) struct SurfaceState {
    dwords: [u32; SURFACE_STATE_DWORDS],
    /// Surfaces may start inside of a tile ([DevCTG+]).
    has_offsets: bool,
}

impl SurfaceState {
    /// The one that an index of the binding table leads to.
    pub(super) fn bound(
        environment: &Environment,
        index: usize,
        device: Device,
    ) -> Result<Self, Unanswered> {
        let at = |byte: usize| environment.surface_states.get(byte / 4).copied();
        let table = environment.binding_table as usize & !31;
        let Some(entry) = at(table + 4 * index) else {
            return undefined(format!("entry {index} of the binding table is beyond its bound"));
        };
        rule!("g45.surface.bt.size");
        rule!("g45.surface.bt.pointer");
        let start = entry as usize & !31;
        let mut dwords = [0; SURFACE_STATE_DWORDS];
        for (number, dword) in dwords.iter_mut().enumerate() {
            let Some(value) = at(start + 4 * number) else {
                return undefined(format!("the surface state at {start} is beyond its bound"));
            };
            *dword = value;
        }
        let has_offsets = device.generation() >= Some(Generation::Gen45);
        Ok(Self { dwords, has_offsets })
    }

    /// Some bits of it.
    fn field(&self, dword: usize, high: u32, low: u32) -> u32 {
        (u64::from(self.dwords[dword]) >> low & ((1 << (high - low + 1)) - 1)) as u32
    }

    pub(super) fn kind(&self) -> Type {
        rule!("g45.surface.type");
        match self.field(0, 31, 29) {
            1 => Type::Plane,
            4 => Type::Buffer,
            7 => Type::Null,
            _ => Type::Other,
        }
    }

    /// The code of its format.
    pub(super) fn format(&self) -> u32 {
        rule!("g45.surface.format.width");
        self.field(0, 26, 18)
    }

    /// Lines to skip between those of a field.
    pub(super) fn line_stride(&self) -> u32 {
        self.field(0, 12, 12)
    }

    /// The line that a field starts with.
    pub(super) fn line_offset(&self) -> u32 {
        self.field(0, 11, 11)
    }

    pub(super) fn boundary_mode(&self) -> u32 {
        rule!("g45.surface.mbpm");
        self.field(0, 7, 6)
    }

    pub(super) fn base(&self) -> i128 {
        self.dwords[1].into()
    }

    /// Height, from 1 on.
    pub(super) fn height(&self) -> i128 {
        rule!("g45.surface.height");
        i128::from(self.field(2, 31, 19)) + 1
    }

    /// Width, from 1 on.
    pub(super) fn width(&self) -> i128 {
        rule!("g45.surface.width");
        i128::from(self.field(2, 18, 6)) + 1
    }

    /// Elements of a buffer.
    pub(super) fn entries(&self) -> i128 {
        rule!("g45.surface.buffer-size");
        let [depth, height, width] =
            [self.field(3, 27, 21), self.field(2, 31, 19), self.field(2, 12, 6)];
        i128::from(depth << 20 | height << 7 | width) + 1
    }

    /// Bytes from line to line; of a buffer, from element to element.
    pub(super) fn pitch(&self) -> i128 {
        rule!("g45.surface.pitch");
        i128::from(self.field(3, 19, 3)) + 1
    }

    pub(super) fn tiling(&self) -> Tiling {
        match (self.field(3, 1, 1), self.field(3, 0, 0)) {
            (0, _) => Tiling::Linear,
            (_, 0) => Tiling::XMajor,
            _ => Tiling::YMajor,
        }
    }

    /// Bytes and lines from the base of a tiled surface to its first pixel, which has 32 bits.
    pub(super) fn origin(&self) -> (i128, i128) {
        if !self.has_offsets || self.tiling() == Tiling::Linear {
            return (0, 0);
        }
        rule!("g45.surface.xoffset");
        rule!("g45.surface.yoffset");
        let pixels = 4 * i128::from(self.field(5, 31, 25));
        (4 * pixels, 2 * i128::from(self.field(5, 23, 20)))
    }
}
