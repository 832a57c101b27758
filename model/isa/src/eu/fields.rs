//! Where the fields of the machine word are and what their codes mean, as data per generation
//! (G45 volume 4, section 13.2; the tables `eu-inst-fields` and `eu-type-encodings`).
//!
//! A later generation is another column: a [`Layout`], a position in each [`Field`], and code
//! tables where codes changed.

use std::fmt;

use parallax_spec::{RuleId, rule_id};

use super::{
    instruction::{AccessMode, Compression, ConditionalModifier, PredicateControl, ThreadControl},
    operand::VerticalStride,
    register::RegisterFile,
    types::DataType,
};
use crate::Device;

/// A way of laying out the 128-bit word, shared by the devices of one generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// 965 and 965GM.
    Gen4,
    /// GM45 and G45.
    Gen45,
}

impl Layout {
    /// Every layout, in the order of the columns of [`Field`].
    pub const ALL: [Self; 2] = [Self::Gen4, Self::Gen45];

    /// The layout a device uses; `None` for devices without Intel execution units.
    #[must_use]
    pub const fn of(device: Device) -> Option<Self> {
        match device {
            Device::Bw | Device::Cl => Some(Self::Gen4),
            Device::Ctg | Device::G45 => Some(Self::Gen45),
            Device::Dg1 | Device::Rv770 => None,
        }
    }
}

/// A run of neighbouring bits of the word, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bits {
    /// Most significant bit.
    pub high: u8,
    /// Least significant bit.
    pub low: u8,
}

impl Bits {
    /// Number of bits.
    #[must_use]
    pub const fn width(self) -> u32 {
        (self.high - self.low) as u32 + 1
    }

    /// The largest value that fits; a run has at most 32 bits.
    const fn largest(self) -> u32 {
        u32::MAX >> (32 - self.width())
    }
}

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.high == self.low {
            write!(f, "{}", self.low)
        } else {
            write!(f, "{}:{}", self.high, self.low)
        }
    }
}

/// One field of the word: its name and, per layout, the runs of bits it consists of, the most
/// significant first; none where the layout does not have the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Name as in the table `eu-inst-fields`.
    pub name: &'static str,
    positions: [&'static [Bits]; Layout::ALL.len()],
}

impl Field {
    /// The runs of bits in a layout.
    #[must_use]
    pub const fn position(&self, layout: Layout) -> &'static [Bits] {
        self.positions[layout as usize]
    }

    /// The bits in a layout as text: `23:21`.
    #[must_use]
    pub fn bits(&self, layout: Layout) -> String {
        let runs: Vec<_> = self.position(layout).iter().map(Bits::to_string).collect();
        runs.join("+")
    }

    /// The largest value that fits.
    #[must_use]
    pub fn largest(&self, layout: Layout) -> u32 {
        if let [run] = self.position(layout) {
            return run.largest();
        }
        let width: u32 = self.position(layout).iter().map(|run| run.width()).sum();
        u64::MAX.checked_shr(64 - width).unwrap_or(0) as u32
    }
}

/// A machine word of a layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) bits: u128,
    pub(super) layout: Layout,
}

impl Word {
    /// The value of a field; 0 where the layout does not have it.
    #[inline]
    pub(super) fn get(&self, field: &Field) -> u32 {
        let runs = field.position(self.layout).iter();
        runs.fold(0, |value: u32, run| {
            let part = (self.bits >> run.low) as u32 & run.largest();
            value.unbounded_shl(run.width()) | part
        })
    }

    #[inline]
    pub(super) fn is_set(&self, field: &Field) -> bool {
        self.get(field) != 0
    }

    /// Puts a value in a field that was zero. Bits of the value that do not fit are dropped.
    #[inline]
    pub(super) fn put(&mut self, field: &Field, value: u32) {
        if let [run] = field.position(self.layout) {
            self.bits |= u128::from(value & run.largest()) << run.low;
            return;
        }
        let mut rest = value;
        for run in field.position(self.layout).iter().rev() {
            self.bits |= u128::from(rest & run.largest()) << run.low;
            rest = rest.unbounded_shr(run.width());
        }
    }
}

