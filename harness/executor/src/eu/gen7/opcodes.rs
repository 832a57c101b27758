//! Which operation a code is on a generation: the rows that stand beside the functions, group by group.

use super::{
    bits, compare,
    fields::Generation,
    float_ops, flow, integer, math, message, movement,
    operation::{Action, GEN12, Operands, Operation, bare},
    vector,
};

static ILLEGAL: Operation = bare(0x00, "illegal", Action::Illegal);
const SPECIAL: &[Operation] = &[
    Operation { operands: Operands::None, ..bare(0x7E, "nop", Action::Nop) },
    // Which action it has depends on its function.
    Operation { operands: Operands::Sync, ..bare(SYNC, "sync", Action::Nop) }.on(GEN12),
];

/// The operations, group by group.
static GROUPS: [&[Operation]; 10] = [
    movement::ROWS,
    integer::ROWS,
    float_ops::ROWS,
    bits::ROWS,
    compare::ROWS,
    vector::ROWS,
    math::ROWS,
    flow::ROWS,
    message::ROWS,
    SPECIAL,
];

/// The operation of a code on a generation; codes without one count as illegal.
pub(super) fn of(code: u8, generation: Generation) -> &'static Operation {
    let code = if generation == Generation::Gen12 { code_before_gen12(code) } else { Some(code) };
    let mut all = GROUPS.into_iter().flatten();
    let known = all.find(|row| Some(row.code) == code && row.generations.contains(&generation));
    known.unwrap_or(&ILLEGAL)
}

/// A code that no operation had before Gen12.
const SYNC: u8 = 0x80;

/// The code that an operation of Gen12 had before: moves, logic, comparisons and bit fields went up by
/// 60h, `nop` to their head.
fn code_before_gen12(code: u8) -> Option<u8> {
    match code {
        0x01 => Some(SYNC),
        0x02..=0x1F | 0x7E => None,
        0x60 => Some(0x7E),
        0x61..=0x7F => Some(code - 0x60),
        _ => Some(code),
    }
}
