//! Accumulators as operands, and as what operations change besides.

use super::prelude::*;

checks! {
    Source UpToGen45 [each "g45.inst." Dp2 "dp2" Dp3 "dp3" Dp4 "dp4" Dph "dph" Line "line" Mac "mac"
            Mach "mach" Mul "mul" Pln "pln" Sad2 "sad2" Sada2 "sada2" => ".no-acc-src"]
        holds |_, s| !s.is_accumulator(),
        "{op} cannot read an accumulator explicitly; move it to a general register first";
    Destination UpToGen45 [each "g45.inst." Asr "asr" Lzd "lzd" => ".no-acc-dst"]
        | UpToGen45 ["g45.inst.shl.acc-no-store"] of [Shl]
        | UpToGen45 ["g45.inst.frc.no-acc"] of [Frc]
        | UpToGen45 ["g45.inst.rnd.no-acc"] of [Rndu, Rndd, Rnde, Rndz]
        holds |_, d| !d.is_accumulator(),
        "this operation cannot write an accumulator; write a general register and move it";
    Source UpToGen45 ["g45.inst.frc.no-acc"] of [Frc]
        says "frc cannot read an accumulator, whose value is not normalised; move it to a general \
         register first"
        | UpToGen45 ["g45.inst.rnd.no-acc"] of [Rndu, Rndd, Rnde, Rndz]
        says "rounding cannot read an accumulator, whose value is not normalised; move it to a general \
         register first"
        holds |_, s| !s.is_accumulator();
    Instruction UpToGen45 ["g45.inst.mov.acc-one-side"] of [Mov]
        holds |f| !(f.reads_arf(ArfKind::Accumulator) && f.writes_arf(ArfKind::Accumulator)),
        "mov can name an accumulator as source or destination, not as both; go through a general \
         register";
    Source UpToGen45 ["g45.acc.src0-only", "g45.asm.src1.no-acc-no-indirect"]
        about |f, s| f.is_data() && s.index == 1 && !has_rule_of_its_own(f),
        holds |_, s| !s.is_accumulator(),
        "an accumulator can be src0 only; exchange the sources or move it to a general register";
    Source UpToGen45 ["g45.acc.no-modifiers", "g45.asm.src.acc-no-modifier"]
        about is_read,
        holds |_, s| !s.is_modified(),
        "hardware ignores modifiers of an accumulator; move it to a general register first";
    Source UpToGen45 ["g45.acc.no-byte"]
        about is_read,
        holds |_, s| s.data_type.size() > 1,
        "an accumulator holds no bytes; use a word type";
    Destination UpToGen45 ["g45.acc.no-byte"]
        about is_written,
        holds |_, d| d.data_type.size() > 1,
        "an accumulator holds no bytes; use a word type";
    Source UpToGen45 ["g45.exectype.no-acc-convert", "g45.acc.no-conversion"]
        about |f, s| is_read(f, s) && s.data_type.size() > 1,
        holds |f, s| is_like(s.data_type, f.execution),
        "an accumulator is not converted: its type must be the execution type; give both sources \
         the same type";
    Destination UpToGen45 ["g45.exectype.no-acc-convert", "g45.acc.no-conversion"]
        about |f, d| is_written(f, d) && d.data_type.size() > 1,
        holds |f, d| is_like(d.data_type, f.execution),
        "an accumulator is not converted: its type must be the execution type; change the type, \
         or convert in a mov of its own";
    Source UpToGen45 ["g45.acc.region-match"]
        about |f, s| is_read(f, s) && f.channels > 1,
        holds |f, s| f.destination.as_ref().is_none_or(|d| is_same_region(f, s, d)),
        "an accumulator source must have the region of the destination, as in <8;8,1> for <1>";
    Source UpToGen45 ["g45.acc.cross-illegal"]
        about |f, s| is_read(f, s) && f.writes_arf(ArfKind::Accumulator) && f.opcode != Opcode::Mov
            && !f.compressed,
        holds |f, s| f.writes(|d| d.number() == s.number()),
        "an instruction cannot read one accumulator and write the other; go through a general \
         register";
    Destination UpToGen45 ["g45.acc.no-sat"]
        about is_written,
        holds |f, _| !f.instruction.saturate,
        "an instruction that writes an accumulator cannot saturate; saturate when moving it out";
    Source UpToGen45 ["g45.acc.compr-acc0"]
        about |f, s| is_read(f, s) && f.compressed,
        holds |_, s| s.number() & 0xF == 0,
        "a compressed instruction names acc0, and uses acc1 in its second half";
    Destination UpToGen45 ["g45.acc.compr-acc0"]
        about |f, d| is_written(f, d) && f.compressed,
        holds |_, d| d.number() & 0xF == 0,
        "a compressed instruction names acc0, and uses acc1 in its second half";
    Instruction Gen4 ["g45.compr.acc32-bw"] of [Mac, Mach, Sada2]
        holds |f| !(f.compressed && f.channels == 32),
        "on this device an instruction of 32 channels has no second accumulator to read; use two \
         of 16 channels";
    Source FromGen7 ["leg.acc.src-modifier"]
        about |f, s| f.is_logic() && s.is_accumulator(),
        holds |_, s| !s.is_modified(),
        "an accumulator in a logic instruction takes no source modifier";
    Source FromGen9 ["leg.acc.explicit-region"] | Gen7 ["gen7.acc.region-match"]
        about |f, s| f.is_data() && !f.is_align16() && s.is_accumulator(),
        holds region_matches,
        "an accumulator must have the region of the destination: the same offset and stride";
    Instruction FromGen7 ["leg.acc.simd16-int", "gen7.acc.dword-8-channels", "gen7.isa.bit.addc-simd16"]
        about |f| f.uses_accumulator() && is_dword(f.execution) && !converts_into_floats(f),
        holds |f| f.channels <= 8,
        "an accumulator has room for 8 doublewords; lower the execution size";
    Instruction Gen7 ["leg.acc.ivb-acc1"]
        about |f| f.implies_accumulator() && f.execution != DataType::F,
        holds |f| f.instruction.first_channel == 0 || f.channels == 16,
        "only the first channels have an accumulator of integers";
    Instruction Gen7To9 ["gen7.acc.acc1-float-only"]
        about |f| f.names_arf(ArfKind::Accumulator),
        holds |f| !names_further(f) || !f.has_type(|of| of != DataType::F),
        "acc1 exists for :f only";
    Instruction Gen12 ["gen12.isa.op.acc"]
        about |f| f.names_arf(ArfKind::Accumulator),
        holds |f| !names_further(f) || !f.has_type(|of| !matches!(of, DataType::F | DataType::Hf | DataType::Vf)),
        "acc1 to acc7 exist for :f and :hf only";
    Instruction Gen12 ["gen12.isa.op.acc"]
        about |f| f.names_arf(ArfKind::Accumulator) && f.channels == 16,
        holds |f| !names(f, |number| number % 2 == 1) || !f.has_type(|of| of == DataType::F),
        "16 channels of :f take a pair of accumulators, the first of which is even";
    Instruction Gen7 ["leg.acc.simd16-dword-ivb", "gen7.gen.ivb-acc-simd16-dword", "gen7.acc.simd16-float-explicit"]
        about |f| f.names_arf(ArfKind::Accumulator) && f.channels == 16,
        holds |f| !f.has_type(|of| of.size() == 4),
        "16 channels of doublewords or floats name no accumulator on this device; use 8";
    Operand FromGen7 ["leg.acc.byte", "gen7.acc.prec-b"]
        about |_, o| o.is_accumulator(),
        holds |_, o| o.data_type().size() > 1,
        "accumulators hold no bytes";
    Source Gen7 ["leg.acc.mul-source"] of [Mul]
        holds |_, s| !s.is_accumulator(),
        "mul reads no accumulator; use a mov first";
    Source FromGen9 ["leg.acc.mul-source-int"] of [Mul]
        about |_, s| !s.data_type.is_float(),
        holds |_, s| !s.is_accumulator(),
        "mul reads no accumulator of integers; use a mov first";
    Instruction Gen9 ["leg.acc.mul-dst-dword", "gen9.isa.type.mul-acc-dst"] of [Mul]
        about |f| f.sources().all(|s| is_dword(s.data_type)),
        holds |f| !f.uses_accumulator(),
        "a product of doublewords cannot be written to the accumulator; multiply by words and use mach";
    Instruction Gen7 ["leg.acc.cmp-dst"] of [Cmp, Cmpn]
        holds |f| !f.instruction.accumulator_write && !f.writes_arf(ArfKind::Accumulator),
        "a comparison does not write the accumulator";
    Source Gen7To9 ["gen7.acc.no-swizzle"]
        about |f, s| f.is_align16() && f.reads_accumulator() && s.align16().is_some(),
        holds |_, s| s.align16().is_some_and(|(_, swizzle)| swizzle == [0, 1, 2, 3]),
        "an instruction that reads an accumulator has no swizzle on any source";
    Source Gen12 ["leg.acc.mad-source"]
        about |f, s| f.is_ternary() && s.index == 2,
        holds |_, s| !s.is_accumulator(),
        "the third of three sources is no accumulator; exchange the factors";
    Instruction FromGen7 ["leg.inst.math-acc"] of [Math]
        holds |f| !f.names_arf(ArfKind::Accumulator) && !f.instruction.accumulator_write,
        "math neither reads nor writes accumulators";
}

