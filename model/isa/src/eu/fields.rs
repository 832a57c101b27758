//! Where the fields of the machine word are (G45 volume 4, section 13.2; generated from the table
//! `eu-inst-fields`). A later generation is another column of that table.

use super::{
    bits::Bits,
    generation::Generation,
    instruction::AccessMode,
    opcode::{BranchOperands, Format, Opcode},
    operand::{DestinationRegion, Region, VerticalStride},
    register::REGISTER_BYTES,
};

/// One field of the word: its name and, per generation, the runs of bits it consists of, the most
/// significant first; none where the generation does not have the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Name as in the table `eu-inst-fields`.
    pub name: &'static str,
    positions: [&'static [Bits]; Generation::COUNT],
}

impl Field {
    /// The runs of bits in a generation.
    #[must_use]
    pub const fn position(&self, generation: Generation) -> &'static [Bits] {
        self.positions[generation as usize]
    }

    /// The bits in a generation as text: `23:21`.
    #[must_use]
    pub fn bits(&self, generation: Generation) -> String {
        let runs: Vec<_> = self.position(generation).iter().map(Bits::to_string).collect();
        runs.join("+")
    }

    /// The largest value that fits.
    #[must_use]
    pub fn largest(&self, generation: Generation) -> u32 {
        if let [run] = self.position(generation) {
            return run.largest();
        }
        let width: u32 = self.position(generation).iter().map(|run| run.width()).sum();
        u64::MAX.checked_shr(64 - width).unwrap_or(0) as u32
    }
}

/// A machine word of a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// Its bits.
    pub bits: u128,
    /// The generation of its device.
    pub generation: Generation,
}

impl Word {
    /// The value of a field; 0 where the generation does not have it.
    #[inline]
    #[must_use]
    pub fn get(&self, field: &Field) -> u32 {
        let part = |run: &Bits| (self.bits >> run.low) as u32 & run.largest();
        match field.position(self.generation) {
            [run] => part(run),
            runs => {
                runs.iter().fold(0, |value: u32, run| value.unbounded_shl(run.width()) | part(run))
            }
        }
    }

    #[inline]
    pub(super) fn is_set(&self, field: &Field) -> bool {
        self.get(field) != 0
    }

    /// Puts a value in a field that was zero. Bits of the value that do not fit are dropped.
    #[inline]
    pub(super) fn put(&mut self, field: &Field, value: u32) {
        if let [run] = field.position(self.generation) {
            self.bits |= u128::from(value & run.largest()) << run.low;
            return;
        }
        let mut rest = value;
        for run in field.position(self.generation).iter().rev() {
            self.bits |= u128::from(rest & run.largest()) << run.low;
            rest = rest.unbounded_shr(run.width());
        }
    }
}

include!(concat!(env!("OUT_DIR"), "/eu_fields.rs"));

/// Code of a source's register file that says it is an immediate, before Gen12.
pub(super) const IMMEDIATE_FILE: u32 = 3;

/// Whether src0 or src1 is an immediate.
pub(super) fn is_immediate(word: Word, index: usize) -> bool {
    if word.generation >= Generation::Gen12 {
        return word.is_set(IS_IMMEDIATE[index]);
    }
    word.get(SOURCES[index].file) == IMMEDIATE_FILE
}

/// The bits of Gen12 that say that src0 or src1 is an immediate.
pub(super) static IS_IMMEDIATE: [&Field; 2] = [&basic::SRC0_IS_IMM, &basic::SRC1_IS_IMM];

/// FlagRegNum and FlagSubRegNum of a format.
pub(super) fn flag_fields(generation: Generation, format: Format) -> [&'static Field; 2] {
    match format {
        Format::Ternary if generation < Generation::Gen12 => {
            [&ternary_align16::FLAG_REG_NUM, &ternary_align16::FLAG_SUB_REG_NUM]
        }
        _ => [&basic::FLAG_REG_NUM, &basic::FLAG_SUB_REG_NUM],
    }
}

