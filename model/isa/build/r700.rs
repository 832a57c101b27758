//! R700: microcode formats, ALU, control-flow and fetch opcodes.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use parallax_spec::tables::r700::{AluOpcode, CfOpcode, FetchOpcode, MicrocodeField, Slot};

/// The instruction formats: type, what it is, the words it consists of. Words of 128-bit instructions
/// leave the fourth dword to padding.
const FORMATS: [(&str, usize, &str, &[&str]); 12] = [
    (
        "CfWord",
        2,
        "A control-flow instruction that is neither an ALU clause nor an export",
        &["CF_WORD0", "CF_WORD1"],
    ),
    (
        "CfAluWord",
        2,
        "A control-flow instruction that runs an ALU clause",
        &["CF_ALU_WORD0", "CF_ALU_WORD1"],
    ),
    ("ExportSwizzle", 2, "An export", &["CF_ALLOC_EXPORT_WORD0", "CF_ALLOC_EXPORT_WORD1_SWIZ"]),
    ("ExportBuffer", 2, "A memory write", &["CF_ALLOC_EXPORT_WORD0", "CF_ALLOC_EXPORT_WORD1_BUF"]),
    ("AluOp2", 2, "An ALU instruction of at most two sources", &["ALU_WORD0", "ALU_WORD1_OP2"]),
    ("AluOp3", 2, "An ALU instruction of three sources", &["ALU_WORD0", "ALU_WORD1_OP3"]),
    (
        "VertexFetch",
        4,
        "A vertex fetch into a named register",
        &["VTX_WORD0", "VTX_WORD1_GPR", "VTX_WORD2"],
    ),
    (
        "SemanticFetch",
        4,
        "A vertex fetch into the register that the semantic table names",
        &["VTX_WORD0", "VTX_WORD1_SEM", "VTX_WORD2"],
    ),
    ("TextureFetch", 4, "A texture instruction", &["TEX_WORD0", "TEX_WORD1", "TEX_WORD2"]),
    (
        "MemoryRead",
        4,
        "A read of scratch, reduction or scatter memory",
        &["MEM_RD_WORD0", "MEM_RD_WORD1", "MEM_RD_WORD2"],
    ),
    (
        "LocalWrite",
        4,
        "A local data share write",
        &["MEM_DSW_WORD0", "MEM_DSW_WORD1", "MEM_DSW_WORD2"],
    ),
    (
        "LocalRead",
        4,
        "A local data share read",
        &["MEM_DSR_WORD0", "MEM_DSR_WORD1", "MEM_DSR_WORD2"],
    ),
];

/// Writes `r700_microcode.rs` and `r700_opcodes.rs`.
pub(crate) fn generate(out: &Path) {
    let write = |name: &str, code: String| {
        fs::write(out.join(name), code).expect("OUT_DIR is writable");
    };
    write("r700_microcode.rs", microcode());
    write("r700_opcodes.rs", alu_opcodes() + &cf_opcodes() + &fetch_opcodes());
}

macro_rules! line {
    ($code:ident, $($text:tt)*) => {
        writeln!($code, $($text)*).expect("writing to a string")
    };
}

/// `formats! { … }`: per format its fields from the least significant bit up.
fn microcode() -> String {
    let rows = MicrocodeField::all();
    let mut code = String::from("formats! {\n");
    for (format, dwords, what, words) in FORMATS {
        let names: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
        line!(code, "/// {what}: {}.", names.join(", "));
        line!(code, "{format} {dwords} {{");
        for word in words {
            assert!(rows.iter().any(|row| row.word == *word), "there is no microcode word {word}");
            for row in rows.iter().filter(|row| row.word == *word && !row.is_reserved()) {
                let (high, low) = row.bits();
                let getter = match row.name.as_str() {
                    "TYPE" => "kind".to_owned(),
                    name => name.to_lowercase(),
                };
                let MicrocodeField { name, dword, .. } = row;
                line!(code, "{name} {getter} {word:?} {dword} {high} {low};");
            }
        }
        line!(code, "}}");
    }
    code + "}\n"
}

/// `MUL_IEEE` as a variant's name: `MulIeee`.
fn variant(mnemonic: &str) -> String {
    let word = |word: &str| word[..1].to_owned() + &word[1..].to_lowercase();
    mnemonic.split('_').map(word).collect()
}

