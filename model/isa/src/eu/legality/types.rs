//! Which types an operation combines: types that do not meet, and the tables `g45-type-combinations` and
//! `eu-operand-types`.

use super::prelude::*;
use crate::eu::{
    codes::{self, TypeField},
    forms::{Combination, OperandTypes, form, forms},
};

checks! {
    Instruction FromGen7 ["leg.type.int-float-mix"]
        about |f| f.is_data() && f.sources().count() == 2 && f.opcode != Opcode::Smov,
        holds |f| {
            let mut kinds = f.sources().map(|s| s.data_type.is_float());
            let first = kinds.next();
            kinds.all(|kind| Some(kind) == first)
        },
        "float and integer sources do not mix; convert with a mov";
    Instruction Gen7To9 ["leg.type.byte-64bit", "gen9.isa.conv.mov-df-b"]
        about |f| f.is_data() && f.has_type(|of| of.size() == 1),
        holds |f| !f.has_type(|of| of.size() == 8),
        "bytes and 64-bit types do not convert to each other; go through a word or doubleword";
    Instruction Gen9 ["leg.type.hf-64bit", "gen9.isa.conv.mov-df-hf"]
        about |f| f.is_data() && f.has_type(|of| of == DataType::Hf),
        holds |f| !f.has_type(|of| of.size() == 8),
        "half precision and 64-bit types do not convert to each other; go through :f";
    Destination FromGen9 ["leg.type.hf-int-stride", "gen9.isa.conv.hf-stride"]
        about |f, d| f.is_data() && !f.is_align16() && is_half_and_integer(f)
            && !d.is_null() && d.data_type.size() <= 4,
        holds |_, d| d.step() == 4 && d.subregister() % 4 == 0,
        "between half precision and integers the elements of the destination must be doublewords \
         apart and start at one";
    Destination FromGen9 ["leg.type.f-hf-stride"] of [Mov]
        about |f, d| !f.is_align16() && d.data_type == DataType::Hf
            && !d.is_null() && f.execution == DataType::F,
        holds |_, d| d.stride() == 2 || d.stride() == 1 && d.subregister() % 16 == 0,
        "half precision from :f must have stride 2, or be packed and start at a multiple of 16 bytes";
    Instruction Gen12 ["leg.type.64bit-gen12lp", "gen12.isa.op.no64", "gen12.isa.enc.ternary-q"]
        about |f| f.is_ternary(),
        holds |f| !f.has_type(|of| of.size() == 8),
        "no instruction of this device takes types of 64 bits; use two doublewords";
    Instruction Gen12 ["leg.type.64bit-gen12lp", "gen12.isa.op.no64"]
        about |f| f.is_data() && !f.is_ternary(),
        holds |f| !f.has_type(|of| of.size() == 8),
        "no instruction of this device takes types of 64 bits; use two doublewords";
    Source Gen12 ["leg.type.byte-src1-gen11", "gen12.isa.op.byte-src1"]
        about |f, s| f.is_data() && s.index > 0 && !s.is_null(),
        holds |_, s| s.data_type.size() > 1,
        "only src0 can be of bytes; use a mov first";
    Destination FromGen7 ["leg.type.vec-imm-dst-align", "gen7.imm.vector-dst-align"]
        about |f, d| has_vector(f, is_vector) && !d.is_null(),
        holds |_, d| d.subregister() % 16 == 0,
        "with a vector immediate the destination must start at a multiple of 16 bytes";
    Destination FromGen7 ["leg.type.vec-imm-dst-stride-vf", "gen7.imm.vector-dst-align"]
        about |f, d| has_vector(f, |of| of == DataType::Vf) && !d.is_null(),
        holds |_, d| d.step() == 4,
        "with a :vf immediate the elements of the destination must be 4 bytes apart";
    Destination FromGen7 ["leg.type.vec-imm-dst-stride-v", "gen7.imm.vector-dst-align"]
        about |f, d| has_vector(f, is_integer_vector) && !d.is_null(),
        holds |f, d| d.step() == 2 || !f.is_gen7() && are_dwords(d),
        "with a :v or :uv immediate the elements of the destination must be 2 bytes apart";
    Destination FromGen9 ["leg.type.vec-imm-dst-stride-v", "gen7.imm.vector-dst-align"]
        practice "gen9-vector-to-doublewords"
        about |f, d| has_vector(f, is_integer_vector) && !d.is_null(),
        holds |_, d| !are_dwords(d),
        "with a :v or :uv immediate the elements of the destination must be 2 bytes apart";
    Source FromGen7 ["leg.type.vec-imm-other-source"]
        about |f, s| has_vector(f, is_integer_vector) && !s.is_immediate(),
        holds |_, s| !s.data_type.is_float() && s.data_type.size() <= 2,
        "with a :v or :uv immediate the other source must be of words or bytes";
    Instruction FromGen7 ["leg.inst.mul-dword-operand", "gen7.isa.mul.order"]
        about |f| f.is_dword_product(),
        holds |f| f.source(0).is_some_and(|s| s.data_type.size() == 4),
        "the doubleword of a product must be src0; exchange the sources";
    Destination Gen7 ["leg.inst.mul-dst-f"]
        about |f, _| f.is_dword_product(),
        holds |_, d| !d.data_type.is_float(),
        "a product of doublewords cannot be written as :f; convert with a mov";
    Instruction FromGen9 ["leg.inst.mul-dword-operand"] of [Mul]
        about |f| f.reads(|s| is_dword(s.data_type)),
        holds |f| f.source(1).is_some_and(|s| !s.data_type.is_float()),
        "the doubleword of a product is multiplied by an integer";
}

