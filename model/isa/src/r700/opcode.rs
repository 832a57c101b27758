//! Opcodes and what their rows in the manual's tables say about them: `r700-alu-opcodes.csv`,
//! `r700-cf-opcodes.csv`, `r700-fetch-opcodes.csv` and `r700-slots.csv` of `model/spec/tables`
//! (`model/isa/build/r700.rs`).

/// Values an operand or a result stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Single-precision float.
    F32,
    /// Double-precision float, one half in each of two slots.
    F64,
    /// Signed integer.
    I32,
    /// Unsigned integer.
    U32,
    /// 32 bits without interpretation.
    Bits,
    /// Signed 9-bit index, for the address register.
    Address,
    /// No value.
    None,
}

impl Kind {
    /// Whether float modifiers (negation, absolute value, output scale, clamp) make sense.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64 | Self::Bits)
    }
}

/// Units that can run an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Units {
    /// Any of the five.
    Any,
    /// X, Y, Z, W only.
    Vector,
    /// Trans only.
    Trans,
}

/// Format of an ALU instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AluFormat {
    /// At most two sources.
    Op2,
    /// Three sources.
    Op3,
}

/// What an ALU instruction changes beside its destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Nothing.
    Plain,
    /// It computes a predicate.
    Predicate,
    /// It kills pixels.
    Kill,
    /// It writes the address register.
    Address,
}

/// What the manual's tables say about an ALU opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AluRow {
    /// Name in the manual.
    pub mnemonic: &'static str,
    /// Format.
    pub format: AluFormat,
    /// Code of its `ALU_INST` field.
    pub code: u32,
    /// Units that can run it.
    pub units: Units,
    /// What its sources are; their number is the number of sources.
    pub sources: &'static [Kind],
    /// What its result is.
    pub result: Kind,
    /// What else it changes.
    pub role: Role,
    /// Vector slots that one operation takes: 1, 2 or 4.
    pub slots: usize,
}

macro_rules! alu_opcodes {
    ($($variant:ident $mnemonic:ident $format:ident $code:literal $units:ident [$($source:ident)*] $result:ident $role:ident $slots:literal;)*) => {
        /// An ALU instruction of section 9.2.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
        pub enum AluOpcode {
            $(#[doc = concat!("`", stringify!($mnemonic), "`")] $variant,)*
        }

        impl AluOpcode {
            /// Every ALU opcode, in the order of the manual's encoding tables.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            const ROWS: &[AluRow] = &[$(AluRow {
                mnemonic: stringify!($mnemonic),
                format: AluFormat::$format,
                code: $code,
                units: Units::$units,
                sources: &[$(Kind::$source),*],
                result: Kind::$result,
                role: Role::$role,
                slots: $slots,
            }),*];
        }
    };
}

impl AluOpcode {
    /// What the manual's tables say about it.
    #[must_use]
    pub const fn row(self) -> &'static AluRow {
        &Self::ROWS[self as usize]
    }

    /// Name in the manual.
    #[must_use]
    pub const fn mnemonic(self) -> &'static str {
        self.row().mnemonic
    }

    /// The id of a rule about it in the catalogue, `r700.aluinst.` and its name before the given part.
    #[must_use]
    pub fn rule_name(self, part: &str) -> String {
        let name = self.mnemonic().to_ascii_lowercase().replace('_', "-");
        format!("r700.aluinst.{name}.{part}")
    }

    /// The opcode of a code in a format.
    #[must_use]
    pub fn of(format: AluFormat, code: u32) -> Option<Self> {
        const CODES: [[Option<AluOpcode>; 128]; 2] = {
            let mut codes = [[None; 128]; 2];
            let mut number = 0;
            while number < AluOpcode::ALL.len() {
                let row = &AluOpcode::ROWS[number];
                codes[row.format as usize][row.code as usize] = Some(AluOpcode::ALL[number]);
                number += 1;
            }
            codes
        };
        CODES[format as usize].get(code as usize).copied().flatten()
    }

    /// The opcode of a name; the names of section 9.2 for the conditional moves are known too.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let plain = match name {
            "CMOVE" => "CNDE",
            "CMOVGT" => "CNDGT",
            "CMOVGE" => "CNDGE",
            "CMOVE_INT" => "CNDE_INT",
            "CMOVGT_INT" => "CNDGT_INT",
            "CMOVGE_INT" => "CNDGE_INT",
            other => other,
        };
        Self::ALL.iter().copied().find(|opcode| opcode.mnemonic() == plain)
    }

    /// Whether all four vector slots together compute one result from all their sources.
    #[must_use]
    pub const fn is_reduction(self) -> bool {
        self.row().slots == 4 && !self.is_double()
    }

    /// Whether a source or the result is a double-precision float.
    const fn is_double(self) -> bool {
        let AluRow { sources, result, .. } = self.row();
        matches!(sources, [Kind::F64, ..]) || matches!(result, Kind::F64)
    }

    /// Vector slots one double-precision operation takes, 0 for every other instruction.
    #[must_use]
    pub const fn double_slots(self) -> usize {
        if self.is_double() { self.row().slots } else { 0 }
    }
}

