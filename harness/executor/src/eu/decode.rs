//! Machine code to fields (G45 volume 4, chapter 13).
//!
//! This is the executor's own reading of the manual. It refuses what has no meaning at all
//! (reserved codes) and leaves legality to others.

use parallax_isa::{
    Device,
    eu::{DataType, register::RegisterFile},
};

use super::{
    arithmetic, compaction, compare,
    condition::Condition,
    flow,
    instruction::{
        Compression, Destination, Instruction, Layout, NO_DESTINATION, NO_SOURCE, Origin, Region,
        Source,
    },
    logic,
    mask::Predicate,
    message, movement,
    operation::{ALL, Action, Operands, Operation},
    round, vector,
};

/// Bytes of an instruction and of its compact form.
const NATIVE_BYTES: usize = 16;
const COMPACT_BYTES: usize = 8;
const COMPACT_CONTROL: u8 = 29;

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
            compaction::expand(compact)
        };
        return Ok((Word(word).instruction(device)?, COMPACT_BYTES));
    }
    match bytes.first_chunk::<NATIVE_BYTES>() {
        Some(native) => Ok((Word(u128::from_le_bytes(*native)).instruction(device)?, NATIVE_BYTES)),
        None => Err(format!("{} bytes are too few for a 16-byte instruction", bytes.len())),
    }
}

const NENOP: u8 = 0x7D;

/// Operations that do nothing, and the one that undefined codes stand for.
static ILLEGAL: Operation = bare(0x00, "illegal", Operands::Bare, Action::Illegal);
const NOPS: &[Operation] = &[
    bare(0x7E, "nop", Operands::None, Action::Nop),
    Operation { devices: &[Device::G45], ..bare(NENOP, "nenop", Operands::Bare, Action::Nop) },
];

const fn bare(code: u8, name: &'static str, operands: Operands, action: Action) -> Operation {
    Operation { code, name, devices: ALL, operands, action }
}

/// The operations, group by group.
static GROUPS: [&[Operation]; 9] = [
    movement::ROWS,
    logic::ROWS,
    arithmetic::ROWS,
    round::ROWS,
    compare::ROWS,
    vector::ROWS,
    flow::ROWS,
    message::ROWS,
    NOPS,
];

/// The operation of a code on a device; codes without one count as illegal.
fn operation(code: u8, device: Device) -> &'static Operation {
    let mut all = GROUPS.into_iter().flatten();
    let known = all.find(|row| row.code == code && row.devices.contains(&device));
    known.unwrap_or(&ILLEGAL)
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
        let operation = operation(self.bits(6, 0) as u8, device);
        let operands = operation.operands;
        if operands == Operands::Bare {
            let breakpoint = self.bit(30);
            return Ok(Instruction { breakpoint, ..Instruction::bare(operation) });
        }
        let align16 = self.bit(8);
        let message = operands == Operands::Message;
        let condition = if message { Condition::None } else { self.condition()? };
        Ok(Instruction {
            operation,
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
            destination: match operands {
                Operands::None => NO_DESTINATION,
                _ => self.destination(align16)?,
            },
            sources: match operands {
                Operands::Bare | Operands::None => [NO_SOURCE; 2],
                Operands::One => [self.source(0, align16)?, NO_SOURCE],
                Operands::Two => [self.source(0, align16)?, self.source(1, align16)?],
                Operands::Message => [self.source(0, align16)?, self.descriptor()],
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
        let layout = layout(at, align16, vertical)?;
        let (absolute, negate) = (at(13, 13) == 1, at(14, 14) == 1);
        Ok(Source::Register(Region { file, data_type, origin, layout, absolute, negate }))
    }
}

/// How the channels of a source map to elements: `at` gives bits of the 32 that say all about a region.
pub(super) fn layout(
    at: impl Fn(u32, u32) -> u32,
    align16: bool,
    vertical: Option<u8>,
) -> Result<Layout, String> {
    if align16 {
        let select = [at(1, 0), at(3, 2), at(17, 16), at(19, 18)].map(|channel| channel as u8);
        return Ok(Layout::Swizzle { vertical: vertical.unwrap_or(0), select });
    }
    let width = match at(20, 18) {
        code @ 0..=4 => 1 << code,
        code => return Err(format!("width code {code} is reserved")),
    };
    Ok(Layout::Rows { vertical, width, horizontal: stride(at(17, 16)) })
}

fn indirect(subregister: u32, offset: u32) -> Origin {
    let offset = ((offset << 6) as u16).cast_signed() >> 6;
    Origin::Indirect { subregister: subregister as u8, offset }
}

pub(super) fn stride(code: u32) -> u8 {
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
