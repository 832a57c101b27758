//! What a recording holds: `parallax import --list`.

use parallax_isa::{r700::case::ProgramType, surface};
use schemars::JsonSchema;
use serde::Serialize;

use super::missing;
use crate::{
    container::{Container, Kernel},
    output::{self, counted, grouped, quoted},
    recorded::{Input, Recorded, Sampler, Surface},
};

/// The JSON interface.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json<'c> {
    /// The form of the file, as `kernels --json` names it.
    form: &'static str,
    /// The device, if the file names one that is here.
    device: Option<&'static str>,
    /// The programs.
    programs: Vec<ProgramJson<'c>>,
}

/// A program in the JSON interface.
#[derive(Serialize, JsonSchema)]
struct ProgramJson<'c> {
    /// The name.
    name: &'c str,
    /// The stage of the pipeline, if the file says it.
    stage: Option<&'static str>,
    /// The kind of a program of rv770.
    #[serde(skip_serializing_if = "Option::is_none")]
    program_type: Option<&'static str>,
    /// Channels, pixels or work items of a thread, if the file says it.
    simd: Option<usize>,
    /// The graphics address of its first byte, if the file says it.
    address: Option<u64>,
    /// The byte of the file at which its machine code begins, where it stands there as it is.
    offset: Option<usize>,
    /// Bytes of machine code.
    bytes: usize,
    /// Registers that have a value.
    registers: Vec<RegisterJson<'c>>,
    /// Surfaces that its messages name.
    surfaces: Vec<SurfaceJson>,
    /// Samplers that its messages name.
    samplers: Vec<SamplerJson<'c>>,
    /// What it declares to read, by name or number.
    inputs: Vec<InputJson<'c>>,
    /// What is not in the file, or not documented, in sentences.
    missing: Vec<String>,
}

/// A register in the JSON interface.
#[derive(Serialize, JsonSchema)]
struct RegisterJson<'c> {
    /// Its name.
    name: &'c str,
    /// What it holds.
    value: u32,
}

/// A surface in the JSON interface.
#[derive(Serialize, JsonSchema)]
struct SurfaceJson {
    /// Its index in the binding table.
    index: u32,
    /// `1d`, `2d`, `3d`, `cube`, `buffer`, `strbuf`, `reserved` or `null`; null if the file does not have its state.
    #[serde(rename = "type")]
    kind: Option<&'static str>,
    /// The name of its format, or null.
    format: Option<&'static str>,
    /// Its graphics address.
    address: u64,
    /// How many bytes it has, if that is known.
    bytes: Option<u64>,
    /// How many of them the trace gets.
    kept: usize,
}

/// A sampler in the JSON interface.
#[derive(Serialize, JsonSchema)]
struct SamplerJson<'c> {
    /// Its number.
    index: u32,
    /// The words of its state; none if the file does not have it.
    state: &'c [u32],
    /// The words of its border colour; none if the file does not have it.
    border: &'c [u32],
}

/// An input in the JSON interface.
#[derive(Serialize, JsonSchema)]
struct InputJson<'c> {
    /// `uniform block`, `uniform`, `initial value`, `loop`, `sampler` or `attribute`.
    kind: &'static str,
    /// Its name; empty if it has none.
    name: &'c str,
    /// Its location, as the file counts them.
    location: u32,
    /// The words of its value; none if the file has none.
    value: &'c [u32],
}

/// The types of surfaces by their code.
const TYPES: [&str; 8] = ["1d", "2d", "3d", "cube", "buffer", "strbuf", "reserved", "null"];

/// Prints what a recording holds.
pub(super) fn print(container: &Container, as_json: bool) {
    if as_json {
        output::print_json(&Json {
            form: container.form,
            device: container.device.map(|device| device.name()),
            programs: container.kernels.iter().map(|kernel| program(container, kernel)).collect(),
        });
    } else {
        output::print(text(container).trim_end());
    }
}

/// Channels of a thread: as a recording or a compiler says.
fn simd(kernel: &Kernel) -> Option<usize> {
    kernel.recorded.simd.or((kernel.lanes > 0).then_some(kernel.lanes))
}

