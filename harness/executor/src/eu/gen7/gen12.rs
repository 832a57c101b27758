//! Machine code of Gen12 to fields. All of them stand elsewhere than before, and there is one access
//! mode.

mod compaction;

use parallax_isa::eu::{
    DataType,
    register::RegisterFile,
    scoreboard::{Scoreboard, Token},
};

use super::{
    arf,
    fields::Generation,
    instruction::{Distances, Instruction, MessageFields, Source},
    math, opcodes,
    operation::{self, Action, Branch, Operands, Operation},
    word::Word,
};
use crate::eu::{
    condition::Condition,
    instruction::{Destination, Layout, NO_DESTINATION, Origin, Region},
    mask::Predicate,
};

/// The 128-bit form of a compact instruction.
pub(super) fn expanded(compact: u64) -> Result<Word, String> {
    let operation = opcodes::of((compact & 0x7F) as u8, Generation::Gen12);
    match operation.operands {
        Operands::Three => Ok(compaction::expand_three_sources(compact)),
        Operands::Message => Err(format!("{} has no compact form", operation.name)),
        _ => compaction::expand(compact)
            .ok_or_else(|| "immediates of this type have no compact form".into()),
    }
}

/// Decodes a 128-bit word.
pub(super) fn decode(word: Word) -> Result<Instruction, String> {
    let operation = opcodes::of(word.bits(6, 0) as u8, Generation::Gen12);
    let mut instruction =
        Instruction { breakpoint: word.bit(30), ..Instruction::bare(Generation::Gen12, operation) };
    if operation.operands == Operands::Bare {
        return Ok(instruction);
    }
    controls(word, &mut instruction)?;
    match operation.operands {
        Operands::Bare | Operands::None => {}
        Operands::One => basic(word, &mut instruction, 1)?,
        Operands::Two => basic(word, &mut instruction, 2)?,
        Operands::Three => three_sources(word, &mut instruction)?,
        Operands::Math => {
            instruction.function = word.bits(95, 92) as u8;
            if !matches!(instruction.function, 1..=7 | 11..=15) {
                return Err(format!("math function {} is reserved", instruction.function));
            }
            let sources = if matches!(instruction.function, 11..=14) { 2 } else { 1 };
            instruction.destination = destination(word)?;
            for number in 0..sources {
                instruction.sources[number] = source(word, number, sources)?;
            }
            instruction.source_count = sources as u8;
            math::check_immediate(&instruction.sources[0])?;
        }
        Operands::Branch => instruction.distances = distances(word),
        Operands::BranchTo(_) if word.bit(SOURCES[0].is_immediate) => {
            instruction.distances = distances(word);
        }
        Operands::BranchTo(_) => {
            instruction.sources[0] = register_source(word, 0)?;
            instruction.source_count = 1;
        }
        Operands::Jump if word.bit(SOURCES[0].is_immediate) => {
            let bits = word.bits(127, 96).into();
            instruction.sources[0] = Source::Immediate { data_type: DataType::D, bits };
            instruction.source_count = 1;
        }
        Operands::Call if word.bit(SOURCES[0].is_immediate) => {
            instruction.destination = destination(word)?;
            instruction.distances = distances(word);
        }
        Operands::Call => {
            instruction.destination = destination(word)?;
            instruction.sources[0] = register_source(word, 0)?;
            instruction.source_count = 1;
        }
        Operands::Jump | Operands::Return => {
            instruction.sources[0] = register_source(word, 0)?;
            instruction.source_count = 1;
        }
        Operands::Sync => synchronisation(word, &mut instruction)?,
        Operands::Message | Operands::SplitMessage => message(word, &mut instruction)?,
    }
    Ok(instruction)
}

