//! Machine code to [`Instruction`] (G45 volume 4, section 13.2).

use parallax_spec::{RuleId, rule_id};

pub use super::instruction::{COMPACT_BYTES, NATIVE_BYTES};
use super::{
    codes::{self, Codes, Numbers},
    compaction, encode,
    fields::{self, Field, PlaceFields, SourceFields, Word},
    generation::Generation,
    instruction::{AccessMode, Descriptor, Instruction, Message, Predicate},
    opcode::{Format, Opcode},
    operand::{Destination, DestinationRegion, Region, Register, Source, SourceModifier},
    register::RegisterFile,
};
use crate::{Device, device::NoExecutionUnit};

mod gen12;
mod later;
mod reserved;

/// Machine code that is no instruction of the device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The device has no Intel execution units that this version models.
    #[error("{0}, so its machine code is of another kind")]
    Device(NoExecutionUnit),
    /// The bytes end inside the instruction.
    #[error("the instruction needs {needed} bytes, only {available} are left")]
    Truncated {
        /// Bytes of the instruction: 8 or 16.
        needed: usize,
        /// Bytes there are.
        available: usize,
    },
    /// A compact instruction on a device without compaction.
    #[error("CmptCtrl (bit 29) is set, but {0} has no compact instructions; 0 is allowed")]
    Compact(Device),
    /// A compact instruction whose operation has no compact form.
    #[error("CmptCtrl (bit 29) is set, but `{mnemonic}` has no compact form on {device}")]
    NoCompactForm {
        /// Mnemonic of the operation.
        mnemonic: &'static str,
        /// Device decoded for.
        device: Device,
    },
    /// A reserved code of a field.
    #[error("{field} (bits {bits}) has the reserved value {value}; allowed: {allowed}")]
    Field {
        /// Name of the field in the table `eu-inst-fields`.
        field: &'static str,
        /// Where it is in the 128-bit word: `23:21`.
        bits: String,
        /// Its value.
        value: u32,
        /// The values it can have.
        allowed: String,
        /// The restrictions that say so.
        rules: Vec<RuleId>,
    },
}

impl DecodeError {
    /// The restrictions that the machine code breaks, where the catalogue has one about it.
    #[must_use]
    pub fn rules(&self) -> &[RuleId] {
        match self {
            Self::Field { rules, .. } => rules,
            Self::NoCompactForm { device: Device::Ivb, .. } => {
                const { &[rule_id!("gen7.isa.stream.expand-no3src")] }
            }
            Self::Compact(_) => const { &[rule_id!("g45.compact.device")] },
            _ => &[],
        }
    }
}

/// Decodes the instruction at the start of `bytes`. Returns it with its length, 8 bytes if it is
/// compact and 16 otherwise; bytes after it are not looked at.
///
/// What was decoded encodes to the same bytes again. A word whose opcode is no operation of the
/// device is an `illegal` instruction, as long as its CmptCtrl bit says.
///
/// # Errors
/// If the bytes end too early, or a field that the instruction uses has a reserved code.
pub fn decode(device: Device, bytes: &[u8]) -> Result<(Instruction, usize), DecodeError> {
    let (mut instruction, word) = meaning(device, bytes)?;
    let generation = word.generation;
    let canonical = encode::word(device, &instruction).expect("what was decoded can be encoded");
    instruction.residue = canonical.bits ^ word.bits;
    if instruction.compact && generation > Generation::Gen45 {
        let canonical = compaction::compacted_on(generation, word.bits);
        let canonical = canonical.expect("what was expanded can be compacted");
        instruction.compact_residue = u64::from_le_bytes(leading(bytes)?) ^ canonical;
    }
    Ok((instruction, instruction.bytes()))
}

