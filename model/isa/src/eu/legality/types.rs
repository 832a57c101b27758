//! Which types an operation combines (chapter 14): the table `g45-type-combinations`.

use std::{collections::HashMap, sync::LazyLock};

use parallax_spec::{RuleId, rule_id, tables::eu::TypeCombination};

use super::{
    super::{
        codes::{self, TypeField},
        opcode::Opcode,
        types::DataType,
    },
    Facts, Violation,
};

/// Opcodes with the rule of their page about types.
macro_rules! pages {
    ($($opcode:ident $mnemonic:literal,)*) => {
        static PAGES: &[(Opcode, [RuleId; 1])] =
            &[$((Opcode::$opcode, [rule_id!(concat!("g45.inst.", $mnemonic, ".types"))]),)*];

        /// The rules this module enforces.
        pub(super) static RULES: &[RuleId] = &[
            $(rule_id!(concat!("g45.inst.", $mnemonic, ".types")),)*
            rule_id!("g45.inst.add.float-dword"),
            rule_id!("g45.inst.cmp.float-dword"),
            rule_id!("g45.inst.cmpn.float-dword"),
            rule_id!("g45.inst.mul.float-dword"),
            rule_id!("g45.inst.mul.dword-no-float-dst"),
            rule_id!("g45.inst.mac.no-dword"),
            rule_id!("g45.inst.line.src0-float"),
            rule_id!("g45.inst.line.src1-dword"),
            rule_id!("g45.inst.pln.no-imm"),
            rule_id!("g45.inst.mach.dword-only"),
            rule_id!("g45.inst.mach.d-dst"),
            rule_id!("g45.inst.lzd.src-type"),
            rule_id!("g45.inst.lzd.dst-type"),
            rule_id!("g45.dw1.v.needs-word-src0"),
            rule_id!("g45.exectype.v"),
        ];
    };
}

pages! {
    Add "add", And "and", Asr "asr", Avg "avg", Cmp "cmp", Cmpn "cmpn", Dp2 "dp2", Dp3 "dp3",
    Dp4 "dp4", Dph "dph", Frc "frc", Line "line", Lzd "lzd", Mac "mac", Mach "mach", Movi "movi", Mul "mul", Not "not", Or "or", Pln "pln", Rndd "rndd", Rnde "rnde", Rndu "rndu",
    Rndz "rndz", Sad2 "sad2", Sada2 "sada2", Shl "shl", Shr "shr",
    Xor "xor",
}

/// What makes a combination illegal, as the table words it, and the rule for that where the page
/// has one of its own.
static REASONS: &[(&str, Opcode, &[RuleId])] = &[
    (
        FLOAT_AND_DWORD,
        Opcode::Add,
        &[rule_id!("g45.inst.add.float-dword"), rule_id!("g45.inst.add.types")],
    ),
    (
        FLOAT_AND_DWORD,
        Opcode::Cmp,
        &[rule_id!("g45.inst.cmp.float-dword"), rule_id!("g45.inst.cmp.types")],
    ),
    (
        FLOAT_AND_DWORD,
        Opcode::Cmpn,
        &[rule_id!("g45.inst.cmpn.float-dword"), rule_id!("g45.inst.cmpn.types")],
    ),
    (
        FLOAT_AND_DWORD,
        Opcode::Mul,
        &[rule_id!("g45.inst.mul.float-dword"), rule_id!("g45.inst.mul.types")],
    ),
    (
        "dword integers not supported",
        Opcode::Mac,
        &[rule_id!("g45.inst.mac.no-dword"), rule_id!("g45.inst.mac.types")],
    ),
    (
        "src0 must be float",
        Opcode::Line,
        &[rule_id!("g45.inst.line.src0-float"), rule_id!("g45.inst.line.types")],
    ),
    ("src1 cannot be a dword integer", Opcode::Line, &[rule_id!("g45.inst.line.src1-dword")]),
    ("no immediate form", Opcode::Pln, &[rule_id!("g45.inst.pln.no-imm")]),
    (
        ONLY_DWORDS,
        Opcode::Mach,
        &[rule_id!("g45.inst.mach.dword-only"), rule_id!("g45.inst.mach.types")],
    ),
    (UD_TO_D, Opcode::Mach, &[rule_id!("g45.inst.mach.d-dst")]),
    ("source must be a dword integer", Opcode::Lzd, LZD_SOURCE),
    ("both syntax lines show a register source", Opcode::Lzd, LZD_SOURCE),
];

static LZD_SOURCE: &[RuleId] = &[rule_id!("g45.inst.lzd.src-type"), rule_id!("g45.inst.lzd.types")];

const FLOAT_AND_DWORD: &str = "dword integer source in float execution mode";
const ONLY_DWORDS: &str = "sources and destination must be dword integers";
const UD_TO_D: &str = "UD source with D destination may overflow 64 bits";
const VECTOR_AND_DWORD: &str = "V immediate needs a byte or word src0 (packed-word mode)";

