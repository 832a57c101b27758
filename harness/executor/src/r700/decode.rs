//! Microcode words to what the executor runs: control flow instructions and ALU slots.
//!
//! Only what decides execution is kept; scheduling hints (BARRIER, BANK_SWIZZLE) are dropped.

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
    Export(Export),
    /// Defined by the manual, not run by this engine.
    Unsupported(&'static str),
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
            39 | 40 => FlowOperation::Export(export(address, word0, word1)?),
            0..=31 => flow_operation(address, word0, word1)?,
            32..=38 | 58 => FlowOperation::Unsupported("memory export"),
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
    let kind = match bits(word1, 29, 23) {
        0 => return Ok(FlowOperation::Nop),
        1..=3 => return Ok(FlowOperation::Unsupported("fetch clause")),
        4 => BranchKind::LoopStart(LoopStart::Counted),
        5 => BranchKind::LoopEnd,
        6 => BranchKind::LoopStart(LoopStart::Endless),
        7 => BranchKind::LoopStart(LoopStart::Repeat),
        8 => BranchKind::LoopContinue,
        9 => BranchKind::LoopBreak,
        10 => BranchKind::Jump,
        11 => BranchKind::Push,
        12 => BranchKind::PushElse,
        13 => BranchKind::Else,
        14 => BranchKind::Pop,
        15 => BranchKind::PopJump,
        16 => BranchKind::PopPush,
        17 => BranchKind::PopPushElse,
        18 => BranchKind::Call,
        19 => return Ok(FlowOperation::Unsupported("fetch subroutine")),
        20 => BranchKind::Return,
        21..=23 => return Ok(FlowOperation::Unsupported("vertex emission")),
        24 => BranchKind::Kill,
        26 => return Ok(FlowOperation::Nop),
        code => return Err(reserved(address, "CF_INST", code)),
    };
    Ok(FlowOperation::Branch(Branch {
        kind,
        address: word0,
        pop_count: bits(word1, 2, 0) as u8,
        constant,
        condition: match bits(word1, 9, 8) {
            0 => Condition::Active,
            1 => Condition::False,
            test => Condition::Boolean { constant, wanted: test == 2 },
        },
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
            8 => ClauseKind::Plain,
            9 => ClauseKind::PushBefore,
            10 => ClauseKind::PopAfter(1),
            11 => ClauseKind::PopAfter(2),
            13 => ClauseKind::Continue,
            14 => ClauseKind::Break,
            15 => ClauseKind::ElseAfter,
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

/// Where an ALU operand comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Select {
    Gpr(u8),
    /// Constant of window 0 or 1.
    Window {
        window: u8,
        index: u8,
    },
    ConstantFile(u8),
    /// The same dword for every pixel: inline constants and literals.
    Value(u32),
    PreviousVector,
    PreviousScalar,
}

/// Index added to relative addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IndexMode {
    /// An element of AR (GPR operands always use X).
    Address(u8),
    Loop,
    Global,
    GlobalAddress,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Operand {
    pub(super) select: Select,
    pub(super) relative: bool,
    pub(super) element: u8,
    pub(super) negate: bool,
    pub(super) absolute: bool,
}

/// Opcodes of both formats in one number space: OP3 codes have bit 8 set.
pub(super) const OP3: u16 = 0x100;

/// One instruction of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AluSlot {
    pub(super) opcode: u16,
    pub(super) sources: [Operand; 3],
    pub(super) index_mode: IndexMode,
    /// 0 always, 2 where the predicate is 0, 3 where it is 1.
    pub(super) predicate_select: u8,
    pub(super) update_execute_mask: bool,
    pub(super) update_predicate: bool,
    pub(super) write: bool,
    pub(super) output_modifier: u8,
    pub(super) clamp: bool,
    pub(super) gpr: u8,
    pub(super) destination_relative: bool,
    pub(super) element: u8,
    /// 0 to 3 the vector units X to W, 4 the trans unit.
    pub(super) unit: u8,
}

/// Instructions that issue together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) slots: Vec<AluSlot>,
    /// Address of the first slot, in 64-bit words.
    pub(super) address: u32,
    /// Two instructions need the same unit.
    pub(super) conflict: Option<String>,
}

/// Units that can run an opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Units {
    Any,
    Vector,
    Trans,
}

