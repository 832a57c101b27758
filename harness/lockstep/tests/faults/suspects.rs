//! The rule that a mistake breaks stands among the first that its finding names.

use std::{collections::BTreeSet, sync::atomic::AtomicBool};

use parallax_executor::{eu::Executor, r700 as executor};
use parallax_isa::{
    Device, Engine,
    r700::{Case, text},
};
use parallax_lockstep::{
    campaign::{
        Bound, Cause, campaign,
        related::{REPORTED, Suspicion, related},
    },
    choices::Choices,
    eu::{Eu, generate},
    r700::R700,
    suite::Suite,
    suites::lockstep::LockstepSuite,
};

use rstest::rstest;

use crate::{
    fault_injection::Faulty,
    faults::{campaign::plan, eu::fault, r700},
};

/// The findings of a campaign with some faults at once, those that showed in most cases first.
fn findings(names: &'static [&'static str]) -> Vec<Cause> {
    let generate = |bytes: &[u8]| generate::straight_line(Device::G45, bytes);
    let suite = LockstepSuite::<Eu>::new("planted", "g45", generate::BYTES, generate);
    let suite = suite.with_engine(|| {
        let right: Box<dyn Engine<Eu>> = Box::new(Executor::new());
        names.iter().fold(right, |engine, name| Box::new(Faulty::around(engine, fault(name))))
    });
    let suites: Vec<Box<dyn Suite>> = vec![Box::new(suite)];
    let stop = AtomicBool::new(false);
    let summary = campaign(&plan(11, Bound::Cases(600)), suites, &stop, |_| ());
    summary.expect("it starts").findings
}

/// The cards that findings make, by their places.
pub(crate) fn cards(findings: &[Cause]) -> Vec<Vec<usize>> {
    let suspicions: Vec<_> =
        findings
            .iter()
            .map(|Cause { finding, signature, .. }| {
                let rules = finding.rules.iter().map(|rule| rule.rule().id);
                Suspicion::new(&finding.kind, rules)
                    .with_signature(signature.as_deref())
                    .with_values(&finding.location, &finding.expected, &finding.actual)
            })
            .collect();
    related(&suspicions)
}

/// The rule that each fault breaks, by a part of its id; of some there are several that say it.
const BROKEN: &[(&str, &[&str])] = &[
    ("first operand of add negated", &["g45.inst.add."]),
    ("second operand of mul negated", &["g45.inst.mul."]),
    ("operands of cmp swapped", &["g45.inst.cmp.", "g45.cmp."]),
    ("operands of sel swapped", &["g45.inst.sel."]),
    ("operands of shl swapped", &["g45.inst.shl."]),
    ("shr taken for asr", &["g45.inst.asr."]),
    ("and taken for or", &["g45.inst.and."]),
    ("xor taken for or", &["g45.inst.xor."]),
    ("rndu taken for frc", &["g45.inst.rndu."]),
    ("rndu taken for rndd", &["g45.inst.rndu."]),
    ("rndd taken for rndu", &["g45.inst.rndd."]),
    ("rnde taken for rndz", &["g45.inst.rnde."]),
    ("cmpn taken for cmp", &["cmpn"]),
    ("dp3 taken for dp4", &["g45.inst.dp3."]),
    ("dph taken for dp4", &["g45.inst.dph."]),
    ("dp2 taken for dp3", &["g45.inst.dp2."]),
    ("avg taken for add", &["g45.inst.avg."]),
    ("mac taken for mul", &["g45.inst.mac."]),
    ("sada2 taken for sad2", &["g45.inst.sada2."]),
    ("not taken for mov", &["g45.inst.not."]),
    ("saturation lost", &["sat"]),
    ("predicate inverted", &["pred"]),
    ("predicate ignored", &["pred"]),
    ("any taken for all", &["pred"]),
    ("other flag subregister", &["flag"]),
    ("greater or equal taken for greater", &["cond.g", "cmp.g", "condmod"]),
    ("less taken for less or equal", &["cond.l", "cmp.l", "condmod"]),
    ("equal taken for not equal", &["cond.e", "cmp.e", "condmod"]),
    ("flag update lost", &["g45.cond.", "condmod", "flag"]),
    ("negation dropped", &["srcmod", "negat"]),
    ("absolute value dropped", &["srcmod", "abs"]),
    ("NoMask ignored", &["mask", "wren"]),
    ("disabled channels written", &["mask", "wren"]),
    ("SecHalf ignored", &["compr", "sechalf"]),
    ("second half of a compressed instruction lost", &["compr"]),
    ("half of the channels", &["execsize", "exec-size", "region.dst-size"]),
    ("destination stride doubled", &["stride", "region"]),
    ("channel enables reversed", &["align16", "chan-enable", "chanen"]),
    ("swizzle rotated", &["align16", "swizzle"]),
    ("source scalar not replicated", &["region", "scalar", "stride", "width"]),
    ("address offset off by 16", &["indirect", "addr"]),
    // The codes of destinations are those of sources.
    ("wrong destination type", &["dsttype", "srctype.register-codes", "g45.conv."]),
    // Of special values of `frc`, denormals among them.
    ("a denormal not flushed", &["float", "denorm", "g45.inst.frc.ieee"]),
    ("sign of zero lost", &["zero", "float", "ieee"]),
    ("infinity turned to the largest number", &["inf", "float", "ieee"]),
    ("a NaN turned to infinity", &["nan", "float", "ieee"]),
    ("accumulator guard bits lost", &["acc"]),
    ("carry of mach into the upper half lost", &["g45.inst.mach.", "acc"]),
    ("accumulator not updated", &["acc"]),
];

