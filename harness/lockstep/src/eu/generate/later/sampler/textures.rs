//! Surfaces that messages sample, of all types, formats and layouts, inside of graphics memory (tables
//! `eu-surface-state-by-gen`, `eu-surface-layout-by-gen`).

use parallax_isa::{
    Device,
    device::Generation,
    surface::{self, Format, Layout, Use},
};

use super::{
    super::surfaces::{self, BUFFER, CUBE, Kind, LINE, NULL, PLANE, VOLUME},
    forms::{Form, Purpose},
};
use crate::{
    eu::hardware_state::{CUBE_FACES, HardwareState, TexelSurface},
    formats,
    random::SplitMix64,
};

/// A surface with what a message needs to know of it.
#[derive(Debug, Clone)]
pub(super) struct Texture {
    pub(super) state: Vec<u32>,
    pub(super) kind: Kind,
    pub(super) format: &'static Format,
    /// Texels of level 0, and slices or elements.
    pub(super) size: [u32; 3],
    pub(super) is_array: bool,
    pub(super) levels: u32,
    pub(super) first_level: u32,
    pub(super) entries: u32,
}

const SIZES: [u32; 12] = [1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 20, 32];

impl Texture {
    /// One that a message takes.
    pub(super) fn new(device: Device, form: &Form, random: &mut SplitMix64) -> Self {
        let generation = device.generation().unwrap_or(Generation::Gen9);
        let mut below = |bound: usize| random.below(bound as u64) as usize;
        let kinds = form.kinds();
        let kind = if below(40) == 0 { NULL } else { kinds[below(kinds.len())] };
        let mut formats: Vec<&Format> = surface::message_formats()
            .iter()
            .filter(|format| suits(format, device, form, kind))
            .collect();
        if below(2) == 0 {
            formats::retain_one_kind(&mut formats, &mut below);
        }
        let format = formats[below(formats.len())];
        let shaped = |kind| matches!(kind, LINE | PLANE | CUBE);
        let is_array = shaped(kind) && form.takes_array(kind) && below(3) == 0;
        let tiling = surfaces::tiling(kind, format, below(4));
        let levels = 1 + below(4) as u32;
        let first_level = if below(3) == 0 { below(3) as u32 } else { 0 };
        let takes_element = matches!(kind, LINE | PLANE) || kind == CUBE && is_array;
        let mut first_element = if takes_element && below(4) == 0 { below(3) as u32 } else { 0 };
        let size = [(); 3].map(|()| SIZES[below(SIZES.len())]);
        let places = [64 * below(8) as u32, 4096 * below(2) as u32];
        let elements = if is_array { size[2].min(4) } else { 1 };
        let [width, height, depth] = match kind {
            LINE => [size[0], 1, elements],
            PLANE => [size[0], size[1], elements],
            VOLUME => [size[0], size[1], size[2].min(9)],
            CUBE => [size[0], size[0], elements.min(2)],
            _ => [size[0], 1, 1],
        };
        let surface = TexelSurface {
            kind: if kind == NULL { PLANE } else { kind },
            format,
            base: 0,
            width,
            height,
            depth,
            is_array,
            levels,
            first_level,
            gap: below(3) as u32,
            pitch: 1,
            tiling,
            alignment: [4; 2],
        };
        let surface = surfaces::fit(surface, generation, &mut first_element, places);
        let TexelSurface { levels, first_level, .. } = surface;
        let entries = 1 + below(40) as u32;
        let mut state = HardwareState::surface(generation);
        match kind {
            NULL => {
                surfaces::describe_null(&mut state, format);
                state.set("Width", below(1 << 14) as u32).set("MIP Count / LOD", below(15) as u32);
            }
            BUFFER => {
                let (base, more) = (16 * below(64) as u32, below(3) as u32);
                surfaces::describe_buffer(&mut state, format, base, (entries, more));
                select_channels(&mut state, &mut below);
            }
            _ => {
                let pick = &mut below;
                surface.describe(&mut state, generation);
                state.set("Minimum Array Element", first_element);
                // All faces, or some; only a cube has any.
                let faces = if pick(3) == 0 { pick(64) as u32 } else { 0x3F };
                for (bit, face) in CUBE_FACES.into_iter().enumerate() {
                    state.set(face, faces >> bit & 1);
                }
                let last = 256 * (first_level + levels - 1);
                if pick(4) == 0 {
                    state.set("Resource Min LOD", pick(last as usize + 1) as u32);
                }
                select_channels(&mut state, pick);
            }
        }
        let size = [surface.width, surface.height, surface.depth];
        let state = state.into_dwords();
        Self { state, kind, format, size, is_array, levels, first_level, entries }
    }

    /// Directions that have coordinates.
    pub(super) fn directions(&self) -> usize {
        match self.kind {
            LINE => 1,
            VOLUME => 3,
            _ => 2,
        }
    }

    pub(super) fn has_integers(&self) -> bool {
        surfaces::has_integers(self.format)
    }

    pub(super) fn is_null(&self) -> bool {
        self.kind == NULL
    }
}

/// Channels as they are, or any of them, zero or one, where channels are selected.
fn select_channels(state: &mut HardwareState, below: &mut dyn FnMut(usize) -> usize) {
    let is_identity = below(3) != 0;
    for (code, channel) in (4..).zip(["Red", "Green", "Blue", "Alpha"]) {
        let code = if is_identity { code } else { [0, 1, 4, 5, 6, 7][below(6)] };
        state.set_if_there(&format!("Shader Channel Select {channel}"), code);
    }
}

/// Whether a message takes a format.
fn suits(format: &Format, device: Device, form: &Form, kind: Kind) -> bool {
    let allows = |purpose| format.allows(device, purpose);
    let is_block = format.block.texels() > 1;
    if kind == LINE && is_block && device != Device::Ivb {
        return false;
    }
    if !format.is_defined() || !allows(Use::Sampling) || format.name == "MONO8" {
        return false;
    }
    // Palettes and subsampled pixels are of older interfaces.
    if format.palette().is_some() || matches!(format.layout, Layout::Subsampled(_)) {
        return false;
    }
    match form.purpose {
        Purpose::Info | Purpose::Load => kind != BUFFER || !is_block,
        Purpose::Compare | Purpose::GatherCompare => allows(Use::Shadow),
        Purpose::Sample | Purpose::Gather | Purpose::Detail => {
            !(surfaces::has_integers(format) && device.generation() == Some(Generation::Gen7))
        }
    }
}