/// Opcode ranges (inclusive, OP3 with its mark) that only some units run.
const RESTRICTED: [(u16, u16, Units); 10] = [
    (7, 7, Units::Vector),
    (21, 24, Units::Vector),
    (27, 29, Units::Vector),
    (80, 83, Units::Vector),
    (96, 96, Units::Vector),
    (97, 111, Units::Trans),
    (115, 121, Units::Trans),
    (122, 126, Units::Vector),
    (OP3 | 8, OP3 | 11, Units::Vector),
    (OP3 | 12, OP3 | 15, Units::Trans),
];

fn units(opcode: u16) -> Units {
    let row = RESTRICTED.iter().find(|(low, high, _)| (*low..=*high).contains(&opcode));
    row.map_or(Units::Any, |row| row.2)
}

/// Decodes the groups of a clause.
pub(super) fn groups(
    program: &[u32],
    clause: &AluClause,
    prefer_vector: bool,
) -> Result<Vec<Group>, DecodeError> {
    let end = clause.address + clause.count;
    let mut groups = Vec::new();
    let mut address = clause.address;
    while address < end {
        let (group, next) = group(program, address, end, prefer_vector)?;
        groups.push(group);
        address = next;
    }
    Ok(groups)
}

fn group(
    program: &[u32],
    first: u32,
    end: u32,
    prefer_vector: bool,
) -> Result<(Group, u32), DecodeError> {
    let mut raw = Vec::with_capacity(5);
    let mut address = first;
    loop {
        if address >= end || raw.len() == 5 {
            let message = if raw.len() == 5 {
                "more than five instructions without LAST"
            } else {
                "the clause ends inside a group"
            };
            return Err(DecodeError { address, message: message.to_owned() });
        }
        let pair = words(program, address)?;
        raw.push(pair);
        address += 1;
        if bits(pair.0, 31, 31) == 1 {
            break;
        }
    }
    let literal_dwords = literals_used(&raw);
    let mut literals = [0; 4];
    for pair in literals[..literal_dwords].chunks_exact_mut(2) {
        if address >= end {
            let message = "the clause ends before the group's literals".to_owned();
            return Err(DecodeError { address, message });
        }
        (pair[0], pair[1]) = words(program, address)?;
        address += 1;
    }
    let mut slots = Vec::with_capacity(raw.len());
    for (number, &pair) in raw.iter().enumerate() {
        slots.push(slot(first + number as u32, pair, literals)?);
    }
    let conflict = assign_units(&mut slots, prefer_vector);
    Ok((Group { slots, address: first, conflict }, address))
}

const SELECT_LITERAL: u32 = 253;

/// Literal dwords behind a group: 0, 2 or 4.
fn literals_used(raw: &[(u32, u32)]) -> usize {
    let fields = raw.iter().flat_map(|&(word0, word1)| {
        let third = is_op3(word1).then(|| (bits(word1, 8, 0), bits(word1, 11, 10)));
        [
            Some((bits(word0, 8, 0), bits(word0, 11, 10))),
            Some((bits(word0, 21, 13), bits(word0, 24, 23))),
            third,
        ]
    });
    let literal = fields.flatten().filter(|(select, _)| *select == SELECT_LITERAL);
    literal.map(|(_, element)| if element < 2 { 2 } else { 4 }).max().unwrap_or(0)
}

fn is_op3(word1: u32) -> bool {
    bits(word1, 17, 15) != 0
}

