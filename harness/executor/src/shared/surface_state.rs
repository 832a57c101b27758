//! Surface states: where their fields are on each generation (tables `eu-surface-state-by-gen`, G45 volume 4,
//! SURFACE_STATE), and what they say, whoever reads them.

use parallax_isa::{
    Device,
    device::Generation,
    shared::environment::{SURFACE_STATE_DWORDS, surface_state_dwords},
};

use super::field::Field;

/// How the type field reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Buffer,
    /// A buffer of structures (Gen7 and later).
    Structures,
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
pub(super) enum Walk {
    Linear,
    X,
    Y,
}

impl Walk {
    /// How lines stand, by whether the surface is tiled and how; later by its tile mode.
    fn of(code: u32) -> Self {
        match code {
            0 | 1 => Self::Linear,
            2 => Self::X,
            _ => Self::Y,
        }
    }

    /// Where a byte of a line is.
    pub(super) fn offset(self, pitch: u64, x: u64, y: u64) -> u64 {
        self.row(pitch, y) + self.column(x)
    }

    /// Where a line begins.
    #[inline(always)]
    pub(super) fn row(self, pitch: u64, y: u64) -> u64 {
        match self {
            Self::Linear => y * pitch,
            Self::X => (y >> 3) * (pitch << 3) + ((y & 7) << 9),
            Self::Y => (y >> 5) * (pitch << 5) + ((y & 31) << 4),
        }
    }

    /// Where from there on a byte is.
    #[inline(always)]
    pub(super) fn column(self, x: u64) -> u64 {
        match self {
            Self::Linear => x,
            Self::X => x >> 9 << 12 | x & 511,
            Self::Y => x >> 7 << 12 | (x >> 4 & 7) << 9 | x & 15,
        }
    }

    /// Where so many bytes of so many lines end, with all of the tiles that they are in.
    pub(super) fn end(self, pitch: u64, bytes: u64, lines: u64) -> u64 {
        let (right, below) = match self {
            Self::Linear => (0, 0),
            Self::X => (511, 7),
            Self::Y => (127, 31),
        };
        self.offset(pitch, (bytes - 1) | right, (lines - 1) | below) + 1
    }
}

/// What a surface state says, whoever reads it.
#[derive(Debug, Clone, Copy)]
pub(super) struct SurfaceState {
    pub(super) shape: Shape,
    pub(super) walk: Walk,
    pub(super) base: u64,
    pub(super) pitch: u64,
    /// Elements, if it is a buffer.
    pub(super) entries: u64,
    pub(super) width: u32,
    pub(super) height: u32,
    /// Slices of a volume, elements of an array, cubes of an array of cubes.
    pub(super) depth: u32,
    /// An index chooses an element (Gen7 and later).
    pub(super) is_array: bool,
    pub(super) first_element: u32,
    /// The last element that is drawn to, counted from the first (Gen7 and later).
    pub(super) last_element: u32,
    /// The code of its format.
    pub(super) format: u32,
    /// Every second line, from this one on.
    pub(super) field: Option<u32>,
    /// Levels beside the first, or the one that is drawn to.
    pub(super) level: u32,
    /// The level that is the first of those that are sampled.
    pub(super) first_level: u32,
    /// Where in its tiles it starts: pixels, lines.
    pub(super) origin: (u64, u64),
    /// Why it cannot be sampled or drawn to: something that is set and not modelled.
    pub(super) unmodelled: Option<&'static str>,
}