/// The fields before the operands.
fn controls(word: Word, instruction: &mut Instruction) -> Result<(), String> {
    let operands = instruction.operation.operands;
    instruction.scoreboard = scoreboard(word.bits(15, 8), operands)?;
    instruction.execution_size = match word.bits(18, 16) {
        size @ 0..=5 => 1 << size,
        size => return Err(format!("execution size code {size} is reserved")),
    };
    instruction.first_channel = 4 * word.bits(21, 19) as u8;
    instruction.flag = word.bits(23, 23) as u8 * 2 + word.bits(22, 22) as u8;
    instruction.predicate = match word.bits(27, 24) {
        0 => Predicate::None,
        1 => Predicate::Sequential,
        2 => Predicate::AnyVertical,
        3 => Predicate::AllVertical,
        code @ 4..=13 => {
            let group = 2 << ((code - 4) / 2);
            if code % 2 == 0 { Predicate::Any(group) } else { Predicate::All(group) }
        }
        code => return Err(format!("predicate control {code} is reserved")),
    };
    instruction.predicate_inverse = word.bit(28);
    instruction.no_mask = word.bit(31);
    instruction.accumulator_control = word.bit(33);
    let has_condition = match operands {
        // An immediate of 64 bits stands in its place.
        Operands::One => !has_wide_immediate(word),
        Operands::None | Operands::Two | Operands::Three => true,
        _ => false,
    };
    if has_condition {
        instruction.condition = condition(word.bits(95, 92))?;
    }
    // Messages end the thread with this bit.
    instruction.saturate = word.bit(34) && operands != Operands::Message;
    Ok(())
}

/// Reads a code of the software scoreboard. What it says is about time.
fn scoreboard(code: u32, operands: Operands) -> Result<Scoreboard, String> {
    let out_of_order = matches!(operands, Operands::Math | Operands::Message);
    let token = (code % 16) as u8;
    let of = |distance: u32, token| Ok(Scoreboard { distance: distance as u8, token });
    match code {
        0..=7 => of(code, None),
        0x20..=0x2F => of(0, Some(Token::Destination(token))),
        0x30..=0x3F => of(0, Some(Token::Source(token))),
        0x40..=0x4F if out_of_order => of(0, Some(Token::Set(token))),
        0x80.. if out_of_order => of(code / 16 - 8, Some(Token::Set(token))),
        0x80.. => of(code / 16 - 8, Some(Token::Destination(token))),
        _ => Err(format!("software scoreboard code {code:#04x} is reserved")),
    }
}

/// Whether the only source is an immediate of 64 bits.
fn has_wide_immediate(word: Word) -> bool {
    word.bit(SOURCES[0].is_immediate)
        && matches!(immediate_type(word.bits(43, 40)), Ok(wide) if wide.size() == 8)
}

/// Refuses types of 64 bits, which have codes and no instruction that takes them.
pub(super) fn check_types(instruction: &Instruction) -> Result<(), String> {
    let sources = instruction.sources.iter().map(Source::data_type);
    let mut types = sources.chain([instruction.destination.data_type]);
    match types.find(|data_type| data_type.size() == 8) {
        Some(wide) => Err(format!("no instruction takes 64-bit types, as {wide:?} is")),
        None => Ok(()),
    }
}

fn condition(code: u32) -> Result<Condition, String> {
    Ok(match code {
        0 => Condition::None,
        1 => Condition::Equal,
        2 => Condition::NotEqual,
        3 => Condition::Greater,
        4 => Condition::GreaterEqual,
        5 => Condition::Less,
        6 => Condition::LessEqual,
        8 => Condition::Overflow,
        9 => Condition::Unordered,
        _ => return Err(format!("conditional modifier code {code} is reserved")),
    })
}

/// Distances of branches, in bytes.
fn distances(word: Word) -> Distances {
    Distances { jip: word.bits(127, 96).cast_signed(), uip: word.bits(95, 64).cast_signed() }
}

fn basic(word: Word, instruction: &mut Instruction, sources: usize) -> Result<(), String> {
    instruction.destination = destination(word)?;
    for number in 0..sources {
        instruction.sources[number] = source(word, number, sources)?;
    }
    instruction.source_count = sources as u8;
    Ok(())
}

