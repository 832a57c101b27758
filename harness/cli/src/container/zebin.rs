//! Device binaries in ELF files, as `ocloc --format zebin` writes them: a section of machine code for each kernel, and
//! a text in YAML that says what its registers have to hold.

use std::collections::BTreeMap;

use object::{
    Endianness, elf,
    read::elf::{NoteIterator, SectionHeader as _, SectionTable},
};
use parallax_isa::Device;
use serde::Deserialize;

use super::{
    ArgumentKind, Container, Holds, Kernel, Parameter, section_data, type_name, without_padding,
};

/// The type of the section with the text.
const INFO: elf::SectionType = elf::SectionType(0xFF00_0011);

/// What the sections of machine code are called before the names of kernels.
const CODE: &str = ".text.";
/// The same of their relocations.
const RELOCATIONS: [&str; 2] = [".rel.text.", ".rela.text."];

/// The note that names the product family, and what they are called here.
const COMPATIBILITY: &str = ".note.intelgt.compat";
const PRODUCT_FAMILY: elf::NoteType = elf::NoteType(1);
const PRODUCTS: [(u32, Device); 2] = [(18, Device::Skl), (1210, Device::Dg1)];

/// The text.
#[derive(Debug, Deserialize)]
struct Info {
    #[serde(default)]
    kernels: Vec<KernelInfo>,
    #[serde(default)]
    kernels_misc_info: Vec<Described>,
}

#[derive(Debug, Deserialize)]
struct KernelInfo {
    name: String,
    execution_env: Environment,
    #[serde(default)]
    payload_arguments: Vec<PayloadArgument>,
    #[serde(default)]
    per_thread_payload_arguments: Vec<PayloadArgument>,
    #[serde(default)]
    binding_table_indices: Vec<Binding>,
    #[serde(default)]
    per_thread_memory_buffers: Vec<Buffer>,
}

#[derive(Debug, Deserialize)]
struct Environment {
    simd_size: usize,
    #[serde(default)]
    barrier_count: usize,
    #[serde(default)]
    slm_size: usize,
}

#[derive(Debug, Deserialize)]
struct PayloadArgument {
    arg_type: String,
    offset: usize,
    size: usize,
    #[serde(default)]
    arg_index: usize,
    #[serde(default)]
    addrmode: String,
    #[serde(default)]
    addrspace: String,
    #[serde(default)]
    source_offset: usize,
    #[serde(default)]
    slm_alignment: usize,
}

#[derive(Debug, Deserialize)]
struct Binding {
    bti_value: usize,
    arg_index: usize,
}

#[derive(Debug, Deserialize)]
struct Buffer {
    size: usize,
}

#[derive(Debug, Deserialize)]
struct Described {
    name: String,
    #[serde(default)]
    args_info: Vec<ArgumentInfo>,
}

#[derive(Debug, Deserialize)]
struct ArgumentInfo {
    index: usize,
    #[serde(default)]
    name: String,
    #[serde(default)]
    type_name: String,
}

/// Reads a device binary.
pub(super) fn read(
    endian: Endianness,
    bytes: &[u8],
    sections: &SectionTable<'_, elf::FileHeader64<Endianness>>,
) -> Result<Container, String> {
    let name = |section| {
        let name = sections.section_name(endian, section).unwrap_or_default();
        String::from_utf8_lossy(name).into_owned()
    };
    let by_name: BTreeMap<_, _> = sections.iter().map(|section| (name(section), section)).collect();
    let info = sections.iter().find(|section| section.sh_type.get(endian) == INFO);
    let info = info.ok_or("is a device binary without .ze_info")?;
    let info = String::from_utf8_lossy(section_data(endian, bytes, info)?);
    let info: Info = serde_saphyr::from_str(info.trim_end_matches('\0'))
        .map_err(|error| format!(".ze_info: {error}"))?;
    let described = info.kernels_misc_info.iter().map(|of| (&*of.name, &*of.args_info));
    let described: BTreeMap<_, _> = described.collect();
    let mut kernels = Vec::new();
    for of_kernel in &info.kernels {
        let mut kernel = kernel(of_kernel)?;
        let code = format!("{CODE}{}", of_kernel.name);
        let section = by_name.get(&code).ok_or_else(|| format!("has no section {code}"))?;
        kernel.code = without_padding(section_data(endian, bytes, section)?);
        let relocations = RELOCATIONS.map(|before| format!("{before}{}", of_kernel.name));
        let of_code = relocations.iter().filter_map(|name| by_name.get(name));
        kernel.relocations = of_code.map(|section| entries(endian, section)).sum();
        for argument in described.get(&*of_kernel.name).copied().unwrap_or_default() {
            let known = kernel.argument(argument.index)?;
            known.name.clone_from(&argument.name);
            known.type_name = type_name(&argument.type_name);
        }
        kernels.push(kernel);
    }
    let note = by_name.get(COMPATIBILITY);
    let product = note.and_then(|note| product(endian, bytes, note));
    let known = |product| PRODUCTS.iter().find(|(known, _)| *known == product);
    let device = product.and_then(known).map(|(_, device)| *device);
    Ok(Container { form: "zebin", device, kernels })
}