/// Sources of an operation: types, and whether the last is an immediate.
type Key = (Opcode, DataType, Option<DataType>, bool);

/// One row of the table.
struct Combination {
    legal: bool,
    destinations: Vec<DataType>,
    qualifier: String,
}

/// The table by what stands in an instruction.
static COMBINATIONS: LazyLock<HashMap<Key, Vec<Combination>>> = LazyLock::new(|| {
    let mut combinations: HashMap<Key, Vec<Combination>> = HashMap::new();
    for row in TypeCombination::all() {
        let (Some(opcode), Some(first)) =
            (Opcode::of_mnemonic(&row.mnemonic), of_name(&row.src0_type))
        else {
            continue;
        };
        let key = (opcode, first, of_name(&row.src1_type), row.is_immediate());
        combinations.entry(key).or_default().push(Combination {
            legal: row.status == "allowed",
            destinations: row.destinations().filter_map(of_name).collect(),
            qualifier: row.qualifier,
        });
    }
    combinations
});

fn of_name(name: &str) -> Option<DataType> {
    DataType::of_suffix(&name.to_ascii_lowercase())
}

/// Holds the types of an instruction against the table.
pub(super) fn check(f: &Facts, violations: &mut Vec<Violation>) {
    let Some((_, page)) = PAGES.iter().find(|(opcode, _)| *opcode == f.opcode) else { return };
    let (Some(first), Some(destination)) = (f.source(0), &f.destination) else { return };
    let second = f.source(1);
    if first.is_immediate() && second.is_some() {
        return;
    }
    let last = second.unwrap_or(first);
    let types = (first.data_type, second.map(|source| source.data_type));
    let Some(rows) = COMBINATIONS.get(&(f.opcode, types.0, types.1, last.is_immediate())) else {
        // Types that no source of this kind can have break rules of their own.
        return;
    };
    let to = destination.data_type;
    if !codes::has_type(f.generation, TypeField::Register, to) {
        return;
    }
    let mentions = |row: &&Combination| row.destinations.contains(&to);
    match rows.iter().find(mentions) {
        Some(row) if row.legal => {}
        Some(row) => violations.push(sources_refused(f, page, &row.qualifier)),
        None => match rows.iter().find(|row| !row.legal && row.destinations.is_empty()) {
            Some(row) => violations.push(sources_refused(f, page, &row.qualifier)),
            // A vector immediate fixes the distance of elements: the rule about that says so.
            None if last.data_type == DataType::V => {}
            None => violations.push(destination_refused(f, page, rows)),
        },
    }
}

fn sources_refused(f: &Facts, page: &'static [RuleId], reason: &str) -> Violation {
    let own = REASONS.iter().find(|(text, opcode, _)| *text == reason && *opcode == f.opcode);
    let rules = match own {
        Some((.., rules)) => rules,
        None if reason == VECTOR_AND_DWORD => VECTOR_RULES,
        None => page,
    };
    let types: Vec<_> = f.sources().map(|s| format!(":{}", s.data_type.suffix())).collect();
    violation(
        rules,
        format!(
            "{} cannot take sources {}: {reason}; convert with a mov first",
            f.opcode.mnemonic(),
            types.join(" and "),
        ),
    )
}

static VECTOR_RULES: &[RuleId] =
    &[rule_id!("g45.dw1.v.needs-word-src0"), rule_id!("g45.exectype.v")];

fn destination_refused(f: &Facts, page: &'static [RuleId], rows: &[Combination]) -> Violation {
    let allowed: Vec<_> = rows
        .iter()
        .filter(|row| row.legal)
        .flat_map(|row| &row.destinations)
        .map(|data_type| format!(":{}", data_type.suffix()))
        .collect();
    let rules = match f.opcode {
        Opcode::Mul => MUL_FLOAT_DESTINATION,
        Opcode::Mach => MACH_DESTINATION,
        Opcode::Lzd => LZD_DESTINATION,
        _ => page,
    };
    violation(
        rules,
        format!(
            "{} of these sources cannot write the type of its destination; use {}, and convert with \
         a mov afterwards",
            f.opcode.mnemonic(),
            allowed.join(", "),
        ),
    )
}

static MUL_FLOAT_DESTINATION: &[RuleId] = &[rule_id!("g45.inst.mul.dword-no-float-dst")];
static LZD_DESTINATION: &[RuleId] = &[rule_id!("g45.inst.lzd.dst-type")];
static MACH_DESTINATION: &[RuleId] =
    &[rule_id!("g45.inst.mach.dword-only"), rule_id!("g45.inst.mach.types")];

fn violation(rules: &'static [RuleId], message: String) -> Violation {
    Violation::of(rules, message)
}
