//! What Gen12 has in a machine word: the software scoreboard, three sources in Align1, `sync`, and
//! messages with scattered descriptors (table `eu-inst-fields`).

use super::{
    DecodeError, Decoder, Descriptor, Destination, DestinationRegion, Field, Instruction, Message,
    Opcode, Register, RegisterFile, Source, SourceModifier, codes, fields,
};
use crate::eu::{
    instruction::{ExtendedDescriptor, ThreadControl},
    scoreboard::Scoreboard,
    types::DataType,
};

impl Decoder {
    /// AtomicCtrl, which is what is left of ThreadCtrl.
    pub(super) fn atomic_control(&self) -> ThreadControl {
        match self.word.is_set(&fields::basic::ATOMIC_CTRL) {
            true => ThreadControl::Atomic,
            false => ThreadControl::Normal,
        }
    }

    /// SWSB; nothing where there is no such field.
    pub(super) fn scoreboard(&self, opcode: Opcode) -> Result<Scoreboard, DecodeError> {
        let code = self.word.get(&fields::basic::SWSB) as u8;
        Scoreboard::of_code(code, opcode).ok_or_else(|| {
            let allowed = match opcode {
                Opcode::Send | Opcode::Sendc | Opcode::Math => {
                    "0x00 to 0x07, 0x20 to 0x4f, 0x80 to 0xff"
                }
                _ => "0x00 to 0x07, 0x20 to 0x3f, 0x80 to 0xff",
            };
            self.reserved(&fields::basic::SWSB, allowed.to_owned())
        })
    }

    /// Three sources in Align1.
    pub(super) fn ternary_align1(&self, controls: Instruction) -> Result<Instruction, DecodeError> {
        use fields::ternary_align1 as at;
        let stride = self.coded(&at::DST_HORZ_STRIDE, &codes::TERNARY_DESTINATION_STRIDES)?;
        let destination = Destination {
            register: self.ternary_register(
                &at::DST_REG_FILE,
                &at::DST_REG_NUM,
                self.word.get(&at::DST_SUB_REG_NUM) as u8 * fields::TERNARY_DESTINATION_UNIT,
            )?,
            data_type: self.ternary_type(&at::DST_DATA_TYPE)?,
            region: DestinationRegion::Stride(stride),
        };
        let [first, second, third] = [0, 1, 2].map(|index| self.ternary_align1_source(index));
        Ok(Instruction { destination, sources: [first?, second?, third?], ..controls })
    }

    fn ternary_align1_source(&self, index: usize) -> Result<Source, DecodeError> {
        let fields = &fields::TERNARY_ALIGN1_SOURCES[index];
        let data_type = self.ternary_type(fields.data_type)?;
        if let Some([_, value]) = fields.immediate.filter(|[is_one, _]| self.word.is_set(is_one)) {
            if data_type.size() != 2 {
                let allowed = "types of 16 bits, for an immediate beside two sources".to_owned();
                return Err(self.reserved(fields.data_type, allowed));
            }
            let bits = u64::from(self.word.get(value));
            return Ok(Source::Immediate { data_type, bits: bits << 16 | bits });
        }
        let horizontal = self.coded(fields.horizontal, &codes::HORIZONTAL_STRIDES)?;
        let vertical = match fields.vertical {
            Some(field) => Some(self.coded(field, &codes::TERNARY_VERTICAL_STRIDES)?),
            None => None,
        };
        let modifier = self.word.get(fields.modifier);
        Ok(Source::Register {
            register: self.ternary_register(
                fields.file,
                fields.number,
                self.word.get(fields.subregister) as u8,
            )?,
            data_type,
            region: fields::ternary_region(vertical, horizontal),
            modifier: SourceModifier { absolute: modifier & 1 == 1, negate: modifier & 2 == 2 },
        })
    }

    fn ternary_register(
        &self,
        file: &'static Field,
        number: &'static Field,
        subregister: u8,
    ) -> Result<Register, DecodeError> {
        let file = self.coded(file, &codes::REGISTER_FILES)?;
        self.check_number(number, codes::source_numbers(self.word.generation, file))?;
        Ok(Register::Direct { file, number: self.word.get(number) as u8, subregister })
    }

    /// A type: ExecDataType says whether the codes are of integers or of floats.
    fn ternary_type(&self, field: &'static Field) -> Result<DataType, DecodeError> {
        let code = self.word.get(field);
        let is_float = self.word.is_set(&fields::ternary_align1::EXEC_DATA_TYPE);
        codes::ternary_type(self.word.generation, code, is_float).ok_or_else(|| {
            let listed = codes::types(self.word.generation, codes::TypeField::TernaryAlign1).iter();
            let allowed = listed.filter(|(_, listed)| listed.is_float() == is_float);
            let allowed: Vec<_> = allowed.map(|(code, _)| code.to_string()).collect();
            self.reserved(field, allowed.join(", "))
        })
    }

    /// `sync`: the function stands in place of the conditional modifier.
    pub(super) fn sync(&self, controls: Instruction) -> Result<Instruction, DecodeError> {
        let function = self.coded(&fields::sync::SYNC_FUNCTION, &codes::SYNC_FUNCTIONS)?;
        let [_, second, third] = controls.sources;
        let mask = self.source(0, controls.access_mode)?;
        Ok(Instruction { sync: Some(function), sources: [mask, second, third], ..controls })
    }

    /// `send` and `sendc`: two payloads, descriptors of 32 bits in pieces.
    pub(super) fn message_of_two_payloads(
        &self,
        controls: Instruction,
    ) -> Result<Instruction, DecodeError> {
        use fields::send as at;
        let whole = |file: &'static Field, number: &'static Field| {
            let file = self.coded(file, &codes::REGISTER_FILES)?;
            self.check_number(number, codes::source_numbers(self.word.generation, file))?;
            let number = self.word.get(number) as u8;
            Ok(Register::Direct { file, number, subregister: 0 })
        };
        let payload = |register| Source::Register {
            register,
            data_type: DataType::Ud,
            region: fields::payload_region(controls.access_mode),
            modifier: SourceModifier::default(),
        };
        let destination = Destination {
            register: whole(&at::DST_REG_FILE, &at::DST_REG_NUM)?,
            data_type: DataType::Ud,
            region: fields::response_region(controls.access_mode),
        };
        let first = whole(&at::SRC0_REG_FILE, &at::SRC0_REG_NUM)?;
        if first.file() != RegisterFile::Grf {
            return Err(self.reserved(&at::SRC0_REG_FILE, "1 (GRF) for a payload".to_owned()));
        }
        let second = whole(&at::SRC1_REG_FILE, &at::SRC1_REG_NUM)?;
        let descriptor = match self.word.is_set(&at::DESC_REG_FILE_SEL_REG32_DESC) {
            true => Descriptor::Address,
            false => Descriptor::Immediate(self.word.get(&at::MSG_DESC)),
        };
        let extended = match self.word.is_set(&at::SEL_REG32_EX_DESC) {
            true => ExtendedDescriptor::Address(self.word.get(&at::EX_DESC_ADDR_SUB_REG_NUM) as u8),
            false => ExtendedDescriptor::Immediate(
                self.word.get(&at::EX_MSG_DESC) << fields::EXTENDED_DESCRIPTOR_START,
            ),
        };
        let message = Message {
            current_destination: 0,
            descriptor,
            shared_function: self.word.get(&at::SFID) as u8,
            extended,
            fusion_control: self.word.is_set(&at::FUSION_CTRL),
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
