//! Surface states: what a binding table index leads to (G45 volume 4, section 4.8; table
//! `eu-surface-state-by-gen`).

use parallax_isa::{
    Device,
    device::Generation,
    shared::{Environment, Unanswered, environment::surface_state_dwords},
    surface::pixel::WriteMask,
};

use super::undefined;

/// Kinds of surfaces that the data port tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Buffer,
    Line,
    Plane,
    Volume,
    Cube,
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

impl Tiling {
    /// Bytes of a line of a tile, and its lines.
    const fn tile(self) -> Option<(i128, i128)> {
        match self {
            Self::Linear => None,
            Self::XMajor => Some((512, 8)),
            Self::YMajor => Some((128, 32)),
        }
    }
}

/// Doubleword, highest and lowest bit of a field.
type Bits = (usize, u32, u32);

/// The place of a field; `-` where a generation lacks it.
macro_rules! bits {
    (-) => {
        None
    };
    ([$dword:literal $high:literal $low:literal]) => {
        Some(($dword, $high, $low))
    };
}

/// Declares the fields of SURFACE_STATE: a row a field, a column a generation.
macro_rules! fields {
    ($($field:ident $early:tt $gen7:tt $gen9:tt $gen12:tt $is:literal;)*) => {
        /// A field that has another place on another generation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Field {
            $(#[doc = $is] $field,)*
        }

        /// Where each is on Gen4 and Gen4.5, Gen7, Gen9 and Gen12, in the order of [`Field`].
        const FIELDS: &[[Option<Bits>; 4]] =
            &[$([bits!($early), bits!($gen7), bits!($gen9), bits!($gen12)]),*];
    };
}

fields! {
    CubeFaces           [0 5 0]   [0 5 0]   [0 5 0]   [0 5 0]   "Faces that are enabled.";
    Array               -         [0 28 28] [0 28 28] [0 28 28] "A coordinate chooses the layer.";
    ArraySpacing        -         [0 10 10] -         -         "Only one level is stored of each layer.";
    Format              [0 26 18] [0 26 18] [0 27 18] [0 27 18] "The code of the format.";
    HorizontalAlignment -         [0 15 15] [0 15 14] [0 15 14] "Columns that levels are rounded up to, as a code.";
    VerticalAlignment   -         [0 17 16] [0 17 16] [0 17 16] "Rows that levels are rounded up to, as a code.";
    LineOffset          [0 11 11] [0 11 11] [0 10 10] [0 10 10] "The line that a field starts with.";
    LineStride          [0 12 12] [0 12 12] [0 11 11] [0 11 11] "Lines to skip between those of a field.";
    Tiled               [3 1 1]   [0 14 14] -         -         "It is tiled.";
    TileWalk            [3 0 0]   [0 13 13] -         -         "Tiles are Y-major.";
    TileMode            -         -         [0 13 12] [0 13 12] "Linear, W, X or Y.";
    LayerDistance       -         -         [1 14 0]  [1 14 0]  "Surface QPitch in units of four rows.";
    CornerTexel         -         -         -         [1 18 18] "Texel centres are at corners.";
    BaseMipLevel        -         -         [1 23 19] [1 23 19] "Where magnification begins, in halves.";
    Base                [1 31 0]  [1 31 0]  [8 31 0]  [8 31 0]  "Lower half of the base address.";
    BaseHigh            -         -         [9 31 0]  [9 31 0]  "Upper half of the base address.";
    Width               [2 18 6]  [2 13 0]  [2 13 0]  [2 13 0]  "Width less 1.";
    Height              [2 31 19] [2 29 16] [2 29 16] [2 29 16] "Height less 1.";
    Depth               [3 31 21] [3 31 21] [3 31 21] [3 31 21] "Depth, layers or cubes less 1.";
    Pitch               [3 19 3]  [3 17 0]  [3 17 0]  [3 17 0]  "Bytes from row to row less 1.";
    SamplePositions     -         [4 2 0]   [4 2 0]   [4 2 0]   "Multisample Position Palette Index.";
    Samples             -         [4 5 3]   [4 5 3]   [4 5 3]   "Number of Multisamples, as a logarithm.";
    FirstLayer          [4 27 17] [4 28 18] [4 28 18] [4 28 18] "Minimum Array Element.";
    ViewExtent          -         [4 17 7]  [4 17 7]  [4 17 7]  "Render Target View Extent: layers less 1.";
    Rotation            -         [4 30 29] [4 30 29] [4 30 29] "Rotation.";
    LastLevel           [2 5 2]   [5 3 0]   [5 3 0]   [5 3 0]   "MIP Count / LOD.";
    FirstLevel          [4 31 28] [5 7 4]   [5 7 4]   [5 7 4]   "Surface Min LOD.";
    TiledResource       -         -         [5 19 18] [5 19 18] "Tiled Resource Mode.";
    XOffset             [5 31 25] [5 31 25] [5 31 25] [5 31 25] "X Offset in units of four pixels.";
    YOffset             [5 23 20] [5 23 20] [5 23 21] [5 23 21] "Y Offset in units of rows.";
    Compressed          -         [6 0 0]   [6 2 0]   [6 2 0]   "MCS Enable, Auxiliary Surface Mode.";
    LeastLod            -         [7 11 0]  [7 11 0]  [7 11 0]  "Resource Min LOD in 256ths.";
    SelectRed           -         -         [7 27 25] [7 27 25] "Shader Channel Select Red.";
    SelectGreen         -         -         [7 24 22] [7 24 22] "Shader Channel Select Green.";
    SelectBlue          -         -         [7 21 19] [7 21 19] "Shader Channel Select Blue.";
    SelectAlpha         -         -         [7 18 16] [7 18 16] "Shader Channel Select Alpha.";
    MemoryCompression   -         -         [7 30 30] [7 30 30] "Memory Compression Enable.";
    Quilt               -         -         [10 9 0]  [10 9 0]  "Quilt Width and Quilt Height.";
}

