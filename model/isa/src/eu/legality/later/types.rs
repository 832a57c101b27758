//! Which types an operation combines: the table `eu-operand-types`, and types that do not meet.

use std::{collections::HashMap, sync::LazyLock};

use parallax_spec::{
    RuleId, family,
    tables::eu::{OperandTypes, operand_types},
};

use super::{
    super::super::{opcode::Opcode, types::DataType},
    Check, DestinationFacts, Facts, SourceFacts, Violation, checks,
    encoding::is_vector,
    exists,
    facts::is_dword,
};

checks! {
    All Instruction ["leg.type.int-float-mix"]
        about |f| f.is_data() && f.sources().count() == 2 && f.opcode != Opcode::Smov,
        holds |f| {
            let mut kinds = f.sources().map(|s| s.data_type.is_float());
            let first = kinds.next();
            kinds.all(|kind| Some(kind) == first)
        },
        "float and integer sources do not mix; convert with a mov";
    Both Instruction ["leg.type.byte-64bit", "gen9.isa.conv.mov-df-b"]
        about |f| f.is_data() && f.has_type(|of| of.size() == 1),
        holds |f| !f.has_type(|of| of.size() == 8),
        "bytes and 64-bit types do not convert to each other; go through a word or doubleword";
    Gen9 Instruction ["leg.type.hf-64bit", "gen9.isa.conv.mov-df-hf"]
        about |f| f.is_data() && f.has_type(|of| of == DataType::Hf),
        holds |f| !f.has_type(|of| of.size() == 8),
        "half precision and 64-bit types do not convert to each other; go through :f";
    FromGen9 Destination ["leg.type.hf-int-stride", "gen9.isa.conv.hf-stride"]
        about |f, d| f.is_data() && !f.is_align16() && is_half_and_integer(f)
            && !d.is_null() && d.data_type.size() <= 4,
        holds |_, d| d.step() == 4 && d.subregister() % 4 == 0,
        "between half precision and integers the elements of the destination must be doublewords \
         apart and start at one";
    FromGen9 Destination ["leg.type.f-hf-stride"]
        about |f, d| f.opcode == Opcode::Mov && !f.is_align16() && d.data_type == DataType::Hf
            && !d.is_null() && f.execution == DataType::F,
        holds |_, d| d.stride() == 2 || d.stride() == 1 && d.subregister() % 16 == 0,
        "half precision from :f must have stride 2, or be packed and start at a multiple of 16 bytes";
    Gen12 Instruction ["leg.type.64bit-gen12lp", "gen12.isa.op.no64", "gen12.isa.enc.ternary-q"]
        about |f| f.is_ternary(),
        holds |f| !f.has_type(|of| of.size() == 8),
        "no instruction of this device takes types of 64 bits; use two doublewords";
    Gen12 Instruction ["leg.type.64bit-gen12lp", "gen12.isa.op.no64"]
        about |f| f.is_data() && !f.is_ternary(),
        holds |f| !f.has_type(|of| of.size() == 8),
        "no instruction of this device takes types of 64 bits; use two doublewords";
    Gen12 Source ["leg.type.byte-src1-gen11", "gen12.isa.op.byte-src1"]
        about |f, s| f.is_data() && s.index > 0 && !s.is_null(),
        holds |_, s| s.data_type.size() > 1,
        "only src0 can be of bytes; use a mov first";
    All Destination ["leg.type.vec-imm-dst-align", "gen7.imm.vector-dst-align"]
        about |f, d| has_vector(f, is_vector) && !d.is_null(),
        holds |_, d| d.subregister() % 16 == 0,
        "with a vector immediate the destination must start at a multiple of 16 bytes";
    All Destination ["leg.type.vec-imm-dst-stride-vf", "gen7.imm.vector-dst-align"]
        about |f, d| has_vector(f, |of| of == DataType::Vf) && !d.is_null(),
        holds |_, d| d.step() == 4,
        "with a :vf immediate the elements of the destination must be 4 bytes apart";
    Gen7 Destination ["leg.type.vec-imm-dst-stride-v", "gen7.imm.vector-dst-align"]
        about |f, d| has_vector(f, |of| matches!(of, DataType::V | DataType::Uv)) && !d.is_null(),
        holds |_, d| d.step() == 2,
        "with a :v or :uv immediate the elements of the destination must be 2 bytes apart";
    FromGen9 Destination ["leg.type.vec-imm-dst-stride-v", "gen7.imm.vector-dst-align"]
        about |f, d| has_vector(f, |of| matches!(of, DataType::V | DataType::Uv)) && !d.is_null(),
        holds |_, d| d.step() == 2 || d.step() == 4 && !d.data_type.is_float(),
        "with a :v or :uv immediate the elements of the destination must be 2 bytes apart";
    FromGen9 Destination ["leg.type.vec-imm-dst-stride-v", "gen7.imm.vector-dst-align"]
        practice "gen9-vector-to-doublewords"
        about |f, d| has_vector(f, |of| matches!(of, DataType::V | DataType::Uv)) && !d.is_null(),
        holds |_, d| d.step() != 4 || d.data_type.is_float(),
        "with a :v or :uv immediate the elements of the destination must be 2 bytes apart";
    All Source ["leg.type.vec-imm-other-source"]
        about |f, s| has_vector(f, |of| matches!(of, DataType::V | DataType::Uv))
            && !s.is_immediate(),
        holds |_, s| !s.data_type.is_float() && s.data_type.size() <= 2,
        "with a :v or :uv immediate the other source must be of words or bytes";
    All Instruction ["leg.inst.mul-dword-operand", "gen7.isa.mul.order"]
        about |f| f.is_dword_product(),
        holds |f| f.source(0).is_some_and(|s| s.data_type.size() == 4),
        "the doubleword of a product must be src0; exchange the sources";
    Gen7 Destination ["leg.inst.mul-dst-f"]
        about |f, _| f.is_dword_product(),
        holds |_, d| !d.data_type.is_float(),
        "a product of doublewords cannot be written as :f; convert with a mov";
    FromGen9 Instruction ["leg.inst.mul-dword-operand"]
        about |f| f.opcode == Opcode::Mul && f.sources().any(|s| is_dword(s.data_type)),
        holds |f| f.source(1).is_some_and(|s| !s.data_type.is_float()),
        "the doubleword of a product is multiplied by an integer";
}