/// Whether one of the sources is a vector immediate of some type.
fn has_vector(f: &Facts, wanted: fn(DataType) -> bool) -> bool {
    f.is_data() && f.reads(|s| s.is_immediate() && wanted(s.data_type))
}

pub(super) fn is_half_and_integer(f: &Facts) -> bool {
    f.has_type(|of| of == DataType::Hf) && f.has_type(|of| !of.is_float())
}

pub(super) fn is_vector(of: DataType) -> bool {
    is_integer_vector(of) || of == DataType::Vf
}

fn is_integer_vector(of: DataType) -> bool {
    matches!(of, DataType::V | DataType::Uv)
}

/// Whether its elements are integers that are doublewords apart.
fn are_dwords(d: &DestinationFacts) -> bool {
    d.step() == 4 && !d.data_type.is_float()
}

/// Rules by operations: `operation operation: "rule" "rule";`.
macro_rules! by_operation {
    ($($($opcode:ident)+: $($id:expr),+;)*) => {
        &[$((&[$(Opcode::$opcode),+], &[$(rule_id!($id)),+])),*]
    };
}

/// Operations, and rules about them.
type OfOperations = (&'static [Opcode], &'static [RuleId]);

/// Operations of Gen4 and Gen4.5 with the rule of their page about types (chapter 14).
macro_rules! pages {
    ($($opcode:ident $mnemonic:literal,)*) => {
        static PAGES: &[OfOperations] =
            by_operation! { $($opcode: concat!("g45.inst.", $mnemonic, ".types");)* };
    };
}

pages! {
    Add "add", And "and", Asr "asr", Avg "avg", Cmp "cmp", Cmpn "cmpn", Dp2 "dp2", Dp3 "dp3",
    Dp4 "dp4", Dph "dph", Frc "frc", Line "line", Lzd "lzd", Mac "mac", Mach "mach", Movi "movi",
    Mul "mul", Not "not", Or "or", Pln "pln", Rndd "rndd", Rnde "rnde", Rndu "rndu", Rndz "rndz",
    Sad2 "sad2", Sada2 "sada2", Shl "shl", Shr "shr", Xor "xor",
}

/// What makes a combination illegal, as the table words it, and the rule for that where there is one besides
/// that of the page.
macro_rules! reasons {
    ($($reason:ident $($opcode:ident)?: $($id:literal),+;)*) => {
        static REASONS: &[(&str, OfOperations)] =
            &[$(($reason, (&[$(Opcode::$opcode)?], &[$(rule_id!($id)),+]))),*];
    };
}

