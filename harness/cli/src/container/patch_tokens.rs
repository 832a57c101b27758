//! Programs with patch tokens, as `ocloc --format patchtokens` writes them: a header, then of each kernel a header, its
//! name, its heaps and a list of tokens, which say what its registers have to hold.

mod program;

use object::elf;
use parallax_isa::Device;

use self::program::{Memory, Program, Reference};
use super::{
    ArgumentKind, Container, Holds, KERNEL_OF_SYMBOLS, Kernel, MOST_KERNELS, Parameter,
    cursor::Cursor,
};

/// The type of the ELF section that holds such a program.
pub(super) const SECTION: elf::SectionType = elf::SectionType(0xFF00_0005);

/// What a program begins with.
const MAGIC: [u8; 4] = *b"CTNI";

/// What a core family is called here.
const FAMILIES: [(u32, Device); 2] = [(12, Device::Skl), (18, Device::Dg1)];

/// Bytes of an entry of the surface state heap.
const SURFACE_STATE: usize = 64;

/// Tokens of a kernel.
mod token {
    pub(super) const LOCAL_SURFACE: u32 = 15;
    pub(super) const PARAMETER: u32 = 17;
    pub(super) const SCRATCH: u32 = 18;
    pub(super) const THREAD_PAYLOAD: u32 = 22;
    pub(super) const ENVIRONMENT: u32 = 23;
    pub(super) const STREAM: u32 = 25;
    pub(super) const ARGUMENT_INFO: u32 = 26;
    pub(super) const BUFFER: u32 = 30;
    pub(super) const CONSTANT_BUFFER: u32 = 31;
    pub(super) const PRIVATE: u32 = 38;
    pub(super) const GLOBALS: u32 = 43;
    pub(super) const CONSTANTS: u32 = 44;
    pub(super) const SYMBOLS: u32 = 53;
    pub(super) const RELOCATIONS: u32 = 54;
    pub(super) const SECOND_SCRATCH: u32 = 55;
    /// What says nothing about registers here: the binding table's size, interface descriptors, heaps, attributes.
    pub(super) const WITHOUT_MEANING: [u32; 4] = [8, 19, 21, 27];
    /// What is not known here, and its name.
    pub(super) const NAMES: [(u32, &str); 8] = [
        (9, "scratch surface"),
        (12, "image"),
        (16, "sampler"),
        (24, "private surface"),
        (28, "text of printf"),
        (33, "buffer of printf"),
        (36, "event pool"),
        (46, "device queue"),
    ];
}

/// Whether bytes are such a program.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Reads a program.
pub(super) fn read(bytes: &[u8]) -> Result<Container, String> {
    let mut cursor = Cursor::new(bytes);
    if cursor.take(4, "the magic number")? != MAGIC {
        return Err("the device binary does not begin with CTNI".to_owned());
    }
    let [_version, family, _pointer, kernels, _stepping, patches] = cursor.words("the header")?;
    if kernels as usize > MOST_KERNELS {
        return Err(format!("has {kernels} kernels; expected at most {MOST_KERNELS}"));
    }
    let mut program =
        Program::read(cursor.take(patches as usize, "the patch list of the program")?)?;
    let device = FAMILIES.iter().find(|(known, _)| *known == family).map(|(_, device)| *device);
    let kernels: Result<Vec<_>, _> =
        (0..kernels).map(|_| Reader::read(&mut cursor, &mut program)).collect();
    // A kernel may name what another one lists.
    let kernels = kernels?.into_iter().filter(|it| it.kernel.name != KERNEL_OF_SYMBOLS);
    let kernels = kernels.map(|reader| reader.finish(&program));
    let kernels = kernels.collect::<Result<_, _>>()?;
    Ok(Container { kernels, ..Container::new("patch tokens", device) })
}

/// The next token: its number and what it says.
fn token<'b>(tokens: &mut Cursor<'b>) -> Result<(u32, &'b [u8]), String> {
    let [number, size] = tokens.words("a token")?;
    let size = (size as usize).checked_sub(8).ok_or("a token is shorter than its header")?;
    Ok((number, tokens.take(size, "a token")?))
}

