//! Operations, and the table of their codes per generation and their formats (G45 volume 4,
//! section 13.3; the tables `eu-opcodes-by-gen` and `g45-opcodes`).

use std::sync::LazyLock;

use parallax_spec::{RuleId, coverage};
use serde::{Deserialize, Serialize};

use super::fields::Layout;
use crate::Device;

/// Defines the opcodes with their mnemonics.
macro_rules! opcodes {
    ($($(#[$doc:meta])* $name:ident $mnemonic:literal,)*) => {
        /// An operation of the G45 execution unit, named as the manual names it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[expect(missing_docs, reason = "the manual's mnemonics; meanings are in the reference")]
        pub enum Opcode { $($(#[$doc])* $name,)* }

        impl Opcode {
            /// Every operation.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The mnemonic in assembly text.
            #[must_use]
            pub const fn mnemonic(self) -> &'static str {
                match self { $(Self::$name => $mnemonic,)* }
            }
        }
    };
}

opcodes! {
    Illegal "illegal",
    Mov "mov",
    Sel "sel",
    Movi "movi",
    Not "not",
    And "and",
    Or "or",
    Xor "xor",
    Shr "shr",
    Shl "shl",
    Asr "asr",
    Cmp "cmp",
    Cmpn "cmpn",
    Jmpi "jmpi",
    If "if",
    Iff "iff",
    Else "else",
    Endif "endif",
    Do "do",
    While "while",
    Break "break",
    Cont "cont",
    Halt "halt",
    Msave "msave",
    Mrest "mrest",
    Push "push",
    Pop "pop",
    Wait "wait",
    Send "send",
    Add "add",
    Mul "mul",
    Avg "avg",
    Frc "frc",
    Rndu "rndu",
    Rndd "rndd",
    Rnde "rnde",
    Rndz "rndz",
    Mac "mac",
    Mach "mach",
    Lzd "lzd",
    Sad2 "sad2",
    Sada2 "sada2",
    Dp4 "dp4",
    Dph "dph",
    Dp3 "dp3",
    Dp2 "dp2",
    Line "line",
    Pln "pln",
    Nop "nop",
    Nenop "nenop",
}

impl Opcode {
    /// The operation a mnemonic names.
    #[must_use]
    pub fn of_mnemonic(mnemonic: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|opcode| opcode.mnemonic() == mnemonic)
    }
}

/// Rules that say which code an operation has, and which operands it is written with.
static RULES: LazyLock<Vec<[Option<RuleId>; 2]>> = LazyLock::new(|| {
    let rules = |opcode: &Opcode| {
        ["opcode", "forms"]
            .map(|what| RuleId::find(&format!("g45.inst.{}.{what}", opcode.mnemonic())))
    };
    Opcode::ALL.iter().map(rules).collect()
});

impl Opcode {
    /// Counts the rule of its code: it was decoded, and an executor decoded it too.
    pub(super) fn count_code(self) {
        RULES[self as usize][0].into_iter().for_each(coverage::hit);
    }

    /// Counts the rule of its operand forms: a text with them was read.
    pub(super) fn count_forms(self) {
        RULES[self as usize][1].into_iter().for_each(coverage::hit);
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
    /// Controls, post destination, src0, and the message descriptor in place of src1.
    Message,
}

/// A row of the opcode table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpcodeRow {
    /// Operation.
    pub opcode: Opcode,
    /// Its code in each layout, where the generation has it.
    pub codes: [Option<u8>; Layout::ALL.len()],
    /// The first device that has it.
    pub since: Device,
    /// What it uses.
    pub format: Format,
}

const fn row(
    opcode: Opcode,
    gen4: Option<u8>,
    gen45: Option<u8>,
    since: Device,
    format: Format,
) -> OpcodeRow {
    OpcodeRow { opcode, codes: [gen4, gen45], since, format }
}

/// The opcode table, in the order of [`Opcode::ALL`].
pub static OPCODES: [OpcodeRow; Opcode::ALL.len()] = {
    use Device::*;
    use Format::*;
    use Opcode::*;
    [
        row(Illegal, Some(0x00), Some(0x00), Bw, Nothing),
        row(Mov, Some(0x01), Some(0x01), Bw, Unary),
        row(Sel, Some(0x02), Some(0x02), Bw, Binary),
        row(Movi, None, Some(0x03), Ctg, Unary),
        row(Not, Some(0x04), Some(0x04), Bw, Unary),
        row(And, Some(0x05), Some(0x05), Bw, Binary),
        row(Or, Some(0x06), Some(0x06), Bw, Binary),
        row(Xor, Some(0x07), Some(0x07), Bw, Binary),
        row(Shr, Some(0x08), Some(0x08), Bw, Binary),
        row(Shl, Some(0x09), Some(0x09), Bw, Binary),
        row(Asr, Some(0x0C), Some(0x0C), Bw, Binary),
        row(Cmp, Some(0x10), Some(0x10), Bw, Binary),
        row(Cmpn, Some(0x11), Some(0x11), Bw, Binary),
        row(Jmpi, Some(0x20), Some(0x20), Bw, Binary),
        row(If, Some(0x22), Some(0x22), Bw, Binary),
        row(Iff, Some(0x23), Some(0x23), Bw, Binary),
        row(Else, Some(0x24), Some(0x24), Bw, Binary),
        row(Endif, Some(0x25), Some(0x25), Bw, ExitCode),
        row(Do, Some(0x26), Some(0x26), Bw, Controls),
        row(While, Some(0x27), Some(0x27), Bw, Binary),
        row(Break, Some(0x28), Some(0x28), Bw, Binary),
        row(Cont, Some(0x29), Some(0x29), Bw, Binary),
        row(Halt, Some(0x2A), Some(0x2A), Bw, Binary),
        row(Msave, Some(0x2C), Some(0x2C), Bw, Unary),
        row(Mrest, Some(0x2D), Some(0x2D), Bw, Unary),
        row(Push, Some(0x2E), Some(0x2E), Bw, Unary),
        row(Pop, Some(0x2F), Some(0x2F), Bw, Binary),
        row(Wait, Some(0x30), Some(0x30), Bw, Binary),
        row(Send, Some(0x31), Some(0x31), Bw, Message),
        row(Add, Some(0x40), Some(0x40), Bw, Binary),
        row(Mul, Some(0x41), Some(0x41), Bw, Binary),
        row(Avg, Some(0x42), Some(0x42), Bw, Binary),
        row(Frc, Some(0x43), Some(0x43), Bw, Unary),
        row(Rndu, Some(0x44), Some(0x44), Bw, Unary),
        row(Rndd, Some(0x45), Some(0x45), Bw, Unary),
        row(Rnde, Some(0x46), Some(0x46), Bw, Unary),
        row(Rndz, Some(0x47), Some(0x47), Bw, Unary),
        row(Mac, Some(0x48), Some(0x48), Bw, Binary),
        row(Mach, Some(0x49), Some(0x49), Bw, Binary),
        row(Lzd, Some(0x4A), Some(0x4A), Bw, Unary),
        row(Sad2, Some(0x50), Some(0x50), Bw, Binary),
        row(Sada2, Some(0x51), Some(0x51), Bw, Binary),
        row(Dp4, Some(0x54), Some(0x54), Bw, Binary),
        row(Dph, Some(0x55), Some(0x55), Bw, Binary),
        row(Dp3, Some(0x56), Some(0x56), Bw, Binary),
        row(Dp2, Some(0x57), Some(0x57), Bw, Binary),
        row(Line, Some(0x59), Some(0x59), Bw, Binary),
        row(Pln, None, Some(0x5A), G45, Binary),
        row(Nop, Some(0x7E), Some(0x7E), Bw, Controls),
        row(Nenop, None, Some(0x7D), G45, Nothing),
    ]
};

/// What the codes 0 to 127 stand for on each device.
static OF_CODE: LazyLock<Vec<[Option<Opcode>; 128]>> = LazyLock::new(|| {
    let of_device = |device: Device| {
        let mut opcodes = [None; 128];
        for row in &OPCODES {
            if let Some(code) = row.opcode.code(device) {
                opcodes[usize::from(code)] = Some(row.opcode);
            }
        }
        opcodes
    };
    Device::ALL.into_iter().map(of_device).collect()
});

impl Opcode {
    /// Its row of the opcode table.
    #[must_use]
    pub fn row(self) -> &'static OpcodeRow {
        &OPCODES[self as usize]
    }

    /// Which fields of the word it uses.
    #[must_use]
    pub fn format(self) -> Format {
        self.row().format
    }

    /// Its code on a device; `None` if the device does not have it.
    #[must_use]
    pub fn code(self, device: Device) -> Option<u8> {
        let row = self.row();
        let layout = Layout::of(device)?;
        row.codes[layout as usize].filter(|_| device >= row.since)
    }

    /// The operation of a code on a device; `None` if the code is undefined there.
    #[must_use]
    pub fn of_code(device: Device, code: u8) -> Option<Self> {
        *OF_CODE[device as usize].get(usize::from(code))?
    }
}

#[cfg(test)]
mod tests;
