//! Machine code to fields (G45 volume 4, chapter 13).
//!
//! This is the executor's own reading of the manual. It refuses what has no meaning at all
//! (reserved codes) and leaves legality to others.

use parallax_isa::{
    Device,
    eu::{DataType, Opcode, register::RegisterFile},
};

use super::compact;

/// Bytes of an instruction and of its compact form.
const NATIVE_BYTES: usize = 16;
const COMPACT_BYTES: usize = 8;
const COMPACT_CONTROL: u8 = 29;

/// Which part of a compressed pair an instruction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    None,
    SecHalf,
    Compressed,
}

/// Where an operand starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// Register number and byte offset in the register.
    Direct { number: u8, subregister: u8 },
    /// Address subregister and byte offset added to it.
    Indirect { subregister: u8, offset: i16 },
}

/// How channels of a source map to elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Strides and width in elements; no vertical stride: each row has its own address.
    Rows { vertical: Option<u8>, width: u8, horizontal: u8 },
    /// Align16: rows of four elements, `vertical` elements apart, each swizzled.
    Swizzle { vertical: u8, select: [u8; 4] },
}

/// A source operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Immediate { data_type: DataType, bits: u32 },
    Register(Region),
}

/// A source in a register file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) file: RegisterFile,
    pub(super) data_type: DataType,
    pub(super) origin: Origin,
    pub(super) layout: Layout,
    pub(super) absolute: bool,
    pub(super) negate: bool,
}

/// The destination operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Destination {
    pub(super) file: RegisterFile,
    pub(super) data_type: DataType,
    pub(super) origin: Origin,
    /// Elements between channels.
    pub(super) stride: u8,
    /// Which channels of each group of four are written.
    pub(super) channel_enable: u8,
}

/// Conditional modifier (bits 27:24).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Condition {
    None,
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    RoundIncrement,
    Overflow,
    Unordered,
}

/// Predicate control (bits 19:16).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Predicate {
    None,
    Sequential,
    /// One channel of each group of four for all of it.
    Replicate(u8),
    AnyVertical,
    AllVertical,
    /// Any or all channels of groups of this many.
    Any(u8),
    All(u8),
}

/// An instruction, field by field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Instruction {
    pub(super) opcode: Opcode,
    pub(super) execution_size: u8,
    pub(super) align16: bool,
    pub(super) no_mask: bool,
    pub(super) compression: Compression,
    pub(super) predicate: Predicate,
    pub(super) predicate_inverse: bool,
    pub(super) condition: Condition,
    pub(super) flag: u8,
    pub(super) saturate: bool,
    pub(super) breakpoint: bool,
    pub(super) destination: Destination,
    pub(super) sources: [Source; 2],
    /// The last dword: immediate, exit code or message descriptor.
    pub(super) last_dword: u32,
    /// Bits 27:24 as a number: the message register of a send.
    pub(super) message_register: u8,
}

/// Decodes the instruction at the start of `bytes`: the instruction and its size.
pub(super) fn decode(device: Device, bytes: &[u8]) -> Result<(Instruction, usize), String> {
    let Some(compact) = bytes.first_chunk::<COMPACT_BYTES>() else {
        return Err(format!("{} bytes are too few for an instruction", bytes.len()));
    };
    let compact = u64::from_le_bytes(*compact);
    if device == Device::G45 && compact >> COMPACT_CONTROL & 1 == 1 {
        let word = if compact as u8 & 0x7F == NENOP {
            u128::from(NENOP)
        } else {
            compact::expand(compact)
        };
        return Ok((Word(word).instruction(device)?, COMPACT_BYTES));
    }
    match bytes.first_chunk::<NATIVE_BYTES>() {
        Some(native) => Ok((Word(u128::from_le_bytes(*native)).instruction(device)?, NATIVE_BYTES)),
        None => Err(format!("{} bytes are too few for a 16-byte instruction", bytes.len())),
    }
}

const NENOP: u8 = 0x7D;