/// The first words of what a token says.
fn words<const N: usize>(number: u32, payload: &[u8]) -> Result<[usize; N], String> {
    let (words, _) = payload.as_chunks::<4>();
    let words: &[_; N] = words.first_chunk().ok_or_else(|| {
        let bytes = payload.len();
        format!("patch token {number} has {bytes} bytes; expected at least {}", 4 * N)
    })?;
    Ok(words.map(|word| u32::from_le_bytes(word) as usize))
}

/// The index in the binding table of a surface, if it has one.
fn binding(surface: usize) -> Option<usize> {
    (surface != u32::MAX as usize).then_some(surface / SURFACE_STATE)
}

/// A kernel, and what of it needs all of the file.
#[derive(Default)]
struct Reader {
    kernel: Kernel,
    /// Bytes of private memory, and whether they are those of a work item instead of a thread.
    private: usize,
    private_of_items: bool,
    references: Vec<Reference>,
}

impl Reader {
    fn read(cursor: &mut Cursor<'_>, program: &mut Program) -> Result<Self, String> {
        cursor.take(12, "checksum and hash of a kernel")?;
        let sizes: [u32; 7] = cursor.words("the header of a kernel")?;
        let [name, patches, code, general, dynamic, surfaces, unpadded] = sizes.map(|n| n as usize);
        let name = text(cursor.take(name, "the name of a kernel")?);
        let code = cursor.take(code, "the code of a kernel")?;
        let heaps = general.saturating_add(dynamic).saturating_add(surfaces);
        cursor.take(heaps, "the heaps of a kernel")?;
        let patches = cursor.take(patches, "the patch list of a kernel")?;
        let code = code.get(..unpadded).ok_or("a kernel is longer than its heap")?.to_vec();
        let kernel = Kernel { name, code, data: program.data(), ..Kernel::default() };
        let mut reader = Self { kernel, ..Self::default() };
        let mut tokens = Cursor::new(patches);
        while !tokens.is_at_end() {
            let (number, payload) = token(&mut tokens)?;
            reader.patch(program, number, payload)?;
        }
        Ok(reader)
    }

    /// The kernel, once the symbols of all kernels are known.
    fn finish(self, program: &Program) -> Result<Kernel, String> {
        let Self { mut kernel, private, private_of_items, references } = self;
        let items = if private_of_items { kernel.lanes } else { 1 };
        kernel.private_bytes = private.saturating_mul(items);
        program.link_kernel(&mut kernel, &references)?;
        Ok(kernel)
    }

    /// Takes up what a token says.
    fn patch(&mut self, program: &mut Program, number: u32, payload: &[u8]) -> Result<(), String> {
        let kernel = &mut self.kernel;
        match number {
            token::SCRATCH | token::SECOND_SCRATCH => {
                let [_offset, bytes] = words(number, payload)?;
                kernel.scratch_bytes = kernel.scratch_bytes.saturating_add(bytes);
            }
            token::PRIVATE => {
                let [_surface, offset, bytes, private, of_items] = words(number, payload)?;
                (self.private, self.private_of_items) = (private, of_items != 0);
                kernel.parameters.push(Parameter { offset, bytes, holds: Holds::PrivateBase });
            }
            token::LOCAL_SURFACE => [_, kernel.local_bytes] = words(number, payload)?,
            token::STREAM => [kernel.cross_thread_bytes] = words(number, payload)?,
            token::THREAD_PAYLOAD => {
                let [_header, x, y, z, flattened] = words(number, payload)?;
                kernel.local_ids = [x, y, z].iter().filter(|present| **present != 0).count();
                if flattened != 0 {
                    kernel.unknown.push("local ids in one number".to_owned());
                }
            }
            token::ENVIRONMENT => {
                let [_, _, _, lanes, _, barriers] = words(number, payload)?;
                (kernel.lanes, kernel.has_barriers) = (lanes, barriers != 0);
            }
            token::BUFFER | token::CONSTANT_BUFFER => {
                let [argument, surface, offset, bytes] = words(number, payload)?;
                let binding = binding(surface);
                kernel.argument(argument)?.kind = ArgumentKind::Buffer { binding };
                let holds = Holds::Address { argument };
                kernel.parameters.push(Parameter { offset, bytes, holds });
            }
            token::GLOBALS | token::CONSTANTS => {
                let memory = match number {
                    token::GLOBALS => Memory::Globals,
                    _ => Memory::Constants,
                };
                let [index, surface, offset, bytes] = words(number, payload)?;
                match program.number(memory).filter(|_| index == 0) {
                    Some(data) => {
                        kernel.data[data].binding = binding(surface);
                        let holds = Holds::DataAddress(data);
                        kernel.parameters.push(Parameter { offset, bytes, holds });
                    }
                    None => kernel.unknown.push("data that the program does not have".to_owned()),
                }
            }
            token::SYMBOLS => program.take_symbols(payload)?,
            token::RELOCATIONS => self.references.extend(program::references(payload)?),
            token::PARAMETER => parameter(kernel, words(number, payload)?)?,
            token::ARGUMENT_INFO => argument_info(kernel, payload)?,
            other if token::WITHOUT_MEANING.contains(&other) => {}
            // Images and the like: without them the kernel computes something else.
            other => {
                let name = token::NAMES.iter().find(|(number, _)| *number == other);
                let name = name.map_or(String::new(), |(_, name)| format!(" ({name})"));
                kernel.unknown.push(format!("patch token {other}{name}"));
            }
        }
        Ok(())
    }
}

