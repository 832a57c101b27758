//! Each rule that has a predicate has steps that it decides, and steps of the same instructions that it does not: a rule
//! that every step meets would be covered by steps that say nothing of it.

use std::{cell::RefCell, collections::BTreeMap};

use parallax_isa::{Device, Model, Step};
use parallax_lockstep::{eu::generate, r700, random::SplitMix64};
use parallax_reference::{
    eu::{DataStep, Reference},
    r700::GroupStep,
};
use parallax_rules::{observe, rules};
use parallax_spec::{RuleId, coverage};

/// Steps that a rule decides, and steps of the instructions it speaks of that it does not.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    met: u64,
    others: u64,
}

thread_local! {
    static SEEN: RefCell<BTreeMap<RuleId, Seen>> = RefCell::default();
}

fn look(step: &DataStep) {
    let Some(generation) = step.device.generation() else { return };
    coverage::discard();
    observe(step);
    SEEN.with_borrow_mut(|seen| {
        for rule in rules().filter(|rule| rule.speaks_of(step.instruction.opcode, generation)) {
            let seen = seen.entry(rule.id()).or_default();
            let holds = rule.holds(step);
            assert_eq!(
                coverage::is_marked(rule.id()),
                holds,
                "{} of {:?}",
                rule.id(),
                step.instruction
            );
            match holds {
                true => seen.met += 1,
                // A step without a result says nothing of any rule.
                false => seen.others += u64::from(step.exact() != 0),
            }
        }
    });
}

/// What steps of generated programs of a device say of each rule.
fn seen(device: Device, cases: u64) -> BTreeMap<RuleId, Seen> {
    SEEN.take();
    let mut reference = Reference::new().observed_by(look);
    let mut bytes = vec![0; generate::BYTES];
    for seed in 0..cases {
        SplitMix64::new(seed).fill(&mut bytes);
        let case = generate::straight_line(device, &bytes);
        if reference.load(&case).is_ok() {
            while reference.step() == Step::Continue {}
        }
    }
    SEEN.take()
}

/// Rules that decide steps of other suites only: examples of the manuals, words of machine code, programs with branches.
const NEVER_MET: &[&str] = &[
    "dg1.pred.inverse-none",
    "dg1.srcmod.logic-abs",
    "gen12.inst.dp4a.semantics",
    "gen12.isa.op.mad-acc",
    "gen7.a0.example-copy8",
    "gen7.a0.example-load-replicate",
    "gen7.a0.example-load4",
    "gen7.a0.example-replicate",
    "gen7.arf.readonly-write",
    "gen7.arf.unpopulated-write",
    "gen7.intro.uncond-branch-mov-ip",
    "gen7.ip.write",
    "gen7.isa.cf.add-ip",
    "gen7.sr.ffid",
    "gen7.sr.priority-class",
    "gen9.inst.smov.semantics",
];

/// Rules that are not called unconditional, of which straight-line programs have no step that they do not decide.
const ALWAYS_MET: &[&str] = &[];

#[test]
fn each_rule_decides_some_steps_and_not_others() {
    let mut all: BTreeMap<RuleId, Seen> =
        rules().map(|rule| (rule.id(), Seen::default())).collect();
    for device in [Device::Ivb, Device::Skl, Device::Dg1] {
        for (rule, seen) in seen(device, 6000) {
            let sum = all.entry(rule).or_default();
            sum.met += seen.met;
            sum.others += seen.others;
        }
    }
    let of = |which: fn(&Seen) -> bool| -> Vec<&str> {
        all.iter().filter(|(_, seen)| which(seen)).map(|(rule, _)| rule.rule().id).collect()
    };
    let unconditional =
        |id: &&str| !rules().any(|rule| rule.is_unconditional() && rule.id().rule().id == *id);
    assert_eq!(of(|seen| seen.met == 0), NEVER_MET);
    let always: Vec<&str> =
        of(|seen| seen.others == 0 && seen.met > 0).into_iter().filter(unconditional).collect();
    assert_eq!(always, ALWAYS_MET);
}

fn look_at_group(group: &GroupStep) {
    coverage::discard();
    parallax_rules::r700::observe(group);
    SEEN.with_borrow_mut(|seen| {
        for rule in parallax_rules::r700::rules() {
            let seen = seen.entry(rule.id()).or_default();
            let holds = rule.holds(group);
            assert_eq!(coverage::is_marked(rule.id()), holds, "{} of {:?}", rule.id(), group.group);
            match holds {
                true => seen.met += 1,
                // A group without a result says nothing of any rule.
                false => seen.others += u64::from(group.slots().any(|slot| rule.may_decide(slot))),
            }
        }
    });
}

/// Rules of groups that no generated program meets.
const NEVER_MET_BY_GROUPS: &[&str] = &[];

/// Rules that are not called unconditional, of which generated programs have no group that they do not decide.
const ALWAYS_MET_BY_GROUPS: &[&str] = &[];

#[test]
fn each_rule_decides_some_groups_and_not_others() {
    let mut reference = parallax_reference::r700::Reference::new().observed_by(look_at_group);
    let mut bytes = vec![0; r700::generate::BYTES];
    for seed in 0..4000 {
        SplitMix64::new(seed).fill(&mut bytes);
        let case = r700::generate::groups(Device::Rv770, &bytes);
        if reference.load(&case).is_ok() {
            while reference.step() == Step::Continue {}
        }
    }
    let all = SEEN.take();
    let rules = || parallax_rules::r700::rules().map(|rule| (rule, all[&rule.id()]));
    let id = |rule: &parallax_rules::r700::Rule| rule.id().rule().id;
    let mut never: Vec<&str> =
        rules().filter(|(_, seen)| seen.met == 0).map(|(rule, _)| id(rule)).collect();
    never.sort_unstable();
    assert_eq!(never, NEVER_MET_BY_GROUPS);
    let always = rules().filter(|(rule, seen)| seen.others == 0 && !rule.is_unconditional());
    let mut always: Vec<&str> = always.map(|(rule, _)| id(rule)).collect();
    always.sort_unstable();
    assert_eq!(always, ALWAYS_MET_BY_GROUPS);
}
