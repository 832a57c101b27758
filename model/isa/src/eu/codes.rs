//! What the codes of fields stand for, per generation (G45 volume 4, section 13.2; generated from the
//! tables `eu-flag-cond-pred-encodings`, `eu-type-encodings` and `g45-field-values`).

mod values;

use std::fmt;

use super::{
    generation::Generation,
    instruction::{
        AccessMode, Compression, ConditionalModifier, MathFunction, PredicateControl, SyncFunction,
        ThreadControl,
    },
    operand::VerticalStride,
    register::{ArfKind, RegisterFile},
    types::DataType,
};

pub use values::{Values, values};

/// Codes and what they stand for, in each generation.
type Columns<T> = [&'static [(u32, T)]; Generation::COUNT];

/// The tables as they are.
mod listed {
    use super::{
        AccessMode, Columns, Compression, ConditionalModifier, DataType, Generation, MathFunction,
        PredicateControl, RegisterFile, SyncFunction, ThreadControl, VerticalStride,
    };

    include!(concat!(env!("OUT_DIR"), "/eu_codes.rs"));
}

/// What the codes of a field stand for; codes not listed are reserved.
pub struct Codes<T: 'static> {
    columns: &'static Columns<T>,
}

impl<T: Copy + PartialEq> Codes<T> {
    fn of(&self, generation: Generation) -> &'static [(u32, T)] {
        self.columns[generation as usize]
    }

    /// The place of a code in the table of a generation.
    #[inline]
    #[must_use]
    pub fn place(&self, generation: Generation, code: u32) -> Option<usize> {
        let codes = self.of(generation);
        // Most tables have all codes in order.
        match codes.get(code as usize) {
            Some(row) if row.0 == code => Some(code as usize),
            _ => codes.iter().position(|row| row.0 == code),
        }
    }

    /// What a code stands for.
    #[inline]
    pub(super) fn meaning(&self, generation: Generation, code: u32) -> Option<T> {
        self.place(generation, code).map(|place| self.of(generation)[place].1)
    }

    /// The code of a meaning.
    #[inline]
    pub(super) fn code(&self, generation: Generation, meaning: T) -> Option<u32> {
        let mut codes = self.of(generation).iter();
        codes.find(|(_, listed)| *listed == meaning).map(|(code, _)| *code)
    }

    /// The codes that are not reserved, as text.
    pub(super) fn allowed(&self, generation: Generation) -> String {
        let codes = self.of(generation).iter();
        codes.map(|(code, _)| code.to_string()).collect::<Vec<_>>().join(", ")
    }

    /// What there are codes for, as text.
    pub(super) fn meanings(&self, generation: Generation) -> String
    where
        T: fmt::Debug,
    {
        let codes = self.of(generation).iter();
        codes.map(|(_, meaning)| format!("{meaning:?}")).collect::<Vec<_>>().join(", ")
    }
}

/// ExecSize: number of channels.
pub static EXECUTION_SIZES: Codes<u8> = Codes { columns: &listed::EXEC_SIZE };

/// AccessMode.
pub static ACCESS_MODES: Codes<AccessMode> = Codes { columns: &listed::ACCESS_MODE };

/// ComprCtrl of the two generations that have it.
pub(super) static COMPRESSIONS: Codes<Compression> = Codes { columns: &listed::QTR_CTRL };

/// ThreadCtrl.
pub(super) static THREAD_CONTROLS: Codes<ThreadControl> = Codes { columns: &listed::THREAD_CTRL };

/// CondModifier.
pub static CONDITIONAL_MODIFIERS: Codes<ConditionalModifier> =
    Codes { columns: &listed::COND_MODIFIER };

/// MathFunction.
pub(super) static MATH_FUNCTIONS: Codes<MathFunction> = Codes { columns: &listed::MATH_FUNCTIONS };

/// SyncFunction.
pub(super) static SYNC_FUNCTIONS: Codes<SyncFunction> = Codes { columns: &listed::SYNC_FUNCTION };

/// Vertical strides of the Align1 form with three sources.
pub(super) static TERNARY_VERTICAL_STRIDES: Codes<u8> =
    Codes { columns: &listed::TERNARY_VERT_STRIDE };

/// Horizontal strides of the destination of the Align1 form with three sources.
pub(super) static TERNARY_DESTINATION_STRIDES: Codes<u8> =
    Codes { columns: &listed::TERNARY_DST_STRIDE };

/// Types of operands of the Align16 form with three sources.
pub(super) static TERNARY_TYPES: Codes<DataType> =
    Codes { columns: &listed::TERNARY_ALIGN16_TYPES };

/// PredCtrl, whose codes depend on the access mode.
#[must_use]
pub fn predicate_controls(mode: AccessMode) -> &'static Codes<PredicateControl> {
    static ALIGN1: Codes<PredicateControl> = Codes { columns: &listed::PRED_CTRL_ALIGN1 };
    static ALIGN16: Codes<PredicateControl> = Codes { columns: &listed::PRED_CTRL_ALIGN16 };
    match mode {
        AccessMode::Align1 => &ALIGN1,
        AccessMode::Align16 => &ALIGN16,
    }
}

/// RegFile.
pub static REGISTER_FILES: Codes<RegisterFile> = Codes { columns: &listed::REG_FILE };

/// Types of register operands.
pub static REGISTER_TYPES: Codes<DataType> = Codes { columns: &listed::REGISTER_TYPES };

/// Types of immediates.
pub static IMMEDIATE_TYPES: Codes<DataType> = Codes { columns: &listed::IMMEDIATE_TYPES };

