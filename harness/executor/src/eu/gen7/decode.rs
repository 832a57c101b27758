//! Machine code to fields; that of Gen12 is in `gen12`.
//!
//! This is the executor's own reading of the tables. It refuses what has no meaning at all (reserved
//! codes) and leaves legality to others.

use parallax_isa::eu::{DataType, register::RegisterFile};

use super::{
    arf, compaction,
    fields::{self, Code, Field, Generation, SourceFields},
    gen12,
    instruction::{Distances, Instruction, MessageFields, Source},
    math, opcodes,
    operation::Operands,
    word::Word,
};
use crate::eu::{
    condition::Condition,
    decode::{layout, stride},
    instruction::{Destination, Layout, NO_DESTINATION, Origin, Region},
    mask::Predicate,
};

/// The number of the address register.
const ADDRESS_REGISTER: u32 = 0x10;

/// Bytes of an instruction and of its compact form.
const NATIVE_BYTES: usize = 16;
const COMPACT_BYTES: usize = 8;

/// Decodes the instruction at the start of `bytes` for a program: the instruction and its size.
pub(super) fn decode(generation: Generation, bytes: &[u8]) -> Result<(Instruction, usize), String> {
    let (instruction, size) = read(generation, bytes)?;
    if generation == Generation::Gen12 {
        gen12::check_types(&instruction)?;
    }
    Ok((instruction, size))
}

/// Decodes the instruction at the start of `bytes`, also one that no program may have.
pub(super) fn read(generation: Generation, bytes: &[u8]) -> Result<(Instruction, usize), String> {
    let Some(compact) = bytes.first_chunk::<COMPACT_BYTES>() else {
        return Err(format!("{} bytes are too few for an instruction", bytes.len()));
    };
    let compact = u64::from_le_bytes(*compact);
    let (word, size) = if compact >> fields::COMPACT_CONTROL & 1 == 1 {
        (expanded(generation, compact)?, COMPACT_BYTES)
    } else {
        match bytes.first_chunk::<NATIVE_BYTES>() {
            Some(native) => (Word(u128::from_le_bytes(*native)), NATIVE_BYTES),
            None => {
                return Err(format!("{} bytes are too few for a 16-byte instruction", bytes.len()));
            }
        }
    };
    let instruction = match generation {
        Generation::Gen12 => gen12::decode(word)?,
        _ => Code { generation, word }.instruction()?,
    };
    Ok((instruction, size))
}

/// The 128-bit form of a compact instruction.
fn expanded(generation: Generation, compact: u64) -> Result<Word, String> {
    if generation == Generation::Gen12 {
        return gen12::expanded(compact);
    }
    let operation = opcodes::of((compact & 0x7F) as u8, generation);
    match (operation.operands, generation) {
        (Operands::Three, Generation::Gen9) => Ok(compaction::expand_three_sources(compact)),
        (Operands::Three, _) | (Operands::SplitMessage, _) => {
            Err(format!("{} has no compact form", operation.name))
        }
        _ => Ok(compaction::expand(generation, compact)),
    }
}

