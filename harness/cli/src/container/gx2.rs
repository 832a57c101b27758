//! Shader files of GX2 (.gsh, .gtx): blocks, each behind a header. A block of registers and tables stands before each
//! program. Headers are big-endian, programs are as the processor reads them.

use parallax_isa::{Device, r700::case::ProgramType};

use super::{Container, Kernel, cursor::Cursor};
use crate::recorded::{self, Recorded};

/// What a file begins with.
const MAGIC: [u8; 4] = *b"Gfx2";
/// What a block begins with.
const BLOCK: u32 = u32::from_be_bytes(*b"BLK{");
/// Bytes of the headers of files and blocks.
const HEADER_BYTES: u32 = 32;
/// Major versions of the files whose shaders are laid out as here.
const VERSIONS: [u32; 2] = [6, 7];

/// Types of blocks.
const END: u32 = 1;
const LAST_TYPE: u32 = 15;

/// A type of program.
struct Kind {
    /// The type of its block.
    block: u32,
    name: &'static str,
    program_type: ProgramType,
    /// The type of the block before it.
    header: u32,
    /// Where that has its size; not documented for compute programs.
    size: Option<usize>,
}

const KINDS: [Kind; 5] = [
    Kind::new(5, "vertex", ProgramType::Vertex, 3, Some(0xD0)),
    Kind::new(7, "pixel", ProgramType::Pixel, 6, Some(0xA4)),
    Kind::new(9, "geometry", ProgramType::Geometry, 8, Some(0x4C)),
    Kind::new(10, "geometry copy", ProgramType::Copy, 8, Some(0x54)),
    Kind::new(15, "compute", ProgramType::Compute, 14, None),
];

/// Where the header of a vertex program has its mode, and the mode of one that feeds a geometry program.
const VERTEX_MODE: usize = 0xD8;
const GEOMETRY_MODE: u32 = 2;

impl Kind {
    const fn new(
        block: u32,
        name: &'static str,
        program_type: ProgramType,
        header: u32,
        size: Option<usize>,
    ) -> Self {
        Self { block, name, program_type, header, size }
    }
}

/// Whether bytes are such a file.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Reads a file.
pub(super) fn read(bytes: &[u8]) -> Result<Container, String> {
    let mut cursor = Cursor::new(bytes);
    let header: [u32; 8] = cursor.big_words("the header of the file")?;
    let [_magic, size, major, ..] = header;
    if size != HEADER_BYTES {
        return Err(format!(
            "byte 4: the header of the file has {size} bytes; expected {HEADER_BYTES}"
        ));
    }
    if !VERSIONS.contains(&major) {
        return Err(format!("byte 8: has version {major} of GX2 files; expected 6 or 7"));
    }
    let mut container = Container::new("gx2", Some(Device::Rv770));
    // The header for the next program of each kind.
    let mut headers: [Option<&[u8]>; KINDS.len()] = [None; KINDS.len()];
    let mut programs = [0; KINDS.len()];
    loop {
        let at = cursor.at;
        let header: [u32; 8] = cursor.big_words("the header of a block")?;
        let [magic, size, _major, _minor, block, data, ..] = header;
        if (magic, size) != (BLOCK, HEADER_BYTES) {
            return Err(format!("byte {at}: is no header of a block; expected BLK{{ and 32"));
        }
        let data = cursor.take(data as usize, "a block")?;
        if block == END {
            break;
        }
        if !(END..=LAST_TYPE).contains(&block) {
            return Err(format!(
                "byte {}: has a block of type {block}; expected one from 1 to 15",
                at + 16
            ));
        }
        for (row, kind) in KINDS.iter().enumerate() {
            if kind.header == block {
                headers[row] = Some(data);
            }
            if kind.block == block {
                let name = format!("{} {}", kind.name, programs[row]);
                let header = headers[row].take().ok_or_else(|| {
                    format!("byte {at}: program `{name}` has no block of registers before it")
                })?;
                let mut kernel = program(kind, name, header, data)
                    .map_err(|wrong| format!("byte {at}: {wrong}"))?;
                let program_type = kernel.program_type.unwrap_or_default();
                *kernel.recorded = match container.has_room_for_state() {
                    true => recorded::gx2::recorded(program_type, header),
                    false => Recorded::without_room(),
                };
                kernel.recorded.offset = Some(at + HEADER_BYTES as usize);
                kernel.recorded.stage = Some(kind.name);
                container.add(kernel)?;
                programs[row] += 1;
            }
        }
    }
    let without_program = KINDS.iter().zip(headers).find(|(kind, header)| {
        let size = header.zip(kind.size).and_then(|(header, size)| word(header, size));
        size.is_some_and(|size| size > 0)
    });
    match without_program {
        Some((kind, _)) => {
            Err(format!("ends without the {} program of its last header", kind.name))
        }
        None => Ok(container),
    }
}