/// Whether it is an accumulator read by an operation that may.
fn is_read(f: &Facts, s: &SourceFacts) -> bool {
    f.is_data() && s.is_accumulator() && !has_rule_of_its_own(f)
}

fn is_written(f: &Facts, d: &DestinationFacts) -> bool {
    f.is_data() && d.is_accumulator()
}

/// Operations with a rule of their own against accumulator sources.
fn has_rule_of_its_own(f: &Facts) -> bool {
    use Opcode::*;
    f.is_any(&[Dp2, Dp3, Dp4, Dph, Line, Mac, Mach, Mul, Pln, Sad2, Sada2])
}

/// Whether elements of two types are the same to an accumulator: floats, doublewords or words.
fn is_like(data_type: DataType, execution_type: DataType) -> bool {
    data_type.is_float() == execution_type.is_float() && data_type.size() == execution_type.size()
}

/// Whether neighbouring channels are as far apart in the source as in the destination.
fn is_same_region(f: &Facts, s: &SourceFacts, d: &DestinationFacts) -> bool {
    if f.is_align16() {
        return true;
    }
    let Some((vertical, width, horizontal)) = s.region() else { return false };
    if d.is_null() {
        return true;
    }
    let even = width == f.channels || vertical == width * horizontal;
    if width == 1 { vertical == d.stride() } else { even && horizontal == d.stride() }
}

/// Whether the only accumulator is a destination of floats: it holds as many as registers of floats do.
fn converts_into_floats(f: &Facts) -> bool {
    let is_float = |d: &DestinationFacts| d.is_accumulator() && d.data_type.is_float();
    f.writes(is_float) && !f.implies_accumulator() && !f.reads_arf(ArfKind::Accumulator)
}

/// Whether an accumulator of some numbers is an operand.
fn names(f: &Facts, is_meant: fn(usize) -> bool) -> bool {
    let is_one = |o: &dyn Operand| o.is_accumulator() && is_meant(o.number() & 0xF);
    f.reads(|s| is_one(s)) || f.writes(|d| is_one(d))
}

/// Whether an accumulator other than `acc0` is an operand.
fn names_further(f: &Facts) -> bool {
    names(f, |number| number != 0)
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
