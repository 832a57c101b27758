//! Programs that are legal, and what whole tables forbid. An example of each restriction is in
//! `model/spec/examples`.

use std::{collections::BTreeSet, fs::File, io::Read, path::Path};

use parallax_spec::{
    examples::{self, Example},
    family, tables,
};

use super::super::{prelude::*, program::check as check_program, types::is_vector, *};
use crate::eu::{decode::decode, program::Program, text};

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
        rows.filter(|check| check.on.includes(Generation::Gen12))
            .any(|check| check.rules().any(|of| of == rule))
    };
    let mut wrong = Vec::new();
    let mut broken = BTreeSet::new();
    for (id, _, example) in examples::all() {
        let (Some(rule), Example::Pairs(pairs)) = (RuleId::find(id), example) else { continue };
        let is_about = is_checked(rule) && relations::is_about(rule, Generation::Gen12);
        for pair in pairs.iter().filter(|pair| is_about && pair.device == "skl") {
            let Ok(assembly) = text::parse(Device::Dg1, pair.illegal) else { continue };
            let [placed] = assembly.program.instructions() else { continue };
            let found = check(Device::Dg1, &placed.instruction);
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
            check(device, &instruction).iter().any(|found| found.rule == rule)
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
                    if is_vector(of) || opcode == crate::eu::Opcode::Smov {
                        continue;
                    }
                    let mut same = rows.iter().filter(|other| {
                        other.generation == row.generation && other.mnemonic == row.mnemonic
                    });
                    let allowed = same.clone().any(|other| {
                        has(&other.destination, to) && has(&other.src0, of) && has(&other.src1, of)
                    });
                    let first = family::rule(&same.next().expect("a row").rule);
                    let found = check(device, &instruction);
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
        // Decisions D-eu-operand-sets and D-eu-math-macros.
        let is_set = match (row.generation.as_str(), row.destination.as_str()) {
            ("Gen9", "UW/W/UD/D/UQ/Q") => true,
            ("Gen9", "DF") => row.mnemonic == "math",
            ("Gen12", "HF/F") => ["add", "mul", "sel"].contains(&row.mnemonic.as_str()),
            ("Gen12", "UD") => row.mnemonic == "fbl",
            ("Gen9" | "Gen12", "UD/D") => {
                ["bfrev", "mach", "math"].contains(&row.mnemonic.as_str())
            }
            _ => false,
        };
        let is_own = is_own || is_set;
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
    for check in TABLES.into_iter().flatten() {
        let named = check.rules().filter(|rule| rule.rule().id.starts_with("leg."));
        for generation in [Generation::Gen7, Generation::Gen9, Generation::Gen12] {
            let mut covering =
                named.clone().filter(|rule| relations::is_listed(rule.rule().rule, generation));
            let is_named = check.on.includes(generation) && named.clone().next().is_some();
            if is_named && covering.next().is_none() {
                wrong.push(format!("{} on {generation}", check.rules[0][0]));
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
            assert!(check(device, &instruction).len() < 100);
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
            assert!(check(device, &instruction).len() < 100);
        }
    }
}

/// Types are sets for each operand: what hardware and the vendor's assembler take (decisions D-eu-operand-sets and
/// D-eu-call-pair). Only a program of somebody else shows a set that is too narrow.
#[rstest::rstest]
#[case::quadwords_beside_narrower(Device::Skl, &[
    "add (8|M0) r12.0<1>:q r8.0<0;1,0>:q r5.0<8;8,1>:ud",
    "add (8|M0) r12.0<1>:q r5.0<8;8,1>:d r8.0<0;1,0>:q",
    "and (8|M0) r12.0<1>:q r8.0<4;4,1>:q 7:w",
    "cmp (8|M0) [(lt)f0.0] null<1>:q r8.0<4;4,1>:uq r4.0<8;8,1>:uw",
    "shl (8|M0) r12.0<1>:q r4.0<8;8,1>:w r8.0<4;4,1>:q",
    "shl (8|M0) r12.0<2>:d r8.0<4;4,1>:q 3:w",
    "sel (8|M0) [(ge)f0.0] r12.0<1>:q r8.0<4;4,1>:q 1:w",
])]
#[case::unsigned_shifts(Device::Skl, &[
    "shr (16|M0) r12.0<1>:d r8.0<8;8,1>:ud 1:w",
    "shr (8|M0) r12.0<1>:q r8.0<4;4,1>:uq r6.0<8;8,1>:ud",
    "shr (8|M0) r12.0<2>:d r8.0<4;4,1>:uq 3:w",
    "shr (16|M0) r12.0<2>:b r8.0<16;16,1>:ub 1:w",
])]
#[case::long_products(Device::Skl, &[
    "mach (8|M0) r12.0<1>:d r8.0<8;8,1>:ud r9.0<8;8,1>:ud {AccWrEn}",
    "mach (8|M0) r12.0<1>:d r8.0<8;8,1>:d r9.0<8;8,1>:ud {AccWrEn}",
    "math.iqot (8|M0) r12.0<1>:d r8.0<8;8,1>:ud r9.0<8;8,1>:ud",
    "bfrev (8|M0) r12.0<1>:d r8.0<8;8,1>:d",
])]
#[case::single_bytes(Device::Skl, &[
    "mov (1|M0) r1.1<1>:b r2.0<0;1,0>:d",
    "mov (1|M0) r1.1<1>:ub 7:uw",
    "add (1|M0) r1.1<1>:b r2.0<0;1,0>:b r3.0<0;1,0>:b",
    "mov (8|M0) r1.0<1>:ub r2.0<8;8,1>:b",
])]
#[case::first_steps(Device::Skl, &[
    "math.invm (4|M0) r29.0<1>._:df r104.0<2>.xzxx:df r113.0<2>.xzxx:df {Align16}",
    "math.rsqtm (8|M0) r29.0<1>._:f r104.0<4>.xzxx:f {Align16}",
])]
#[case::what_gen12_emits(Device::Dg1, &[
    "fbl (1|M0) r4.5<1>:ud r4.9<0;1,0>:uw {NoMask}",
    "rol (16|M0) r12.0<1>:ud r8.0<8;8,1>:ud r6.0<8;8,1>:d",
    "rol (16|M0) r12.0<1>:uw r8.0<16;16,1>:uw 3:w",
    "shr (16|M0) r12.0<1>:d r8.0<8;8,1>:ud 1:w",
    "mul (8|M0) r12.0<1>:d r8.0<8;8,1>:ub r6.0<8;8,1>:w",
    "mul (8|M0) r12.0<1>:f r8.0<8;8,1>:hf r6.0<8;8,1>:f",
    "mul (8|M0) r12.0<1>:hf r8.0<8;8,1>:hf r6.0<8;8,1>:f",
    "mach (8|M0) r12.0<1>:d r8.0<8;8,1>:d r9.0<8;8,1>:ud",
    "addc (8|M0) r12.0<1>:ud r8.0<8;8,1>:ud 1:w {AccWrEn}",
    "mov (16|M0) acc0<1>:f r8.0<8;8,1>:d",
])]
fn what_compilers_write_is_legal(#[case] device: Device, #[case] lines: &[&str]) {
    for line in lines {
        let assembly = text::parse(device, line)
            .unwrap_or_else(|wrong| panic!("{line}: {}", wrong[0].render("", line)));
        let found = check(device, &assembly.program.instructions()[0].instruction);
        assert!(found.is_empty(), "{device} {line}: {found:#?}");
    }
}