/// Whether CondModifier is that: other formats have another meaning for its bits.
#[must_use]
pub fn has_condition(generation: Generation, opcode: Opcode) -> bool {
    match opcode.format_on(generation) {
        Format::Message | Format::SplitMessage | Format::Sync => false,
        Format::Branch => generation < Generation::Gen12,
        _ => opcode != Opcode::Math,
    }
}

/// Whether Saturate is that: its bit is EOT in messages of Gen12.
pub(super) fn has_saturation(generation: Generation, format: Format) -> bool {
    generation < Generation::Gen12 || format != Format::SplitMessage
}

/// Whether AccWrCtrl is that: other formats have another meaning for its bit.
pub(super) const fn has_accumulator_write(format: Format) -> bool {
    !matches!(format, Format::Branch | Format::Message | Format::SplitMessage)
}

/// The fields of one source of the Align16 form with three sources.
pub(super) struct TernaryFields {
    pub(super) number: &'static Field,
    pub(super) subregister: &'static Field,
    pub(super) select: &'static Field,
    pub(super) replicate: &'static Field,
    pub(super) negate: &'static Field,
    pub(super) absolute: &'static Field,
}

/// src0, src1 and src2 of the Align16 form with three sources.
pub(super) static TERNARY_SOURCES: [TernaryFields; 3] = [
    TernaryFields {
        number: &ternary_align16::SRC0_REG_NUM,
        subregister: &ternary_align16::SRC0_SUB_REG_NUM,
        select: &ternary_align16::SRC0_CHAN_SEL,
        replicate: &ternary_align16::SRC0_REP_CTRL,
        negate: &ternary_align16::SRC0_NEGATE,
        absolute: &ternary_align16::SRC0_ABS,
    },
    TernaryFields {
        number: &ternary_align16::SRC1_REG_NUM,
        subregister: &ternary_align16::SRC1_SUB_REG_NUM,
        select: &ternary_align16::SRC1_CHAN_SEL,
        replicate: &ternary_align16::SRC1_REP_CTRL,
        negate: &ternary_align16::SRC1_NEGATE,
        absolute: &ternary_align16::SRC1_ABS,
    },
    TernaryFields {
        number: &ternary_align16::SRC2_REG_NUM,
        subregister: &ternary_align16::SRC2_SUB_REG_NUM,
        select: &ternary_align16::SRC2_CHAN_SEL,
        replicate: &ternary_align16::SRC2_REP_CTRL,
        negate: &ternary_align16::SRC2_NEGATE,
        absolute: &ternary_align16::SRC2_ABS,
    },
];

/// Bytes that one step of a destination's subregister number means in the Align1 form with three
/// sources (rule `gen12.isa.enc.ternary-dst-offset`).
pub(super) const TERNARY_DESTINATION_UNIT: u8 = 8;

/// The lowest bit of the extended descriptor that a send of Gen12 holds.
pub(super) const EXTENDED_DESCRIPTOR_START: u32 = 6;

