//! Surface and sampler states, written by the names of their fields (tables `eu-surface-state-by-gen` and
//! `eu-sampler-state-by-gen`, for Gen4 and Gen4.5 `g45-surface-state` and `g45-sampler-state`).

use std::{collections::HashMap, sync::LazyLock};

use parallax_isa::{
    device::Generation, shared::environment::surface_state_dwords, surface::Format,
};
use parallax_spec::tables;
use serde::Deserialize;

/// Dwords of a sampler state.
pub(super) const SAMPLER_STATE_DWORDS: usize = 4;

/// Where a field is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    /// Its first dword.
    dword: usize,
    high: u32,
    low: u32,
}

/// A row of a table: a field and its place on each generation.
#[derive(Deserialize)]
struct Row {
    field: String,
    gen7: String,
    gen9: String,
    gen12: String,
}

/// The places of the fields of a state.
type Places = HashMap<String, Place>;

/// Places on Gen4, Gen7, Gen9 and Gen12.
type ByGeneration = [Places; 4];

static SURFACE: LazyLock<ByGeneration> =
    LazyLock::new(|| read("eu-surface-state-by-gen", "g45-surface-state"));
static SAMPLER: LazyLock<ByGeneration> =
    LazyLock::new(|| read("eu-sampler-state-by-gen", "g45-sampler-state"));

/// A row of a table of Gen4: a field and its place.
#[derive(Deserialize)]
struct EarlyRow {
    dword: String,
    bits: String,
    field: String,
}

fn read(table: &str, early_table: &str) -> ByGeneration {
    let mut all = ByGeneration::default();
    let [early, later @ ..] = &mut all;
    for EarlyRow { dword, bits, field } in tables::rows(early_table) {
        if let Some(place) = Place::parse(&format!("d{dword} {bits}")) {
            early.extend(early_fields(&field, place));
        }
    }
    for row in tables::rows::<Row>(table) {
        for (places, cell) in later.iter_mut().zip([&row.gen7, &row.gen9, &row.gen12]) {
            if let Some(place) = Place::parse(cell) {
                places.insert(row.field.clone(), place);
            }
        }
    }
    all
}

/// The fields of a row of Gen4, as later tables name them. Masks of bits are a field a bit there.
fn early_fields(row: &str, place: Place) -> Vec<(String, Place)> {
    let bits = |names: &[&str]| {
        let place = |bit| Place { high: place.low + bit, low: place.low + bit, ..place };
        (0..).zip(names).map(|(bit, name)| ((*name).to_owned(), place(bit))).collect()
    };
    match row {
        "Cube Face Enables" => bits(&CUBE_FACES),
        "Color Buffer Component Write Disables" => bits(&WRITE_DISABLES),
        _ => {
            let rounded = row.strip_prefix("Address Rounding Enable, ");
            let name = rounded.and_then(|rest| rest.split_once(' ')).map(|(axis, filter)| {
                let filter = if filter == "mag" { "Mag" } else { "Min" };
                format!("{axis} Address {filter} Filter Rounding Enable")
            });
            vec![(name.unwrap_or_else(|| row.to_owned()), place)]
        }
    }
}

impl Place {
    /// Reads `d2 13:0`, `d0 28` or `d8:d9 63:0`.
    fn parse(cell: &str) -> Option<Self> {
        let (dwords, bits) = cell.strip_prefix('d')?.split_once(' ')?;
        let dword = dwords.split(':').next()?.parse().ok()?;
        let (high, low) = bits.split_once(':').unwrap_or((bits, bits));
        Some(Self { dword, high: high.parse().ok()?, low: low.parse().ok()? })
    }
}

/// A state in the making. Fields that are not set are zero.
#[derive(Debug, Clone)]
pub(super) struct HardwareState {
    places: &'static Places,
    dwords: Vec<u32>,
}

impl HardwareState {
    /// A surface state.
    pub(super) fn surface(generation: Generation) -> Self {
        Self::new(&SURFACE, generation, surface_state_dwords(generation))
    }

    /// The surface state that stands at the start of some dwords, if it is all there.
    pub(super) fn read_surface(generation: Generation, dwords: &[u32]) -> Option<Self> {
        let state = Self::surface(generation);
        let dwords = dwords.get(..state.dwords.len())?.to_vec();
        Some(Self { dwords, ..state })
    }

    /// A sampler state.
    pub(super) fn sampler(generation: Generation) -> Self {
        Self::new(&SAMPLER, generation, SAMPLER_STATE_DWORDS)
    }

