//! What Gen7 and later have in a machine word: the counterpart of `decode/later.rs`, and the bits of
//! operands that an instruction does not have (table `eu-canonical-fields`).

use super::{
    AccessMode, Destination, DestinationRegion, EncodeError, Encoder, Field, Generation,
    Instruction, Message, Region, Register, Source, Word, check_number, codes, fields, refused,
};
use crate::eu::{
    instruction::{Descriptor, ExtendedDescriptor},
    opcode::Opcode,
    operand::VerticalStride,
    register::RegisterFile,
    types::DataType,
};

include!(concat!(env!("OUT_DIR"), "/eu_canonical.rs"));

/// What stands in the operands that a branch does not have.
fn canonical_branch(generation: Generation, opcode: Opcode, mode: AccessMode) -> u128 {
    let mut rows = BRANCHES.iter();
    let row = rows.find(|(of, listed, _)| (*of, *listed) == (generation, opcode));
    row.map_or(0, |(_, _, words)| words[mode as usize])
}

impl Encoder {
    /// QtrCtrl and NibCtrl.
    pub(super) fn channel_group(&mut self, instruction: &Instruction) -> Result<(), EncodeError> {
        let first = instruction.first_channel;
        if !first.is_multiple_of(4) {
            let allowed = "multiples of 4 from 0 to 28".to_owned();
            return Err(refused(&fields::basic::QTR_CTRL, first, allowed));
        }
        self.number(&fields::basic::QTR_CTRL, (first / 8).into())?;
        self.number(&fields::basic::NIB_CTRL, (first / 4 % 2).into())
    }

    /// A 64-bit immediate, which takes the place of src1 and of the region of src0.
    pub(super) fn wide_immediate(&mut self, index: usize, bits: u64) -> Result<(), EncodeError> {
        let low = &fields::immediate::IMM64_LOW_DWORD;
        if index != 0 || low.position(self.word.generation).is_empty() {
            return Err(EncodeError::Shape(
                "a 64-bit immediate is the only source, on generations that have such",
            ));
        }
        self.word.bits |= self.wide(bits).bits;
        Ok(())
    }

    /// A 64-bit immediate where it stands in a word.
    fn wide(&self, bits: u64) -> Word {
        let mut word = Word { bits: 0, generation: self.word.generation };
        word.put(&fields::immediate::IMM64_LOW_DWORD, bits as u32);
        word.put(&fields::immediate::IMM64_HIGH_DWORD, (bits >> 32) as u32);
        word
    }

    /// On Gen12 a 64-bit immediate stands where CondModifier does, and the function of `sync`: the one
    /// is left out, the other has to be what the immediate says.
    pub(super) fn beside_wide_immediate(
        &self,
        instruction: &Instruction,
    ) -> Result<(), EncodeError> {
        let Source::Immediate { data_type, bits } = instruction.sources[0] else { return Ok(()) };
        if self.word.generation < Generation::Gen12 || data_type.size() < 8 {
            return Ok(());
        }
        let field = &fields::basic::COND_MODIFIER;
        let expected = instruction.sync.map_or(0, |_| self.wide(bits).get(field));
        if self.word.get(field) == expected {
            return Ok(());
        }
        Err(EncodeError::Shape("a 64-bit immediate leaves no place for CondModifier or a function"))
    }

    pub(super) fn math(&mut self, instruction: &Instruction) -> Result<(), EncodeError> {
        let Instruction { access_mode: mode, destination, sources, math, .. } = *instruction;
        let Some(function) = math else {
            return Err(EncodeError::Shape("math has a function"));
        };
        self.coded(&fields::math::MATH_FUNCTION, function, &codes::MATH_FUNCTIONS)?;
        self.destination(&destination, mode)?;
        if function.sources() == 2 {
            self.register_source(0, &sources[0], mode)?;
            return self.source(1, &sources[1], mode);
        }
        if sources[1] != Source::ABSENT {
            return Err(EncodeError::Shape("this function of math has one source"));
        }
        match sources[0] {
            Source::Immediate { data_type, .. } if data_type.size() == 8 => {
                Err(EncodeError::Shape("an immediate of math has at most 32 bits"))
            }
            Source::Immediate { .. } => self.source(0, &sources[0], mode),
            Source::Register { .. } => {
                self.register_source(0, &sources[0], mode)?;
                self.register_source(1, &absent_float(mode), mode)
            }
        }
    }