/// Faults that make more cards than one, and how many at most: those that show seldom, with values that many
/// rules are about, or in what each instruction says for itself.
const SCATTERED: &[(&str, usize)] = &[("wrong destination type", 2), ("a denormal not flushed", 2)];

/// Faults whose finding does not show the rule: they show seldom, and in what each operation says for itself.
const NOT_SHOWN: &[&str] = &["infinity turned to the largest number"];

/// The finding of each fault shows the rule that is broken, and one fault makes one card.
#[test]
fn the_right_rule_is_among_the_first() {
    let mut wrong = Vec::new();
    let mut scattered = Vec::new();
    for (name, parts) in BROKEN {
        let findings = findings(std::slice::from_ref(name));
        let first = &findings.first().unwrap_or_else(|| panic!("{name}: not found")).finding;
        let shown: Vec<_> = first.rules.iter().take(REPORTED).map(|rule| rule.rule().id).collect();
        let is_right = shown.iter().any(|id| parts.iter().any(|part| id.contains(part)));
        let cards = cards(&findings).len();
        println!("{name}: {} kinds on {cards} cards, {shown:?}", findings.len());
        let most = SCATTERED.iter().find_map(|(fault, cards)| (fault == name).then_some(*cards));
        if cards > 1 {
            for Cause { finding, signature, shown, .. } in &findings {
                let rule = finding.rules.first().map(|rule| rule.rule().id);
                println!(
                    "  {}, {signature:?}: {rule:?}, {} ({}): {}, {} or {}",
                    finding.kind,
                    finding.instruction,
                    shown[0].cases,
                    finding.location,
                    finding.expected,
                    finding.actual
                );
            }
        }
        if cards > most.unwrap_or(1) {
            scattered.push((name, cards));
        }
        if is_right == NOT_SHOWN.contains(name) {
            wrong.push((name, shown));
        }
    }
    assert!(scattered.is_empty() && wrong.is_empty(), "{scattered:?}, {wrong:?}");
}

/// Several mistakes in one engine are told apart: what an instruction does wrong by itself is not blamed on what it
/// shares with others that are wrong in ways of their own.
#[test]
fn mistakes_of_their_own_are_not_blamed_on_what_is_shared() {
    let findings = findings(&[
        "first operand of add negated",
        "avg taken for add",
        "xor taken for or",
        "not taken for mov",
    ]);
    let results =
        findings.iter().map(|cause| &cause.finding).filter(|f| f.kind.ends_with(" result"));
    let firsts: Vec<_> = results
        .map(|finding| {
            let first = finding.rules.first().map_or("none", |rule| rule.rule().id);
            println!("{}: {first}", finding.kind);
            (finding.kind.trim_end_matches(" result"), first)
        })
        .collect();
    let right = |(wrong, first): &&(&str, &str)| first.starts_with(&format!("g45.inst.{wrong}."));
    assert!(firsts.iter().all(|first| right(&first)), "{firsts:?}");
    let wrong: BTreeSet<_> = firsts.iter().map(|(wrong, _)| *wrong).collect();
    assert_eq!(wrong, ["add", "avg", "not", "xor"].into(), "{firsts:?}");
}

/// Bytes of a case of [`small_group`].
const GROUP_BYTES: usize = 4096;