impl Code {
    fn instruction(self) -> Result<Instruction, String> {
        let operation = opcodes::of(self.get(fields::OPCODE) as u8, self.generation);
        let breakpoint = self.is(fields::DEBUG_CONTROL);
        let mut instruction =
            Instruction { breakpoint, ..Instruction::bare(self.generation, operation) };
        if matches!(operation.operands, Operands::Bare) {
            return Ok(instruction);
        }
        self.controls(&mut instruction)?;
        match operation.operands {
            Operands::Bare | Operands::None => {}
            Operands::One => self.basic(&mut instruction, 1)?,
            Operands::Two => self.basic(&mut instruction, 2)?,
            Operands::Three => self.three_sources(&mut instruction)?,
            Operands::Math => {
                instruction.condition = Condition::None;
                instruction.function = self.get(fields::CONDITION) as u8;
                let macros = self.generation == Generation::Gen9 && instruction.function >= 14;
                if !matches!(instruction.function, 1..=7 | 9..=13) && !macros {
                    return Err(format!("math function {} is reserved", instruction.function));
                }
                let align16 = instruction.align16;
                instruction.destination = self.destination(align16)?;
                // The second source of the other functions says nothing.
                let count = if matches!(instruction.function, 9..=14) { 2 } else { 1 };
                for number in 0..count {
                    instruction.sources[number] = self.source_of(number, align16, count)?;
                }
                instruction.source_count = count as u8;
                math::check_immediate(&instruction.sources[0])?;
            }
            Operands::Branch => instruction.distances = self.distances(),
            // Without an immediate distance they have registers.
            Operands::BranchTo(_) if self.has_distances() => {
                instruction.distances = self.distances();
            }
            Operands::BranchTo(_) => {
                instruction.sources[0] = self.source_of(0, instruction.align16, 2)?;
                instruction.source_count = 1;
            }
            Operands::Jump => {
                self.basic(&mut instruction, 2)?;
                instruction.sources[0] = instruction.sources[1];
                instruction.source_count = 1;
            }
            Operands::Call if self.get(fields::SOURCES[1].file) == 3 => {
                instruction.destination = self.destination(false)?;
                instruction.distances = self.distances();
            }
            Operands::Call => {
                instruction.destination = self.destination(instruction.align16)?;
                instruction.sources[0] = self.source_of(1, instruction.align16, 2)?;
                instruction.source_count = 1;
            }
            Operands::Return => {
                instruction.sources[0] = self.source_of(0, instruction.align16, 2)?;
                instruction.source_count = 1;
            }
            Operands::Message => self.message(&mut instruction)?,
            Operands::SplitMessage => self.split_message(&mut instruction)?,
            Operands::Sync => {}
        }
        Ok(instruction)
    }

    /// Whether a branch that may have a register has distances: they are an immediate in the place of the
    /// second source, from Gen8 on of the first.
    fn has_distances(self) -> bool {
        let source = usize::from(self.generation == Generation::Gen7);
        self.get(fields::SOURCES[source].file) == 3
    }

    /// Distances of branches, in bytes: Gen7 counts units of eight.
    fn distances(self) -> Distances {
        let unit = match self.generation {
            Generation::Gen7 => 8,
            _ => 1,
        };
        Distances {
            jip: self.signed(fields::JIP).wrapping_mul(unit),
            uip: self.signed(fields::UIP).wrapping_mul(unit),
        }
    }

    /// The fields before the operands.
    fn controls(self, instruction: &mut Instruction) -> Result<(), String> {
        let operands = instruction.operation.operands;
        instruction.execution_size = match self.get(fields::EXECUTION_SIZE) {
            size @ 0..=5 => 1 << size,
            size => return Err(format!("execution size code {size} is reserved")),
        };
        instruction.align16 = self.is(fields::ACCESS_MODE);
        if operands == Operands::Three && !instruction.align16 {
            return Err("three sources are in Align16 only".into());
        }
        if self.get(fields::THREAD_CONTROL) == 3 {
            return Err("thread control 3 is reserved".into());
        }
        instruction.no_mask = self.is(fields::MASK_CONTROL);
        instruction.first_channel =
            (8 * self.get(fields::QUARTER_CONTROL) + 4 * self.get(fields::NIBBLE_CONTROL)) as u8;
        instruction.predicate = self.predicate(instruction.align16)?;
        instruction.predicate_inverse = self.is(fields::PREDICATE_INVERSE);
        let shared =
            matches!(operands, Operands::Math | Operands::Message | Operands::SplitMessage);
        if !shared {
            instruction.condition = self.condition()?;
        }
        let (register, half) = match operands {
            Operands::Three => (fields::TERNARY_FLAG_REGISTER, fields::TERNARY_FLAG_HALF),
            _ => (fields::FLAG_REGISTER, fields::FLAG_HALF),
        };
        instruction.flag = (2 * self.get(register) + self.get(half)) as u8;
        instruction.saturate = self.is(fields::SATURATE);
        instruction.accumulator_control = self.is(fields::ACCUMULATOR_CONTROL);
        Ok(())
    }

    fn basic(self, instruction: &mut Instruction, sources: usize) -> Result<(), String> {
        instruction.destination = self.destination(instruction.align16)?;
        for number in 0..sources {
            instruction.sources[number] = self.source_of(number, instruction.align16, sources)?;
        }
        instruction.source_count = sources as u8;
        Ok(())
    }

