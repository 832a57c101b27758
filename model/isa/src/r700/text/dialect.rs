//! What a dialect leaves out, and the names that only it has.

use super::super::opcode::{AluOpcode, CfOpcode, FetchOpcode};

/// Names of a dialect, each with the manual's.
pub(super) type Names = &'static [(&'static str, &'static str)];

/// A dialect: what a missing part of a statement stands for, and its own names for things.
#[derive(Debug)]
pub(super) struct Dialect {
    /// A destination without an element writes the unit's, an operand without one reads the
    /// destination's, and swizzles may be cut short.
    pub(super) implied_elements: bool,
    /// Literals need no element: they are stored in the order of reading. A bare number is one.
    pub(super) ordered_literals: bool,
    /// Each control-flow instruction, and each group or fetch instruction, has the number after the
    /// last one's.
    pub(super) strict_numbers: bool,
    /// An `ADDR` of a clause that leaves no room for it is replaced, and so is a `CNT` without the
    /// literals.
    pub(super) moves_clauses: bool,
    /// The last control-flow instruction ends the program if none is said to.
    pub(super) implied_end: bool,
    /// Texture coordinates are normalised, and vertex formats come from the fetch constant, unless a
    /// word says otherwise.
    pub(super) implied_formats: bool,
    /// The words and marks of AMD's tools: `MUL*2`, `|R3|.x`, `[AL]`, `FAIL_JUMP_ADDR(9)` and the like.
    pub(super) tool_words: bool,
    /// `T0` to `T3` are the last four registers, from the last one down.
    pub(super) temporaries: bool,
    /// What begins a comment, which runs to the end of its line.
    pub(super) comments: &'static [&'static str],
    /// ALU instructions.
    pub(super) alu_names: Names,
    /// Fetch instructions.
    pub(super) fetch_names: Names,
    /// Attributes of control-flow instructions with a value.
    pub(super) fields: Names,
    /// Attributes of control-flow instructions without a value: each sets its field to 1.
    pub(super) flags: Names,
}

/// The manual's own syntax, as Parallax prints it.
pub(super) static MANUAL: Dialect = Dialect {
    implied_elements: false,
    ordered_literals: false,
    strict_numbers: false,
    moves_clauses: false,
    implied_end: false,
    implied_formats: false,
    tool_words: false,
    temporaries: false,
    comments: &[";", "//", "#"],
    alu_names: &[],
    fetch_names: &[],
    fields: &[("POP_CNT", "POP_COUNT"), ("BRSTCNT", "BURST_COUNT")],
    flags: &[("WHOLE_QUAD", "WHOLE_QUAD_MODE"), ("VALID_PIX", "VALID_PIXEL_MODE")],
};

/// What AMD's shader analyzer and its relatives print.
pub(super) static AMD: Dialect = Dialect {
    implied_elements: true,
    ordered_literals: true,
    strict_numbers: true,
    moves_clauses: true,
    implied_end: true,
    implied_formats: true,
    tool_words: true,
    temporaries: true,
    comments: &[";", "//"],
    alu_names: &[
        ("MUL_e", "MUL_IEEE"),
        ("MULADD_e", "MULADD_IEEE"),
        ("DOT4_e", "DOT4_IEEE"),
        ("RCP_e", "RECIP_IEEE"),
        ("RSQ_e", "RECIPSQRT_IEEE"),
        ("SQRT_e", "SQRT_IEEE"),
        ("EXP_e", "EXP_IEEE"),
        ("LOG_e", "LOG_IEEE"),
        ("LOG_sat", "LOG_CLAMPED"),
    ],
    fetch_names: &[("VFETCH", "FETCH"), ("GET_TEXTURE_INFO", "GET_TEXTURE_RESINFO")],
    fields: &[("POP_CNT", "POP_COUNT"), ("BRSTCNT", "BURST_COUNT"), ("BURSTCNT", "BURST_COUNT")],
    flags: &[
        ("WHOLE_QUAD", "WHOLE_QUAD_MODE"),
        ("WHOLE_QUAD_MODE", "WHOLE_QUAD_MODE"),
        ("VALID_PIX", "VALID_PIXEL_MODE"),
        ("VALID_PIXEL_MODE", "VALID_PIXEL_MODE"),
        ("USES_WATERFALL", "ALT_CONST"),
    ],
};

/// LLVM's text of R600 programs, whose statements are its own.
pub(super) static LLVM: Dialect = Dialect { comments: &[";"], fields: &[], flags: &[], ..MANUAL };

/// The manual's name for something, if a dialect has another one.
pub(super) fn renamed(names: Names, name: &str) -> Option<&'static str> {
    names.iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| *ours)
}

impl Dialect {
    /// The ALU instruction of a name.
    pub(super) fn alu(&self, name: &str) -> Option<AluOpcode> {
        let ours = renamed(self.alu_names, name);
        ours.map_or_else(|| AluOpcode::named(&name.to_uppercase()), AluOpcode::named)
    }

    /// The names of ALU instructions.
    pub(super) fn alu_instructions(&self) -> impl Iterator<Item = &'static str> {
        let theirs = self.alu_names.iter().map(|(name, _)| *name);
        AluOpcode::ALL.iter().map(|opcode| opcode.mnemonic()).chain(theirs)
    }

    /// The fetch instruction of a name.
    pub(super) fn fetch(&self, name: &str) -> Option<FetchOpcode> {
        FetchOpcode::named(renamed(self.fetch_names, name).unwrap_or(name))
    }

    /// Another name of `ADDR` in an instruction.
    pub(super) fn address_name(&self, opcode: CfOpcode) -> Option<&'static str> {
        use CfOpcode::{LoopEnd, LoopStart, LoopStartDx10, LoopStartNoAl};
        match opcode {
            _ if !self.tool_words => None,
            LoopStart | LoopStartDx10 | LoopStartNoAl => Some("FAIL_JUMP_ADDR"),
            LoopEnd => Some("PASS_JUMP_ADDR"),
            _ => None,
        }
    }
}
