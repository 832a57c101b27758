//! The instructions of a program: a format of [`microcode`](super::microcode) each.

use smallvec::{SmallVec, smallvec};

use super::{
    microcode::{
        AluOp2, AluOp3, CfAluWord, CfWord, ExportBuffer, ExportSwizzle, Field, Format, LocalRead,
        LocalWrite, MemoryRead, SemanticFetch, TextureFetch, VertexFetch,
    },
    opcode::{AluFormat, AluOpcode, CfFormat, CfOpcode, FetchFormat, FetchOpcode},
    source::Source,
};

/// What the instructions of a kind have whatever their format.
macro_rules! formats {
    ($kind:ident, $dwords:literal: $($variant:ident($format:ident)),*) => {
        impl $kind {
            /// Its dwords.
            #[must_use]
            pub const fn dwords(self) -> [u32; $dwords] {
                match self {
                    $(Self::$variant(word) => word.0,)*
                }
            }

            /// Its format.
            #[must_use]
            pub const fn format(self) -> Format {
                match self {
                    $(Self::$variant(_) => $format::FORMAT,)*
                }
            }

            /// The same with another value of a field of its format; bits that do not fit are
            /// dropped.
            #[must_use]
            pub const fn with(self, field: Field, value: u32) -> Self {
                match self {
                    $(Self::$variant(word) => Self::$variant(word.with(field, value)),)*
                }
            }
        }
    };
}

formats!(Cf, 2: Plain(CfWord), Alu(CfAluWord), Export(ExportSwizzle), Memory(ExportBuffer));
formats!(Alu, 2: Op2(AluOp2), Op3(AluOp3));
formats!(
    Fetch, 4:
    Vertex(VertexFetch), Semantic(SemanticFetch), Texture(TextureFetch), MemoryRead(MemoryRead),
    LocalWrite(LocalWrite), LocalRead(LocalRead)
);

/// A control-flow instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Cf {
    /// Branch, loop, call, fetch clause, …
    Plain(CfWord),
    /// ALU clause.
    Alu(CfAluWord),
    /// Export of a pixel, position or parameter.
    Export(ExportSwizzle),
    /// Memory write.
    Memory(ExportBuffer),
}

impl Cf {
    /// Its opcode; `None` if the code is reserved, which no decoded instruction's is.
    #[must_use]
    pub fn opcode(self) -> Option<CfOpcode> {
        match self {
            Self::Plain(word) => CfOpcode::of(&[CfFormat::Plain], word.cf_inst()),
            Self::Alu(word) => CfOpcode::of(&[CfFormat::Alu], word.cf_inst()),
            Self::Export(word) => CfOpcode::of(&[CfFormat::Export], word.cf_inst()),
            Self::Memory(word) => CfOpcode::of(&[CfFormat::Memory], word.cf_inst()),
        }
    }

    /// The address it may go to, if it has one. `CALL_FS` counts from the fetch program, so that its
    /// target is none of these.
    #[must_use]
    pub fn target(self) -> Option<u32> {
        use CfOpcode::{
            Call, Else, Jump, Kill, LoopBreak, LoopContinue, LoopEnd, LoopStart, LoopStartDx10,
            LoopStartNoAl, PopJump, PopPush, PopPushElse, Push, PushElse,
        };
        let (Self::Plain(word), Some(opcode)) = (self, self.opcode()) else { return None };
        let goes = matches!(
            opcode,
            Call | Else
                | Jump
                | Kill
                | LoopBreak
                | LoopContinue
                | LoopEnd
                | LoopStart
                | LoopStartDx10
                | LoopStartNoAl
                | PopJump
                | PopPush
                | PopPushElse
                | Push
                | PushElse
        );
        goes.then(|| word.addr())
    }

    /// Whether the program ends after it.
    #[must_use]
    pub const fn end_of_program(self) -> bool {
        match self {
            Self::Plain(word) => word.end_of_program() == 1,
            Self::Alu(_) => false,
            Self::Export(word) => word.end_of_program() == 1,
            Self::Memory(word) => word.end_of_program() == 1,
        }
    }