    fn condition(self) -> Result<Condition, String> {
        Ok(match self.get(fields::CONDITION) {
            0 => Condition::None,
            1 => Condition::Equal,
            2 => Condition::NotEqual,
            3 => Condition::Greater,
            4 => Condition::GreaterEqual,
            5 => Condition::Less,
            6 => Condition::LessEqual,
            8 => Condition::Overflow,
            9 => Condition::Unordered,
            code => return Err(format!("conditional modifier code {code} is reserved")),
        })
    }

    fn predicate(self, align16: bool) -> Result<Predicate, String> {
        Ok(match (self.get(fields::PREDICATE_CONTROL), align16) {
            (0, _) => Predicate::None,
            (1, _) => Predicate::Sequential,
            (channel @ 2..=5, true) => Predicate::Replicate(channel as u8 - 2),
            (2, false) => Predicate::AnyVertical,
            (3, false) => Predicate::AllVertical,
            (6, true) => Predicate::Any(4),
            (7, true) => Predicate::All(4),
            (code @ 4..=13, false) => {
                let group = 1 << (code / 2 - 1);
                if code % 2 == 0 { Predicate::Any(group) } else { Predicate::All(group) }
            }
            (code, _) => return Err(format!("predicate control {code} is reserved")),
        })
    }

    fn destination(self, align16: bool) -> Result<Destination, String> {
        let subregister = self.get(fields::DESTINATION_SUBREGISTER) as u8;
        let origin = if self.is(fields::DESTINATION_MODE) {
            let (subregister, offset) = self.address(&fields::DESTINATION_ADDRESS);
            Origin::Indirect { subregister, offset: if align16 { offset & !0xF } else { offset } }
        } else {
            let number = self.get(fields::DESTINATION_REGISTER) as u8;
            self.check_register(self.get(fields::DESTINATION_FILE), number)?;
            Origin::Direct {
                number,
                subregister: if align16 { subregister & 16 } else { subregister },
            }
        };
        let enable = self.get(fields::CHANNEL_ENABLE) as u8;
        Ok(Destination {
            file: match self.get(fields::DESTINATION_FILE) {
                0 => RegisterFile::Arf,
                1 => RegisterFile::Grf,
                2 => return Err("register file 2 is reserved".into()),
                _ => return Err("a destination cannot be an immediate".into()),
            },
            data_type: self.register_type(fields::DESTINATION_TYPE)?,
            origin,
            stride: if align16 { 1 } else { stride(self.get(fields::DESTINATION_STRIDE)) },
            channel_enable: if align16 { enable } else { 0xF },
        })
    }

    /// Refuses numbers that no register of a file has.
    fn check_register(self, file: u32, number: u8) -> Result<(), String> {
        match file {
            0 if !arf::exists(self.generation, number) => {
                Err(format!("there is no architecture register {number:#04x}"))
            }
            1 if number > 127 => Err(format!("there is no register r{number}")),
            _ => Ok(()),
        }
    }

    fn source_of(self, number: usize, align16: bool, count: usize) -> Result<Source, String> {
        let SourceFields { file, data_type, region, address } = &fields::SOURCES[number];
        let file = match self.get(*file) {
            0 => RegisterFile::Arf,
            1 => RegisterFile::Grf,
            2 => return Err("register file 2 is reserved".into()),
            _ if number == 0 && count == 2 => {
                return Err("only the last source can be an immediate".into());
            }
            _ => return self.immediate(self.get(*data_type), count),
        };
        let data_type = self.register_type(*data_type)?;
        let at = |high: u32, low: u32| self.word.bits(high + region, low + region);
        let origin = if at(15, 15) == 1 {
            let (subregister, offset) = self.address(address);
            Origin::Indirect { subregister, offset: if align16 { offset & !0xF } else { offset } }
        } else {
            let subregister = at(4, 0) as u8;
            let subregister = if align16 { subregister & 16 } else { subregister };
            let number = at(12, 5) as u8;
            self.check_register(u32::from(file == RegisterFile::Grf), number)?;
            Origin::Direct { number, subregister }
        };
        let vertical = match at(24, 21) {
            0 => Some(0),
            3 if align16 => Some(4),
            2 if align16 && self.generation == Generation::Gen9 => Some(2),
            code if align16 => return Err(format!("vertical stride code {code} is reserved")),
            code @ 1..=6 => Some(1 << (code - 1)),
            15 => None,
            code => return Err(format!("vertical stride code {code} is reserved")),
        };
        let layout = layout(at, align16, vertical)?;
        let (absolute, negate) = (at(13, 13) == 1, at(14, 14) == 1);
        Ok(Source::Register(Region { file, data_type, origin, layout, absolute, negate }))
    }

