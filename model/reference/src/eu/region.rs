//! Which element of which register a channel of an operand is (G45 volume 4, sections 11.4.1 and
//! 11.4.2).

use std::mem::offset_of;

use parallax_isa::device::Generation;
use parallax_isa::eu::{
    State,
    operand::{Destination, DestinationRegion, Region, Register, VerticalStride},
    register::{ArfKind, REGISTER_BYTES, RegisterFile},
    state::{GRF_COUNT, MRF_COUNT},
};

use super::thread::{ArchitectureRegister, Executed, Thread, Unpredictable};

/// Where the element of one channel is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Nowhere: the null register.
    Null,
    /// At a byte of the state image.
    Byte(usize),
    /// An element of an accumulator.
    Accumulator { register: usize, element: usize },
    /// In a part of an architecture register that does not exist.
    Reserved,
    /// In a general or message register that does not exist.
    Outside,
}

impl Thread {
    /// The places of a source region's elements, by channel: of elements of a size, in a region that
    /// counts them by a unit.
    pub(super) fn source_places(
        &self,
        register: Register,
        region: Region,
        sizes: [usize; 2],
        channels: usize,
    ) -> Executed<Vec<Place>> {
        let place = |channel| self.source_place(register, region, sizes, channel);
        (0..channels).map(place).collect()
    }

    /// The place of one channel's element.
    #[inline]
    pub(super) fn source_place(
        &self,
        register: Register,
        region: Region,
        [element_size, unit]: [usize; 2],
        channel: usize,
    ) -> Executed<Place> {
        let (row, element) = row_and_element(region, channel, unit);
        let in_row = element as usize * unit;
        match (register, region) {
            _ if register.file() == RegisterFile::Mrf => Ok(Place::Reserved),
            (
                Register::Indirect { file, address_subregister, offset },
                Region::Align1 { vertical: VerticalStride::PerRowAddress, .. },
            ) => {
                let subregister = usize::from(address_subregister) + row;
                Ok(self.indexed(file, subregister, offset, in_row, element_size))
            }
            (Register::Indirect { file, address_subregister, offset }, _) => {
                let subregister = usize::from(address_subregister);
                Ok(self.indexed(file, subregister, offset, in_row, element_size))
            }
            (Register::Direct { file, number, subregister }, _) => {
                self.direct(file, number, subregister, in_row, element_size)
            }
        }
    }

    /// The places of a destination region's elements, by channel.
    pub(super) fn destination_places(
        &self,
        destination: &Destination,
        unit: usize,
        channels: usize,
    ) -> Executed<Vec<Place>> {
        let element_size = destination.data_type.size();
        let stride = match destination.region {
            DestinationRegion::Stride(stride) => usize::from(stride),
            DestinationRegion::ChannelEnable(_) => 1,
        };
        let offsets = (0..channels).map(|channel| channel * stride * unit);
        match destination.register {
            Register::Direct { file: RegisterFile::Arf, number, subregister } => {
                let first = usize::from(subregister);
                offsets
                    .map(|offset| self.architecture(number, first + offset, element_size))
                    .collect()
            }
            Register::Direct { file, number, subregister } => {
                // Decision D-eu-register-range.
                let first = usize::from(number) * REGISTER_BYTES + usize::from(subregister);
                Ok(offsets.map(|offset| in_file(file, first + offset, element_size)).collect())
            }
            Register::Indirect { file, address_subregister, offset: immediate } => {
                let subregister = usize::from(address_subregister);
                let place =
                    |offset| self.indexed(file, subregister, immediate, offset, element_size);
                Ok(offsets.map(place).collect())
            }
        }
    }

    /// The byte of the general registers that an address register points to, for an element of a size there.
    pub(super) fn pointed_to(
        &self,
        subregister: u8,
        immediate: i16,
        element_size: usize,
    ) -> Option<usize> {
        let file = RegisterFile::Grf;
        match self.indexed(file, subregister.into(), immediate, 0, element_size) {
            Place::Byte(byte) => Some(byte - offset_of!(State, grf)),
            _ => None,
        }
    }

