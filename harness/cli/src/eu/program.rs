//! Programs of execution units as listings.

use std::collections::BTreeMap;

use parallax_isa::{
    Device, Syntax,
    device::Generation,
    eu::{
        Program,
        hazards::check::{hazards, not_followed},
        instruction, legality,
        program::{self, ProgramError},
        text::{self, Detail, Diagnostic},
    },
};

use parallax_spec::{RuleId, Severity};

use crate::{
    content::Content,
    descriptor,
    failure::note,
    listing::{Instruction, Listing, Problem, Problems},
    output, suggestion, unlisted,
};

/// Reads a program.
pub(crate) fn read(device: Device, content: Content) -> Result<Listing, Problems> {
    match content {
        Content::Assembly(source, given) => {
            let syntax = given.unwrap_or_else(|| text::recognise(device, &source));
            match text::parse_as(device, syntax, &source) {
                Ok(assembly) => Ok(Listing {
                    labels: assembly.labels,
                    read_as: given.is_none().then_some(syntax),
                    ..listing(&assembly.program, Some((&assembly.lines, source)))
                }),
                Err(mistakes) => {
                    let list = mistakes.into_iter().map(problem).collect();
                    let problems = Problems { list, source };
                    Err(match syntax {
                        Syntax::Manual => suggestion::of_another_device(device, problems),
                        syntax => problems.read_as(given.is_none().then_some(syntax)),
                    })
                }
            }
        }
        Content::MachineCode(code) => match Program::decode(device, &code) {
            Ok(program) => Ok(listing(&program, None)),
            Err(ProgramError::Decode { .. }) => Ok(partial(device, code)),
            Err(error) => Err(Problems::of_code(1, error.to_string())),
        },
    }
}

fn texts(program: &Program) -> Vec<String> {
    program
        .instructions()
        .iter()
        .map(|placed| text::print(program.device(), &placed.instruction))
        .collect()
}

/// The listing of machine code in a syntax: words that do not decode stay as they are.
pub(crate) fn print(
    device: Device,
    mut listing: Listing,
    syntax: Syntax,
    detail: Detail,
) -> Listing {
    let words: Vec<_> = program::words(device, &listing.code).collect();
    let texts: Vec<Option<String>> = match Program::decode(device, &listing.code) {
        Ok(program) => {
            let printed = text::print_as(syntax, detail, &program);
            if !printed.labels.is_empty() {
                listing.assembly = Some(printed.to_string().trim_end().to_owned());
            }
            printed.instructions.into_iter().map(Some).collect()
        }
        // Without labels: what stands between may be anything.
        Err(_) => {
            let alone = |word: &program::Word| Program::decode(device, word.bytes).ok();
            let print =
                |program: Program| text::print_as(syntax, detail, &program).instructions.pop();
            words.iter().map(|word| alone(word).and_then(print)).collect()
        }
    };
    let unused = words.iter().filter_map(|word| word.decoded.as_ref().ok());
    let unused = unused.filter(|instruction| has_unused_bits(instruction)).count();
    if detail == Detail::Readable && syntax == Syntax::Manual && unused > 0 {
        let (count, verb) = (
            output::counted(unused as u64, "instruction"),
            if unused == 1 { "has" } else { "have" },
        );
        note(format_args!("{count} {verb} bits set that no field uses: --exact prints them"));
    }
    for (instruction, text) in listing.instructions.iter_mut().zip(texts) {
        instruction.text = text.unwrap_or_else(|| std::mem::take(&mut instruction.text));
    }
    listing
}

/// Whether bits are set that no field uses.
fn has_unused_bits(instruction: &instruction::Instruction) -> bool {
    instruction.undefined_opcode().is_none()
        && (instruction.residue, instruction.compact_residue) != (0, 0)
}

/// A mistake in a text.
fn problem(mistake: Diagnostic) -> Problem {
    let Diagnostic { line, column, length, message, help } = mistake;
    Problem { length, help, ..Problem::at(line, column, message) }
}

