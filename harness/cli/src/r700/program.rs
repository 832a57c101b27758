//! R700 programs as listings: a line for each control-flow instruction, ALU instruction, pair of
//! literals and fetch instruction, in the order of addresses.

use std::collections::BTreeMap;

use parallax_isa::{
    Device, Syntax,
    eu::text::Detail,
    r700::{
        Program,
        instruction::Group,
        legality::{self, Settings, Violation},
        program::{Clause, ProgramError},
        text::{self, Diagnostic},
    },
};

use parallax_spec::Severity;

use crate::{
    content::Content,
    listing::{Instruction, Listing, Problem, Problems},
    output, suggestion,
};

/// Reads a program.
pub(crate) fn read(content: Content, settings: &Settings) -> Result<Listing, Problems> {
    match content {
        Content::Assembly(source, given) => {
            let syntax = given.unwrap_or_else(|| text::recognise(&source));
            let read_as = given.is_none().then_some(syntax);
            match text::assemble_as(syntax, &source) {
                Ok(assembly) => {
                    let findings = legality::check(&assembly.program, settings);
                    let list = assembly.warnings.into_iter().map(problem).collect();
                    let warnings = Problems { list, source: source.clone() };
                    let written = Some((assembly.lines.as_slice(), source));
                    Ok(Listing {
                        read_as,
                        warnings,
                        ..listing(&assembly.program, written, &findings)
                    })
                }
                Err(mistakes) => {
                    let list = mistakes.into_iter().map(problem).collect();
                    let problems = Problems { list, source };
                    Err(match syntax {
                        Syntax::Manual => suggestion::of_another_device(Device::Rv770, problems),
                        _ => problems.read_as(read_as),
                    })
                }
            }
        }
        Content::MachineCode(code) if !code.len().is_multiple_of(8) => Err(Problems::of_code(
            1,
            format!("the program is cut: {} bytes are no whole number of 64-bit words", code.len()),
        )),
        Content::MachineCode(code) => {
            let dwords = code.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            let (program, errors) = Program::read(&dwords.collect::<Vec<_>>());
            Ok(match errors.as_slice() {
                [] => listing(&program, None, &legality::check(&program, settings)),
                errors => partial(&program, errors, settings),
            })
        }
    }
}

/// The listing of machine code in a syntax. Each has every bit.
pub(crate) fn print(_: Device, mut listing: Listing, syntax: Syntax, _: Detail) -> Listing {
    if syntax == Syntax::Manual {
        return listing;
    }
    let dwords = listing.code.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let (program, _) = Program::read(&dwords.collect::<Vec<_>>());
    listing.assembly = Some(text::print_as(syntax, &program).trim_end().to_owned());
    listing
}

/// A mistake in a text.
fn problem(mistake: Diagnostic) -> Problem {
    let Diagnostic { line, column, message, rules, .. } = mistake;
    Problem::at(line, column, message).breaking(rules)
}

/// Machine code of which not every word decodes: those that do not are data. Of the others only what each
/// shows by itself is judged.
fn partial(program: &Program, errors: &[ProgramError], settings: &Settings) -> Listing {
    let findings = legality::check_instructions(program, settings);
    let mut listing = listing(program, None, &findings);
    for error in errors {
        let offset = 8 * error.address as usize;
        let rows = &mut listing.instructions;
        if let Ok(index) = rows.binary_search_by_key(&offset, |row| row.offset) {
            rows[index].legal = false;
            rows[index].level = Some(Severity::Illegal);
            rows[index].rules.extend(error.rules().iter().map(|rule| rule.rule().id));
        }
    }
    let undecodable = errors.iter().map(|error| {
        Problem::at(error.address as usize + 1, 1, error.to_string()).breaking(error.rules())
    });
    let list = undecodable.collect();
    Listing { undecodable: Problems { list, source: String::new() }, ..listing }
}

fn bytes(dwords: &[u32]) -> Vec<u8> {
    dwords.iter().flat_map(|dword| dword.to_le_bytes()).collect()
}

