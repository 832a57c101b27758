//! What Gen12 has in a machine word: the counterpart of `decode/gen12.rs`.

use super::{
    AccessMode, Destination, DestinationRegion, EncodeError, Encoder, Field, Instruction, Region,
    Register, Source, check_number, codes, fields, refused,
};
use crate::eu::{
    instruction::{Descriptor, ExtendedDescriptor, ThreadControl},
    operand::VerticalStride,
    register::RegisterFile,
    types::DataType,
};

impl Encoder {
    /// The controls that only Gen12 has, and those that it lost.
    pub(super) fn controls_of_gen12(
        &mut self,
        instruction: &Instruction,
    ) -> Result<(), EncodeError> {
        if instruction.access_mode != AccessMode::Align1 {
            return Err(EncodeError::Shape("Gen12 has no access mode but Align1"));
        }
        match instruction.thread_control {
            ThreadControl::Normal => {}
            ThreadControl::Atomic => self.flag(&fields::basic::ATOMIC_CTRL, true)?,
            ThreadControl::Switch => {
                return Err(EncodeError::Shape("Gen12 has no option Switch"));
            }
        }
        let scoreboard = instruction.scoreboard;
        match scoreboard.code(instruction.opcode) {
            Ok(code) => self.number(&fields::basic::SWSB, code.into()),
            Err(why) => Err(refused(&fields::basic::SWSB, scoreboard, why.to_string())),
        }
    }

    pub(super) fn ternary_align1(&mut self, instruction: &Instruction) -> Result<(), EncodeError> {
        use fields::ternary_align1 as at;
        let Instruction { destination, sources, .. } = instruction;
        let DestinationRegion::Stride(stride) = destination.region else {
            return Err(EncodeError::Shape("an Align1 destination has a horizontal stride"));
        };
        let is_float = destination.data_type.is_float();
        self.flag(&at::EXEC_DATA_TYPE, is_float)?;
        self.coded(&at::DST_HORZ_STRIDE, stride, &codes::TERNARY_DESTINATION_STRIDES)?;
        self.ternary_type_of(&at::DST_DATA_TYPE, destination.data_type, is_float)?;
        let byte =
            self.direct_register(&at::DST_REG_FILE, &at::DST_REG_NUM, destination.register)?;
        if byte % fields::TERNARY_DESTINATION_UNIT != 0 {
            let allowed = format!("multiples of {} bytes", fields::TERNARY_DESTINATION_UNIT);
            return Err(refused(&at::DST_SUB_REG_NUM, byte, allowed));
        }
        let steps = byte / fields::TERNARY_DESTINATION_UNIT;
        self.number(&at::DST_SUB_REG_NUM, steps.into())?;
        for (index, source) in sources.iter().enumerate() {
            self.ternary_align1_source(index, source, is_float)?;
        }
        Ok(())
    }

    fn ternary_align1_source(
        &mut self,
        index: usize,
        source: &Source,
        is_float: bool,
    ) -> Result<(), EncodeError> {
        let fields = &fields::TERNARY_ALIGN1_SOURCES[index];
        self.ternary_type_of(fields.data_type, source.data_type(), is_float)?;
        let (register, region, modifier) = match (*source, fields.immediate) {
            (Source::Register { register, region, modifier, .. }, _) => {
                (register, region, modifier)
            }
            (Source::Immediate { data_type, bits }, Some([is_one, value])) => {
                let half = bits as u32 & 0xFFFF;
                if data_type.size() != 2 || bits != u64::from(half << 16 | half) {
                    let allowed = "16 bits, written in both halves".to_owned();
                    return Err(refused(value, format_args!("{bits:#x}"), allowed));
                }
                self.flag(is_one, true)?;
                return self.number(value, half);
            }
            (Source::Immediate { .. }, None) => {
                return Err(EncodeError::Shape("the second of three sources is a register"));
            }
        };
        let byte = self.direct_register(fields.file, fields.number, register)?;
        self.number(fields.subregister, byte.into())?;
        let Region::Align1 { vertical: VerticalStride::Elements(vertical), horizontal, .. } =
            region
        else {
            return Err(EncodeError::Shape("three sources have regions with a vertical stride"));
        };
        // The third has only one stride, which is that between its rows of one element.
        let (vertical, horizontal) = match fields.vertical {
            Some(_) => (Some(vertical), horizontal),
            None => (None, vertical),
        };
        if fields::ternary_region(vertical, horizontal) != region {
            return Err(EncodeError::Shape(
                "of three sources the width is the vertical stride through the horizontal one, and \
                 the third has rows of one element",
            ));
        }
        if let (Some(field), Some(vertical)) = (fields.vertical, vertical) {
            self.coded(field, vertical, &codes::TERNARY_VERTICAL_STRIDES)?;
        }
        self.coded(fields.horizontal, horizontal, &codes::HORIZONTAL_STRIDES)?;
        let modifier = u32::from(modifier.absolute) | u32::from(modifier.negate) << 1;
        self.number(fields.modifier, modifier)
    }