    fn immediate(self, code: u32, sources: usize) -> Result<Source, String> {
        let later = self.generation == Generation::Gen9;
        let data_type = match code {
            0 => DataType::Ud,
            1 => DataType::D,
            2 => DataType::Uw,
            3 => DataType::W,
            4 => DataType::Uv,
            5 => DataType::Vf,
            6 => DataType::V,
            7 => DataType::F,
            8 if later => DataType::Uq,
            9 if later => DataType::Q,
            10 if later => DataType::Df,
            11 if later => DataType::Hf,
            _ => return Err(format!("type code {code} is reserved for immediates")),
        };
        let bits = if data_type.size() == 8 {
            if sources != 1 {
                return Err("an immediate of 64 bits needs the place of the second source".into());
            }
            (self.word.0 >> 64) as u64
        } else {
            self.word.bits(127, 96).into()
        };
        Ok(Source::Immediate { data_type, bits })
    }

    fn register_type(self, field: Field) -> Result<DataType, String> {
        let later = self.generation == Generation::Gen9;
        Ok(match self.get(field) {
            0 => DataType::Ud,
            1 => DataType::D,
            2 => DataType::Uw,
            3 => DataType::W,
            4 => DataType::Ub,
            5 => DataType::B,
            6 => DataType::Df,
            7 => DataType::F,
            8 if later => DataType::Uq,
            9 if later => DataType::Q,
            10 if later => DataType::Hf,
            code => return Err(format!("type code {code} is reserved for registers")),
        })
    }

    /// Operands of the three-source form: general registers, in groups of four channels.
    fn three_sources(self, instruction: &mut Instruction) -> Result<(), String> {
        let later = self.generation == Generation::Gen9;
        self.check_register(1, self.get(fields::TERNARY_DESTINATION_REGISTER) as u8)?;
        instruction.destination = Destination {
            file: RegisterFile::Grf,
            data_type: ternary_type(self.get(fields::TERNARY_DESTINATION_TYPE))?,
            origin: Origin::Direct {
                number: self.get(fields::TERNARY_DESTINATION_REGISTER) as u8,
                subregister: self.get(fields::TERNARY_DESTINATION_SUBREGISTER) as u8 * 4,
            },
            stride: 1,
            channel_enable: self.get(fields::TERNARY_CHANNEL_ENABLE) as u8,
        };
        let common = ternary_type(self.get(fields::TERNARY_SOURCE_TYPE))?;
        for (number, places) in fields::TERNARY.iter().enumerate() {
            let mut data_type = common;
            if later && number > 0 && matches!(common, DataType::F | DataType::Hf) {
                let half = self.word.bit(fields::TERNARY_HALF_SOURCES[number - 1]);
                data_type = if half { DataType::Hf } else { DataType::F };
            }
            let odd_word = later && self.word.bit(places.odd_word);
            let subregister = self.get(places.subregister) as u8 * 4 + 2 * u8::from(odd_word);
            let select = self.get(places.select);
            let layout = if self.is(places.replicate) {
                Layout::Rows { vertical: Some(0), width: 1, horizontal: 0 }
            } else {
                let select = [0, 2, 4, 6].map(|low| (select >> low & 3) as u8);
                Layout::Swizzle { vertical: 4, select }
            };
            let number_of_register = self.get(places.register) as u8;
            self.check_register(1, number_of_register)?;
            instruction.sources[number] = Source::Register(Region {
                file: RegisterFile::Grf,
                data_type,
                origin: Origin::Direct { number: number_of_register, subregister },
                layout,
                absolute: self.is(places.absolute),
                negate: self.is(places.negate),
            });
        }
        instruction.source_count = 3;
        Ok(())
    }