fn program<'c>(container: &Container, kernel: &'c Kernel) -> ProgramJson<'c> {
    let Recorded { registers, surfaces, samplers, inputs, .. } = &*kernel.recorded;
    let register = |register: &'c crate::recorded::Register| RegisterJson {
        name: &register.name,
        value: register.value,
    };
    let sampler = |Sampler { index, state, border }: &'c Sampler| SamplerJson {
        index: *index,
        state,
        border,
    };
    let input = |Input { kind, name, location, value }: &'c Input| InputJson {
        kind,
        name,
        location: *location,
        value,
    };
    ProgramJson {
        name: &kernel.name,
        stage: kernel.recorded.stage,
        program_type: kernel.program_type.map(ProgramType::name),
        simd: simd(kernel),
        address: kernel.recorded.address,
        offset: kernel.recorded.offset,
        bytes: kernel.code.len(),
        registers: registers.iter().map(register).collect(),
        surfaces: surfaces.iter().map(|surface| surface_json(container, surface)).collect(),
        samplers: samplers.iter().map(sampler).collect(),
        inputs: inputs.iter().map(input).collect(),
        missing: missing(kernel),
    }
}

fn surface_json(container: &Container, surface: &Surface) -> SurfaceJson {
    let first = surface.state.first();
    let format = first.and_then(|first| {
        let code = first >> 18 & 0x3FF;
        surface::message_format(container.device?, code).ok()
    });
    SurfaceJson {
        index: surface.index,
        kind: first.map(|first| TYPES[(first >> 29) as usize]),
        format: format.map(|format| format.name),
        address: surface.base,
        bytes: surface.size,
        kept: surface.bytes.len(),
    }
}

fn text(container: &Container) -> String {
    let device = container.device.map_or("an unknown device", |device| device.name());
    let programs = counted(container.kernels.len() as u64, "program");
    let mut text = format!("{programs} for {device} ({})\n", container.form);
    for kernel in &container.kernels {
        text += &of_program(container, kernel);
    }
    text
}

/// A program: a line, and one for each thing that is there or is not.
fn of_program(container: &Container, kernel: &Kernel) -> String {
    let recorded = &kernel.recorded;
    let mut text =
        format!("\n{}: {} bytes", quoted(&kernel.name), grouped(kernel.code.len() as u64));
    if let Some(simd) = simd(kernel) {
        text += &format!(", SIMD{simd}");
    }
    if let Some(stage) = recorded.stage {
        text += &format!(", {stage}");
    }
    if let Some(address) = recorded.address {
        text += &format!(", address {address:#x}");
    }
    if let Some(offset) = recorded.offset {
        text += &format!(", byte {} of the file", grouped(offset as u64));
    }
    text.push('\n');
    let mut line = |what: &str| text += &format!("  {what}\n");
    for register in &recorded.registers {
        line(&format!("{} = {:#010x}", register.name, register.value));
    }
    for surface in &recorded.surfaces {
        line(&surface_text(&surface_json(container, surface)));
    }
    for Sampler { index, state, .. } in recorded.samplers.iter().filter(|it| !it.state.is_empty()) {
        let words: Vec<_> = state.iter().map(|word| format!("{word:08x}")).collect();
        line(&format!("sampler {index}: {}", words.join(" ")));
    }
    for Input { kind, name, location, .. } in &recorded.inputs {
        let name = if name.is_empty() { String::new() } else { format!(" {}", quoted(name)) };
        line(&format!("{kind}{name} at {location}"));
    }
    for missing in missing(kernel) {
        line(&format!("missing: {missing}"));
    }
    text
}

fn surface_text(surface: &SurfaceJson) -> String {
    let Some(kind) = surface.kind else { return format!("surface {}", surface.index) };
    let mut text = format!("surface {}: {kind}", surface.index);
    if let Some(format) = surface.format {
        text += &format!(", {format}");
    }
    text += &format!(", address {:#x}", surface.address);
    if let Some(bytes) = surface.bytes {
        text += &format!(", {} bytes", grouped(bytes));
    }
    text
}