    /// File and number of a register; what is left is its subregister in bytes.
    fn direct_register(
        &mut self,
        file: &'static Field,
        number: &'static Field,
        register: Register,
    ) -> Result<u8, EncodeError> {
        let Register::Direct { file: named, number: register_number, subregister } = register
        else {
            return Err(EncodeError::Shape(
                "messages and operations with three sources have registers that are named directly",
            ));
        };
        self.coded(file, named, &codes::REGISTER_FILES)?;
        let numbers = codes::source_numbers(self.word.generation, named);
        check_number(number, register, numbers)?;
        self.number(number, register_number.into())?;
        Ok(subregister)
    }

    fn ternary_type_of(
        &mut self,
        field: &'static Field,
        data_type: DataType,
        is_float: bool,
    ) -> Result<(), EncodeError> {
        let mut listed = codes::types(self.word.generation, codes::TypeField::TernaryAlign1).iter();
        let found = listed.find(|(_, listed)| *listed == data_type);
        match found.filter(|_| data_type.is_float() == is_float) {
            Some((code, _)) => self.number(field, *code),
            None => {
                let kind = if is_float { "floats" } else { "integers" };
                let allowed = format!("{kind}, as the destination");
                Err(refused(field, data_type.suffix(), allowed))
            }
        }
    }

    pub(super) fn sync(&mut self, instruction: &Instruction) -> Result<(), EncodeError> {
        let Some(function) = instruction.sync else {
            return Err(EncodeError::Shape("sync has a function"));
        };
        self.coded(&fields::sync::SYNC_FUNCTION, function, &codes::SYNC_FUNCTIONS)?;
        self.beside_wide_immediate(instruction)?;
        self.source(0, &instruction.sources[0], instruction.access_mode)
    }

    pub(super) fn message_of_two_payloads(
        &mut self,
        instruction: &Instruction,
    ) -> Result<(), EncodeError> {
        use fields::send as at;
        let Instruction { access_mode: mode, destination, sources, message, .. } = *instruction;
        let Some(message) = message else {
            return Err(EncodeError::Shape("a send has a message descriptor"));
        };
        let Destination { register, data_type: DataType::Ud, region } = destination else {
            return Err(EncodeError::Shape("the response of a message is of type ud"));
        };
        if region != fields::response_region(mode) {
            return Err(EncodeError::Shape("the response of a message is whole registers"));
        }
        self.whole(&at::DST_REG_FILE, &at::DST_REG_NUM, register)?;
        let payload = |source: &Source| match super::later::payload_register(source, mode)? {
            (register, DataType::Ud) => Ok(register),
            _ => Err(EncodeError::Shape("payloads are of type ud")),
        };
        let [first, second] = [payload(&sources[0])?, payload(&sources[1])?];
        if first.file() != RegisterFile::Grf {
            return Err(EncodeError::Shape("the first payload is in general registers"));
        }
        self.whole(&at::SRC0_REG_FILE, &at::SRC0_REG_NUM, first)?;
        self.whole(&at::SRC1_REG_FILE, &at::SRC1_REG_NUM, second)?;
        self.message_controls(&message, &at::SFID, &at::EOT)?;
        self.flag(&at::FUSION_CTRL, message.fusion_control)?;
        match message.descriptor {
            Descriptor::Immediate(bits) => self.number(&at::MSG_DESC, bits)?,
            Descriptor::Address => self.flag(&at::DESC_REG_FILE_SEL_REG32_DESC, true)?,
        }
        match message.extended {
            ExtendedDescriptor::Address(number) => {
                self.flag(&at::SEL_REG32_EX_DESC, true)?;
                self.number(&at::EX_DESC_ADDR_SUB_REG_NUM, number.into())
            }
            ExtendedDescriptor::Immediate(bits)
                if bits.trailing_zeros() >= fields::EXTENDED_DESCRIPTOR_START =>
            {
                self.number(&at::EX_MSG_DESC, bits >> fields::EXTENDED_DESCRIPTOR_START)
            }
            ExtendedDescriptor::Immediate(_) => {
                Err(EncodeError::Shape("a constant extended descriptor has bits 31 to 6"))
            }
        }
    }

    /// A register of a message, from its first byte on.
    fn whole(
        &mut self,
        file: &'static Field,
        number: &'static Field,
        register: Register,
    ) -> Result<(), EncodeError> {
        match self.direct_register(file, number, register)? {
            0 => Ok(()),
            _ => Err(EncodeError::Shape("a message has whole registers")),
        }
    }
}