    fn message(self, instruction: &mut Instruction) -> Result<(), String> {
        instruction.destination = self.destination(instruction.align16)?;
        instruction.sources[0] = self.payload(instruction.align16)?;
        instruction.source_count = 1;
        let immediate = match self.get(fields::SOURCES[1].file) {
            0 if self.word.bits(108, 101) == ADDRESS_REGISTER => false,
            0 => return Err("a message descriptor can be in a0 only".into()),
            3 => true,
            file => return Err(format!("register file {file} is reserved for descriptors")),
        };
        instruction.message = MessageFields {
            function: self.get(fields::CONDITION) as u8,
            end_of_thread: self.is(fields::END_OF_THREAD),
            descriptor: immediate.then(|| self.get(fields::MESSAGE_DESCRIPTOR)),
            second: None,
            extended_in: None,
            extended: match self.generation {
                Generation::Gen7 => 0,
                _ => self.word.pieces(&[(94, 91), (88, 85), (83, 80), (67, 64)]) << 16,
            },
        };
        Ok(())
    }

    /// The first register of a message: its region says nothing.
    fn payload(self, align16: bool) -> Result<Source, String> {
        let SourceFields { file, data_type, address, .. } = &fields::SOURCES[0];
        let file = match self.get(*file) {
            0 => RegisterFile::Arf,
            1 => RegisterFile::Grf,
            file => return Err(format!("register file {file} is reserved for messages")),
        };
        let data_type = self.register_type(*data_type)?;
        let origin = if self.word.bit(79) {
            let (subregister, offset) = self.address(address);
            Origin::Indirect { subregister, offset: if align16 { offset & !0xF } else { offset } }
        } else {
            let number = self.word.bits(76, 69) as u8;
            self.check_register(u32::from(file == RegisterFile::Grf), number)?;
            Origin::Direct { number, subregister: 0 }
        };
        let layout = Layout::Rows { vertical: Some(8), width: 8, horizontal: 1 };
        let (absolute, negate) = (false, false);
        Ok(Source::Register(Region { file, data_type, origin, layout, absolute, negate }))
    }

    /// The two parts of a `sends` are registers without types.
    fn split_message(self, instruction: &mut Instruction) -> Result<(), String> {
        let bits = |high, low| self.word.bits(high, low);
        let file = |at| if self.word.bit(at) { RegisterFile::Grf } else { RegisterFile::Arf };
        let offset = |sign, high, low| {
            let offset = u32::from(self.word.bit(sign)) << 9 | bits(high, low) << 4;
            ((offset << 6) as u16).cast_signed() >> 6
        };
        self.register_type(fields::DESTINATION_TYPE)?;
        let origin = if self.word.bit(63) {
            Origin::Indirect { subregister: bits(60, 57) as u8, offset: offset(62, 56, 52) }
        } else {
            self.check_register(bits(35, 35), bits(60, 53) as u8)?;
            Origin::Direct { number: bits(60, 53) as u8, subregister: 0 }
        };
        instruction.destination =
            Destination { file: file(35), data_type: DataType::Ud, origin, ..NO_DESTINATION };
        let origin = if self.word.bit(79) {
            Origin::Indirect { subregister: bits(76, 73) as u8, offset: offset(78, 72, 68) }
        } else {
            self.check_register(1, bits(76, 69) as u8)?;
            Origin::Direct { number: bits(76, 69) as u8, subregister: 0 }
        };
        instruction.sources[0] = Source::Register(Region {
            file: RegisterFile::Grf,
            data_type: DataType::Ud,
            origin,
            layout: Layout::Rows { vertical: Some(8), width: 8, horizontal: 1 },
            absolute: false,
            negate: false,
        });
        instruction.source_count = 1;
        self.check_register(bits(36, 36), bits(51, 44) as u8)?;
        let extended_in = self.word.bit(61).then(|| bits(82, 80) as u8);
        let length = bits(67, 64) as u8;
        instruction.message = MessageFields {
            function: self.get(fields::CONDITION) as u8,
            end_of_thread: self.is(fields::END_OF_THREAD),
            descriptor: (!self.word.bit(77)).then(|| self.get(fields::MESSAGE_DESCRIPTOR)),
            second: self.word.bit(36).then_some((bits(51, 44) as u8, length)),
            extended_in,
            extended: bits(95, 80) << 16,
        };
        Ok(())
    }
}

fn ternary_type(code: u32) -> Result<DataType, String> {
    Ok(match code {
        0 => DataType::F,
        1 => DataType::D,
        2 => DataType::Ud,
        3 => DataType::Df,
        4 => DataType::Hf,
        _ => return Err(format!("type code {code} is reserved for three sources")),
    })
}
