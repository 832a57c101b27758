//! Setup files of G45 and its predecessors: what messages meet beside registers.

mod extent;
mod samplers;

use parallax_isa::{
    Device,
    eu::Case,
    shared::{
        Environment, Rendering, SharedFunctions,
        environment::{MOST_SURFACE_STATE_DWORDS, OtherThread, SURFACE_STATE_DWORDS, UrbEntry},
        memory::{GRAPHICS_BYTES, LOCAL_BYTES, URB_ROWS},
    },
    surface,
};
use serde::Deserialize;

pub use self::extent::surface_bytes;

use crate::words;
use samplers::{KeyData, SamplerData};

/// What a setup file says, for the help text.
pub const HELP: &str = "\
For bw, cl, ctg and g45 a JSON file with what messages to the data port meet, every key optional: \
general_state {base, bound} (graphics addresses, multiples of 4096; no bound if it is 0), memory \
[{at (a byte, a multiple of 4), words}], the 16384 bytes of graphics memory, and surfaces, in \
order of their binding table indices: {type: buffer, base, entries, pitch, format}, {type: plane, \
base, width (in dwords), height, pitch, format, tiling (linear, x, y), line_stride, \
line_stride_offset, boundary (normal, progressive, interlaced), x_offset, y_offset (as the fields \
hold them)}, {type: target, base, width, height, pitch, format, tiling, blends}, {type: null} or \
{type: words, words} with the six words of a surface state; urb_entries [{handle, first_row, \
rows}], free_handles to be allocated in order, thread (this one: 16 times its execution unit, and \
its number) and other_thread {execution_unit, thread, gateway: {key, first_register, registers}} \
(null if it is closed). With samplers the Sampling Engine answers too: surfaces of {type: texture, \
dimensions (1d, 2d, 3d, cube), base, width, height, depth, levels, pitch, format, tiling}, \
samplers [{mag, min (nearest, linear, anisotropic, mono), mip (none, nearest, linear), address \
(three of wrap, mirror, clamp, cube, clamp_border, mirror_once), lod_bias, min_lod, max_lod, \
max_anisotropy, shadow_function, border (four numbers)} or {words}] at General State Base Address, \
palettes [words, words], chroma_keys [{low, high}] and interpolates_chroma. Rendering is what \
render target writes meet: alpha_test {function, reference}, blend (two of {function, \
source_factor, destination_factor}, for colour and alpha), constant, pre_blend_clamp, \
post_blend_clamp, logic, stencil (front and back: {function, reference, read_mask, write_mask, \
fail, depth_fail, pass}), depth_test, writes_depth and depth_buffer {format (D16Unorm, D24Unorm, \
D32Float), base, pitch, is_tiled}. Words are 32-bit words of eight hex digits. \
For ivb, skl and dg1 it has one key: shared_local_memory, bytes from 1 to 65536 (65536 without it).";

