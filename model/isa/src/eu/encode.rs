//! [`Instruction`] to machine code (G45 volume 4, section 13.2).

use std::fmt;

use super::{
    codes::{self, Codes, Numbers},
    compaction::{self, NotCompactable},
    fields::{self, Field, PlaceFields, Word},
    generation::Generation,
    instruction::{AccessMode, ConditionalModifier, Descriptor, Instruction, Message, OPCODE_BITS},
    opcode::{Format, Opcode},
    operand::{Destination, DestinationRegion, Region, Register, Source},
    register::RegisterFile,
};
use crate::{Device, device::NoExecutionUnit};

mod gen12;
mod later;

/// An instruction that no machine code stands for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// The device has no Intel execution units that this version models.
    #[error("{0}, so its machine code is of another kind")]
    Device(NoExecutionUnit),
    /// The device does not have the operation.
    #[error("{device} has no instruction `{mnemonic}`", mnemonic = opcode.mnemonic())]
    Opcode {
        /// The operation.
        opcode: Opcode,
        /// Device encoded for.
        device: Device,
    },
    /// A field cannot hold what the instruction says.
    #[error("{field} cannot be {value}; allowed: {allowed}")]
    Field {
        /// Name of the field in the table `eu-inst-fields`.
        field: &'static str,
        /// What it was to hold.
        value: String,
        /// What it can hold.
        allowed: String,
    },
    /// Parts that do not go together.
    #[error("{0}")]
    Shape(&'static str),
    /// A compact instruction on a device without compaction.
    #[error("{0} has no compact instructions")]
    Compact(Device),
    /// No compact form exists.
    #[error(transparent)]
    NotCompactable(#[from] NotCompactable),
}

/// The machine code of an instruction: 8 bytes if it is compact, else 16.
///
/// # Errors
/// If a part of the instruction has no code on the device, or it is to be compact and has no
/// compact form.
pub fn encode(device: Device, instruction: &Instruction) -> Result<Vec<u8>, EncodeError> {
    let canonical = word(device, instruction)?;
    let changed = Word { bits: canonical.bits ^ instruction.residue, ..canonical };
    let word = changed.bits;
    check_opcode(device, instruction.opcode, word)?;
    if !instruction.compact {
        if changed.is_set(&fields::basic::CMPT_CTRL) {
            return Err(EncodeError::Shape("the residue sets CmptCtrl of what is not compact"));
        }
        return match instruction.compact_residue {
            0 => Ok(word.to_le_bytes().to_vec()),
            _ => Err(EncodeError::Shape("only compact instructions have a compact residue")),
        };
    }
    Ok(compacted(device, word, instruction.compact_residue)?.to_le_bytes().to_vec())
}

/// The compact form of a word on a device, with a residue that the word does not tell.
fn compacted(device: Device, word: u128, residue: u64) -> Result<u64, EncodeError> {
    let generation = device.execution_unit().map_err(EncodeError::Device)?;
    if generation <= Generation::Gen45 {
        return match residue {
            0 => Ok(compaction::compacted(word)?),
            _ => {
                Err(EncodeError::Shape("every bit of a compact instruction is in its 128-bit word"))
            }
        };
    }
    let compact = compaction::compacted_on(generation, word)? ^ residue;
    if compaction::expand_on(generation, compact) == Some(word) {
        Ok(compact)
    } else {
        Err(EncodeError::Shape("the compact residue makes another instruction"))
    }
}

/// The shortest machine code of an instruction: 8 bytes if it has a compact form, else 16. Whether
/// the instruction is marked as compact plays no part.
///
/// # Errors
/// If a part of the instruction has no code on the device.
pub fn encode_shortest(device: Device, instruction: &Instruction) -> Result<Vec<u8>, EncodeError> {
    if instruction.opcode.format() == Format::Nothing {
        // What a field without meaning holds differs in the two forms.
        let compact = Instruction { compact: true, ..*instruction };
        return encode(device, &compact).or_else(|_| encode(device, instruction));
    }
    let full = Instruction { compact: false, compact_residue: 0, ..*instruction };
    let full = encode(device, &full)?;
    if compaction::is_supported(device)
        && let Ok(word) = <[u8; 16]>::try_from(full.as_slice())
        && let Ok(compact) = compacted(device, u128::from_le_bytes(word), 0)
    {
        return Ok(compact.to_le_bytes().to_vec());
    }
    Ok(full)
}

/// A residue does not make another operation of an instruction.
fn check_opcode(device: Device, opcode: Opcode, word: u128) -> Result<(), EncodeError> {
    let code = (word & OPCODE_BITS) as u8;
    let stands_for = Opcode::of_code(device, code).unwrap_or(Opcode::Illegal);
    if stands_for == opcode {
        return Ok(());
    }
    let other = stands_for.mnemonic();
    let value = format!("{code:#04x}: on {device} that is {other}");
    let allowed = match (opcode, opcode.code(device)) {
        (Opcode::Illegal, _) => "0x00 and codes that are no operation".to_owned(),
        (_, code) => format!("{:#04x}", code.unwrap_or_default()),
    };
    Err(EncodeError::Field { field: fields::basic::OPCODE.name, value, allowed })
}

/// The compact form of an instruction, if it has one: the machine code of the result is 8 bytes.
#[must_use]
pub fn compact(device: Device, instruction: &Instruction) -> Option<Instruction> {
    let compact = Instruction { compact: true, ..*instruction };
    encode(device, &compact).ok().map(|_| compact)
}

/// The 128-bit word of an instruction's fields, its residue left out. Of a compact instruction it
/// is the word that the compact form expands to.
pub(super) fn word(device: Device, instruction: &Instruction) -> Result<Word, EncodeError> {
    let generation = device.execution_unit().map_err(EncodeError::Device)?;
    if instruction.compact && !compaction::is_supported(device) {
        return Err(EncodeError::Compact(device));
    }
    let opcode = instruction.opcode;
    let code = opcode.code(device).ok_or(EncodeError::Opcode { opcode, device })?;
    let mut encoder = Encoder { word: Word { bits: 0, generation } };
    encoder.word.put(&fields::basic::OPCODE, code.into());
    encoder.word.put(&fields::basic::DEBUG_CTRL, instruction.breakpoint.into());
    encoder.instruction(instruction)?;
    if instruction.compact && opcode.format() == Format::Nothing {
        // The five indices are unused and zero, but entry 0 of a table need not be.
        encoder.word.bits |= match generation {
            Generation::Gen4 | Generation::Gen45 => compaction::expand(0),
            _ => compaction::expand_on(generation, code.into()).unwrap_or_default(),
        };
    }
    Ok(encoder.word)
}

struct Encoder {
    word: Word,
}

impl Encoder {
    fn instruction(&mut self, instruction: &Instruction) -> Result<(), EncodeError> {
        let Instruction { opcode, access_mode: mode, destination, sources, message, .. } =
            instruction;
        let format = opcode.format_on(self.word.generation);
        let is_message = matches!(format, Format::Message | Format::SplitMessage);
        if message.is_some() != is_message {
            return Err(EncodeError::Shape(
                "a message descriptor belongs to send and only to send",
            ));
        }
        if instruction.branch.is_some() != (format == Format::Branch) {
            return Err(EncodeError::Shape(
                "jump distances belong to branches of Gen7 and later, and only to those",
            ));
        }
        if instruction.math.is_some() != (*opcode == Opcode::Math)
            || instruction.sync.is_some() != (format == Format::Sync)
        {
            return Err(EncodeError::Shape("a function belongs to math or sync and only to those"));
        }
        if format == Format::Nothing {
            return Ok(());
        }
        self.controls(instruction, format)?;
        match format {
            Format::Nothing | Format::Controls => Ok(()),
            Format::ExitCode => self.source(1, &sources[1], *mode),
            Format::Unary => {
                self.beside_wide_immediate(instruction)?;
                self.destination(destination, *mode)?;
                self.source(0, &sources[0], *mode)?;
                if let Source::Immediate { data_type, .. } = sources[0]
                    && data_type.size() < 8
                    && self.word.generation < Generation::Gen12
                {
                    // The absent src1 is null, of the type of src0.
                    let same = self.word.get(&fields::basic::SRC0_DATA_TYPE);
                    self.word.put(&fields::basic::SRC1_DATA_TYPE, same);
                }
                Ok(())
            }
            Format::Binary if *opcode == Opcode::Math => self.math(instruction),
            Format::Binary => {
                self.destination(destination, *mode)?;
                self.register_source(0, &sources[0], *mode)?;
                self.source(1, &sources[1], *mode)
            }
            Format::Ternary if self.word.generation >= Generation::Gen12 => {
                self.ternary_align1(instruction)
            }
            Format::Ternary => self.ternary(instruction),
            Format::Branch => self.branch(instruction),
            Format::Sync => self.sync(instruction),
            Format::SplitMessage if self.word.generation >= Generation::Gen12 => {
                self.message_of_two_payloads(instruction)
            }
            Format::SplitMessage => self.split_message(instruction),
            Format::Message if self.word.generation > Generation::Gen45 => self.send(instruction),
            Format::Message => {
                self.destination(destination, *mode)?;
                self.register_source(0, &sources[0], *mode)?;
                message.map_or(Ok(()), |message| self.message(&message))
            }
        }
    }

    fn controls(&mut self, instruction: &Instruction, format: Format) -> Result<(), EncodeError> {
        let mode = instruction.access_mode;
        let predicate = instruction.predicate;
        let predicate_controls = codes::predicate_controls(mode);
        self.coded(&fields::basic::EXEC_SIZE, instruction.execution_size, &codes::EXECUTION_SIZES)?;
        if self.word.generation < Generation::Gen12 {
            self.coded(&fields::basic::ACCESS_MODE, mode, &codes::ACCESS_MODES)?;
            let codes = &codes::THREAD_CONTROLS;
            self.coded(&fields::basic::THREAD_CTRL, instruction.thread_control, codes)?;
        } else {
            self.controls_of_gen12(instruction)?;
        }
        self.flag(&fields::basic::MASK_CTRL, instruction.no_mask)?;
        self.flag(&fields::basic::MASK_CTRL_EX, instruction.mask_control_ex)?;
        if self.word.generation <= Generation::Gen45 {
            self.coded(&fields::basic::QTR_CTRL, instruction.compression, &codes::COMPRESSIONS)?;
            self.number(&fields::basic::NIB_CTRL, (instruction.first_channel / 4).into())?;
        } else {
            self.channel_group(instruction)?;
        }
        self.flag(&fields::basic::DEP_CTRL_NO_DD_CLR, instruction.no_dd_clear)?;
        self.flag(&fields::basic::DEP_CTRL_NO_DD_CHK, instruction.no_dd_check)?;
        self.coded(&fields::basic::PRED_CTRL, predicate.control, predicate_controls)?;
        self.flag(&fields::basic::PRED_INV, predicate.inverse)?;
        if fields::has_condition(self.word.generation, instruction.opcode) {
            let codes = &codes::CONDITIONAL_MODIFIERS;
            self.coded(&fields::basic::COND_MODIFIER, instruction.condition, codes)?;
        } else if instruction.condition != ConditionalModifier::None
            && self.word.generation > Generation::Gen45
        {
            return Err(EncodeError::Shape(
                "math, sync, messages, and branches of Gen12 have no conditional modifier",
            ));
        }
        if fields::has_accumulator_write(format) {
            self.flag(&fields::basic::ACC_WR_CTRL, instruction.accumulator_write)?;
        } else if instruction.accumulator_write {
            return Err(EncodeError::Shape("branches and messages do not write the accumulator"));
        }
        let [flag_register, flag_subregister] = fields::flag_fields(self.word.generation, format);
        self.number(flag_register, instruction.flag_register.into())?;
        self.number(flag_subregister, instruction.flag_subregister.into())?;
        if instruction.saturate && !fields::has_saturation(self.word.generation, format) {
            return Err(EncodeError::Shape("messages do not saturate"));
        }
        self.flag(&fields::basic::SATURATE, instruction.saturate)
    }

    /// The file of a register: on Gen12 only of one that is named in the instruction.
    fn file(&mut self, field: &'static Field, register: Register) -> Result<(), EncodeError> {
        if self.word.generation >= Generation::Gen12
            && let Register::Indirect { file, .. } = register
        {
            return match file {
                RegisterFile::Grf => Ok(()),
                _ => Err(EncodeError::Shape("an address names a general register")),
            };
        }
        self.coded(field, register.file(), &codes::REGISTER_FILES)
    }

    /// Says that src0 or src1 is an immediate.
    fn mark_immediate(&mut self, index: usize) {
        if self.word.generation >= Generation::Gen12 {
            self.word.put(fields::IS_IMMEDIATE[index], 1);
        } else {
            self.word.put(fields::SOURCES[index].file, fields::IMMEDIATE_FILE);
        }
    }

    fn destination(
        &mut self,
        destination: &Destination,
        mode: AccessMode,
    ) -> Result<(), EncodeError> {
        let register = destination.register;
        self.file(&fields::basic::DST_REG_FILE, register)?;
        check_number(
            &fields::basic::DST_REG_NUM,
            register,
            codes::destination_numbers(self.word.generation, register.file()),
        )?;
        let types = &codes::REGISTER_TYPES;
        self.coded(&fields::basic::DST_DATA_TYPE, destination.data_type, types)?;
        self.place(&fields::DESTINATION_PLACE, &fields::basic::DST_ADDR_MODE, register, mode)?;
        match (mode, destination.region) {
            (AccessMode::Align1, DestinationRegion::Stride(stride)) => {
                self.coded(&fields::basic::DST_HORZ_STRIDE, stride, &codes::HORIZONTAL_STRIDES)
            }
            (AccessMode::Align16, DestinationRegion::ChannelEnable(enable)) => {
                // Decision D-eu-align16-stride.
                self.coded(&fields::basic::DST_HORZ_STRIDE, 1, &codes::HORIZONTAL_STRIDES)?;
                self.number(&fields::basic::DST_CHAN_EN_ALIGN16, enable.into())
            }
            (AccessMode::Align1, _) => Err(EncodeError::Shape(
                "an Align1 destination has a horizontal stride, not channel enables",
            )),
            (AccessMode::Align16, _) => Err(EncodeError::Shape(
                "an Align16 destination has channel enables, not a horizontal stride",
            )),
        }
    }

    /// A source that may be an immediate.
    fn source(
        &mut self,
        index: usize,
        source: &Source,
        mode: AccessMode,
    ) -> Result<(), EncodeError> {
        let Source::Immediate { data_type, bits } = *source else {
            return self.register_source(index, source, mode);
        };
        let fields = &fields::SOURCES[index];
        self.mark_immediate(index);
        self.coded(fields.data_type, data_type, &codes::IMMEDIATE_TYPES)?;
        if data_type.size() == 8 {
            return self.wide_immediate(index, bits);
        }
        let Ok(bits) = u32::try_from(bits) else {
            let largest = format!("at most 32 bits, {:#x}", u32::MAX);
            return Err(refused(&fields::immediate::IMM32, format_args!("{bits:#x}"), largest));
        };
        self.word.put(&fields::immediate::IMM32, bits);
        Ok(())
    }

    fn register_source(
        &mut self,
        index: usize,
        source: &Source,
        mode: AccessMode,
    ) -> Result<(), EncodeError> {
        let Source::Register { register, data_type, region, modifier } = *source else {
            return Err(EncodeError::Shape("only the last source can be an immediate"));
        };
        let fields = &fields::SOURCES[index];
        self.file(fields.file, register)?;
        let numbers = codes::source_numbers(self.word.generation, register.file());
        check_number(fields.place.number, register, numbers)?;
        self.coded(fields.data_type, data_type, &codes::REGISTER_TYPES)?;
        self.place(&fields.place, fields.address_mode, register, mode)?;
        self.flag(fields.absolute, modifier.absolute)?;
        self.flag(fields.negate, modifier.negate)?;
        match (mode, region) {
            (AccessMode::Align1, Region::Align1 { vertical, width, horizontal }) => {
                self.coded(fields.vertical, vertical, &codes::VERTICAL_STRIDES)?;
                self.coded(fields.width, width, &codes::WIDTHS)?;
                self.coded(fields.horizontal, horizontal, &codes::HORIZONTAL_STRIDES)
            }
            (AccessMode::Align16, Region::Align16 { vertical, swizzle }) => {
                self.coded(fields.vertical, vertical, &codes::VERTICAL_STRIDES_ALIGN16)?;
                for (field, channel) in fields.select.into_iter().zip(swizzle) {
                    self.number(field, channel.into())?;
                }
                Ok(())
            }
            (AccessMode::Align1, _) => {
                Err(EncodeError::Shape("an Align1 source has a full region, not a swizzle"))
            }
            (AccessMode::Align16, _) => {
                Err(EncodeError::Shape("an Align16 source has a swizzle, not a full region"))
            }
        }
    }

    fn place(
        &mut self,
        fields: &PlaceFields,
        address_mode: &'static Field,
        register: Register,
        mode: AccessMode,
    ) -> Result<(), EncodeError> {
        match register {
            Register::Direct { number, subregister, .. } => {
                self.number(fields.number, number.into())?;
                match mode {
                    AccessMode::Align1 => self.number(fields.subregister, subregister.into()),
                    AccessMode::Align16 => {
                        self.sixteenth(fields.subregister_16, subregister.into(), 0..=16)
                    }
                }
            }
            Register::Indirect { address_subregister, offset, .. } => {
                self.flag(address_mode, true)?;
                self.number(fields.address_subregister, address_subregister.into())?;
                match mode {
                    AccessMode::Align1 if !(-512..=511).contains(&offset) => {
                        Err(refused(fields.address_immediate, offset, "-512 to 511".to_owned()))
                    }
                    AccessMode::Align1 => {
                        self.word.put(fields.address_immediate, i32::from(offset).cast_unsigned());
                        Ok(())
                    }
                    AccessMode::Align16 => {
                        self.sixteenth(fields.address_immediate_16, offset.into(), -512..=496)
                    }
                }
            }
        }
    }

    fn message(&mut self, message: &Message) -> Result<(), EncodeError> {
        let current = message.current_destination;
        self.number(&fields::send::BASE_MRF, current.into())?;
        self.flag(&fields::send::EOT, message.end_of_thread)?;
        match message.descriptor {
            Descriptor::Immediate(bits) => {
                self.word.put(&fields::basic::SRC1_REG_FILE, fields::IMMEDIATE_FILE);
                self.number(&fields::send_g45::MSG_DSCPT31, bits)
            }
            Descriptor::Address => {
                // a0.0<0;1,0>:ud: every other field is zero.
                self.word.put(&fields::basic::SRC1_REG_NUM, 0x10);
                Ok(())
            }
        }
    }

    fn coded<T: Copy + PartialEq + fmt::Debug>(
        &mut self,
        field: &'static Field,
        meaning: T,
        codes: &Codes<T>,
    ) -> Result<(), EncodeError> {
        let generation = self.word.generation;
        let Some(code) = codes.code(generation, meaning) else {
            return Err(refused(field, format_args!("{meaning:?}"), codes.meanings(generation)));
        };
        if code != 0 {
            // The word starts with zeros.
            self.word.put(field, code);
        }
        Ok(())
    }

    #[inline]
    fn flag(&mut self, field: &'static Field, set: bool) -> Result<(), EncodeError> {
        self.number(field, set.into())
    }

    #[inline]
    fn number(&mut self, field: &'static Field, value: u32) -> Result<(), EncodeError> {
        if value == 0 {
            // The word starts with zeros.
            return Ok(());
        }
        self.not_zero(field, value)
    }

    fn not_zero(&mut self, field: &'static Field, value: u32) -> Result<(), EncodeError> {
        let largest = field.largest(self.word.generation);
        if value > largest {
            let allowed =
                if largest == 0 { "0 on this device".into() } else { format!("0 to {largest}") };
            return Err(refused(field, value, allowed));
        }
        self.word.put(field, value);
        Ok(())
    }

    /// A field in units of 16 bytes.
    fn sixteenth(
        &mut self,
        field: &'static Field,
        value: i32,
        range: std::ops::RangeInclusive<i32>,
    ) -> Result<(), EncodeError> {
        if value % 16 != 0 || !range.contains(&value) {
            let (start, end) = range.into_inner();
            let allowed = format!("multiples of 16 from {start} to {end}");
            return Err(refused(field, value, allowed));
        }
        self.word.put(field, (value / 16).cast_unsigned());
        Ok(())
    }
}

fn check_number(
    field: &'static Field,
    register: Register,
    numbers: Numbers,
) -> Result<(), EncodeError> {
    match register {
        Register::Direct { number, .. } if !numbers.contain(number.into()) => {
            Err(refused(field, number, numbers.allowed.to_owned()))
        }
        _ => Ok(()),
    }
}

fn refused(field: &'static Field, value: impl fmt::Display, allowed: String) -> EncodeError {
    EncodeError::Field { field: field.name, value: value.to_string(), allowed }
}

#[cfg(test)]
pub(super) mod tests;
