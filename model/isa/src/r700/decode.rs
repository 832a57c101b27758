//! Dwords to instructions. Reserved bits are kept and left to legality; what no instruction has
//! (an opcode without a meaning, a select without a source) is refused by the field's name.

use std::ops::RangeInclusive;

use parallax_spec::{RuleId, rule_id};

use super::{
    instruction::{Alu, Cf, Fetch, Group},
    microcode::{
        AluOp2, AluOp3, CfAluWord, CfWord, ExportBuffer, ExportSwizzle, Field, LocalRead,
        LocalWrite, MemoryRead, SemanticFetch, TextureFetch, VertexFetch,
    },
    opcode::{CfOpcode, FetchFormat, FetchOpcode, VTX_INST_MEM},
    source::Source,
};

/// Rules of the catalogue, checked at compile time.
macro_rules! rules {
    ($($id:literal),* $(,)?) => {
        const { &[$(rule_id!($id)),*] as &'static [RuleId] }
    };
}

/// A field whose value has no meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{}.{} (bits {}:{} of dword {}) is {value}, which has no meaning", field.word, field.name, field.high, field.low, field.dword)]
pub struct DecodeError {
    /// The field.
    pub field: Field,
    /// Its value.
    pub value: u32,
    /// The rules of the catalogue that say so; the manual may list the other values only.
    pub rules: &'static [RuleId],
}

/// Why a group does not decode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GroupError {
    /// An instruction of it does not decode.
    #[error("instruction {number} of the group: {error}")]
    Instruction {
        /// Its number in the group, from 0.
        number: usize,
        /// Why.
        error: DecodeError,
    },
    /// There are five instructions and none has `LAST` set.
    #[error("five instructions without LAST")]
    TooLong,
    /// The clause or the program ends inside the group.
    #[error("the clause ends inside a group")]
    Cut,
}

impl GroupError {
    /// The rules of the catalogue that it breaks.
    #[must_use]
    pub const fn rules(&self) -> &'static [RuleId] {
        match self {
            Self::Instruction { error, .. } => error.rules,
            Self::TooLong => rules!["r700.alu.group.last.exactly-one"],
            Self::Cut => rules!["r700.alu.group.literal-in-clause"],
        }
    }
}

/// Values of a field that have no meaning, and the rules that say so.
type Undefined = (Field, RangeInclusive<u32>, &'static [RuleId]);

fn check(dwords: &[u32], undefined: &[Undefined]) -> Result<(), DecodeError> {
    for (field, values, rules) in undefined {
        let value = field.get(dwords);
        if values.contains(&value) {
            return Err(DecodeError { field: *field, value, rules });
        }
    }
    Ok(())
}

/// Decodes a control-flow instruction.
///
/// # Errors
/// If its opcode or a select has no meaning.
pub fn control_flow(dwords: [u32; 2]) -> Result<Cf, DecodeError> {
    // The opcode ranges of the formats decide: ALU opcodes 8 to 15 of bits 29:26, export opcodes 32
    // to 63 of bits 29:23.
    let cf = if dwords[1] >> 29 & 1 == 1 {
        Cf::Alu(CfAluWord(dwords))
    } else if dwords[1] >> 28 & 1 == 1 {
        let export = ExportSwizzle(dwords);
        let exports = [CfOpcode::Export, CfOpcode::ExportDone];
        if exports.iter().any(|opcode| opcode.code() == export.cf_inst()) {
            Cf::Export(export)
        } else {
            Cf::Memory(ExportBuffer(dwords))
        }
    } else {
        Cf::Plain(CfWord(dwords))
    };
    if cf.opcode().is_none() {
        let field = match cf {
            Cf::Plain(_) => CfWord::CF_INST,
            Cf::Alu(_) => CfAluWord::CF_INST,
            Cf::Export(_) | Cf::Memory(_) => ExportBuffer::CF_INST,
        };
        let rules = rules!["r700.cf.reserved-opcodes"];
        return Err(DecodeError { field, value: field.get(&dwords), rules });
    }
    if let Cf::Export(_) = cf {
        check(&dwords, &EXPORT)?;
    }
    Ok(cf)
}

/// Decodes an ALU instruction.
///
/// # Errors
/// If its opcode, its index or predicate mode, its bank swizzle or the select of a source it reads has
/// no meaning.
pub fn alu(dwords: [u32; 2]) -> Result<Alu, DecodeError> {
    let two = dwords[1] >> 15 & 7 == 0;
    let alu = if two { Alu::Op2(AluOp2(dwords)) } else { Alu::Op3(AluOp3(dwords)) };
    let Some(opcode) = alu.opcode() else {
        let (field, rules) = if two {
            let rules = rules!["r700.aluinst.format.op2-reserved", "r700.alu.opcode.reserved"];
            (AluOp2::ALU_INST, rules)
        } else {
            let rules = rules!["r700.aluinst.format.op3-reserved", "r700.alu.opcode.reserved"];
            (AluOp3::ALU_INST, rules)
        };
        return Err(DecodeError { field, value: field.get(&dwords), rules });
    };
    check(&dwords, &ALU)?;
    let selects = [AluOp3::SRC0_SEL, AluOp3::SRC1_SEL, AluOp3::SRC2_SEL];
    for field in &selects[..opcode.row().sources.len()] {
        let value = field.get(&dwords);
        if Source::of(value).is_none() {
            let rules = rules!["r700.alu.src.undefined-sel"];
            return Err(DecodeError { field: *field, value, rules });
        }
    }
    Ok(alu)
}

/// Decodes the ALU group at the start of some dwords, the rest of a clause.
///
/// # Errors
/// If an instruction does not decode, or the group does not end within five instructions and within
/// the dwords.
pub fn group(dwords: &[u32]) -> Result<Group, GroupError> {
    let mut group = Group::default();
    let mut slots = dwords.chunks_exact(2);
    loop {
        let number = group.instructions.len();
        if number == 5 {
            return Err(GroupError::TooLong);
        }
        let slot = slots.next().ok_or(GroupError::Cut)?;
        let alu =
            alu([slot[0], slot[1]]).map_err(|error| GroupError::Instruction { number, error })?;
        group.instructions.push(alu);
        if alu.last() == 1 {
            break;
        }
    }
    let literals = group.instructions.iter().map(|alu| alu.literal_slots()).max().unwrap_or(0);
    for _ in 0..literals {
        group.literals.extend(slots.next().ok_or(GroupError::Cut)?);
    }
    Ok(group)
}

/// Kind of a fetch clause: which control-flow instruction runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum FetchClause {
    /// `TEX`.
    Texture,
    /// `VTX`, `VTX_TC`.
    Vertex,
}

