//! Programs in the dialects of other tools, held against the words that those tools made of them.

use parallax_isa::Syntax;
use parallax_isa::r700::{
    Program,
    program::Clause,
    text::{self, Diagnostic, amd, llvm},
};
use proptest::prelude::*;
use serde::Deserialize;

/// A row of `dialects/r700-amd.csv`. In `text`, `\n` ends a line.
#[derive(Debug, Deserialize)]
struct Row {
    what: String,
    text: String,
    /// The control-flow instructions, in memory order.
    cf_words: String,
    /// The clauses, one after the other.
    clause_words: String,
    /// Part of a warning, or nothing if there is none.
    warning: String,
    /// Part of the message, if the text is refused.
    error: String,
}

fn rows() -> Vec<Row> {
    let table = include_str!("dialects/r700-amd.csv");
    let rows = csv::Reader::from_reader(table.as_bytes()).into_deserialize();
    let mut rows: Vec<Row> = rows.collect::<Result<_, _>>().expect("the table can be read");
    for row in &mut rows {
        row.text = row.text.replace("\\n", "\n");
    }
    rows
}

fn hex(dwords: &[u32]) -> String {
    dwords.iter().flat_map(|dword| dword.to_le_bytes()).map(|b| format!("{b:02x}")).collect()
}

/// The control-flow instructions and the clauses of a program.
fn words(program: &Program) -> (String, String) {
    let cf = program.control_flow.values().map(|cf| hex(&cf.dwords()));
    let clauses = program.clauses.values().map(|clause: &Clause| hex(&clause.dwords()));
    (cf.collect::<Vec<_>>().join(" "), clauses.collect())
}

fn messages(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// What is wrong with the reading of a row.
fn fault(row: &Row) -> Option<String> {
    let assembly = match amd::assemble(&row.text) {
        Ok(assembly) => assembly,
        Err(wrong) if row.error.is_empty() => return Some(messages(&wrong)),
        Err(wrong) if messages(&wrong).contains(&row.error) => return None,
        Err(wrong) => return Some(messages(&wrong)),
    };
    if !row.error.is_empty() {
        return Some(format!("accepted: {:?}", words(&assembly.program)));
    }
    let warnings = messages(&assembly.warnings);
    if warnings.is_empty() != row.warning.is_empty() || !warnings.contains(&row.warning) {
        return Some(format!("warnings: {warnings}"));
    }
    let (cf, clauses) = words(&assembly.program);
    if (&cf, &clauses) != (&row.cf_words, &row.clause_words) {
        return Some(format!(
            "{cf} / {clauses} instead of {} / {}",
            row.cf_words, row.clause_words
        ));
    }
    let printed = amd::print(&assembly.program);
    match amd::assemble(&printed) {
        Ok(again) if again.program == assembly.program => None,
        other => Some(format!("{printed}\nis read as {other:?}")),
    }
}

#[test]
fn amd_programs_have_the_words_of_their_tools() {
    let rows = rows();
    let faults: Vec<_> = rows
        .iter()
        .filter_map(|row| Some(format!("{}: {}\n{}", row.what, fault(row)?, row.text)))
        .collect();
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), rows.len(), faults.join("\n\n"));
}

/// What `llc -march=r600 -mcpu=rv770` wrote as text, and in its object files.
#[test]
fn llvm_programs_have_the_words_of_their_objects() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/dialects/llvm");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "s") {
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("text");
        let object = std::fs::read_to_string(path.with_extension("hex")).expect("hex");
        assert!(llvm::is_likely(&source) && !amd::is_likely(&source), "{}", path.display());
        let assembly = llvm::assemble(&source);
        let assembly = assembly.unwrap_or_else(|wrong| panic!("{}: {}", path.display(), wrong[0]));
        let words = hex(&assembly.program.encode());
        assert_eq!(words, object.replace('\n', ""), "{}", path.display());
        // Nothing but the targets of exports is assumed.
        let exports = source.matches("EXPORT").count();
        assert_eq!(assembly.warnings.len(), exports, "{}", path.display());
        let printed = llvm::print(&assembly.program);
        let again = llvm::assemble(&printed).map(|again| again.program);
        assert_eq!(again, Ok(assembly.program), "{printed}");
        count += 1;
    }
    assert_eq!(count, 10);
}

