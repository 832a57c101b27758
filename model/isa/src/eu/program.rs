//! A program: instructions one after the other, each at its byte offset.

mod blocks;

use super::{
    decode::{self, DecodeError, NATIVE_BYTES, decode},
    encode::{EncodeError, encode},
    instruction::Instruction,
    opcode::Opcode,
};
use crate::{
    Device,
    hex::{self, HexError},
};

/// Longest program, in bytes of machine code: what is said of each of its instructions takes a hundred
/// times as much memory.
pub const LARGEST: usize = 2 << 20;

/// An instruction and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// Byte offset of its first byte in the program.
    pub offset: usize,
    /// The instruction.
    pub instruction: Instruction,
}

/// A decoded program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    device: Device,
    instructions: Vec<Placed>,
    bytes: Vec<u8>,
}

/// Machine code or instructions that make no program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// More than [`LARGEST`] bytes.
    #[error("the program is {0} bytes long, more than the {LARGEST} that are read")]
    TooLong(usize),
    /// Hexadecimal text that is not well-formed.
    #[error(transparent)]
    Hex(#[from] HexError),
    /// Machine code that is no instruction.
    #[error("instruction {index} at byte {offset}: {error}")]
    Decode {
        /// Number of instructions before it.
        index: usize,
        /// Its byte offset.
        offset: usize,
        /// What is wrong with it.
        error: DecodeError,
    },
    /// An instruction without machine code.
    #[error("instruction {index}: {error}")]
    Encode {
        /// Number of instructions before it.
        index: usize,
        /// What is wrong with it.
        error: EncodeError,
    },
}

impl Program {
    /// Decodes raw machine code, one instruction after the other to the last byte.
    ///
    /// # Errors
    /// If it is too long, or at the first instruction that does not decode.
    pub fn decode(device: Device, bytes: &[u8]) -> Result<Self, ProgramError> {
        Self::decode_each(device, bytes, |rest| decode(device, rest).map(|(it, _)| it))
    }

    /// What the fields of its instructions mean, as `decode::meaning` has it: what there is to execute.
    ///
    /// # Errors
    /// As [`Program::decode`].
    pub fn decode_meaning(device: Device, bytes: &[u8]) -> Result<Self, ProgramError> {
        Self::decode_each(device, bytes, |rest| decode::meaning(device, rest).map(|(it, _)| it))
    }

    /// Decodes raw machine code, given what decodes the instruction at the start of bytes.
    fn decode_each(
        device: Device,
        bytes: &[u8],
        mut decode: impl FnMut(&[u8]) -> Result<Instruction, DecodeError>,
    ) -> Result<Self, ProgramError> {
        if bytes.len() > LARGEST {
            return Err(ProgramError::TooLong(bytes.len()));
        }
        let mut instructions = Vec::with_capacity(bytes.len() / NATIVE_BYTES);
        let mut offset = 0;
        while offset < bytes.len() {
            let index = instructions.len();
            let instruction = decode(&bytes[offset..]).map_err(|error| ProgramError::Decode {
                index,
                offset,
                error,
            })?;
            instructions.push(Placed { offset, instruction });
            offset += instruction.bytes();
        }
        Ok(Self { device, instructions, bytes: bytes.to_vec() })
    }

    /// Decodes machine code given as hexadecimal text, as [`hex::parse`] reads it.
    ///
    /// # Errors
    /// If the text is not hexadecimal, or its bytes do not decode.
    pub fn of_hex(device: Device, text: &str) -> Result<Self, ProgramError> {
        Self::decode(device, &hex::parse(text)?)
    }

    /// Puts instructions one after the other.
    ///
    /// # Errors
    /// If the program gets too long, or at the first instruction that has no machine code.
    pub fn assemble(
        device: Device,
        instructions: impl IntoIterator<Item = Instruction>,
    ) -> Result<Self, ProgramError> {
        let mut program = Self { device, instructions: Vec::new(), bytes: Vec::new() };
        for (index, instruction) in instructions.into_iter().enumerate() {
            let code = encode(device, &instruction)
                .map_err(|error| ProgramError::Encode { index, error })?;
            program.instructions.push(Placed { offset: program.bytes.len(), instruction });
            program.bytes.extend(code);
            if program.bytes.len() > LARGEST {
                return Err(ProgramError::TooLong(program.bytes.len()));
            }
        }
        Ok(program)
    }

