//! Microcode words to what the executor runs: control flow instructions, ALU slots and fetch
//! instructions.
//!
//! Only what decides execution is kept; scheduling hints (BARRIER, BANK_SWIZZLE) are dropped; `ports` reads swizzles
//! for itself.

mod alu;
mod code;
mod fetch;

pub(super) use alu::{AluSlot, Group, IndexMode, Operand, Select, group, groups};
pub(super) use fetch::{
    Fetch, FormatFields, LocalRead, LocalWrite, MemoryRead, MemoryReadBuffer, Multiplexer,
    RelativeMode, SampleDetail, SampleForm, TextureFetch, TextureOperation, VertexFetch,
    VertexTarget, fetches,
};

use code::{cf, cf_alu};

/// Bits `high..=low` of a dword.
const fn bits(word: u32, high: u32, low: u32) -> u32 {
    word >> low & (u32::MAX >> (31 - (high - low)))
}

/// Why a program cannot be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DecodeError {
    /// Address in 64-bit words.
    pub(super) address: u32,
    pub(super) message: String,
}

/// Which pixels an instruction executes for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PixelMode {
    Active,
    /// Active and valid pixels.
    Valid,
    /// All pixels of quads with an active pixel.
    WholeQuad,
}

/// COND with its constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    Active,
    False,
    Boolean { constant: u8, wanted: bool },
}

/// One control flow instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ControlFlow {
    pub(super) operation: FlowOperation,
    pub(super) mode: PixelMode,
    pub(super) end_of_program: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FlowOperation {
    Nop,
    Branch(Branch),
    Alu(AluClause),
    /// TEX, VTX, VTX_TC.
    Fetch(FetchClause),
    Export(Export),
    /// MEM_*.
    MemoryWrite(MemoryWrite),
    /// EMIT_VERTEX, EMIT_CUT_VERTEX, CUT_VERTEX.
    Emit {
        condition: Condition,
        vertex: bool,
        cut: bool,
    },
}

impl FlowOperation {
    /// Whether it pushes pixel states.
    pub(super) fn pushes(&self) -> bool {
        use BranchKind::{PopPush, PopPushElse, Push, PushElse};
        match self {
            Self::Branch(b) => matches!(b.kind, Push | PushElse | PopPush | PopPushElse),
            Self::Alu(clause) => {
                matches!(clause.kind, ClauseKind::PushBefore | ClauseKind::ElseAfter)
            }
            _ => false,
        }
    }

    /// Whether it pops before it pushes.
    pub(super) fn pops_and_pushes(&self) -> bool {
        use BranchKind::{PopPush, PopPushElse};
        matches!(self, Self::Branch(b) if matches!(b.kind, PopPush | PopPushElse))
    }
}

/// The instructions of CF_WORD format that test pixels or move the program counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Branch {
    pub(super) kind: BranchKind,
    pub(super) address: u32,
    pub(super) pop_count: u8,
    pub(super) constant: u8,
    pub(super) condition: Condition,
    pub(super) call_count: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BranchKind {
    LoopStart(LoopStart),
    LoopEnd,
    LoopContinue,
    LoopBreak,
    Jump,
    Push,
    PushElse,
    Else,
    Pop,
    PopJump,
    PopPush,
    PopPushElse,
    Call,
    CallFetch,
    Return,
    Kill,
}

/// The three kinds of loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoopStart {
    /// LOOP_START: a trip count and aL.
    Counted,
    /// LOOP_START_DX10: until every pixel has left.
    Endless,
    /// LOOP_START_NO_AL: a trip count, aL untouched.
    Repeat,
}

/// What an ALU clause does besides its groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClauseKind {
    Plain,
    PushBefore,
    PopAfter(u8),
    Continue,
    Break,
    ElseAfter,
}

/// A window into a constant buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ConstantWindow {
    pub(super) buffer: u8,
    /// First constant.
    pub(super) first: u32,
    /// Constants that may be read: 0, 16 or 32.
    pub(super) length: u32,
    /// `aL / 16` lines are added to the first one.
    pub(super) loop_relative: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AluClause {
    pub(super) kind: ClauseKind,
    /// First slot, in 64-bit words.
    pub(super) address: u32,
    /// Slots.
    pub(super) count: u32,
    pub(super) constants: [ConstantWindow; 2],
    /// Constants of the alternate program type.
    pub(super) alternate: bool,
}