    pub(super) fn ternary(&mut self, instruction: &Instruction) -> Result<(), EncodeError> {
        use fields::ternary_align16 as at;
        let Instruction { destination, sources, .. } = instruction;
        let generation = self.word.generation;
        let DestinationRegion::ChannelEnable(enable) = destination.region else {
            return Err(EncodeError::Shape("an operation with three sources is in Align16"));
        };
        if instruction.access_mode != AccessMode::Align16 {
            return Err(EncodeError::Shape("an operation with three sources is in Align16"));
        }
        let unit = fields::ternary_unit(&at::DST_SUB_REG_NUM, generation);
        self.ternary_place(&at::DST_REG_NUM, &at::DST_SUB_REG_NUM, unit, destination.register)?;
        self.number(&at::DST_CHAN_EN, enable.into())?;
        self.coded(&at::DST_DATA_TYPE, destination.data_type, &codes::TERNARY_TYPES)?;
        self.coded(&at::SRC_DATA_TYPE, sources[0].data_type(), &codes::TERNARY_TYPES)?;
        for (source, own) in sources[1..].iter().zip([&at::SRC1_DATA_TYPE, &at::SRC2_DATA_TYPE]) {
            self.ternary_type(own, sources[0].data_type(), source.data_type())?;
        }
        for (fields, source) in fields::TERNARY_SOURCES.iter().zip(sources) {
            let Source::Register { register, region, modifier, .. } = *source else {
                return Err(EncodeError::Shape("three sources are all registers"));
            };
            let Region::Align16 { vertical: VerticalStride::Elements(vertical), swizzle } = region
            else {
                return Err(EncodeError::Shape("three sources have swizzles"));
            };
            let unit = fields::ternary_unit(fields.subregister, generation);
            self.ternary_place(fields.number, fields.subregister, unit, register)?;
            match vertical {
                0 => self.flag(fields.replicate, true)?,
                4 => {}
                _ => return Err(EncodeError::Shape("three sources have rows 0 or 4 apart")),
            }
            let select = swizzle.iter().rev().fold(0, |select, &c| select << 2 | u32::from(c & 3));
            self.number(fields.select, select)?;
            self.flag(fields.absolute, modifier.absolute)?;
            self.flag(fields.negate, modifier.negate)?;
        }
        Ok(())
    }

    /// The type of src1 or src2, which is that of src0 but that F and HF may be mixed on Gen9.
    fn ternary_type(
        &mut self,
        own: &'static Field,
        first: DataType,
        data_type: DataType,
    ) -> Result<(), EncodeError> {
        let is_float = |of| matches!(of, DataType::F | DataType::Hf);
        let is_mixed = !own.position(self.word.generation).is_empty() && is_float(first);
        if is_mixed && is_float(data_type) {
            return self.flag(own, data_type == DataType::Hf);
        }
        if data_type == first {
            return Ok(());
        }
        let allowed = if is_mixed { "F and HF" } else { "the type of src0" };
        Err(refused(own, data_type.suffix(), allowed.to_owned()))
    }

    fn ternary_place(
        &mut self,
        number: &'static Field,
        subregister: &'static Field,
        unit: u8,
        register: Register,
    ) -> Result<(), EncodeError> {
        let Register::Direct { file: RegisterFile::Grf, number: register, subregister: byte } =
            register
        else {
            return Err(EncodeError::Shape(
                "an operation with three sources has general registers, named directly",
            ));
        };
        if register > 127 {
            return Err(refused(number, register, "0 to 127 in the GRF".to_owned()));
        }
        if byte % unit != 0 {
            let allowed = format!("multiples of {unit} bytes");
            return Err(refused(subregister, byte, allowed));
        }
        self.number(number, register.into())?;
        self.number(subregister, (byte / unit).into())
    }

    pub(super) fn branch(&mut self, instruction: &Instruction) -> Result<(), EncodeError> {
        let Instruction { opcode, access_mode: mode, destination, sources, branch, .. } =
            *instruction;
        let generation = self.word.generation;
        let operands = opcode.branch_operands(generation);
        let Some(branch) = branch else {
            return Err(EncodeError::Shape("a branch has distances"));
        };
        let given = [branch.jip, branch.uip].map(|distance| distance.is_some());
        let distances = [operands.jip, operands.uip];
        self.flag(&fields::branch::BRANCH_CTRL, branch.control)?;
        if operands.destination {
            self.destination(&destination, mode)?;
        }
        if let Some(index) = operands.register.filter(|_| given == [false; 2]) {
            return self.register_source(index, &sources[index], mode);
        }
        if given != distances {
            return Err(EncodeError::Shape(match distances {
                [true, true] => "this branch has a jump distance and an update distance",
                [true, false] => "this branch has a jump distance and no update distance",
                _ => "this branch takes its distance from a register",
            }));
        }
        self.word.bits |= canonical_branch(generation, opcode, mode);
        if canonical_branch(generation, opcode, mode) == 0 {
            // Branches that no assembler's habit is known of.
            let index = fields::distance_source(generation, operands);
            self.mark_immediate(index);
            if generation < Generation::Gen12 {
                let field = fields::SOURCES[index].data_type;
                self.coded(field, DataType::D, &codes::IMMEDIATE_TYPES)?;
            } else if operands.uip {
                self.mark_immediate(1);
            }
        }
        self.distance(&fields::branch::JIP, branch.jip.unwrap_or_default())?;
        self.distance(&fields::branch::UIP, branch.uip.unwrap_or_default())
    }

