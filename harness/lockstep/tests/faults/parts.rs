//! A campaign in parts: shards that are merged, and one that is recorded and goes on, come to what one
//! campaign comes to, with the same findings.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, Ordering},
};

use parallax_isa::{
    Device, Step,
    eu::{Opcode, State},
};
use parallax_lockstep::{
    campaign::{
        Bound, Campaign, Cause, MergeError, Plan, Record, ResumeError, Shard, Summary, THIN_AFTER,
    },
    eu::{Eu, generate, instruction_at},
    suite::Suite,
    suites::lockstep::LockstepSuite,
};
use rstest::rstest;

use crate::{
    fault_injection::{Fault, Faulty},
    faults::campaign::{self, timeless},
};

/// Enough for several rounds, and for a piece that is not whole.
const CASES: u64 = 48 * 24 * 2 + 60;

/// A shard leaves what differs often out of its own programs: those of a whole campaign do not.
fn plan(number: u64, of: u64) -> Plan {
    let shard = Shard { number, of };
    Plan { first: 5, shard, thin_after: None, ..campaign::plan(11, Bound::Cases(CASES)) }
}

/// A whole campaign that leaves what differs often out of most programs.
fn thinning() -> Plan {
    Plan { thin_after: Some(THIN_AFTER), ..plan(1, 1) }
}

fn suite(name: &'static str, device: Device) -> LockstepSuite<Eu> {
    let generate = move |bytes: &[u8]| generate::straight_line(device, bytes);
    LockstepSuite::new(name, device.name(), generate::BYTES, generate).with_most_uncompared(0.01)
}

/// A suite of an engine that is wrong in several instructions.
fn wrong(name: &'static str, device: Device) -> Box<dyn Suite> {
    Box::new(suite(name, device).with_engine(|| {
        Box::new(Faulty::new(Fault::answer("over early", |case, before: &State, step| {
            const WRONG: [Opcode; 4] = [Opcode::Sad2, Opcode::Lzd, Opcode::Dp2, Opcode::Rnde];
            match instruction_at(case, before.ip).map(|next| next.opcode) {
                Some(opcode) if WRONG.contains(&opcode) => {
                    Step::Finished(parallax_isa::Outcome::EndOfThread)
                }
                _ => step,
            }
        })))
    }))
}

/// A wrong suite, and one more.
fn suites() -> Vec<Box<dyn Suite>> {
    vec![wrong("wrong", Device::G45), Box::new(suite("right", Device::G45))]
}

/// Suites of two manuals, all of them wrong in the same way.
fn all_wrong() -> Vec<Box<dyn Suite>> {
    vec![
        wrong("wrong", Device::Skl),
        wrong("wrong", Device::Bw),
        wrong("wrong", Device::G45),
        wrong("more", Device::G45),
    ]
}

fn run(plan: Plan) -> Campaign {
    let mut campaign = Campaign::new(plan, suites());
    campaign.run(&AtomicBool::new(false), |_, _| ()).expect("it starts");
    campaign
}

fn assert_same(actual: &Summary, expected: &Summary) {
    assert_eq!(timeless(actual), timeless(expected));
    assert_eq!(actual.coverage, expected.coverage);
}

#[rstest]
#[case(1)]
#[case(2)]
#[case(5)]
fn shards_come_to_what_one_campaign_comes_to(#[case] of: u64) {
    let whole = run(plan(1, 1)).summary();
    assert!(whole.findings.len() >= 4, "{}", whole.findings.len());
    assert!(whole.suites.iter().all(|suite| suite.cases == CASES), "{:?}", whole.suites);
    // In any order.
    let shards = (1..=of).rev().map(|number| run(plan(number, of)).record().over()).collect();
    let merged = Record::merge(shards).expect("all of them");
    assert_eq!(merged.plan, Plan { jobs: merged.plan.jobs, ..plan(1, 1) });
    assert_same(&merged.summary(None), &whole);
}