reasons! {
    FLOAT_AND_DWORD Add: "g45.inst.add.float-dword", "g45.inst.add.types";
    FLOAT_AND_DWORD Cmp: "g45.inst.cmp.float-dword", "g45.inst.cmp.types";
    FLOAT_AND_DWORD Cmpn: "g45.inst.cmpn.float-dword", "g45.inst.cmpn.types";
    FLOAT_AND_DWORD Mul: "g45.inst.mul.float-dword", "g45.inst.mul.types";
    NO_DWORD Mac: "g45.inst.mac.no-dword", "g45.inst.mac.types";
    FLOAT_FIRST Line: "g45.inst.line.src0-float", "g45.inst.line.types";
    NO_DWORD_SECOND Line: "g45.inst.line.src1-dword";
    NO_IMMEDIATE Pln: "g45.inst.pln.no-imm";
    ONLY_DWORDS Mach: "g45.inst.mach.dword-only", "g45.inst.mach.types";
    UD_TO_D Mach: "g45.inst.mach.d-dst";
    DWORD_SOURCE Lzd: "g45.inst.lzd.src-type", "g45.inst.lzd.types";
    REGISTER_SOURCE Lzd: "g45.inst.lzd.src-type", "g45.inst.lzd.types";
    VECTOR_AND_DWORD: "g45.dw1.v.needs-word-src0", "g45.exectype.v";
}

const FLOAT_AND_DWORD: &str = "dword integer source in float execution mode";
const NO_DWORD: &str = "dword integers not supported";
const FLOAT_FIRST: &str = "src0 must be float";
const NO_DWORD_SECOND: &str = "src1 cannot be a dword integer";
const NO_IMMEDIATE: &str = "no immediate form";
const ONLY_DWORDS: &str = "sources and destination must be dword integers";
const UD_TO_D: &str = "UD source with D destination may overflow 64 bits";
const DWORD_SOURCE: &str = "source must be a dword integer";
const REGISTER_SOURCE: &str = "both syntax lines show a register source";
const VECTOR_AND_DWORD: &str = "V immediate needs a byte or word src0 (packed-word mode)";

/// What is said of destinations where the page has a rule of its own.
static DESTINATIONS: &[OfOperations] = by_operation! {
    Mul: "g45.inst.mul.dword-no-float-dst";
    Mach: "g45.inst.mach.dword-only", "g45.inst.mach.types";
    Lzd: "g45.inst.lzd.dst-type";
};

/// The rules about an operation.
fn of_operation(all: &[OfOperations], opcode: Opcode) -> Option<&'static [RuleId]> {
    all.iter().find(|(opcodes, _)| opcodes.contains(&opcode)).map(|row| row.1)
}

/// Types as messages name them.
fn names(types: impl IntoIterator<Item = DataType>, separator: &str) -> String {
    let names: Vec<_> = types.into_iter().map(|of| format!(":{}", of.suffix())).collect();
    names.join(separator)
}

/// Holds the types of an instruction against the table of its generation.
pub(super) fn check(f: &Facts, violations: &mut Vec<Violation>) {
    let refused = if f.is_from_gen7() { refused_set(f) } else { refused_combination(f) };
    violations.extend(refused);
}

fn refused_combination(f: &Facts) -> Option<Violation> {
    let page = of_operation(PAGES, f.opcode)?;
    let (first, second, to) = (f.source(0)?, f.source(1), f.destination.as_ref()?.data_type);
    if first.is_immediate() && second.is_some() {
        return None;
    }
    let last = second.unwrap_or(first);
    let second = second.map(|source| source.data_type);
    let sources = (first.data_type, second, last.is_immediate());
    let all = form(f.device, f.opcode)?.combinations.iter();
    let rows: Vec<_> = all.filter(|c| (c.first, c.second, c.is_immediate) == sources).collect();
    // Types that no source of this kind can have break rules of their own.
    if rows.is_empty() || !codes::has_type(f.generation, TypeField::Register, to) {
        return None;
    }
    let stated = rows.iter().find(|row| row.destinations.contains(&to));
    let any = || rows.iter().find(|row| !row.is_legal && row.destinations.is_empty());
    let refused = |rules: &[RuleId], what: String| {
        Some(Violation::of(rules, format!("{} {what}", f.opcode.mnemonic())))
    };
    match stated.or_else(any) {
        Some(row) if row.is_legal => None,
        Some(Combination { qualifier: reason, .. }) => {
            let is_own = |(text, (opcodes, _)): &&(&str, OfOperations)| {
                text == reason && (opcodes.is_empty() || opcodes.contains(&f.opcode))
            };
            let types = names(f.sources().map(|s| s.data_type), " and ");
            refused(
                REASONS.iter().find(is_own).map_or(page, |row| row.1.1),
                format!("cannot take sources {types}: {reason}; convert with a mov first"),
            )
        }
        // A vector immediate fixes the distance of elements: the rule about that says so.
        None if last.data_type == DataType::V => None,
        None => {
            let allowed = rows.iter().filter(|row| row.is_legal).flat_map(|row| &row.destinations);
            let allowed = names(allowed.copied(), ", ");
            refused(
                of_operation(DESTINATIONS, f.opcode).unwrap_or(page),
                format!(
                    "of these sources cannot write the type of its destination; use {allowed}, and \
                     convert with a mov afterwards"
                ),
            )
        }
    }
}

