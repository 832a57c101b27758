//! The operations of Gen7 and later that work on data: what types they take, and what an instruction
//! may have besides (catalogue `eu-later-gens`, rules `gen7.isa.types.*`, `gen7.isa.mods.*` and those of
//! Gen9 and Gen12).

use std::sync::LazyLock;

use parallax_isa::{
    Device,
    device::Generation,
    eu::{DataType, Opcode},
};

/// An operation and what generated instructions of it can have.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) opcode: Opcode,
    /// How often it is chosen.
    weight: usize,
    pub(super) sources: usize,
    /// Types on Gen7, Gen9 and Gen12: `destination<sources`, by names and names of sets.
    types: [&'static str; 3],
    pub(super) condition: bool,
    pub(super) saturate: bool,
    pub(super) modifiers: bool,
    pub(super) predicate: bool,
}

/// `c`: conditional modifier, `s`: saturate, `m`: source modifiers, `p`: predicate.
const fn row(
    opcode: Opcode,
    weight: usize,
    sources: usize,
    types: [&'static str; 3],
    can: &str,
) -> Row {
    Row {
        opcode,
        weight,
        sources,
        types,
        condition: has(can, b'c'),
        saturate: has(can, b's'),
        modifiers: has(can, b'm'),
        predicate: has(can, b'p'),
    }
}

const fn has(text: &str, letter: u8) -> bool {
    let mut n = 0;
    while n < text.len() {
        if text.as_bytes()[n] == letter {
            return true;
        }
        n += 1;
    }
    false
}

/// Integers of up to 32 bits; of Gen9 besides 64 bits together with what is no byte, each operand of its own type.
const INTEGERS: [&str; 3] =
    ["int<int", "int<int medium<medium wide<wide quad<wide quad<quad", "int<int"];
const F: [&str; 3] = ["f<f"; 3];
const UD: [&str; 3] = ["ud<ud"; 3];
const DWORDS: [&str; 3] = ["ud<ud d<d"; 3];

const MOVI: &str = "b<b ub<ub w<w uw<uw d<d ud<ud f<f";
const BYTE_SUMS: &str = "word<byte";
const LZD: &str = "ud<ud ud<d";

static ROWS: &[Row] = {
    use Opcode::*;
    &[
        row(
            Mov,
            12,
            1,
            [
                "int<int f<int int<f f<f df<word df<dword df<f word<df dword<df f<df df<df",
                "int<int f<int int<f f<f df<word df<dword df<f word<df dword<df f<df df<df \
                 medium<medium wide<wide quad<wide quad<quad quad<f quad<df f<quad df<quad hf<int hf<f int<hf f<hf hf<hf",
                "int<int f<int int<f f<f hf<int hf<f int<hf f<hf hf<hf",
            ],
            "csmp",
        ),
        row(
            Sel,
            6,
            2,
            [
                "int<int f<f f<f df<df",
                "int<int f<f df<df medium<medium wide<wide quad<wide quad<quad hf<hf float<float",
                "int<int f<f f<f hf<hf float<float",
            ],
            "smp",
        ),
        row(Movi, 2, 1, [MOVI, MOVI, "d<d ud<ud f<f"], "smp"),
        row(Not, 3, 1, INTEGERS, "cmp"),
        row(And, 3, 2, INTEGERS, "cmp"),
        row(Or, 3, 2, INTEGERS, "cmp"),
        row(Xor, 3, 2, INTEGERS, "cmp"),
        row(
            Shr,
            4,
            2,
            [
                "unsigned<unsigned",
                "unsigned<unsigned int<unsigned,int wide<wide+,wide quad<wide+,wide wide<uq,wide",
                "unsigned<unsigned int<unsigned,int dword<unsigned,int",
            ],
            "csmp",
        ),
        row(Shl, 4, 2, INTEGERS, "csmp"),
        row(Asr, 4, 2, INTEGERS, "csmp"),
        row(
            Cmp,
            8,
            2,
            [
                "int<int f<int f<f f<f df<df",
                "int<int f<int f<f df<df hf<hf hf<int medium<medium wide<wide quad<wide quad<quad float<float",
                "int<int f<f f<f hf<hf f<float hf<float",
            ],
            "cmp",
        ),
        row(
            Cmpn,
            4,
            2,
            [
                "int<int f<int f<f f<f df<df",
                "int<int f<int f<f df<df hf<hf float<float",
                "int<int f<f f<f hf<hf",
            ],
            "cmp",
        ),
        row(
            Add,
            10,
            2,
            [
                "int<int f<int f<f f<f f<f df<df",
                "int<int f<int f<f f<f df<df hf<hf hf<int medium<medium wide<wide quad<wide quad<quad float<float",
                "int<int f<int f<f f<f hf<hf hf<int",
            ],
            "csmp",
        ),
        row(
            Mul,
            12,
            2,
            [
                "byte<byte word<byte dword<byte word<word dword<word dword<dword dword<dword,word \
                 f<f f<f f<f df<df df<df",
                "byte<byte word<byte dword<byte word<word dword<word dword<dword dword<dword,word \
                 quad<dword f<f f<f f<f df<df df<df hf<hf hf<hf float<float float<float",
                "word<word dword<word dword<dword,word word<byte,word dword<byte,word \
                 f<f f<f f<f hf<hf float<float",
            ],
            "csmp",
        ),
        row(Avg, 3, 2, ["int<int"; 3], "csmp"),
        row(Frc, 3, 1, F, "cmp"),
        row(Rndu, 3, 1, F, "csmp"),
        row(Rndd, 3, 1, F, "csmp"),
        row(Rnde, 3, 1, F, "csmp"),
        row(Rndz, 3, 1, F, "csmp"),
        row(
            Mac,
            6,
            2,
            [
                "int<byte+ f<f f<f df<df",
                "int<byte+ f<f f<f df<df hf<hf float<float",
                "int<word f<f f<f hf<hf",
            ],
            "csmp",
        ),
        row(Mach, 5, 2, DWORDS, "smp"),
        row(Lzd, 3, 1, [LZD, LZD, "ud<int"], "cmp"),
        row(Fbh, 3, 1, [LZD; 3], "p"),
        row(Fbl, 3, 1, ["ud<ud", "ud<ud", "ud<ud ud<uw"], "p"),
        row(Cbit, 3, 1, ["ud<unsigned"; 3], "p"),
        row(Bfrev, 3, 1, ["ud<ud", "dword<dword", "dword<dword"], "p"),
        row(Bfi1, 3, 2, DWORDS, "p"),
        row(Bfe, 3, 3, DWORDS, "p"),
        row(Bfi2, 3, 3, DWORDS, "p"),
        row(Addc, 3, 2, ["ud<ud", "ud<ud", "ud<ud ud<ud,word"], "cp"),
        row(Subb, 3, 2, UD, "cp"),
        row(Sad2, 2, 2, [BYTE_SUMS; 3], "csmp"),
        row(Sada2, 2, 2, [BYTE_SUMS; 3], "csmp"),
        row(Dp4, 3, 2, F, "csmp"),
        row(Dph, 3, 2, F, "csmp"),
        row(Dp3, 3, 2, F, "csmp"),
        row(Dp2, 3, 2, F, "csmp"),
        row(Line, 3, 2, F, "csmp"),
        row(Pln, 3, 2, F, "csp"),
        row(Lrp, 3, 3, F, "csmp"),
        row(
            Mad,
            8,
            3,
            [
                "f<f f<f df<df",
                "f<f f<f df<df hf<hf float<float",
                "f<f f<f hf<hf word<word dword<word dword<dword,word",
            ],
            "csmp",
        ),
        row(Csel, 4, 3, ["f<f", "f<f", "f<f f<f hf<hf dword<dword word<word"], "csm"),
        row(Dp4a, 40, 3, ["", "", "dword<dword"], "csp"),
        row(F32to16, 4, 1, ["w<f", "", ""], "csmp"),
        row(F16to32, 4, 1, ["f<w", "", ""], "csmp"),
        row(Rol, 4, 2, ["", "", "uw<uw,medium ud<ud,medium"], "cp"),
        row(Ror, 4, 2, ["", "", "uw<uw,medium ud<ud,medium"], "cp"),
    ]
};

/// The types of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Types {
    pub(super) destination: DataType,
    pub(super) sources: [DataType; 3],
}

