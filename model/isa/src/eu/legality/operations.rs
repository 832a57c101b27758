//! What single operations ask for.

use super::prelude::*;
use crate::eu::instruction::{
    ConditionalModifier::{Overflow, RoundIncrement, Unordered},
    MathFunction, SyncFunction,
};

checks! {
    Instruction FromGen7 ["leg.inst.cmp-cond"] of [Cmp, Cmpn]
        holds |f| f.has_condition(),
        "a comparison needs a conditional modifier, as in [(lt)f0.0]";
    Instruction Gen7 ["leg.inst.cmp-null-switch"] of [Cmp, Cmpn]
        about |f| f.writes(DestinationFacts::is_null),
        holds |f| f.switches(),
        "a comparison that writes null must have {Switch} on this device";
    Instruction FromGen7 ["leg.inst.sel-either"] of [Sel]
        holds |f| f.is_predicated() != f.has_condition(),
        "sel has either a predicate or a conditional modifier";
    Instruction Gen7 ["leg.inst.sel-simd32-ivb", "gen7.gen.ivb-sel-no32", "gen7.isa.misc.sel-simd32"] of [Sel]
        holds |f| f.channels <= 16,
        "sel is limited to 16 channels on this device";
    Instruction FromGen9 ["leg.inst.csel-cond"] of [Csel]
        holds |f| f.has_condition(),
        "csel needs a conditional modifier";
    Instruction Gen7 ["leg.inst.simd16-3src", "gen7.isa.mad.ivb-simd16"]
        about |f| f.is_ternary(),
        holds |f| f.channels <= 8,
        "instructions with three sources are limited to 8 channels on this device; split it";
    Instruction FromGen7 ["leg.inst.mul-sat-cmod", "gen7.isa.mul.sat"]
        about |f| f.is_dword_product()
            && f.writes(|d| !d.data_type.is_float()),
        holds |f| !f.instruction.saturate && !f.has_condition(),
        "a product of doublewords has neither saturation nor conditional modifier";
    Source FromGen9 ["leg.inst.mach-srcmod"] of [Mach]
        about |_, s| s.index == 1,
        holds |_, s| !s.is_modified(),
        "src1 of mach has no modifier; use a mov first";
    Instruction Gen12 ["leg.inst.csel-types-gen12"] of [Csel]
        holds |f| f.types().all(|of| Some(of.size()) == f.types().next().map(DataType::size)),
        "the operands of csel have one size";
    Instruction Gen12 ["leg.inst.mul-srcmod-gen12", "gen12.isa.op.mul-mods"]
        about |f| f.is_dword_product(),
        holds |f| !f.reads(SourceFacts::is_modified),
        "the factors of a product of a doubleword take no modifiers; use a mov first";
    Instruction Gen12 ["leg.inst.mul-dword-dword-gen12"]
        about |f| f.is_dword_product(),
        holds |f| !f.sources().all(|s| is_dword(s.data_type)),
        "two doublewords have no product on this device; multiply by the low word and use mach";
    Instruction Gen12 ["leg.inst.mad-types-gen12"] of [Mad]
        holds |f| !factors(f).all(|s| is_dword(s.data_type)),
        "one of the factors of mad must be of words";
    Instruction Gen12 ["leg.inst.mad-dword-mods"] of [Mad]
        about |f| factors(f).any(|s| is_dword(s.data_type)),
        holds |f| !factors(f).any(SourceFacts::is_modified),
        "factors of mad take no modifiers where one is a doubleword";
    Instruction Gen12 ["leg.inst.rot", "gen12.isa.op.rot-types"] of [Rol, Ror]
        holds |f| f.source(0).map(|s| s.data_type) == f.destination.as_ref().map(|d| d.data_type),
        "what is rotated has the type of the result";
    Instruction Gen12 ["leg.inst.dp4a"] of [Dp4a]
        holds |f| f.sources().filter(|s| s.index < 2 && s.is_accumulator()).count() < 2,
        "only one source of dp4a can be an accumulator";
    Instruction Gen12 ["leg.inst.math-fc-gen12", "gen12.isa.op.fdiv-pow"] of [Math]
        holds |f| !matches!(f.instruction.math, Some(MathFunction::Fdiv | MathFunction::Pow)),
        "there is neither fdiv nor pow; use x*inv(y) and exp(y*log(x))";
    Instruction Gen12 ["leg.swsb.sync-args"] of [Sync]
        holds takes_its_argument,
        "sync.allrd and sync.allwr take null or an immediate mask of tokens, other functions null";
    Instruction FromGen7 ["leg.inst.mach-simd"] of [Mach]
        holds |f| f.channels <= 8,
        "mach is limited to 8 channels";
    Instruction FromGen7 ["leg.inst.addc-subb"] of [Addc, Subb]
        holds |f| f.instruction.accumulator_write && f.channels <= 8,
        "it leaves the carries in the accumulator: it needs {AccWrEn} and at most 8 channels";
    Instruction Gen7To9 ["leg.inst.line-pln-types"] of [Line, Pln]
        holds |f| f.channels == 8 || f.channels == 16,
        "line and pln work on 8 or 16 channels";
    Destination Gen7To9 ["leg.inst.pln-mods"] of [Pln]
        holds |_, d| d.stride() == 1,
        "the destination of pln must be packed";
    Instruction Gen7To9 ["leg.inst.dp-align"] of [Dp2, Dp3, Dp4, Dph]
        holds |f| f.channels >= 4,
        "a dot product is that of four channels; use an execution size of at least 4";
    Instruction Gen7To9 ["leg.inst.sad2-exec"] of [Sad2, Sada2]
        holds |f| f.channels >= 2,
        "the sum is that of two channels; use an execution size of at least 2";
    Source FromGen9 ["leg.inst.logic-abs"]
        about |f, _| f.is_logic(),
        holds |_, s| !s.modifier().absolute,
        "logic instructions take no absolute value";
    Instruction FromGen7 ["leg.inst.logic-cmods"]
        about |f| f.is_logic(),
        holds |f| ![RoundIncrement, Overflow, Unordered].contains(&f.instruction.condition),
        "the result of a logic instruction has neither overflow nor order: compare it with zero";
    Destination FromGen7 ["leg.inst.math-dst-stride"] of [Math]
        about |f, _| !f.is_mixed(),
        holds |_, d| d.stride() == 1,
        "the destination of math must have stride 1";
    Source Gen7 ["leg.inst.math-imm", "gen7.isa.math.imm"] of [Math]
        holds |_, s| !s.is_immediate(),
        "math takes no immediate on this device; use a mov first";
    Instruction FromGen7 ["leg.inst.math-idiv-simd8"]
        about |f| f.is_integer_division(),
        holds |f| f.channels <= 8,
        "integer division is limited to 8 channels";
    Instruction FromGen7 ["leg.inst.math-idiv-mods", "gen7.isa.math.srcmods"]
        about |f| f.is_integer_division(),
        holds |f| !f.instruction.saturate && !f.reads(SourceFacts::is_modified),
        "integer division has neither saturation nor source modifiers";
    Instruction FromGen7 ["leg.inst.math-idiv-types"] of [Math]
        holds |f| f.is_integer_division() == f.sources().all(|s| is_dword(s.data_type)),
        "integer division is of :d or :ud, every other function of floats";
    Instruction Gen9 ["leg.inst.math-idiv-types"] of [Math]
        about |f| f.is_macro() || f.has_type(|of| of == DataType::Df),
        holds |f| f.is_macro() && f.types().all(|of| matches!(of, DataType::F | DataType::Df)),
        "invm and rsqtm are of :f or :df, of which no other function is";
    Instruction Gen9 ["leg.inst.math-hf"] of [Math]
        about |f| f.writes(|d| d.data_type == DataType::Hf),
        holds |f| f.channels <= 8,
        "math that writes :hf is limited to 8 channels";
    Instruction Gen9 ["leg.inst.math-invm"]
        about |f| matches!(f.instruction.math, Some(MathFunction::Invm | MathFunction::Rsqtm)),
        holds |f| f.is_align16() && !f.is_predicated()
            && f.channels <= if f.has_type(|of| of == DataType::Df) { 4 } else { 8 },
        "a math macro is Align16, not predicated and of at most 8 channels, of :df 4";
    Destination Gen7 ["leg.inst.f32to16-type"] of [F32to16]
        about |f, d| !d.is_null() && !f.is_align16(),
        holds |f, d| (d.stride() == 2 || f.channels == 1) && d.subregister() % 4 == 0,
        "f32to16 writes words with stride 2 that start at a doubleword";
    Source FromGen7 ["leg.inst.movi"] of [Movi]
        holds |_, s| s.is_indirect(),
        "the source of movi is indirect";
    Instruction Gen9 ["leg.inst.smov"] of [Smov]
        holds |f| f.source(1).is_some_and(|s| s.is_immediate() || s.is_scalar()),
        "the index of smov is a scalar or an immediate";
    Destination Gen9 ["leg.inst.smov", "gen9.isa.op.smov-types"] of [Smov]
        about |_, d| !d.is_null(),
        holds |f, d| f.source(0).is_some_and(|s| s.data_type.size() == d.data_type.size()),
        "smov copies elements of the size that the destination has";
    Instruction Gen7To9 ["leg.inst.wait"] of [Wait]
        holds waits_for_itself,
        "wait has the same notification count as source and destination, one channel and no \
         predicate";
    Instruction Gen7To9 ["leg.cr.switch", "gen7.cr.switch-required", "gen7.isa.cr.switch"]
        about |f| f.writes_arf(ArfKind::Control),
        holds |f| f.switches(),
        "an instruction that writes cr0 must have {Switch}";
    Instruction Gen7To9 ["gen7.cr.switch-required"]
        about |f| f.reads_arf(ArfKind::Control) && !f.writes_arf(ArfKind::Control),
        holds |f| f.switches(),
        "an instruction that reads cr0 must have {Switch}";
}

/// The factors of `mad`.
fn factors<'a>(f: &'a Facts) -> impl Iterator<Item = &'a SourceFacts> {
    f.sources().filter(|source| source.index > 0)
}

/// Whether `sync` has null, or a mask where that means something.
fn takes_its_argument(f: &Facts) -> bool {
    match f.instruction.sources[0] {
        Source::Register { register, .. } => register.is_null(),
        Source::Immediate { data_type, .. } => {
            let takes_mask = matches!(
                f.instruction.sync,
                Some(SyncFunction::AllRead | SyncFunction::AllWritten)
            );
            takes_mask && matches!(data_type, DataType::Ud | DataType::Uw)
        }
    }
}

fn waits_for_itself(f: &Facts) -> bool {
    f.reads(|s| s.is_arf(ArfKind::Notification) && f.writes(|d| s.register() == d.register()))
        && f.channels == 1
        && !f.is_predicated()
}