/// The instructions that a TEX, VTX or VTX_TC runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FetchClause {
    pub(super) condition: Condition,
    /// First instruction, in 64-bit words.
    pub(super) address: u32,
    /// Instructions, of two words each.
    pub(super) count: u32,
    /// Texture opcodes have a meaning: TEX.
    pub(super) texture: bool,
}

/// Buffers that MEM_* instructions write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemoryBuffer {
    Stream(u8),
    Scratch,
    Reduction,
    Ring,
    /// MEM_EXPORT.
    Scatter,
}

/// A MEM_* instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MemoryWrite {
    pub(super) buffer: MemoryBuffer,
    pub(super) array_base: u32,
    /// Elements from the base on that may be written.
    pub(super) array_size: u32,
    /// Register whose X is added to the base.
    pub(super) index_gpr: Option<u8>,
    /// Dwords of an element.
    pub(super) element_size: u32,
    pub(super) mask: u8,
    pub(super) gpr: u8,
    pub(super) relative: bool,
    pub(super) burst: u32,
}

/// EXPORT and EXPORT_DONE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Export {
    /// 0 pixel, 1 position, 2 parameter.
    pub(super) target: u8,
    pub(super) array_base: u32,
    pub(super) gpr: u8,
    pub(super) relative: bool,
    pub(super) burst: u32,
    pub(super) select: [u8; 4],
}

/// Decodes the control flow instruction at an address.
pub(super) fn control_flow(program: &[u32], address: u32) -> Result<ControlFlow, DecodeError> {
    let (word0, word1) = words(program, address)?;
    let whole_quad = bits(word1, 30, 30) == 1;
    if bits(word1, 29, 29) == 1 {
        return Ok(ControlFlow {
            operation: FlowOperation::Alu(alu_clause(address, word0, word1)?),
            mode: if whole_quad { PixelMode::WholeQuad } else { PixelMode::Active },
            end_of_program: false,
        });
    }
    let code = bits(word1, 29, 23);
    Ok(ControlFlow {
        operation: match code {
            cf::EXPORT | cf::EXPORT_DONE => FlowOperation::Export(export(address, word0, word1)?),
            cf::MEM_STREAM0..=cf::MEM_RING | cf::MEM_EXPORT => {
                FlowOperation::MemoryWrite(memory_write(code, word0, word1))
            }
            cf::NOP..=cf::WAIT_ACK => flow_operation(address, word0, word1)?,
            _ => return Err(reserved(address, "CF_INST", code)),
        },
        mode: match (whole_quad, bits(word1, 22, 22) == 1) {
            (true, _) => PixelMode::WholeQuad,
            (false, true) => PixelMode::Valid,
            (false, false) => PixelMode::Active,
        },
        end_of_program: bits(word1, 21, 21) == 1,
    })
}

fn words(program: &[u32], address: u32) -> Result<(u32, u32), DecodeError> {
    let index = address as usize * 2;
    match program.get(index..index + 2) {
        Some(&[low, high]) => Ok((low, high)),
        _ => Err(DecodeError { address, message: "address outside the program".to_owned() }),
    }
}

fn reserved(address: u32, field: &str, value: u32) -> DecodeError {
    DecodeError { address, message: format!("{field} has the reserved value {value}") }
}

fn flow_operation(address: u32, word0: u32, word1: u32) -> Result<FlowOperation, DecodeError> {
    let constant = bits(word1, 7, 3) as u8;
    let condition = match bits(word1, 9, 8) {
        0 => Condition::Active,
        1 => Condition::False,
        test => Condition::Boolean { constant, wanted: test == 2 },
    };
    let emit = |vertex, cut| Ok(FlowOperation::Emit { condition, vertex, cut });
    let kind = match bits(word1, 29, 23) {
        cf::NOP | cf::WAIT_ACK => return Ok(FlowOperation::Nop),
        code @ (cf::TEX | cf::VTX | cf::VTX_TC) => {
            return Ok(FlowOperation::Fetch(FetchClause {
                condition,
                address: word0,
                count: (bits(word1, 19, 19) << 3 | bits(word1, 12, 10)) + 1,
                texture: code == cf::TEX,
            }));
        }
        cf::LOOP_START => BranchKind::LoopStart(LoopStart::Counted),
        cf::LOOP_END => BranchKind::LoopEnd,
        cf::LOOP_START_DX10 => BranchKind::LoopStart(LoopStart::Endless),
        cf::LOOP_START_NO_AL => BranchKind::LoopStart(LoopStart::Repeat),
        cf::LOOP_CONTINUE => BranchKind::LoopContinue,
        cf::LOOP_BREAK => BranchKind::LoopBreak,
        cf::JUMP => BranchKind::Jump,
        cf::PUSH => BranchKind::Push,
        cf::PUSH_ELSE => BranchKind::PushElse,
        cf::ELSE => BranchKind::Else,
        cf::POP => BranchKind::Pop,
        cf::POP_JUMP => BranchKind::PopJump,
        cf::POP_PUSH => BranchKind::PopPush,
        cf::POP_PUSH_ELSE => BranchKind::PopPushElse,
        cf::CALL => BranchKind::Call,
        cf::CALL_FS => BranchKind::CallFetch,
        cf::RETURN => BranchKind::Return,
        cf::EMIT_VERTEX => return emit(true, false),
        cf::EMIT_CUT_VERTEX => return emit(true, true),
        cf::CUT_VERTEX => return emit(false, true),
        cf::KILL => BranchKind::Kill,
        code => return Err(reserved(address, "CF_INST", code)),
    };
    Ok(FlowOperation::Branch(Branch {
        kind,
        address: word0,
        pop_count: bits(word1, 2, 0) as u8,
        constant,
        condition,
        call_count: bits(word1, 18, 13) as u8,
    }))
}

