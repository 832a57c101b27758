//! Accumulators as explicit operands (sections 11.3.4.5, 11.3.9 and chapter 14).

use super::{
    super::{instruction::Compression, opcode::Opcode, types::DataType},
    Check, DestinationFacts, Facts, SourceFacts, checks,
};

/// Operations that have no accumulator among their sources.
macro_rules! without_accumulator {
    ($($opcode:ident $mnemonic:literal;)* | $($writer:ident $rule:literal;)* | $($rest:tt)*) => {
        checks! {
            $(Source [concat!("g45.inst.", $mnemonic, ".no-acc-src")]
                about |f, s| f.opcode == Opcode::$opcode && s.register().is_some(),
                holds |_, s| !s.is_accumulator(),
                concat!($mnemonic, " cannot read an accumulator explicitly; move it to a general register first");)*
            $(Destination [$rule]
                about |f, _| f.opcode == Opcode::$writer,
                holds |_, d| !d.is_accumulator(),
                "this operation cannot write an accumulator; write a general register and move it";)*
            $($rest)*
        }
    };
}

without_accumulator! {
    Dp2 "dp2";
    Dp3 "dp3";
    Dp4 "dp4";
    Dph "dph";
    Line "line";
    Mac "mac";
    Mach "mach";
    Mul "mul";
    Pln "pln";
    Sad2 "sad2";
    Sada2 "sada2";
    |
    Asr "g45.inst.asr.no-acc-dst";
    Lzd "g45.inst.lzd.no-acc-dst";
    Shl "g45.inst.shl.acc-no-store";
    Frc "g45.inst.frc.no-acc";
    Rndu "g45.inst.rnd.no-acc";
    Rndd "g45.inst.rnd.no-acc";
    Rnde "g45.inst.rnd.no-acc";
    Rndz "g45.inst.rnd.no-acc";
    |
    Source ["g45.inst.frc.no-acc"]
        about |f, s| f.opcode == Opcode::Frc && s.register().is_some(),
        holds |_, s| !s.is_accumulator(),
        "frc cannot read an accumulator, whose value is not normalised; move it to a general \
         register first";
    Source ["g45.inst.rnd.no-acc"]
        about |f, s| {
            f.is_any(&[Opcode::Rndu, Opcode::Rndd, Opcode::Rnde, Opcode::Rndz]) && s.register().is_some()
        },
        holds |_, s| !s.is_accumulator(),
        "rounding cannot read an accumulator, whose value is not normalised; move it to a general \
         register first";
    Instruction ["g45.inst.mov.acc-one-side"]
        about |f| f.opcode == Opcode::Mov,
        holds |f| !(f.sources().any(SourceFacts::is_accumulator) && writes(f)),
        "mov can name an accumulator as source or destination, not as both; go through a general \
         register";
    Source ["g45.acc.src0-only", "g45.asm.src1.no-acc-no-indirect"]
        about |f, s| f.is_data() && s.index == 1 && s.register().is_some() && !has_rule_of_its_own(f),
        holds |_, s| !s.is_accumulator(),
        "an accumulator can be src0 only; exchange the sources or move it to a general register";
    Source ["g45.acc.no-modifiers", "g45.asm.src.acc-no-modifier"]
        about |f, s| is_read(f, s),
        holds |_, s| !s.is_modified(),
        "hardware ignores modifiers of an accumulator; move it to a general register first";
    Source ["g45.acc.no-byte"]
        about |f, s| is_read(f, s),
        holds |_, s| s.data_type.size() > 1,
        "an accumulator holds no bytes; use a word type";
    Destination ["g45.acc.no-byte"]
        about |f, d| f.is_data() && d.is_accumulator(),
        holds |_, d| d.data_type.size() > 1,
        "an accumulator holds no bytes; use a word type";
    Source ["g45.exectype.no-acc-convert", "g45.acc.no-conversion"]
        about |f, s| is_read(f, s) && s.data_type.size() > 1,
        holds |f, s| is_like(s.data_type, f.execution_type),
        "an accumulator is not converted: its type must be the execution type; give both sources \
         the same type";
    Destination ["g45.exectype.no-acc-convert", "g45.acc.no-conversion"]
        about |f, d| f.is_data() && d.is_accumulator() && d.data_type.size() > 1,
        holds |f, d| is_like(d.data_type, f.execution_type),
        "an accumulator is not converted: its type must be the execution type; change the type, \
         or convert in a mov of its own";
    Source ["g45.acc.region-match"]
        about |f, s| is_read(f, s) && f.instruction.execution_size > 1,
        holds |f, s| f.destination.as_ref().is_none_or(|d| is_same_region(f, s, d)),
        "an accumulator source must have the region of the destination, as in <8;8,1> for <1>";
    Source ["g45.acc.cross-illegal"]
        about |f, s| is_read(f, s) && writes(f) && f.opcode != Opcode::Mov && !f.compressed,
        holds |f, s| f.destination.as_ref().is_some_and(|d| d.number() == s.number()),
        "an instruction cannot read one accumulator and write the other; go through a general \
         register";
    Destination ["g45.acc.no-sat"]
        about |f, d| f.is_data() && d.is_accumulator(),
        holds |f, _| !f.instruction.saturate,
        "an instruction that writes an accumulator cannot saturate; saturate when moving it out";
    Source ["g45.acc.compr-acc0"]
        about |f, s| is_read(f, s) && f.compressed,
        holds |_, s| s.number() & 0xF == 0,
        "a compressed instruction names acc0, and uses acc1 in its second half";
    Destination ["g45.acc.compr-acc0"]
        about |f, d| f.is_data() && f.compressed && d.is_accumulator(),
        holds |_, d| d.number() & 0xF == 0,
        "a compressed instruction names acc0, and uses acc1 in its second half";
    Instruction ["g45.compr.acc32-bw"]
        about |f| f.is_bw_or_cl() && f.is_any(&[Opcode::Mac, Opcode::Mach, Opcode::Sada2]),
        holds |f| !(f.instruction.compression == Compression::Compressed && f.instruction.execution_size == 32),
        "on this device an instruction of 32 channels has no second accumulator to read; use two \
         of 16 channels";
}

fn writes(f: &Facts) -> bool {
    f.destination.as_ref().is_some_and(DestinationFacts::is_accumulator)
}

/// Whether it is an accumulator read by an operation that may.
fn is_read(f: &Facts, s: &SourceFacts) -> bool {
    f.is_data() && s.is_accumulator() && !has_rule_of_its_own(f)
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
    let even = width == usize::from(f.instruction.execution_size) || vertical == width * horizontal;
    if width == 1 { vertical == d.stride() } else { even && horizontal == d.stride() }
}
