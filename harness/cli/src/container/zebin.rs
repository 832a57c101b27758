//! Device binaries in ELF files, as `ocloc --format zebin` writes them: a section of machine code for each kernel, and
//! a text in YAML that says what its registers have to hold.

mod links;

use std::collections::BTreeMap;

use object::{
    Endianness, elf,
    read::elf::{NoteIterator, SectionHeader as _, SectionTable},
};
use parallax_isa::Device;
use serde::Deserialize;

use self::links::Links;
use super::{
    ArgumentKind, Container, Holds, KERNEL_OF_SYMBOLS, Kernel, MOST_CODE, Parameter, section_data,
    without_padding,
};
use crate::output::brief;

/// The type of the section with the text.
const INFO: elf::SectionType = elf::SectionType(0xFF00_0011);

/// What the sections of machine code are called before the names of kernels.
const CODE: &str = ".text.";

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
    r#type: String,
    size: usize,
    /// Whether the size is that of a work item instead of a thread.
    #[serde(default)]
    is_simt_thread: bool,
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
pub(super) fn read<'d>(
    endian: Endianness,
    bytes: &'d [u8],
    sections: &SectionTable<'d, elf::FileHeader64<Endianness>>,
) -> Result<Container, String> {
    let links = Links::new(endian, bytes, sections)?;
    let info = sections.iter().find(|section| section.sh_type.get(endian) == INFO);
    let info = info.ok_or("is a device binary without .ze_info")?;
    let info = String::from_utf8_lossy(section_data(endian, bytes, info)?);
    let info: Info = serde_saphyr::from_str(info.trim_end_matches('\0'))
        .map_err(|error| format!(".ze_info: {error}"))?;
    let described = info.kernels_misc_info.iter().map(|of| (&*of.name, &*of.args_info));
    let described: BTreeMap<_, _> = described.collect();
    let (data, unknown) = links.data()?;
    let note = links.section(COMPATIBILITY);
    let product = note.and_then(|note| product(endian, bytes, note));
    let known = |product| PRODUCTS.iter().find(|(known, _)| *known == product);
    let device = product.and_then(known).map(|(_, device)| *device);
    let mut container = Container::new("zebin", device);
    let mut total = 0_usize;
    for of_kernel in info.kernels.iter().filter(|kernel| kernel.name != KERNEL_OF_SYMBOLS) {
        let mut kernel = kernel(of_kernel)?;
        let name = format!("{CODE}{}", of_kernel.name);
        let section = links.section(&name).ok_or_else(|| format!("has no section {name}"))?;
        kernel.code = without_padding(section_data(endian, bytes, section)?);
        // Sections may share bytes: together they must not take the memory of many files.
        total = total.saturating_add(kernel.code.len());
        if total > MOST_CODE {
            return Err(format!("has kernels of more than {} MiB", MOST_CODE >> 20));
        }
        let places = links.places(&name, &kernel.code, false)?;
        kernel.relocations = places.relocations;
        kernel.unknown.extend(unknown.iter().cloned().chain(places.unknown));
        kernel.data.clone_from(&data);
        for argument in described.get(&*of_kernel.name).copied().unwrap_or_default() {
            kernel.describe(argument.index, &argument.name, &argument.type_name)?;
        }
        container.add(kernel)?;
    }
    Ok(container)
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
        ..Kernel::default()
    };
    for Buffer { r#type, size, is_simt_thread } in &info.per_thread_memory_buffers {
        let items = if *is_simt_thread { simd_size } else { 1 };
        let sum = match &**r#type {
            "scratch" => &mut kernel.scratch_bytes,
            "global" => &mut kernel.private_bytes,
            other => {
                kernel.unknown.push(format!("memory of type {}", brief(other)));
                continue;
            }
        };
        *sum = sum.saturating_add(size.saturating_mul(items));
    }
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
    for payload in &info.per_thread_payload_arguments {
        match &*payload.arg_type {
            "local_id" => kernel.local_ids = payload.size / bytes_of_ids,
            other => kernel.unknown.push(brief(other)),
        }
    }
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
        "private_base_stateless" => {
            kernel.parameters.push(Parameter { offset, bytes, holds: Holds::PrivateBase });
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
            kernel.unknown.push(brief(other));
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

#[cfg(test)]
mod tests {
    use super::super::{
        Container, Holds, Kernel, Relocation,
        data::RelocationKind,
        tests::{example, names, survives},
    };

    fn read(bytes: &[u8]) -> Result<Container, String> {
        Container::read(bytes).expect("a container")
    }

    fn look(bytes: &[u8]) -> Kernel {
        read(bytes).expect("a good file").kernel(Some("look")).expect("the kernel").clone()
    }

    /// The file of the examples with bytes changed that stand there once.
    fn changed(old: &[u8], new: &[u8]) -> Vec<u8> {
        let mut bytes = example("data.zebin");
        let places = bytes.windows(old.len()).enumerate().filter(|(_, bytes)| *bytes == old);
        let [at] = places.map(|(at, _)| at).collect::<Vec<_>>()[..] else {
            panic!("{old:?} stands there more or less than once");
        };
        bytes[at..at + new.len()].copy_from_slice(new);
        bytes
    }

    /// The entry of the code for `factor`, the seventh symbol: where it is, of which type and which symbol.
    fn entry(offset: u64, number: u32, symbol: u32) -> Vec<u8> {
        let [number, symbol] = [number, symbol].map(u32::to_le_bytes);
        [&offset.to_le_bytes()[..], &number, &symbol].concat()
    }

    #[test]
    fn constants_and_variables_are_linked() {
        let file = example("data.zebin");
        assert_eq!(names(&read(&file).expect("a good file")), ["look"]);
        let kernel = look(&file);
        assert_eq!(kernel.unknown, [""; 0]);
        let [constants, variables] = &kernel.data[..] else { panic!("{:?}", kernel.data) };
        assert_eq!((constants.bytes.len(), &variables.bytes[..]), (32, &[3, 0, 0, 0][..]));
        let kind = RelocationKind::Address64;
        let in_code = [
            Relocation { offset: 0x48, kind, data: 1, addend: 0 },
            Relocation { offset: 0x128, kind, data: 0, addend: 16 },
        ];
        assert_eq!(kernel.relocations, in_code);
        // Where an entry for data says none, their content is what is added.
        let in_data = [
            Relocation { offset: 16, kind, data: 0, addend: 0 },
            Relocation { offset: 24, kind, data: 0, addend: 8 },
        ];
        assert_eq!(constants.relocations[..], in_data);
        let addresses = [0x1_2000, 0xFFFF_0000_3000];
        let code = kernel.relocated(&addresses);
        assert_eq!(code[0x48..0x50], 0xFFFF_0000_3000_u64.to_le_bytes());
        assert_eq!(code[0x128..0x130], 0x1_2010_u64.to_le_bytes());
        assert_eq!(code[..0x48], kernel.code[..0x48]);
        let data = constants.relocated(&addresses);
        assert_eq!(data[16..24], 0x1_2000_u64.to_le_bytes());
        assert_eq!(data[24..32], 0x1_2008_u64.to_le_bytes());
    }

    #[test]
    fn parts_of_addresses_are_known() {
        let kinds = [(2, RelocationKind::Low32), (3, RelocationKind::High32)];
        for (number, kind) in kinds {
            let kernel = look(&changed(&entry(0x48, 1, 7), &entry(0x48, number, 7)));
            assert_eq!(
                kernel.relocations[0],
                Relocation { offset: 0x48, kind, data: 1, addend: 0 }
            );
        }
    }

    #[test]
    fn what_has_no_address_is_named() {
        let of = |new: &[u8]| look(&changed(&entry(0x48, 1, 7), new)).unknown;
        assert_eq!(
            of(&entry(0x48, 1, 3)),
            ["the address of function Intel_Symbol_Table_Void_Program"]
        );
        assert_eq!(of(&entry(0x48, 9, 7)), ["a relocation of type 9"]);
        assert_eq!(of(&entry(0x48, 1, 99)), ["the address of symbol 99"]);
    }

    #[test]
    fn places_outside_of_code_are_refused() {
        let message = read(&changed(&entry(0x48, 1, 7), &entry(0x1A4, 1, 7))).expect_err("refused");
        assert_eq!(
            message,
            ".rel.text.look: a relocation is at byte 420 of .text.look, of which there are 424"
        );
    }

    /// Scratch space counts by thread, private memory by work item.
    #[test]
    fn memory_of_threads_is_added_up() {
        const INFO: &str = "{name: k, execution_env: {simd_size: 16}, per_thread_memory_buffers: [{type: scratch, \
            usage: spill_fill_space, size: 2048}, {type: global, size: 48, is_simt_thread: true}], \
            payload_arguments: [{arg_type: private_base_stateless, offset: 32, size: 8}], \
            per_thread_payload_arguments: [{arg_type: packed_local_ids, offset: 0, size: 6}]}";
        let info = serde_saphyr::from_str(INFO).expect("a good text");
        let kernel = super::kernel(&info).expect("a kernel");
        assert_eq!((kernel.scratch_bytes, kernel.private_bytes), (2048, 768));
        assert_eq!(kernel.parameters[0].holds, Holds::PrivateBase);
        assert_eq!(kernel.unknown, ["packed_local_ids"]);
    }

    #[test]
    fn no_file_does_harm() {
        survives(&example("data.zebin"));
    }
}