    /// Whether it executes for whole quads.
    #[must_use]
    pub const fn whole_quad_mode(self) -> bool {
        match self {
            Self::Plain(word) => word.whole_quad_mode() == 1,
            Self::Alu(word) => word.whole_quad_mode() == 1,
            Self::Export(word) => word.whole_quad_mode() == 1,
            Self::Memory(word) => word.whole_quad_mode() == 1,
        }
    }

    /// Whether it executes for valid pixels only.
    #[must_use]
    pub const fn valid_pixel_mode(self) -> bool {
        match self {
            Self::Plain(word) => word.valid_pixel_mode() == 1,
            Self::Alu(_) => false,
            Self::Export(word) => word.valid_pixel_mode() == 1,
            Self::Memory(word) => word.valid_pixel_mode() == 1,
        }
    }
}

impl CfWord {
    /// Number of instructions of a fetch clause, 1 to 16.
    #[must_use]
    pub const fn clause_length(self) -> u32 {
        (self.count_3() << 3 | self.count()) + 1
    }
}

/// The sources of an ALU instruction: they are asked for pixel by pixel, without allocating.
pub type Operands = SmallVec<[Operand; 3]>;

/// One of up to three sources of an ALU instruction, as its fields say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Operand {
    /// Where it comes from; `None` for an undefined select.
    pub source: Option<Source>,
    /// Element, 0 (X) to 3 (W).
    pub element: u8,
    /// Relative addressing.
    pub relative: bool,
    /// Sign is flipped, after the absolute value.
    pub negate: bool,
    /// Absolute value is taken.
    pub absolute: bool,
}

/// An ALU instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Alu {
    /// At most two sources.
    Op2(AluOp2),
    /// Three sources.
    Op3(AluOp3),
}

