//! Operations: their mnemonics, codes per generation and formats (G45 volume 4, section 13.3;
//! generated from the tables `eu-opcodes-by-gen` and `g45-opcodes`).

use serde::{Deserialize, Serialize};

use super::generation::Generation;
use crate::Device;

include!(concat!(env!("OUT_DIR"), "/eu_opcodes.rs"));

impl Opcode {
    /// Every operation of every generation.
    pub const ALL: &[Self] = &ALL;

    /// The mnemonic in assembly text.
    #[must_use]
    pub const fn mnemonic(self) -> &'static str {
        MNEMONICS[self as usize]
    }

    /// The operation a mnemonic names, on whatever generation.
    #[must_use]
    pub fn of_mnemonic(mnemonic: &str) -> Option<Self> {
        ALL.into_iter().find(|opcode| opcode.mnemonic() == mnemonic)
    }
}

/// Which fields of the word an operation uses besides its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Only the breakpoint mark: whatever else the word holds has no effect.
    Nothing,
    /// The controls of the first doubleword, no operand.
    Controls,
    /// Controls and src1, an exit code.
    ExitCode,
    /// Controls, destination and src0.
    Unary,
    /// Controls, destination and both sources. Branches are among these: they name `ip` twice and
    /// have their exit code in src1.
    Binary,
    /// Controls, destination and three sources: only later generations than Gen4.5 have such.
    Ternary,
    /// Controls, post destination, src0, and the message descriptor in place of src1.
    Message,
    /// The same with a second payload in src1 (`sends`, Gen9).
    SplitMessage,
    /// Controls and jump distances in place of sources (Gen7 and later).
    Branch,
    /// Controls and src0, a function in place of the conditional modifier (`sync`, Gen12).
    Sync,
}

/// What a branch of Gen7 and later has in place of operands (table `eu-inst-fields`, format
/// `branch`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BranchOperands {
    /// A jump distance.
    pub jip: bool,
    /// An update distance.
    pub uip: bool,
    /// The source that may hold the distances, in a register.
    pub register: Option<usize>,
    /// A destination.
    pub destination: bool,
}

/// What the codes 0 to 127 stand for in each generation.
static OF_CODE: [[Option<Opcode>; 128]; Generation::COUNT] = {
    let mut opcodes = [[None; 128]; Generation::COUNT];
    let mut n = 0;
    while n < ALL.len() {
        let mut generation = 0;
        while generation < Generation::COUNT {
            if let Some(code) = CODES[n][generation] {
                opcodes[generation][code as usize] = Some(ALL[n]);
            }
            generation += 1;
        }
        n += 1;
    }
    opcodes
};

impl Opcode {
    /// Which fields of the word it uses.
    #[must_use]
    pub const fn format(self) -> Format {
        use Opcode::*;
        match self {
            Illegal | Nenop => Format::Nothing,
            Do | Nop => Format::Controls,
            Endif => Format::ExitCode,
            Mov | Movi | Not | Msave | Mrest | Push | Frc | Rndu | Rndd | Rnde | Rndz | Lzd
            | Dim | F32to16 | F16to32 | Bfrev | Fbh | Fbl | Cbit => Format::Unary,
            Sync => Format::Sync,
            Csel | Bfe | Bfi2 | Mad | Lrp | Madm | Dp4a => Format::Ternary,
            Send | Sendc => Format::Message,
            Sends | Sendsc => Format::SplitMessage,
            Brd | Brc | Goto | Join | Call | Calla | Ret => Format::Branch,
            _ => Format::Binary,
        }
    }

    /// Which fields of the word it uses in a generation: branches of Gen7 and later have distances
    /// in place of operands, `jmpi` from Gen12 on too, and `send` of Gen12 has two payloads.
    #[must_use]
    pub const fn format_on(self, generation: Generation) -> Format {
        use Opcode::*;
        match self {
            If | Else | Endif | While | Break | Cont | Halt
                if generation as usize >= Generation::Gen7 as usize =>
            {
                Format::Branch
            }
            Jmpi if generation as usize >= Generation::Gen12 as usize => Format::Branch,
            Send | Sendc if generation as usize >= Generation::Gen12 as usize => {
                Format::SplitMessage
            }
            _ => self.format(),
        }
    }

    /// What a branch of Gen7 and later has in place of operands.
    #[must_use]
    pub const fn branch_operands(self, generation: Generation) -> BranchOperands {
        use Opcode::*;
        let has_two_distances = match self {
            If | Break | Cont | Halt | Brc | Goto => true,
            Else => generation as usize >= Generation::Gen8 as usize,
            _ => false,
        };
        BranchOperands {
            jip: !matches!(self, Ret),
            uip: has_two_distances,
            register: match self {
                Brd | Brc | Ret => Some(0),
                Call | Calla | Jmpi if generation as usize >= Generation::Gen12 as usize => Some(0),
                Call | Calla => Some(1),
                _ => None,
            },
            destination: matches!(self, Call | Calla),
        }
    }

    /// Its code on a device; `None` if the device does not have it.
    #[inline]
    #[must_use]
    pub fn code(self, device: Device) -> Option<u8> {
        let code = CODES[self as usize][device.generation()? as usize];
        code.filter(|_| self.came_before(device))
    }

    /// The operation of a code in a generation; `None` if the code is undefined there.
    pub(super) fn on(generation: Generation, code: u8) -> Option<Self> {
        *OF_CODE[generation as usize].get(usize::from(code))?
    }

    /// The operation of a code on a device; `None` if the code is undefined there.
    #[inline]
    #[must_use]
    pub fn of_code(device: Device, code: u8) -> Option<Self> {
        let opcodes = &OF_CODE[device.generation()? as usize];
        opcodes.get(usize::from(code))?.filter(|opcode| opcode.came_before(device))
    }

    /// Some operations of Gen4.5 came with its second stepping.
    fn came_before(self, device: Device) -> bool {
        device != Device::Ctg || !CAME_WITH_CTG_B[self as usize]
    }
}

#[cfg(test)]
mod tests;