/// Defines fields: a constant, the name in the table, the bits for Gen4 and Gen4.5.
macro_rules! fields {
    ($($constant:ident $name:literal [$($gen4:literal..$gen4_low:literal)?] [$($gen45:literal..$gen45_low:literal)?];)*) => {
        $(pub(super) static $constant: Field = Field {
            name: $name,
            positions: [
                &[$(Bits { high: $gen4, low: $gen4_low })?],
                &[$(Bits { high: $gen45, low: $gen45_low })?],
            ],
        };)*

        /// Every field of the word with a fixed meaning.
        pub static FIELDS: &[&Field] = &[$(&$constant,)*];
    };
}

fields! {
    OPCODE "Opcode" [6..0] [6..0];
    ACCESS_MODE "AccessMode" [8..8] [8..8];
    MASK_CONTROL "MaskCtrl" [9..9] [9..9];
    NO_DD_CLEAR "DepCtrl.NoDDClr" [10..10] [10..10];
    NO_DD_CHECK "DepCtrl.NoDDChk" [11..11] [11..11];
    MASK_CONTROL_EX "MaskCtrlEx" [] [28..28];
    COMPRESSION_CONTROL "QtrCtrl (compression control before Gen6)" [13..12] [13..12];
    THREAD_CONTROL "ThreadCtrl" [15..14] [15..14];
    PREDICATE_CONTROL "PredCtrl" [19..16] [19..16];
    PREDICATE_INVERSE "PredInv" [20..20] [20..20];
    EXECUTION_SIZE "ExecSize" [23..21] [23..21];
    CONDITIONAL_MODIFIER "CondModifier" [27..24] [27..24];
    COMPACT_CONTROL "CmptCtrl" [29..29] [29..29];
    DEBUG_CONTROL "DebugCtrl" [30..30] [30..30];
    SATURATE "Saturate" [31..31] [31..31];
    FLAG_SUBREGISTER "FlagSubRegNum" [89..89] [89..89];

    DESTINATION_FILE "DstRegFile" [33..32] [33..32];
    DESTINATION_TYPE "DstDataType" [36..34] [36..34];
    DESTINATION_ADDRESS_MODE "DstAddrMode" [63..63] [63..63];
    DESTINATION_STRIDE "DstHorzStride" [62..61] [62..61];
    DESTINATION_NUMBER "DstRegNum" [60..53] [60..53];
    DESTINATION_SUBREGISTER "DstSubRegNum (Align1)" [52..48] [52..48];
    DESTINATION_SUBREGISTER_16 "DstSubRegNum (Align16)" [52..52] [52..52];
    DESTINATION_CHANNEL_ENABLE "DstChanEn (Align16)" [51..48] [51..48];
    DESTINATION_ADDRESS_SUBREGISTER "DstAddrSubRegNum" [60..58] [60..58];
    DESTINATION_ADDRESS_IMMEDIATE "DstAddrImm (Align1)" [57..48] [57..48];
    DESTINATION_ADDRESS_IMMEDIATE_16 "DstAddrImm (Align16)" [57..52] [57..52];

    SOURCE0_FILE "Src0RegFile" [38..37] [38..37];
    SOURCE0_TYPE "Src0DataType" [41..39] [41..39];
    SOURCE0_ADDRESS_MODE "Src0AddrMode" [79..79] [79..79];
    SOURCE0_NEGATE "Src0Negate" [78..78] [78..78];
    SOURCE0_ABSOLUTE "Src0Abs" [77..77] [77..77];
    SOURCE0_VERTICAL "Src0VertStride" [88..85] [88..85];
    SOURCE0_WIDTH "Src0Width" [84..82] [84..82];
    SOURCE0_HORIZONTAL "Src0HorzStride" [81..80] [81..80];
    SOURCE0_NUMBER "Src0RegNum" [76..69] [76..69];
    SOURCE0_SUBREGISTER "Src0SubRegNum (Align1)" [68..64] [68..64];
    SOURCE0_SUBREGISTER_16 "Src0SubRegNum (Align16)" [68..68] [68..68];
    SOURCE0_SELECT_X "Src0ChanSel.x (Align16)" [65..64] [65..64];
    SOURCE0_SELECT_Y "Src0ChanSel.y (Align16)" [67..66] [67..66];
    SOURCE0_SELECT_Z "Src0ChanSel.z (Align16)" [81..80] [81..80];
    SOURCE0_SELECT_W "Src0ChanSel.w (Align16)" [83..82] [83..82];
    SOURCE0_ADDRESS_SUBREGISTER "Src0AddrSubRegNum" [76..74] [76..74];
    SOURCE0_ADDRESS_IMMEDIATE "Src0AddrImm (Align1)" [73..64] [73..64];
    SOURCE0_ADDRESS_IMMEDIATE_16 "Src0AddrImm (Align16)" [73..68] [73..68];

    SOURCE1_FILE "Src1RegFile" [43..42] [43..42];
    SOURCE1_TYPE "Src1DataType" [46..44] [46..44];
    SOURCE1_ADDRESS_MODE "Src1AddrMode" [111..111] [111..111];
    SOURCE1_NEGATE "Src1Negate" [110..110] [110..110];
    SOURCE1_ABSOLUTE "Src1Abs" [109..109] [109..109];
    SOURCE1_VERTICAL "Src1VertStride" [120..117] [120..117];
    SOURCE1_WIDTH "Src1Width" [116..114] [116..114];
    SOURCE1_HORIZONTAL "Src1HorzStride" [113..112] [113..112];
    SOURCE1_NUMBER "Src1RegNum" [108..101] [108..101];
    SOURCE1_SUBREGISTER "Src1SubRegNum (Align1)" [100..96] [100..96];
    SOURCE1_SUBREGISTER_16 "Src1SubRegNum (Align16)" [100..100] [100..100];
    SOURCE1_SELECT_X "Src1ChanSel.x (Align16)" [97..96] [97..96];
    SOURCE1_SELECT_Y "Src1ChanSel.y (Align16)" [99..98] [99..98];
    SOURCE1_SELECT_Z "Src1ChanSel.z (Align16)" [113..112] [113..112];
    SOURCE1_SELECT_W "Src1ChanSel.w (Align16)" [115..114] [115..114];
    SOURCE1_ADDRESS_SUBREGISTER "Src1AddrSubRegNum" [108..106] [108..106];
    SOURCE1_ADDRESS_IMMEDIATE "Src1AddrImm (Align1)" [105..96] [105..96];
    SOURCE1_ADDRESS_IMMEDIATE_16 "Src1AddrImm (Align16)" [105..100] [105..100];

    IMMEDIATE "Imm32" [127..96] [127..96];

    SEND_CURRENT_DESTINATION "CurrDst.RegNum" [27..24] [27..24];
    SEND_DESCRIPTOR "MsgDscpt31" [126..96] [126..96];
    SEND_END_OF_THREAD "EOT" [127..127] [127..127];
}