/// Where the fields of a generation are.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) dwords: usize,
    /// Bits of an entry of the binding table that are no part of an offset.
    entry_low: u32,
    kind: Field,
    /// X walk is 2, Y walk is 3.
    tiling: Field,
    /// The lower and the upper half.
    base: [Field; 2],
    pitch: Field,
    width: Field,
    height: Field,
    depth: Field,
    is_array: Field,
    first_element: Field,
    last_element: Field,
    format: Field,
    line_stride: Field,
    line_offset: Field,
    level: Field,
    first_level: Field,
    /// In steps of four columns and of some lines.
    origin: [Field; 2],
    origin_lines: u64,
    /// Face enables, -X highest and +Z lowest.
    pub(super) faces: Field,
    /// Columns and rows that levels are aligned to.
    pub(super) alignment: [Field; 2],
    /// Elements of an array follow their first level (Gen7).
    pub(super) spacing: Field,
    /// Rows between slices, divided by 4 (Gen9 and later).
    pub(super) distance: Field,
    /// In 256ths.
    pub(super) least_level: Field,
    /// In halves (Gen9 and later; before, samplers have it).
    pub(super) base_level: Field,
    /// What red, green, blue and alpha are taken from (Gen9 and later).
    pub(super) selects: Option<[Field; 4]>,
    pub(super) palette_index: Field,
    unmodelled: &'static [(Field, &'static str)],
}

const GEN45: Columns = Columns {
    dwords: SURFACE_STATE_DWORDS,
    entry_low: 5,
    kind: Field::new(0, 31, 29),
    tiling: Field::new(3, 1, 0),
    base: [Field::new(1, 31, 0), Field::NONE],
    pitch: Field::new(3, 19, 3),
    width: Field::new(2, 18, 6),
    height: Field::new(2, 31, 19),
    depth: Field::new(3, 31, 21),
    is_array: Field::NONE,
    first_element: Field::new(4, 27, 17),
    last_element: Field::NONE,
    format: Field::new(0, 26, 18),
    line_stride: Field::new(0, 12, 12),
    line_offset: Field::new(0, 11, 11),
    level: Field::new(2, 5, 2),
    first_level: Field::new(4, 31, 28),
    origin: [Field::new(5, 31, 25), Field::new(5, 23, 20)],
    origin_lines: 2,
    faces: Field::new(0, 5, 0),
    alignment: [Field::NONE; 2],
    spacing: Field::NONE,
    distance: Field::NONE,
    least_level: Field::NONE,
    base_level: Field::NONE,
    selects: None,
    palette_index: Field::NONE,
    unmodelled: &[],
};

const GEN4: Columns = Columns { origin: [Field::NONE; 2], ..GEN45 };

const SAMPLES: (Field, &str) = (Field::new(4, 5, 3), "a surface of several samples");
const ROTATION: (Field, &str) = (Field::new(4, 30, 29), "a surface that is rotated");

const GEN7: Columns = Columns {
    dwords: surface_state_dwords(Generation::Gen7),
    entry_low: 5,
    tiling: Field::new(0, 14, 13),
    pitch: Field::new(3, 17, 0),
    width: Field::new(2, 13, 0),
    height: Field::new(2, 29, 16),
    is_array: Field::new(0, 28, 28),
    first_element: Field::new(4, 28, 18),
    last_element: Field::new(4, 17, 7),
    level: Field::new(5, 3, 0),
    first_level: Field::new(5, 7, 4),
    alignment: [Field::new(0, 15, 15), Field::new(0, 17, 16)],
    spacing: Field::new(0, 10, 10),
    least_level: Field::new(7, 11, 0),
    palette_index: Field::new(4, 2, 0),
    unmodelled: &[SAMPLES, ROTATION, (Field::new(6, 0, 0), "a surface with samples compressed")],
    ..GEN45
};

const GEN9: Columns = Columns {
    dwords: surface_state_dwords(Generation::Gen9),
    entry_low: 6,
    tiling: Field::new(0, 13, 12),
    base: [Field::new(8, 31, 0), Field::new(9, 31, 0)],
    format: Field::new(0, 27, 18),
    line_stride: Field::new(0, 11, 11),
    line_offset: Field::new(0, 10, 10),
    origin: [Field::new(5, 31, 25), Field::new(5, 23, 21)],
    origin_lines: 4,
    alignment: [Field::new(0, 15, 14), Field::new(0, 17, 16)],
    spacing: Field::NONE,
    distance: Field::new(1, 14, 0),
    base_level: Field::new(1, 23, 19),
    selects: Some([
        Field::new(7, 27, 25),
        Field::new(7, 24, 22),
        Field::new(7, 21, 19),
        Field::new(7, 18, 16),
    ]),
    unmodelled: &UNMODELLED_GEN9,
    ..GEN7
};