/// The operation of a code, with the devices that have it.
fn operation(code: u8) -> Option<(Opcode, &'static [Device])> {
    use Opcode::*;
    const FROM_CTG: &[Device] = &[Device::Ctg, Device::G45];
    const FROM_CTG_B: &[Device] = &[Device::G45];
    let all = |opcode| Some((opcode, Device::EU.as_slice()));
    match code {
        0x00 => all(Illegal),
        0x01 => all(Mov),
        0x02 => all(Sel),
        0x03 => Some((Movi, FROM_CTG)),
        0x04 => all(Not),
        0x05 => all(And),
        0x06 => all(Or),
        0x07 => all(Xor),
        0x08 => all(Shr),
        0x09 => all(Shl),
        0x0C => all(Asr),
        0x10 => all(Cmp),
        0x11 => all(Cmpn),
        0x20 => all(Jmpi),
        0x22 => all(If),
        0x23 => all(Iff),
        0x24 => all(Else),
        0x25 => all(Endif),
        0x26 => all(Do),
        0x27 => all(While),
        0x28 => all(Break),
        0x29 => all(Cont),
        0x2A => all(Halt),
        0x2C => all(Msave),
        0x2D => all(Mrest),
        0x2E => all(Push),
        0x2F => all(Pop),
        0x30 => all(Wait),
        0x31 => all(Send),
        0x40 => all(Add),
        0x41 => all(Mul),
        0x42 => all(Avg),
        0x43 => all(Frc),
        0x44 => all(Rndu),
        0x45 => all(Rndd),
        0x46 => all(Rnde),
        0x47 => all(Rndz),
        0x48 => all(Mac),
        0x49 => all(Mach),
        0x4A => all(Lzd),
        0x50 => all(Sad2),
        0x51 => all(Sada2),
        0x54 => all(Dp4),
        0x55 => all(Dph),
        0x56 => all(Dp3),
        0x57 => all(Dp2),
        0x59 => all(Line),
        0x5A => Some((Pln, FROM_CTG_B)),
        NENOP => Some((Nenop, FROM_CTG_B)),
        0x7E => all(Nop),
        _ => None,
    }
}

/// Whether an operation has no operands at all, so that the operand fields mean nothing.
fn has_no_operands(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(opcode, Nop | Do | Endif)
}

/// Whether an operation has no second source, so that its fields mean nothing.
fn has_one_source(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        Mov | Movi | Not | Frc | Rndu | Rndd | Rnde | Rndz | Lzd | Msave | Mrest | Push
    )
}

/// A 128-bit machine word.
#[derive(Clone, Copy)]
struct Word(u128);

impl Word {
    fn bits(self, high: u32, low: u32) -> u32 {
        (self.0 >> low) as u32 & (u32::MAX >> (31 - (high - low)))
    }

    fn bit(self, at: u32) -> bool {
        self.bits(at, at) == 1
    }

    fn instruction(self, device: Device) -> Result<Instruction, String> {
        // Undefined opcodes count as illegal.
        let known = operation(self.bits(6, 0) as u8);
        let known = known.filter(|(_, devices)| devices.contains(&device));
        let opcode = known.map_or(Opcode::Illegal, |(opcode, _)| opcode);
        if matches!(opcode, Opcode::Illegal | Opcode::Nenop) {
            return Ok(Instruction { breakpoint: self.bit(30), ..bare(opcode) });
        }
        let align16 = self.bit(8);
        let plain = has_no_operands(opcode);
        let condition = if opcode == Opcode::Send { Condition::None } else { self.condition()? };
        Ok(Instruction {
            opcode,
            execution_size: match self.bits(23, 21) {
                size @ 0..=5 => 1 << size,
                size => return Err(format!("execution size code {size} is reserved")),
            },
            align16,
            no_mask: self.bit(9),
            compression: match self.bits(13, 12) {
                0 => Compression::None,
                1 => Compression::SecHalf,
                2 => Compression::Compressed,
                _ => return Err("compression control 3 is reserved".into()),
            },
            predicate: self.predicate(align16)?,
            predicate_inverse: self.bit(20),
            condition,
            flag: self.bits(89, 89) as u8,
            saturate: self.bit(31),
            breakpoint: self.bit(30),
            destination: if plain { NO_DESTINATION } else { self.destination(align16)? },
            sources: match opcode {
                _ if plain => [NO_SOURCE; 2],
                _ if has_one_source(opcode) => [self.source(0, align16)?, NO_SOURCE],
                Opcode::Send => [self.source(0, align16)?, self.descriptor()],
                _ => [self.source(0, align16)?, self.source(1, align16)?],
            },
            last_dword: self.bits(127, 96),
            message_register: self.bits(27, 24) as u8,
        })
    }