/// What the sets do not have is refused as before.
#[rstest::rstest]
#[case(Device::Skl, "add (8|M0) r12.0<1>:q r8.0<4;4,1>:q r5.0<8;8,1>:b", rule_id!("leg.type.byte-64bit"))]
#[case(Device::Skl, "shr (8|M0) r12.0<1>:d r8.0<8;8,1>:d 1:w", rule_id!("gen9.isa.types.shr"))]
#[case(Device::Skl, "mov (8|M0) r1.0<1>:b r2.0<8;8,1>:d", rule_id!("leg.type.byte-dst-packed"))]
#[case(Device::Skl, "math.inv (4|M0) r12.0<1>:df r8.0<4;4,1>:df", rule_id!("leg.inst.math-idiv-types"))]
#[case(Device::Skl, "mov (16|M0) acc0<1>:d r8.0<8;8,1>:d", rule_id!("leg.acc.simd16-int"))]
#[case(Device::Dg1, "mul (16|M0) r12.0<1>:f r8.0<16;16,1>:hf r6.0<8;8,1>:f", rule_id!("leg.mixed.simd8-f-dst"))]
#[case(Device::Dg1, "rol (8|M0) r12.0<1>:ud r8.0<8;8,1>:uw 3:w", rule_id!("leg.inst.rot"))]
#[case(Device::Dg1, "mul (8|M0) r12.0<1>:d r8.0<8;8,1>:w r6.0<8;8,1>:ub", rule_id!("gen12.isa.op.byte-src1"))]
#[case(Device::Ivb, "shr (8) r12<1>:d r8<8;8,1>:ud 1:w", rule_id!("gen7.isa.types.shr"))]
fn what_nobody_writes_is_refused(#[case] device: Device, #[case] line: &str, #[case] rule: RuleId) {
    let assembly = text::parse(device, line)
        .unwrap_or_else(|wrong| panic!("{line}: {}", wrong[0].render("", line)));
    let found = check(device, &assembly.program.instructions()[0].instruction);
    assert!(found.iter().any(|violation| violation.names(rule)), "{device} {line}: {found:#?}");
}