/// Format of a control-flow instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CfFormat {
    /// `CF_WORD`.
    Plain,
    /// `CF_ALU_WORD`.
    Alu,
    /// `CF_ALLOC_EXPORT_WORD1_SWIZ`.
    Export,
    /// `CF_ALLOC_EXPORT_WORD1_BUF`.
    Memory,
}

/// Declares the instructions of a kind: a row an instruction with its name, its format and the code of
/// its opcode field.
macro_rules! opcodes {
    (
        $(#[$outer:meta])*
        $type:ident($format_type:ident, $code_of:literal)
        $($variant:ident $mnemonic:ident $format:ident $code:literal;)*
    ) => {
        $(#[$outer])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
        pub enum $type {
            $(#[doc = concat!("`", stringify!($mnemonic), "`")] $variant,)*
        }

        impl $type {
            /// Every opcode of this kind.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            const ROWS: &[(&str, $format_type, u32)] =
                &[$((stringify!($mnemonic), $format_type::$format, $code)),*];

            /// Name in the manual.
            #[must_use]
            pub const fn mnemonic(self) -> &'static str {
                Self::ROWS[self as usize].0
            }

            /// Format.
            #[must_use]
            pub const fn format(self) -> $format_type {
                Self::ROWS[self as usize].1
            }

            #[doc = $code_of]
            #[must_use]
            pub const fn code(self) -> u32 {
                Self::ROWS[self as usize].2
            }

            /// The opcode of a name.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|opcode| opcode.mnemonic() == name)
            }
        }
    };
}

/// The opcodes of a kind, by format and code.
macro_rules! by_format {
    ($opcode:ident, $formats:literal formats) => {{
        let mut codes = [[None; 64]; $formats];
        let mut number = 0;
        while number < $opcode::ALL.len() {
            let (_, format, code) = $opcode::ROWS[number];
            codes[format as usize][code as usize] = Some($opcode::ALL[number]);
            number += 1;
        }
        codes
    }};
}

macro_rules! cf_opcodes {
    ($($rows:tt)*) => {
        opcodes! {
            /// A control-flow instruction of section 9.1.
            CfOpcode(CfFormat, "Code of its `CF_INST` field.")
            $($rows)*
        }
    };
}

impl CfOpcode {
    /// The opcode of a code in one of some formats.
    #[must_use]
    pub fn of(formats: &[CfFormat], code: u32) -> Option<Self> {
        const CODES: [[Option<CfOpcode>; 64]; 4] = by_format!(CfOpcode, 4 formats);
        let code_in = |format: &CfFormat| CODES[*format as usize].get(code as usize).copied();
        formats.iter().find_map(|format| code_in(format).flatten())
    }
}

/// Format of an instruction of a fetch clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FetchFormat {
    /// `VTX_WORD*` with `VTX_WORD1_GPR`.
    Vertex,
    /// `VTX_WORD*` with `VTX_WORD1_SEM`.
    Semantic,
    /// `TEX_WORD*`.
    Texture,
    /// `MEM_RD_WORD*`.
    MemoryRead,
    /// `MEM_DSW_WORD*`.
    LocalWrite,
    /// `MEM_DSR_WORD*`.
    LocalRead,
}

macro_rules! fetch_opcodes {
    ($($rows:tt)*) => {
        opcodes! {
            /// An instruction of a fetch clause (chapters 5 to 8).
            FetchOpcode(
                FetchFormat,
                "Code of its `VTX_INST` or `TEX_INST` field, or of `MEM_OP` where those have [`VTX_INST_MEM`]."
            )
            $($rows)*
        }
    };
}

impl FetchOpcode {
    /// The opcode of a code in a format.
    #[must_use]
    pub fn of(format: FetchFormat, code: u32) -> Option<Self> {
        const CODES: [[Option<FetchOpcode>; 64]; 6] = by_format!(FetchOpcode, 6 formats);
        CODES[format as usize].get(code as usize).copied().flatten()
    }

    /// The memory or local data share access of a value of `MEM_OP`.
    #[must_use]
    pub fn of_memory(mem_op: u32) -> Option<Self> {
        use FetchFormat::{LocalRead, LocalWrite, MemoryRead};
        [MemoryRead, LocalWrite, LocalRead].into_iter().find_map(|format| Self::of(format, mem_op))
    }
}

include!(concat!(env!("OUT_DIR"), "/r700_opcodes.rs"));

#[cfg(test)]
mod tests;
