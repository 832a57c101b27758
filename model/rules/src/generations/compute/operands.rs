//! Operand forms that compilers use: widths, signs, shift counts, mixed floats.

use parallax_isa::{
    device::Generation::{Gen8, Gen9, Gen12},
    eu::{
        DataType::{self, D, F, Hf, Q, Ud, Uq, Uw},
        Opcode::{
            self, Add, And, Asr, Bfrev, Call, Cbit, Cmp, Fbh, Fbl, Lzd, Mach, Mad, Math, Mov, Mul,
            Not, Or, Ret, Rol, Ror, Sel, Shl, Shr, Xor,
        },
    },
};
use parallax_reference::eu::ExecutionType::Float;

use crate::{
    Rule, bits,
    flow::Flow,
    rule::{Decides::Places, flow, rule},
    step::Step,
};

const SHIFTS: &[Opcode] = &[Shl, Shr, Asr];
/// The instructions that take quadwords and narrower integers.
const WIDE: &[Opcode] = &[Add, And, Or, Xor, Not, Cmp, Sel, Shl, Shr, Asr, Mov];
/// Those that take HF and F.
const MIXED: &[Opcode] = &[Add, Mul, Mad, Cmp, Sel, Mov, Math];
/// Those that look for bits, or count them.
const FINDS: &[Opcode] = &[Fbl, Fbh, Lzd, Cbit, Bfrev];

fn is_quadword(of: DataType) -> bool {
    [Q, Uq].contains(&of)
}

fn has_quadword(s: Step) -> bool {
    is_quadword(s.destination().data_type)
        || s.sources().iter().any(|source| is_quadword(source.data_type()))
}

/// Whether an integer beside quadwords is narrower than they are, and shows how it is extended or cut.
fn mixes_widths(s: Step) -> bool {
    let is_extended = || {
        s.any(|c| {
            (0..s.0.sources).any(|n| {
                s.0.source_type(n).size() < 8 && c.element(n).is_some_and(|e| e.shows_its_sign())
            })
        })
    };
    let is_cut = || {
        s.destination().data_type.size() < 8
            && s.any_of_sources(Q, |e| e.bits >> 32 != 0)
                | s.any_of_sources(Uq, |e| e.bits >> 32 != 0)
    };
    has_quadword(s) && s.has_exact_result() && (is_extended() || is_cut())
}

/// Whether HF and F meet.
fn mixes_floats(s: Step) -> bool {
    let to = s.destination().data_type;
    let types = || s.sources().iter().map(|source| source.data_type()).chain([to]);
    s.computes_in(Float)
        && types().any(|of| of == Hf)
        && types().any(|of| of == F)
        && s.any(|c| c.any(|e| e.is_normal()))
}

/// Whether a bit is searched for where there is none, or several are counted or turned.
fn finds(s: Step) -> bool {
    match s.instruction().opcode {
        Cbit => bits::counts_several(s),
        Bfrev => bits::reverses(s),
        Fbh => s.any(|c| c.are(|[bits]| [0, -1].contains(&bits))),
        _ => bits::searches_zero(s),
    }
}

/// Whether it says of channels where they go on, and has another size than its pair of doublewords.
fn has_other_size(f: Flow) -> bool {
    f.size() != 2 && (f.jumps || f.parked() != 0)
}

pub(super) const RULES: &[Rule] = &[
    rule("gen9.msg.op.shift")
        .since(Gen8)
        .of(SHIFTS)
        .when(|s| s.any(|c| c.element(1).is_some_and(|count| count.bits & 0x3F > 31))),
    rule("gen9.msg.op.shr-narrow").since(Gen8).until(Gen9).of(&[Shr]).when(|s| {
        s.destination().data_type.size() < 8
            && s.any(|c| {
                c.pair(|source, count| {
                    let count = (count.bits & 0x3F) as u32;
                    source.data_type == Uq && source.bits >> count >> 32 != 0
                })
            })
    }),
    rule("gen9.msg.op.mix64").since(Gen8).until(Gen9).of(WIDE).when(mixes_widths),
    rule("gen12.msg.op.fbl-uw").since(Gen12).of(&[Fbl]).when(|s| s.any_of_sources(Uw, |_| true)),
    rule("gen12.msg.op.mach-types").since(Gen12).of(&[Mach]).when(|s| {
        let to = s.destination().data_type;
        let is_mixed = s.sources().iter().any(|source| source.data_type() != to);
        [D, Ud].contains(&to) && is_mixed && s.any(|c| c.any(|e| e.shows_its_sign()))
    }),
    rule("gen9.msg.op.mul-q").since(Gen8).until(Gen9).of(&[Mul]).when(|s| {
        is_quadword(s.destination().data_type)
            && s.sources().iter().all(|source| [D, Ud].contains(&source.data_type()))
            && s.any(|c| c.result().bits >> 32 != 0)
    }),
    rule("gen9.msg.op.mixed-float").since(Gen8).until(Gen9).of(MIXED).when(mixes_floats),
    rule("gen12.msg.op.mixed-float").since(Gen12).of(MIXED).when(mixes_floats),
    rule("gen12.msg.op.rot").since(Gen12).of(&[Rol, Ror]).when(|s| {
        let width = 8 * s.destination().data_type.size() as u64;
        let takes_remainder =
            |bits: u64, count: u64| bits != 0 && !count.is_multiple_of(width) && count >= width;
        s.any(|c| c.pair(|source, count| takes_remainder(source.bits, count.bits)))
    }),
    flow("gen9.msg.op.call", Places, &[Call, Ret], has_other_size).since(Gen8),
    rule("gen7.msg.op.find").of(FINDS).when(finds),
];