    /// The message descriptor in place of a send's second source: a constant, or a0.0.
    fn descriptor(self) -> Source {
        if self.bits(43, 42) == 3 {
            Source::Immediate { data_type: DataType::Ud, bits: self.bits(127, 96) }
        } else {
            NO_SOURCE
        }
    }

    fn condition(self) -> Result<Condition, String> {
        Ok(match self.bits(27, 24) {
            0 => Condition::None,
            1 => Condition::Equal,
            2 => Condition::NotEqual,
            3 => Condition::Greater,
            4 => Condition::GreaterEqual,
            5 => Condition::Less,
            6 => Condition::LessEqual,
            7 => Condition::RoundIncrement,
            8 => Condition::Overflow,
            9 => Condition::Unordered,
            code => return Err(format!("conditional modifier code {code} is reserved")),
        })
    }

    fn predicate(self, align16: bool) -> Result<Predicate, String> {
        Ok(match (self.bits(19, 16), align16) {
            (0, _) => Predicate::None,
            (1, _) => Predicate::Sequential,
            (channel @ 2..=5, true) => Predicate::Replicate(channel as u8 - 2),
            (6, _) => Predicate::Any(4),
            (7, _) => Predicate::All(4),
            (2, false) => Predicate::AnyVertical,
            (3, false) => Predicate::AllVertical,
            (4, false) => Predicate::Any(2),
            (5, false) => Predicate::All(2),
            (8, false) => Predicate::Any(8),
            (9, false) => Predicate::All(8),
            (10, false) => Predicate::Any(16),
            (11, false) => Predicate::All(16),
            (code, _) => return Err(format!("predicate control {code} is reserved")),
        })
    }

    fn destination(self, align16: bool) -> Result<Destination, String> {
        let origin = match (self.bit(63), align16) {
            (false, false) => Origin::Direct {
                number: self.bits(60, 53) as u8,
                subregister: self.bits(52, 48) as u8,
            },
            (false, true) => Origin::Direct {
                number: self.bits(60, 53) as u8,
                subregister: self.bits(52, 52) as u8 * 16,
            },
            (true, false) => indirect(self.bits(60, 58), self.bits(57, 48)),
            (true, true) => indirect(self.bits(60, 58), self.bits(57, 52) << 4),
        };
        Ok(Destination {
            file: match self.bits(33, 32) {
                0 => RegisterFile::Arf,
                1 => RegisterFile::Grf,
                2 => RegisterFile::Mrf,
                _ => return Err("a destination cannot be an immediate".into()),
            },
            data_type: register_type(self.bits(36, 34))?,
            origin,
            stride: if align16 { 1 } else { stride(self.bits(62, 61)) },
            channel_enable: if align16 { self.bits(51, 48) as u8 } else { 0xF },
        })
    }

