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

use parallax_spec::{decision, rule};

use super::rules::{Rules, count};

/// The mark of a Compr4 destination in a message register number.
const COMPR4: u8 = 0x80;

/// The two native instructions of a compressed one, in the order they are executed.
#[must_use]
pub fn halves(compressed: &Instruction, device: Device) -> [Instruction; 2] {
    count(SPLIT);
    [first(compressed), second(compressed, device)]
}

fn first(compressed: &Instruction) -> Instruction {
    rule!("g45.compr.first");
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
    rule!("g45.compr.second");
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
        rule!("g45.compr.src-scalar");
        return source;
    };
    let with = |register| Source::Register { register, data_type, region, modifier };
    match register {
        Register::Indirect { file, address_subregister, offset } => {
            let every_scalar_advances = matches!(device, Device::Bw | Device::Cl);
            if is_scalar(region) && !every_scalar_advances {
                rule!("g45.compr.src-scalar");
                return source;
            }
            count(rules!["g45": "compr.src-indirect", "compr.indirect-allowed", "vec.compr-fig22"]);
            let address_subregister = address_subregister | 1;
            with(Register::Indirect { file, address_subregister, offset })
        }
        Register::Direct { .. } if register.is_null() => source,
        Register::Direct { file, number, subregister } => {
            if compressed.opcode == Opcode::Pln && index == 1 {
                rule!("g45.inst.pln.compressed");
                decision!("D-eu-pln-second-half");
                let number = number.wrapping_add(2);
                return with(Register::Direct { file, number, subregister });
            }
            if is_scalar(region) {
                count(rules!["g45": "compr.src-scalar", "exec.simd16-scalar", "vec.compr-fig21"]);
                if compressed.opcode == Opcode::Line {
                    rule!("g45.inst.line.dst-compressed");
                }
                return source;
            }
            if compressed.execution_size == 16
                && file != RegisterFile::Arf
                && is_packed_doubleword(&compressed.destination)
                && is_packed_word(data_type, region)
            {
                count(rules!["g45": "compr.src-word-subreg", "vec.compr-fig20"]);
                let subregister = subregister | 0x10;
                return with(Register::Direct { file, number, subregister });
            }
            rule!("g45.compr.src-reg");
            count(match (compressed.execution_size, number % 2, subregister) {
                (16, 0, 0) => rules!["g45": "vec.compr-fig19a"],
                (16, 1, _) => rules!["g45": "vec.compr-fig19b"],
                (16, 0, _) => rules!["g45": "vec.compr-fig19c"],
                (32, 0, _) => rules!["g45": "vec.compr-fig19d"],
                (32, 1, _) => rules!["g45": "vec.compr-fig19e"],
                _ => rules![],
            });
            if file == RegisterFile::Arf {
                rule!("g45.compr.src-acc");
            }
            with(Register::Direct { file, number: number | 1, subregister })
        }
    }
}

fn second_destination(register: Register) -> Register {
    let (rules, second) = match register {
        Register::Indirect { file, address_subregister, offset } => {
            let address_subregister = address_subregister | 1;
            let second = Register::Indirect { file, address_subregister, offset };
            (rules!["g45.compr": "dst-indirect"], second)
        }
        Register::Direct { .. } if register.is_null() => (rules![], register),
        Register::Direct { file: file @ RegisterFile::Mrf, number, subregister } => {
            let (rules, number) = if number & COMPR4 != 0 {
                (rules!["g45.compr": "dst-mrf-4"], (number & !COMPR4).wrapping_add(4))
            } else {
                (rules!["g45.compr": "dst-mrf"], number.wrapping_add(1))
            };
            (rules, Register::Direct { file, number, subregister })
        }
        Register::Direct { file, number, subregister } => {
            let second = Register::Direct { file, number: number | 1, subregister };
            (rules!["g45.compr": "dst-reg"], second)
        }
    };
    count(rules);
    second
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

// What the manual says in several places.

const SPLIT: Rules = rules!["g45": "compr.split", "dw0.comprctrl.compr", "exec.simd8-split",
    "exec.simd16", "compr.mixed-program", "vec.compr-split"];