/// A group of four instructions of an emulator that has few, which fails most groups if some of them are wrong.
fn small_group(bytes: &[u8]) -> Case {
    const INSTRUCTIONS: [&str; 6] = ["ADD_INT", "XOR_INT", "MUL", "MIN_INT", "CNDGT", "TRUNC"];
    let mut choices = Choices::new(bytes);
    let mut source = "00 ALU:\n".to_owned();
    for element in ["x", "y", "z", "w"] {
        let instruction = *choices.pick(&INSTRUCTIONS);
        let number = match instruction {
            "TRUNC" => 1,
            "CNDGT" => 3,
            _ => 2,
        };
        let operands: String = (1..=number).map(|r| format!(", R{r}.{element}")).collect();
        source += &format!(" 0  {element}: {instruction} R0.{element}{operands}\n");
    }
    let program = text::parse(&(source + "01 NOP: END_OF_PROGRAM\n")).expect("it assembles");
    let mut case = Case::new(program.encode());
    for element in case.state.gpr[1..4].iter_mut().flatten() {
        *element = std::array::from_fn(|_| choices.pick(&[0x4020_0000, 0xC0B8_0000, 0]).to_owned());
    }
    case
}

/// Mistakes of instructions that stand in one group are told apart, though hardly any group agrees.
#[test]
fn mistakes_in_one_group_are_told_apart() {
    const WRONG: [(&str, &str); 4] = [
        ("ADD taken for MUL", "r700.aluinst.mul."),
        ("MIN_UINT taken for MIN_INT", "r700.aluinst.min-int."),
        ("CNDGE taken for CNDGT", "r700.aluinst.cndgt."),
        ("FLOOR taken for TRUNC", "r700.aluinst.trunc."),
    ];
    let suite = LockstepSuite::<R700>::new("planted", "rv770", GROUP_BYTES, small_group);
    let suite = suite.with_engine(|| {
        let right: Box<dyn Engine<R700>> = Box::new(executor::Executor::new());
        WRONG
            .iter()
            .fold(right, |engine, (name, _)| Box::new(Faulty::around(engine, r700::fault(name))))
    });
    let stop = AtomicBool::new(false);
    let summary = campaign(&plan(11, Bound::Cases(300)), vec![Box::new(suite)], &stop, |_| ());
    let findings = summary.expect("it starts").findings;
    for Cause { finding, signature, .. } in &findings {
        let first = finding.rules.first().map(|rule| rule.rule().id);
        println!("{}: {signature:?} {first:?}", finding.kind);
    }
    assert_eq!(cards(&findings).len(), findings.len());
    for (name, rule) in WRONG {
        let firsts = findings.iter().filter_map(|cause| cause.finding.rules.first());
        assert!(firsts.map(|first| first.rule().id).any(|first| first.starts_with(rule)), "{name}");
    }
}

/// A fetch that is wrong with one value of a field says so, on two cards at most: fetches by semantic are another
/// instruction.
#[rstest]
#[case("offset of a fetch ignored", "OFFSET")]
#[case("bytes of a fetch not exchanged", "ENDIAN_SWAP")]
#[case("signed components taken for unsigned", "FORMAT_COMP_SIGNED")]
#[case("scaled numbers taken for integers", "NUM_FORMAT_SCALED")]
#[case("fields of the fetch constant not used", "USE_CONST_FIELDS")]
#[case("instances counted like vertices", "FETCH_TYPE of instances")]
#[case("aL not added to what a fetch writes", "DST_REL")]
#[case("aL not added to what a fetch reads", "SRC_REL")]
#[case("alternate fetch constants not used", "ALT_CONST")]
fn findings_of_fetches_name_the_field(#[case] fault: &'static str, #[case] feature: &str) {
    let stop = AtomicBool::new(false);
    let suites: Vec<Box<dyn Suite>> = vec![Box::new(r700::accesses_with(fault))];
    let summary = campaign(&plan(11, Bound::Cases(600)), suites, &stop, |_| ());
    let findings = summary.expect("it starts").findings;
    for Cause { finding, signature, .. } in &findings {
        let first = finding.rules.first().map(|rule| rule.rule().id);
        println!("{}: {signature:?} {first:?} {}", finding.kind, finding.instruction);
    }
    let cards = cards(&findings);
    println!("{cards:?}");
    let has = |signature: &str| signature.ends_with(&format!(" with {feature}"));
    assert!(findings.iter().filter_map(|cause| cause.signature.as_deref()).any(has));
    assert!(cards.len() <= 2, "{} cards", cards.len());
}