fn alu_clause(address: u32, word0: u32, word1: u32) -> Result<AluClause, DecodeError> {
    let window = |buffer: u32, mode: u32, line: u32| ConstantWindow {
        buffer: buffer as u8,
        first: line * 16,
        length: [0, 16, 32, 32][mode as usize],
        loop_relative: mode == 3,
    };
    Ok(AluClause {
        kind: match bits(word1, 29, 26) {
            cf_alu::ALU => ClauseKind::Plain,
            cf_alu::ALU_PUSH_BEFORE => ClauseKind::PushBefore,
            cf_alu::ALU_POP_AFTER => ClauseKind::PopAfter(1),
            cf_alu::ALU_POP2_AFTER => ClauseKind::PopAfter(2),
            cf_alu::ALU_CONTINUE => ClauseKind::Continue,
            cf_alu::ALU_BREAK => ClauseKind::Break,
            cf_alu::ALU_ELSE_AFTER => ClauseKind::ElseAfter,
            code => return Err(reserved(address, "CF_INST", code)),
        },
        address: bits(word0, 21, 0),
        count: bits(word1, 24, 18) + 1,
        constants: [
            window(bits(word0, 25, 22), bits(word0, 31, 30), bits(word1, 9, 2)),
            window(bits(word0, 29, 26), bits(word1, 1, 0), bits(word1, 17, 10)),
        ],
        alternate: bits(word1, 25, 25) == 1,
    })
}

fn export(address: u32, word0: u32, word1: u32) -> Result<Export, DecodeError> {
    let select = [0, 3, 6, 9].map(|low| bits(word1, low + 2, low) as u8);
    if select.contains(&6) {
        return Err(reserved(address, "SEL", 6));
    }
    let target = bits(word0, 14, 13) as u8;
    if target == 3 {
        return Err(reserved(address, "TYPE", 3));
    }
    Ok(Export {
        target,
        array_base: bits(word0, 12, 0),
        gpr: bits(word0, 21, 15) as u8,
        relative: bits(word0, 22, 22) == 1,
        burst: bits(word1, 20, 17) + 1,
        select,
    })
}

fn memory_write(code: u32, word0: u32, word1: u32) -> MemoryWrite {
    // TYPE 2 and 3 are 0 and 1 with an acknowledgement (E-r700-program-26).
    let indexed = bits(word0, 13, 13) == 1;
    MemoryWrite {
        buffer: match code {
            cf::MEM_STREAM0 => MemoryBuffer::Stream(0),
            cf::MEM_STREAM1 => MemoryBuffer::Stream(1),
            cf::MEM_STREAM2 => MemoryBuffer::Stream(2),
            cf::MEM_STREAM3 => MemoryBuffer::Stream(3),
            cf::MEM_SCRATCH => MemoryBuffer::Scratch,
            cf::MEM_REDUCTION => MemoryBuffer::Reduction,
            cf::MEM_RING => MemoryBuffer::Ring,
            _ => MemoryBuffer::Scatter,
        },
        array_base: bits(word0, 12, 0),
        array_size: bits(word1, 11, 0) + 1,
        index_gpr: indexed.then_some(bits(word0, 29, 23) as u8),
        element_size: bits(word0, 31, 30) + 1,
        mask: bits(word1, 15, 12) as u8,
        gpr: bits(word0, 21, 15) as u8,
        relative: bits(word0, 22, 22) == 1,
        burst: bits(word1, 20, 17) + 1,
    }
}
