//! What the next group of an R700 case reads, for people.

use parallax_isa::{
    Image,
    r700::{
        Alu, Case, Group, Program, Source, State, instruction::Operand, opcode::Kind,
        text::print_operand,
    },
};

use crate::{subject::Typed, verdict::OperandValues};

/// Pixels whose values are shown.
const SHOWN: usize = 8;

/// The operands of a group that come from registers or previous results, for the first pixels that
/// execute it.
pub(super) fn operands(case: &Case, state: &State) -> Vec<OperandValues> {
    let Ok(program) = Program::of_case(case) else { return Vec::new() };
    let group = if state.in_clause == 0 { None } else { program.group_at(state.group) };
    let Some(Group { instructions, literals }) = group else { return Vec::new() };
    let executing = (0..64).filter(|pixel| state.executing >> pixel & 1 == 1);
    let pixels: Vec<usize> = executing.take(SHOWN).collect();
    let mut values: Vec<OperandValues> = Vec::new();
    for alu in instructions {
        let kinds = alu.opcode().map_or(&[][..], |opcode| opcode.row().sources);
        for (operand, kind) in alu.operands().into_iter().zip(kinds) {
            use Source::{Gpr, PreviousScalar, PreviousVector};
            if !matches!(operand.source, Some(Gpr(_) | PreviousVector | PreviousScalar)) {
                continue;
            }
            let name = print_operand(*alu, operand, literals);
            let value = |pixel: &usize| {
                let bits = read(*alu, operand, state, *pixel);
                match (bits, kind) {
                    (None, _) => format!("[{pixel}] outside"),
                    (Some(bits), Kind::F32) => {
                        format!("[{pixel}] {:?} {bits:08x}", f32::from_bits(bits))
                    }
                    (Some(bits), _) => format!("[{pixel}] {bits:08x}"),
                }
            };
            if values.iter().all(|known| known.name != name) {
                values.push(OperandValues { name, channels: pixels.iter().map(value).collect() });
            }
        }
    }
    values
}

/// The element of a pixel's register that the next group writes, by a byte of it: in the type of what
/// writes there.
pub(super) fn element(case: &Case, state: &State, offset: usize) -> Option<Typed> {
    let bank = State::bank(offset);
    let start = bank.offset + (offset - bank.offset) / 4 * 4;
    let name = State::place(start);
    let element = "xyzw".find(name.split_once('.')?.1.chars().next()?)?;
    let program = Program::of_case(case).ok()?;
    let group = program.group_at(state.group).filter(|_| state.in_clause != 0)?;
    let mut writers = group.instructions.iter().filter(|alu| alu.dst_elem() as usize == element);
    let result = writers.next()?.opcode()?.row().result;
    let show: fn(u64) -> String = match result {
        Kind::F32 => |bits| format!("{:?} {bits:08x}", f32::from_bits(bits as u32)),
        Kind::I32 => |bits| format!("{} {bits:08x}", (bits as u32).cast_signed()),
        Kind::U32 => |bits| format!("{bits} {bits:08x}"),
        _ => |bits| format!("{bits:08x}"),
    };
    Some(Typed { name, places: start..start + 4, show: Box::new(show) })
}

/// The raw value of an operand, before modifiers.
fn read(alu: Alu, operand: Operand, state: &State, pixel: usize) -> Option<u32> {
    let element = usize::from(operand.element);
    match operand.source? {
        Source::Gpr(number) => {
            let index = match (operand.relative, alu.index_mode()) {
                (false, _) => 0,
                (true, 0..=3) => i64::from(state.ar[0][pixel]),
                (true, 4) => i64::from(state.current_loop.index),
                (true, _) => return None,
            };
            let number = usize::try_from(i64::from(number) + index).ok()?;
            state.gpr.get(number).map(|register| register[element][pixel])
        }
        Source::PreviousVector => Some(state.previous[element][pixel]),
        Source::PreviousScalar => Some(state.previous[4][pixel]),
        _ => None,
    }
}