/// Largest setup file, in bytes.
pub const LARGEST: u64 = 1 << 20;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Setup {
    general_state: GeneralState,
    memory: Vec<Stretch>,
    surfaces: Vec<SurfaceData>,
    urb_entries: Vec<UrbEntry>,
    free_handles: Vec<u32>,
    thread: u8,
    other_thread: Option<OtherThread>,
    samplers: Option<Vec<SamplerData>>,
    palettes: Vec<String>,
    chroma_keys: Vec<KeyData>,
    interpolates_chroma: bool,
    rendering: Option<Rendering>,
    shared_local_memory: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct GeneralState {
    base: u32,
    bound: u32,
}

/// Words at an address.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stretch {
    at: usize,
    words: String,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
enum SurfaceData {
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
    Texture {
        dimensions: Dimensions,
        base: u32,
        width: u32,
        #[serde(default = "one")]
        height: u32,
        #[serde(default = "one")]
        depth: u32,
        #[serde(default = "one")]
        levels: u32,
        pitch: u32,
        format: String,
        #[serde(default)]
        tiling: Tiling,
    },
    Target {
        base: u32,
        width: u32,
        height: u32,
        pitch: u32,
        format: String,
        #[serde(default)]
        tiling: Tiling,
        #[serde(default)]
        blends: bool,
    },
    Null,
    Words {
        words: String,
    },
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Tiling {
    #[default]
    Linear,
    X,
    Y,
}

impl Tiling {
    /// Bits 1:0 of dword 3.
    const fn bits(self) -> u32 {
        match self {
            Self::Linear => 0,
            Self::X => 2,
            Self::Y => 3,
        }
    }
}

#[derive(Debug, Clone, Copy, Deserialize)]
enum Dimensions {
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
enum Boundary {
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

/// Reads the JSON of a setup file into a case.
///
/// # Errors
/// If it is none: what is wrong, in a sentence.
pub fn apply(case: &mut Case, json: &[u8]) -> Result<(), String> {
    let setup: Setup = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    if let Some(bytes) = setup.shared_local_memory {
        return local_memory(case, bytes);
    }
    let GeneralState { base, bound } = setup.general_state;
    if base % 4096 != 0 || bound % 4096 != 0 {
        return Err("base and bound of general_state must be multiples of 4096".to_owned());
    }
    for Stretch { at, words } in &setup.memory {
        let bytes: Vec<u8> =
            words::words(words)?.iter().flat_map(|word| word.to_le_bytes()).collect();
        let room = case.state.memory.graphics.get_mut(*at..);
        let Some(room) = room.filter(|room| at % 4 == 0 && room.len() >= bytes.len()) else {
            let count = bytes.len();
            return Err(format!(
                "memory: {count} bytes at {at} are not in its {GRAPHICS_BYTES} bytes, or not at a \
                 multiple of 4"
            ));
        };
        room[..bytes.len()].copy_from_slice(&bytes);
    }
    let surface_states = heap(&setup.surfaces, case.device)?;
    let environment = Environment {
        general_state_base: base,
        general_state_bound: bound,
        surface_states,
        binding_table: 0,
        urb_entries: at_most("urb_entries", setup.urb_entries)?,
        free_handles: at_most("free_handles", setup.free_handles)?,
        thread: setup.thread,
        other_thread: setup.other_thread,
    };
    if let Some(OtherThread { execution_unit: 16.., .. } | OtherThread { thread: 4.., .. }) =
        setup.other_thread
    {
        return Err("other_thread: there are 16 execution units of 4 threads".to_owned());
    }
    let mut functions = SharedFunctions::around(environment);
    if let Some(samplers) = &setup.samplers {
        let (palettes, keys) = (&setup.palettes, &setup.chroma_keys);
        let sampling = samplers::sampling(samplers, palettes, keys, setup.interpolates_chroma)?;
        functions = functions.with_sampling(sampling);
    }
    if let Some(rendering) = setup.rendering {
        functions = functions.with_rendering(rendering);
    }
    case.surroundings.shared_functions = functions;
    Ok(())
}

/// Gives a case so many bytes of shared local memory.
fn local_memory(case: &mut Case, bytes: u32) -> Result<(), String> {
    if Device::GEN4.contains(&case.device) {
        return Err(format!("shared_local_memory: {} has none", case.device));
    }
    if !(1..=LOCAL_BYTES as u32).contains(&bytes) {
        return Err(format!("shared_local_memory is {bytes}, not 1 to {LOCAL_BYTES} bytes"));
    }
    case.surroundings.shared_functions = SharedFunctions::LocalMemory { bytes };
    Ok(())
}

/// Dwords from a surface state to the next, which are aligned to 32 bytes.
const APART: usize = 8;

/// The binding table and the surface states behind it.
fn heap(surfaces: &[SurfaceData], device: Device) -> Result<Vec<u32>, String> {
    let first = surfaces.len().next_multiple_of(APART);
    let length = first + APART * surfaces.len();
    if length > MOST_SURFACE_STATE_DWORDS || surfaces.len() > 255 {
        return Err(format!("surfaces: {} are more than a binding table has", surfaces.len()));
    }
    let mut heap = vec![0; length];
    for (index, surface) in surfaces.iter().enumerate() {
        let start = first + APART * index;
        let state = surface.state(device).map_err(|why| format!("surface {index}: {why}"))?;
        heap[index] = 4 * start as u32;
        heap[start..start + SURFACE_STATE_DWORDS].copy_from_slice(&state);
    }
    Ok(heap)
}

impl SurfaceData {
    /// SURFACE_STATE.
    fn state(&self, device: Device) -> Result<[u32; SURFACE_STATE_DWORDS], String> {
        match self {
            Self::Texture {
                dimensions,
                base,
                width,
                height,
                depth,
                levels,
                pitch,
                format,
                tiling,
            } => {
                let sizes = field("height", *height, 8192)? << 19
                    | field("width", *width, 8192)? << 6
                    | field("levels", *levels, 14)? << 2;
                let pitch = field("pitch", *pitch, 1 << 17)?;
                let depth = field("depth", *depth, 2048)?;
                let faces = if matches!(dimensions, Dimensions::Cube) { 0x3F } else { 0 };
                let first = (*dimensions as u32) << 29 | code(device, format)? << 18 | faces;
                Ok([first, *base, sizes, depth << 21 | pitch << 3 | tiling.bits(), 0, 0])
            }
            Self::Target { base, width, height, pitch, format, tiling, blends } => {
                let sizes =
                    field("height", *height, 8192)? << 19 | field("width", *width, 8192)? << 6;
                let pitch = field("pitch", *pitch, 1 << 17)?;
                let first = 1 << 29 | code(device, format)? << 18 | u32::from(*blends) << 13;
                Ok([first, *base, sizes, pitch << 3 | tiling.bits(), 0, 0])
            }
            Self::Null => Ok([7 << 29, 0, 0, 2, 0, 0]),
            Self::Words { words } => {
                let words = words::words(words)?;
                <[u32; SURFACE_STATE_DWORDS]>::try_from(words)
                    .map_err(|words| format!("{} words, not six", words.len()))
            }
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
                let walk = tiling.bits();
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

/// Not more of something than the URB has rows.
fn at_most<T>(name: &str, list: Vec<T>) -> Result<Vec<T>, String> {
    if list.len() <= URB_ROWS { Ok(list) } else { Err(format!("{name}: more than {URB_ROWS}")) }
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
