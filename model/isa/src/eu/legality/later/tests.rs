//! Programs that are legal, and what whole tables forbid. An example of each restriction is in
//! `model/spec/examples`.

use std::{collections::BTreeSet, fs::File, io::Read, path::Path};

use parallax_spec::{
    RuleId,
    examples::{self, Example},
    family, rule_id, tables,
};

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

/// What is said of Gen9 and Gen12 alike is broken on both by the same lines; of the others some have
/// no text on Gen12.
#[test]
fn examples_of_gen9_break_the_same_rules_on_gen12() {
    let is_checked = |rule: RuleId| {
        let rows = TABLES.into_iter().flatten();
        rows.filter(|(on, _)| on.includes(Generation::Gen12))
            .any(|(_, check)| check.rules.contains(&rule))
    };
    let mut wrong = Vec::new();
    let mut broken = BTreeSet::new();
    for (id, _, example) in examples::all() {
        let (Some(rule), Example::Pairs(pairs)) = (RuleId::find(id), example) else { continue };
        let is_about = is_checked(rule) && relations::is_about(rule, Generation::Gen12);
        for pair in pairs.iter().filter(|pair| is_about && pair.device == "skl") {
            let Ok(assembly) = text::parse(Device::Dg1, pair.illegal) else { continue };
            let [placed] = assembly.program.instructions() else { continue };
            let found = super::super::check(Device::Dg1, &placed.instruction);
            if found.iter().any(|violation| violation.names(rule)) {
                broken.insert(rule);
            } else {
                wrong.push(format!("{rule}: {}: {found:#?}", pair.illegal));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them do not:\n{}", wrong.len(), wrong.join("\n"));
    assert!(broken.len() > 50, "{}", broken.len());
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

/// What is done to an instruction.
type Change = fn(&mut Instruction);

const fn general(number: u8) -> Register {
    Register::Direct { file: RegisterFile::Grf, number, subregister: 0 }
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
            register: general(2),
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
            Facts::new(device.generation().expect("one"), &base).sources().next().is_some();
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
                    instruction.destination.register = general(10);
                    instruction.sources = [Source::Register {
                        register: general(2),
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
            let mut covering =
                named.clone().filter(|rule| relations::is_listed(rule.rule().rule, generation));
            let is_named = on.includes(generation) && named.clone().next().is_some();
            if is_named && covering.next().is_none() {
                wrong.push(format!("{} on {generation}", check.rules[0]));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
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