/// The fields of one source operand.
pub(super) struct SourceFields {
    pub(super) file: &'static Field,
    pub(super) data_type: &'static Field,
    pub(super) address_mode: &'static Field,
    pub(super) negate: &'static Field,
    pub(super) absolute: &'static Field,
    pub(super) vertical: &'static Field,
    pub(super) width: &'static Field,
    pub(super) horizontal: &'static Field,
    pub(super) select: [&'static Field; 4],
    pub(super) place: PlaceFields,
}

/// The fields that say where an operand is.
pub(super) struct PlaceFields {
    /// The rules about its layout: direct in Align1 and Align16, indirect in Align1 and Align16.
    pub(super) layouts: [[RuleId; 2]; 2],
    pub(super) number: &'static Field,
    pub(super) subregister: &'static Field,
    pub(super) subregister_16: &'static Field,
    pub(super) address_subregister: &'static Field,
    pub(super) address_immediate: &'static Field,
    pub(super) address_immediate_16: &'static Field,
}

/// Where the destination is.
pub(super) static DESTINATION_PLACE: PlaceFields = PlaceFields {
    layouts: [
        [rule_id!("g45.dw1.dst.align1-direct"), rule_id!("g45.dw1.dst.align16-direct")],
        [rule_id!("g45.dw1.dst.align1-indirect"), rule_id!("g45.dw1.dst.align16-indirect")],
    ],
    number: &DESTINATION_NUMBER,
    subregister: &DESTINATION_SUBREGISTER,
    subregister_16: &DESTINATION_SUBREGISTER_16,
    address_subregister: &DESTINATION_ADDRESS_SUBREGISTER,
    address_immediate: &DESTINATION_ADDRESS_IMMEDIATE,
    address_immediate_16: &DESTINATION_ADDRESS_IMMEDIATE_16,
};

/// src0 and src1.
pub(super) static SOURCES: [SourceFields; 2] = [
    SourceFields {
        file: &SOURCE0_FILE,
        data_type: &SOURCE0_TYPE,
        address_mode: &SOURCE0_ADDRESS_MODE,
        negate: &SOURCE0_NEGATE,
        absolute: &SOURCE0_ABSOLUTE,
        vertical: &SOURCE0_VERTICAL,
        width: &SOURCE0_WIDTH,
        horizontal: &SOURCE0_HORIZONTAL,
        select: [&SOURCE0_SELECT_X, &SOURCE0_SELECT_Y, &SOURCE0_SELECT_Z, &SOURCE0_SELECT_W],
        place: PlaceFields {
            layouts: [
                [rule_id!("g45.dw2.src0.align1-direct"), rule_id!("g45.dw2.src0.align16-direct")],
                [
                    rule_id!("g45.dw2.src0.align1-indirect"),
                    rule_id!("g45.dw2.src0.align16-indirect"),
                ],
            ],
            number: &SOURCE0_NUMBER,
            subregister: &SOURCE0_SUBREGISTER,
            subregister_16: &SOURCE0_SUBREGISTER_16,
            address_subregister: &SOURCE0_ADDRESS_SUBREGISTER,
            address_immediate: &SOURCE0_ADDRESS_IMMEDIATE,
            address_immediate_16: &SOURCE0_ADDRESS_IMMEDIATE_16,
        },
    },
    SourceFields {
        file: &SOURCE1_FILE,
        data_type: &SOURCE1_TYPE,
        address_mode: &SOURCE1_ADDRESS_MODE,
        negate: &SOURCE1_NEGATE,
        absolute: &SOURCE1_ABSOLUTE,
        vertical: &SOURCE1_VERTICAL,
        width: &SOURCE1_WIDTH,
        horizontal: &SOURCE1_HORIZONTAL,
        select: [&SOURCE1_SELECT_X, &SOURCE1_SELECT_Y, &SOURCE1_SELECT_Z, &SOURCE1_SELECT_W],
        place: PlaceFields {
            layouts: [
                [rule_id!("g45.dw3.src1.align1-direct"), rule_id!("g45.dw3.src1.align16-direct")],
                [
                    rule_id!("g45.dw3.src1.align1-indirect"),
                    rule_id!("g45.dw3.src1.align16-indirect"),
                ],
            ],
            number: &SOURCE1_NUMBER,
            subregister: &SOURCE1_SUBREGISTER,
            subregister_16: &SOURCE1_SUBREGISTER_16,
            address_subregister: &SOURCE1_ADDRESS_SUBREGISTER,
            address_immediate: &SOURCE1_ADDRESS_IMMEDIATE,
            address_immediate_16: &SOURCE1_ADDRESS_IMMEDIATE_16,
        },
    },
];

/// What the codes of a field stand for; codes not listed are reserved.
pub(super) struct Codes<T: 'static> {
    /// The rules that list them.
    pub(super) rules: &'static [RuleId],
    codes: &'static [(u32, T)],
}