/// A program, and the block of registers before it.
fn program(kind: &Kind, name: String, header: &[u8], code: &[u8]) -> Result<Kernel, String> {
    if let Some(place) = kind.size {
        let size = word(header, place).ok_or_else(|| {
            format!(
                "the block of registers before program `{name}` has {} bytes; expected its size at {place}",
                header.len()
            )
        })?;
        if size as usize != code.len() {
            return Err(format!(
                "program `{name}` has {} bytes; expected {size}, as the block of registers before it says",
                code.len()
            ));
        }
    }
    let feeds_geometry = kind.program_type == ProgramType::Vertex
        && word(header, VERTEX_MODE) == Some(GEOMETRY_MODE);
    let program_type = if feeds_geometry { ProgramType::Export } else { kind.program_type };
    Ok(Kernel::of_r700(name, code.to_vec(), Some(program_type)))
}

/// The word of a header at an offset.
fn word(header: &[u8], offset: usize) -> Option<u32> {
    header.get(offset..)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::tests::{example, survives};

    #[test]
    fn programs_are_named_by_kind_and_number() {
        let container = read(&example("shaders.gsh")).expect("a file");
        let kernels = container.kernels.iter();
        let found: Vec<_> =
            kernels.map(|it| (it.name.as_str(), it.code.len(), it.program_type)).collect();
        assert_eq!(
            found,
            [("vertex 0", 24, Some(ProgramType::Vertex)), ("pixel 0", 8, Some(ProgramType::Pixel))]
        );
        assert_eq!(container.device, Some(Device::Rv770));
    }

    /// A block of a type.
    fn block(kind: u32, data: &[u8]) -> Vec<u8> {
        let header = [BLOCK, 32, 1, 0, kind, data.len() as u32, 0, 0];
        [&header.map(u32::to_be_bytes).concat(), data].concat()
    }

    fn file(blocks: &[Vec<u8>]) -> Vec<u8> {
        let header = [u32::from_be_bytes(MAGIC), 32, 7, 1, 2, 0, 0, 0];
        [header.map(u32::to_be_bytes).concat(), blocks.concat()].concat()
    }

    /// A header of 300 bytes with words at offsets.
    fn registers(words: &[(usize, u32)]) -> Vec<u8> {
        let mut header = vec![0; 300];
        for (offset, word) in words {
            header[*offset..offset + 4].copy_from_slice(&word.to_be_bytes());
        }
        header
    }

    #[test]
    fn geometry_programs_come_with_their_copy() {
        let container = read(&file(&[
            block(3, &registers(&[(0xD0, 8), (VERTEX_MODE, GEOMETRY_MODE)])),
            block(5, &[0; 8]),
            block(8, &registers(&[(0x4C, 16), (0x54, 8)])),
            block(2, &[0; 13]),
            block(9, &[0; 16]),
            block(10, &[0; 8]),
            block(14, &registers(&[])),
            block(15, &[0; 8]),
            block(1, &[]),
        ]));
        let container = container.expect("a file");
        let found: Vec<_> =
            container.kernels.iter().map(|it| (it.name.as_str(), it.program_type)).collect();
        assert_eq!(
            found,
            [
                ("vertex 0", Some(ProgramType::Export)),
                ("geometry 0", Some(ProgramType::Geometry)),
                ("geometry copy 0", Some(ProgramType::Copy)),
                ("compute 0", Some(ProgramType::Compute)),
            ]
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let end = || block(1, &[]);
        let size_is = |size| registers(&[(0xA4, size)]);
        for (bytes, message) in [
            (
                file(&[]),
                "ends within the header of a block: 32 bytes at byte 32, of which 0 are there",
            ),
            (
                file(&[block(7, &[0; 8]), end()]),
                "byte 32: program `pixel 0` has no block of registers before it",
            ),
            (
                file(&[block(6, &size_is(16)), block(7, &[0; 8]), end()]),
                "program `pixel 0` has 8 bytes; expected 16, as",
            ),
            (
                file(&[block(6, &size_is(u32::MAX)), block(7, &[0; 8]), end()]),
                "program `pixel 0` has 8 bytes; expected 4294967295, as",
            ),
            (
                file(&[block(6, &[0; 32]), block(7, &[0; 8]), end()]),
                "has 32 bytes; expected its size at 164",
            ),
            (file(&[block(6, &size_is(8)), end()]), "ends without the pixel program"),
            (
                file(&[block(99, &[]), end()]),
                "byte 48: has a block of type 99; expected one from 1",
            ),
            (file(&[vec![0; 32]]), "byte 32: is no header of a block; expected BLK{ and 32"),
        ] {
            let wrong = read(&bytes).expect_err(message);
            assert!(wrong.contains(message), "{wrong}");
        }
        let mut version = file(&[end()]);
        version[11] = 5;
        assert!(read(&version).is_err_and(|wrong| wrong.contains("version 5")));
    }

    /// Two million blocks, and as many programs as fit.
    #[test]
    fn blocks_are_bounded() {
        let padding = [block(2, &[]).repeat(2_000_000), block(1, &[])].concat();
        assert!(read(&file(&[padding])).is_ok_and(|container| container.kernels.is_empty()));
        let programs = [block(14, &[]), block(15, &[])].concat().repeat(70_000);
        assert!(read(&file(&[programs])).is_err_and(|wrong| wrong.contains("65,536")));
    }

    #[test]
    fn no_file_does_harm() {
        survives(&example("shaders.gsh"));
    }
}
