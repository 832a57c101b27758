//! Setup files of execution units: what messages meet beside registers.

mod extent;
mod fields;
mod samplers;
mod surfaces;
#[cfg(test)]
mod tests;

use parallax_isa::{
    Device,
    eu::Case,
    shared::{
        Environment, Rendering, SharedFunctions,
        environment::{OtherThread, UrbEntry},
        memory::{GRAPHICS_BYTES, LOCAL_BYTES, URB_ROWS},
    },
};
use serde::Deserialize;

pub use self::extent::surface_bytes;

use crate::words;
use samplers::{KeyData, SamplerData};
use surfaces::SurfaceData;

/// What a setup file says, for the help text.
pub const HELP: &str = "\
For bw, cl, ctg and g45 a JSON file with what messages to the data port meet, every key optional: \
general_state {base, bound} (graphics addresses, multiples of 4096; no bound if it is 0), memory \
[{at (a byte, a multiple of 4), words}], the 16384 bytes of graphics memory, and surfaces, in \
order of their binding table indices: {type: buffer, base, entries, pitch, format}, {type: plane, \
base, width (in dwords), height, pitch, format, tiling (linear, x, y), line_stride, \
line_stride_offset, boundary (normal, progressive, interlaced), x_offset, y_offset (as the fields \
hold them)}, {type: target, dimensions, base, width, height, depth, level, pitch, format, tiling, blends}, {type: null} or \
{type: words, words} with the six words of a surface state; urb_entries [{handle, first_row, \
rows}], free_handles to be allocated in order, thread (this one: 16 times its execution unit, and \
its number) and other_thread {execution_unit, thread, gateway: {key, first_register, registers}} \
(null if it is closed). With samplers the Sampling Engine answers too: surfaces of {type: texture, \
dimensions (1d, 2d, 3d, cube), base, width, height, depth, levels, pitch, format, tiling}, \
samplers [{mag, min (nearest, linear, anisotropic, mono), mip (none, nearest, linear), address \
(three of wrap, mirror, clamp, cube, clamp_border, mirror_once), lod_bias, min_lod, max_lod, \
max_anisotropy, shadow_function (always, never, less, equal, less_equal, greater, not_equal, \
greater_equal), border (four numbers)} or {words}] at General State Base Address, \
palettes [words, words], chroma_keys [{low, high}] and interpolates_chroma. Rendering is what \
render target writes meet: alpha_test {function, reference}, blend (two of {function, \
source_factor, destination_factor}, for colour and alpha), constant, pre_blend_clamp, \
post_blend_clamp, logic, stencil (front and back: {function, reference, read_mask, write_mask, \
fail, depth_fail, pass}), depth_test, writes_depth and depth_buffer {format (D16Unorm, D24Unorm, \
D32Float), base, pitch, is_tiled}. Words are 32-bit words of eight hex digits. \
For ivb, skl and dg1 it has either shared_local_memory, bytes from 1 to 65536 (65536 without it), \
or memory, surfaces and samplers as above: surfaces of type buffer, texture (an array if depth is \
more than 1 and it is no 3d one), target, null or words (8 on ivb, else 16), samplers with address \
modes half_border (skl, dg1) and mirror_101 (dg1) besides, non_normalized, and border_words in place \
of border. Of all devices textures and targets have {array, first_level, first_element, view_extent, \
array_spacing, qpitch, horizontal_alignment, vertical_alignment, mip_layout, mip_tail_start, \
tiled_resource, x_offset, y_offset, line_stride, line_stride_offset, faces, channels, base_level, \
resource_min_lod, corner_texels, samples, sample_layout, sample_positions, rotation, auxiliary, \
ewa_disable, write_disables, return_format} and samplers {disabled, lod_preclamp, base_level, \
border_mode, cube_mode, rounding, trilinear_quality, lod_clamp_magnification, coarse_lod_quality, \
reduction, srgb_decode, force_gather4, anisotropic_algorithm, chroma_key, chroma_key_index, \
chroma_key_mode, mono_width, mono_height} as far as a device has them; the guide to images has a \
table of what each takes. The table of samplers begins at Dynamic State Base Address; words take a pointer to \
the border colour that is given.";

/// Largest setup file, in bytes.
pub const LARGEST: u64 = 1 << 20;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Setup {
    general_state: GeneralState,
    memory: Vec<MemoryRange>,
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

impl Setup {
    /// A key that is given and that only Gen4 and Gen4.5 have.
    fn early_key(&self) -> Option<&'static str> {
        let given = [
            ("general_state", self.general_state != GeneralState::default()),
            ("urb_entries", !self.urb_entries.is_empty()),
            ("free_handles", !self.free_handles.is_empty()),
            ("thread", self.thread != 0),
            ("other_thread", self.other_thread.is_some()),
            ("palettes", !self.palettes.is_empty()),
            ("chroma_keys", !self.chroma_keys.is_empty()),
            ("interpolates_chroma", self.interpolates_chroma),
            ("rendering", self.rendering.is_some()),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(key, _)| key)
    }
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct GeneralState {
    base: u32,
    bound: u32,
}

/// Words at an address.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MemoryRange {
    at: usize,
    words: String,
}

/// Reads the JSON of a setup file into a case.
///
/// # Errors
/// If it is none: what is wrong, in a sentence.
pub fn apply(case: &mut Case, json: &[u8]) -> Result<(), String> {
    let setup: Setup = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    let is_later = Device::LATER.contains(&case.device);
    if let Some(bytes) = setup.shared_local_memory {
        if !setup.surfaces.is_empty() {
            return Err("shared_local_memory: with surfaces it has all of its bytes".to_owned());
        }
        return local_memory(case, bytes);
    }
    if let Some(key) = setup.early_key().filter(|_| is_later) {
        return Err(format!("{key}: {} has none; it is of Gen4", case.device));
    }
    let GeneralState { base, bound } = setup.general_state;
    if base % 4096 != 0 || bound % 4096 != 0 {
        return Err("base and bound of general_state must be multiples of 4096".to_owned());
    }
    for MemoryRange { at, words } in &setup.memory {
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
    let surface_states = surfaces::heap(&setup.surfaces, case.device)?;
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
    // From Gen7 on there are messages that take a surface and no sampler.
    let samplers = setup.samplers.as_deref().or(is_later.then_some(&[]));
    if let Some(samplers) = samplers {
        let (palettes, keys) = (&setup.palettes, &setup.chroma_keys);
        let interpolates = setup.interpolates_chroma;
        let sampling = samplers::sampling(case.device, samplers, palettes, keys, interpolates)?;
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

/// Not more of something than the URB has rows.
fn at_most<T>(name: &str, list: Vec<T>) -> Result<Vec<T>, String> {
    if list.len() <= URB_ROWS { Ok(list) } else { Err(format!("{name}: more than {URB_ROWS}")) }
}