    fn new(all: &'static ByGeneration, generation: Generation, dwords: usize) -> Self {
        let column = match generation {
            Generation::Gen4 | Generation::Gen45 => 0,
            Generation::Gen7 | Generation::Gen75 => 1,
            Generation::Gen8 | Generation::Gen9 => 2,
            Generation::Gen12 => 3,
        };
        Self { places: &all[column], dwords: vec![0; dwords] }
    }

    /// A state of the same generation and kind with these words.
    pub(super) fn with_dwords(self, dwords: &[u32]) -> Self {
        Self { dwords: dwords.to_vec(), ..self }
    }

    /// Whether the generation has a field.
    pub(super) fn has(&self, field: &str) -> bool {
        self.places.contains_key(field)
    }

    /// The greatest value of a field, if the generation has it.
    pub(super) fn greatest(&self, field: &str) -> Option<u32> {
        let Place { high, low, .. } = self.places.get(field)?;
        Some(u32::MAX >> (31 - (high - low).min(31)))
    }

    /// Sets a field, whatever it was.
    ///
    /// # Panics
    /// If the generation has no such field, or the value does not fit.
    pub(super) fn set(&mut self, field: &str, value: u32) -> &mut Self {
        let Some(&Place { dword, high, low }) = self.places.get(field) else {
            panic!("there is no field {field}");
        };
        let bits = (high - low + 1).min(32);
        let mask = u32::MAX >> (32 - bits);
        assert!(value <= mask, "{field} of {bits} bits holds {value:#x}");
        self.dwords[dword] = self.dwords[dword] & !(mask << low) | value << low;
        self
    }

    /// Sets a field if the generation has it.
    pub(super) fn set_if_there(&mut self, field: &str, value: u32) -> &mut Self {
        if self.has(field) { self.set(field, value) } else { self }
    }

    /// The value of a field of a state; 0 if the generation has none.
    pub(super) fn get(&self, field: &str) -> u32 {
        let Some(&Place { dword, high, low }) = self.places.get(field) else { return 0 };
        let bits = (high - low + 1).min(32);
        (u64::from(self.dwords[dword]) >> low & ((1 << bits) - 1)) as u32
    }

    pub(super) fn into_dwords(self) -> Vec<u32> {
        self.dwords
    }
}

/// How texels lie in memory.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Tiling {
    #[default]
    Linear,
    X,
    Y,
}

/// A surface of texels.
#[derive(Debug, Clone, Copy)]
pub(super) struct TexelSurface {
    /// Its code: 0 for 1D, 1 for 2D, 2 for 3D, 3 for a cube.
    pub(super) kind: u32,
    pub(super) format: &'static Format,
    pub(super) base: u32,
    pub(super) width: u32,
    pub(super) height: u32,
    /// Slices of a volume, elements of an array, cubes.
    pub(super) depth: u32,
    pub(super) is_array: bool,
    pub(super) levels: u32,
    /// Levels before the first one that can be reached.
    pub(super) first_level: u32,
    /// Rows between slices that are nobody's, in fours (Gen9 and later).
    pub(super) gap: u32,
    /// Bytes from a row to the next.
    pub(super) pitch: u32,
    pub(super) tiling: Tiling,
    /// Columns and rows that levels are rounded up to from Gen8 on: 4, 8 or 16.
    pub(super) alignment: [u32; 2],
}

/// The code of a 1D surface, and of a volume.
const LINE: u32 = 0;
const VOLUME: u32 = 2;
/// Texels that levels of linear 1D surfaces are rounded up to from Gen9 on.
const LINE_ALIGNMENT: u32 = 64;

impl TexelSurface {
    /// SURFACE_STATE: all faces of a cube, channels as they are.
    pub(super) fn state(&self, generation: Generation) -> HardwareState {
        let mut state = HardwareState::surface(generation);
        self.describe(&mut state, generation);
        for face in CUBE_FACES {
            state.set(face, 1);
        }
        keep_channels(&mut state);
        state
    }