/// Whether one of the sources is a vector immediate of some type.
fn has_vector(f: &Facts, wanted: fn(DataType) -> bool) -> bool {
    f.is_data() && f.sources().any(|s| s.is_immediate() && wanted(s.data_type))
}

pub(super) fn is_half_and_integer(f: &Facts) -> bool {
    f.has_type(|of| of == DataType::Hf) && f.has_type(|of| !of.is_float())
}

/// A row of the table.
struct Combination {
    rule: RuleId,
    destinations: Vec<DataType>,
    sources: [Vec<DataType>; 2],
}

static COMBINATIONS: LazyLock<HashMap<(String, Opcode), Vec<Combination>>> = LazyLock::new(|| {
    let mut combinations: HashMap<_, Vec<Combination>> = HashMap::new();
    for row in operand_types() {
        let Some(opcode) = Opcode::of_mnemonic(&row.mnemonic) else { continue };
        let of_names = |names: &str| -> Vec<DataType> {
            let name = |name: &str| DataType::of_suffix(&name.to_ascii_lowercase());
            names.split('/').filter_map(name).collect()
        };
        let OperandTypes { destination, src0, src1, rule, .. } = &row;
        combinations.entry((row.generation.clone(), opcode)).or_default().push(Combination {
            rule: family::rule(rule),
            destinations: of_names(destination),
            sources: [of_names(src0), of_names(src1)],
        });
    }
    combinations
});

