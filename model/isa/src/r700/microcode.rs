//! Microcode: the formats of 32-bit words that programs are made of, each field by its name in the
//! manual (chapter 10).
//!
//! The formats and fields are those of `model/spec/tables/r700-microcode-fields.csv`
//! (`model/isa/build/r700.rs`). A format keeps its dwords as they are, so that whatever is read is written back bit for bit,
//! reserved bits included.

/// A field of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Field {
    /// Word of the manual it stands in: `CF_WORD1`.
    pub word: &'static str,
    /// Name in the manual: `POP_COUNT`.
    pub name: &'static str,
    /// Number of its dword, from 0.
    pub dword: usize,
    /// Most significant bit.
    pub high: u32,
    /// Least significant bit.
    pub low: u32,
}

impl Field {
    /// Largest value that fits.
    #[must_use]
    pub const fn largest(self) -> u32 {
        u32::MAX >> (31 - (self.high - self.low))
    }

    /// Its bits in its dword.
    #[must_use]
    pub const fn mask(self) -> u32 {
        self.largest() << self.low
    }

    /// Its value in some dwords.
    #[must_use]
    pub const fn get(self, dwords: &[u32]) -> u32 {
        dwords[self.dword] >> self.low & self.largest()
    }

    /// Sets its value in some dwords; bits that do not fit are dropped.
    pub const fn set(self, dwords: &mut [u32], value: u32) {
        let kept = dwords[self.dword] & !self.mask();
        dwords[self.dword] = kept | (value & self.largest()) << self.low;
    }
}

/// A format and its fields, for tests, tables and error messages.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// Name of the type.
    pub name: &'static str,
    /// Dwords it has.
    pub dwords: usize,
    /// Its fields, from the least significant bit up.
    pub fields: &'static [Field],
}

impl Format {
    /// The bits of each dword that no field covers: reserved, unused or padding.
    #[must_use]
    pub fn reserved(&self) -> Vec<u32> {
        let mut reserved = vec![u32::MAX; self.dwords];
        for field in self.fields {
            reserved[field.dword] &= !field.mask();
        }
        reserved
    }

    /// The field of a name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<Field> {
        self.fields.iter().find(|field| field.name == name).copied()
    }
}

macro_rules! formats {
    ($($(#[$meta:meta])* $format:ident $dwords:literal {
        $($field:ident $getter:ident $word:literal $dword:literal $high:literal $low:literal;)*
    })*) => {
        $(
            $(#[$meta])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
            #[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
            pub struct $format(pub [u32; $dwords]);

            impl $format {
                $(
                    #[doc = concat!("`", stringify!($field), "` of `", $word, "`.")]
                    pub const $field: Field = Field {
                        word: $word,
                        name: stringify!($field),
                        dword: $dword,
                        high: $high,
                        low: $low,
                    };
                )*

                /// The format and its fields.
                pub const FORMAT: Format = Format {
                    name: stringify!($format),
                    dwords: $dwords,
                    fields: &[$(Self::$field),*],
                };

                $(
                    #[doc = concat!("Value of `", stringify!($field), "`.")]
                    #[must_use]
                    pub const fn $getter(self) -> u32 {
                        Self::$field.get(&self.0)
                    }
                )*

                /// The same with another value of one field; bits that do not fit are dropped.
                #[must_use]
                pub const fn with(mut self, field: Field, value: u32) -> Self {
                    field.set(&mut self.0, value);
                    self
                }

                /// The bits set outside of all fields, dword by dword.
                #[must_use]
                pub fn reserved(self) -> [u32; $dwords] {
                    let mut bits = self.0;
                    for field in Self::FORMAT.fields {
                        bits[field.dword] &= !field.mask();
                    }
                    bits
                }
            }
        )*

        /// Every format.
        pub const FORMATS: &[Format] = &[$($format::FORMAT),*];
    };
}

include!(concat!(env!("OUT_DIR"), "/r700_microcode.rs"));

#[cfg(test)]
mod tests;