/// `alu_opcodes! { … }`.
fn alu_opcodes() -> String {
    let widths: BTreeMap<_, _> =
        Slot::all().into_iter().map(|slot| (slot.mnemonic.clone(), slot.width())).collect();
    let mut code = String::from("alu_opcodes! {\n");
    for row in AluOpcode::all() {
        let format = match row.format.as_str() {
            "OP2" => "Op2",
            "OP3" => "Op3",
            other => panic!("{}: the format {other}", row.mnemonic),
        };
        let units = match row.units.as_str() {
            "both" => "Any",
            "T" => "Trans",
            // MOVA_GPR_INT, of which only the name is known, is a MOVA.
            "XYZW" | "unspecified" => "Vector",
            other => panic!("{}: the units {other}", row.mnemonic),
        };
        let role = match row.updates.as_str() {
            "none" => "Plain",
            "kill" => "Kill",
            "AR" => "Address",
            predicate if predicate.starts_with("predicate") => "Predicate",
            other => panic!("{}: updates {other}", row.mnemonic),
        };
        let (sources, result) = kinds(&row);
        assert_eq!(sources.len(), row.sources, "{}: sources", row.mnemonic);
        let (variant, mnemonic, number) = (variant(&row.mnemonic), &row.mnemonic, row.code);
        let (sources, slots) = (sources.join(" "), widths.get(mnemonic).copied().unwrap_or(1));
        line!(
            code,
            "{variant} {mnemonic} {format} {number} {units} [{sources}] {result} {role} {slots};"
        );
    }
    code + "}\n"
}

/// The kinds of an opcode's sources and of its result. Where the result has several words the last
/// one says what they are.
fn kinds(row: &AluOpcode) -> (Vec<&'static str>, &'static str) {
    let kind = |text: &str| {
        // `f32(counter)`, `i32 fraction`: the type comes first.
        match text.split(['(', ' ']).next().unwrap_or_default() {
            "f32" => "F32",
            "f64" => "F64",
            "i32" => "I32",
            "u32" => "U32",
            "b32" | "any32" => "Bits",
            "AR" => "Address",
            other => panic!("{}: the type {other}", row.mnemonic),
        }
    };
    match row.types.split_once("->") {
        Some((sources, result)) => {
            let sources = sources.split(',').filter(|source| !source.is_empty()).map(kind);
            (sources.collect(), result.rsplit(',').next().map_or("None", kind))
        }
        None if row.updates == "AR" => (vec!["Bits"; row.sources], "Address"),
        None => (Vec::new(), "None"),
    }
}

/// `cf_opcodes! { … }`.
fn cf_opcodes() -> String {
    let mut code = String::from("cf_opcodes! {\n");
    for CfOpcode { format, code: number, mnemonic } in CfOpcode::all() {
        let format = match (format.as_str(), mnemonic.as_str()) {
            ("CF_WORD", _) => "Plain",
            ("CF_ALU_WORD", _) => "Alu",
            ("CF_ALLOC_EXPORT", "EXPORT" | "EXPORT_DONE") => "Export",
            ("CF_ALLOC_EXPORT", _) => "Memory",
            (other, _) => panic!("{mnemonic}: the format {other}"),
        };
        line!(code, "{} {mnemonic} {format} {number};", variant(&mnemonic));
    }
    code + "}\n"
}

/// `fetch_opcodes! { … }`. What a texture clause has in common with a vertex clause is listed once.
fn fetch_opcodes() -> String {
    let mut code = String::from("fetch_opcodes! {\n");
    let rows = FetchOpcode::all();
    for row in &rows {
        let (format, mnemonic) = match (row.clause.as_str(), row.mnemonic.as_str()) {
            ("vtx", "FETCH") => ("Vertex", "FETCH".to_owned()),
            ("vtx", "SEMANTIC") => ("Semantic", "SEMANTIC".to_owned()),
            ("vtx", "MEM") | ("tex", "reserved") => continue,
            ("tex", name @ ("MEM" | "VTX_FETCH" | "VTX_SEMANTIC")) => {
                let name = name.trim_start_matches("VTX_");
                let same =
                    rows.iter().find(|other| other.clause == "vtx" && other.mnemonic == name);
                assert!(same.is_some_and(|same| same.code() == row.code()), "two codes of {name}");
                continue;
            }
            ("tex", name) => ("Texture", name.to_owned()),
            ("mem", name) => ("MemoryRead", format!("MEM_{name}")),
            ("lds", "LOCAL_DS_WRITE") => ("LocalWrite", row.mnemonic.clone()),
            ("lds", "LOCAL_DS_READ") => ("LocalRead", row.mnemonic.clone()),
            (clause, name) => panic!("{name}: the clause {clause}"),
        };
        line!(code, "{} {mnemonic} {format} {};", variant(&mnemonic), row.code());
    }
    let memory = rows.iter().find(|row| row.clause == "vtx" && row.mnemonic == "MEM");
    let memory = memory.expect("VTX_INST_MEM").code();
    line!(code, "}}");
    line!(code, "/// `VTX_INST` and `TEX_INST` of what `MEM_OP` tells apart.");
    line!(code, "pub const VTX_INST_MEM: u32 = {memory};");
    code
}