    /// A jump distance in bytes.
    fn distance(&mut self, field: &'static Field, bytes: i32) -> Result<(), EncodeError> {
        let unit = fields::jump_unit(self.word.generation);
        let largest = i64::from(field.largest(self.word.generation)) / 2;
        let steps = i64::from(bytes / unit);
        if bytes % unit != 0 || (bytes != 0 && !(-largest - 1..=largest).contains(&steps)) {
            let [low, high] = [-largest - 1, largest].map(|steps| steps * i64::from(unit));
            let allowed = format!("multiples of {unit} bytes from {low} to {high}");
            return Err(refused(field, bytes, allowed));
        }
        self.word.put(field, (bytes / unit).cast_unsigned() & field.largest(self.word.generation));
        Ok(())
    }

    pub(super) fn send(&mut self, instruction: &Instruction) -> Result<(), EncodeError> {
        let Instruction { access_mode: mode, destination, sources, message, .. } = *instruction;
        let Some(message) = message else {
            return Err(EncodeError::Shape("a send has a message descriptor"));
        };
        self.destination(&destination, mode)?;
        if self.word.generation >= Generation::Gen9 {
            self.payload(&sources[0], mode)?;
        } else {
            self.register_source(0, &sources[0], mode)?;
        }
        self.message_controls(&message, &fields::send::SFID, &fields::send::EOT)?;
        match message.descriptor {
            Descriptor::Immediate(bits) => {
                self.word.put(&fields::basic::SRC1_REG_FILE, fields::IMMEDIATE_FILE);
                self.number(&fields::send::MSG_DESC, bits)?;
            }
            // a0.0<0;1,0>:ud: every other field is zero.
            Descriptor::Address => self.word.put(&fields::basic::SRC1_REG_NUM, 0x10),
        }
        match message.extended {
            ExtendedDescriptor::Immediate(bits) if bits & 0xFFFF == 0 => {
                self.number(&fields::send::EX_MSG_DESC, bits >> 16)
            }
            _ => Err(EncodeError::Shape(
                "the extended descriptor of a send is a constant of bits 31 to 16",
            )),
        }
    }

    pub(super) fn message_controls(
        &mut self,
        message: &Message,
        shared_function: &'static Field,
        end_of_thread: &'static Field,
    ) -> Result<(), EncodeError> {
        if message.fusion_control && self.word.generation < Generation::Gen12 {
            return Err(EncodeError::Shape("messages have FusionCtrl on Gen12 only"));
        }
        if message.current_destination != 0 {
            return Err(EncodeError::Shape("the payload of a message is in its sources"));
        }
        self.number(shared_function, message.shared_function.into())?;
        self.flag(end_of_thread, message.end_of_thread)
    }

    /// src0 of a send of Gen9, without region.
    fn payload(&mut self, source: &Source, mode: AccessMode) -> Result<(), EncodeError> {
        let fields = &fields::SOURCES[0];
        let (register, data_type) = payload_register(source, mode)?;
        self.coded(fields.file, register.file(), &codes::REGISTER_FILES)?;
        self.coded(fields.data_type, data_type, &codes::REGISTER_TYPES)?;
        match register {
            Register::Direct { number, .. } => {
                let numbers = codes::source_numbers(self.word.generation, register.file());
                check_number(fields.place.number, register, numbers)?;
                self.number(fields.place.number, number.into())
            }
            Register::Indirect { address_subregister, offset, .. } => {
                self.flag(fields.address_mode, true)?;
                self.number(fields.place.address_subregister, address_subregister.into())?;
                self.sixteenth(&fields::basic::SRC0_ADDR_IMM_ALIGN16, offset.into(), -512..=496)
            }
        }
    }