/// Decodes what the fields of an instruction mean, all that there is to execute: of what its word holds
/// besides, only an undefined opcode is kept, so that it may encode to other bytes. Returns the
/// 128-bit word with it.
///
/// # Errors
/// As [`decode`].
pub(super) fn meaning(device: Device, bytes: &[u8]) -> Result<(Instruction, Word), DecodeError> {
    let generation = device.execution_unit().map_err(DecodeError::Device)?;
    let head = bytes.first_chunk().map_or(0, |head| u32::from_le_bytes(*head));
    let is_compact = Word { bits: head.into(), generation }.is_set(&fields::basic::CMPT_CTRL);
    if is_compact && !compaction::is_supported(device) {
        return Err(DecodeError::Compact(device));
    }
    let compact = is_compact.then(|| leading(bytes).map(u64::from_le_bytes)).transpose()?;
    let bits = match compact {
        Some(compact) => expanded(device, generation, compact)?,
        None => u128::from_le_bytes(leading(bytes)?),
    };
    let word = Word { bits, generation };
    let decoder = Decoder { device, word };
    Ok((Instruction { compact: is_compact, ..decoder.instruction()? }, word))
}

/// The native form of the word at the start of `bytes`, as its CmptCtrl bit says; `None` if it has none, or the bytes end
/// too early.
#[must_use]
pub fn native(device: Device, bytes: &[u8]) -> Option<Word> {
    let generation = device.generation()?;
    let bits = match length(device, bytes) {
        COMPACT_BYTES => {
            let compact = u64::from_le_bytes(leading(bytes).ok()?);
            expanded(device, generation, compact).ok()?
        }
        _ => u128::from_le_bytes(leading(bytes).ok()?),
    };
    Some(Word { bits, generation })
}

/// The 128-bit word that a compact one stands for.
fn expanded(device: Device, generation: Generation, compact: u64) -> Result<u128, DecodeError> {
    if generation <= Generation::Gen45 {
        return Ok(compaction::expand(compact));
    }
    compaction::expand_on(generation, compact).ok_or_else(|| {
        let code = Word { bits: compact.into(), generation }.get(&fields::basic::OPCODE) as u8;
        let opcode = Opcode::of_code(device, code).unwrap_or(Opcode::Illegal);
        DecodeError::NoCompactForm { mnemonic: opcode.mnemonic(), device }
    })
}

/// Bytes of the word at the start of `bytes`, as its CmptCtrl bit says.
pub(super) fn length(device: Device, bytes: &[u8]) -> usize {
    let compact = bytes.get(3).is_some_and(|byte| byte >> 5 & 1 == 1);
    if compact && compaction::is_supported(device) { COMPACT_BYTES } else { NATIVE_BYTES }
}

fn leading<const N: usize>(bytes: &[u8]) -> Result<[u8; N], DecodeError> {
    let truncated = DecodeError::Truncated { needed: N, available: bytes.len() };
    bytes.first_chunk().copied().ok_or(truncated)
}

struct Decoder {
    device: Device,
    word: Word,
}

impl Decoder {
    fn instruction(&self) -> Result<Instruction, DecodeError> {
        let code = self.word.get(&fields::basic::OPCODE) as u8;
        let (opcode, residue) = match Opcode::of_code(self.device, code) {
            Some(opcode) => (opcode, 0),
            None => {
                // Decision D-eu-undefined-opcode.
                (Opcode::Illegal, code.into())
            }
        };
        let breakpoint = self.word.is_set(&fields::basic::DEBUG_CTRL);
        let bare = Instruction { breakpoint, residue, ..Instruction::bare(opcode) };
        let format = opcode.format_on(self.word.generation);
        if format == Format::Nothing {
            return Ok(bare);
        }
        let controls = self.controls(bare, format)?;
        let mode = controls.access_mode;
        let absent = Source::ABSENT;
        Ok(match format {
            Format::Nothing | Format::Controls => controls,
            Format::ExitCode => {
                Instruction { sources: [absent, self.source(1, mode)?, absent], ..controls }
            }
            Format::Unary if self.is_immediate(0) => Instruction {
                destination: self.destination(mode)?,
                sources: [self.immediate(0)?, absent, absent],
                ..controls
            },
            Format::Unary => Instruction {
                destination: self.destination(mode)?,
                sources: [self.register_source(0, mode)?, absent, absent],
                ..controls
            },
            Format::Binary if opcode == Opcode::Math => self.math(controls)?,
            Format::Binary => Instruction {
                destination: self.destination(mode)?,
                sources: [self.register_source(0, mode)?, self.source(1, mode)?, absent],
                ..controls
            },
            Format::Ternary if self.word.generation >= Generation::Gen12 => {
                self.ternary_align1(controls)?
            }
            Format::Ternary => self.ternary(controls)?,
            Format::Branch => self.branch(controls)?,
            Format::SplitMessage if self.word.generation >= Generation::Gen12 => {
                self.message_of_two_payloads(controls)?
            }
            Format::SplitMessage => self.split_message(controls)?,
            Format::Sync => self.sync(controls)?,
            Format::Message if self.word.generation > Generation::Gen45 => self.send(controls)?,
            Format::Message => Instruction {
                destination: self.destination(mode)?,
                sources: [self.register_source(0, mode)?, absent, absent],
                message: Some(self.message()?),
                ..controls
            },
        })
    }

