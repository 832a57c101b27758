//! Microcode words to ALU slots and groups.

use super::{AluClause, DecodeError, bits, reserved, words};
use crate::r700::alu::{self, OP2, OP3, Operation};

/// Where an ALU operand comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) enum Select {
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
pub(in crate::r700) enum IndexMode {
    /// An element of AR (GPR operands always use X).
    Address(u8),
    Loop,
    Global,
    GlobalAddress,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) struct Operand {
    pub(in crate::r700) select: Select,
    pub(in crate::r700) relative: bool,
    pub(in crate::r700) element: u8,
    pub(in crate::r700) negate: bool,
    pub(in crate::r700) absolute: bool,
}

/// One instruction of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) struct AluSlot {
    pub(in crate::r700) operation: &'static Operation,
    pub(in crate::r700) sources: [Operand; 3],
    pub(in crate::r700) index_mode: IndexMode,
    /// 0 always, 2 where the predicate is 0, 3 where it is 1.
    pub(in crate::r700) predicate_select: u8,
    pub(in crate::r700) update_execute_mask: bool,
    pub(in crate::r700) update_predicate: bool,
    pub(in crate::r700) write: bool,
    pub(in crate::r700) output_modifier: u8,
    pub(in crate::r700) clamp: bool,
    pub(in crate::r700) gpr: u8,
    pub(in crate::r700) destination_relative: bool,
    pub(in crate::r700) element: u8,
    /// 0 to 3 the vector units X to W, 4 the trans unit: that of its element until units are assigned.
    pub(in crate::r700) unit: u8,
}

/// Instructions that issue together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::r700) struct Group {
    pub(in crate::r700) slots: Vec<AluSlot>,
    /// Address of the first slot, in 64-bit words.
    pub(in crate::r700) address: u32,
}

/// Decodes the groups of a clause.
pub(in crate::r700) fn groups(
    program: &[u32],
    clause: &AluClause,
) -> Result<Vec<Group>, DecodeError> {
    let end = clause.address + clause.count;
    let mut groups = Vec::new();
    let mut address = clause.address;
    while address < end {
        let (group, next) = group(program, address, end)?;
        groups.push(group);
        address = next;
    }
    Ok(groups)
}

/// Decodes a group, and says where the next one begins.
pub(in crate::r700) fn group(
    program: &[u32],
    first: u32,
    end: u32,
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
    Ok((Group { slots, address: first }, address))
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
    let (format, code) = if op3 { (OP3, bits(word1, 17, 13)) } else { (OP2, bits(word1, 14, 7)) };
    let Some(operation) = alu::operation(format | code as u16) else {
        return Err(reserved(address, "ALU_INST", code));
    };
    let source = |number: usize, word: u32, low: u32, absolute: bool| {
        let element = bits(word, low + 11, low + 10) as u8;
        let select = match select(address, bits(word, low + 8, low), element, literals) {
            // What the operation does not read may be anything.
            Err(_) if number >= operation.sources => Select::Value(0),
            select => select?,
        };
        Ok(Operand {
            select,
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
        operation,
        sources: [
            source(0, word0, 0, !op3 && bits(word1, 0, 0) == 1)?,
            source(1, word0, 13, !op3 && bits(word1, 1, 1) == 1)?,
            if op3 { source(2, word1, 0, false)? } else { unused },
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
        unit: bits(word1, 30, 29) as u8,
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
