//! What the program prints as JSON, and the type of each.

use schemars::{Schema, generate::SchemaGenerator};

use crate::{
    commands::{
        adopt, bench, check, compare, config, conformance, exec, format, fuzz, import, kernels,
        known, list, minimize, record, replay, rules, show, topology, verify,
    },
    listing, report,
    schema::foreign,
    sheet,
};

/// Something that the program prints as JSON.
pub(crate) struct Output {
    /// Its name for `parallax schema`.
    pub(crate) name: &'static str,
    /// What prints it, with backquotes.
    pub(crate) title: &'static str,
    /// What it is, in a sentence.
    pub(crate) what: &'static str,
    /// Its schema.
    pub(super) of: fn(SchemaGenerator) -> Schema,
}

/// Rows of `name, title, type: what`.
macro_rules! outputs {
    ($($name:literal, $title:literal, $type:ty: $what:literal;)+) => {
        &[$(Output {
            name: $name,
            title: $title,
            what: $what,
            of: |generator| generator.into_root_schema_for::<$type>(),
        }),+]
    };
}

/// All of them, in the order of the page.
pub(crate) static OUTPUTS: &[Output] = outputs! {
    "report", "`report.json`", report::Report:
        "A campaign. `run --json FILE`, `report --json` and `merge --json` print the same.";
    "report-diff", "`report --diff --json`", report::Changes:
        "What changed between two runs.";
    "report-history", "`report --history --json`", report::History:
        "The reports of a folder.";
    "verify", "`verify --json`", verify::Verified:
        "Whether a sample of a bundle came out the same again.";
    "rules", "`rules --json`", Vec<rules::Entry>:
        "A list of rules.";
    "rules-by", "`rules --by --json`", foreign::Groups<rules::Count>:
        "How the binding rules stand, by group.";
    "rules-explain", "`rules --explain --json`", rules::Explained<'_>:
        "A rule, and a case in which it decides something.";
    "exec", "`exec --json`", exec::eu::Json<'_>:
        "A program on a device with execution units.";
    "exec-batch", "a line of `exec --batch`", exec::Line:
        "A program of a batch.";
    "exec-r700", "`exec --device rv770 --json`", exec::r700::Json<'_>:
        "A program on `rv770`.";
    "exec-threads", "`exec --json` of many threads", exec::Summary:
        "A program on a grid or list of threads. Registers go to `--output` as CSV: `thread`, `outcome`, and a column for \
         each element with a type or register without.";
    "exec-kernel", "`exec --global --json`", exec::launch::Json:
        "A kernel of a file that a compiler wrote.";
    "kernels", "`kernels --json`", kernels::Json<'_>:
        "The kernels of a file that a compiler wrote.";
    "asm", "`asm --json`, `disasm --json`", listing::Json<'_>:
        "A program, instruction by instruction.";
    "check", "`check --json`", check::Json:
        "What is wrong with a program. `--sarif` prints the same as SARIF 2.1.0 (`error`, `warning`, `note`).";
    "compare", "`compare --json`", compare::Json:
        "Whether two programs are the same function.";
    "compare-folders", "`compare --json` of folders", Vec<compare::Json>:
        "Whether programs of the same name are the same function.";
    "isa", "`isa --json` of an instruction", sheet::Sheet:
        "An instruction on a device.";
    "isa-list", "`isa --json` of a device", Vec<sheet::overview::Listed>:
        "The instructions of a device.";
    "isa-r700", "`isa --device rv770 --json` of an instruction", sheet::r700::Sheet:
        "An instruction of `rv770`.";
    "isa-r700-list", "`isa --device rv770 --json`", Vec<sheet::r700::Listed>:
        "The instructions of `rv770`.";
    "isa-diff", "`isa --diff --json` of devices", sheet::compare::Devices:
        "How the instructions of two devices differ.";
    "isa-diff-instruction", "`isa --diff --json` of an instruction", sheet::compare::Difference:
        "How an instruction differs between two devices.";
    "list", "`list --json`", Vec<list::Named>:
        "Suites, instructions, formats, rules or engines.";
    "list-devices", "`list devices --json`", Vec<list::DeviceEntry>:
        "The devices.";
    "known-list", "`known list --json`", Vec<known::Listed>:
        "What is known to be wrong.";
    "topology", "`topology --json`", Vec<topology::Entry<'_>>:
        "The primitives that a list of vertices is assembled into.";
    "config", "`config --json`", config::Json:
        "The settings of `run`.";
    "record", "`record --json`", record::Json<'_>:
        "A trace that was recorded.";
    "conformance", "`conformance --json`", conformance::Json<'_>:
        "A conformance set that was written.";
    "replay", "`replay --json`", replay::Json<'_>:
        "What became of traces that were replayed.";
    "show", "`show --json`", show::Json:
        "A trace, for people.";
    "export", "`export`", foreign::Export:
        "A trace with all that it has. Bytes are hex digits; `import` reads it back.";
    "import", "`import --program --json`", import::Program<'_>:
        "A trace that was written from a recording of another tool.";
    "import-list", "`import --list --json`", import::List<'_>:
        "The programs of a recording of another tool, and the state that it has of them.";
    "minimize", "`minimize --json`", minimize::Json<'_>:
        "A trace that was made smaller.";
    "fuzz-repro", "`fuzz repro --json`", fuzz::Json<'_>:
        "An input of a fuzz target.";
    "adopt", "`adopt --json`", adopt::Json<'_>:
        "A trace that was adopted.";
    "format-list", "`format list --json`", Vec<format::Listed>:
        "The surface formats.";
    "format-decode", "`format decode --json`", format::Decoded:
        "Texels as numbers.";
    "format-encode", "`format encode --json`", format::Encoded:
        "A texel as bytes.";
    "bench", "`bench --json`", bench::Json:
        "Speed of the engines.";
};