/// Machine code of which not every word decodes: those that do not are comments. Of the others only what
/// each shows by itself is judged.
fn partial(device: Device, code: Vec<u8>) -> Listing {
    let (mut undecodable, mut violations) = (Vec::new(), Vec::new());
    let words = program::words(device, &code).enumerate();
    let instructions: Vec<_> = words
        .map(|(index, word)| {
            let hex = output::hex(word.bytes);
            let at = |message: String| {
                Problem::at(index + 1, 1, format!("at byte {}: {message}", word.offset))
            };
            let row = |text: String, instruction: Option<&instruction::Instruction>| Instruction {
                offset: word.offset,
                hex: hex.clone(),
                text,
                message: instruction.and_then(|it| descriptor::described(device, it)),
                descriptor: instruction.and_then(|it| descriptor::descriptor(device, it)),
                legal: true,
                level: None,
                rules: Vec::new(),
            };
            match &word.decoded {
                Ok(instruction) => {
                    let found = legality::check(device, instruction);
                    violations.extend(found.iter().map(|found| {
                        at(found.message.clone()).breaking(&found.rules()).practised(found.practice)
                    }));
                    let text = text::print(device, instruction);
                    let broken = found.iter().map(|it| (it.severity(), it.rule, &*it.also));
                    row(text, Some(instruction)).judged(broken)
                }
                Err(error) => {
                    undecodable.push(at(error.to_string()).breaking(error.rules()));
                    let rules = error.rules().iter().map(|rule| rule.rule().id).collect();
                    let row = row(format!("// {hex}: {error}"), None);
                    Instruction { legal: false, level: Some(Severity::Illegal), rules, ..row }
                }
            }
        })
        .collect();
    note_other_device(device, &code, &mut undecodable);
    Listing {
        instructions,
        code,
        violations: Problems { list: violations, source: String::new() },
        hazards: Problems::default(),
        not_followed: Problems::default(),
        labels: BTreeMap::new(),
        read_as: None,
        warnings: Problems::default(),
        assembly: None,
        undecodable: Problems { list: undecodable, source: String::new() },
    }
}

/// Says with the first of the problems which other device machine code looks like one of.
fn note_other_device(device: Device, code: &[u8], problems: &mut [Problem]) {
    if let Some(first) = problems.first_mut()
        && let Some(other) = program::looks_like(device, code)
    {
        first.help = Some(format!("the program looks like one of {other}: try `--device {other}`"));
    }
}

/// A program with what is wrong with it. `written` is the text it was assembled from and the line
/// of each instruction there; machine code is shown as its disassembly.
fn listing(program: &Program, written: Option<(&[usize], String)>) -> Listing {
    let findings = legality::program::check(program);
    let texts = texts(program);
    let instructions = program.instructions().iter().zip(&texts).enumerate();
    let instructions = instructions.map(|(index, (placed, text))| {
        let broken = findings.iter().filter(|finding| finding.index == index);
        let broken = broken.map(|finding| {
            let violation = &finding.violation;
            (violation.severity(), violation.rule, &*violation.also)
        });
        let row = Instruction {
            offset: placed.offset,
            hex: output::hex(program.bytes_of(index)),
            text: text.clone(),
            message: descriptor::described(program.device(), &placed.instruction),
            descriptor: descriptor::descriptor(program.device(), &placed.instruction),
            legal: true,
            level: None,
            rules: Vec::new(),
        };
        row.judged(broken)
    });
    let instructions = instructions.collect();
    let (lines, source) = match &written {
        Some((lines, source)) => (lines.to_vec(), source.clone()),
        None => ((1..=texts.len()).collect(), texts.join("\n")),
    };
    let shown: Vec<&str> = source.lines().collect();
    // At an instruction, as far as it is shown.
    let problem = |index: usize, rules: &[RuleId], message: String| {
        let line = lines[index];
        let text = shown.get(line - 1).copied().unwrap_or_default();
        let instruction = text.split("//").next().unwrap_or_default().trim();
        let column = text.chars().take_while(|c| c.is_whitespace()).count() + 1;
        let length = instruction.chars().count().max(1);
        Problem { length, ..Problem::at(line, column, message) }.breaking(rules)
    };
    let violations = findings.iter().map(|finding| {
        let violation = &finding.violation;
        let rules = violation.rules();
        problem(finding.index, &rules, violation.message.clone()).practised(violation.practice)
    });
    let unlisted = unlisted::of_program(program).map(|(index, unlisted)| {
        let message = "the document of the device does not list it".to_owned();
        let help = Some("--allow dp4a takes it for legal".to_owned());
        Problem { help, ..problem(index, &[unlisted.rule()], message) }
    });
    let mut list: Vec<_> = violations.chain(unlisted).collect();
    let has_scoreboard = program.device().generation() >= Some(Generation::Gen12);
    let hazards = if has_scoreboard { hazards(program) } else { Vec::new() };
    let hazards = hazards.iter().map(|hazard| {
        let rule = hazard.rule(program);
        let problem = problem(hazard.consumer, &[rule], hazard.message(program));
        Problem { help: Some(hazard.fix.to_string()), ..problem }
    });
    let hazards = hazards.collect();
    let not_followed = if has_scoreboard { not_followed(program) } else { Vec::new() };
    let not_followed = not_followed.into_iter().map(|index| {
        let message = "a register says where this goes on: what has to wait there is not known";
        Problem { level: None, ..problem(index, &[], message.to_owned()) }
    });
    let not_followed = not_followed.collect();
    if written.is_none() {
        note_other_device(program.device(), program.bytes(), &mut list);
    }
    Listing {
        code: program.bytes().to_vec(),
        instructions,
        violations: Problems { list, source: source.clone() },
        hazards: Problems { list: hazards, source: source.clone() },
        not_followed: Problems { list: not_followed, source },
        labels: BTreeMap::new(),
        read_as: None,
        warnings: Problems::default(),
        assembly: None,
        undecodable: Problems::default(),
    }
}
