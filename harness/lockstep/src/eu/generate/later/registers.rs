//! Registers by their numbers.

use parallax_isa::{
    Device,
    eu::{
        operand::Register,
        register::{ArfKind, RegisterFile},
    },
};

/// Number of address subregisters.
pub(super) const fn address_count(device: Device) -> usize {
    if matches!(device, Device::Ivb) { 8 } else { 16 }
}

pub(super) const fn grf(number: u8, subregister: u8) -> Register {
    Register::Direct { file: RegisterFile::Grf, number, subregister }
}

pub(super) const fn architecture(kind: ArfKind, number: u8, subregister: u8) -> Register {
    Register::Direct { file: RegisterFile::Arf, number: kind.code() << 4 | number, subregister }
}