    fn source(self, number: u32, align16: bool) -> Result<Source, String> {
        let file = match self.bits(38 + 5 * number, 37 + 5 * number) {
            0 => RegisterFile::Arf,
            1 => RegisterFile::Grf,
            2 => RegisterFile::Mrf,
            _ => {
                let data_type = immediate_type(self.bits(41 + 5 * number, 39 + 5 * number))?;
                return Ok(Source::Immediate { data_type, bits: self.bits(127, 96) });
            }
        };
        let last_is_immediate = number == 1 && self.bits(38, 37) == 3;
        if last_is_immediate {
            return Ok(NO_SOURCE);
        }
        let data_type = register_type(self.bits(41 + 5 * number, 39 + 5 * number))?;
        // Fields of source 0 are in dword 2, those of source 1 in dword 3.
        let at = |high: u32, low: u32| self.bits(high + 64 + 32 * number, low + 64 + 32 * number);
        let origin = match (at(15, 15) == 1, align16) {
            (false, false) => {
                Origin::Direct { number: at(12, 5) as u8, subregister: at(4, 0) as u8 }
            }
            (false, true) => {
                Origin::Direct { number: at(12, 5) as u8, subregister: at(4, 4) as u8 * 16 }
            }
            (true, false) => indirect(at(12, 10), at(9, 0)),
            (true, true) => indirect(at(12, 10), at(9, 4) << 4),
        };
        let vertical = match at(24, 21) {
            0 => Some(0),
            code @ 1..=6 => Some(1 << (code - 1)),
            15 => None,
            code => return Err(format!("vertical stride code {code} is reserved")),
        };
        let layout = if align16 {
            let select = [at(1, 0), at(3, 2), at(17, 16), at(19, 18)].map(|channel| channel as u8);
            Layout::Swizzle { vertical: vertical.unwrap_or(0), select }
        } else {
            let width = match at(20, 18) {
                code @ 0..=4 => 1 << code,
                code => return Err(format!("width code {code} is reserved")),
            };
            Layout::Rows { vertical, width, horizontal: stride(at(17, 16)) }
        };
        let (absolute, negate) = (at(13, 13) == 1, at(14, 14) == 1);
        Ok(Source::Register(Region { file, data_type, origin, layout, absolute, negate }))
    }
}

/// An operation without fields.
fn bare(opcode: Opcode) -> Instruction {
    Instruction {
        opcode,
        execution_size: 1,
        align16: false,
        no_mask: false,
        compression: Compression::None,
        predicate: Predicate::None,
        predicate_inverse: false,
        condition: Condition::None,
        flag: 0,
        saturate: false,
        breakpoint: false,
        destination: NO_DESTINATION,
        sources: [NO_SOURCE; 2],
        last_dword: 0,
        message_register: 0,
    }
}

const NO_ORIGIN: Origin = Origin::Direct { number: 0, subregister: 0 };

/// The null register as a source.
pub(super) const NO_SOURCE: Source = Source::Register(Region {
    file: RegisterFile::Arf,
    data_type: DataType::Ud,
    origin: NO_ORIGIN,
    layout: Layout::Rows { vertical: Some(0), width: 1, horizontal: 0 },
    absolute: false,
    negate: false,
});

const NO_DESTINATION: Destination = Destination {
    file: RegisterFile::Arf,
    data_type: DataType::Ud,
    origin: NO_ORIGIN,
    stride: 1,
    channel_enable: 0xF,
};

fn indirect(subregister: u32, offset: u32) -> Origin {
    let offset = ((offset << 6) as u16).cast_signed() >> 6;
    Origin::Indirect { subregister: subregister as u8, offset }
}

fn stride(code: u32) -> u8 {
    [0, 1, 2, 4][code as usize]
}

fn register_type(code: u32) -> Result<DataType, String> {
    Ok(match code {
        0 => DataType::Ud,
        1 => DataType::D,
        2 => DataType::Uw,
        3 => DataType::W,
        4 => DataType::Ub,
        5 => DataType::B,
        7 => DataType::F,
        _ => return Err(format!("type code {code} is reserved for registers")),
    })
}

fn immediate_type(code: u32) -> Result<DataType, String> {
    Ok(match code {
        0 => DataType::Ud,
        1 => DataType::D,
        2 => DataType::Uw,
        3 => DataType::W,
        5 => DataType::Vf,
        6 => DataType::V,
        7 => DataType::F,
        _ => return Err(format!("type code {code} is reserved for immediates")),
    })
}