/// A row with the types it has in a generation, each combination once.
#[derive(Debug, Clone)]
pub(in crate::eu::generate) struct Operation {
    pub(super) row: &'static Row,
    /// Combinations, in groups of the same row text: a group is as likely as any other.
    pub(super) types: Vec<Vec<Types>>,
}

impl Operation {
    pub(in crate::eu::generate) fn opcode(&self) -> Opcode {
        self.row.opcode
    }
}

/// The operations of Gen7, Gen9 and Gen12, each as often as its weight says.
static OPERATIONS: LazyLock<[Vec<Operation>; 3]> =
    LazyLock::new(|| [0, 1, 2].map(|column| operations(column, false)));

/// Those of Gen12 with `dp4a`, which the document of DG1 does not list.
static WITH_DP4A: LazyLock<Vec<Operation>> = LazyLock::new(|| operations(2, true));

fn operations(column: usize, has_dp4a: bool) -> Vec<Operation> {
    let device = Device::LATER[column];
    let has = |row: &&Row| row.opcode.code(device).is_some();
    let existing = ROWS.iter().filter(has).filter(|row| has_dp4a || row.opcode != Opcode::Dp4a);
    let weighted = existing.flat_map(|row| std::iter::repeat_n(row, row.weight));
    weighted
        .map(|row| {
            let groups = row.types[column].split_ascii_whitespace();
            let mut types: Vec<_> = groups.map(|group| combinations(row.sources, group)).collect();
            if device.generation() >= Some(Generation::Gen12) {
                // `gen12.isa.op.byte-src1`.
                let later_byte = |of: &DataType| of.size() == 1;
                for group in &mut types {
                    group.retain(|types| !types.sources[1..].iter().any(later_byte));
                }
            }
            Operation { row, types }
        })
        .collect()
}