/// The first bits of the fields of source 0 or 1.
struct SourceBits {
    is_immediate: u32,
    data_type: u32,
    horizontal: u32,
    file: u32,
    subregister: u32,
    register: u32,
    is_indirect: u32,
    width: u32,
    vertical: u32,
    /// Absolute; the bit above negates.
    modifier: u32,
    /// Address subregister, of four bits, and offset, of ten.
    address: u32,
    offset: u32,
}

static SOURCES: [SourceBits; 2] = [
    SourceBits {
        is_immediate: 46,
        data_type: 40,
        horizontal: 64,
        file: 66,
        subregister: 67,
        register: 72,
        is_indirect: 80,
        width: 81,
        vertical: 84,
        modifier: 44,
        address: 76,
        offset: 66,
    },
    SourceBits {
        is_immediate: 47,
        data_type: 88,
        horizontal: 96,
        file: 98,
        subregister: 99,
        register: 104,
        is_indirect: 112,
        width: 113,
        vertical: 116,
        modifier: 120,
        address: 108,
        offset: 98,
    },
];

fn source(word: Word, number: usize, count: usize) -> Result<Source, String> {
    let bits = &SOURCES[number];
    if number + 1 == count && word.bit(bits.is_immediate) {
        let data_type = immediate_type(word.bits(bits.data_type + 3, bits.data_type))?;
        let low = u64::from(word.bits(127, 96));
        let bits = match data_type.size() {
            8 if number != 0 => return Err("an immediate of 64 bits is an only source".into()),
            // The halves stand the other way round than before Gen12.
            8 => u64::from(word.bits(95, 64)) << 32 | low,
            _ => low,
        };
        return Ok(Source::Immediate { data_type, bits });
    }
    register_source(word, number)
}

fn register_source(word: Word, number: usize) -> Result<Source, String> {
    let at = &SOURCES[number];
    if word.bit(at.is_immediate) {
        return Err("only the last source can be an immediate".into());
    }
    let data_type = register_type(word.bits(at.data_type + 3, at.data_type))?;
    let (file, origin) = if word.bit(at.is_indirect) {
        (RegisterFile::Grf, indirect(word, at.address, at.offset))
    } else {
        direct(word, at.file, at.register, word.bits(at.subregister + 4, at.subregister) as u8)?
    };
    let vertical = match word.bits(at.vertical + 3, at.vertical) {
        0 => Some(0),
        code @ 1..=6 => Some(1 << (code - 1)),
        15 => None,
        code => return Err(format!("vertical stride code {code} is reserved")),
    };
    let width = match word.bits(at.width + 2, at.width) {
        code @ 0..=4 => 1 << code,
        code => return Err(format!("width code {code} is reserved")),
    };
    let horizontal = stride(word.bits(at.horizontal + 1, at.horizontal));
    Ok(Source::Register(Region {
        file,
        data_type,
        origin,
        layout: Layout::Rows { vertical, width, horizontal },
        absolute: word.bit(at.modifier),
        negate: word.bit(at.modifier + 1),
    }))
}

fn destination(word: Word) -> Result<Destination, String> {
    let (file, origin) = if word.bit(35) {
        (RegisterFile::Grf, indirect(word, 60, 50))
    } else {
        direct(word, 50, 56, word.bits(55, 51) as u8)?
    };
    Ok(Destination {
        file,
        data_type: register_type(word.bits(39, 36))?,
        origin,
        stride: stride(word.bits(49, 48)),
        channel_enable: 0xF,
    })
}

/// A register with its number in eight bits.
fn direct(
    word: Word,
    file: u32,
    register: u32,
    subregister: u8,
) -> Result<(RegisterFile, Origin), String> {
    let number = word.bits(register + 7, register) as u8;
    let file = match word.bit(file) {
        false if !arf::exists(Generation::Gen12, number) => {
            return Err(format!("there is no architecture register {number:#04x}"));
        }
        false => RegisterFile::Arf,
        true if number > 127 => return Err(format!("there is no register r{number}")),
        true => RegisterFile::Grf,
    };
    Ok((file, Origin::Direct { number, subregister }))
}

