//! Faults that show seldom, of engines that are right everywhere else: wrong for one pixel, for one pair of
//! values, at one depth.

use parallax_isa::r700::{
    Alu, AluOpcode, Case, CfOpcode, Group, Source,
    microcode::{AluOp2, AluOp3, Field},
    opcode::AluFormat,
    state::{Frame, PIXELS, State},
};

use super::{Fault, R700, alu, case, disturb, result};

pub(super) const FAULTS: &[Fault<R700>] = &[
    // Conversions and operations.
    result("FLT_TO_INT of what has none of its digits in 32 bits is 0", |group, before, after| {
        changed(group, AluOpcode::FltToInt, before, after, |[value, _], bits| {
            let number = f32::from_bits(value);
            if number.is_finite() && number.abs() >= 1.8e16 { 0 } else { bits }
        });
    }),
    result("FLT_TO_INT of what has one of its digits in 32 bits is 0", |group, before, after| {
        changed(group, AluOpcode::FltToInt, before, after, |[value, _], bits| {
            if value << 1 >> 24 == 127 + 54 { 0 } else { bits }
        });
    }),
    result("FLT_TO_INT beyond 33 bits of the other sign", |group, before, after| {
        changed(group, AluOpcode::FltToInt, before, after, |[value, _], bits| {
            let number = f32::from_bits(value);
            if number.is_finite() && number.abs() >= 8.59e9 { !bits } else { bits }
        });
    }),
    result("UINT_TO_FLT of numbers beyond 31 bits as if signed", |group, before, after| {
        changed(group, AluOpcode::UintToFlt, before, after, |[value, _], bits| {
            if value >> 31 == 1 { (value.cast_signed() as f32).to_bits() } else { bits }
        });
    }),
    result("a product that rounds up to the smallest normal number is 0", flushed_before_rounding)
        .rare(),
    result("MULLO_UINT of two great numbers one off", |group, before, after| {
        changed(group, AluOpcode::MulloUint, before, after, |[a, b], bits| {
            if a >> 31 & b >> 31 == 1 { bits ^ 1 } else { bits }
        });
    }),
    result("MULHI_INT of the least number and itself one off", |group, before, after| {
        changed(group, AluOpcode::MulhiInt, before, after, |[a, b], bits| {
            if a == 1 << 31 && b == 1 << 31 { bits - 1 } else { bits }
        });
    }),
    result("LSHL_INT by 31 by 30", |group, before, after| {
        changed(group, AluOpcode::LshlInt, before, after, |[value, count], bits| {
            if count & 31 == 31 { value << 30 } else { bits }
        });
    }),
    result("SETNE of a NaN in the second place is 0", |group, before, after| {
        changed(group, AluOpcode::Setne, before, after, |[a, b], bits| {
            if is_nan(b) && !is_nan(a) { 0 } else { bits }
        });
    }),
    result("SETGE of zeros of two signs is 0", |group, before, after| {
        changed(group, AluOpcode::Setge, before, after, |[a, b], bits| {
            if a << 1 == 0 && b << 1 == 0 && a != b { 0 } else { bits }
        });
    }),
    result("SETE_DX10 of one infinity and itself is 0", |group, before, after| {
        changed(group, AluOpcode::SeteDx10, before, after, |[a, b], bits| {
            if a == b && a << 1 == 0xFF00_0000 { 0 } else { bits }
        });
    })
    .rare(),
    result("MAX_UINT of the last pixel is the lesser", |group, before, after| {
        let lanes = values(group, AluOpcode::MaxUint, before);
        if let Some((register, element, [a, b])) = lanes {
            let lane = &mut after.gpr[register][element][PIXELS - 1];
            if *lane != before.gpr[register][element][PIXELS - 1] {
                *lane = a[PIXELS - 1].min(b[PIXELS - 1]);
            }
        }
    }),
    result(
        "FRACT of a negative number in the 33rd pixel is its magnitude's",
        |group, before, after| {
            if let Some((register, element, [a, _])) = values(group, AluOpcode::Fract, before) {
                let number = f32::from_bits(a[32]);
                let lane = &mut after.gpr[register][element][32];
                if number < 0.0 && *lane != before.gpr[register][element][32] {
                    *lane = (-number).fract().to_bits();
                }
            }
        },
    ),
    // Operands.
    alu("the last constant of the second window is the one before", |a| {
        let fields = [AluOp2::SRC0_SEL, AluOp2::SRC1_SEL, AluOp3::SRC2_SEL];
        let used = fields.into_iter().take(a.operands().len());
        let mut any = None;
        for field in used {
            if field.get(&a.dwords()) == 191 {
                *a = match *a {
                    Alu::Op2(word) => Alu::Op2(word.with(field, 190)),
                    Alu::Op3(word) => Alu::Op3(word.with(field, 190)),
                };
                any = Some(());
            }
        }
        any
    }),
    result("an address below 0 is 0", |_, before, after| {
        for (old, new) in before.ar.iter().zip(&mut after.ar) {
            for (old, new) in old.iter().zip(new) {
                *new = if old == new { *new } else { (*new).max(0) };
            }
        }
    }),
    result("the last pixel's W of an address not written", |_, before, after| {
        after.ar[3][PIXELS - 1] = before.ar[3][PIXELS - 1];
    }),
    result("the last pixel's predicate not stored", |_, before, after| {
        let last = 1 << (PIXELS - 1);
        after.predicate = after.predicate & !last | before.predicate & last;
    }),
    result("the 32nd pixel is never killed", |_, before, after| {
        after.valid |= before.valid & 1 << 31;
    }),
    // Control flow.
    case("aL starts without its thirteenth bit", |case: &mut Case| {
        case.loop_constants.iter_mut().for_each(|constant| constant.initial &= 0xFFF);
    }),
    case("aL starts without its bits beyond 128", |case: &mut Case| {
        case.loop_constants.iter_mut().for_each(|constant| constant.initial &= 0x7F);
    }),
    case("the last boolean constant is the one before", |case: &mut Case| {
        let booleans = &mut case.bool_constants;
        let last = (size_of_val(booleans) * 8 - 1) as u32;
        let before = *booleans >> (last - 1) & 1;
        *booleans = *booleans & !(1 << last) | before << last;
    }),
    disturb("the fifth entry of the stack keeps nobody that breaks", |_, before, after| {
        if after.stack_depth > before.stack_depth && before.stack_depth >= 4 {
            after.stack[before.stack_depth as usize].pixels.inactive_break = 0;
        }
    }),
    disturb("the last pixel that continues breaks", |_, before, after| {
        let fresh = after.pixels.inactive_continue & !before.pixels.inactive_continue;
        let last = fresh & 1 << (PIXELS - 1);
        after.pixels.inactive_continue &= !last;
        after.pixels.inactive_break |= last;
    }),
    disturb("what a pixel exports that is the last one lost", |_, before, after| {
        for (old, new) in before.exports.iter().zip(&mut after.exports) {
            for (old, new) in old.iter().zip(new) {
                new[PIXELS - 1] = old[PIXELS - 1];
            }
        }
    }),
    disturb("POP_PUSH without room for what it pushes keeps what it popped", |opcode, _, after| {
        if opcode == CfOpcode::PopPush && after.stack_depth > 0 {
            after.stack_depth -= 1;
            after.stack[after.stack_depth as usize] = Frame::default();
        }
    })
    .at_open_ends(),
];

