//! Setup files: what surrounds a program.

use parallax_isa::r700::{
    Case,
    case::{Buffers, Constants, ProgramType, VertexBuffer},
    sampler::{Comparison, Filter, LOD_FRACTION, MipFilter, Sampler, Wrap},
    state::{GLOBAL_COUNT, LOCAL_DWORDS, MEMORY_DWORDS, STACK_FRAMES},
    texture::{Kind, Texture},
};
use serde::Deserialize;

use crate::words;

/// What a setup file says, for the help text.
pub const HELP: &str = "\
JSON file with what surrounds an R700 program, every key optional: program_type (pixel, vertex, \
export, geometry, copy, compute), prefer_vector, gpr_count, clause_temporaries, global_gprs, \
stack_size, fetch_program (address of the fetch subroutine, in 64-bit words), semantic_table, \
base_vertex, start_instance, wavefront, buffers {scratch, reduction, ring, export: {base, size}, \
stream: [four of them]} in dwords, memory and local [{at, words}], vertex_buffers and \
alternate_vertex_buffers [{words, stride, data_format, num_format, format_comp, srf_mode, \
endian_swap}], textures and alternate_textures [{words, kind (buffer, line, line-array, plane, \
plane-array, volume, cube), width, height, depth, pitch (of one row, in texels; the width if not \
given), levels, samples, data_format, num_format, format_comp, srf_mode, endian_swap, select: [four \
of 0 to 5]}], whose levels follow each other, samplers and alternate_samplers [{wrap: [three of wrap, \
mirror, clamp-last-texel, mirror-once-last-texel, clamp-half-border, mirror-once-half-border, \
clamp-border, mirror-once-border], magnify and minify (point, bilinear), mip (none, point, linear), \
min_lod, max_lod and lod_bias (multiples of 1/64), border (four words), compare (never, less, equal, \
less-equal, greater, not-equal, greater-equal, always)}]. Words are 32-bit words of eight hex digits.";

/// Largest setup file, in bytes.
pub const LARGEST: u64 = 4 << 20;

/// A setup file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Setup {
    program_type: Option<ProgramType>,
    prefer_vector: Option<bool>,
    gpr_count: Option<u32>,
    clause_temporaries: Option<u32>,
    global_gprs: Option<u32>,
    stack_size: Option<u32>,
    fetch_program: u32,
    semantic_table: Vec<u8>,
    base_vertex: u32,
    start_instance: u32,
    wavefront: u32,
    buffers: Option<Buffers>,
    memory: Vec<MemoryRange>,
    local: Vec<MemoryRange>,
    vertex_buffers: Vec<VertexData>,
    alternate_vertex_buffers: Vec<VertexData>,
    textures: Vec<TextureData>,
    alternate_textures: Vec<TextureData>,
    samplers: Vec<SamplerData>,
    alternate_samplers: Vec<SamplerData>,
}

/// Dwords at an address.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MemoryRange {
    at: usize,
    words: String,
}

/// A vertex fetch constant and its memory.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct VertexData {
    words: String,
    stride: u32,
    data_format: u32,
    num_format: u32,
    format_comp: u32,
    srf_mode: u32,
    endian_swap: u32,
}

impl VertexData {
    fn buffer(&self) -> Result<VertexBuffer, String> {
        let words = words::words(&self.words)?;
        Ok(VertexBuffer {
            bytes: words.iter().flat_map(|word| word.to_le_bytes()).collect(),
            stride: self.stride,
            data_format: self.data_format,
            num_format: self.num_format,
            format_comp: self.format_comp,
            srf_mode: self.srf_mode,
            endian_swap: self.endian_swap,
        })
    }
}

/// A texture resource and its memory; what is not given is as in [`Texture::default`].
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct TextureData {
    words: String,
    kind: Kind,
    width: Option<u32>,
    height: Option<u32>,
    depth: Option<u32>,
    pitch: Option<u32>,
    levels: Option<u32>,
    samples: Option<u32>,
    data_format: Option<u32>,
    num_format: u32,
    format_comp: u32,
    srf_mode: u32,
    endian_swap: u32,
    select: Option<[u32; 4]>,
}

impl TextureData {
    fn texture(&self) -> Result<Texture, String> {
        let words = words::words(&self.words)?;
        let default = Texture::default();
        let width = self.width.unwrap_or(default.width);
        Ok(Texture {
            bytes: words.iter().flat_map(|word| word.to_le_bytes()).collect(),
            kind: self.kind,
            width,
            height: self.height.unwrap_or(default.height),
            depth: self.depth.unwrap_or(default.depth),
            pitch: self.pitch.unwrap_or(width),
            levels: self.levels.unwrap_or(default.levels),
            samples: self.samples.unwrap_or(default.samples),
            data_format: self.data_format.unwrap_or(default.data_format),
            num_format: self.num_format,
            format_comp: self.format_comp,
            srf_mode: self.srf_mode,
            endian_swap: self.endian_swap,
            select: self.select.unwrap_or(default.select),
        })
    }
}

/// A sampler; what is not given is as in [`Sampler::default`].
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SamplerData {
    wrap: Option<[Wrap; 3]>,
    magnify: Filter,
    minify: Filter,
    mip: MipFilter,
    min_lod: Option<f64>,
    max_lod: Option<f64>,
    lod_bias: f64,
    border: Option<String>,
    compare: Comparison,
}