/// Rules of other tables that say the same of an operation.
static ALSO: &[OfOperations] = by_operation! {
    Bfe Bfi1 Bfi2: "leg.inst.bfi2-types";
    Dp2 Dp3 Dp4 Dph: "leg.inst.dp-align";
    Line Pln: "leg.inst.line-pln-types";
    Addc Subb: "leg.inst.addc-subb";
    Sad2 Sada2: "leg.inst.sad2-exec";
    Avg: "leg.inst.avg-types", "gen9.isa.type.avg";
    Lzd: "leg.inst.lzd-types";
    Mach: "leg.inst.mach-types";
    Movi: "leg.inst.movi";
    Csel: "leg.inst.csel-types-gen9", "gen9.isa.op.csel-f-only", "leg.inst.csel-types-gen12";
    Mad: "leg.inst.mad-types-gen7", "leg.inst.mad-types-gen8", "leg.inst.mad-types-gen12";
    Dp4a: "leg.inst.dp4a";
    Rol Ror: "leg.inst.rot", "gen12.isa.op.rot-types";
    Lrp: "leg.inst.mad-types-gen7";
    Math: "leg.inst.math-idiv-types";
    F16to32: "leg.inst.f32to16-type", "gen7.isa.conv.f16to32-type";
    F32to16: "leg.inst.f32to16-type";
    Smov: "leg.inst.smov", "gen9.isa.op.smov-types";
};

/// The rules this module enforces besides those of its checks.
pub(super) fn rules() -> impl Iterator<Item = RuleId> {
    let sets = Device::LATER.into_iter().flat_map(forms);
    let sets = sets.flat_map(|form| &form.types).map(|row| row.rule);
    let reasons = REASONS.iter().map(|row| &row.1);
    let rows = PAGES.iter().chain(DESTINATIONS).chain(ALSO).chain(reasons);
    let rows = rows.flat_map(|row| row.1);
    rows.copied().chain(sets)
}

fn refused_set(f: &Facts) -> Option<Violation> {
    let rows = &form(f.device, f.opcode).filter(|_| f.is_data())?.types;
    let (first, to) = (rows.first()?, f.destination.as_ref()?);
    if rows.iter().any(|row| takes(row, f, to)) {
        return None;
    }
    let possible = rows.iter().filter(|row| takes_sources(row, f));
    let possible: Vec<_> =
        possible.map(|row| names(row.destination.iter().copied(), ", ")).collect();
    let help = match possible.as_slice() {
        [] => "it takes no such sources; convert with a mov first".to_owned(),
        all => format!("these make {}", all.join(", ")),
    };
    Some(Violation::naming(
        first.rule,
        of_operation(ALSO, f.opcode).unwrap_or_default().to_vec(),
        format!(
            "{} cannot make :{} of {}: {help}",
            f.opcode.mnemonic(),
            to.data_type.suffix(),
            names(f.sources().map(|s| s.data_type), " and "),
        ),
    ))
}

fn takes(row: &OperandTypes, f: &Facts, to: &DestinationFacts) -> bool {
    let is_open = to.is_null() && f.is_any(&[Opcode::Cmp, Opcode::Cmpn]);
    (is_open || row.destination.contains(&to.data_type)) && takes_sources(row, f)
}

fn takes_sources(row: &OperandTypes, f: &Facts) -> bool {
    let is_index = |source: &SourceFacts| f.opcode == Opcode::Smov && source.index == 1;
    f.sources().all(|source| {
        is_index(source) || row.of_source(source.index).contains(&expanded(source.data_type))
    })
}

/// What the elements of a vector immediate are.
fn expanded(of: DataType) -> DataType {
    match of {
        DataType::V => DataType::W,
        DataType::Uv => DataType::Uw,
        DataType::Vf => DataType::F,
        other => other,
    }
}