/// How many entries a section of them has.
fn entries(endian: Endianness, section: &elf::SectionHeader64<Endianness>) -> usize {
    section.sh_size.get(endian).checked_div(section.sh_entsize.get(endian)).unwrap_or(0) as usize
}

/// The product family that a note names.
fn product(
    endian: Endianness,
    bytes: &[u8],
    section: &elf::SectionHeader64<Endianness>,
) -> Option<u32> {
    // Whatever alignment the section states, notes are made of words.
    let data = section.data(endian, bytes).ok()?;
    let mut notes = NoteIterator::<elf::FileHeader64<Endianness>>::new(endian, 4, data).ok()?;
    while let Ok(Some(note)) = notes.next() {
        if note.n_type(endian) == PRODUCT_FAMILY {
            return note.desc().first_chunk().map(|family| u32::from_le_bytes(*family));
        }
    }
    None
}

/// What the text says of a kernel.
fn kernel(info: &KernelInfo) -> Result<Kernel, String> {
    let Environment { simd_size, barrier_count, slm_size } = info.execution_env;
    let mut kernel = Kernel {
        name: info.name.clone(),
        lanes: simd_size,
        has_barriers: barrier_count > 0,
        local_bytes: slm_size,
        scratch_bytes: info
            .per_thread_memory_buffers
            .iter()
            .fold(0, |sum, buffer| sum.saturating_add(buffer.size)),
        ..Kernel::default()
    };
    for payload in &info.payload_arguments {
        parameter(&mut kernel, payload)?;
    }
    for Binding { bti_value, arg_index } in &info.binding_table_indices {
        let argument = kernel.argument(*arg_index)?;
        if let ArgumentKind::Buffer { binding } = &mut argument.kind {
            *binding = Some(*bti_value);
        }
    }
    let ends = kernel.parameters.iter().map(|it| it.offset.saturating_add(it.bytes));
    kernel.cross_thread_bytes = ends.max().unwrap_or(0);
    let bytes_of_ids = simd_size.div_ceil(16).max(1).saturating_mul(32);
    let ids = info.per_thread_payload_arguments.iter().filter(|it| it.arg_type == "local_id");
    kernel.local_ids = ids.map(|ids| ids.size / bytes_of_ids).max().unwrap_or(0);
    Ok(kernel)
}

/// Takes up what bytes of the data of all threads hold.
fn parameter(kernel: &mut Kernel, payload: &PayloadArgument) -> Result<(), String> {
    let &PayloadArgument { offset, size: bytes, arg_index: argument, .. } = payload;
    let of_dimensions: fn(usize) -> Holds = match &*payload.arg_type {
        "arg_byvalue" => {
            let holds = kernel.value(argument, payload.source_offset, bytes)?;
            kernel.parameters.push(Parameter { offset, bytes, holds });
            return Ok(());
        }
        "arg_bypointer" => {
            kernel.argument(argument)?.kind = match (&*payload.addrmode, &*payload.addrspace) {
                ("slm", _) => ArgumentKind::Local { alignment: payload.slm_alignment.max(1) },
                // Images and samplers are reached through surfaces and states of their own.
                ("stateful" | "stateless", "global" | "constant") => {
                    ArgumentKind::Buffer { binding: None }
                }
                _ => ArgumentKind::Other,
            };
            let holds = Holds::Address { argument };
            kernel.parameters.push(Parameter { offset, bytes, holds });
            return Ok(());
        }
        "buffer_address" => {
            let holds = Holds::Address { argument };
            kernel.parameters.push(Parameter { offset, bytes, holds });
            return Ok(());
        }
        "global_id_offset" => Holds::GlobalOffset,
        "local_size" | "enqueued_local_size" => Holds::LocalSize,
        "global_size" => Holds::GlobalSize,
        "group_count" => Holds::Groups,
        "work_dimensions" => |_| Holds::Dimensions,
        "buffer_offset" => |_| Holds::Zero,
        other => {
            kernel.unknown.push(other.to_owned());
            return Ok(());
        }
    };
    let parts = (0..(bytes / 4).min(3)).map(|dimension| Parameter {
        offset: offset.saturating_add(4 * dimension),
        bytes: 4,
        holds: of_dimensions(dimension),
    });
    kernel.parameters.extend(parts);
    Ok(())
}