    pub(super) fn split_message(&mut self, instruction: &Instruction) -> Result<(), EncodeError> {
        use fields::sends as at;
        let Instruction { access_mode: mode, destination, sources, message, .. } = *instruction;
        let Some(message) = message else {
            return Err(EncodeError::Shape("a send has a message descriptor"));
        };
        self.response(&destination, mode)?;
        let (first, data_type) = payload_register(&sources[0], mode)?;
        let (second, other_type) = payload_register(&sources[1], mode)?;
        if [data_type, other_type] != [DataType::Ud; 2] || first.file() != RegisterFile::Grf {
            return Err(EncodeError::Shape("payloads of sends are general registers of type ud"));
        }
        match first {
            Register::Direct { number, .. } => self.number(&at::SRC0_REG_NUM, number.into())?,
            Register::Indirect { address_subregister, offset, .. } => {
                self.flag(&at::SRC0_ADDR_MODE, true)?;
                let place = &fields::SOURCES[0].place;
                self.number(place.address_subregister, address_subregister.into())?;
                self.sixteenth(&at::SRC0_ADDR_IMM, offset.into(), -512..=496)?;
            }
        }
        let Register::Direct { file, number, .. } = second else {
            return Err(EncodeError::Shape("the second payload is named directly"));
        };
        let numbers = codes::source_numbers(self.word.generation, file);
        check_number(&at::SRC1_REG_NUM, second, numbers)?;
        self.flag(&at::SRC1_REG_FILE, file == RegisterFile::Grf)?;
        self.number(&at::SRC1_REG_NUM, number.into())?;
        self.message_controls(&message, &at::SFID, &at::EOT)?;
        match message.descriptor {
            Descriptor::Immediate(bits) => self.number(&at::MSG_DESC, bits)?,
            Descriptor::Address => self.flag(&at::SEL_REG32_DESC, true)?,
        }
        match message.extended {
            ExtendedDescriptor::Address(number) => {
                self.flag(&at::SEL_REG32_EX_DESC, true)?;
                self.number(&at::EX_DESC_ADDR_SUB_REG_NUM, number.into())
            }
            ExtendedDescriptor::Immediate(bits) if bits & 0xFC3F == 0 => {
                self.number(&at::EX_DESC_BITS_31_16, bits >> 16)?;
                self.number(&at::EX_DESC_BITS_9_6, bits >> 6 & 0xF)
            }
            ExtendedDescriptor::Immediate(_) => Err(EncodeError::Shape(
                "a constant extended descriptor has bits 31 to 16 and 9 to 6",
            )),
        }
    }

    /// The destination of `sends`, without region.
    fn response(&mut self, destination: &Destination, mode: AccessMode) -> Result<(), EncodeError> {
        use fields::sends as at;
        let Destination { register, data_type, region } = *destination;
        if region != fields::response_region(mode) {
            return Err(EncodeError::Shape("the destination of sends is whole registers"));
        }
        self.coded(&at::DST_DATA_TYPE, data_type, &codes::REGISTER_TYPES)?;
        self.flag(&at::DST_REG_FILE, register.file() == RegisterFile::Grf)?;
        match register {
            Register::Direct { number, subregister: 0, file } if file != RegisterFile::Mrf => {
                let numbers = codes::source_numbers(self.word.generation, file);
                check_number(&at::DST_REG_NUM, register, numbers)?;
                self.number(&at::DST_REG_NUM, number.into())
            }
            Register::Indirect { address_subregister, offset, .. } => {
                self.flag(&at::DST_ADDR_MODE, true)?;
                let place = &fields::DESTINATION_PLACE;
                self.number(place.address_subregister, address_subregister.into())?;
                self.sixteenth(&at::DST_ADDR_IMM, offset.into(), -512..=496)
            }
            Register::Direct { .. } => {
                Err(EncodeError::Shape("the destination of sends is whole registers"))
            }
        }
    }
}

/// The register and type of a payload that has no region of its own.
pub(super) fn payload_register(
    source: &Source,
    mode: AccessMode,
) -> Result<(Register, DataType), EncodeError> {
    let Source::Register { register, data_type, region, modifier } = *source else {
        return Err(EncodeError::Shape("the payload of a message is in registers"));
    };
    let starts = !matches!(register, Register::Direct { subregister: 1.., .. });
    let plain = !modifier.absolute && !modifier.negate && register.file() != RegisterFile::Mrf;
    if starts && plain && region == fields::payload_region(mode) {
        Ok((register, data_type))
    } else {
        Err(EncodeError::Shape("the payload of a message is whole registers, <8;8,1>"))
    }
}

/// What assemblers write for a source of `math` that is not there: `null<8;8,1>:f`.
fn absent_float(mode: AccessMode) -> Source {
    let Source::Register { register, modifier, .. } = Source::ABSENT else { return Source::ABSENT };
    let region = fields::payload_region(mode);
    Source::Register { register, data_type: DataType::F, region, modifier }
}
