//! Surfaces in setup files, as SURFACE_STATE of each generation.

use parallax_isa::{
    Device,
    device::Generation,
    shared::environment::{MOST_SURFACE_STATE_DWORDS, surface_state_dwords},
    surface,
};
use serde::Deserialize;

use super::{
    super::hardware_state::{HardwareState, TexelSurface, Tiling, keep_channels},
    fields::{self, Values},
};
use crate::words;

/// A surface.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum SurfaceData {
    Buffer {
        base: u32,
        entries: u32,
        #[serde(default = "octword")]
        pitch: u32,
        #[serde(default)]
        format: Option<String>,
    },
    Plane {
        base: u32,
        width: u32,
        height: u32,
        pitch: u32,
        format: String,
        #[serde(default)]
        tiling: Tiling,
        #[serde(default)]
        line_stride: u32,
        #[serde(default)]
        line_stride_offset: u32,
        #[serde(default)]
        boundary: Boundary,
        #[serde(default)]
        x_offset: u32,
        #[serde(default)]
        y_offset: u32,
    },
    Texture(TexelData),
    Target(TexelData),
    Null,
    Words {
        words: String,
    },
}

/// A surface of texels that are sampled, or written.
#[derive(Debug, Deserialize)]
pub(super) struct TexelData {
    /// Of a target 2D.
    dimensions: Option<Dimensions>,
    base: u32,
    width: u32,
    /// May be left out where it is 1, of a 2D target it may not.
    height: Option<u32>,
    #[serde(default = "one")]
    depth: u32,
    /// Of textures.
    levels: Option<u32>,
    /// The one that a target is.
    level: Option<u32>,
    pitch: u32,
    format: String,
    #[serde(default)]
    tiling: Tiling,
    /// Of targets of Gen4.
    blends: Option<bool>,
    #[serde(flatten)]
    more: Values,
}