    /// What the first doubleword says besides operation and operands, and the flag subregister.
    fn controls(&self, bare: Instruction, format: Format) -> Result<Instruction, DecodeError> {
        let generation = self.word.generation;
        let before_gen7 = generation <= Generation::Gen45;
        let [flag_register, flag_subregister] = fields::flag_fields(generation, format);
        let mode = if generation < Generation::Gen12 {
            self.coded(&fields::basic::ACCESS_MODE, &codes::ACCESS_MODES)?
        } else {
            AccessMode::Align1
        };
        let predicate_controls = codes::predicate_controls(mode);
        Ok(Instruction {
            execution_size: self.coded(&fields::basic::EXEC_SIZE, &codes::EXECUTION_SIZES)?,
            access_mode: mode,
            no_mask: self.word.is_set(&fields::basic::MASK_CTRL),
            mask_control_ex: self.word.is_set(&fields::basic::MASK_CTRL_EX),
            accumulator_write: fields::has_accumulator_write(format)
                && self.word.is_set(&fields::basic::ACC_WR_CTRL),
            compression: if before_gen7 {
                self.coded(&fields::basic::QTR_CTRL, &codes::COMPRESSIONS)?
            } else {
                bare.compression
            },
            first_channel: if before_gen7 { 0 } else { self.first_channel() },
            thread_control: if generation < Generation::Gen12 {
                self.coded(&fields::basic::THREAD_CTRL, &codes::THREAD_CONTROLS)?
            } else {
                self.atomic_control()
            },
            no_dd_clear: self.word.is_set(&fields::basic::DEP_CTRL_NO_DD_CLR),
            no_dd_check: self.word.is_set(&fields::basic::DEP_CTRL_NO_DD_CHK),
            predicate: Predicate {
                control: self.coded(&fields::basic::PRED_CTRL, predicate_controls)?,
                inverse: self.word.is_set(&fields::basic::PRED_INV),
            },
            condition: if fields::has_condition(generation, bare.opcode)
                && !(format == Format::Unary && self.has_wide_immediate())
            {
                self.coded(&fields::basic::COND_MODIFIER, &codes::CONDITIONAL_MODIFIERS)?
            } else {
                bare.condition
            },
            scoreboard: self.scoreboard(bare.opcode)?,
            flag_register: self.word.get(flag_register) as u8,
            flag_subregister: self.word.get(flag_subregister) as u8,
            saturate: fields::has_saturation(generation, format)
                && self.word.is_set(&fields::basic::SATURATE),
            ..bare
        })
    }

