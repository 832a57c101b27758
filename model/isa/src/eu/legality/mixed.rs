//! F and HF in one instruction (Gen9).

use super::{prelude::*, region::has_vertical};

checks! {
    Instruction FromGen9 ["leg.mixed.indirect"]
        about |f| f.is_mixed(),
        holds |f| !f.reads(SourceFacts::is_indirect),
        "sources of an instruction that mixes :f and :hf cannot be indirect";
    Instruction FromGen9 ["leg.mixed.simd8-f-dst", "gen9.isa.op.mixed-simd8"]
        about |f| is_limited(f) && writes(f, DataType::F),
        holds |f| f.channels <= 8,
        "an instruction that mixes :f and :hf and writes :f is limited to 8 channels";
    Instruction FromGen9 ["leg.mixed.simd8-packed-hf"]
        about |f| is_limited(f) && packs_halves(f),
        holds |f| f.channels <= 8,
        "an instruction that mixes :f and :hf and packs :hf is limited to 8 channels";
    Destination FromGen9 ["leg.mixed.packed-align"]
        about |f, d| f.is_mixed() && packs_halves(f) && d.is_general_direct(),
        holds |f, d| d.subregister() % 16 == 0
            && (f.opcode != Opcode::Math || d.subregister() % 16 + 2 * f.channels <= 16),
        "a packed :hf destination next to :f must start at a multiple of 16 bytes, and that of math \
         stay in 16 bytes";
    Source Gen9 ["leg.mixed.a16-vstride"]
        about |f, s| f.is_mixed() && f.is_align16() && !f.is_ternary() && !s.is_immediate(),
        holds |_, s| has_vertical(s, &[4]),
        "the vertical stride of Align16 sources that mix :f and :hf must be 4";
    Instruction Gen9 ["leg.mixed.a16-simd8"]
        about |f| f.is_mixed() && f.is_align16(),
        holds |f| f.channels <= 8,
        "an Align16 instruction that mixes :f and :hf is limited to 8 channels";
    Source Gen9 ["leg.mixed.a16-acc"]
        about |f, _| f.is_mixed() && f.is_align16(),
        holds |_, s| !s.is_accumulator(),
        "an Align16 instruction that mixes :f and :hf reads no accumulator";
    Source FromGen9 ["leg.mixed.math-stride"]
        about |f, s| f.is_mixed() && !f.is_align16() && f.opcode == Opcode::Math
            && s.data_type == DataType::Hf && !s.is_immediate() && !s.is_scalar(),
        holds |_, s| s.horizontal() > Some(1),
        ":hf sources of math next to :f must have a stride above 1";
    Source FromGen9 ["leg.mixed.acc-src"]
        about |f, s| f.is_mixed() && packs_halves(f) && s.is_accumulator(),
        holds |_, s| s.subregister() == 0,
        "with a packed :hf destination next to :f an accumulator starts at its first element";
    Destination FromGen9 ["leg.mixed.acc-dst-stride"]
        about |f, d| f.is_mixed() && !f.is_align16() && d.data_type == DataType::Hf
            && f.reads(SourceFacts::is_accumulator),
        holds |_, d| d.stride() == 2,
        ":hf from an accumulator next to :f must have stride 2";
}

/// Everything but mov, which may have more channels, and what has nothing but an immediate of the other type, as
/// compilers write `mad` of 16 channels (decision D-eu-later-types).
fn is_limited(f: &Facts) -> bool {
    let destination = f.destination.iter().map(|d| d.data_type);
    let mut elements = f.sources().filter(|s| !s.is_immediate()).map(|s| s.data_type);
    let has = |of| destination.clone().any(|data_type| data_type == of);
    f.is_mixed()
        && f.opcode != Opcode::Mov
        && elements.any(|of| !has(of) && matches!(of, DataType::F | DataType::Hf))
}

fn writes(f: &Facts, data_type: DataType) -> bool {
    f.writes(|d| d.data_type == data_type)
}

fn packs_halves(f: &Facts) -> bool {
    !f.is_align16()
        && f.writes(|d| {
            d.data_type == DataType::Hf && d.stride() == 1 && !d.is_null() && f.channels > 1
        })
}