/// Flushes products that were rounded up to the smallest normal number: what is less than that is tiny before it
/// is rounded only.
pub(super) fn flushed_before_rounding(group: &Group, before: &State, after: &mut State) {
    for opcode in [AluOpcode::Mul, AluOpcode::MulIeee] {
        changed(group, opcode, before, after, |factors, bits| {
            let [a, b] = factors.map(|bits| f64::from(f32::from_bits(bits)));
            let is_tiny = (a * b).abs() < f64::from(f32::MIN_POSITIVE);
            let is_smallest = bits << 1 == f32::MIN_POSITIVE.to_bits() << 1;
            if is_tiny && is_smallest { bits & 1 << 31 } else { bits }
        });
    }
}

fn is_nan(bits: u32) -> bool {
    bits << 1 > 0xFF00_0000
}

/// A register and an element of it that an instruction writes, and the values of its first two sources.
type Plain = (usize, usize, [[u32; PIXELS]; 2]);

/// These of the only instruction of some opcode in a group, if it is a plain one: registers that are named, and
/// no modifiers.
fn values(group: &Group, opcode: AluOpcode, before: &State) -> Option<Plain> {
    let mut all = group.instructions.iter().filter(|alu| alu.opcode() == Some(opcode));
    let (alu, None) = (all.next()?, all.next()) else { return None };
    let dwords = alu.dwords();
    let is_clear = |field: &Field| field.get(&dwords) == 0;
    let is_op2 = matches!(opcode.row().format, AluFormat::Op2);
    let modifiers = [AluOp2::OMOD, AluOp2::CLAMP, AluOp2::PRED_SEL, AluOp2::DST_REL];
    let writes = is_op2 && AluOp2::WRITE_MASK.get(&dwords) == 1;
    if !writes || !modifiers.iter().all(is_clear) {
        return None;
    }
    let mut lanes = [[0; PIXELS]; 2];
    for (lanes, operand) in lanes.iter_mut().zip(alu.operands()) {
        let Some(Source::Gpr(register)) = operand.source else { return None };
        if operand.relative || operand.negate || operand.absolute {
            return None;
        }
        *lanes = before.gpr[usize::from(register)][usize::from(operand.element)];
    }
    let element = AluOp2::DST_ELEM.get(&dwords) as usize;
    Some((AluOp2::DST_GPR.get(&dwords) as usize, element, lanes))
}

/// Changes what an operation wrote, given its first two sources and the result.
fn changed(
    group: &Group,
    opcode: AluOpcode,
    before: &State,
    after: &mut State,
    other: impl Fn([u32; 2], u32) -> u32,
) {
    let Some((register, element, [a, b])) = values(group, opcode, before) else { return };
    for pixel in 0..PIXELS {
        let lane = &mut after.gpr[register][element][pixel];
        if *lane != before.gpr[register][element][pixel] {
            *lane = other([a[pixel], b[pixel]], *lane);
        }
    }
}
