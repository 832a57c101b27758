//! Instruction compression: one instruction word executed as two native instructions
//! (G45 volume 4, section 11.5).

use parallax_isa::{
    Device,
    eu::{
        DataType, Instruction, Opcode,
        instruction::Compression,
        operand::{Destination, DestinationRegion, Region, Register, Source, VerticalStride},
        register::RegisterFile,
    },
};

/// The mark of a Compr4 destination in a message register number.
const COMPR4: u8 = 0x80;

/// The two native instructions of a compressed one, in the order they are executed.
#[must_use]
pub fn halves(compressed: &Instruction, device: Device) -> [Instruction; 2] {
    [first(compressed), second(compressed, device)]
}

fn first(compressed: &Instruction) -> Instruction {
    let mut half = *compressed;
    half.compression = Compression::None;
    half.execution_size = compressed.execution_size / 2;
    if let Register::Direct { file: RegisterFile::Mrf, number, .. } = &mut half.destination.register
    {
        *number &= !COMPR4;
    }
    half
}

fn second(compressed: &Instruction, device: Device) -> Instruction {
    let mut half = *compressed;
    half.compression = Compression::SecHalf;
    half.execution_size = compressed.execution_size / 2;
    half.breakpoint = false;
    for (index, source) in half.sources.iter_mut().enumerate() {
        *source = second_source(compressed, index, device);
    }
    half.destination.register = second_destination(compressed.destination.register);
    half
}

fn second_source(compressed: &Instruction, index: usize, device: Device) -> Source {
    let source = compressed.sources[index];
    let Source::Register { register, data_type, region, modifier } = source else {
        return source;
    };
    let with = |register| Source::Register { register, data_type, region, modifier };
    match register {
        Register::Indirect { file, address_subregister, offset } => {
            let every_scalar_advances = matches!(device, Device::Bw | Device::Cl);
            if is_scalar(region) && !every_scalar_advances {
                return source;
            }
            let address_subregister = address_subregister | 1;
            with(Register::Indirect { file, address_subregister, offset })
        }
        Register::Direct { .. } if register.is_null() => source,
        Register::Direct { file, number, subregister } => {
            if compressed.opcode == Opcode::Pln && index == 1 {
                // Decision D-eu-pln-second-half.
                let number = number.wrapping_add(2);
                return with(Register::Direct { file, number, subregister });
            }
            if is_scalar(region) {
                return source;
            }
            if compressed.execution_size == 16
                && file != RegisterFile::Arf
                && is_packed_doubleword(&compressed.destination)
                && is_packed_word(data_type, region)
            {
                let subregister = subregister | 0x10;
                return with(Register::Direct { file, number, subregister });
            }
            with(Register::Direct { file, number: number | 1, subregister })
        }
    }
}

fn second_destination(register: Register) -> Register {
    match register {
        Register::Indirect { file, address_subregister, offset } => {
            let address_subregister = address_subregister | 1;
            Register::Indirect { file, address_subregister, offset }
        }
        Register::Direct { .. } if register.is_null() => register,
        Register::Direct { file: file @ RegisterFile::Mrf, number, subregister } => {
            let next = if number & COMPR4 != 0 { 4 } else { 1 };
            let number = (number & !COMPR4).wrapping_add(next);
            Register::Direct { file, number, subregister }
        }
        Register::Direct { file, number, subregister } => {
            Register::Direct { file, number: number | 1, subregister }
        }
    }
}

/// Both strides are zero.
fn is_scalar(region: Region) -> bool {
    matches!(region, Region::Align1 { vertical: VerticalStride::Elements(0), horizontal: 0, .. })
}

fn is_packed_doubleword(destination: &Destination) -> bool {
    destination.data_type.size() == 4 && destination.region == DestinationRegion::Stride(1)
}

/// Words with a horizontal stride of one, or bytes with one of two (decision in E-61: a byte source
/// of stride two is a packed word source).
fn is_packed_word(data_type: DataType, region: Region) -> bool {
    match region {
        Region::Align1 { horizontal: 1, .. } => data_type.size() == 2,
        Region::Align1 { horizontal: 2, .. } => data_type.size() == 1,
        _ => false,
    }
}