fn indirect(word: Word, address: u32, offset: u32) -> Origin {
    let offset = word.bits(offset + 9, offset) as u16;
    Origin::Indirect {
        subregister: word.bits(address + 3, address) as u8,
        offset: (offset << 6).cast_signed() >> 6,
    }
}

fn stride(code: u32) -> u8 {
    [0, 1, 2, 4][code as usize & 3]
}

/// Bit 3 is set of floats, bit 2 of signed integers; the others are the size.
fn register_type(code: u32) -> Result<DataType, String> {
    Ok(match code {
        0 => DataType::Ub,
        1 => DataType::Uw,
        2 => DataType::Ud,
        3 => DataType::Uq,
        4 => DataType::B,
        5 => DataType::W,
        6 => DataType::D,
        7 => DataType::Q,
        9 => DataType::Hf,
        10 => DataType::F,
        11 => DataType::Df,
        _ => return Err(format!("type code {code} is reserved for registers")),
    })
}

/// The codes of byte types are those of vectors.
fn immediate_type(code: u32) -> Result<DataType, String> {
    match code {
        0 => Ok(DataType::Uv),
        4 => Ok(DataType::V),
        8 => Ok(DataType::Vf),
        _ => register_type(code),
    }
}

/// The first bits of the fields of a source of three.
struct TernaryBits {
    data_type: u32,
    file: u32,
    subregister: u32,
    register: u32,
    horizontal: u32,
    /// High and low bit of the vertical stride.
    vertical: Option<(u32, u32)>,
    /// Absolute; the bit above negates.
    modifier: u32,
    /// Whether it is an immediate, and that.
    immediate: Option<(u32, u32)>,
}

static TERNARY: [TernaryBits; 3] = [
    TernaryBits {
        data_type: 40,
        file: 66,
        subregister: 67,
        register: 72,
        horizontal: 64,
        vertical: Some((43, 35)),
        modifier: 44,
        immediate: Some((46, 64)),
    },
    TernaryBits {
        data_type: 88,
        file: 98,
        subregister: 99,
        register: 104,
        horizontal: 96,
        vertical: Some((91, 83)),
        modifier: 86,
        immediate: None,
    },
    TernaryBits {
        data_type: 80,
        file: 114,
        subregister: 115,
        register: 120,
        horizontal: 112,
        vertical: None,
        modifier: 84,
        immediate: Some((47, 112)),
    },
];

fn three_sources(word: Word, instruction: &mut Instruction) -> Result<(), String> {
    // One bit for all operands; the codes of three bits are the low ones of register types.
    let ternary_type = |low: u32| {
        let code = word.bits(low + 2, low);
        match (word.bit(39), code) {
            (true, 1..=3) => register_type(code | 8),
            (false, code) => register_type(code),
            _ => Err(format!("type code {code} is reserved for three float sources")),
        }
    };
    let (file, origin) = direct(word, 50, 56, 8 * word.bits(55, 54) as u8)?;
    instruction.destination = Destination {
        file,
        data_type: ternary_type(36)?,
        origin,
        stride: 1 << word.bits(48, 48),
        channel_enable: 0xF,
    };
    for (number, at) in TERNARY.iter().enumerate() {
        let data_type = ternary_type(at.data_type)?;
        let immediate = at.immediate.filter(|(is_one, _)| word.bit(*is_one));
        instruction.sources[number] = if let Some((_, low)) = immediate {
            if data_type.size() != 2 {
                return Err("an immediate beside two sources has 16 bits".into());
            }
            let half = u64::from(word.bits(low + 15, low));
            Source::Immediate { data_type, bits: half << 16 | half }
        } else {
            let subregister = word.bits(at.subregister + 4, at.subregister) as u8;
            let (file, origin) = direct(word, at.file, at.register, subregister)?;
            let horizontal = stride(word.bits(at.horizontal + 1, at.horizontal));
            Source::Register(Region {
                file,
                data_type,
                origin,
                layout: match at.vertical {
                    // Element n stands at n strides.
                    None => Layout::Rows { vertical: Some(horizontal), width: 1, horizontal: 0 },
                    Some((high, low)) => {
                        let code = 2 * word.bits(high, high) + word.bits(low, low);
                        ternary_rows([0, 1, 4, 8][code as usize], horizontal)
                    }
                },
                absolute: word.bit(at.modifier),
                negate: word.bit(at.modifier + 1),
            })
        };
    }
    instruction.source_count = 3;
    Ok(())
}