/// Takes up the name and the type of an argument.
fn argument_info(kernel: &mut Kernel, payload: &[u8]) -> Result<(), String> {
    let [number, address, access, name, of] = words(token::ARGUMENT_INFO, payload)?;
    let mut cursor = Cursor { bytes: payload, at: 24 };
    let mut skip = address.saturating_add(access);
    let mut next = |length: usize| {
        cursor.take(std::mem::take(&mut skip), "an argument")?;
        cursor.take(length, "an argument").map(text)
    };
    let (name, of) = (next(name)?, next(of)?);
    kernel.describe(number, &name, &of)
}

/// Takes up what bytes of the data of all threads hold.
fn parameter(
    kernel: &mut Kernel,
    [kind, argument, offset, bytes, from]: [usize; 5],
) -> Result<(), String> {
    let dimension = from / 4;
    let holds = match kind {
        1 => kernel.value(argument, from, bytes)?,
        2 | 28 => Holds::LocalSize(dimension),
        3 => Holds::GlobalSize(dimension),
        4 => Holds::Groups(dimension),
        5 => Holds::Dimensions,
        8 => {
            kernel.argument(argument)?.kind = ArgumentKind::Local { alignment: from.max(1) };
            Holds::Address { argument }
        }
        16 => Holds::GlobalOffset(dimension),
        42 => Holds::Zero,
        43 => Holds::Address { argument },
        _ => {
            kernel.unknown.push(format!("data of type {kind}"));
            return Ok(());
        }
    };
    kernel.parameters.push(Parameter { offset, bytes, holds });
    Ok(())
}

