//! An engine with many mistakes at once, as a stranger's engine is on its first evening: each has a finding of
//! its own, without any of them being fixed in between.

mod mistakes;

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::AtomicBool,
};

use parallax_isa::Device;
use parallax_lockstep::{
    Subject,
    campaign::{Bound, Cause, Plan, THIN_AFTER, campaign, related::REPORTED},
    eu::{Eu, generate},
    r700::{R700, generate as groups},
    suite::Suite,
    suites::lockstep::LockstepSuite,
    trace::{self, Trace},
};

use mistakes::mistakes;

use crate::{
    fault_injection::{Fault, Faulty, Mutate, divergence, many::Mistaken},
    faults::{campaign::plan, r700, suspects::cards},
};

/// Every `sel` by order shows it: one of `:ud`, which is compared as signed, cannot show that alone.
const BESIDE: &str = "sel by order writes the flag register";

/// Mistakes of an engine of R700, as translators of emulators have them: in one operation each, and in what all have
/// in common.
const OF_R700: &[&str] = &[
    "negation of src2 lost",
    "absolute value lost",
    "clamp lost",
    "scale by 2 and by 4 exchanged",
    "PS taken for PV",
    "constant cache sets exchanged",
    "inline -1 taken for 0.5",
    "predicate select inverted",
    "SETGE taken for SETGT",
    "FLOOR taken for TRUNC",
    "LSHR_INT taken for ASHR_INT",
    "MIN_UINT taken for MIN_INT",
    "CNDGE taken for CNDGT",
    "COS taken for SIN",
    "RECIP_UINT taken for RECIP_INT",
    "MULHI_UINT taken for MULHI_INT",
];

/// A machine, its mistakes, and the programs that are to show them.
struct Many<M: Mutate> {
    device: Device,
    mistakes: fn() -> Vec<Fault<M>>,
    generate: fn(Device, &[u8]) -> M::Case,
    bytes: usize,
}

const EU: Many<Eu> = Many {
    device: Device::Skl,
    mistakes,
    generate: generate::straight_line,
    bytes: generate::BYTES,
};

const GROUPS: Many<R700> = Many {
    device: Device::Rv770,
    mistakes: || OF_R700.iter().map(|name| r700::fault(name)).collect(),
    generate: groups::groups,
    bytes: groups::BYTES,
};

impl<M: Mutate + Subject> Many<M> {
    /// The findings of a campaign against an engine with all mistakes, those that showed in most cases first.
    fn findings(&self, cases: u64) -> Vec<Cause> {
        let Self { device, mistakes, generate, bytes } = *self;
        let suite = LockstepSuite::<M>::new("planted", device.name(), bytes, move |bytes| {
            generate(device, bytes)
        });
        let suite = suite.with_engine(move || Box::new(Mistaken::new(mistakes())));
        let suites: Vec<Box<dyn Suite>> = vec![Box::new(suite)];
        let thin_after = Some(THIN_AFTER);
        let plan = Plan { thin_after, ..plan(11, Bound::Cases(cases)) };
        let summary = campaign(&plan, suites, &AtomicBool::new(false), |_| ());
        summary.expect("it starts").findings
    }

    /// The mistakes that the smallest case of a cause shows, each by itself.
    fn shown(&self, cause: &Cause) -> Vec<&'static str> {
        let trace = cause.finding.trace.as_ref().expect("a trace");
        let trace: Trace<M> = trace::from_bytes(trace).expect("a whole trace");
        let case = &trace.case;
        let is_death = cause.finding.kind.ends_with(" panic");
        // An engine that dies of one mistake shows no other one.
        let shows = |fault: &Fault<M>| {
            let shows = || divergence(&mut Faulty::new(*fault), case).is_some();
            match catch_unwind(AssertUnwindSafe(shows)) {
                Ok(differs) => differs && !is_death,
                Err(_) => is_death,
            }
        };
        (self.mistakes)().into_iter().filter(shows).map(|fault| fault.name).collect()
    }

    /// The names of the mistakes that have no finding of their own, and those of which a finding of several cases shows
    /// another one too, or none.
    fn hidden_and_mixed(&self, cases: u64) -> [Vec<&'static str>; 2] {
        let findings = self.findings(cases);
        let cards = cards(&findings);
        let mut by_mistake: BTreeMap<&str, usize> = BTreeMap::new();
        let mut mixed = Vec::new();
        for card in &cards {
            let shown: Vec<_> = card.iter().map(|place| self.shown(&findings[*place])).collect();
            for place in card {
                let Cause { finding, signature, .. } = &findings[*place];
                let (cases, signature) = (findings[*place].cases(), signature.as_deref());
                let signature = signature.unwrap_or("-");
                let rules = finding.rules.iter().take(REPORTED).map(|rule| rule.rule().id);
                let rules: Vec<_> = rules.collect();
                println!("{cases:5} {:14} [{signature}] {}", finding.kind, finding.instruction);
                println!("      {rules:?}");
            }
            println!("      {shown:?}");
            for (mut shown, place) in shown.into_iter().zip(card) {
                if shown.len() > 1 {
                    shown.retain(|name| *name != BESIDE);
                }
                let first = shown.first().copied().unwrap_or("nothing");
                *by_mistake.entry(first).or_default() += 1;
                if shown.len() != 1 && findings[*place].cases() > 1 {
                    mixed.push(first);
                }
            }
        }
        let mistakes = (self.mistakes)();
        let names = mistakes.iter().map(|mistake| mistake.name);
        let hidden: Vec<_> = names.filter(|name| !by_mistake.contains_key(name)).collect();
        let (cards, number) = (cards.len(), mistakes.len());
        println!("{cards} cards, {number} mistakes, hidden {hidden:?}, mixed {mixed:?}");
        println!("{by_mistake:?}");
        assert!(cards <= number * 3, "{cards} cards");
        [hidden, mixed]
    }
}

/// Three in four mistakes have a finding of their own. Those that are hidden show in few instructions of this suite.
#[test]
fn each_of_many_mistakes_has_a_finding_of_its_own() {
    let [hidden, mixed] = EU.hidden_and_mixed(6000);
    assert!(hidden.len() * 4 <= mistakes().len(), "{hidden:?}");
    assert!(mixed.is_empty(), "{mixed:?}");
}

/// Seven in eight have. A group has several instructions, of which another one may be wrong in the smallest case: so is
/// one finding.
#[test]
fn each_of_many_mistakes_of_r700_has_a_finding_of_its_own() {
    let [hidden, mixed] = GROUPS.hidden_and_mixed(6000);
    assert!(hidden.len() * 8 <= OF_R700.len(), "{hidden:?}");
    assert!(mixed.len() <= 1, "{mixed:?}");
}