impl SamplerData {
    fn sampler(&self) -> Result<Sampler, String> {
        let default = Sampler::default();
        let border = match &self.border {
            None => default.border,
            Some(text) => {
                let words = words::words(text)?;
                let count = words.len();
                let wrong = |_| format!("border: {count} words, a colour has four");
                <[u32; 4]>::try_from(words).map_err(wrong)?
            }
        };
        let lod = |name: &str, lod: Option<f64>, default: u32| match lod {
            None => Ok(default),
            Some(lod) => {
                let wrong = || format!("{name} is {lod}, a level of detail is not negative");
                u32::try_from(in_64ths(name, lod)?).map_err(|_| wrong())
            }
        };
        Ok(Sampler {
            wrap: self.wrap.unwrap_or(default.wrap),
            magnify: self.magnify,
            minify: self.minify,
            mip: self.mip,
            min_lod: lod("min_lod", self.min_lod, default.min_lod)?,
            max_lod: lod("max_lod", self.max_lod, default.max_lod)?,
            lod_bias: in_64ths("lod_bias", self.lod_bias)?,
            border,
            compare: self.compare,
        })
    }
}

/// A number as so many 64ths.
fn in_64ths(name: &str, number: f64) -> Result<i32, String> {
    let units = number * f64::from(1 << LOD_FRACTION);
    if units.fract() != 0.0 || units.abs() > f64::from(i32::MAX) {
        return Err(format!("{name} is {number}, it must be a multiple of 1/64"));
    }
    Ok(units as i32)
}

/// Reads the JSON of a setup file into a case.
///
/// # Errors
/// If it is none: what is wrong, in a sentence.
pub fn apply(case: &mut Case, json: &[u8]) -> Result<(), String> {
    let setup: Setup = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    case.program_type = setup.program_type.unwrap_or(case.program_type);
    case.prefer_vector = setup.prefer_vector.unwrap_or(case.prefer_vector);
    case.clause_temporaries =
        at_most("clause_temporaries", setup.clause_temporaries, 127, case.clause_temporaries)?;
    let registers = 128 - case.clause_temporaries;
    case.gpr_count =
        at_most("gpr_count", setup.gpr_count, registers, case.gpr_count.min(registers))?;
    case.global_gprs =
        at_most("global_gprs", setup.global_gprs, GLOBAL_COUNT as u32, case.global_gprs)?;
    case.stack_size =
        at_most("stack_size", setup.stack_size, STACK_FRAMES as u32, case.stack_size)?;
    case.fetch_program = setup.fetch_program;
    case.semantic_table = setup.semantic_table;
    case.base_vertex = setup.base_vertex;
    case.start_instance = setup.start_instance;
    case.wavefront = setup.wavefront;
    case.buffers = setup.buffers.unwrap_or(case.buffers);
    fill(&mut case.state.memory, &setup.memory, "memory", MEMORY_DWORDS)?;
    fill(&mut case.state.local, &setup.local, "local", LOCAL_DWORDS)?;
    vertex_buffers(&mut case.constants, &setup.vertex_buffers)?;
    vertex_buffers(&mut case.alternate_constants, &setup.alternate_vertex_buffers)?;
    textures(&mut case.constants, &setup.textures)?;
    textures(&mut case.alternate_constants, &setup.alternate_textures)?;
    samplers(&mut case.constants, &setup.samplers)?;
    samplers(&mut case.alternate_constants, &setup.alternate_samplers)
}

fn at_most(name: &str, value: Option<u32>, most: u32, default: u32) -> Result<u32, String> {
    match value {
        Some(value) if value > most => Err(format!("{name} is {value}, but at most {most}")),
        Some(value) => Ok(value),
        None => Ok(default),
    }
}

fn fill(dwords: &mut [u32], ranges: &[MemoryRange], name: &str, size: usize) -> Result<(), String> {
    for range in ranges {
        let words = words::words(&range.words)?;
        let room = dwords.get_mut(range.at..).filter(|room| room.len() >= words.len());
        let Some(room) = room else {
            let (count, at) = (words.len(), range.at);
            return Err(format!("{name}: {count} dwords at {at} go beyond its {size} dwords"));
        };
        room[..words.len()].copy_from_slice(&words);
    }
    Ok(())
}

fn vertex_buffers(constants: &mut Constants, data: &[VertexData]) -> Result<(), String> {
    constants.vertex_buffers = data.iter().map(VertexData::buffer).collect::<Result<_, _>>()?;
    Ok(())
}

fn textures(constants: &mut Constants, data: &[TextureData]) -> Result<(), String> {
    constants.textures = data.iter().map(TextureData::texture).collect::<Result<_, _>>()?;
    Ok(())
}

fn samplers(constants: &mut Constants, data: &[SamplerData]) -> Result<(), String> {
    let sampler = |(number, data): (usize, &SamplerData)| {
        data.sampler().map_err(|wrong| format!("sampler {number}: {wrong}"))
    };
    constants.samplers = data.iter().enumerate().map(sampler).collect::<Result<_, _>>()?;
    Ok(())
}
