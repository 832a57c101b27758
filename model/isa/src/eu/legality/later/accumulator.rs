//! Accumulators as operands, and as what operations change besides.

use super::{
    super::super::{
        opcode::Opcode,
        operand::{DestinationRegion, Register},
        types::DataType,
    },
    Check, DestinationFacts, Facts, SourceFacts, checks,
    facts::is_dword,
};

checks! {
    All Source ["leg.acc.src-modifier"]
        about |f, s| f.is_logic() && s.is_accumulator(),
        holds |_, s| !s.is_modified(),
        "an accumulator in a logic instruction takes no source modifier";
    FromGen9 Source ["leg.acc.explicit-region"]
        about |f, s| f.is_data() && !f.is_align16() && s.is_accumulator(),
        holds |f, s| region_matches(f, s),
        "an accumulator must have the region of the destination: the same offset and stride";
    Gen7 Source ["gen7.acc.region-match"]
        about |f, s| f.is_data() && !f.is_align16() && s.is_accumulator(),
        holds |f, s| region_matches(f, s),
        "an accumulator must have the region of the destination: the same offset and stride";
    All Instruction ["leg.acc.simd16-int", "gen7.acc.dword-8-channels", "gen7.isa.bit.addc-simd16"]
        about |f| f.uses_accumulator() && is_dword(f.execution) && !converts_into_floats(f),
        holds |f| f.channels <= 8,
        "an accumulator has room for 8 doublewords; lower the execution size";
    Gen7 Instruction ["leg.acc.ivb-acc1"]
        about |f| f.implies_accumulator() && f.execution != DataType::F,
        holds |f| f.instruction.first_channel == 0 || f.channels == 16,
        "only the first channels have an accumulator of integers";
    Both Instruction ["gen7.acc.acc1-float-only"]
        about |f| f.names_accumulator(),
        holds |f| !names_further(f) || !f.has_type(|of| of != DataType::F),
        "acc1 exists for :f only";
    Gen12 Instruction ["gen12.isa.op.acc"]
        about |f| f.names_accumulator(),
        holds |f| !names_further(f) || !f.has_type(|of| !matches!(of, DataType::F | DataType::Hf | DataType::Vf)),
        "acc1 to acc7 exist for :f and :hf only";
    Gen12 Instruction ["gen12.isa.op.acc"]
        about |f| f.names_accumulator() && f.channels == 16,
        holds |f| !names_odd(f) || !f.has_type(|of| of == DataType::F),
        "16 channels of :f take a pair of accumulators, the first of which is even";
    Gen7 Instruction ["leg.acc.simd16-dword-ivb", "gen7.gen.ivb-acc-simd16-dword", "gen7.acc.simd16-float-explicit"]
        about |f| f.names_accumulator() && f.channels == 16,
        holds |f| !f.has_type(|of| of.size() == 4),
        "16 channels of doublewords or floats name no accumulator on this device; use 8";
    All Source ["leg.acc.byte", "gen7.acc.prec-b"]
        about |_, s| s.is_accumulator(),
        holds |_, s| s.data_type.size() > 1,
        "accumulators hold no bytes";
    All Destination ["leg.acc.byte", "gen7.acc.prec-b"]
        about |_, d| d.is_accumulator(),
        holds |_, d| d.data_type.size() > 1,
        "accumulators hold no bytes";
    Gen7 Source ["leg.acc.mul-source"]
        about |f, _| f.opcode == Opcode::Mul,
        holds |_, s| !s.is_accumulator(),
        "mul reads no accumulator; use a mov first";
    FromGen9 Source ["leg.acc.mul-source-int"]
        about |f, s| f.opcode == Opcode::Mul && !s.data_type.is_float(),
        holds |_, s| !s.is_accumulator(),
        "mul reads no accumulator of integers; use a mov first";
    Gen9 Instruction ["leg.acc.mul-dst-dword", "gen9.isa.type.mul-acc-dst"]
        about |f| f.opcode == Opcode::Mul && f.sources().all(|s| is_dword(s.data_type)),
        holds |f| !f.uses_accumulator(),
        "a product of doublewords cannot be written to the accumulator; multiply by words and use mach";
    Gen7 Instruction ["leg.acc.cmp-dst"]
        about |f| f.is_comparison(),
        holds |f| !f.instruction.accumulator_write
            && !f.destination.as_ref().is_some_and(DestinationFacts::is_accumulator),
        "a comparison does not write the accumulator";
    Both Source ["gen7.acc.no-swizzle"]
        about |f, s| f.is_align16() && f.reads_accumulator() && s.swizzle().is_some(),
        holds |_, s| s.swizzle() == Some([0, 1, 2, 3]),
        "an instruction that reads an accumulator has no swizzle on any source";
    Gen12 Source ["leg.acc.mad-source"]
        about |f, s| f.is_ternary() && s.index == 2,
        holds |_, s| !s.is_accumulator(),
        "the third of three sources is no accumulator; exchange the factors";
    All Instruction ["leg.inst.math-acc"]
        about |f| f.opcode == Opcode::Math,
        holds |f| !f.names_accumulator() && !f.instruction.accumulator_write,
        "math neither reads nor writes accumulators";
}

/// Whether the only accumulator is a destination of floats: it holds as many as registers of floats do.
fn converts_into_floats(f: &Facts) -> bool {
    let is_float = |d: &DestinationFacts| d.is_accumulator() && d.data_type.is_float();
    f.destination.as_ref().is_some_and(is_float)
        && !f.implies_accumulator()
        && !f.sources().any(SourceFacts::is_accumulator)
}

/// Whether an accumulator other than `acc0` is an operand.
fn names_further(f: &Facts) -> bool {
    names(f, |number| number != 0)
}

/// Whether the second accumulator of a pair is an operand.
fn names_odd(f: &Facts) -> bool {
    names(f, |number| number % 2 == 1)
}

fn names(f: &Facts, is_meant: fn(u8) -> bool) -> bool {
    let is_one = |register: Register| matches!(register, Register::Direct { number, .. } if is_meant(number & 0xF));
    f.sources().any(|s| s.is_accumulator() && s.register().is_some_and(is_one))
        || f.destination.as_ref().is_some_and(|d| d.is_accumulator() && is_one(d.register))
}

fn region_matches(f: &Facts, source: &SourceFacts) -> bool {
    let Some(destination) = &f.destination else { return true };
    let DestinationRegion::Stride(stride) = destination.region else { return true };
    if destination.is_null() || f.channels == 1 {
        return true;
    }
    let step = match source.region() {
        Some((_, width, horizontal)) if width > 1 => horizontal,
        Some((vertical, ..)) => vertical,
        None => return true,
    };
    step == usize::from(stride) && source.subregister() == destination.subregister()
}