impl<T: Copy + PartialEq> Codes<T> {
    /// What a code stands for.
    pub(super) fn meaning(&self, code: u32) -> Option<T> {
        let is_listed = |row: &&(u32, T)| row.0 == code;
        // Most tables have all codes in order.
        let row = self.codes.get(code as usize).filter(is_listed);
        row.or_else(|| self.codes.iter().find(is_listed)).map(|(_, meaning)| *meaning)
    }

    /// The code of a meaning.
    pub(super) fn code(&self, meaning: T) -> Option<u32> {
        self.codes.iter().find(|(_, listed)| *listed == meaning).map(|(code, _)| *code)
    }

    /// The codes that are not reserved, as text.
    pub(super) fn allowed(&self) -> String {
        let codes: Vec<_> = self.codes.iter().map(|(code, _)| code.to_string()).collect();
        codes.join(", ")
    }

    /// What there are codes for, as text.
    pub(super) fn meanings(&self) -> String
    where
        T: fmt::Debug,
    {
        let meanings: Vec<_> =
            self.codes.iter().map(|(_, meaning)| format!("{meaning:?}")).collect();
        meanings.join(", ")
    }
}

pub(super) static EXECUTION_SIZES: Codes<u8> = Codes {
    rules: &[rule_id!("g45.dw0.execsize.codes")],
    codes: &[(0, 1), (1, 2), (2, 4), (3, 8), (4, 16), (5, 32)],
};

