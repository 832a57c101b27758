//! The rule that a mistake breaks stands among the first that its finding names.

use std::{collections::BTreeSet, sync::atomic::AtomicBool};

use parallax_executor::eu::Executor;
use parallax_isa::{Device, Engine};
use parallax_lockstep::{
    campaign::{
        Bound, Cause, campaign,
        related::{REPORTED, Suspicion, related},
    },
    eu::{Eu, generate},
    suite::Suite,
    suites::lockstep::LockstepSuite,
};

use crate::{
    fault_injection::Faulty,
    faults::{campaign::plan, eu::fault},
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
    let suspicions: Vec<_> = findings
        .iter()
        .map(|Cause { finding, signature, .. }| {
            let rules = finding.rules.iter().map(|rule| rule.rule().id);
            Suspicion::new(&finding.kind, rules).with_signature(signature.as_deref())
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
const SCATTERED: &[(&str, usize)] = &[
    ("absolute value dropped", 2),
    ("SecHalf ignored", 2),
    ("half of the channels", 2),
    ("destination stride doubled", 2),
    ("other flag subregister", 3),
    ("wrong destination type", 3),
    ("a denormal not flushed", 2),
    ("sign of zero lost", 3),
    ("infinity turned to the largest number", 4),
    ("accumulator guard bits lost", 4),
];

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
        if cards > most.unwrap_or(1) {
            for Cause { finding, signature, .. } in &findings {
                let rule = finding.rules.first().map(|rule| rule.rule().id);
                println!("  {}, {signature:?}: {rule:?}, {}", finding.kind, finding.instruction);
            }
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
