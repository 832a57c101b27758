//! Files that hold kernels or shaders, whatever their form: one module reads each.

mod aub;
mod batch;
mod cursor;
mod data;
mod dpm4;
mod error_state;
mod gx2;
mod mesa_dump;
mod patch_tokens;
mod r600;
mod zebin;

use std::fmt;

use object::{Endian as _, Endianness, elf, read::elf::FileHeader as _};
use parallax_isa::{Device, r700::case::ProgramType};

pub(crate) use self::data::{Data, Relocation};
use crate::{
    output::{grouped, quoted},
    recorded::{self, Recorded},
};

/// The machine of device binaries.
const INTEL_GPU: elf::Machine = elf::Machine(205);

/// Bytes of the shortest instruction.
const COMPACT_BYTES: usize = 8;

/// A kernel, and what has to be in its registers before its first instruction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    /// Machine code, without the padding behind it.
    pub(crate) code: Vec<u8>,
    /// The kind of a program of R700, if the file says it.
    pub(crate) program_type: Option<ProgramType>,
    /// Work items of a thread; 0 if the file does not say how the kernel is launched.
    pub(crate) lanes: usize,
    /// What the numbers of the work items of a thread within their group are given in: dimensions.
    pub(crate) local_ids: usize,
    /// Bytes of the data that all threads get.
    pub(crate) cross_thread_bytes: usize,
    /// What is in it.
    pub(crate) parameters: Vec<Parameter>,
    /// The arguments, in their order.
    pub(crate) arguments: Vec<Argument>,
    /// Whether the threads of a group wait for each other.
    pub(crate) has_barriers: bool,
    /// Bytes of shared local memory, without those of arguments.
    pub(crate) local_bytes: usize,
    /// Bytes of scratch space of each thread, which the header of a thread locates: spilled registers, and private
    /// memory if the compiler puts it there.
    pub(crate) scratch_bytes: usize,
    /// Bytes of private memory of each thread, all lanes together, behind [`Holds::PrivateBase`].
    pub(crate) private_bytes: usize,
    /// Constants and variables of the program.
    pub(crate) data: Vec<Data>,
    /// Their addresses in its code.
    pub(crate) relocations: Vec<Relocation>,
    /// What else it needs to be given that is not known here.
    pub(crate) unknown: Vec<String>,
    /// What a recording has of the state in which it ran.
    pub(crate) recorded: Box<Recorded>,
}

/// An argument of a kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Argument {
    /// Its name, if the file says it.
    pub(crate) name: String,
    /// Its type as the source has it, if the file says it.
    pub(crate) type_name: String,
    pub(crate) kind: ArgumentKind,
}

/// How an argument reaches a kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ArgumentKind {
    /// By value: so many bytes.
    Value { bytes: usize },
    /// A buffer, by its index in the binding table if it has one.
    Buffer { binding: Option<usize> },
    /// A run of shared local memory whose first byte is a multiple of a number.
    Local { alignment: usize },
    /// What this program does not know, such as an image.
    #[default]
    Other,
}

impl fmt::Display for ArgumentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value { bytes } => write!(f, "a value of {bytes} bytes"),
            Self::Buffer { binding: Some(binding) } => {
                write!(f, "a buffer, index {binding} of the binding table")
            }
            Self::Buffer { binding: None } => f.write_str("a buffer"),
            Self::Local { .. } => f.write_str("shared local memory"),
            Self::Other => f.write_str("not supported"),
        }
    }
}

/// Bytes of the data that all threads get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// The first of them.
    pub(crate) offset: usize,
    /// How many there are.
    pub(crate) bytes: usize,
    pub(crate) holds: Holds,
}

/// What they hold. Dimensions are numbered from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// Bytes of an argument from one on.
    Value { argument: usize, from: usize },
    /// The address of a buffer, or the offset of a run of shared local memory.
    Address { argument: usize },
    /// The number of the first work item.
    GlobalOffset(usize),
    /// Work items of a group.
    LocalSize(usize),
    /// Work items of all groups.
    GlobalSize(usize),
    /// Groups.
    Groups(usize),
    /// How many dimensions there are.
    Dimensions,
    /// Zero: the offset of a buffer within its surface.
    Zero,
    /// The address of the private memory of all threads.
    PrivateBase,
    /// The address of data of the program, by their number.
    DataAddress(usize),
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Container {
    /// The name of its form.
    pub(crate) form: &'static str,
    /// What it was compiled for, if that is one of the devices here.
    pub(crate) device: Option<Device>,
    pub(crate) kernels: Vec<Kernel>,
    /// Bytes of the state of all of them.
    state: usize,
}

/// Largest file that is read.
pub(crate) const LARGEST: u64 = 256 << 20;

/// The forms: what tells one by its first bytes, and what reads it.
type Form = (fn(&[u8]) -> bool, fn(&[u8]) -> Result<Container, String>);
const FORMS: [Form; 8] = [
    (patch_tokens::begins, patch_tokens::read),
    (gx2::begins, gx2::read),
    (dpm4::begins, dpm4::read),
    (aub::begins, aub::read),
    (r600::begins, r600::read),
    (|bytes| bytes.starts_with(&elf::ELFMAG), Container::of_elf),
    (error_state::begins, error_state::read),
    (mesa_dump::begins, mesa_dump::read),
];

