//! What Gen7 and later have in a machine word: three sources, `math`, branches with two distances,
//! messages with payloads in general registers (tables `eu-inst-fields` and `eu-math-functions`).

use super::{
    AccessMode, DecodeError, Decoder, Descriptor, Destination, DestinationRegion, Field,
    Generation, Instruction, Message, Region, Register, RegisterFile, Source, SourceModifier,
    codes, fields, sign_extended,
};
use crate::eu::{
    instruction::{Branch, ExtendedDescriptor},
    operand::VerticalStride,
    types::DataType,
};

impl Decoder {
    /// QtrCtrl and NibCtrl.
    pub(super) fn first_channel(&self) -> u8 {
        let quarter = self.word.get(&fields::basic::QTR_CTRL) as u8;
        quarter * 8 + self.word.get(&fields::basic::NIB_CTRL) as u8 * 4
    }

    /// `math`: the function stands in place of the conditional modifier, and decides whether src1
    /// is read. The last source may be an immediate of at most 32 bits.
    pub(super) fn math(&self, controls: Instruction) -> Result<Instruction, DecodeError> {
        let mode = controls.access_mode;
        let function = self.coded(&fields::math::MATH_FUNCTION, &codes::MATH_FUNCTIONS)?;
        let [first, second] = match function.sources() {
            1 => [self.source(0, mode)?, Source::ABSENT],
            _ => [self.register_source(0, mode)?, self.source(1, mode)?],
        };
        if let Source::Immediate { data_type, .. } = first
            && data_type.size() == 8
        {
            let allowed = "types of at most 32 bits, for an immediate of math".to_owned();
            return Err(self.reserved(fields::SOURCES[0].data_type, allowed));
        }
        Ok(Instruction {
            math: Some(function),
            destination: self.destination(mode)?,
            sources: [first, second, Source::ABSENT],
            ..controls
        })
    }

    /// Three sources, all in the GRF, in Align16.
    pub(super) fn ternary(&self, controls: Instruction) -> Result<Instruction, DecodeError> {
        use fields::ternary_align16 as at;
        if controls.access_mode != AccessMode::Align16 {
            let allowed = "1 (Align16) for three sources".to_owned();
            return Err(self.reserved(&fields::basic::ACCESS_MODE, allowed));
        }
        let unit = fields::ternary_unit(&at::DST_SUB_REG_NUM, self.word.generation);
        self.check_number(
            &at::DST_REG_NUM,
            codes::source_numbers(self.word.generation, RegisterFile::Grf),
        )?;
        let destination = Destination {
            register: Register::Direct {
                file: RegisterFile::Grf,
                number: self.word.get(&at::DST_REG_NUM) as u8,
                subregister: self.word.get(&at::DST_SUB_REG_NUM) as u8 * unit,
            },
            data_type: self.coded(&at::DST_DATA_TYPE, &codes::TERNARY_TYPES)?,
            region: DestinationRegion::ChannelEnable(self.word.get(&at::DST_CHAN_EN) as u8),
        };
        let types = self.ternary_types()?;
        let sources = [0, 1, 2].map(|index| self.ternary_source(index, types[index]));
        let [first, second, third] = sources;
        Ok(Instruction { destination, sources: [first?, second?, third?], ..controls })
    }

    /// The types of three sources: one for all, but that src1 and src2 say on Gen9 whether they are F
    /// or HF if src0 is.
    fn ternary_types(&self) -> Result<[DataType; 3], DecodeError> {
        use fields::ternary_align16 as at;
        let first = self.coded(&at::SRC_DATA_TYPE, &codes::TERNARY_TYPES)?;
        let is_mixed = !at::SRC1_DATA_TYPE.position(self.word.generation).is_empty()
            && matches!(first, DataType::F | DataType::Hf);
        if !is_mixed {
            return Ok([first; 3]);
        }
        let of = |field| if self.word.is_set(field) { DataType::Hf } else { DataType::F };
        Ok([first, of(&at::SRC1_DATA_TYPE), of(&at::SRC2_DATA_TYPE)])
    }