    /// The device the program is for.
    #[must_use]
    pub fn device(&self) -> Device {
        self.device
    }

    /// The instructions in order of their offsets.
    #[must_use]
    pub fn instructions(&self) -> &[Placed] {
        &self.instructions
    }

    /// The machine code.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The machine code of one of its instructions: from its offset to that of the next.
    #[must_use]
    pub fn bytes_of(&self, index: usize) -> &[u8] {
        let start = self.instructions[index].offset;
        let next = self.instructions.get(index + 1).map_or(self.bytes.len(), |next| next.offset);
        &self.bytes[start..next]
    }

    /// The instruction that starts at a byte offset, by its number; `None` between instructions
    /// and outside the program.
    #[must_use]
    pub fn index_at(&self, offset: usize) -> Option<usize> {
        // Where it is without compact instructions.
        let native = offset / NATIVE_BYTES;
        if self.instructions.get(native).is_some_and(|placed| placed.offset == offset) {
            return Some(native);
        }
        self.instructions.binary_search_by_key(&offset, |placed| placed.offset).ok()
    }
}

/// A word of machine code: an instruction if it decodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word<'a> {
    /// Byte offset of its first byte.
    pub offset: usize,
    /// 8 bytes if it is compact, else 16, or what is left of them.
    pub bytes: &'a [u8],
    /// The instruction.
    pub decoded: Result<Instruction, DecodeError>,
}

/// The words of machine code from the first byte to the last. One that does not decode is as long as
/// its CmptCtrl bit says.
pub fn words(device: Device, bytes: &[u8]) -> impl Iterator<Item = Word<'_>> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(offset..).filter(|rest| !rest.is_empty())?;
        let (decoded, length) = match decode(device, rest) {
            Ok((instruction, length)) => (Ok(instruction), length),
            Err(error) => (Err(error), decode::length(device, rest)),
        };
        let word = Word { offset, bytes: &rest[..length.min(rest.len())], decoded };
        offset += length;
        Some(word)
    })
}

/// Another generation that machine code looks like one of: every word of it, up to the end of the
/// thread, is an operation there, from Gen7 on without a bit that no field holds (compilers leave some in
/// operands that do not exist: for G45 in many, later in those of branches). Of devices of one generation it is the last.
#[must_use]
pub fn looks_like(device: Device, bytes: &[u8]) -> Option<Device> {
    const LAST_OF_EACH: [Device; 4] = [Device::Dg1, Device::Skl, Device::Ivb, Device::G45];
    let others = LAST_OF_EACH.into_iter().filter(|other| other.generation() != device.generation());
    let is_of = |other: &Device| is_program_of(*other, bytes);
    others.into_iter().find(is_of)
}

fn is_program_of(device: Device, bytes: &[u8]) -> bool {
    for word in words(device, bytes) {
        let Ok(instruction) = word.decoded else { return false };
        let is_exact = Device::GEN4.contains(&device)
            || instruction.branch.is_some()
            || instruction.residue == 0 && instruction.compact_residue == 0;
        if instruction.opcode == Opcode::Illegal || !is_exact {
            return false;
        }
        if instruction.message.is_some_and(|message| message.end_of_thread) {
            return true;
        }
    }
    // What does not end its thread is too little to go by.
    false
}

/// The compiled programs of the corpus: name and hexadecimal text.
#[cfg(test)]
pub(super) fn compiled() -> Vec<(String, String)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = std::fs::read_dir(root.join("../../corpus/programs/g45/compiled")).unwrap();
    let files = folder.map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|extension| extension == "hex"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect()
}

#[cfg(test)]
mod tests;
