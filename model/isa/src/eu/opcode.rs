//! Operations. Their codes and properties per device are data, in the opcode table.

use serde::{Deserialize, Serialize};

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