/// The operations of a device.
pub(in crate::eu::generate) fn operations_of(device: Device) -> &'static [Operation] {
    let column = Device::LATER.iter().position(|later| *later == device);
    &OPERATIONS[column.unwrap_or_default()]
}

/// Those of some operations that an engine has, with the types that it has, by mnemonic, destination and sources.
pub(in crate::eu::generate) fn operations_within(
    operations: &[Operation],
    has: &dyn Fn(Opcode, DataType, &[DataType]) -> bool,
) -> Vec<Operation> {
    let mut operations = operations.to_vec();
    for Operation { row, types } in &mut operations {
        for group in &mut *types {
            group.retain(|Types { destination, sources }| {
                has(row.opcode, *destination, &sources[..row.sources])
            });
        }
        types.retain(|group| !group.is_empty());
    }
    operations.retain(|operation| !operation.types.is_empty());
    operations
}

/// Operations with their types, first that of the destination.
pub(in crate::eu::generate) fn typed(operations: &[Operation]) -> Vec<(Opcode, Vec<DataType>)> {
    let of = |Operation { row, types }: &Operation| {
        let types = types.iter().flatten();
        let typed = |types: &Types| [&[types.destination], &types.sources[..row.sources]].concat();
        types.map(|types| (row.opcode, typed(types))).collect::<Vec<_>>()
    };
    operations.iter().flat_map(of).collect()
}

/// The operations of Gen12, `dp4a` among them.
pub(in crate::eu::generate) fn operations_with_dp4a() -> &'static [Operation] {
    &WITH_DP4A
}

/// The mnemonics of a device.
#[cfg(test)]
pub(super) fn opcodes(device: Device) -> impl Iterator<Item = &'static str> {
    let existing = ROWS.iter().filter(move |row| row.opcode.code(device).is_some());
    existing.map(|row| row.opcode.mnemonic())
}

/// Every combination that a text like `int<dword,word` stands for.
fn combinations(count: usize, text: &str) -> Vec<Types> {
    let (destinations, sources) = text.split_once('<').expect("a destination and sources");
    let (first, others) = sources.split_once(',').unwrap_or((sources, sources));
    let one = &[DataType::Ud][..];
    let second = if count > 1 { of_set(others) } else { one };
    let third = if count > 2 { of_set(others) } else { one };
    let mut all = Vec::new();
    for &destination in of_set(destinations) {
        for &a in of_set(first) {
            for &b in second {
                for &c in third {
                    all.push(Types { destination, sources: [a, b, c] });
                }
            }
        }
    }
    all
}

/// The types that a name stands for.
fn of_set(name: &str) -> &'static [DataType] {
    use DataType::*;
    match name {
        "int" => &[Ub, B, Uw, W, Ud, D, Ud, D],
        "medium" => &[Uw, W, Ud, D],
        "wide" => &[Uw, W, Ud, D, Uq, Q],
        "wide+" => &[Uw, Ud, Uq],
        "byte" => &[Ub, B],
        "byte+" => &[Ub, B, Uw, W],
        "word" => &[Uw, W],
        "dword" => &[Ud, D],
        "quad" => &[Uq, Q],
        "unsigned" => &[Ub, Uw, Ud],
        "uq" => &[Uq],
        "float" => &[F, Hf],
        "b" => &[B],
        "ub" => &[Ub],
        "w" => &[W],
        "uw" => &[Uw],
        "d" => &[D],
        "ud" => &[Ud],
        "f" => &[F],
        "hf" => &[Hf],
        "df" => &[Df],
        _ => panic!("no type or set of types `{name}`"),
    }
}

/// What an instruction of these types computes in: that of the sources, bytes as words; single
/// precision where that and half precision meet (rules `gen9.isa.exec.*`).
pub(super) fn execution_type(types: &Types, sources: usize) -> DataType {
    use DataType::*;
    let all = &types.sources[..sources];
    let has = |wanted: DataType| all.contains(&wanted);
    if has(Df) {
        Df
    } else if has(F) || has(Vf) || has(Hf) && types.destination == F {
        F
    } else if has(Hf) {
        Hf
    } else if all.iter().any(|source| source.size() == 8) {
        Q
    } else if all.iter().any(|source| source.size() == 4) {
        D
    } else {
        W
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_types() {
        for device in Device::LATER {
            for operation in operations_of(device) {
                assert!(!operation.types.is_empty(), "{:?}", operation.row.opcode);
                assert!(operation.types.iter().all(|group| !group.is_empty()));
            }
        }
    }
}