/// Rules of other tables that say the same of an operation.
static ALSO: &[(Opcode, &[RuleId])] = {
    use Opcode::*;
    use parallax_spec::rule_id;
    const BIT_FIELD: &[RuleId] = &[rule_id!("leg.inst.bfi2-types")];
    const DOT: &[RuleId] = &[rule_id!("leg.inst.dp-align")];
    const PLANE: &[RuleId] = &[rule_id!("leg.inst.line-pln-types")];
    const CARRY: &[RuleId] = &[rule_id!("leg.inst.addc-subb")];
    const SAD: &[RuleId] = &[rule_id!("leg.inst.sad2-exec")];
    &[
        (Bfe, BIT_FIELD),
        (Bfi1, BIT_FIELD),
        (Bfi2, BIT_FIELD),
        (Dp2, DOT),
        (Dp3, DOT),
        (Dp4, DOT),
        (Dph, DOT),
        (Line, PLANE),
        (Pln, PLANE),
        (Addc, CARRY),
        (Subb, CARRY),
        (Sad2, SAD),
        (Sada2, SAD),
        (Avg, &[rule_id!("leg.inst.avg-types"), rule_id!("gen9.isa.type.avg")]),
        (Lzd, &[rule_id!("leg.inst.lzd-types")]),
        (Mach, &[rule_id!("leg.inst.mach-types")]),
        (Movi, &[rule_id!("leg.inst.movi")]),
        (Csel, &[rule_id!("leg.inst.csel-types-gen9"), rule_id!("gen9.isa.op.csel-f-only")]),
        (Csel, &[rule_id!("leg.inst.csel-types-gen12")]),
        (
            Mad,
            &[
                rule_id!("leg.inst.mad-types-gen7"),
                rule_id!("leg.inst.mad-types-gen8"),
                rule_id!("leg.inst.mad-types-gen12"),
            ],
        ),
        (Dp4a, &[rule_id!("leg.inst.dp4a")]),
        (Rol, &[rule_id!("leg.inst.rot"), rule_id!("gen12.isa.op.rot-types")]),
        (Ror, &[rule_id!("leg.inst.rot"), rule_id!("gen12.isa.op.rot-types")]),
        (Lrp, &[rule_id!("leg.inst.mad-types-gen7")]),
        (Math, &[rule_id!("leg.inst.math-idiv-types")]),
        (F16to32, &[rule_id!("leg.inst.f32to16-type"), rule_id!("gen7.isa.conv.f16to32-type")]),
        (F32to16, &[rule_id!("leg.inst.f32to16-type")]),
        (Smov, &[rule_id!("leg.inst.smov"), rule_id!("gen9.isa.op.smov-types")]),
    ]
};

/// The rules this module enforces besides those of its checks.
pub(super) fn rules() -> impl Iterator<Item = RuleId> {
    let tables =
        COMBINATIONS.iter().filter(|((generation, opcode), _)| exists(generation, *opcode));
    let tables = tables.flat_map(|(_, rows)| rows).map(|row| row.rule);
    tables.chain(ALSO.iter().flat_map(|(_, rules)| rules.iter().copied()))
}

/// Holds the types of an instruction against the table.
pub(super) fn check(f: &Facts, violations: &mut Vec<Violation>) {
    if !f.is_data() {
        return;
    }
    let key = (f.generation.name().to_owned(), f.opcode);
    let (Some(rows), Some(to)) = (COMBINATIONS.get(&key), &f.destination) else { return };
    if rows.iter().any(|row| row.takes(f, to)) {
        return;
    }
    let types: Vec<_> = f.sources().map(|s| format!(":{}", s.data_type.suffix())).collect();
    let possible: Vec<_> = rows.iter().filter(|row| row.takes_sources(f)).collect();
    let names = |types: &[DataType]| {
        let names: Vec<_> = types.iter().map(|of| format!(":{}", of.suffix())).collect();
        names.join(", ")
    };
    let help = match possible.as_slice() {
        [] => "it takes no such sources; convert with a mov first".to_owned(),
        rows => {
            let all: Vec<_> = rows.iter().map(|row| names(&row.destinations)).collect();
            format!("these make {}", all.join(", "))
        }
    };
    let also = ALSO.iter().filter(|(opcode, _)| *opcode == f.opcode).flat_map(|row| row.1);
    violations.push(Violation::naming(
        rows[0].rule,
        also.copied().collect(),
        format!(
            "{} cannot make :{} of {}: {help}",
            f.opcode.mnemonic(),
            to.data_type.suffix(),
            types.join(" and "),
        ),
    ));
}

impl Combination {
    fn takes(&self, f: &Facts, to: &DestinationFacts) -> bool {
        let is_open = to.is_null() && f.is_comparison();
        (is_open || self.destinations.contains(&to.data_type)) && self.takes_sources(f)
    }

    fn takes_sources(&self, f: &Facts) -> bool {
        let is_index = |source: &SourceFacts| f.opcode == Opcode::Smov && source.index == 1;
        let takes = |source: &SourceFacts| {
            let types = &self.sources[usize::from(source.index > 0)];
            is_index(source) || types.contains(&expanded(source.data_type))
        };
        f.sources().all(takes)
    }
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
