//! Programs that are legal, and for each restriction something that breaks it.

mod changes;

use std::{collections::BTreeSet, fs::File, io::Read, path::Path};

use changes::{Change, changes, direct};
use parallax_spec::{Level, RuleId, family, rule_id, rules::RULES, tables};

use super::{super::program::check as check_program, *};
use crate::eu::{
    decode::decode,
    instruction::{ConditionalModifier, PredicateControl, ThreadControl},
    operand::{Region, Register, Source},
    program::Program,
    register::RegisterFile,
    text,
    types::DataType,
};

/// A production compiler wrote these programs.
#[test]
fn compiled_programs_are_legal() {
    for device in Device::LATER {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/compiled");
        let file = File::open(folder.join(format!("{device}.jsonl.gz"))).expect("the corpus");
        let mut lines = String::new();
        flate2::read::GzDecoder::new(file).read_to_string(&mut lines).expect("text");
        let mut programs = 0;
        for line in lines.lines() {
            let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let code = value["code"].as_array().expect("a list");
            let words: Vec<_> = code.iter().map(|word| word.as_str().expect("text")).collect();
            let program = Program::of_hex(device, &words.join("\n")).expect("it decodes");
            let found = check_program(&program);
            assert!(found.is_empty(), "{device} {}: {found:#?}", value["id"]);
            programs += 1;
        }
        assert_eq!(programs, 185);
    }
}

/// An instruction from text.
fn instruction(device: Device, line: &str) -> Instruction {
    let assembly = text::parse(device, line)
        .unwrap_or_else(|wrong| panic!("{line}: {}", wrong[0].render("", line)));
    assembly.program.instructions()[0].instruction
}

/// A row of `broken.txt`: device, rule, other rules broken with it, text.
struct Broken {
    device: Device,
    rule: RuleId,
    others: Vec<RuleId>,
    line: &'static str,
}

fn broken_lines() -> Vec<Broken> {
    let lines = include_str!("tests/broken.txt").lines();
    let rows = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(|row| {
        let (head, line) = row.split_once(": ").expect("rules and text");
        let (device, rules) = head.split_once(' ').expect("device and rules");
        let (line, behind) = match line.split_once(", leg.") {
            Some((line, rule)) => (line, Some(format!("leg.{rule}"))),
            None => (line, None),
        };
        let mut rules: Vec<_> = rules.split(',').map(family::rule).collect();
        let rule = rules.remove(0);
        rules.extend(behind.map(|id| family::rule(&id)));
        Broken { device: device.parse().expect("a device"), rule, others: rules, line }
    })
    .collect()
}

fn names(violation: &Violation, rule: RuleId) -> bool {
    violation.rule == rule || violation.also.contains(&rule)
}

/// Whether an instruction breaks a rule, and beyond it nothing but others that go with it.
fn breaks_exactly(
    device: Device,
    instruction: &Instruction,
    rule: RuleId,
    others: &[RuleId],
) -> Result<(), String> {
    let found = super::super::check(device, instruction);
    if !found.iter().any(|violation| names(violation, rule)) {
        return Err(format!("{rule} is not broken: {found:#?}"));
    }
    let unexpected = found.iter().find(|violation| {
        !names(violation, rule) && !others.iter().any(|other| names(violation, *other))
    });
    unexpected.map_or(Ok(()), |found| Err(format!("besides {rule}: {found:#?}")))
}

#[test]
fn broken_lines_break_exactly_their_rules() {
    let mut wrong = Vec::new();
    for Broken { device, rule, others, line } in broken_lines() {
        let result = match text::parse(device, line) {
            Ok(assembly) => {
                let instruction = assembly.program.instructions()[0].instruction;
                breaks_exactly(device, &instruction, rule, &others)
            }
            Err(told) => Err(format!("{rule}: {}", told[0].render(device.name(), line))),
        };
        wrong.extend(result.err().map(|why| format!("{line}\n{why}")));
    }
    assert!(wrong.is_empty(), "{} of them do not:\n{}", wrong.len(), wrong.join("\n"));
}