/// Most dwords of a surface state.
const MOST_DWORDS: usize = 16;
/// The index that leads to no entry of the binding table, but to a bindless surface (Gen7 and later).
const BINDLESS: usize = 252;

/// SURFACE_STATE.
#[derive(Debug, Clone, Copy)]
pub(super) struct SurfaceState {
    dwords: [u32; MOST_DWORDS],
    generation: Generation,
}

impl SurfaceState {
    /// The one that an index of the binding table leads to.
    pub(super) fn bound(
        environment: &Environment,
        index: usize,
        device: Device,
    ) -> Result<Self, Unanswered> {
        let Some(generation) = device.generation() else {
            return undefined("a device without surface states");
        };
        if generation >= Generation::Gen7 && index == BINDLESS {
            // Decision D-eu-later-surfaces.
            return undefined("a bindless surface");
        }
        let at = |byte: usize| environment.surface_states.get(byte / 4).copied();
        let table = environment.binding_table as usize & !31;
        let Some(entry) = at(table + 4 * index) else {
            return undefined(format!("entry {index} of the binding table is beyond its bound"));
        };
        let alignment = if generation < Generation::Gen8 { 32 } else { 64 };
        let start = entry as usize / alignment * alignment;
        let mut dwords = [0; MOST_DWORDS];
        let own = &mut dwords[..surface_state_dwords(generation)];
        for (number, dword) in own.iter_mut().enumerate() {
            let Some(value) = at(start + 4 * number) else {
                return undefined(format!("the surface state at {start} is beyond its bound"));
            };
            *dword = value;
        }
        Ok(Self { dwords, generation })
    }

    /// All of its doublewords.
    pub(super) fn words(&self) -> &[u32] {
        &self.dwords
    }

    /// A field of its generation; 0 where there is none.
    pub(super) fn get(&self, field: Field) -> u32 {
        let column = match self.generation {
            Generation::Gen4 | Generation::Gen45 => 0,
            Generation::Gen7 | Generation::Gen75 => 1,
            Generation::Gen8 | Generation::Gen9 => 2,
            Generation::Gen12 => 3,
        };
        let place = FIELDS[field as usize][column];
        place.map_or(0, |(dword, high, low)| self.field(dword, high, low))
    }

    /// Whether it is one of Gen7 or later.
    fn is_later(&self) -> bool {
        self.generation >= Generation::Gen7
    }

    /// Some bits of it.
    pub(super) fn field(&self, dword: usize, high: u32, low: u32) -> u32 {
        (u64::from(self.dwords[dword]) >> low & ((1 << (high - low + 1)) - 1)) as u32
    }

    pub(super) fn kind(&self) -> Type {
        match self.field(0, 31, 29) {
            0 => Type::Line,
            1 => Type::Plane,
            2 => Type::Volume,
            3 => Type::Cube,
            4 => Type::Buffer,
            7 => Type::Null,
            _ => Type::Other,
        }
    }

    /// The code of its format.
    pub(super) fn format(&self) -> u32 {
        self.get(Field::Format)
    }

    /// Lines to skip between those of a field.
    pub(super) fn line_stride(&self) -> u32 {
        self.get(Field::LineStride)
    }

    /// The line that a field starts with.
    pub(super) fn line_offset(&self) -> u32 {
        self.get(Field::LineOffset)
    }

    pub(super) fn boundary_mode(&self) -> u32 {
        self.field(0, 7, 6)
    }

    pub(super) fn base(&self) -> i128 {
        i128::from(self.get(Field::BaseHigh)) << 32 | i128::from(self.get(Field::Base))
    }

    /// Height, from 1 on.
    pub(super) fn height(&self) -> i128 {
        i128::from(self.get(Field::Height)) + 1
    }

    /// Width, from 1 on.
    pub(super) fn width(&self) -> i128 {
        i128::from(self.get(Field::Width)) + 1
    }