/// A text with some characters changed, taken out or put in.
fn mutated(text: &str, edits: Vec<(prop::sample::Index, u8, String)>) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for (place, edit, inserted) in edits {
        let place = place.index(characters.len() + 1);
        let inserted = inserted.chars().next().unwrap_or(' ');
        match (edit, characters.get_mut(place)) {
            (0, Some(character)) => *character = inserted,
            (1, Some(_)) => drop(characters.remove(place)),
            _ => characters.insert(place, inserted),
        }
    }
    characters.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn mutated_llvm_programs_are_read_or_refused(
        source in prop::sample::select(vec![
            include_str!("dialects/llvm/constants.s"),
            include_str!("dialects/llvm/loop.s"),
            include_str!("dialects/llvm/predicates.s"),
            include_str!("dialects/llvm/vertex.s"),
        ]),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, "[ -~\n]"), 1..4),
    ) {
        let source = mutated(source, edits);
        let _ = llvm::is_likely(&source);
        if let Ok(assembly) = llvm::assemble(&source) {
            let printed = llvm::print(&assembly.program);
            let again = llvm::assemble(&printed).map(|again| again.program);
            prop_assert_eq!(again, Ok(assembly.program), "{}", printed);
        }
    }

    /// Any text that is almost right is read, and printed as it is read, or refused.
    #[test]
    fn mutated_amd_programs_are_read_or_refused(
        row in prop::sample::select(rows().into_iter().map(|row| row.text).collect::<Vec<_>>()),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, "[ -~\n]"), 1..4),
    ) {
        let source = mutated(&row, edits);
        let _ = amd::is_likely(&source);
        match amd::assemble(&source) {
            Ok(assembly) => {
                let printed = amd::print(&assembly.program);
                let again = amd::assemble(&printed);
                prop_assert_eq!(again.map(|again| again.program), Ok(assembly.program), "{}", printed);
            }
            Err(wrong) => prop_assert!(!wrong.is_empty()),
        }
        if let Ok(program) = text::parse(&source) {
            prop_assert!(!amd::is_likely(&text::print(&program)));
        }
    }
}

/// The example of a page in a language.
fn example<'p>(page: &'p str, language: &str) -> &'p str {
    let (_, behind) = page.split_once(&format!("```{language}\n")).expect("the page has one");
    behind.split("```").next().expect("it ends")
}

#[test]
fn examples_of_the_pages_are_read() {
    let amd = example(include_str!("../../../docs/src/syntax/amd.md"), "amd");
    let llvm = example(include_str!("../../../docs/src/syntax/llvm.md"), "llvm");
    for (syntax, source) in [(Syntax::Amd, amd), (Syntax::Llvm, llvm)] {
        assert_eq!(text::recognise(source), syntax, "{source}");
        if let Err(wrong) = text::assemble_as(syntax, source) {
            panic!("{}", messages(&wrong));
        }
    }
}

#[test]
fn text_that_only_one_syntax_takes_is_read_in_that() {
    let source =
        |group: &str| format!("00 ALU:\n 0 {group}\n01 EXP_DONE: PIX0, R1.xyzw END_OF_PROGRAM");
    assert_eq!(text::recognise(&source("x: MUL R1, R3, R2")), Syntax::Amd);
    assert_eq!(text::recognise(&source("x: MUL R1.x, R3.x, 1.0f")), Syntax::Manual);
    assert_eq!(text::recognise(&source("x: MULL R1.x, R3.x, 1.0")), Syntax::Manual);
}

/// A vector unit runs one instruction of a group.
#[test]
fn a_unit_stands_once_in_a_group() {
    let source = "00 ALU:\n 0 x: MOV R4.x, R1.x\n x: MOV R5.x, R1.x\n01 EXP_DONE: PIX0, R1.xyzw END_OF_PROGRAM";
    for syntax in [Syntax::Manual, Syntax::Amd] {
        let wrong = text::assemble_as(syntax, source).expect_err("x stands twice");
        assert!(messages(&wrong).contains("unit x has an instruction"), "{}", messages(&wrong));
        assert_eq!(wrong[0].line, 3);
        let other = source.replace("\n x: ", "\n t: ");
        assert!(text::assemble_as(syntax, &other).is_ok());
    }
}

/// In the manual's syntax coordinates are not normalised unless it is said.
#[test]
fn a_sample_without_coordinate_types_is_not_read_as_the_manuals() {
    let source = "00 TEX: ADDR(16) CNT(1)\n 0 SAMPLE R0.xyzw, R0.xyxx, t0, s0\n\
                  01 EXP_DONE: PIX0, R0.xyzw END_OF_PROGRAM";
    assert_eq!(text::recognise(source), Syntax::Amd);
    let coordinates = |syntax| {
        let program = text::assemble_as(syntax, source).expect("is text").program;
        let clause = program.clauses.values().next().expect("a clause").dwords();
        clause[1] >> 28
    };
    assert_eq!((coordinates(Syntax::Amd), coordinates(Syntax::Manual)), (0xF, 0));
}