/// A kernel that Intel's compiler adds to a program with symbols; it does nothing.
const KERNEL_OF_SYMBOLS: &str = "Intel_Symbol_Table_Void_Program";

/// Most kernels of a file.
const MOST_KERNELS: usize = 65_536;

/// Most bytes of machine code of a file in which kernels may share bytes.
const MOST_CODE: usize = 64 << 20;

impl Container {
    /// A file without kernels.
    fn new(form: &'static str, device: Option<Device>) -> Self {
        Self { form, device, kernels: Vec::new(), state: 0 }
    }

    /// Adds a kernel.
    fn add(&mut self, kernel: Kernel) -> Result<(), String> {
        if self.kernels.len() >= MOST_KERNELS {
            let most = grouped(MOST_KERNELS as u64);
            return Err(format!("holds too many kernels; expected at most {most}"));
        }
        self.state += kernel.recorded.bytes();
        self.kernels.push(kernel);
        Ok(())
    }

    /// Whether there is memory for the state of another kernel.
    fn has_room_for_state(&self) -> bool {
        self.state < recorded::MOST_STATE
    }

    /// Whether a file with such first bytes is one of these.
    pub(crate) fn begins(head: &[u8]) -> bool {
        FORMS.iter().any(|(begins, _)| begins(head))
    }

    /// Reads a file; `None` if it is none of these.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub(crate) fn read(bytes: &[u8]) -> Option<Result<Self, String>> {
        FORMS.iter().find(|(begins, _)| begins(bytes)).map(|(_, read)| read(bytes))
    }

    fn of_elf(bytes: &[u8]) -> Result<Self, String> {
        let header = elf::FileHeader64::<Endianness>::parse(bytes).map_err(|e| e.to_string())?;
        let endian = header.endian().map_err(|error| error.to_string())?;
        if endian.is_big_endian() {
            return Err("is a big-endian ELF file, which holds no kernels".to_owned());
        }
        let sections = header.sections(endian, bytes).map_err(|error| error.to_string())?;
        match header.e_machine(endian) {
            INTEL_GPU => zebin::read(endian, bytes, &sections),
            elf::EM_NONE => {
                let is_program = |section: &&elf::SectionHeader64<Endianness>| {
                    section.sh_type.get(endian) == patch_tokens::SECTION
                };
                let section = sections.iter().find(is_program);
                let section = section.ok_or("is an ELF file without a device binary")?;
                let program = section_data(endian, bytes, section)?;
                patch_tokens::read(program)
            }
            machine => Err(format!(
                "is an ELF file for machine {machine}, not for one of Intel's GPUs (205, or 0 around a device binary) or an R700"
            )),
        }
    }

    /// The kernel of a name, or the only one.
    ///
    /// # Errors
    /// Which there are, if it is none of them.
    pub(crate) fn kernel(&self, name: Option<&str>) -> Result<&Kernel, String> {
        let names = || {
            /// Names that are listed.
            const LISTED: usize = 12;
            let names = self.kernels.iter().take(LISTED).map(|kernel| quoted(&kernel.name));
            let mut list = names.collect::<Vec<_>>().join(", ");
            if let Some(more) = self.kernels.len().checked_sub(LISTED).filter(|more| *more > 0) {
                list += &format!(" and {more} more");
            }
            list
        };
        match (name, &self.kernels[..]) {
            (_, []) => Err("holds no kernels".to_owned()),
            (None, [only]) => Ok(only),
            (None, _) => Err(format!("holds several kernels: give --kernel one of {}", names())),
            (Some(name), kernels) => kernels
                .iter()
                .find(|kernel| kernel.name == name)
                .ok_or_else(|| format!("has no kernel {name}; there are {}", names())),
        }
    }

    /// Refuses a device that it was not compiled for.
    ///
    /// # Errors
    /// What it was compiled for.
    pub(crate) fn only_for(&self, device: Device) -> Result<(), String> {
        match self.device {
            Some(own) if own != device => Err(format!("was compiled for {own}, not {device}")),
            _ => Ok(()),
        }
    }
}

/// What a section of an ELF file holds.
fn section_data<'d>(
    endian: Endianness,
    bytes: &'d [u8],
    section: &elf::SectionHeader64<Endianness>,
) -> Result<&'d [u8], String> {
    use object::read::elf::SectionHeader as _;
    section.data(endian, bytes).map_err(|error| error.to_string())
}

/// Machine code without the zeros behind its last instruction.
fn without_padding(code: &[u8]) -> Vec<u8> {
    let used = code.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    code[..used.next_multiple_of(COMPACT_BYTES).min(code.len())].to_vec()
}

/// Most arguments of a kernel: OpenCL asks for 1,024 bytes of them, and compilers stop far below that.
const MOST_ARGUMENTS: usize = 4096;

impl Kernel {
    /// A program of R700.
    fn of_r700(name: String, code: Vec<u8>, program_type: Option<ProgramType>) -> Self {
        Self { name, code, program_type, ..Self::default() }
    }