/// Rows as long as the strides say.
fn ternary_rows(vertical: u8, horizontal: u8) -> Layout {
    let width = vertical.checked_div(horizontal).unwrap_or(vertical).max(1);
    Layout::Rows { vertical: Some(vertical), width, horizontal }
}

static SYNC_NOP: Operation = operation::bare(0x01, "sync", Action::Nop);
static SYNC_WAIT: Operation = operation::bare(0x01, "sync", Action::Flow(Branch::Wait));

/// What `sync` waits for is over, but for notifications: instructions follow one another.
fn synchronisation(word: Word, instruction: &mut Instruction) -> Result<(), String> {
    let mask = source(word, 0, 1)?;
    if mask.data_type().size() == 8 {
        // It says nothing, but no program has its type.
        instruction.sources[0] = mask;
    }
    let counter = match word.bits(95, 92) {
        0 | 2 | 3 => {
            instruction.operation = &SYNC_NOP;
            return Ok(());
        }
        14 => 0,
        15 => 1,
        function => return Err(format!("sync function {function} is reserved")),
    };
    instruction.operation = &SYNC_WAIT;
    let origin = Origin::Direct { number: 0x90, subregister: 4 * counter };
    if let Source::Register(region) = &mut instruction.sources[0] {
        region.origin = origin;
    }
    Ok(())
}

fn message(word: Word, instruction: &mut Instruction) -> Result<(), String> {
    let (file, origin) = direct(word, 50, 56, 0)?;
    instruction.destination =
        Destination { file, data_type: DataType::Ud, origin, ..NO_DESTINATION };
    let (file, origin) = direct(word, 66, 72, 0)?;
    if file != RegisterFile::Grf {
        return Err("the payload of a message is in general registers".into());
    }
    instruction.sources[0] = Source::Register(Region {
        file,
        data_type: DataType::Ud,
        origin,
        layout: Layout::Rows { vertical: Some(8), width: 8, horizontal: 1 },
        absolute: false,
        negate: false,
    });
    instruction.source_count = 1;
    let (second_file, _) = direct(word, 98, 104, 0)?;
    // Of the two descriptors in pieces: bits 31:30, 29:25, 24:20, 19:11 and 10:0, and the length of
    // the second part, bits 10:6.
    let pieces = [(123, 122), (71, 67), (55, 51), (121, 113), (91, 81)];
    let descriptor = word.pieces(&pieces);
    // Of the extended one bits 31:28, 27:26, 25:24 and 23:16.
    let upper = word.pieces(&[(127, 124), (97, 96), (65, 64), (47, 40)]);
    let is_constant = |at| !word.bit(at);
    instruction.message = MessageFields {
        function: word.bits(95, 92) as u8,
        end_of_thread: word.bit(34),
        descriptor: is_constant(48).then_some(descriptor),
        second: (second_file == RegisterFile::Grf)
            .then(|| (word.bits(111, 104) as u8, word.bits(103, 99) as u8)),
        extended_in: (!is_constant(49)).then(|| word.bits(42, 40) as u8),
        extended: upper << 16 | word.bits(39, 35) << 11,
    };
    Ok(())
}