fn slot(
    address: u32,
    (word0, word1): (u32, u32),
    literals: [u32; 4],
) -> Result<AluSlot, DecodeError> {
    let op3 = is_op3(word1);
    let opcode = if op3 { OP3 | bits(word1, 17, 13) as u16 } else { bits(word1, 14, 7) as u16 };
    let defined = match opcode {
        0..=83 | 96..=126 => true,
        _ => op3 && matches!(opcode & 0xFF, 8..=26 | 28..=30),
    };
    if !defined {
        return Err(reserved(address, "ALU_INST", u32::from(opcode & 0xFF)));
    }
    let source = |word: u32, low: u32, absolute: bool| -> Result<Operand, DecodeError> {
        let element = bits(word, low + 11, low + 10) as u8;
        Ok(Operand {
            select: select(address, bits(word, low + 8, low), element, literals)?,
            relative: bits(word, low + 9, low + 9) == 1,
            element,
            negate: bits(word, low + 12, low + 12) == 1,
            absolute,
        })
    };
    let unused = Operand {
        select: Select::Value(0),
        relative: false,
        element: 0,
        negate: false,
        absolute: false,
    };
    Ok(AluSlot {
        opcode,
        sources: [
            source(word0, 0, !op3 && bits(word1, 0, 0) == 1)?,
            source(word0, 13, !op3 && bits(word1, 1, 1) == 1)?,
            if op3 { source(word1, 0, false)? } else { unused },
        ],
        index_mode: match bits(word0, 28, 26) {
            element @ 0..=3 => IndexMode::Address(element as u8),
            4 => IndexMode::Loop,
            5 => IndexMode::Global,
            6 => IndexMode::GlobalAddress,
            mode => return Err(reserved(address, "INDEX_MODE", mode)),
        },
        predicate_select: match bits(word0, 30, 29) {
            1 => return Err(reserved(address, "PRED_SEL", 1)),
            select => select as u8,
        },
        update_execute_mask: !op3 && bits(word1, 2, 2) == 1,
        update_predicate: !op3 && bits(word1, 3, 3) == 1,
        write: op3 || bits(word1, 4, 4) == 1,
        output_modifier: if op3 { 0 } else { bits(word1, 6, 5) as u8 },
        clamp: bits(word1, 31, 31) == 1,
        gpr: bits(word1, 27, 21) as u8,
        destination_relative: bits(word1, 28, 28) == 1,
        element: bits(word1, 30, 29) as u8,
        unit: 0,
    })
}

fn select(address: u32, code: u32, element: u8, literals: [u32; 4]) -> Result<Select, DecodeError> {
    Ok(match code {
        0..=127 => Select::Gpr(code as u8),
        128..=191 => Select::Window { window: u8::from(code >= 160), index: (code & 31) as u8 },
        244 | 246 | 248 => Select::Value(0),
        245 => Select::Value(0x3FF0_0000),
        247 => Select::Value(0x3FE0_0000),
        249 => Select::Value(0x3F80_0000),
        250 => Select::Value(1),
        251 => Select::Value(u32::MAX),
        252 => Select::Value(0x3F00_0000),
        SELECT_LITERAL => Select::Value(literals[usize::from(element)]),
        254 => Select::PreviousVector,
        255 => Select::PreviousScalar,
        256..=511 => Select::ConstantFile((code - 256) as u8),
        _ => return Err(reserved(address, "SRC_SEL", code)),
    })
}

/// Gives each instruction of a group its unit (section 4.3); says which unit two of them need.
fn assign_units(slots: &mut [AluSlot], prefer_vector: bool) -> Option<String> {
    let mut taken = [false; 5];
    let mut conflict = None;
    let last = slots.len() - 1;
    for (number, slot) in slots.iter_mut().enumerate() {
        let own = slot.element;
        slot.unit = match units(slot.opcode) {
            Units::Trans => 4,
            Units::Vector => own,
            Units::Any if taken[usize::from(own)] => 4,
            Units::Any if number == last && !prefer_vector => 4,
            Units::Any => own,
        };
        if std::mem::replace(&mut taken[usize::from(slot.unit)], true) {
            let unit = ["X", "Y", "Z", "W", "Trans"][usize::from(slot.unit)];
            conflict = Some(format!("two instructions of the group need ALU.{unit}"));
        }
    }
    conflict
}