    /// Whether the file says how it is launched: its work items and arguments.
    pub(crate) fn has_launch(&self) -> bool {
        self.lanes > 0
    }

    /// Bytes of constants and variables.
    pub(crate) fn data_bytes(&self) -> usize {
        self.data.iter().map(|data| data.bytes.len()).sum()
    }

    /// The code with addresses filled in: `addresses[n]` is where the data of number `n` were placed.
    pub(crate) fn relocated(&self, addresses: &[u64]) -> Vec<u8> {
        data::relocated(&self.code, &self.relocations, addresses)
    }

    /// An argument by its number; those before it that are not known yet are [`ArgumentKind::Other`].
    fn argument(&mut self, number: usize) -> Result<&mut Argument, String> {
        if number >= MOST_ARGUMENTS {
            return Err(format!("names argument {number}; a kernel has at most {MOST_ARGUMENTS}"));
        }
        if number >= self.arguments.len() {
            self.arguments.resize_with(number + 1, Argument::default);
        }
        Ok(&mut self.arguments[number])
    }

    /// Takes up the name and the type of an argument. Behind the type stands its size; the data that all threads get
    /// may have more bytes of it.
    fn describe(&mut self, number: usize, name: &str, type_text: &str) -> Result<(), String> {
        let argument = self.argument(number)?;
        let (type_name, size) = type_text.split_once(';').unwrap_or((type_text, ""));
        (argument.name, argument.type_name) = (name.to_owned(), type_name.to_owned());
        if let ArgumentKind::Value { bytes } = &mut argument.kind {
            *bytes = size.parse().unwrap_or(*bytes);
        }
        Ok(())
    }

    /// Some bytes of an argument by value, from one on: a vector or a structure may come in pieces.
    fn value(&mut self, argument: usize, from: usize, bytes: usize) -> Result<Holds, String> {
        let kind = &mut self.argument(argument)?.kind;
        let before = match *kind {
            ArgumentKind::Value { bytes } => bytes,
            _ => 0,
        };
        *kind = ArgumentKind::Value { bytes: before.max(from.saturating_add(bytes)) };
        Ok(Holds::Value { argument, from })
    }
}

/// Recordings as their forms are described.
#[cfg(test)]
#[path = "../tests/common/recorder.rs"]
mod recorder;

#[cfg(test)]
mod tests {
    use super::{ArgumentKind, Container, Kernel, recorder};

    /// A byte takes a word in the data that all threads get.
    #[test]
    fn values_are_as_large_as_their_type() {
        let mut kernel = Kernel::default();
        for (number, text, bytes) in [(0, "char;1", 1), (1, "char3;4", 4), (2, "char", 4)] {
            kernel.value(number, 0, 4).expect("a value");
            kernel.describe(number, "k", text).expect("an argument");
            assert_eq!(kernel.arguments[number].kind, ArgumentKind::Value { bytes });
        }
        assert_eq!(kernel.arguments[0].type_name, "char");
    }

    /// A file of the examples.
    pub(super) fn example(name: &str) -> Vec<u8> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/containers");
        let path = format!("{folder}/{name}");
        std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// The names of kernels.
    pub(super) fn names(container: &Container) -> Vec<&str> {
        container.kernels.iter().map(|kernel| kernel.name.as_str()).collect()
    }

    /// The kernel reads and samples.
    #[test]
    fn no_recording_does_harm() {
        let sends = [
            0x0A60_0031,
            0x22A0_0208,
            0x0600_0280,
            0x0218_0200,
            0x0260_0031,
            0x23C0_0208,
            0x0600_02C0,
            0x0442_0103,
            0x0760_0031,
            0x2000_0200,
            0x0600_0FE0,
            0x8200_0010_u32,
        ];
        let code: Vec<u8> = sends.into_iter().flat_map(u32::to_le_bytes).collect();
        let recording = recorder::Recording::compute(&code);
        for file in [recording.aub(), recording.error_state().into_bytes()] {
            let container = Container::read(&file).expect("a form").expect("a recording");
            let recorded = &container.kernels[0].recorded;
            assert_eq!((recorded.surfaces.len(), recorded.samplers.len()), (2, 1), "{recorded:?}");
            survives(&file);
        }
    }

    /// Reads a file cut off anywhere, and with each of its bytes and words changed.
    pub(super) fn survives(whole: &[u8]) {
        let read = |bytes: &[u8]| {
            if let Some(Err(message)) = Container::read(bytes) {
                assert!(!message.is_empty());
            }
        };
        for length in 0..whole.len() {
            read(&whole[..length]);
        }
        for at in 0..whole.len() {
            for value in [0, 0xFF, 0x7F, 0x80, !whole[at], whole[at] ^ 1, whole[at] ^ 0x20] {
                let mut bytes = whole.to_vec();
                bytes[at] = value;
                read(&bytes);
            }
            let mut bytes = whole.to_vec();
            let end = whole.len().min(at + 4);
            bytes[at..end].fill(0xFF);
            read(&bytes);
        }
    }
}