    /// Sets the fields that say where texels are, on Gen7 with levels of 4 by 2 elements.
    pub(super) fn describe(&self, state: &mut HardwareState, generation: Generation) {
        state
            .set("Surface Type", self.kind)
            .set("Surface Format", self.format.code.into())
            .set("Surface Array", self.is_array.into())
            .set("Surface Base Address", self.base)
            .set("Width", self.width - 1)
            .set("Height", self.height - 1)
            .set("Depth", self.depth - 1)
            .set("Surface Pitch", self.pitch - 1)
            .set("MIP Count / LOD", self.levels - 1)
            .set("Surface Min LOD", self.first_level);
        if is_gen7(generation) {
            state
                .set("Tiled Surface", u32::from(self.tiling != Tiling::Linear))
                .set("Tile Walk", u32::from(self.tiling == Tiling::Y));
        } else {
            let mode = match self.tiling {
                Tiling::Linear => 0,
                Tiling::X => 2,
                Tiling::Y => 3,
            };
            state
                .set("Surface Vertical Alignment", self.alignment[1].trailing_zeros() - 1)
                .set("Surface Horizontal Alignment", self.alignment[0].trailing_zeros() - 1)
                .set("Tile Mode", mode)
                .set("Surface QPitch", self.slice_distance(generation) / 4)
                .set("Mip Tail Start LOD", 15);
        }
        if self.kind == VOLUME || self.is_array {
            state.set("Render Target View Extent", self.depth - 1);
        }
    }

    /// Columns and rows of elements that so many slices take.
    pub(super) fn extent(&self, generation: Generation, slices: u32) -> [u32; 2] {
        let levels = self.first_level + self.levels;
        if self.is_line_of_levels(generation) {
            return [slices * self.slice_distance(generation), 1];
        }
        if self.kind == VOLUME && is_gen7(generation) {
            let deep = |level: u32| (self.depth >> level).max(1);
            let wide = |level| deep(level).min(1 << level) * self.padded(generation, level)[0];
            let high = |level| deep(level).div_ceil(1 << level) * self.padded(generation, level)[1];
            return [(0..levels).map(wide).max().unwrap_or(1), (0..levels).map(high).sum()];
        }
        let [mut wide, _] = self.padded(generation, 0);
        if levels > 2 {
            let beside = [1, 2].map(|level| self.padded(generation, level)[0]);
            wide = wide.max(beside[0] + beside[1]);
        }
        let last = self.tree_rows(generation);
        [wide, (slices - 1) * self.slice_distance(generation) + last]
    }

    /// Elements of a level, rounded up.
    fn padded(&self, generation: Generation, level: u32) -> [u32; 2] {
        let block = self.format.block;
        let to = match is_gen7(generation) {
            true if block.texels() > 1 => [1, 1],
            true => [4, 2],
            false => self.alignment,
        };
        let of = |size: u32, block: u8, to: u32| {
            (size >> level).max(1).div_ceil(u32::from(block).max(1)).next_multiple_of(to)
        };
        [of(self.width, block.width, to[0]), of(self.height, block.height, to[1])]
    }

    /// Rows of elements that the levels of a slice take.
    fn tree_rows(&self, generation: Generation) -> u32 {
        let rows = |level| self.padded(generation, level)[1];
        let levels = self.first_level + self.levels;
        let below: u32 = (2..levels).map(rows).sum();
        rows(0) + if levels > 1 { rows(1).max(below) } else { 0 }
    }

    /// Levels lie side by side (linear 1D surfaces from Gen9 on).
    fn is_line_of_levels(&self, generation: Generation) -> bool {
        self.kind == LINE && self.tiling == Tiling::Linear && !is_gen7(generation)
    }

    /// Rows of elements from a slice to the next; texels where levels lie side by side.
    fn slice_distance(&self, generation: Generation) -> u32 {
        if self.is_line_of_levels(generation) {
            let width = |level: u32| (self.width >> level).max(1).next_multiple_of(LINE_ALIGNMENT);
            return (0..self.first_level + self.levels).map(width).sum();
        }
        if is_gen7(generation) {
            let rows = [0, 1].map(|level| self.padded(generation, level)[1]);
            let alignment = if self.format.block.texels() > 1 { 1 } else { 2 };
            return rows[0] + rows[1] + 12 * alignment;
        }
        self.tree_rows(generation) + 4 * self.gap
    }
}

/// Whether states are those of Gen7 and Gen7.5.
fn is_gen7(generation: Generation) -> bool {
    generation < Generation::Gen8
}

/// The enables of the faces of a cube, from bit 0 on.
pub(super) const CUBE_FACES: [&str; 6] = [
    "Cube Face Enable - Positive Z",
    "Cube Face Enable - Negative Z",
    "Cube Face Enable - Positive Y",
    "Cube Face Enable - Negative Y",
    "Cube Face Enable - Positive X",
    "Cube Face Enable - Negative X",
];

/// Components of a render target that are kept, from bit 0 on (Gen4).
pub(super) const WRITE_DISABLES: [&str; 4] = [
    "Color Buffer Component Write Disable - Blue",
    "Color Buffer Component Write Disable - Green",
    "Color Buffer Component Write Disable - Red",
    "Color Buffer Component Write Disable - Alpha",
];