    fn destination(&self, mode: AccessMode) -> Result<Destination, DecodeError> {
        let word = &self.word;
        let indirect = word.is_set(&fields::basic::DST_ADDR_MODE);
        let file = self.file(&fields::basic::DST_REG_FILE, indirect)?;
        let region = match mode {
            AccessMode::Align1 => DestinationRegion::Stride(
                self.coded(&fields::basic::DST_HORZ_STRIDE, &codes::HORIZONTAL_STRIDES)?,
            ),
            AccessMode::Align16 => {
                DestinationRegion::ChannelEnable(word.get(&fields::basic::DST_CHAN_EN_ALIGN16) as u8)
            }
        };
        let place = &fields::DESTINATION_PLACE;
        if !indirect {
            self.check_number(
                place.number,
                codes::destination_numbers(self.word.generation, file),
            )?;
        }
        Ok(Destination {
            register: self.place(place, file, indirect, mode),
            data_type: self.coded(&fields::basic::DST_DATA_TYPE, &codes::REGISTER_TYPES)?,
            region,
        })
    }

    fn is_immediate(&self, index: usize) -> bool {
        fields::is_immediate(self.word, index)
    }

    /// The file of a register. On Gen12 one that is named by an address is a general register: the
    /// bits are part of the offset.
    fn file(&self, field: &'static Field, indirect: bool) -> Result<RegisterFile, DecodeError> {
        if indirect && self.word.generation >= Generation::Gen12 {
            return Ok(RegisterFile::Grf);
        }
        self.coded(field, &codes::REGISTER_FILES)
    }

    /// A source that may be an immediate.
    fn source(&self, index: usize, mode: AccessMode) -> Result<Source, DecodeError> {
        if self.is_immediate(index) {
            self.immediate(index)
        } else {
            self.register_source(index, mode)
        }
    }

    /// Whether the only source is an immediate of 64 bits, which stands where Gen12 has CondModifier.
    fn has_wide_immediate(&self) -> bool {
        let data_type = || self.coded(fields::SOURCES[0].data_type, &codes::IMMEDIATE_TYPES);
        self.word.generation >= Generation::Gen12
            && self.is_immediate(0)
            && data_type().is_ok_and(|data_type| data_type.size() == 8)
    }

    fn immediate(&self, index: usize) -> Result<Source, DecodeError> {
        let types = &codes::IMMEDIATE_TYPES;
        let data_type = self.coded(fields::SOURCES[index].data_type, types)?;
        if data_type.size() == 8 && index == 1 {
            let allowed = "types of at most 32 bits, for an immediate beside another source";
            return Err(self.reserved(fields::SOURCES[index].data_type, allowed.to_owned()));
        }
        let low = &fields::immediate::IMM64_LOW_DWORD;
        let bits = if data_type.size() == 8 {
            let high = self.word.get(&fields::immediate::IMM64_HIGH_DWORD);
            u64::from(high) << 32 | u64::from(self.word.get(low))
        } else {
            self.word.get(&fields::immediate::IMM32).into()
        };
        Ok(Source::Immediate { data_type, bits })
    }

    fn register_source(&self, index: usize, mode: AccessMode) -> Result<Source, DecodeError> {
        let word = &self.word;
        let fields = &fields::SOURCES[index];
        if word.generation >= Generation::Gen12 && self.is_immediate(index) {
            let allowed = "0 (a register)".to_owned();
            return Err(self.reserved(fields::IS_IMMEDIATE[index], allowed));
        }
        let indirect = word.is_set(fields.address_mode);
        let file = self.file(fields.file, indirect)?;
        if !indirect {
            self.check_number(
                fields.place.number,
                codes::source_numbers(self.word.generation, file),
            )?;
        }
        Ok(Source::Register {
            register: self.place(&fields.place, file, indirect, mode),
            data_type: self.coded(fields.data_type, &codes::REGISTER_TYPES)?,
            region: self.region(fields, mode)?,
            modifier: SourceModifier {
                absolute: word.is_set(fields.absolute),
                negate: word.is_set(fields.negate),
            },
        })
    }