    /// The place an address register points to, `further` bytes on.
    fn indexed(
        &self,
        file: RegisterFile,
        subregister: usize,
        immediate: i16,
        further: usize,
        element_size: usize,
    ) -> Place {
        let subregisters = if self.since(Generation::Gen8) { 16 } else { 8 };
        let Some(&address) = self.state.address[..subregisters].get(subregister) else {
            return Place::Outside;
        };
        let used = if self.since(Generation::Gen8) { 0x1FFF } else { 0xFFF };
        let byte = i64::from(address & used) + i64::from(immediate) + further as i64;
        usize::try_from(byte).map_or(Place::Outside, |byte| in_file(file, byte, element_size))
    }
}

impl Thread {
    /// The place `offset` bytes from a named register.
    #[inline]
    fn direct(
        &self,
        file: RegisterFile,
        number: u8,
        subregister: u8,
        offset: usize,
        element_size: usize,
    ) -> Executed<Place> {
        // Decision D-eu-register-range.
        let in_register = usize::from(subregister) + offset;
        if file == RegisterFile::Arf {
            return self.architecture(number, in_register, element_size);
        }
        let byte = usize::from(number) * REGISTER_BYTES + in_register;
        Ok(in_file(file, byte, element_size))
    }

    /// The place of a byte of an architecture register.
    fn architecture(&self, number: u8, byte: usize, element_size: usize) -> Executed<Place> {
        let generation = self.device.generation().unwrap_or(Generation::Gen4);
        let Some(kind) = ArfKind::on(generation, number) else {
            return Err(Unpredictable(format!("architecture register {number:#04X} is reserved")));
        };
        match kind {
            ArfKind::Null => Ok(Place::Null),
            ArfKind::Accumulator => {
                // Decision D-eu-acc-element.
                let register = usize::from(number & 0xF);
                let last = if self.since(Generation::Gen12) { 7 } else { 1 };
                if register > last {
                    return Err(Unpredictable(format!("acc{register} does not exist")));
                }
                let element = byte / element_size;
                Ok(Place::Accumulator { register, element })
            }
            _ => Ok(match ArchitectureRegister::named(self.device, kind, number) {
                Some(register) if byte + element_size <= register.bytes => {
                    Place::Byte(register.start + byte)
                }
                Some(register) if byte < register.bytes && element_size == 8 => {
                    // Decision D-eu-later-arf-wide.
                    let what = "an element of 64 bits of which the register has a part";
                    return Err(Unpredictable(what.to_owned()));
                }
                _ => Place::Reserved,
            }),
        }
    }
}

/// The row of a channel, and the number of its element counted from the row's (or, without a
/// row address, the region's) origin.
#[inline]
fn row_and_element(region: Region, channel: usize, unit: usize) -> (usize, u32) {
    match region {
        Region::Align16 { vertical, swizzle } if unit == 8 => {
            // Two doubles in a group of four channels: x and z stand for them.
            let (row, column) = (channel / 2, channel % 2);
            let step = match vertical {
                VerticalStride::Elements(stride) => u32::from(stride.min(2)),
                VerticalStride::PerRowAddress => 0,
            };
            (row, row as u32 * step + u32::from(swizzle[2 * column] / 2))
        }
        Region::Align1 { vertical, width, horizontal } => {
            // Every width is a power of two: these are the quotient and what remains.
            let row = channel as u32 >> width.trailing_zeros();
            let column = channel as u32 & (u32::from(width) - 1);
            let step = match vertical {
                VerticalStride::Elements(stride) => u32::from(stride),
                VerticalStride::PerRowAddress => 0,
            };
            (row as usize, row * step + column * u32::from(horizontal))
        }
        Region::Align16 { vertical, swizzle } => {
            let (row, column) = (channel / 4, channel % 4);
            let step = match vertical {
                VerticalStride::Elements(stride) => u32::from(stride),
                VerticalStride::PerRowAddress => 0,
            };
            (row, row as u32 * step + u32::from(swizzle[column]))
        }
    }
}

/// The place of an element of the general or message registers, by its first byte.
#[inline]
fn in_file(file: RegisterFile, byte: usize, element_size: usize) -> Place {
    let (start, registers) = match file {
        RegisterFile::Grf => (offset_of!(State, grf), GRF_COUNT),
        RegisterFile::Mrf => (offset_of!(State, mrf), MRF_COUNT),
        RegisterFile::Arf => return Place::Outside,
    };
    if byte + element_size <= registers * REGISTER_BYTES {
        Place::Byte(start + byte)
    } else {
        Place::Outside
    }
}