/// Selects every channel as it is, where channels are selected.
pub(super) fn keep_channels(state: &mut HardwareState) {
    for (code, channel) in (4..).zip(["Red", "Green", "Blue", "Alpha"]) {
        state.set_if_there(&format!("Shader Channel Select {channel}"), code);
    }
}

#[cfg(test)]
mod tests {
    use parallax_isa::{Device, surface::message_format};
    use rstest::rstest;

    use super::*;

    /// Rows of table `eu-surface-layout-examples`, which a driver's library computed; it makes arrays of
    /// single surfaces too.
    #[rstest]
    #[case::linear(Device::Ivb, "331C043F 00010000 00140024 00000093 00000000 00000000", TexelSurface { kind: 1, width: 37, height: 21, depth: 1, levels: 1, pitch: 148, tiling: Tiling::Linear, ..any(0xC7) })]
    #[case::x_tiles(Device::Ivb, "3300443F 00010000 00A9012B 000005FF 00000000 00000005", TexelSurface { kind: 1, width: 300, height: 170, depth: 1, levels: 6, pitch: 1536, tiling: Tiling::X, ..any(0xC0) })]
    #[case::volume(Device::Ivb, "4500643F 00010000 00130020 0180007F 00000600 00000005", TexelSurface { kind: 2, width: 33, height: 20, depth: 13, levels: 6, pitch: 128, tiling: Tiling::Y, ..any(0x140) })]
    #[case::linear(Device::Skl, "331D403F 00000006 00140024 00000093 00000000 00000F00 00000000 09770000 00010000", TexelSurface { kind: 1, width: 37, height: 21, depth: 1, levels: 1, pitch: 148, tiling: Tiling::Linear, ..any(0xC7) })]
    #[case::x_tiles(Device::Skl, "3301603F 00000041 00A9012B 000005FF 00000000 00000F05 00000000 09770000 00010000", TexelSurface { kind: 1, width: 300, height: 170, depth: 1, levels: 6, pitch: 1536, tiling: Tiling::X, ..any(0xC0) })]
    #[case::cube(Device::Skl, "731D703F 0000000D 001F001F 0000007F 00000000 00000F05 00000000 09770000 00010000", TexelSurface { kind: 3, width: 32, height: 32, depth: 1, levels: 6, pitch: 128, tiling: Tiling::Y, ..any(0xC7) })]
    #[case::blocks(Device::Dg1, "2619603F 00000009 00310045 000001FF 00000000 00000F06 00000000 09770000 00010000", TexelSurface { kind: 1, width: 70, height: 50, depth: 1, levels: 7, pitch: 512, tiling: Tiling::X, ..any(0x186) })]
    #[case::line(Device::Dg1, "1419403F 00000090 000000C8 00400000 00000100 00000F04 00000000 09770000 00010000", TexelSurface { kind: 0, width: 201, height: 1, depth: 3, is_array: true, levels: 5, pitch: 1, tiling: Tiling::Linear, ..any(0x106) })]
    fn states_have_their_fields_in_place(
        #[case] device: Device,
        #[case] expected: &str,
        #[case] surface: TexelSurface,
    ) {
        let mut state = surface.state(device.generation().expect("one")).into_dwords();
        // Surface Array, and the spacing that Gen7 gives it.
        let array = 1 << 28 | if device == Device::Ivb { 1 << 10 } else { 0 };
        state[0] |= array;
        let words = expected.split(' ');
        let mut words: Vec<_> =
            words.map(|word| u32::from_str_radix(word, 16).expect("a word")).collect();
        words[0] |= array;
        assert_eq!(state[..words.len()], words);
        assert!(state[words.len()..].iter().all(|word| *word == 0));
    }

    fn any(code: u32) -> TexelSurface {
        TexelSurface {
            kind: 0,
            format: message_format(Device::Dg1, code).expect("a format"),
            base: 0x1_0000,
            width: 1,
            height: 1,
            depth: 1,
            is_array: false,
            levels: 1,
            first_level: 0,
            gap: 0,
            pitch: 1,
            tiling: Tiling::Linear,
            alignment: [4; 2],
        }
    }

    #[test]
    #[should_panic(expected = "Width of 14 bits holds 0x4000")]
    fn values_that_do_not_fit_are_refused() {
        HardwareState::surface(Generation::Gen9).set("Width", 0x4000);
    }
}
