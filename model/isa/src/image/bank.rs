//! Banks: registers of one kind, as a machine's state declares them.

use std::ops::Range;

use crate::Device;

/// Registers of one kind, side by side in the image.
#[derive(Debug, Clone, Copy)]
pub struct Bank {
    /// What its registers are called, without a number: `r`, `acc`, `ip`.
    pub name: &'static str,
    /// First byte in the image.
    pub offset: usize,
    /// Number of registers.
    pub count: usize,
    /// Bytes of a register.
    pub bytes: usize,
    /// Bytes of an element of a register.
    pub element: usize,
    /// Whether a register's name has its number in it: `r4` and `a0`, but not `ip`.
    pub is_numbered: bool,
    /// How a place inside of a register is called.
    pub part: Part,
    /// The devices that have it.
    pub devices: &'static [Device],
    /// Whether it is so large that it is compared by what was written, and whole only now and then.
    pub is_large: bool,
    /// Whether instructions put their results there: which of these banks one that computes something
    /// wrong writes depends on its operands only.
    pub holds_results: bool,
    /// The devices that have less of it, and how much.
    pub fewer: Option<Fewer>,
}

/// How much of a bank some devices have: the first registers, and of these the first bytes.
#[derive(Debug, Clone, Copy)]
pub struct Fewer {
    /// The devices.
    pub devices: &'static [Device],
    /// Number of registers.
    pub count: usize,
    /// Bytes of a register.
    pub bytes: usize,
}

/// How a place inside of a register is called.
#[derive(Debug, Clone, Copy)]
pub enum Part {
    /// By its byte: `r4.12`.
    Byte,
    /// By its element: `a0.3`.
    Element,
    /// By its channel, an element: `acc0[3]`.
    Channel,
    /// By element X, Y, Z or W and the pixel of 64: `R3.y[17]`.
    Lane,
    /// Not at all: the register is one element.
    Whole,
    /// By the register's number and the byte in it, as the function says.
    Named(fn(usize, usize) -> String),
}

impl Bank {
    /// A bank of `count` numbered registers of so many bytes, with elements of so many.
    #[must_use]
    pub const fn registers(
        name: &'static str,
        offset: usize,
        count: usize,
        [bytes, element]: [usize; 2],
        part: Part,
        devices: &'static [Device],
    ) -> Self {
        let is_numbered = true;
        let (is_large, holds_results) = (false, false);
        Self {
            name,
            offset,
            count,
            bytes,
            element,
            is_numbered,
            part,
            devices,
            is_large,
            holds_results,
            fewer: None,
        }
    }

    /// A bank of one register whose name has no number.
    #[must_use]
    pub const fn single(
        name: &'static str,
        offset: usize,
        sizes: [usize; 2],
        part: Part,
        devices: &'static [Device],
    ) -> Self {
        Self { is_numbered: false, ..Self::registers(name, offset, 1, sizes, part, devices) }
    }

    /// The bank as a large one.
    #[must_use]
    pub const fn large(self) -> Self {
        Self { is_large: true, ..self }
    }

    /// The bank as one that instructions put their results in.
    #[must_use]
    pub const fn of_results(self) -> Self {
        Self { holds_results: true, ..self }
    }

    /// The bank where some devices have fewer registers, or fewer bytes of them.
    #[must_use]
    pub const fn with_fewer(self, devices: &'static [Device], count: usize, bytes: usize) -> Self {
        Self { fewer: Some(Fewer { devices, count, bytes }), ..self }
    }

    /// How many registers a device has of it, and how many bytes of each.
    #[must_use]
    pub fn size_on(&self, device: Device) -> [usize; 2] {
        match self.fewer {
            Some(fewer) if fewer.devices.contains(&device) => [fewer.count, fewer.bytes],
            _ => [self.count, self.bytes],
        }
    }

    /// Its bytes in the image that every device has which has the bank, if these are all of it or of
    /// its first registers.
    #[must_use]
    pub const fn common(&self) -> Range<usize> {
        match self.fewer {
            Some(fewer) => self.offset..self.offset + (fewer.count - 1) * self.bytes + fewer.bytes,
            None => self.range(),
        }
    }

    /// Bytes of all its registers.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "no bank is empty")]
    pub const fn len(&self) -> usize {
        self.count * self.bytes
    }

    /// Its bytes in the image.
    #[must_use]
    pub const fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.len()
    }

    /// Whether a device has it.
    #[must_use]
    pub fn is_on(&self, device: Device) -> bool {
        self.devices.contains(&device)
    }

    /// The name of a register.
    #[must_use]
    pub fn register(&self, number: usize) -> String {
        if self.is_numbered { format!("{}{number}", self.name) } else { self.name.to_owned() }
    }

    /// The name of the place at a byte of the bank.
    #[must_use]
    pub fn place(&self, byte: usize) -> String {
        let (number, byte) = (byte / self.bytes, byte % self.bytes);
        let register = self.register(number);
        let element = byte / self.element;
        match self.part {
            Part::Byte => format!("{register}.{byte}"),
            Part::Element => format!("{register}.{element}"),
            Part::Channel => format!("{register}[{element}]"),
            Part::Lane => {
                format!("{register}.{}[{}]", ["x", "y", "z", "w"][element / 64 % 4], element % 64)
            }
            Part::Whole => register,
            Part::Named(name) => name(number, byte),
        }
    }
}
