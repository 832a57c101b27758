//! An engine with many mistakes at once, as a stranger's engine is on its first evening: each has a finding of
//! its own, without any of them being mended in between.

mod mistakes;

use std::{collections::BTreeMap, panic::catch_unwind, sync::atomic::AtomicBool};

use parallax_isa::{Device, eu::Case};
use parallax_lockstep::{
    campaign::{Bound, Cause, Plan, THIN_AFTER, campaign, related::TOLD},
    eu::{Eu, generate},
    suite::{Suite, lockstep::LockstepSuite},
    trace::{self, Trace},
};

use mistakes::mistakes;

use crate::{
    faults::{campaign::plan, suspects::cards},
    kit::{Fault, Faulty, divergence, many::Mistaken},
};

/// Every `sel` by order shows it: one of `:ud`, which is compared as signed, cannot show that alone.
const BESIDE: &str = "sel by order writes the flag register";

/// The findings of a campaign against an engine with all mistakes, those that showed in most cases first.
fn findings(cases: u64) -> Vec<Cause> {
    let device = Device::Skl;
    let generate = move |bytes: &[u8]| generate::straight_line(device, bytes);
    let suite = LockstepSuite::<Eu>::new("planted", device.name(), generate::BYTES, generate);
    let suite = suite.with_engine(|| Box::new(Mistaken::new(mistakes())));
    let suites: Vec<Box<dyn Suite>> = vec![Box::new(suite)];
    let thin_after = Some(THIN_AFTER);
    let plan = Plan { thin_after, ..plan(11, Bound::Cases(cases)) };
    let summary = campaign(&plan, suites, &AtomicBool::new(false), |_| ());
    summary.expect("it starts").findings
}

/// The mistakes that the smallest case of a cause shows, each by itself.
fn shown(cause: &Cause) -> Vec<&'static str> {
    let trace = cause.finding.trace.as_ref().expect("a trace");
    let trace: Trace<Eu> = trace::from_bytes(trace).expect("a whole trace");
    let case: &Case = &trace.case;
    let is_death = cause.finding.kind.ends_with(" panic");
    // An engine that dies of one mistake shows no other one.
    let shows = |fault: &Fault<Eu>| match catch_unwind(|| {
        divergence(&mut Faulty::new(*fault), case).is_some()
    }) {
        Ok(differs) => differs && !is_death,
        Err(_) => is_death,
    };
    mistakes().into_iter().filter(shows).map(|fault| fault.name).collect()
}

/// Three in four mistakes have a finding of their own, and none hides behind another one. Those that are hidden show in
/// few instructions of this suite.
#[test]
fn each_of_many_mistakes_has_a_finding_of_its_own() {
    let findings = findings(6000);
    let cards = cards(&findings);
    let mut by_mistake: BTreeMap<&str, usize> = BTreeMap::new();
    let mut mixed = Vec::new();
    for card in &cards {
        let shown: Vec<_> = card.iter().map(|place| shown(&findings[*place])).collect();
        for place in card {
            let Cause { finding, signature, .. } = &findings[*place];
            let (cases, signature) = (findings[*place].cases(), signature.as_deref());
            let signature = signature.unwrap_or("-");
            let rules = finding.rules.iter().take(TOLD).map(|rule| rule.rule().id);
            let rules: Vec<_> = rules.collect();
            println!("{cases:5} {:14} [{signature}] {}", finding.kind, finding.instruction);
            println!("      {rules:?}");
        }
        println!("      {shown:?}");
        for mut shown in shown {
            if shown.len() > 1 {
                shown.retain(|name| *name != BESIDE);
            }
            let first = shown.first().copied().unwrap_or("nothing");
            *by_mistake.entry(first).or_default() += 1;
            if shown.len() != 1 {
                mixed.push(first);
            }
        }
    }
    let hidden: Vec<_> = mistakes()
        .into_iter()
        .map(|m| m.name)
        .filter(|name| !by_mistake.contains_key(name))
        .collect();
    println!(
        "{} cards, {} mistakes, hidden {hidden:?}, mixed {mixed:?}",
        cards.len(),
        mistakes().len()
    );
    println!("{by_mistake:?}");
    assert!(hidden.len() * 4 <= mistakes().len(), "{hidden:?}");
    assert!(cards.len() <= mistakes().len() * 3, "{} cards", cards.len());
    assert!(mixed.is_empty(), "{mixed:?}");
}