/// `VTX_INST` and `TEX_INST` of a vertex fetch.
const FETCH: u32 = FetchOpcode::Fetch.code();
/// The same of a semantic vertex fetch.
const SEMANTIC: u32 = FetchOpcode::Semantic.code();

/// Decodes a fetch instruction.
///
/// # Errors
/// If its opcode or one of its fields has no meaning.
pub fn fetch(clause: FetchClause, dwords: [u32; 4]) -> Result<Fetch, DecodeError> {
    match (VertexFetch::VTX_INST.get(&dwords), clause) {
        (FETCH, _) => {
            check(&dwords, &VERTEX)?;
            own_format(&dwords)?;
            Ok(Fetch::Vertex(VertexFetch(dwords)))
        }
        (SEMANTIC, _) => {
            check(&dwords, &VERTEX)?;
            own_format(&dwords)?;
            Ok(Fetch::Semantic(SemanticFetch(dwords)))
        }
        (VTX_INST_MEM, _) => memory(dwords),
        (value, FetchClause::Vertex) => {
            let rules = rules!["r700.vtx.opcode.illegal", "r700.mem.vtx-inst"];
            Err(DecodeError { field: VertexFetch::VTX_INST, value, rules })
        }
        (_, FetchClause::Texture) => {
            let texture = TextureFetch(dwords);
            if texture.opcode().is_none() {
                let (field, rules) = (TextureFetch::TEX_INST, rules!["r700.tex.reserved13"]);
                return Err(DecodeError { field, value: texture.tex_inst(), rules });
            }
            check(&dwords, &TEXTURE)?;
            Ok(Fetch::Texture(texture))
        }
    }
}

/// Decodes what `MEM_OP` tells apart.
fn memory(dwords: [u32; 4]) -> Result<Fetch, DecodeError> {
    let value = MemoryRead::MEM_OP.get(&dwords);
    match FetchOpcode::of_memory(value).map(FetchOpcode::format) {
        Some(FetchFormat::LocalWrite) => {
            check(&dwords, &LOCAL_WRITE)?;
            Ok(Fetch::LocalWrite(LocalWrite(dwords)))
        }
        Some(FetchFormat::LocalRead) => {
            check(&dwords, &LOCAL_READ)?;
            Ok(Fetch::LocalRead(LocalRead(dwords)))
        }
        Some(_) => {
            check(&dwords, &MEMORY_READ)?;
            Ok(Fetch::MemoryRead(MemoryRead(dwords)))
        }
        None => {
            let rules = rules!["r700.mem.op.illegal"];
            Err(DecodeError { field: MemoryRead::MEM_OP, value, rules })
        }
    }
}

/// Fields that count only where the instruction, not the fetch constant, describes the data.
fn own_format(dwords: &[u32]) -> Result<(), DecodeError> {
    if VertexFetch::USE_CONST_FIELDS.get(dwords) == 1 {
        return Ok(());
    }
    check(dwords, &OWN_FORMAT)
}