/// The text before the zeros that end it.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
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

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn token(number: u32, payload: &[u8]) -> Vec<u8> {
        [bytes(&[number, payload.len() as u32 + 8]), payload.to_vec()].concat()
    }

    /// A program of kernels of 16 bytes of code each, with tokens.
    fn program(tokens: &[u8], kernels: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let mut file = b"CTNI".to_vec();
        file.extend(bytes(&[1081, 12, 8, kernels.len() as u32, 9, tokens.len() as u32]));
        file.extend(tokens);
        for (name, tokens) in kernels {
            file.extend([0; 12]);
            file.extend(bytes(&[name.len() as u32, tokens.len() as u32, 16, 0, 0, 0, 16]));
            file.extend([name.as_bytes(), &[0x40; 16], tokens].concat());
        }
        file
    }

    fn symbol(name: &str) -> Vec<u8> {
        let mut symbol = name.as_bytes().to_vec();
        symbol.resize(1024, 0);
        symbol
    }

    /// Constants of which the last eight bytes hold an address in them.
    fn constants() -> Vec<u8> {
        [token(42, &bytes(&[0, 16])), bytes(&[7, 7, 4, 0]), token(48, &bytes(&[0, 8, 0, 1, 0]))]
            .concat()
    }

    fn first(file: &[u8]) -> Kernel {
        read(file).expect("a good file").kernels.remove(0)
    }

    #[test]
    fn constants_and_variables_have_an_index_and_an_address() {
        let file = read(&example("data.tokens")).expect("a good file");
        assert_eq!(names(&file), ["look"]);
        let kernel = &file.kernels[0];
        assert_eq!(kernel.unknown, [""; 0]);
        let [constants, variables] = &kernel.data[..] else { panic!("{:?}", kernel.data) };
        assert_eq!((constants.binding, variables.binding), (Some(1), Some(2)));
        assert_eq!((constants.bytes.len(), &variables.bytes[..]), (32, &[3, 0, 0, 0][..]));
        let holds =
            |holds| kernel.parameters.iter().find(|it| it.holds == holds).map(|it| it.offset);
        assert_eq!([0, 1].map(|data| holds(Holds::DataAddress(data))), [Some(40), Some(48)]);
        let data = constants.relocated(&[0x7000, 0]);
        assert_eq!(data[16..24], 0x7000_u64.to_le_bytes());
        assert_eq!(data[24..32], 0x7008_u64.to_le_bytes());
    }

    /// The names that the code of a kernel refers to stand with another kernel.
    #[test]
    fn addresses_of_symbols_are_filled_in() {
        let list =
            |kind: u32, name: &str| token(53, &[bytes(&[1, kind, 12, 4]), symbol(name)].concat());
        let places = [bytes(&[2, 2, 0]), symbol("c"), bytes(&[3, 4]), symbol("c")].concat();
        let file = |kind, name| {
            let kernels = [("k", token(54, &places)), (super::KERNEL_OF_SYMBOLS, list(kind, name))];
            program(&constants(), &kernels)
        };
        let kernel = first(&file(4, "c"));
        let at = |offset, kind| Relocation { offset, kind, data: 0, addend: 12 };
        assert_eq!(
            kernel.relocations,
            [at(0, RelocationKind::Low32), at(4, RelocationKind::High32)]
        );
        assert_eq!(kernel.relocated(&[0x5_0000_0000])[..8], bytes(&[12, 5])[..]);
        assert_eq!(first(&file(2, "c")).unknown[0], "the address of function c");
        assert_eq!(first(&file(3, "c")).unknown[0], "the address of c");
        assert_eq!(first(&file(4, "d")).unknown[0], "the address of c");
    }

    #[test]
    fn memory_of_threads_is_added_up() {
        let mut environment = [0; 8];
        environment[3] = 16;
        let tokens = [
            token(18, &bytes(&[0, 4096])),
            token(38, &bytes(&[64, 48, 8, 24, 1])),
            token(23, &bytes(&environment)),
        ];
        let kernel = first(&program(&[], &[("k", tokens.concat())]));
        assert_eq!((kernel.scratch_bytes, kernel.private_bytes), (4096, 384));
        assert_eq!(
            (kernel.parameters[0].offset, kernel.parameters[0].holds),
            (48, Holds::PrivateBase)
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let of_program = |tokens: &[u8]| read(&program(tokens, &[])).expect_err("refused");
        let of_kernel = |tokens: Vec<u8>| read(&program(&constants(), &[("k", tokens)]));
        let twice = [constants(), constants()].concat();
        assert!(of_program(&twice).contains("more than one block"), "{}", of_program(&twice));
        let long = token(42, &bytes(&[0, u32::MAX]));
        assert!(of_program(&long).contains("the data of the program"), "{}", of_program(&long));
        let outside = [constants(), token(48, &bytes(&[0, 9, 0, 1, 0]))].concat();
        assert_eq!(
            of_program(&outside),
            "a relocation is at byte 9 of the data of the program, of which there are 16"
        );
        let short = of_kernel(token(38, &[0; 4])).expect_err("refused");
        assert_eq!(short, "patch token 38 has 4 bytes; expected at least 20");
        let few = of_kernel(token(54, &bytes(&[9]))).expect_err("refused");
        assert!(few.contains("ends within relocations"), "{few}");
        let unknown =
            of_kernel(token(33, &[0; 16])).expect("a good file").kernels.remove(0).unknown;
        assert_eq!(unknown, ["patch token 33 (buffer of printf)"]);
    }

    #[test]
    fn no_file_does_harm() {
        survives(&example("data.tokens"));
    }
}