/// A mistake is one cause on all devices of a manual and in all their suites, one more by the rules of
/// another manual; shards find the same of it.
#[rstest]
#[case(1)]
#[case(3)]
fn a_mistake_is_one_cause_wherever_it_shows(#[case] of: u64) {
    const CASES: u64 = 700;
    let run = |number, of| {
        let plan = Plan { bound: Bound::Cases(CASES), ..plan(number, of) };
        let mut campaign = Campaign::new(plan, all_wrong());
        campaign.run(&AtomicBool::new(false), |_, _| ()).expect("it starts");
        campaign
    };
    let shards = (1..=of).map(|number| run(number, of).record().over()).collect();
    let merged = Record::merge(shards).expect("all of them").summary(None);
    let whole = run(1, 1).summary();
    assert_same(&merged, &whole);
    assert_eq!(merged.findings, whole.findings);
    let devices = |cause: &Cause| -> BTreeSet<String> {
        cause.shown.iter().map(|shown| shown.device.clone()).collect()
    };
    let of_gen4 = |cause: &&Cause| devices(cause).contains("g45");
    let flow: Vec<_> = whole.findings.iter().filter(of_gen4).collect();
    let kinds: BTreeSet<_> = flow.iter().map(|cause| &cause.finding.kind).collect();
    assert_eq!(kinds.len(), flow.len(), "one cause of each kind");
    for cause in &flow {
        assert!(!devices(cause).contains("skl"), "{}", cause.finding.kind);
    }
    let sad2 = flow.iter().find(|cause| cause.finding.kind == "sad2 flow").expect("found");
    assert_eq!(sad2.shown.len(), 3, "{:?}", sad2.shown);
    assert_eq!(sad2.finding.device, "bw", "the first suite stands for it");
    // Every case that differs is counted once.
    let differing: u64 = whole.suites.iter().map(|suite| suite.divergences).sum();
    assert_eq!(whole.findings.iter().map(Cause::cases).sum::<u64>(), differing);
}

#[test]
fn a_campaign_that_goes_on_comes_to_what_it_would_have_come_to() {
    let whole = run(thinning()).summary();
    assert!(!whole.suites[0].thinned.is_empty() && whole.suites[1].thinned.is_empty());
    let mut last = Campaign::new(thinning(), suites()).record();
    let mut parts = 0;
    loop {
        parts += 1;
        let mut campaign = Campaign::resume(last, suites(), Some(2), None).expect("not over");
        let cancel = AtomicBool::new(false);
        let mut after_a_round = None;
        let run = campaign.run(&cancel, |campaign, _| {
            after_a_round = Some(campaign.record());
            cancel.store(true, Ordering::Relaxed);
        });
        run.expect("it starts");
        let Some(record) = after_a_round else {
            assert_same(&campaign.summary(), &whole);
            break;
        };
        last = record;
    }
    assert!(parts > 5, "{parts}");
}

#[test]
fn what_is_not_of_one_campaign_is_not_merged() {
    let record = |plan: Plan, suites| Campaign::new(plan, suites).record().over();
    let shard = |number, of| record(plan(number, of), suites());
    let merge = |records: Vec<Record>| Record::merge(records).expect_err("they do not fit");
    assert!(matches!(merge(Vec::new()), MergeError::Nothing));
    let error = merge(vec![shard(2, 4), shard(4, 4)]);
    assert_eq!(error.to_string(), "of 4 shards 1, 3 are missing");
    let twice = merge(vec![shard(1, 2), shard(1, 2)]);
    assert!(matches!(twice, MergeError::Twice { place: 1, number: 1 }), "{twice}");
    let unfinished = Campaign::new(plan(2, 2), suites()).record();
    assert!(matches!(merge(vec![shard(1, 2), unfinished]), MergeError::Unfinished(1)));
    let others = [
        (shard(2, 3), "number of shards"),
        (record(Plan { seed: 12, ..plan(2, 2) }, suites()), "seed"),
        (record(Plan { first: 0, ..plan(2, 2) }, suites()), "seed"),
        (record(Plan { bound: Bound::Cases(1), ..plan(2, 2) }, suites()), "bound"),
        (
            record(Plan { thin_after: Some(1), ..plan(2, 2) }, suites()),
            "list of what is known to be wrong",
        ),
        (record(plan(2, 2), Vec::new()), "list of suites"),
    ];
    for (other, expected) in others {
        let error = merge(vec![shard(1, 2), other]);
        assert!(
            matches!(error, MergeError::Other { place: 1, what } if what == expected),
            "{error}"
        );
    }
}

#[test]
fn what_is_over_or_of_other_suites_does_not_go_on() {
    let record = Campaign::new(plan(1, 1), suites()).record();
    let over = record.clone().over();
    let resume = |record, suites| Campaign::resume(record, suites, None, None).err();
    assert!(matches!(resume(over, suites()), Some(ResumeError::Over)));
    let error = resume(record, suites().split_off(1)).expect("another list");
    let sentence = "it was begun with the suites wrong on g45, right on g45, not with right on g45";
    assert_eq!(error.to_string(), sentence);
}