pub(super) static ACCESS_MODES: Codes<AccessMode> = Codes {
    rules: &[rule_id!("g45.dw0.accessmode")],
    codes: &[(0, AccessMode::Align1), (1, AccessMode::Align16)],
};

pub(super) static COMPRESSIONS: Codes<Compression> = Codes {
    rules: &[rule_id!("g45.dw0.comprctrl.reserved")],
    codes: &[(0, Compression::None), (1, Compression::SecHalf), (2, Compression::Compressed)],
};

pub(super) static THREAD_CONTROLS: Codes<ThreadControl> = Codes {
    rules: &[rule_id!("g45.dw0.threadctrl.reserved")],
    codes: &[(0, ThreadControl::Normal), (2, ThreadControl::Switch)],
};

pub(super) static CONDITIONAL_MODIFIERS: Codes<ConditionalModifier> = {
    use ConditionalModifier::*;
    Codes {
        rules: &[rule_id!("g45.field.condmod.codes"), rule_id!("g45.field.condmod.reserved")],
        codes: &[
            (0, None),
            (1, Equal),
            (2, NotEqual),
            (3, Greater),
            (4, GreaterEqual),
            (5, Less),
            (6, LessEqual),
            (7, RoundIncrement),
            (8, Overflow),
            (9, Unordered),
        ],
    }
};

/// Predicate controls: their codes depend on the access mode.
pub(super) fn predicate_controls(mode: AccessMode) -> &'static Codes<PredicateControl> {
    use PredicateControl::*;
    static ALIGN1: Codes<PredicateControl> = Codes {
        rules: &[rule_id!("g45.dw0.predctrl.align1-reserved")],
        codes: &[
            (0, None),
            (1, Sequential),
            (2, AnyV),
            (3, AllV),
            (4, Any2H),
            (5, All2H),
            (6, Any4H),
            (7, All4H),
            (8, Any8H),
            (9, All8H),
            (10, Any16H),
            (11, All16H),
        ],
    };
    static ALIGN16: Codes<PredicateControl> = Codes {
        rules: &[rule_id!("g45.dw0.predctrl.align16-reserved")],
        codes: &[
            (0, None),
            (1, Sequential),
            (2, ReplicateX),
            (3, ReplicateY),
            (4, ReplicateZ),
            (5, ReplicateW),
            (6, Any4H),
            (7, All4H),
        ],
    };
    match mode {
        AccessMode::Align1 => &ALIGN1,
        AccessMode::Align16 => &ALIGN16,
    }
}

/// Code of a source's register file that says it is an immediate.
pub(super) const IMMEDIATE_FILE: u32 = 3;

pub(super) static REGISTER_FILES: Codes<RegisterFile> = Codes {
    rules: &[rule_id!("g45.dw1.src1regfile")],
    codes: &[(0, RegisterFile::Arf), (1, RegisterFile::Grf), (2, RegisterFile::Mrf)],
};