    fn ternary_source(&self, index: usize, data_type: DataType) -> Result<Source, DecodeError> {
        let fields = &fields::TERNARY_SOURCES[index];
        let grf = codes::source_numbers(self.word.generation, RegisterFile::Grf);
        self.check_number(fields.number, grf)?;
        let select = self.word.get(fields.select);
        let unit = fields::ternary_unit(fields.subregister, self.word.generation);
        let vertical = if self.word.is_set(fields.replicate) { 0 } else { 4 };
        Ok(Source::Register {
            register: Register::Direct {
                file: RegisterFile::Grf,
                number: self.word.get(fields.number) as u8,
                subregister: self.word.get(fields.subregister) as u8 * unit,
            },
            data_type,
            region: Region::Align16 {
                vertical: VerticalStride::Elements(vertical),
                swizzle: [0, 1, 2, 3].map(|channel| (select >> (2 * channel) & 3) as u8),
            },
            modifier: SourceModifier {
                absolute: self.word.is_set(fields.absolute),
                negate: self.word.is_set(fields.negate),
            },
        })
    }

    /// A branch: distances, or a register that holds them.
    pub(super) fn branch(&self, controls: Instruction) -> Result<Instruction, DecodeError> {
        let generation = self.word.generation;
        let mode = controls.access_mode;
        let operands = controls.opcode.branch_operands(generation);
        let destination = match operands.destination {
            true => self.destination(mode)?,
            false => controls.destination,
        };
        let control = self.word.is_set(&fields::branch::BRANCH_CTRL);
        let mut sources = controls.sources;
        let distance_in = fields::distance_source(generation, operands);
        let in_register = |_: &usize| !operands.jip || !self.is_immediate(distance_in);
        if let Some(index) = operands.register.filter(in_register) {
            sources[index] = self.register_source(index, mode)?;
            let branch = Some(Branch { jip: None, uip: None, control });
            return Ok(Instruction { destination, sources, branch, ..controls });
        }
        let distance = |field: &'static Field| {
            let width = field.largest(generation).count_ones();
            let value = self.word.get(field) << (32 - width);
            (value.cast_signed() >> (32 - width)).wrapping_mul(fields::jump_unit(generation))
        };
        let branch = Branch {
            jip: operands.jip.then(|| distance(&fields::branch::JIP)),
            uip: operands.uip.then(|| distance(&fields::branch::UIP)),
            control,
        };
        Ok(Instruction { destination, sources, branch: Some(branch), ..controls })
    }

    /// `send` and `sendc`.
    pub(super) fn send(&self, controls: Instruction) -> Result<Instruction, DecodeError> {
        let mode = controls.access_mode;
        let payload = if self.word.generation >= Generation::Gen9 {
            self.payload(mode)?
        } else {
            self.register_source(0, mode)?
        };
        let descriptor = if self.is_immediate(1) {
            Descriptor::Immediate(self.word.get(&fields::send::MSG_DESC))
        } else {
            self.check_descriptor_register()?;
            Descriptor::Address
        };
        let extended = self.word.get(&fields::send::EX_MSG_DESC) << 16;
        let message = Message {
            current_destination: 0,
            descriptor,
            shared_function: self.word.get(&fields::send::SFID) as u8,
            extended: ExtendedDescriptor::Immediate(extended),
            fusion_control: false,
            end_of_thread: self.word.is_set(&fields::send::EOT),
        };
        Ok(Instruction {
            destination: self.destination(mode)?,
            sources: [payload, Source::ABSENT, Source::ABSENT],
            message: Some(message),
            ..controls
        })
    }

    /// src0 of a send of Gen9, where bits of the extended descriptor take the place of its region.
    fn payload(&self, mode: AccessMode) -> Result<Source, DecodeError> {
        let fields = &fields::SOURCES[0];
        let file = self.coded(fields.file, &codes::REGISTER_FILES)?;
        let register = if self.word.is_set(fields.address_mode) {
            self.indirect_payload(file, &fields::basic::SRC0_ADDR_IMM_ALIGN16)
        } else {
            let numbers = codes::source_numbers(self.word.generation, file);
            self.check_number(fields.place.number, numbers)?;
            let number = self.word.get(fields.place.number) as u8;
            Register::Direct { file, number, subregister: 0 }
        };
        Ok(Source::Register {
            register,
            data_type: self.coded(fields.data_type, &codes::REGISTER_TYPES)?,
            region: fields::payload_region(mode),
            modifier: SourceModifier::default(),
        })
    }

    fn indirect_payload(&self, file: RegisterFile, offset: &'static Field) -> Register {
        let bits = offset.largest(self.word.generation).count_ones();
        Register::Indirect {
            file,
            address_subregister: self.word.get(fields::SOURCES[0].place.address_subregister) as u8,
            offset: sign_extended(self.word.get(offset), bits) * 16,
        }
    }

    /// `sends` and `sendsc`: two payloads, descriptors of 31 and 32 bits.
    pub(super) fn split_message(&self, controls: Instruction) -> Result<Instruction, DecodeError> {
        use fields::sends as at;
        let get = |field| self.word.get(field);
        let mode = controls.access_mode;
        let file = |field| match get(field) {
            0 => RegisterFile::Arf,
            _ => RegisterFile::Grf,
        };
        let direct = |file: RegisterFile, field: &'static Field| {
            let numbers = codes::source_numbers(self.word.generation, file);
            self.check_number(field, numbers)?;
            Ok(Register::Direct { file, number: get(field) as u8, subregister: 0 })
        };
        let written = file(&at::DST_REG_FILE);
        let destination = Destination {
            register: if self.word.is_set(&at::DST_ADDR_MODE) {
                let place = &fields::DESTINATION_PLACE;
                let bits = at::DST_ADDR_IMM.largest(self.word.generation).count_ones();
                Register::Indirect {
                    file: written,
                    address_subregister: get(place.address_subregister) as u8,
                    offset: sign_extended(get(&at::DST_ADDR_IMM), bits) * 16,
                }
            } else {
                direct(written, &at::DST_REG_NUM)?
            },
            data_type: self.coded(&at::DST_DATA_TYPE, &codes::REGISTER_TYPES)?,
            region: fields::response_region(mode),
        };
        let first = if self.word.is_set(&at::SRC0_ADDR_MODE) {
            self.indirect_payload(RegisterFile::Grf, &at::SRC0_ADDR_IMM)
        } else {
            direct(RegisterFile::Grf, &at::SRC0_REG_NUM)?
        };
        let second = direct(file(&at::SRC1_REG_FILE), &at::SRC1_REG_NUM)?;
        let payload = |register| Source::Register {
            register,
            data_type: DataType::Ud,
            region: fields::payload_region(mode),
            modifier: SourceModifier::default(),
        };
        let descriptor = match self.word.is_set(&at::SEL_REG32_DESC) {
            true => Descriptor::Address,
            false => Descriptor::Immediate(get(&at::MSG_DESC)),
        };
        let extended = match self.word.is_set(&at::SEL_REG32_EX_DESC) {
            true => ExtendedDescriptor::Address(get(&at::EX_DESC_ADDR_SUB_REG_NUM) as u8),
            false => ExtendedDescriptor::Immediate(
                get(&at::EX_DESC_BITS_31_16) << 16 | get(&at::EX_DESC_BITS_9_6) << 6,
            ),
        };
        let message = Message {
            current_destination: 0,
            descriptor,
            shared_function: get(&at::SFID) as u8,
            extended,
            fusion_control: false,
            end_of_thread: self.word.is_set(&at::EOT),
        };
        Ok(Instruction {
            destination,
            sources: [payload(first), payload(second), Source::ABSENT],
            message: Some(message),
            ..controls
        })
    }
}
