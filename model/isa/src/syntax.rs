//! The syntaxes of assembly text: this project's own, which follows the manuals, and those of other tools.

use std::{fmt, str::FromStr};

use crate::{Device, generation::Generation};

/// A syntax of assembly text.
///
/// ```
/// use parallax_isa::{Device, Syntax};
///
/// assert_eq!("iga".parse(), Ok(Syntax::Iga));
/// assert!(Syntax::Mesa.is_for(Device::G45));
/// assert!(!Syntax::Iga.is_for(Device::G45));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Syntax {
    /// The grammar of the manuals, as this project prints it.
    #[default]
    Manual,
    /// Text of the Intel Graphics Assembler (`skl`, `dg1`).
    Iga,
    /// Text of Mesa's Intel assembler and disassembler (execution units).
    Mesa,
    /// Text of AMD's shader tools, as files of the R700-derived consoles hold it (`rv770`).
    Amd,
    /// Text of LLVM's R600 back end (`rv770`).
    Llvm,
}

impl Syntax {
    /// All of them, this project's own first.
    pub const ALL: [Self; 5] = [Self::Manual, Self::Iga, Self::Mesa, Self::Amd, Self::Llvm];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Iga => "iga",
            Self::Mesa => "mesa",
            Self::Amd => "amd",
            Self::Llvm => "llvm",
        }
    }

    /// What text in it is called in a sentence.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Manual => "the manual's syntax",
            Self::Iga => "IGA text",
            Self::Mesa => "Mesa text",
            Self::Amd => "AMD shader text",
            Self::Llvm => "LLVM R600 text",
        }
    }

    /// Whether programs of a device are written in it.
    #[must_use]
    pub fn is_for(self, device: Device) -> bool {
        match self {
            Self::Manual => true,
            Self::Iga => device.generation() >= Some(Generation::Gen9),
            Self::Mesa => device.generation().is_some(),
            Self::Amd | Self::Llvm => device == Device::Rv770,
        }
    }

    /// Those in which programs of a device are written.
    pub fn of(device: Device) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |syntax| syntax.is_for(device))
    }
}

impl fmt::Display for Syntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no syntax.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no syntax `{0}`; expected manual, iga, mesa, amd or llvm")]
pub struct UnknownSyntax(String);

impl FromStr for Syntax {
    type Err = UnknownSyntax;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let mut all = Self::ALL.into_iter();
        all.find(|syntax| syntax.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownSyntax(name.to_owned()))
    }
}