/// A program with what is wrong with it, by address. `written` is the text it was assembled from and the line
/// of each word there; machine code is shown as its disassembly.
fn listing(
    program: &Program,
    written: Option<(&[Option<usize>], String)>,
    findings: &[Violation],
) -> Listing {
    let instructions: Vec<Instruction> = rows(program)
        .into_iter()
        .map(|(address, dwords, text)| {
            let before = |address| findings.partition_point(|found| found.address < address);
            let broken = &findings[before(address)..before(address + dwords.len() as u32 / 2)];
            let broken = broken.iter().map(|it| (it.severity(), it.rule, it.also.as_slice()));
            let row = Instruction {
                offset: 8 * address as usize,
                hex: output::hex(&bytes(&dwords)),
                text,
                message: None,
                descriptor: None,
                legal: true,
                level: None,
                rules: Vec::new(),
            };
            row.judged(broken)
        })
        .collect();
    let numbers = |address: u32| {
        1 + instructions.partition_point(|instruction| instruction.offset < 8 * address as usize)
    };
    let (lines, source): (Vec<Option<usize>>, _) = match written {
        Some((lines, source)) => (lines.to_vec(), source),
        None => {
            let texts = instructions.iter().map(|instruction| instruction.text.as_str());
            let source = texts.collect::<Vec<_>>().join("\n");
            ((0..program.words).map(|address| Some(numbers(address))).collect(), source)
        }
    };
    let shown: Vec<&str> = source.lines().collect();
    let list = findings.iter().map(|finding| {
        let line = lines.get(finding.address as usize).copied().flatten().unwrap_or(1);
        violation(finding, line, shown.get(line - 1).copied().unwrap_or_default())
    });
    let list = list.collect();
    Listing {
        code: bytes(&program.encode()),
        violations: Problems { list, source },
        instructions,
        labels: BTreeMap::new(),
        read_as: None,
        warnings: Problems::default(),
        assembly: Some(text::print(program).trim_end().to_owned()),
        hazards: Problems::default(),
        not_followed: Problems::default(),
        undecodable: Problems::default(),
    }
}

/// A broken rule, with its place in the line of its instruction.
fn violation(finding: &Violation, line: usize, text: &str) -> Problem {
    let start = text.len() - text.trim_start().len();
    let column = text[..start].chars().count() + 1;
    let length = text.trim().chars().count().max(1);
    let rules = [&[finding.rule], finding.also.as_slice()].concat();
    let problem = Problem { length, ..Problem::at(line, column, finding.message.clone()) };
    problem.breaking(&rules).practised(finding.practice)
}

/// Address, dwords and text of an instruction, a pair of literals or other words.
type Row = (u32, Vec<u32>, String);

/// The instructions, pairs of literals and other words of a program, by address.
fn rows(program: &Program) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |address: u32, dwords: &[u32], text: String| {
        rows.push((address, dwords.to_vec(), text));
    };
    for (&address, cf) in &program.control_flow {
        add(address, &cf.dwords(), format!("{address:02} {}", text::print_control_flow(*cf)));
    }
    for (&start, clause) in &program.clauses {
        let mut address = start;
        match clause {
            Clause::Alu(groups) => {
                for (dwords, text) in groups.iter().flat_map(words) {
                    add(address, &dwords, text);
                    address += 1;
                }
            }
            Clause::Fetch(_, fetches) => {
                for fetch in fetches {
                    add(address, &fetch.dwords(), text::print_fetch(*fetch));
                    address += 2;
                }
            }
        }
    }
    for (&address, word) in &program.data {
        add(address, word, text::print_data(address, *word));
    }
    rows.sort_by_key(|(address, ..)| *address);
    with_padding(rows, program.words)
}

/// The rows of a program, and between them those of words that are zero and belong to nothing.
fn with_padding(rows: Vec<Row>, words: u32) -> Vec<Row> {
    let mut all = Vec::with_capacity(rows.len());
    let mut next = 0;
    for row in rows.into_iter().chain([(words, Vec::new(), String::new())]) {
        if next < row.0 {
            all.push((next, vec![0; 2 * (row.0 - next) as usize], "padding".to_owned()));
        }
        next = row.0 + row.1.len() as u32 / 2;
        all.push(row);
    }
    all.pop();
    all
}

/// The 64-bit words of a group, each with its text.
fn words(group: &Group) -> Vec<([u32; 2], String)> {
    let texts = text::print_group(group);
    let alu = group.instructions.iter().map(|alu| alu.dwords());
    let mut words: Vec<_> = alu.zip(texts.lines().map(str::to_owned)).collect();
    for pair in group.literals.chunks_exact(2) {
        words.push(([pair[0], pair[1]], format!("literals {:#010x} {:#010x}", pair[0], pair[1])));
    }
    words
}
