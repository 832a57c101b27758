//! Objects of LLVM's R600 back end: machine code in `.text`, a symbol for each program.

use object::{
    Endianness, elf,
    read::elf::{FileHeader as _, SectionHeader as _, Sym as _},
};
use parallax_isa::{Device, r700::case::ProgramType};

use super::{Container, Kernel, MOST_CODE};

/// The section of machine code.
const CODE: &[u8] = b".text";
/// The section of registers and their values, those of each program after the other.
const REGISTERS: &[u8] = b".AMDGPU.config";

/// The registers of programs' resources, which tell their kinds.
const RESOURCES: [(u32, ProgramType); 2] =
    [(0x0002_8850, ProgramType::Pixel), (0x0002_8868, ProgramType::Vertex)];

/// Processors by their number in the flags; R700 are those from `rv710` on to `rv770`.
const PROCESSORS: [&str; 16] = [
    "r600", "r630", "rs880", "rv670", "rv710", "rv730", "rv770", "cedar", "cypress", "juniper",
    "redwood", "sumo", "barts", "caicos", "cayman", "turks",
];
const PROCESSOR_FLAGS: u32 = 0xFF;
const R700: [&str; 3] = ["rv710", "rv730", "rv770"];

/// Whether an ELF file has words of 32 bits.
pub(super) fn begins(bytes: &[u8]) -> bool {
    /// The place of the class.
    const CLASS: usize = 4;
    bytes.starts_with(&elf::ELFMAG) && bytes.get(CLASS) == Some(&elf::ELFCLASS32.0)
}

/// Reads an object.
pub(super) fn read(bytes: &[u8]) -> Result<Container, String> {
    let header = elf::FileHeader32::<Endianness>::parse(bytes).map_err(|e| e.to_string())?;
    let endian = header.endian().map_err(|error| error.to_string())?;
    let machine = header.e_machine(endian);
    if machine != elf::EM_AMDGPU {
        return Err(format!(
            "is an ELF file of 32 bits for machine {machine}; expected one of AMD's GPUs (224)"
        ));
    }
    let device = device(header.e_flags(endian).0)?;
    let sections = header.sections(endian, bytes).map_err(|error| error.to_string())?;
    let code = sections.section_by_name(endian, CODE).ok_or("is an object without .text")?;
    let (index, section) = code;
    let code = section.data(endian, bytes).map_err(|error| format!(".text: {error}"))?;
    let symbols = sections
        .symbols(endian, bytes, elf::SHT_SYMTAB)
        .map_err(|error| format!("symbols: {error}"))?;
    let mut programs = Vec::new();
    for symbol in symbols.iter() {
        let is_program =
            symbol.st_type() == elf::STT_FUNC && usize::from(symbol.st_shndx(endian).0) == index.0;
        if is_program {
            let name = symbols.symbol_name(endian, symbol).map_err(|error| error.to_string())?;
            let name = String::from_utf8_lossy(name).into_owned();
            programs.push((symbol.st_value(endian), symbol.st_size(endian), name));
        }
    }
    if programs.is_empty() {
        programs.push((0, code.len() as u32, "text".to_owned()));
    }
    programs.sort();
    let registers = sections.section_by_name(endian, REGISTERS);
    let registers = registers.and_then(|(_, section)| section.data(endian, bytes).ok());
    let kinds = kinds(registers.unwrap_or_default());
    let mut container = Container::new("r600 elf", device);
    let mut total = 0_usize;
    for (number, (at, size, name)) in programs.iter().enumerate() {
        let (start, length) = (*at as usize, *size as usize);
        let code = code.get(start..start.saturating_add(length)).ok_or_else(|| {
            format!(
                "program {name} has {length} bytes at byte {start} of .text, which has {}",
                code.len()
            )
        })?;
        // Symbols may stand for the same bytes: together they must not take the memory of many objects.
        total = total.saturating_add(length);
        if total > MOST_CODE {
            return Err(format!("names programs of more than {} MiB", MOST_CODE >> 20));
        }
        let kind = if kinds.len() == programs.len() { Some(kinds[number]) } else { None };
        container.add(Kernel::of_r700(name.clone(), code.to_vec(), kind))?;
    }
    Ok(container)
}

/// The kinds of the programs whose registers a section has.
fn kinds(registers: &[u8]) -> Vec<ProgramType> {
    let (words, _) = registers.as_chunks::<4>();
    let (pairs, _) = words.as_chunks::<2>();
    let kind = |[register, _]: &[[u8; 4]; 2]| {
        let register = u32::from_le_bytes(*register);
        RESOURCES.iter().find(|(known, _)| *known == register).map(|(_, kind)| *kind)
    };
    pairs.iter().filter_map(kind).collect()
}

/// The device that flags name; `None` if they name no processor.
fn device(flags: u32) -> Result<Option<Device>, String> {
    let Some(number) = (flags & PROCESSOR_FLAGS).checked_sub(1) else { return Ok(None) };
    match PROCESSORS.get(number as usize) {
        Some(name) if R700.contains(name) => Ok(Some(Device::Rv770)),
        name => {
            let name = name.copied().unwrap_or("an unknown processor");
            Err(format!("was compiled for {name}; expected one of {}", R700.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::tests::{example, names, survives};

    /// Where the example has the flags of its header, and the size of its first symbol.
    const FLAGS: usize = 0x24;
    const SYMBOL_SIZE: usize = 0x270 + 16 + 8;
    const SYMBOL_TYPE: usize = 0x270 + 16 + 12;

    #[test]
    fn symbols_name_programs() {
        let container = read(&example("shaders.o")).expect("an object");
        assert_eq!(names(&container), ["scale", "place"]);
        let kernels = container.kernels.iter();
        let found: Vec<_> = kernels.map(|it| (it.code.len(), it.program_type)).collect();
        assert_eq!(found, [(96, Some(ProgramType::Pixel)), (80, Some(ProgramType::Vertex))]);
        assert_eq!(container.device, Some(Device::Rv770));
    }

    #[test]
    fn without_symbols_there_is_one_program() {
        let mut object = example("shaders.o");
        object[SYMBOL_TYPE] = 0;
        object[SYMBOL_TYPE + 16] = 0;
        object[FLAGS] = 0;
        let container = read(&object).expect("an object");
        assert_eq!(names(&container), ["text"]);
        assert_eq!(container.device, None);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let changed = |at: usize, value| {
            let mut object = example("shaders.o");
            object[at] = value;
            read(&object).expect_err("another object")
        };
        assert_eq!(
            changed(FLAGS, 8),
            "was compiled for cedar; expected one of rv710, rv730, rv770"
        );
        let size = changed(SYMBOL_SIZE + 3, 0xFF);
        assert!(
            size.starts_with("program scale has 4278190176 bytes at byte 0 of .text"),
            "{size}"
        );
        assert!(changed(0x12, 62).contains("for machine 62; expected one of AMD's GPUs (224)"));
    }

    #[test]
    fn no_file_does_harm() {
        survives(&example("shaders.o"));
    }
}