/// Types of register operands.
pub(super) fn register_types(layout: Layout) -> &'static Codes<DataType> {
    use DataType::*;
    static GEN4: Codes<DataType> = Codes {
        rules: &[
            rule_id!("g45.dw1.srctype.register-codes"),
            rule_id!("g45.dw1.srctype.by-regfile"),
        ],
        codes: &[(0, Ud), (1, D), (2, Uw), (3, W), (4, Ub), (5, B), (7, F)],
    };
    match layout {
        Layout::Gen4 | Layout::Gen45 => &GEN4,
    }
}

/// Types of immediates.
pub(super) fn immediate_types(layout: Layout) -> &'static Codes<DataType> {
    use DataType::*;
    static GEN4: Codes<DataType> = Codes {
        rules: &[rule_id!("g45.dw1.srctype.imm-codes"), rule_id!("g45.dw1.srctype.by-regfile")],
        codes: &[(0, Ud), (1, D), (2, Uw), (3, W), (5, Vf), (6, V), (7, F)],
    };
    match layout {
        Layout::Gen4 | Layout::Gen45 => &GEN4,
    }
}

pub(super) static VERTICAL_STRIDES: Codes<VerticalStride> = {
    use VerticalStride::*;
    Codes {
        rules: &[rule_id!("g45.field.vertstride.codes")],
        codes: &[
            (0, Elements(0)),
            (1, Elements(1)),
            (2, Elements(2)),
            (3, Elements(4)),
            (4, Elements(8)),
            (5, Elements(16)),
            (6, Elements(32)),
            (15, PerRowAddress),
        ],
    }
};

pub(super) static VERTICAL_STRIDES_ALIGN16: Codes<VerticalStride> = Codes {
    rules: &[rule_id!("g45.dw2.align16.region")],
    codes: &[(0, VerticalStride::Elements(0)), (3, VerticalStride::Elements(4))],
};

pub(super) static WIDTHS: Codes<u8> = Codes {
    rules: &[rule_id!("g45.field.width.codes")],
    codes: &[(0, 1), (1, 2), (2, 4), (3, 8), (4, 16)],
};

pub(super) static HORIZONTAL_STRIDES: Codes<u8> = Codes {
    rules: &[rule_id!("g45.field.horzstride.codes")],
    codes: &[(0, 0), (1, 1), (2, 2), (3, 4)],
};

/// The register numbers that exist.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    /// The rules that give the limit.
    pub(super) rules: &'static [RuleId],
    largest: u32,
    /// Bits that are not part of the number.
    marks: u32,
    /// The numbers as text.
    pub(super) allowed: &'static str,
}

impl Numbers {
    pub(super) fn contain(self, number: u32) -> bool {
        number & !self.marks <= self.largest
    }
}

/// Register numbers of a direct source.
pub(super) fn source_numbers(file: RegisterFile) -> Numbers {
    match file {
        RegisterFile::Grf => Numbers {
            rules: &[rule_id!("g45.field.regnum.grf")],
            largest: 127,
            marks: 0,
            allowed: "0 to 127 in the GRF",
        },
        RegisterFile::Mrf => Numbers {
            rules: &[rule_id!("g45.field.regnum.mrf")],
            largest: 15,
            marks: 0,
            allowed: "0 to 15 in the MRF",
        },
        RegisterFile::Arf => Numbers {
            rules: &[
                rule_id!("g45.field.regnum.arf"),
                rule_id!("g45.arf.encoding"),
                rule_id!("g45.arf.types"),
            ],
            largest: 0xAF,
            marks: 0,
            allowed: "0 to 175 in the ARF (a register type 0 to 10 in the high four bits)",
        },
    }
}

/// Register numbers of a direct destination, where bit 7 of an MRF number is the Compr4 mark.
pub(super) fn destination_numbers(file: RegisterFile) -> Numbers {
    match file {
        RegisterFile::Mrf => Numbers {
            rules: &[rule_id!("g45.field.regnum.mrf")],
            largest: 15,
            marks: 0x80,
            allowed: "0 to 15 in the MRF, plus 128 for Compr4",
        },
        _ => source_numbers(file),
    }
}

#[cfg(test)]
mod tests;