/// What is said of Gen9 and Gen12 alike is broken on both by the same lines; of the others some have
/// no text on Gen12.
#[test]
fn lines_of_gen9_break_the_same_rules_on_gen12() {
    let is_checked = |rule: RuleId| {
        let rows = TABLES.into_iter().flatten();
        rows.filter(|(on, _)| on.includes(Generation::Gen12))
            .any(|(_, check)| check.rules.contains(&rule))
    };
    let mut wrong = Vec::new();
    let mut broken = BTreeSet::new();
    for Broken { rule, line, .. } in
        broken_lines().into_iter().filter(|row| row.device == Device::Skl && is_checked(row.rule))
    {
        let Ok(assembly) = text::parse(Device::Dg1, line) else { continue };
        let instruction = assembly.program.instructions()[0].instruction;
        let found = super::super::check(Device::Dg1, &instruction);
        if found.iter().any(|violation| names(violation, rule)) {
            broken.insert(rule);
        } else {
            wrong.push(format!("{rule}: {line}: {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of them do not:\n{}", wrong.len(), wrong.join("\n"));
    assert!(broken.len() > 50, "{}", broken.len());
}

#[test]
fn changed_instructions_break_exactly_their_rules() {
    let mut wrong = Vec::new();
    for (device, line, change, rule, others) in changes() {
        let mut instruction = instruction(device, line);
        change(&mut instruction);
        let result = breaks_exactly(device, &instruction, rule, others);
        wrong.extend(result.err().map(|why| format!("{line}\n{why}")));
    }
    assert!(wrong.is_empty(), "{} of them do not:\n{}", wrong.len(), wrong.join("\n"));
}

/// A program and the number of the instruction that breaks a rule.
static PROGRAMS: &[(Device, RuleId, usize, &str)] = &[
    (Device::Skl, rule_id!("leg.cf.jip-align"), 0, "while (8|M0) 24\nnop\nnop\n"),
    (Device::Skl, rule_id!("leg.cf.jip-align"), 1, "nop\ngoto (8|M0) 16 64\nnop\n"),
    (Device::Skl, rule_id!("leg.cf.jip-align"), 0, "jmpi (1|M0) -32 {NoMask}\nnop\n"),
    (Device::Ivb, rule_id!("leg.cf.jip-range"), 0, "while (8) 3\nnop\nnop\n"),
    (Device::Ivb, rule_id!("leg.cf.jip-range"), 0, "while (8) -2\nnop\n"),
    (Device::Skl, rule_id!("leg.cf.nesting"), 0, "endif (8|M0) 16\n"),
    (Device::Skl, rule_id!("leg.cf.nesting"), 0, "if (8|M0) 16 16\nnop\n"),
    (Device::Ivb, rule_id!("leg.cf.nesting"), 0, "else (8) 2\n"),
    (Device::Skl, rule_id!("leg.cf.nesting"), 0, "break (8|M0) 16 16\nnop\n"),
];

#[test]
fn broken_programs_break_exactly_their_rule() {
    for (device, rule, index, source) in PROGRAMS {
        let assembly = text::parse(*device, source)
            .unwrap_or_else(|wrong| panic!("{source}: {}", wrong[0].render("", source)));
        let findings = check_program(&assembly.program);
        let [finding] = findings.as_slice() else { panic!("{rule} {source}: {findings:#?}") };
        assert_eq!((finding.violation.rule, finding.index), (*rule, *index), "{source}");
    }
}

/// What the table forbids an operation is broken one by one: every row, every modifier.
#[test]
fn modifiers_are_refused_where_the_table_says_so() {
    let mut seen = BTreeSet::new();
    for row in tables::eu::modifiers() {
        let is_of = |device: &&Device| {
            device.generation().is_some_and(|generation| generation.name() == row.generation)
        };
        let device = *Device::LATER.iter().find(is_of).expect("a device");
        let opcode = crate::eu::Opcode::of_mnemonic(&row.mnemonic).expect("an operation");
        if opcode.code(device).is_none() {
            seen.insert(row.rule);
            continue;
        }
        let mut base = Instruction::bare(opcode);
        base.execution_size = 8;
        base.math = (opcode == crate::eu::Opcode::Math)
            .then_some(crate::eu::instruction::MathFunction::Inv);
        base.sources = [Source::Register {
            register: direct(RegisterFile::Grf, 2, 0),
            data_type: DataType::F,
            region: Region::PACKED8,
            modifier: Default::default(),
        }; 3];
        let rule = family::rule(&row.rule);
        let refuses = |change: fn(&mut Instruction)| {
            let mut instruction = base;
            change(&mut instruction);
            super::super::check(device, &instruction).iter().any(|found| found.rule == rule)
        };
        assert!(!refuses(|_| ()), "{}", row.rule);
        let has_sources =
            Facts::new(device, device.generation().expect("one"), &base).sources().next().is_some();
        let cases: [(bool, Change); 4] = [
            (row.predicate, |i| i.predicate.control = PredicateControl::Sequential),
            (row.conditional_modifier, |i| i.condition = ConditionalModifier::Less),
            (row.saturate, |i| i.saturate = true),
            (row.source_modifiers || !has_sources, |i| {
                for source in &mut i.sources {
                    if let Source::Register { modifier, .. } = source {
                        modifier.negate = true;
                    }
                }
            }),
        ];
        for (allowed, change) in cases {
            assert_eq!(refuses(change), !allowed, "{} {row:?}", row.rule);
            if !allowed {
                seen.insert(row.rule.clone());
            }
        }
    }
    assert!(seen.len() > 70, "{}", seen.len());
}

/// Every triple of types is accepted or refused as the table's rows say.
#[test]
fn types_are_refused_where_the_table_says_so() {
    let rows = tables::eu::operand_types();
    let mut refused = BTreeSet::new();
    for device in Device::LATER {
        let generation = device.generation().expect("one");
        for row in rows.iter().filter(|row| row.generation == generation.name()) {
            let opcode = crate::eu::Opcode::of_mnemonic(&row.mnemonic).expect("an operation");
            if opcode.code(device).is_none() {
                refused.insert(row.rule.clone());
                continue;
            }
            for to in DataType::ALL {
                for of in DataType::ALL {
                    let mut instruction = Instruction::bare(opcode);
                    instruction.math = (opcode == crate::eu::Opcode::Math)
                        .then_some(crate::eu::instruction::MathFunction::Pow);
                    instruction.destination.data_type = to;
                    instruction.destination.register = direct(RegisterFile::Grf, 10, 0);
                    instruction.sources = [Source::Register {
                        register: direct(RegisterFile::Grf, 2, 0),
                        data_type: of,
                        region: Region::SCALAR,
                        modifier: Default::default(),
                    }; 3];
                    let has = |names: &str, wanted: DataType| {
                        names.split('/').any(|name| name.eq_ignore_ascii_case(wanted.suffix()))
                    };
                    if encoding::is_vector(of) || opcode == crate::eu::Opcode::Smov {
                        continue;
                    }
                    let mut same = rows.iter().filter(|other| {
                        other.generation == row.generation && other.mnemonic == row.mnemonic
                    });
                    let allowed = same.clone().any(|other| {
                        has(&other.destination, to) && has(&other.src0, of) && has(&other.src1, of)
                    });
                    let first = family::rule(&same.next().expect("a row").rule);
                    let found = super::super::check(device, &instruction);
                    let is_refused = found.iter().any(|found| {
                        found.rule == first && found.message.contains(" cannot make ")
                    });
                    assert_eq!(is_refused, !allowed, "{device} {} {to:?} {of:?}", row.mnemonic);
                    if is_refused {
                        refused.insert(row.rule.clone());
                    }
                }
            }
        }
    }
    assert!(refused.len() > 60, "{}", refused.len());
}

/// The tables of types and modifiers say what the catalogue says.
#[test]
fn tables_say_what_the_catalogue_says() {
    for row in tables::eu::operand_types().iter().filter(|row| row.src0 == row.src1) {
        let rule = family::rule(&row.rule).rule();
        let clause = format!("dst {} with sources {}", row.destination, row.src0);
        let signed = |names: &str| {
            let kept = names.split('/').filter(|name| !name.starts_with('U'));
            kept.collect::<Vec<_>>().join("/")
        };
        let of_signed =
            format!("dst {} with sources {}", signed(&row.destination), signed(&row.src0));
        // Decision D-eu-later-types.
        let is_own = ["fbh", "bfi1", "bfe"].contains(&row.mnemonic.as_str())
            || row.mnemonic == "mad" && row.src0 == "F/HF"
            || rule.id.starts_with("talk.");
        assert!(
            is_own || rule.rule.contains(&clause) || rule.rule.contains(&of_signed),
            "{clause}: {}",
            rule.rule
        );
    }
    for row in tables::eu::modifiers() {
        let rule = family::rule(&row.rule).rule();
        let (_, allowed) = rule.rule.split_once("allowed: ").expect("what is allowed");
        let (allowed, _) = allowed.split_once("; not allowed").expect("what is not");
        // Drivers write them on functions of floats (decision D-eu-later-types).
        let is_own = |what: &str| (rule.id, what) == ("gen7.isa.mods.math", "source modifiers");
        let has = |what: &str| is_own(what) || allowed.split(", ").any(|item| item == what);
        assert_eq!(
            [row.predicate, row.conditional_modifier, row.saturate, row.source_modifiers],
            [
                has("predicate"),
                has("conditional modifier"),
                has("saturate"),
                has("source modifiers")
            ],
            "{}",
            rule.id
        );
    }
}

/// The generations that a check is for are among those of the table's row.
#[test]
fn checks_are_for_the_generations_of_the_table() {
    let mut wrong = Vec::new();
    for (on, check) in super::TABLES.into_iter().flatten() {
        let named = check.rules.iter().filter(|rule| rule.rule().id.starts_with("leg."));
        for generation in [Generation::Gen7, Generation::Gen9, Generation::Gen12] {
            let mut covering = named.clone().filter(|rule| is_for(rule.rule().rule, generation));
            let is_named = on.includes(generation) && named.clone().next().is_some();
            if is_named && covering.next().is_none() {
                wrong.push(format!("{} on {generation}", check.rules[0]));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Whether the generations at the start of a row of the table include one: `[Gen4-Gen7.5]`,
/// `[Gen8(CHV), Gen9(BXT/GLK)]`.
fn is_for(statement: &str, wanted: Generation) -> bool {
    let (list, _) = statement[1..].split_once(']').expect("generations");
    let number = |text: &str| -> f32 {
        let digits = text.trim().trim_start_matches("Gen");
        let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
        digits[..end].parse().expect("a generation")
    };
    let wanted = number(wanted.name());
    list.split(',').any(|item| match item.split_once('-') {
        Some((from, to)) => (number(from)..=number(to)).contains(&wanted),
        None => number(item) == wanted && !item.contains("BXT"),
    })
}

/// Every rule that is enforced is broken by some test, by itself or as another name of one.
#[test]
fn every_enforced_rule_is_tested() {
    let mut tested: BTreeSet<RuleId> = broken_lines().iter().map(|row| row.rule).collect();
    tested.extend(broken_lines().into_iter().flat_map(|row| {
        let found = super::super::check(row.device, &instruction(row.device, row.line));
        found.into_iter().flat_map(|found| [&[found.rule], found.also].concat())
    }));
    tested.extend(changes().iter().flat_map(|(device, line, change, ..)| {
        let mut changed = instruction(*device, line);
        change(&mut changed);
        let found = super::super::check(*device, &changed);
        found.into_iter().flat_map(|found| [&[found.rule], found.also].concat())
    }));
    tested.extend(PROGRAMS.iter().map(|(_, rule, ..)| *rule));
    // Rows of two tables, all of which tests of their own go through.
    let of_tables: BTreeSet<_> = types::rules().chain(modifiers::rules()).collect();
    let untested: Vec<_> = enforced_rules()
        .filter(|rule| !tested.contains(rule) && !of_tables.contains(rule))
        .collect();
    assert!(untested.is_empty(), "no test breaks {untested:#?}");
}

/// Every restriction of the catalogues of later generations is enforced or has a reason in
/// `decisions.md` not to be.
#[test]
fn every_restriction_is_enforced_or_explained() {
    let enforced: BTreeSet<_> = enforced_rules().collect();
    let decisions = include_str!("../../../../../spec/decisions.md");
    let start = decisions.find("### D-eu-later-not-static").expect("the decision");
    let explained = &decisions[start..];
    let explained = &explained[..explained[4..].find("\n##").map_or(explained.len(), |n| n + 4)];
    let catalogues = ["eu-legality-by-gen", "gen7-eu", "eu-later-gens", "gen-talk"];
    let missing: Vec<_> = RULES
        .iter()
        .filter(|rule| rule.level == Level::Restriction && catalogues.contains(&rule.catalogue))
        .filter(|rule| {
            rule.catalogue != "eu-legality-by-gen"
                || [Generation::Gen7, Generation::Gen9, Generation::Gen12]
                    .iter()
                    .any(|g| is_for(rule.rule, *g))
        })
        .filter(|rule| !enforced.contains(&RuleId::find(rule.id).unwrap()))
        .filter(|rule| !explained.contains(&format!("`{}`", rule.id)))
        .map(|rule| format!("{}: {}", rule.id, rule.rule))
        .collect();
    assert!(missing.is_empty(), "{} are neither:\n{}", missing.len(), missing.join("\n"));
}

/// Any word that decodes can be judged, also with sizes that no machine code has.
#[test]
fn every_instruction_is_judged() {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for device in Device::LATER {
        for _ in 0..30_000 {
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&next().to_le_bytes());
            bytes[8..].copy_from_slice(&next().to_le_bytes());
            let Ok((mut instruction, _)) = decode(device, &bytes) else { continue };
            assert!(super::super::check(device, &instruction).len() < 100);
            instruction.execution_size = next() as u8;
            for source in &mut instruction.sources {
                if let Source::Register { register, region, .. } = source {
                    if let Register::Direct { number, subregister, .. } = register {
                        (*number, *subregister) = (next() as u8, next() as u8);
                    }
                    if let Region::Align1 { width, horizontal, .. } = region {
                        (*width, *horizontal) = (next() as u8, next() as u8);
                    }
                }
            }
            instruction.thread_control = ThreadControl::Switch;
            assert!(super::super::check(device, &instruction).len() < 100);
        }
    }
}