/// The keys of [`TexelData`], for those who mistype them.
pub(super) const KEYS: [&str; 11] = [
    "dimensions",
    "base",
    "width",
    "height",
    "depth",
    "levels",
    "level",
    "pitch",
    "format",
    "tiling",
    "blends",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum Dimensions {
    #[serde(rename = "1d")]
    One = 0,
    #[serde(rename = "2d")]
    Two = 1,
    #[serde(rename = "3d")]
    Three = 2,
    #[serde(rename = "cube")]
    Cube = 3,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Boundary {
    #[default]
    Normal,
    Progressive,
    Interlaced,
}

const fn octword() -> u32 {
    16
}

const fn one() -> u32 {
    1
}

/// The binding table and the surface states behind it, aligned to 32 bytes, from Gen8 on to 64.
pub(super) fn heap(surfaces: &[SurfaceData], device: Device) -> Result<Vec<u32>, String> {
    let dwords = device.generation().map_or(8, surface_state_dwords).next_multiple_of(8);
    let first = surfaces.len().next_multiple_of(dwords);
    let length = first + dwords * surfaces.len();
    if length > MOST_SURFACE_STATE_DWORDS || surfaces.len() > 255 {
        return Err(format!("surfaces: {} are more than a binding table has", surfaces.len()));
    }
    let mut heap = vec![0; length];
    for (index, surface) in surfaces.iter().enumerate() {
        let start = first + dwords * index;
        let state = surface.state(device).map_err(|why| format!("surface {index}: {why}"))?;
        heap[index] = 4 * start as u32;
        heap[start..start + state.len()].copy_from_slice(&state);
    }
    Ok(heap)
}

impl SurfaceData {
    /// SURFACE_STATE.
    fn state(&self, device: Device) -> Result<Vec<u32>, String> {
        match (self, device.generation()) {
            (Self::Words { words }, Some(generation)) => {
                let (words, expected) = (words::words(words)?, surface_state_dwords(generation));
                match words.len() {
                    length if length == expected => Ok(words),
                    length => Err(format!("{length} words, not {expected}")),
                }
            }
            (_, Some(generation)) if generation >= Generation::Gen7 => {
                self.later_state(device, generation)
            }
            _ => self.early_state(device).map(|state| state.to_vec()),
        }
    }

    /// That of Gen4 and Gen4.5.
    fn early_state(&self, device: Device) -> Result<[u32; 6], String> {
        match self {
            Self::Texture(texels) => texels.early_state(device, false),
            Self::Target(texels) => texels.early_state(device, true),
            Self::Null => Ok([7 << 29, 0, 0, 2, 0, 0]),
            Self::Words { .. } => Err("words, which are no fields".to_owned()),
            Self::Buffer { base, entries, pitch, format } => {
                let last = field("entries", *entries, 1 << 27)?;
                let pitch = field("pitch", *pitch, 2048)?;
                let format = format.as_deref().map_or(Ok(0), |name| code(device, name))?;
                let [width, height, depth] = [last & 0x7F, last >> 7 & 0x1FFF, last >> 20];
                let sizes = height << 19 | width << 6;
                Ok([4 << 29 | format << 18, *base, sizes, depth << 21 | pitch << 3, 0, 0])
            }
            Self::Plane {
                base,
                width,
                height,
                pitch,
                format,
                tiling,
                line_stride,
                line_stride_offset,
                boundary,
                x_offset,
                y_offset,
            } => {
                let sizes =
                    field("height", *height, 8192)? << 19 | field("width", *width, 8192)? << 6;
                let pitch = field("pitch", *pitch, 1 << 17)?;
                let walk = walk(*tiling);
                let mode = match boundary {
                    Boundary::Normal => 0,
                    Boundary::Progressive => 2,
                    Boundary::Interlaced => 3,
                };
                let lines = bits("line_stride", *line_stride, 1)? << 1
                    | bits("line_stride_offset", *line_stride_offset, 1)?;
                let format = code(device, format)?;
                let origin = bits("x_offset", *x_offset, 0x7F)? << 25
                    | bits("y_offset", *y_offset, 0xF)? << 20;
                let first = 1 << 29 | format << 18 | lines << 11 | mode << 6;
                Ok([first, *base, sizes, pitch << 3 | walk, 0, origin])
            }
        }
    }
}

impl SurfaceData {
    /// That of Gen7 and later.
    fn later_state(&self, device: Device, generation: Generation) -> Result<Vec<u32>, String> {
        let state = match self {
            Self::Texture(texels) => texels.later_state(device, generation, false)?,
            Self::Target(texels) => texels.later_state(device, generation, true)?,
            Self::Null => {
                let mut state = HardwareState::surface(generation);
                state.set("Surface Type", 7);
                state
            }
            Self::Buffer { base, entries, pitch, format } => {
                let last = field("entries", *entries, 1 << 27)?;
                let mut state = HardwareState::surface(generation);
                state
                    .set("Surface Type", 4)
                    .set("Surface Base Address", *base)
                    .set("Width", last & 0x7F)
                    .set("Height", last >> 7 & 0x3FFF)
                    .set("Depth", last >> 21)
                    .set("Surface Pitch", field("pitch", *pitch, 2048)?);
                if let Some(name) = format {
                    state.set("Surface Format", format_of(device, name)?.code.into());
                }
                keep_channels(&mut state);
                state
            }
            Self::Plane { .. } => {
                return Err(
                    "a plane is a type of Gen4; later devices have textures and targets".to_owned()
                );
            }
            Self::Words { .. } => return Err("words, which are no fields".to_owned()),
        };
        Ok(state.into_dwords())
    }
}

impl TexelData {
    /// Dimensions, height, and levels with the one that is written, of at most so many.
    fn shape(&self, is_target: bool, most: u32) -> Result<(Dimensions, u32, u32), String> {
        let (dimensions, height) = (self.dimensions, self.height);
        if !is_target {
            if self.blends.is_some() {
                return Err("blends: of targets".to_owned());
            }
            if self.level.is_some() {
                return Err("level: of targets; a texture has levels and first_level".to_owned());
            }
            let dimensions = dimensions.ok_or("missing field `dimensions`")?;
            let levels = field("levels", self.levels.unwrap_or(1), most)? + 1;
            return Ok((dimensions, height.unwrap_or(1), levels));
        }
        if self.levels.is_some() {
            return Err("levels: of textures; a target is one level".to_owned());
        }
        let dimensions = dimensions.unwrap_or(Dimensions::Two);
        let height = match height {
            None if dimensions == Dimensions::One => 1,
            height => height.ok_or("missing field `height`")?,
        };
        Ok((dimensions, height, bits("level", self.level.unwrap_or(0), most - 1)? + 1))
    }

    /// SURFACE_STATE of Gen4 and Gen4.5.
    fn early_state(&self, device: Device, is_target: bool) -> Result<[u32; 6], String> {
        let (dimensions, height, levels) = self.shape(is_target, 14)?;
        let sizes = field("height", height, 8192)? << 19
            | field("width", self.width, 8192)? << 6
            | (levels - 1) << 2;
        let pitch = field("pitch", self.pitch, 1 << 17)?;
        let depth = field("depth", self.depth, 2048)?;
        let faces = if dimensions == Dimensions::Cube { 0x3F } else { 0 };
        let blends = u32::from(self.blends.unwrap_or(false)) << 13;
        let format = code(device, &self.format)? << 18;
        let first = (dimensions as u32) << 29 | format | blends | faces;
        let layout = depth << 21 | pitch << 3 | walk(self.tiling);
        let words = [first, self.base, sizes, layout, 0, 0];
        let mut state = HardwareState::surface(Generation::Gen4).with_dwords(&words);
        self.more.set(fields::SURFACE, &KEYS, device, &mut state)?;
        Ok(<[u32; 6]>::try_from(state.into_dwords()).expect("a surface state"))
    }

    /// SURFACE_STATE of Gen7 and later.
    fn later_state(
        &self,
        device: Device,
        generation: Generation,
        is_target: bool,
    ) -> Result<HardwareState, String> {
        let (dimensions, height, levels) = self.shape(is_target, 15)?;
        if self.blends == Some(true) {
            return Err("blends: of Gen4; later it is no surface state".to_owned());
        }
        let (width, depth, kind) = (self.width, self.depth, dimensions as u32);
        field("width", width, 16384)?;
        field("height", height, 16384)?;
        field("depth", depth, 2048)?;
        field("pitch", self.pitch, 1 << 18)?;
        // Both have a say in where slices are. Those that are wrong are refused below.
        let number = |key: &str| self.more.get(key).and_then(|value| value.as_u64());
        let alignment = |key: &str| match number(key) {
            Some(8) => 8,
            Some(16) => 16,
            _ => 4,
        };
        let surface = TexelSurface {
            kind,
            format: format_of(device, &self.format)?,
            base: self.base,
            width,
            height,
            depth,
            is_array: depth > 1 && dimensions != Dimensions::Three,
            levels,
            first_level: number("first_level").map_or(0, |level| level.min(14) as u32),
            gap: 0,
            pitch: self.pitch,
            tiling: self.tiling,
            alignment: ["horizontal_alignment", "vertical_alignment"].map(alignment),
        };
        let mut state = surface.state(generation);
        self.more.set(fields::SURFACE, &KEYS, device, &mut state)?;
        Ok(state)
    }
}

/// The format of a name; names and codes of Gen7 and later are those of DG1.
fn format_of(device: Device, name: &str) -> Result<&'static surface::Format, String> {
    let found = surface::named(Some(Device::Dg1), name)
        .and_then(|(_, format)| surface::message_format(device, format.code.into()));
    found.map_err(|error| error.to_string())
}

/// Bits 1:0 of dword 3 of Gen4 and Gen4.5.
const fn walk(tiling: Tiling) -> u32 {
    match tiling {
        Tiling::Linear => 0,
        Tiling::X => 2,
        Tiling::Y => 3,
    }
}

/// A number from 1 to `most` as a field holds it, one less.
fn field(name: &str, value: u32, most: u32) -> Result<u32, String> {
    match value {
        1.. if value <= most => Ok(value - 1),
        _ => Err(format!("{name} is {value}, not 1 to {most}")),
    }
}

fn bits(name: &str, value: u32, most: u32) -> Result<u32, String> {
    if value <= most { Ok(value) } else { Err(format!("{name} is {value}, not 0 to {most}")) }
}

/// The code of a format.
fn code(device: Device, name: &str) -> Result<u32, String> {
    let found = surface::named(Some(device), name);
    found.map(|(_, format)| format.code.into()).map_err(|error| error.to_string())
}