/// A getter that both ALU formats have.
macro_rules! common {
    ($($(#[$meta:meta])* $getter:ident;)*) => {
        $($(#[$meta])*
        #[must_use]
        pub const fn $getter(self) -> u32 {
            match self {
                Self::Op2(word) => word.$getter(),
                Self::Op3(word) => word.$getter(),
            }
        })*
    };
}

impl Alu {
    common! {
        /// Value of `LAST`.
        last;
        /// Value of `PRED_SEL`.
        pred_sel;
        /// Value of `INDEX_MODE`.
        index_mode;
        /// Value of `BANK_SWIZZLE`.
        bank_swizzle;
        /// Value of `DST_GPR`.
        dst_gpr;
        /// Value of `DST_REL`.
        dst_rel;
        /// Value of `DST_ELEM`.
        dst_elem;
        /// Value of `CLAMP`.
        clamp;
    }

    /// Its opcode; `None` if the code is reserved, which no decoded instruction's is.
    #[must_use]
    pub fn opcode(self) -> Option<AluOpcode> {
        match self {
            Self::Op2(word) => AluOpcode::of(AluFormat::Op2, word.alu_inst()),
            Self::Op3(word) => AluOpcode::of(AluFormat::Op3, word.alu_inst()),
        }
    }

    /// Whether the result goes to a register: the form with three sources has no mask.
    #[must_use]
    pub const fn write_mask(self) -> bool {
        match self {
            Self::Op2(word) => word.write_mask() == 1,
            Self::Op3(_) => true,
        }
    }

    /// Value of `OMOD`; 0 in the form with three sources, which has none.
    #[must_use]
    pub const fn omod(self) -> u32 {
        match self {
            Self::Op2(word) => word.omod(),
            Self::Op3(_) => 0,
        }
    }

    /// Whether the predicate computed here goes to the execute mask.
    #[must_use]
    pub const fn update_execute_mask(self) -> bool {
        matches!(self, Self::Op2(word) if word.update_execute_mask() == 1)
    }

    /// Whether the predicate computed here is stored.
    #[must_use]
    pub const fn update_pred(self) -> bool {
        matches!(self, Self::Op2(word) if word.update_pred() == 1)
    }

    /// The operands its format encodes: two or three.
    #[must_use]
    pub fn encoded_operands(self) -> Operands {
        let operand = |select, element: u32, relative, negate, absolute| Operand {
            source: Source::of(select),
            element: element as u8,
            relative: relative == 1,
            negate: negate == 1,
            absolute: absolute == 1,
        };
        match self {
            Self::Op2(w) => smallvec![
                operand(w.src0_sel(), w.src0_chan(), w.src0_rel(), w.src0_neg(), w.src0_abs()),
                operand(w.src1_sel(), w.src1_chan(), w.src1_rel(), w.src1_neg(), w.src1_abs()),
            ],
            Self::Op3(w) => smallvec![
                operand(w.src0_sel(), w.src0_chan(), w.src0_rel(), w.src0_neg(), 0),
                operand(w.src1_sel(), w.src1_chan(), w.src1_rel(), w.src1_neg(), 0),
                operand(w.src2_sel(), w.src2_chan(), w.src2_rel(), w.src2_neg(), 0),
            ],
        }
    }

    /// The operands its opcode reads.
    #[must_use]
    pub fn operands(self) -> Operands {
        let mut operands = self.encoded_operands();
        let used = self.opcode().map_or(0, |opcode| opcode.row().sources.len());
        operands.truncate(used);
        operands
    }

    /// Literal slots (of two dwords) its source fields ask for, used or not: 0, 1 or 2.
    #[must_use]
    pub fn literal_slots(self) -> usize {
        let literals = self.encoded_operands().into_iter();
        let literals = literals.filter(|operand| operand.source == Some(Source::Literal));
        literals.map(|operand| 1 + usize::from(operand.element >= 2)).max().unwrap_or(0)
    }
}

/// Up to five ALU instructions that issue together, and their literals.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Group {
    /// Its instructions, in order.
    pub instructions: Vec<Alu>,
    /// Literal dwords: none, two or four.
    pub literals: Vec<u32>,
}

impl Group {
    /// 64-bit words it takes in its clause.
    #[must_use]
    pub const fn words(&self) -> usize {
        self.instructions.len() + self.literals.len() / 2
    }

    /// Its dwords.
    #[must_use]
    pub fn dwords(&self) -> Vec<u32> {
        let instructions = self.instructions.iter().flat_map(|alu| alu.dwords());
        instructions.chain(self.literals.iter().copied()).collect()
    }
}

/// An instruction of a fetch clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Fetch {
    /// Vertex fetch into a named register.
    Vertex(VertexFetch),
    /// Vertex fetch into a register of the semantic table.
    Semantic(SemanticFetch),
    /// Texture instruction.
    Texture(TextureFetch),
    /// Read of scratch, reduction or scatter memory.
    MemoryRead(MemoryRead),
    /// Local data share write.
    LocalWrite(LocalWrite),
    /// Local data share read.
    LocalRead(LocalRead),
}

impl Fetch {
    /// Its opcode; `None` if the code is reserved, which no decoded instruction's is.
    #[must_use]
    pub fn opcode(self) -> Option<FetchOpcode> {
        match self {
            Self::Vertex(word) => FetchOpcode::of(FetchFormat::Vertex, word.vtx_inst()),
            Self::Semantic(word) => FetchOpcode::of(FetchFormat::Semantic, word.vtx_inst()),
            Self::Texture(word) => word.opcode(),
            Self::MemoryRead(word) => word.opcode(),
            Self::LocalWrite(word) => FetchOpcode::of(FetchFormat::LocalWrite, word.mem_op()),
            Self::LocalRead(word) => FetchOpcode::of(FetchFormat::LocalRead, word.mem_op()),
        }
    }
}

impl TextureFetch {
    /// Its opcode; `None` if the code is reserved.
    #[must_use]
    pub fn opcode(self) -> Option<FetchOpcode> {
        FetchOpcode::of(FetchFormat::Texture, self.tex_inst())
    }
}

impl MemoryRead {
    /// Its opcode; `None` if the code is reserved.
    #[must_use]
    pub fn opcode(self) -> Option<FetchOpcode> {
        FetchOpcode::of(FetchFormat::MemoryRead, self.mem_op())
    }
}

/// A field of an instruction and the bits outside of all fields that are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stray {
    /// Number of the dword.
    pub dword: usize,
    /// The bits.
    pub bits: u32,
}

/// The reserved bits that are set in an instruction of some dwords.
#[must_use]
pub fn stray_bits(dwords: &[u32], fields: &[Field]) -> Vec<Stray> {
    let mut rest = dwords.to_vec();
    for field in fields {
        rest[field.dword] &= !field.mask();
    }
    let strays = rest.into_iter().enumerate().map(|(dword, bits)| Stray { dword, bits });
    strays.filter(|stray| stray.bits != 0).collect()
}
