//! Predication, saturation, conditional and source modifiers (chapter 14).

use super::{
    super::{
        instruction::{ConditionalModifier, PredicateControl},
        opcode::Opcode,
        register::ArfKind,
        types::DataType,
    },
    Check, Facts, checks,
};

/// Rows for operations of which the same is said.
macro_rules! per_operation {
    ($($opcode:ident $saturate:literal;)* | $($unpredicated:ident $predication:literal;)* | $($rest:tt)*) => {
        checks! {
            $(Instruction [concat!("g45.inst.", $saturate, ".saturate")]
                about |f| f.opcode == Opcode::$opcode,
                holds |f| !f.instruction.saturate,
                concat!($saturate, " cannot saturate; leave out .sat, or saturate in a mov afterwards");)*
            $(Instruction [concat!("g45.inst.", $predication, ".predication")]
                about |f| f.opcode == Opcode::$unpredicated,
                holds |f| f.instruction.predicate.control == PredicateControl::None,
                concat!($predication, " cannot be predicated; leave out the predicate");)*
            $($rest)*
        }
    };
}

per_operation! {
    And "and";
    Cmp "cmp";
    Cmpn "cmpn";
    Frc "frc";
    Not "not";
    Or "or";
    Xor "xor";
    |
    Do "do";
    Else "else";
    Endif "endif";
    Mrest "mrest";
    Msave "msave";
    Nop "nop";
    Pop "pop";
    Push "push";
    Wait "wait";
    |
    Instruction ["g45.inst.nenop.predication"]
        about |f| f.opcode == Opcode::Nenop,
        holds |f| f.instruction.predicate.control == PredicateControl::None,
        "nenop cannot be predicated; leave out the predicate";
    Instruction ["g45.inst.mach.saturate", "g45.inst.mach.no-sat"]
        about |f| f.opcode == Opcode::Mach,
        holds |f| !f.instruction.saturate,
        "mach cannot saturate; leave out .sat, there and in the mul and mov of the sequence";
    Instruction ["g45.inst.sel.predication"]
        about |f| f.opcode == Opcode::Sel,
        holds |f| f.instruction.predicate.control != PredicateControl::None,
        "sel selects by its predicate and needs one, as in (f0.0) sel";
    Instruction ["g45.inst.sel.condmod"]
        about |f| f.opcode == Opcode::Sel,
        holds |f| f.instruction.condition == ConditionalModifier::None,
        "sel has no conditional modifier; compare with cmp before it";
    Instruction ["g45.inst.cmp.condmod", "g45.cond.cmp-modifiers"]
        about |f| f.opcode == Opcode::Cmp,
        holds compares,
        "cmp needs one of the conditional modifiers .e .ne .g .ge .l .le";
    Instruction ["g45.inst.cmpn.condmod"]
        about |f| f.opcode == Opcode::Cmpn,
        holds compares,
        "cmpn needs one of the conditional modifiers .e .ne .g .ge .l .le";
    Instruction ["g45.cond.cmpn-modifiers"] practice "gen4-cmpn-modifiers"
        about |f| f.opcode == Opcode::Cmpn && compares(f),
        holds |f| {
            use ConditionalModifier::{GreaterEqual, Less};
            [Less, GreaterEqual].contains(&f.instruction.condition)
        },
        "cmpn is for .l and .ge only, as in minimum and maximum; use cmp for other comparisons";
    Instruction ["g45.inst.send.condmod"]
        about |f| f.opcode == Opcode::Send,
        holds |f| f.instruction.condition == ConditionalModifier::None,
        "send has no conditional modifier: the field holds its message register";
    Instruction ["g45.inst.mul.dword-no-flags"]
        about |f| f.opcode == Opcode::Mul && f.execution_type == DataType::D,
        holds |f| !f.instruction.saturate && f.instruction.condition == ConditionalModifier::None,
        "mul of a dword integer can neither saturate nor set flags; do that in a mov afterwards";
    Source ["g45.inst.shr.unsigned-src"]
        about |f, s| f.opcode == Opcode::Shr && s.index == 0 && !s.is_immediate(),
        holds |_, s| {
            let modifier = s.modifier();
            !modifier.negate && modifier.absolute == s.data_type.is_signed_integer()
        },
        "shr takes an unsigned src0 without modifier or a signed one with (abs); use asr for \
         signed values";
    Source ["g45.inst.lzd.srcmod"]
        about |f, s| f.opcode == Opcode::Lzd && !s.is_immediate(),
        holds |_, s| {
            let modifier = s.modifier();
            !modifier.negate && modifier.absolute == s.data_type.is_signed_integer()
        },
        "lzd takes :ud without modifier or :d with (abs)";
    Source ["g45.inst.mach.ud-dst"]
        about |f, s| {
            f.opcode == Opcode::Mach && s.data_type == DataType::D
                && f.destination.as_ref().is_some_and(|d| d.data_type == DataType::Ud)
        },
        holds |_, s| match s.immediate() {
            Some(bits) => (bits as u32).cast_signed() >= 0,
            None => s.modifier().absolute && !s.modifier().negate,
        },
        "mach with a :ud destination takes a :d source only with (abs)";
    Source ["g45.asm.src.arf-no-modifier"]
        about |f, s| {
            f.is_data() && s.arf().is_some_and(|kind| kind != ArfKind::Null && kind != ArfKind::Accumulator)
        },
        holds |_, s| !s.is_modified(),
        "an architecture register takes no source modifier; copy it to a general register first";
}

fn compares(f: &Facts) -> bool {
    use ConditionalModifier::*;
    [Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual].contains(&f.instruction.condition)
}
