//! Machine state as bytes in named banks, so that states of any machine are compared, adopted,
//! recorded and named by one piece of code.

#[cfg(feature = "arbitrary")]
pub(crate) mod arbitrary;
mod bank;
mod extent;
mod register;
pub mod serial;

pub use bank::{Bank, Fewer, Part};
pub use extent::Extent;
pub use register::{Register, UnknownRegister};

/// A machine state that is a flat run of bytes without padding, divided into banks.
pub trait Image: bytemuck::Pod + Default {
    /// The banks, in order of their places; each starts where the one before it ends.
    const BANKS: &'static [Bank];

    /// All of the state, as bytes.
    fn image(&self) -> &[u8] {
        bytemuck::bytes_of(self)
    }

    /// All of the state, as bytes to change.
    fn image_mut(&mut self) -> &mut [u8] {
        bytemuck::bytes_of_mut(self)
    }

    /// The bank that a byte of the image belongs to.
    ///
    /// # Panics
    /// If the byte lies outside the image.
    fn bank(offset: usize) -> &'static Bank {
        assert!(offset < size_of::<Self>(), "byte {offset} of an image of {}", size_of::<Self>());
        let after = Self::BANKS.partition_point(|bank| bank.offset <= offset);
        &Self::BANKS[after - 1]
    }

    /// The bank of a name.
    ///
    /// # Errors
    /// If there is none; the sentence says which there are.
    fn bank_named(name: &str) -> Result<&'static Bank, String> {
        Self::BANKS.iter().find(|bank| bank.name == name).ok_or_else(|| {
            let names: Vec<_> = Self::BANKS.iter().map(|bank| bank.name).collect();
            format!("there is no bank `{name}`; there are {}", names.join(", "))
        })
    }

    /// The architectural name of the place at a byte of the image: `r4.12`, `f0.0`, `acc0[3]`.
    fn place(offset: usize) -> String {
        let bank = Self::bank(offset);
        bank.place(offset - bank.offset)
    }
}

/// Holds, at compile time, that banks fill a state of `size` bytes without gaps.
///
/// # Panics
/// If they do not.
pub const fn assert_whole(banks: &[Bank], size: usize) {
    let (mut next, mut number) = (0, 0);
    while number < banks.len() {
        assert!(banks[number].offset == next, "a bank starts where the one before it ends");
        next += banks[number].len();
        number += 1;
    }
    assert!(next == size, "the banks are all of the state");
}
