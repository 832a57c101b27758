//! The tables of the R700 manual, row by row.

use serde::Deserialize;

use super::rows;

/// A field of a microcode format: `r700-microcode-fields`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MicrocodeField {
    /// Word of the manual it stands in: `CF_WORD1`.
    #[serde(rename = "format")]
    pub word: String,
    /// Number of its dword in the instruction.
    pub dword: usize,
    bits: String,
    /// Name in the manual: `POP_COUNT`; reserved bits are rows too.
    #[serde(rename = "field")]
    pub name: String,
    /// Its values: a range, or `see` and the name under which `r700-field-values` has them.
    pub values: String,
}

impl MicrocodeField {
    /// Every row.
    #[must_use]
    pub fn all() -> Vec<Self> {
        rows("r700-microcode-fields")
    }

    /// Its most and its least significant bit.
    ///
    /// # Panics
    /// If the table has something else there.
    #[must_use]
    pub fn bits(&self) -> (u32, u32) {
        let (high, low) = self.bits.split_once(':').unwrap_or((&self.bits, &self.bits));
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("bits {}", self.bits));
        (number(high), number(low))
    }

    /// Whether it is no field: bits that are reserved, unused or padding.
    #[must_use]
    pub fn is_reserved(&self) -> bool {
        ["Reserved", "Unused", "PAD"].contains(&self.name.as_str())
    }
}

/// What a value of a field stands for: `r700-field-values`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FieldValue {
    /// The field, or the kind of its values: `SEL(3)`.
    pub field: String,
    /// The value, or a range of values.
    pub value: String,
    /// Name in the manual, if it has one.
    pub name: String,
}

impl FieldValue {
    /// Every row.
    #[must_use]
    pub fn all() -> Vec<Self> {
        rows("r700-field-values")
    }
}

/// An ALU opcode: `r700-alu-opcodes`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AluOpcode {
    /// `OP2` or `OP3`.
    pub format: String,
    /// Code of its `ALU_INST` field.
    #[serde(rename = "opcode_dec")]
    pub code: u32,
    /// Name in the manual.
    pub mnemonic: String,
    /// Units that can run it: `both`, `XYZW`, `T`, `unspecified`.
    pub units: String,
    /// Number of sources.
    #[serde(rename = "nsrc")]
    pub sources: usize,
    /// What its sources and its result are: `f32,f32->f32`.
    pub types: String,
    /// What it changes besides its destination: `none`, `kill`, `AR`, `predicate …`.
    pub updates: String,
}

impl AluOpcode {
    /// Every row.
    #[must_use]
    pub fn all() -> Vec<Self> {
        rows("r700-alu-opcodes")
    }
}

/// A control-flow opcode: `r700-cf-opcodes`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CfOpcode {
    /// `CF_WORD`, `CF_ALU_WORD` or `CF_ALLOC_EXPORT`.
    #[serde(rename = "cf_format")]
    pub format: String,
    /// Code of its `CF_INST` field.
    #[serde(rename = "opcode")]
    pub code: u32,
    /// Name in the manual.
    pub mnemonic: String,
}

impl CfOpcode {
    /// Every row.
    #[must_use]
    pub fn all() -> Vec<Self> {
        rows("r700-cf-opcodes")
    }
}

/// An opcode of a fetch clause: `r700-fetch-opcodes`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FetchOpcode {
    /// `vtx`, `tex`, `mem` or `lds`.
    pub clause: String,
    opcode: String,
    /// Name in the manual.
    pub mnemonic: String,
}

impl FetchOpcode {
    /// Every row.
    #[must_use]
    pub fn all() -> Vec<Self> {
        rows("r700-fetch-opcodes")
    }

    /// Code of its `VTX_INST` or `TEX_INST` field, or of `MEM_OP` if it is a memory or local data share
    /// access.
    ///
    /// # Panics
    /// If the table has something else there.
    #[must_use]
    pub fn code(&self) -> u32 {
        let text = self.opcode.strip_prefix("MEM_OP ").unwrap_or(&self.opcode);
        let number = text.split_whitespace().next().and_then(|word| word.parse().ok());
        number.unwrap_or_else(|| panic!("opcode {}", self.opcode))
    }
}

/// One of the slots that an operation takes in a group: `r700-slots`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Slot {
    /// Name of its opcode.
    #[serde(rename = "op")]
    pub mnemonic: String,
    /// The slots that the operation takes together, in words.
    #[serde(rename = "slot_group")]
    pub group: String,
    /// `X`, `Y`, `Z`, `W` or `T`.
    pub slot: String,
}

impl Slot {
    /// Every row.
    #[must_use]
    pub fn all() -> Vec<Self> {
        rows("r700-slots")
    }

    /// How many slots the operation takes together: 1, 2 or 4.
    #[must_use]
    pub fn width(&self) -> usize {
        match self.group.split_once(" (slots ") {
            Some((slots, _)) => slots.split(',').count(),
            None => 1,
        }
    }
}

/// What a value of a source select stands for: `r700-alu-src-sel`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SourceSelect {
    /// The value of the field.
    #[serde(rename = "sel")]
    pub code: u32,
    /// Name in the manual.
    pub name: String,
    /// `gpr`, `kcache`, `cfile`, `inline`, `literal`, `previous` or `undefined`.
    pub class: String,
}

impl SourceSelect {
    /// Every row.
    #[must_use]
    pub fn all() -> Vec<Self> {
        rows("r700-alu-src-sel")
    }
}