    fn region(&self, fields: &SourceFields, mode: AccessMode) -> Result<Region, DecodeError> {
        Ok(match mode {
            AccessMode::Align1 => Region::Align1 {
                vertical: self.coded(fields.vertical, &codes::VERTICAL_STRIDES)?,
                width: self.coded(fields.width, &codes::WIDTHS)?,
                horizontal: self.coded(fields.horizontal, &codes::HORIZONTAL_STRIDES)?,
            },
            AccessMode::Align16 => Region::Align16 {
                vertical: self.coded(fields.vertical, &codes::VERTICAL_STRIDES_ALIGN16)?,
                swizzle: fields.select.map(|field| self.word.get(field) as u8),
            },
        })
    }

    fn place(
        &self,
        fields: &PlaceFields,
        file: RegisterFile,
        indirect: bool,
        mode: AccessMode,
    ) -> Register {
        let get = |field| self.word.get(field);
        match (indirect, mode) {
            (false, AccessMode::Align1) => Register::Direct {
                file,
                number: get(fields.number) as u8,
                subregister: get(fields.subregister) as u8,
            },
            (false, AccessMode::Align16) => Register::Direct {
                file,
                number: get(fields.number) as u8,
                subregister: get(fields.subregister_16) as u8 * 16,
            },
            (true, AccessMode::Align1) => Register::Indirect {
                file,
                address_subregister: get(fields.address_subregister) as u8,
                offset: sign_extended(get(fields.address_immediate), 10),
            },
            (true, AccessMode::Align16) => Register::Indirect {
                file,
                address_subregister: get(fields.address_subregister) as u8,
                offset: sign_extended(get(fields.address_immediate_16), 6) * 16,
            },
        }
    }

    fn check_number(&self, field: &'static Field, numbers: Numbers) -> Result<(), DecodeError> {
        if numbers.contain(self.word.get(field)) {
            Ok(())
        } else {
            Err(self.reserved(field, numbers.allowed.to_owned()))
        }
    }

    fn message(&self) -> Result<Message, DecodeError> {
        let descriptor = if self.is_immediate(1) {
            Descriptor::Immediate(self.word.get(&fields::send_g45::MSG_DSCPT31))
        } else {
            self.check_descriptor_register()?;
            Descriptor::Address
        };
        Ok(Message::of_registers(
            self.word.get(&fields::send::BASE_MRF) as u8,
            descriptor,
            self.word.is_set(&fields::send::EOT),
        ))
    }

    /// A descriptor register is `a0.0`; no other place in an instruction can name one.
    fn check_descriptor_register(&self) -> Result<(), DecodeError> {
        let fields = &fields::SOURCES[1];
        let expected = [
            (fields.file, 0, "0 (ARF) or 3 (immediate) for a message descriptor"),
            (fields.address_mode, 0, "0 (direct) for a message descriptor"),
            (fields.place.number, 0x10, "16 (a0) for a message descriptor"),
            (fields.place.subregister, 0, "0 for a message descriptor"),
        ];
        let wrong = expected.iter().find(|(field, value, _)| self.word.get(field) != *value);
        wrong.map_or(Ok(()), |(field, _, allowed)| Err(self.reserved(field, (*allowed).to_owned())))
    }

    fn coded<T: Copy + PartialEq>(
        &self,
        field: &'static Field,
        codes: &Codes<T>,
    ) -> Result<T, DecodeError> {
        let code = self.word.get(field);
        let meaning = codes.meaning(self.word.generation, code);
        meaning.ok_or_else(|| self.reserved(field, codes.allowed(self.word.generation)))
    }

    fn reserved(&self, field: &'static Field, allowed: String) -> DecodeError {
        let (bits, value) = (field.bits(self.word.generation), self.word.get(field));
        let rules = reserved::rules_of(self.word, field, value);
        DecodeError::Field { field: field.name, bits, value, allowed, rules }
    }
}

/// A two's complement number of `bits` bits.
fn sign_extended(value: u32, bits: u32) -> i16 {
    ((value << (32 - bits)).cast_signed() >> (32 - bits)) as i16
}