const UNMODELLED_GEN9: [(Field, &str); 6] = [
    SAMPLES,
    ROTATION,
    (Field::new(6, 2, 0), "an auxiliary surface"),
    (Field::new(5, 19, 18), "a tiled resource"),
    (Field::new(7, 30, 30), "compressed memory"),
    (Field::new(10, 9, 0), "a surface of quilts"),
];

const GEN12: Columns = Columns {
    unmodelled: &{
        let [a, b, c, d, e, f] = UNMODELLED_GEN9;
        [a, b, c, d, e, f, (Field::new(1, 18, 18), "texels whose centres are corners")]
    },
    ..GEN9
};

impl Columns {
    /// Those of a device.
    pub(super) const fn of(device: Device) -> &'static Self {
        match device {
            Device::Bw | Device::Cl => &GEN4,
            Device::Ctg | Device::G45 | Device::Rv770 => &GEN45,
            Device::Ivb => &GEN7,
            Device::Skl => &GEN9,
            Device::Dg1 => &GEN12,
        }
    }

    /// The doublewords that an index of a binding table leads to.
    pub(super) fn bound<'h>(&self, heap: &'h [u32], table: u32, index: usize) -> Option<&'h [u32]> {
        let entry = *heap.get((table >> 5 << 3) as usize + index)?;
        let first = (entry >> self.entry_low << (self.entry_low - 2)) as usize;
        heap.get(first..first + self.dwords)
    }
}

impl SurfaceState {
    pub(super) fn of(dwords: &[u32], device: Device) -> Self {
        let columns = Columns::of(device);
        let read = |field: Field| field.read(dwords);
        let is_later = Device::LATER.contains(&device);
        let [low, high] = columns.base.map(|half| u64::from(read(half)));
        let [right, down] = columns.origin.map(|part| u64::from(read(part)));
        let shape = match read(columns.kind) {
            0 => Shape::Line,
            1 => Shape::Plane,
            2 => Shape::Volume,
            3 => Shape::Cube,
            4 => Shape::Buffer,
            5 if is_later => Shape::Structures,
            7 => Shape::Void,
            _ => Shape::Unsupported,
        };
        let (width, height, depth) =
            (read(columns.width), read(columns.height), read(columns.depth));
        // A buffer of Gen4 has no more than seven bits of it there.
        let entries = match is_later {
            true => u64::from(depth) << 21 | u64::from(height) << 7 | u64::from(width & 0x7F),
            false => {
                u64::from(depth & 0x7F) << 20 | u64::from(height) << 7 | u64::from(width & 0x7F)
            }
        };
        let walk = Walk::of(read(columns.tiling));
        let pitch = u64::from(read(columns.pitch)) + 1;
        let pitch = match walk {
            // Rows of whole tiles.
            Walk::X if is_later => pitch & !511,
            Walk::Y if is_later => pitch & !127,
            _ => pitch,
        };
        let set = columns.unmodelled.iter().find(|(field, _)| read(*field) != 0);
        let is_w = device == Device::Skl || device == Device::Dg1;
        let is_w = is_w
            && read(columns.tiling) == 1
            && !matches!(shape, Shape::Buffer | Shape::Structures);
        Self {
            shape,
            walk,
            base: high << 32 | low,
            pitch,
            entries: entries + 1,
            width: width + 1,
            height: height + 1,
            depth: depth + 1,
            is_array: read(columns.is_array) == 1,
            first_element: read(columns.first_element),
            last_element: read(columns.last_element),
            format: read(columns.format),
            field: (read(columns.line_stride) == 1).then_some(read(columns.line_offset)),
            level: read(columns.level),
            first_level: read(columns.first_level),
            origin: (right << 2, down * columns.origin_lines),
            unmodelled: set.map(|(_, why)| *why).or(is_w.then_some("tiles of stencils")),
        }
    }
}
