//! Opcodes and what their rows in the manual's tables say about them.

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
}

macro_rules! alu_opcodes {
    ($($variant:ident $mnemonic:ident $format:ident $code:literal $units:ident [$($source:ident)*] $result:ident $role:ident;)*) => {
        /// An ALU instruction of section 9.2.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
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

    /// The opcode of a code in a format.
    #[must_use]
    pub fn of(format: AluFormat, code: u32) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|opcode| opcode.row().format == format && opcode.row().code == code)
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
        matches!(self, Self::Dot4 | Self::Dot4Ieee | Self::Cube | Self::Max4)
    }

    /// Vector slots one double-precision operation takes, 0 for every other instruction.
    #[must_use]
    pub const fn double_slots(self) -> usize {
        match self {
            Self::Add64
            | Self::Flt64ToFlt32
            | Self::Flt32ToFlt64
            | Self::Ldexp64
            | Self::Fract64
            | Self::PredSetgt64
            | Self::PredSete64
            | Self::PredSetge64 => 2,
            Self::Mul64
            | Self::Frexp64
            | Self::Muladd64
            | Self::Muladd64M2
            | Self::Muladd64M4
            | Self::Muladd64D2 => 4,
            _ => 0,
        }
    }
}

alu_opcodes! {
    Add ADD Op2 0 Any [F32 F32] F32 Plain;
    Mul MUL Op2 1 Any [F32 F32] F32 Plain;
    MulIeee MUL_IEEE Op2 2 Any [F32 F32] F32 Plain;
    Max MAX Op2 3 Any [F32 F32] F32 Plain;
    Min MIN Op2 4 Any [F32 F32] F32 Plain;
    MaxDx10 MAX_DX10 Op2 5 Any [F32 F32] F32 Plain;
    MinDx10 MIN_DX10 Op2 6 Any [F32 F32] F32 Plain;
    Frexp64 FREXP_64 Op2 7 Vector [F64] F64 Plain;
    Sete SETE Op2 8 Any [F32 F32] F32 Plain;
    Setgt SETGT Op2 9 Any [F32 F32] F32 Plain;
    Setge SETGE Op2 10 Any [F32 F32] F32 Plain;
    Setne SETNE Op2 11 Any [F32 F32] F32 Plain;
    SeteDx10 SETE_DX10 Op2 12 Any [F32 F32] U32 Plain;
    SetgtDx10 SETGT_DX10 Op2 13 Any [F32 F32] U32 Plain;
    SetgeDx10 SETGE_DX10 Op2 14 Any [F32 F32] U32 Plain;
    SetneDx10 SETNE_DX10 Op2 15 Any [F32 F32] U32 Plain;
    Fract FRACT Op2 16 Any [F32] F32 Plain;
    Trunc TRUNC Op2 17 Any [F32] F32 Plain;
    Ceil CEIL Op2 18 Any [F32] F32 Plain;
    Rndne RNDNE Op2 19 Any [F32] F32 Plain;
    Floor FLOOR Op2 20 Any [F32] F32 Plain;
    Mova MOVA Op2 21 Vector [F32] Address Address;
    MovaFloor MOVA_FLOOR Op2 22 Vector [F32] Address Address;
    Add64 ADD_64 Op2 23 Vector [F64 F64] F64 Plain;
    MovaInt MOVA_INT Op2 24 Vector [I32] Address Address;
    Mov MOV Op2 25 Any [Bits] Bits Plain;
    Nop NOP Op2 26 Any [] None Plain;
    Mul64 MUL_64 Op2 27 Vector [F64 F64] F64 Plain;
    Flt64ToFlt32 FLT64_TO_FLT32 Op2 28 Vector [F64] F32 Plain;
    Flt32ToFlt64 FLT32_TO_FLT64 Op2 29 Vector [F32] F64 Plain;
    PredSetgtUint PRED_SETGT_UINT Op2 30 Any [U32 U32] F32 Predicate;
    PredSetgeUint PRED_SETGE_UINT Op2 31 Any [U32 U32] F32 Predicate;
    PredSete PRED_SETE Op2 32 Any [F32 F32] F32 Predicate;
    PredSetgt PRED_SETGT Op2 33 Any [F32 F32] F32 Predicate;
    PredSetge PRED_SETGE Op2 34 Any [F32 F32] F32 Predicate;
    PredSetne PRED_SETNE Op2 35 Any [F32 F32] F32 Predicate;
    PredSetInv PRED_SET_INV Op2 36 Any [F32] F32 Predicate;
    PredSetPop PRED_SET_POP Op2 37 Any [F32 F32] F32 Predicate;
    PredSetClr PRED_SET_CLR Op2 38 Any [] F32 Predicate;
    PredSetRestore PRED_SET_RESTORE Op2 39 Any [F32] F32 Predicate;
    PredSetePush PRED_SETE_PUSH Op2 40 Any [F32 F32] F32 Predicate;
    PredSetgtPush PRED_SETGT_PUSH Op2 41 Any [F32 F32] F32 Predicate;
    PredSetgePush PRED_SETGE_PUSH Op2 42 Any [F32 F32] F32 Predicate;
    PredSetnePush PRED_SETNE_PUSH Op2 43 Any [F32 F32] F32 Predicate;
    Kille KILLE Op2 44 Any [F32 F32] F32 Kill;
    Killgt KILLGT Op2 45 Any [F32 F32] F32 Kill;
    Killge KILLGE Op2 46 Any [F32 F32] F32 Kill;
    Killne KILLNE Op2 47 Any [F32 F32] F32 Kill;
    AndInt AND_INT Op2 48 Any [Bits Bits] Bits Plain;
    OrInt OR_INT Op2 49 Any [Bits Bits] Bits Plain;
    XorInt XOR_INT Op2 50 Any [Bits Bits] Bits Plain;
    NotInt NOT_INT Op2 51 Any [Bits] Bits Plain;
    AddInt ADD_INT Op2 52 Any [I32 I32] I32 Plain;
    SubInt SUB_INT Op2 53 Any [I32 I32] I32 Plain;
    MaxInt MAX_INT Op2 54 Any [I32 I32] I32 Plain;
    MinInt MIN_INT Op2 55 Any [I32 I32] I32 Plain;
    MaxUint MAX_UINT Op2 56 Any [U32 U32] U32 Plain;
    MinUint MIN_UINT Op2 57 Any [U32 U32] U32 Plain;
    SeteInt SETE_INT Op2 58 Any [I32 I32] U32 Plain;
    SetgtInt SETGT_INT Op2 59 Any [I32 I32] U32 Plain;
    SetgeInt SETGE_INT Op2 60 Any [I32 I32] U32 Plain;
    SetneInt SETNE_INT Op2 61 Any [I32 I32] U32 Plain;
    SetgtUint SETGT_UINT Op2 62 Any [U32 U32] U32 Plain;
    SetgeUint SETGE_UINT Op2 63 Any [U32 U32] U32 Plain;
    KillgtUint KILLGT_UINT Op2 64 Any [U32 U32] F32 Kill;
    KillgeUint KILLGE_UINT Op2 65 Any [U32 U32] F32 Kill;
    PredSeteInt PRED_SETE_INT Op2 66 Any [I32 I32] F32 Predicate;
    PredSetgtInt PRED_SETGT_INT Op2 67 Any [I32 I32] F32 Predicate;
    PredSetgeInt PRED_SETGE_INT Op2 68 Any [I32 I32] F32 Predicate;
    PredSetneInt PRED_SETNE_INT Op2 69 Any [I32 I32] F32 Predicate;
    KilleInt KILLE_INT Op2 70 Any [I32 I32] F32 Kill;
    KillgtInt KILLGT_INT Op2 71 Any [I32 I32] F32 Kill;
    KillgeInt KILLGE_INT Op2 72 Any [I32 I32] F32 Kill;
    KillneInt KILLNE_INT Op2 73 Any [I32 I32] F32 Kill;
    PredSetePushInt PRED_SETE_PUSH_INT Op2 74 Any [F32 I32] F32 Predicate;
    PredSetgtPushInt PRED_SETGT_PUSH_INT Op2 75 Any [F32 I32] F32 Predicate;
    PredSetgePushInt PRED_SETGE_PUSH_INT Op2 76 Any [F32 I32] F32 Predicate;
    PredSetnePushInt PRED_SETNE_PUSH_INT Op2 77 Any [F32 I32] F32 Predicate;
    PredSetltPushInt PRED_SETLT_PUSH_INT Op2 78 Any [F32 I32] F32 Predicate;
    PredSetlePushInt PRED_SETLE_PUSH_INT Op2 79 Any [F32 I32] F32 Predicate;
    Dot4 DOT4 Op2 80 Vector [F32 F32] F32 Plain;
    Dot4Ieee DOT4_IEEE Op2 81 Vector [F32 F32] F32 Plain;
    Cube CUBE Op2 82 Vector [F32 F32] F32 Plain;
    Max4 MAX4 Op2 83 Vector [F32] F32 Plain;
    MovaGprInt MOVA_GPR_INT Op2 96 Vector [Bits] Address Address;
    ExpIeee EXP_IEEE Op2 97 Trans [F32] F32 Plain;
    LogClamped LOG_CLAMPED Op2 98 Trans [F32] F32 Plain;
    LogIeee LOG_IEEE Op2 99 Trans [F32] F32 Plain;
    RecipClamped RECIP_CLAMPED Op2 100 Trans [F32] F32 Plain;
    RecipFf RECIP_FF Op2 101 Trans [F32] F32 Plain;
    RecipIeee RECIP_IEEE Op2 102 Trans [F32] F32 Plain;
    RecipsqrtClamped RECIPSQRT_CLAMPED Op2 103 Trans [F32] F32 Plain;
    RecipsqrtFf RECIPSQRT_FF Op2 104 Trans [F32] F32 Plain;
    RecipsqrtIeee RECIPSQRT_IEEE Op2 105 Trans [F32] F32 Plain;
    SqrtIeee SQRT_IEEE Op2 106 Trans [F32] F32 Plain;
    FltToInt FLT_TO_INT Op2 107 Trans [F32] I32 Plain;
    IntToFlt INT_TO_FLT Op2 108 Trans [I32] F32 Plain;
    UintToFlt UINT_TO_FLT Op2 109 Trans [U32] F32 Plain;
    Sin SIN Op2 110 Trans [F32] F32 Plain;
    Cos COS Op2 111 Trans [F32] F32 Plain;
    AshrInt ASHR_INT Op2 112 Any [I32 U32] I32 Plain;
    LshrInt LSHR_INT Op2 113 Any [U32 U32] U32 Plain;
    LshlInt LSHL_INT Op2 114 Any [U32 U32] U32 Plain;
    MulloInt MULLO_INT Op2 115 Trans [I32 I32] I32 Plain;
    MulhiInt MULHI_INT Op2 116 Trans [I32 I32] I32 Plain;
    MulloUint MULLO_UINT Op2 117 Trans [U32 U32] U32 Plain;
    MulhiUint MULHI_UINT Op2 118 Trans [U32 U32] U32 Plain;
    RecipInt RECIP_INT Op2 119 Trans [I32] I32 Plain;
    RecipUint RECIP_UINT Op2 120 Trans [U32] U32 Plain;
    FltToUint FLT_TO_UINT Op2 121 Trans [F32] U32 Plain;
    Ldexp64 LDEXP_64 Op2 122 Vector [F64 I32] F64 Plain;
    Fract64 FRACT_64 Op2 123 Vector [F64] F64 Plain;
    PredSetgt64 PRED_SETGT_64 Op2 124 Vector [F64 F64] U32 Predicate;
    PredSete64 PRED_SETE_64 Op2 125 Vector [F64 F64] U32 Predicate;
    PredSetge64 PRED_SETGE_64 Op2 126 Vector [F64 F64] U32 Predicate;
    Muladd64 MULADD_64 Op3 8 Vector [F64 F64 F64] F64 Plain;
    Muladd64M2 MULADD_64_M2 Op3 9 Vector [F64 F64 F64] F64 Plain;
    Muladd64M4 MULADD_64_M4 Op3 10 Vector [F64 F64 F64] F64 Plain;
    Muladd64D2 MULADD_64_D2 Op3 11 Vector [F64 F64 F64] F64 Plain;
    MulLit MUL_LIT Op3 12 Trans [F32 F32 F32] F32 Plain;
    MulLitM2 MUL_LIT_M2 Op3 13 Trans [F32 F32 F32] F32 Plain;
    MulLitM4 MUL_LIT_M4 Op3 14 Trans [F32 F32 F32] F32 Plain;
    MulLitD2 MUL_LIT_D2 Op3 15 Trans [F32 F32 F32] F32 Plain;
    Muladd MULADD Op3 16 Any [F32 F32 F32] F32 Plain;
    MuladdM2 MULADD_M2 Op3 17 Any [F32 F32 F32] F32 Plain;
    MuladdM4 MULADD_M4 Op3 18 Any [F32 F32 F32] F32 Plain;
    MuladdD2 MULADD_D2 Op3 19 Any [F32 F32 F32] F32 Plain;
    MuladdIeee MULADD_IEEE Op3 20 Any [F32 F32 F32] F32 Plain;
    MuladdIeeeM2 MULADD_IEEE_M2 Op3 21 Any [F32 F32 F32] F32 Plain;
    MuladdIeeeM4 MULADD_IEEE_M4 Op3 22 Any [F32 F32 F32] F32 Plain;
    MuladdIeeeD2 MULADD_IEEE_D2 Op3 23 Any [F32 F32 F32] F32 Plain;
    Cnde CNDE Op3 24 Any [F32 F32 F32] F32 Plain;
    Cndgt CNDGT Op3 25 Any [F32 F32 F32] F32 Plain;
    Cndge CNDGE Op3 26 Any [F32 F32 F32] F32 Plain;
    CndeInt CNDE_INT Op3 28 Any [I32 Bits Bits] Bits Plain;
    CndgtInt CNDGT_INT Op3 29 Any [I32 Bits Bits] Bits Plain;
    CndgeInt CNDGE_INT Op3 30 Any [I32 Bits Bits] Bits Plain;
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

macro_rules! cf_opcodes {
    ($($variant:ident $mnemonic:ident $format:ident $code:literal;)*) => {
        /// A control-flow instruction of section 9.1.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum CfOpcode {
            $(#[doc = concat!("`", stringify!($mnemonic), "`")] $variant,)*
        }

        impl CfOpcode {
            /// Every control-flow opcode.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            const ROWS: &[(&str, CfFormat, u32)] =
                &[$((stringify!($mnemonic), CfFormat::$format, $code)),*];
        }
    };
}

impl CfOpcode {
    /// Name in the manual.
    #[must_use]
    pub const fn mnemonic(self) -> &'static str {
        Self::ROWS[self as usize].0
    }

    /// Format.
    #[must_use]
    pub const fn format(self) -> CfFormat {
        Self::ROWS[self as usize].1
    }

    /// Code of its `CF_INST` field.
    #[must_use]
    pub const fn code(self) -> u32 {
        Self::ROWS[self as usize].2
    }

    /// The opcode of a code among the formats with a field of that width.
    #[must_use]
    pub fn of(formats: &[CfFormat], code: u32) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|opcode| opcode.code() == code && formats.contains(&opcode.format()))
    }

    /// The opcode of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|opcode| opcode.mnemonic() == name)
    }
}

