//! Programs with patch tokens, as `ocloc --format patchtokens` writes them: a header, then of each kernel a header, its
//! name, its heaps and a list of tokens, which say what its registers have to hold.

use object::elf;
use parallax_isa::Device;

use super::{ArgumentKind, Container, Holds, Kernel, Parameter, cursor::Cursor, type_name};

/// The type of the ELF section that holds such a program.
pub(super) const SECTION: elf::SectionType = elf::SectionType(0xFF00_0005);

/// What a program begins with.
const MAGIC: [u8; 4] = *b"CTNI";

/// What a core family is called here.
const FAMILIES: [(u32, Device); 2] = [(12, Device::Skl), (18, Device::Dg1)];

/// Bytes of an entry of the surface state heap.
const SURFACE_STATE: usize = 64;

/// Tokens.
mod token {
    pub(super) const SCRATCH: u32 = 9;
    pub(super) const LOCAL_SURFACE: u32 = 15;
    pub(super) const PARAMETER: u32 = 17;
    pub(super) const THREAD_PAYLOAD: u32 = 22;
    pub(super) const ENVIRONMENT: u32 = 23;
    pub(super) const STREAM: u32 = 25;
    pub(super) const ARGUMENT_INFO: u32 = 26;
    pub(super) const BUFFER: u32 = 30;
    pub(super) const SCRATCH_2: u32 = 38;
    /// What says nothing about registers here: the binding table's size, interface descriptors, heaps, attributes.
    pub(super) const WITHOUT_MEANING: [u32; 4] = [8, 19, 21, 27];
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
    cursor.take(patches as usize, "the patch list of the program")?;
    let device = FAMILIES.iter().find(|(known, _)| *known == family).map(|(_, device)| *device);
    let kernels: Result<Vec<_>, _> = (0..kernels).map(|_| kernel(&mut cursor)).collect();
    Ok(Container { form: "patch tokens", device, kernels: kernels? })
}

fn kernel(cursor: &mut Cursor<'_>) -> Result<Kernel, String> {
    cursor.take(12, "checksum and hash of a kernel")?;
    let sizes: [u32; 7] = cursor.words("the header of a kernel")?;
    let [name, patches, code, general, dynamic, surfaces, unpadded] = sizes.map(|n| n as usize);
    let name = text(cursor.take(name, "the name of a kernel")?);
    let code = cursor.take(code, "the code of a kernel")?;
    let heaps = general.saturating_add(dynamic).saturating_add(surfaces);
    cursor.take(heaps, "the heaps of a kernel")?;
    let patches = cursor.take(patches, "the patch list of a kernel")?;
    let code = code.get(..unpadded).ok_or("a kernel is longer than its heap")?.to_vec();
    let mut kernel = Kernel { name, code, ..Kernel::default() };
    let mut tokens = Cursor::new(patches);
    while !tokens.is_at_end() {
        let [number, size] = tokens.words("a token")?;
        let size = (size as usize).checked_sub(8).ok_or("a token is shorter than its header")?;
        let payload = tokens.take(size, "a token")?;
        patch(&mut kernel, number, payload)?;
    }
    Ok(kernel)
}

/// Takes up what a token says.
fn patch(kernel: &mut Kernel, number: u32, payload: &[u8]) -> Result<(), String> {
    let word = |place: usize| -> usize {
        let bytes = payload.get(4 * place..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize)
    };
    match number {
        token::SCRATCH | token::SCRATCH_2 => kernel.scratch_bytes += word(1),
        token::LOCAL_SURFACE => kernel.local_bytes = word(1),
        token::STREAM => kernel.cross_thread_bytes = word(0),
        token::THREAD_PAYLOAD => {
            kernel.local_ids = (1..=3).filter(|place| word(*place) != 0).count();
        }
        token::ENVIRONMENT => {
            (kernel.lanes, kernel.has_barriers) = (word(3), word(5) != 0);
        }
        token::BUFFER => {
            let [argument, surface, offset, bytes] = [0, 1, 2, 3].map(word);
            let binding = Some(surface / SURFACE_STATE);
            kernel.argument(argument)?.kind = ArgumentKind::Buffer { binding };
            kernel.parameters.push(Parameter { offset, bytes, holds: Holds::Address { argument } });
        }
        token::PARAMETER => parameter(kernel, [0, 1, 2, 3, 4].map(word))?,
        token::ARGUMENT_INFO => {
            let [number, address, access, name, of] = [0, 1, 2, 3, 4].map(word);
            let mut cursor = Cursor { bytes: payload, at: 24 };
            let mut skip = address.saturating_add(access);
            let mut next = |length: usize| {
                cursor.take(std::mem::take(&mut skip), "an argument")?;
                cursor.take(length, "an argument").map(text)
            };
            let (name, of) = (next(name)?, next(of)?);
            let argument = kernel.argument(number)?;
            (argument.name, argument.type_name) = (name, type_name(&of));
        }
        other if token::WITHOUT_MEANING.contains(&other) => {}
        // Constants of a program, images and the like: without them the kernel computes something else.
        other => kernel.unknown.push(format!("patch token {other}")),
    }
    Ok(())
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