/// Where a type is named in an instruction; the same type has other codes in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TypeField {
    /// A register operand of an instruction with up to two sources.
    Register,
    /// An immediate.
    Immediate,
    /// An operand of an Align16 instruction with three sources.
    TernaryAlign16,
    /// An operand of an Align1 instruction with three sources, whose ExecDataType says whether the
    /// types are integers or floats: an integer and a float type may share a code.
    TernaryAlign1,
}

/// The codes of types in a generation, in order.
#[must_use]
pub const fn types(generation: Generation, field: TypeField) -> &'static [(u32, DataType)] {
    let columns = match field {
        TypeField::Register => &listed::REGISTER_TYPES,
        TypeField::Immediate => &listed::IMMEDIATE_TYPES,
        TypeField::TernaryAlign16 => &listed::TERNARY_ALIGN16_TYPES,
        TypeField::TernaryAlign1 => &listed::TERNARY_ALIGN1_TYPES,
    };
    columns[generation as usize]
}

/// The type of a code of the Align1 form with three sources.
pub(super) fn ternary_type(generation: Generation, code: u32, is_float: bool) -> Option<DataType> {
    let listed = types(generation, TypeField::TernaryAlign1).iter();
    let of_kind = listed.filter(|(_, data_type)| data_type.is_float() == is_float);
    of_kind.copied().find(|(listed, _)| *listed == code).map(|(_, data_type)| data_type)
}

/// Whether a type has a code in a generation.
#[must_use]
pub fn has_type(generation: Generation, field: TypeField, data_type: DataType) -> bool {
    types(generation, field).iter().any(|(_, listed)| *listed == data_type)
}

/// The type of a suffix in assembly text, if operands of a generation can have it.
#[must_use]
pub fn type_of_suffix(generation: Generation, suffix: &str) -> Option<DataType> {
    DataType::of_suffix(suffix).filter(|data_type| {
        has_type(generation, TypeField::Register, *data_type)
            || has_type(generation, TypeField::Immediate, *data_type)
    })
}

/// VertStride of Align1.
pub static VERTICAL_STRIDES: Codes<VerticalStride> = Codes { columns: &listed::VERT_STRIDE };

/// VertStride of Align16.
pub static VERTICAL_STRIDES_ALIGN16: Codes<VerticalStride> =
    Codes { columns: &listed::VERT_STRIDE_ALIGN16 };

/// Width.
pub static WIDTHS: Codes<u8> = Codes { columns: &listed::WIDTH };

/// HorzStride.
pub static HORIZONTAL_STRIDES: Codes<u8> = Codes { columns: &listed::HORZ_STRIDE };

/// Whether a generation has the kind of architecture registers of a code.
pub(super) fn has_architecture_kind(generation: Generation, code: u8) -> bool {
    listed::ARF_KINDS[generation as usize] >> code & 1 == 1
}

/// The register numbers that exist.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    largest: u32,
    /// Bits that are not part of the number.
    marks: u32,
    /// The kinds of registers that exist, a bit for each value of bits 7:4.
    kinds: u16,
    /// The numbers as text.
    pub(super) allowed: &'static str,
}

impl Numbers {
    pub(super) fn contain(self, number: u32) -> bool {
        let kind = (number & !self.marks) >> 4;
        number & !self.marks <= self.largest && self.kinds >> kind & 1 == 1
    }
}

/// Register numbers of a direct source.
pub(super) fn source_numbers(generation: Generation, file: RegisterFile) -> Numbers {
    const ANY: u16 = u16::MAX;
    match file {
        RegisterFile::Arf if generation > Generation::Gen45 => Numbers {
            largest: 0xFF,
            marks: 0,
            kinds: listed::ARF_KINDS[generation as usize],
            allowed: "those of the architecture registers that the generation has",
        },
        RegisterFile::Grf => {
            Numbers { largest: 127, marks: 0, kinds: ANY, allowed: "0 to 127 in the GRF" }
        }
        RegisterFile::Mrf => {
            Numbers { largest: 15, marks: 0, kinds: ANY, allowed: "0 to 15 in the MRF" }
        }
        RegisterFile::Arf => Numbers {
            largest: 0xAF,
            marks: 0,
            kinds: ANY,
            allowed: "0 to 175 in the ARF (a register type 0 to 10 in the high four bits)",
        },
    }
}

/// Register numbers of a direct destination, where bit 7 of an MRF number is the Compr4 mark.
pub(super) fn destination_numbers(generation: Generation, file: RegisterFile) -> Numbers {
    match file {
        RegisterFile::Mrf => Numbers {
            largest: 15,
            marks: 0x80,
            kinds: u16::MAX,
            allowed: "0 to 15 in the MRF, plus 128 for Compr4",
        },
        _ => source_numbers(generation, file),
    }
}

impl ArfKind {
    /// The kind a register number names in a generation, if any (table
    /// `eu-flag-cond-pred-encodings`).
    #[must_use]
    pub fn on(generation: Generation, number: u8) -> Option<Self> {
        const LATER: [ArfKind; 7] = [
            ArfKind::ChannelEnable,
            ArfKind::MessageControl,
            ArfKind::StackPointer,
            ArfKind::ThreadDependency,
            ArfKind::Timestamp,
            ArfKind::FlowControl,
            ArfKind::Debug,
        ];
        if generation <= Generation::Gen45 {
            return Self::of_register_number(number);
        }
        let code = number >> 4;
        let later = LATER.into_iter().find(|kind| kind.code() == code);
        let kind = later.or_else(|| Self::of_register_number(number))?;
        has_architecture_kind(generation, code).then_some(kind)
    }
}

#[cfg(test)]
mod tests;