/// The fields of one source of the Align1 form with three sources.
pub struct TernaryAlign1Fields {
    pub(super) file: &'static Field,
    /// The type.
    pub data_type: &'static Field,
    pub(super) number: &'static Field,
    pub(super) subregister: &'static Field,
    pub(super) horizontal: &'static Field,
    /// The vertical stride, which src2 has none of.
    pub vertical: Option<&'static Field>,
    /// The modifiers.
    pub modifier: &'static Field,
    /// Whether it is an immediate, and the immediate; src1 cannot be one.
    pub(super) immediate: Option<[&'static Field; 2]>,
}

/// src0, src1 and src2 of the Align1 form with three sources.
pub static TERNARY_ALIGN1_SOURCES: [TernaryAlign1Fields; 3] = [
    TernaryAlign1Fields {
        file: &ternary_align1::SRC0_REG_FILE,
        data_type: &ternary_align1::SRC0_DATA_TYPE,
        number: &ternary_align1::SRC0_REG_NUM,
        subregister: &ternary_align1::SRC0_SUB_REG_NUM,
        horizontal: &ternary_align1::SRC0_HORZ_STRIDE,
        vertical: Some(&ternary_align1::SRC0_VERT_STRIDE),
        modifier: &ternary_align1::SRC0_SRC_MOD,
        immediate: Some([&ternary_align1::SRC0_IS_IMM, &ternary_align1::SRC0_IMM16]),
    },
    TernaryAlign1Fields {
        file: &ternary_align1::SRC1_REG_FILE,
        data_type: &ternary_align1::SRC1_DATA_TYPE,
        number: &ternary_align1::SRC1_REG_NUM,
        subregister: &ternary_align1::SRC1_SUB_REG_NUM,
        horizontal: &ternary_align1::SRC1_HORZ_STRIDE,
        vertical: Some(&ternary_align1::SRC1_VERT_STRIDE),
        modifier: &ternary_align1::SRC1_SRC_MOD,
        immediate: None,
    },
    TernaryAlign1Fields {
        file: &ternary_align1::SRC2_REG_FILE,
        data_type: &ternary_align1::SRC2_DATA_TYPE,
        number: &ternary_align1::SRC2_REG_NUM,
        subregister: &ternary_align1::SRC2_SUB_REG_NUM,
        horizontal: &ternary_align1::SRC2_HORZ_STRIDE,
        vertical: None,
        modifier: &ternary_align1::SRC2_SRC_MOD,
        immediate: Some([&ternary_align1::SRC2_IS_IMM, &ternary_align1::SRC2_IMM16]),
    },
];

/// The region of a source of the Align1 form with three sources: its width follows from its strides
/// (rule `gen12.isa.enc.ternary-width`); src2 has no vertical stride.
pub(super) const fn ternary_region(vertical: Option<u8>, horizontal: u8) -> Region {
    let (vertical, width, horizontal) = match (vertical, horizontal) {
        (None | Some(0), 0) => (0, 1, 0),
        (None, horizontal) => (horizontal, 1, 0),
        (Some(vertical), 0) => (vertical, vertical, 0),
        (Some(vertical), horizontal) if vertical < horizontal => (vertical, 1, horizontal),
        (Some(vertical), horizontal) => (vertical, vertical / horizontal, horizontal),
    };
    Region::Align1 { vertical: VerticalStride::Elements(vertical), width, horizontal }
}

/// Bytes that one step of a subregister number of the form with three sources means.
pub(super) fn ternary_unit(field: &Field, generation: Generation) -> u8 {
    (REGISTER_BYTES as u32 / (field.largest(generation) + 1)) as u8
}

/// The source whose register file says whether a branch has its distances as an immediate.
pub(super) fn distance_source(generation: Generation, operands: BranchOperands) -> usize {
    match operands.register {
        _ if generation >= Generation::Gen12 => 0,
        // `ret` has no distance: a register is all it can have.
        Some(register) if !operands.jip => register,
        Some(1) => 1,
        _ if generation >= Generation::Gen8 => 0,
        _ => 1,
    }
}

/// Bytes that one step of a jump distance means.
pub(super) fn jump_unit(generation: Generation) -> i32 {
    if generation >= Generation::Gen8 { 1 } else { 8 }
}

/// The region of a message's payload where the word has none: whole registers.
pub(super) const fn payload_region(mode: AccessMode) -> Region {
    match mode {
        AccessMode::Align1 => Region::PACKED8,
        AccessMode::Align16 => {
            Region::Align16 { vertical: VerticalStride::Elements(4), swizzle: [0, 1, 2, 3] }
        }
    }
}

/// The region of a response where the word has none.
pub(super) const fn response_region(mode: AccessMode) -> DestinationRegion {
    match mode {
        AccessMode::Align1 => DestinationRegion::Stride(1),
        AccessMode::Align16 => DestinationRegion::ChannelEnable(0xF),
    }
}

/// The fields of one source operand.
pub struct SourceFields {
    /// The register file.
    pub file: &'static Field,
    /// The type.
    pub data_type: &'static Field,
    pub(super) address_mode: &'static Field,
    /// Whether it is negated.
    pub negate: &'static Field,
    /// Whether it is made positive.
    pub absolute: &'static Field,
    /// The vertical stride.
    pub vertical: &'static Field,
    /// The width.
    pub width: &'static Field,
    /// The horizontal stride.
    pub horizontal: &'static Field,
    pub(super) select: [&'static Field; 4],
    pub(super) place: PlaceFields,
}

/// The fields that say where an operand is.
pub(super) struct PlaceFields {
    pub(super) number: &'static Field,
    pub(super) subregister: &'static Field,
    pub(super) subregister_16: &'static Field,
    pub(super) address_subregister: &'static Field,
    pub(super) address_immediate: &'static Field,
    pub(super) address_immediate_16: &'static Field,
}

/// Where the destination is.
pub(super) static DESTINATION_PLACE: PlaceFields = PlaceFields {
    number: &basic::DST_REG_NUM,
    subregister: &basic::DST_SUB_REG_NUM_ALIGN1,
    subregister_16: &basic::DST_SUB_REG_NUM_ALIGN16,
    address_subregister: &basic::DST_ADDR_SUB_REG_NUM,
    address_immediate: &basic::DST_ADDR_IMM_ALIGN1,
    address_immediate_16: &basic::DST_ADDR_IMM_ALIGN16,
};

/// src0 and src1.
pub static SOURCES: [SourceFields; 2] = [
    SourceFields {
        file: &basic::SRC0_REG_FILE,
        data_type: &basic::SRC0_DATA_TYPE,
        address_mode: &basic::SRC0_ADDR_MODE,
        negate: &basic::SRC0_NEGATE,
        absolute: &basic::SRC0_ABS,
        vertical: &basic::SRC0_VERT_STRIDE,
        width: &basic::SRC0_WIDTH,
        horizontal: &basic::SRC0_HORZ_STRIDE,
        select: [
            &basic::SRC0_CHAN_SEL_X_ALIGN16,
            &basic::SRC0_CHAN_SEL_Y_ALIGN16,
            &basic::SRC0_CHAN_SEL_Z_ALIGN16,
            &basic::SRC0_CHAN_SEL_W_ALIGN16,
        ],
        place: PlaceFields {
            number: &basic::SRC0_REG_NUM,
            subregister: &basic::SRC0_SUB_REG_NUM_ALIGN1,
            subregister_16: &basic::SRC0_SUB_REG_NUM_ALIGN16,
            address_subregister: &basic::SRC0_ADDR_SUB_REG_NUM,
            address_immediate: &basic::SRC0_ADDR_IMM_ALIGN1,
            address_immediate_16: &basic::SRC0_ADDR_IMM_ALIGN16,
        },
    },
    SourceFields {
        file: &basic::SRC1_REG_FILE,
        data_type: &basic::SRC1_DATA_TYPE,
        address_mode: &basic::SRC1_ADDR_MODE,
        negate: &basic::SRC1_NEGATE,
        absolute: &basic::SRC1_ABS,
        vertical: &basic::SRC1_VERT_STRIDE,
        width: &basic::SRC1_WIDTH,
        horizontal: &basic::SRC1_HORZ_STRIDE,
        select: [
            &basic::SRC1_CHAN_SEL_X_ALIGN16,
            &basic::SRC1_CHAN_SEL_Y_ALIGN16,
            &basic::SRC1_CHAN_SEL_Z_ALIGN16,
            &basic::SRC1_CHAN_SEL_W_ALIGN16,
        ],
        place: PlaceFields {
            number: &basic::SRC1_REG_NUM,
            subregister: &basic::SRC1_SUB_REG_NUM_ALIGN1,
            subregister_16: &basic::SRC1_SUB_REG_NUM_ALIGN16,
            address_subregister: &basic::SRC1_ADDR_SUB_REG_NUM,
            address_immediate: &basic::SRC1_ADDR_IMM_ALIGN1,
            address_immediate_16: &basic::SRC1_ADDR_IMM_ALIGN16,
        },
    },
];

#[cfg(test)]
mod tests;