const EXPORT: [Undefined; 5] = [
    (ExportSwizzle::TYPE, 3..=3, rules!["r700.exp.type.3"]),
    (ExportSwizzle::SEL_X, 6..=6, rules!["r700.exp.sel6"]),
    (ExportSwizzle::SEL_Y, 6..=6, rules!["r700.exp.sel6"]),
    (ExportSwizzle::SEL_Z, 6..=6, rules!["r700.exp.sel6"]),
    (ExportSwizzle::SEL_W, 6..=6, rules!["r700.exp.sel6"]),
];

/// Both ALU formats have these fields in the same places.
const ALU: [Undefined; 3] = [
    (AluOp2::INDEX_MODE, 7..=7, rules!["r700.alu.rel.mode7"]),
    (AluOp2::PRED_SEL, 1..=1, rules!["r700.alu.pred.sel.reserved"]),
    (AluOp2::BANK_SWIZZLE, 6..=7, rules!["r700.alu.port.vec.values", "r700.alu.port.scl.values"]),
];

const NUMBER_FORMAT: &[RuleId] = rules!["r700.fmt.num3"];
const ENDIAN: &[RuleId] = rules!["r700.fmt.endian.3"];
const DESTINATION: &[RuleId] = rules!["r700.vtx.dst-sel.6"];
const COORDINATE: &[RuleId] = rules!["r700.tex.src-sel.range"];
const LOCAL_SELECT: &[RuleId] = rules!["r700.lds.sel6"];

const OWN_FORMAT: [Undefined; 2] = [
    (VertexFetch::NUM_FORMAT_ALL, 3..=3, NUMBER_FORMAT),
    (VertexFetch::ENDIAN_SWAP, 3..=3, ENDIAN),
];

/// The destination selects have the same place in all formats that have them.
const VERTEX: [Undefined; 5] = [
    (VertexFetch::FETCH_TYPE, 3..=3, rules!["r700.vtx.fetch-type.3"]),
    (VertexFetch::DST_SEL_X, 6..=6, DESTINATION),
    (VertexFetch::DST_SEL_Y, 6..=6, DESTINATION),
    (VertexFetch::DST_SEL_Z, 6..=6, DESTINATION),
    (VertexFetch::DST_SEL_W, 6..=6, DESTINATION),
];

const TEXTURE: [Undefined; 9] = [
    (TextureFetch::DST_SEL_X, 6..=6, DESTINATION),
    (TextureFetch::DST_SEL_Y, 6..=6, DESTINATION),
    (TextureFetch::DST_SEL_Z, 6..=6, DESTINATION),
    (TextureFetch::DST_SEL_W, 6..=6, DESTINATION),
    (TextureFetch::SAMPLER_ID, 18..=31, rules!["r700.tex.sampler-range"]),
    (TextureFetch::SRC_SEL_X, 6..=6, COORDINATE),
    (TextureFetch::SRC_SEL_Y, 6..=6, COORDINATE),
    (TextureFetch::SRC_SEL_Z, 6..=6, COORDINATE),
    (TextureFetch::SRC_SEL_W, 6..=6, COORDINATE),
];

const MEMORY_READ: [Undefined; 7] = [
    (MemoryRead::ELEM_SIZE, 2..=2, rules!["r700.mem.elem-size"]),
    (MemoryRead::DST_SEL_X, 6..=6, DESTINATION),
    (MemoryRead::DST_SEL_Y, 6..=6, DESTINATION),
    (MemoryRead::DST_SEL_Z, 6..=6, DESTINATION),
    (MemoryRead::DST_SEL_W, 6..=6, DESTINATION),
    (MemoryRead::NUM_FORMAT_ALL, 3..=3, NUMBER_FORMAT),
    (MemoryRead::ENDIAN_SWAP, 3..=3, ENDIAN),
];

const LOCAL_WRITE: [Undefined; 5] = [
    (LocalWrite::SRC_REL_MODE, 3..=3, rules!["r700.lds.src-rel"]),
    (LocalWrite::SRC_SEL_X, 6..=6, LOCAL_SELECT),
    (LocalWrite::SRC_SEL_Y, 6..=6, LOCAL_SELECT),
    (LocalWrite::SRC_SEL_Z, 6..=6, LOCAL_SELECT),
    (LocalWrite::SRC_SEL_W, 6..=6, LOCAL_SELECT),
];

const LOCAL_READ: [Undefined; 5] = [
    (LocalRead::SRC_REL_MODE, 3..=3, rules!["r700.lds.src-rel"]),
    (LocalRead::SRC_SEL_X, 6..=7, LOCAL_SELECT),
    (LocalRead::SRC_SEL_Y, 6..=7, LOCAL_SELECT),
    (LocalRead::DST_REL_MODE, 3..=3, rules!["r700.lds.read.dst"]),
    (LocalRead::MUX_CNTL, 3..=7, rules!["r700.lds.read.mux.other"]),
];

#[cfg(test)]
mod tests;
