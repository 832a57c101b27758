//! Operations: the table `eu-opcodes-by-gen`, and `g45-opcodes` for the two generations that its
//! manual describes.

use std::fmt::Write as _;

use super::{columns, generation::Generation};

struct Operation {
    mnemonic: String,
    notes: String,
    codes: [Option<u32>; Generation::COUNT],
    /// Came with the second stepping of its generation.
    ctg_b: bool,
}

impl Operation {
    /// `f32to16` as `F32to16`.
    fn variant(&self) -> String {
        let (initial, rest) = self.mnemonic.split_at(1);
        initial.to_uppercase() + rest
    }
}

/// The enumeration of operations, and what the tables say about each.
pub(super) fn source() -> String {
    let operations = operations();
    let mut code = String::from(
        "/// An operation of an execution unit, named as the manuals name it. Which generations have \
         it is in the\n/// table `eu-opcodes-by-gen`; what it does is in the reference.\n\
         #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]\n\
         #[cfg_attr(feature = \"arbitrary\", derive(arbitrary::Arbitrary))]\n\
         pub enum Opcode {\n",
    );
    for operation in &operations {
        let doc = match operation.notes.as_str() {
            "" => format!("`{}`", operation.mnemonic),
            notes => format!("`{}`: {notes}", operation.mnemonic),
        };
        writeln!(code, "#[doc = {doc:?}]\n{},", operation.variant()).expect("a string");
    }
    code.push_str("}\n");
    let table = |code: &mut String, head: &str, cell: &dyn Fn(&Operation) -> String| {
        let cells: String = operations.iter().map(|operation| cell(operation) + ", ").collect();
        writeln!(code, "{head} = [{cells}];").expect("a string");
    };
    let count = operations.len();
    table(&mut code, &format!("static ALL: [Opcode; {count}]"), &|operation| {
        format!("Opcode::{}", operation.variant())
    });
    table(&mut code, &format!("static MNEMONICS: [&str; {count}]"), &|operation| {
        format!("{:?}", operation.mnemonic)
    });
    table(
        &mut code,
        &format!("static CODES: [[Option<u8>; Generation::COUNT]; {count}]"),
        &|operation| format!("{:?}", operation.codes),
    );
    table(&mut code, &format!("static CAME_WITH_CTG_B: [bool; {count}]"), &|operation| {
        operation.ctg_b.to_string()
    });
    code
}

/// The operations that some generation has.
fn operations() -> Vec<Operation> {
    let g45 = columns::rows("g45-opcodes");
    let rows = columns::rows("eu-opcodes-by-gen").into_iter().map(|row| {
        let mnemonic = row["mnemonic"].clone();
        let in_g45_manual = g45.iter().find(|listed| listed["mnemonic"] == mnemonic);
        let codes = Generation::ALL.map(|generation| {
            let cell = &row[&columns::column(generation)];
            let is_there = generation > Generation::Gen45 || in_g45_manual.is_some();
            (is_there && !cell.is_empty()).then(|| columns::hexadecimal(cell))
        });
        let ctg_b = in_g45_manual.is_some_and(|row| row["device"] == "DevCTG-B+");
        Operation { mnemonic, notes: row["notes"].clone(), codes, ctg_b }
    });
    rows.filter(|operation| operation.codes.iter().any(Option::is_some)).collect()
}