    /// Elements of a buffer.
    pub(super) fn entries(&self) -> i128 {
        let (depth, height, width) =
            (self.get(Field::Depth), self.get(Field::Height), self.get(Field::Width) & 0x7F);
        if self.is_later() {
            return (i128::from(depth) << 21 | i128::from(height << 7 | width)) + 1;
        }
        i128::from((depth & 0x7F) << 20 | height << 7 | width) + 1
    }

    /// Bytes from line to line; of a buffer, from element to element.
    pub(super) fn pitch(&self) -> i128 {
        i128::from(self.get(Field::Pitch)) + 1
    }

    /// How it is tiled; W tiles are none of these.
    pub(super) fn tiling(&self) -> Tiling {
        if self.generation >= Generation::Gen8 {
            return match self.get(Field::TileMode) {
                2 => Tiling::XMajor,
                3 => Tiling::YMajor,
                _ => Tiling::Linear,
            };
        }
        match (self.get(Field::Tiled), self.get(Field::TileWalk)) {
            (0, _) => Tiling::Linear,
            (_, 0) => Tiling::XMajor,
            _ => Tiling::YMajor,
        }
    }

    /// Whether its pixels are blended.
    pub(super) fn blends(&self) -> bool {
        self.field(0, 13, 13) == 1
    }

    /// The components that are written.
    pub(super) fn write_mask(&self) -> WriteMask {
        let disables = |bit| self.field(0, bit, bit) as u8;
        let [blue, green, red, alpha] = [14, 15, 16, 17].map(disables);
        WriteMask::new(!(red | green << 1 | blue << 2 | alpha << 3))
    }

    /// The level of detail of a render target.
    pub(super) fn level(&self) -> u32 {
        self.get(Field::LastLevel)
    }

    /// Elements of an array, or slices, from 1 on.
    pub(super) fn depth(&self) -> i128 {
        i128::from(self.get(Field::Depth)) + 1
    }

    pub(super) fn minimum_array_element(&self) -> i128 {
        self.get(Field::FirstLayer).into()
    }

    /// Surfaces may start inside of a tile ([DevCTG+]).
    fn has_offsets(&self) -> bool {
        self.generation >= Generation::Gen45
    }

    /// Pixels and lines from the base of a tiled surface to its first pixel.
    pub(super) fn origin(&self) -> (i128, i128) {
        if !self.has_offsets() || self.tiling() == Tiling::Linear {
            return (0, 0);
        }
        let lines = if self.generation < Generation::Gen8 { 2 } else { 4 };
        (4 * i128::from(self.get(Field::XOffset)), lines * i128::from(self.get(Field::YOffset)))
    }

    /// Refuses an origin that is not inside of the first tile, of a surface with pixels of so many bytes
    /// and rows of so many.
    pub(super) fn check_origin(
        &self,
        pixel_bytes: i128,
        row_bytes: i128,
    ) -> Result<(), Unanswered> {
        let (pixels, lines) = self.origin();
        let is_moved = self.get(Field::XOffset) != 0 || self.get(Field::YOffset) != 0;
        let Some((tile_bytes, tile_lines)) = self.tiling().tile() else {
            return match self.has_offsets() && is_moved {
                true => undefined("an X or Y Offset of a linear surface"),
                false => Ok(()),
            };
        };
        if pixels * pixel_bytes >= tile_bytes || lines >= tile_lines {
            return undefined("an X or Y Offset beyond the first tile");
        }
        if pixels * pixel_bytes + row_bytes > self.pitch() {
            return undefined("a surface whose lines from its X Offset on do not fit in its pitch");
        }
        Ok(())
    }

    /// The greatest graphics address of the bytes above and left of a byte of a line and of this byte; that of
    /// its tile where there are tiles.
    pub(super) fn greatest_address(&self, column: i128, line: i128) -> i128 {
        let (columns, lines) = self.tiling().tile().unwrap_or((1, 1));
        let last = |at: i128, size: i128| at / size * size + size - 1;
        self.address(last(column, columns), last(line, lines))
    }

    /// The graphics address of a byte of a line (table g45-surface-layout).
    pub(super) fn address(&self, column: i128, line: i128) -> i128 {
        byte(self.tiling(), self.base(), self.pitch(), column, line)
    }
}

/// The address of a byte of lines that stand in memory in a way.
pub(super) fn byte(tiling: Tiling, base: i128, pitch: i128, column: i128, line: i128) -> i128 {
    match tiling {
        Tiling::Linear => base + line * pitch + column,
        Tiling::XMajor => {
            let tile = line / 8 * (pitch / 512) + column / 512;
            base + 4096 * tile + line % 8 * 512 + column % 512
        }
        Tiling::YMajor => {
            let tile = line / 32 * (pitch / 128) + column / 128;
            base + 4096 * tile + column % 128 / 16 * 512 + line % 32 * 16 + column % 16
        }
    }
}