cf_opcodes! {
    Nop NOP Plain 0;
    Tex TEX Plain 1;
    Vtx VTX Plain 2;
    VtxTc VTX_TC Plain 3;
    LoopStart LOOP_START Plain 4;
    LoopEnd LOOP_END Plain 5;
    LoopStartDx10 LOOP_START_DX10 Plain 6;
    LoopStartNoAl LOOP_START_NO_AL Plain 7;
    LoopContinue LOOP_CONTINUE Plain 8;
    LoopBreak LOOP_BREAK Plain 9;
    Jump JUMP Plain 10;
    Push PUSH Plain 11;
    PushElse PUSH_ELSE Plain 12;
    Else ELSE Plain 13;
    Pop POP Plain 14;
    PopJump POP_JUMP Plain 15;
    PopPush POP_PUSH Plain 16;
    PopPushElse POP_PUSH_ELSE Plain 17;
    Call CALL Plain 18;
    CallFs CALL_FS Plain 19;
    Return RETURN Plain 20;
    EmitVertex EMIT_VERTEX Plain 21;
    EmitCutVertex EMIT_CUT_VERTEX Plain 22;
    CutVertex CUT_VERTEX Plain 23;
    Kill KILL Plain 24;
    WaitAck WAIT_ACK Plain 26;
    Alu ALU Alu 8;
    AluPushBefore ALU_PUSH_BEFORE Alu 9;
    AluPopAfter ALU_POP_AFTER Alu 10;
    AluPop2After ALU_POP2_AFTER Alu 11;
    AluContinue ALU_CONTINUE Alu 13;
    AluBreak ALU_BREAK Alu 14;
    AluElseAfter ALU_ELSE_AFTER Alu 15;
    MemStream0 MEM_STREAM0 Memory 32;
    MemStream1 MEM_STREAM1 Memory 33;
    MemStream2 MEM_STREAM2 Memory 34;
    MemStream3 MEM_STREAM3 Memory 35;
    MemScratch MEM_SCRATCH Memory 36;
    MemReduction MEM_REDUCTION Memory 37;
    MemRing MEM_RING Memory 38;
    Export EXPORT Export 39;
    ExportDone EXPORT_DONE Export 40;
    MemExport MEM_EXPORT Memory 58;
}

#[cfg(test)]
mod tests;
