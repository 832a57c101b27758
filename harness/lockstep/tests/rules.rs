//! Each rule that has a predicate has steps that it decides, and steps of the same instructions that it does not: a rule
//! that every step meets would be covered by steps that say nothing of it.

use std::{cell::RefCell, collections::BTreeMap};

use parallax_isa::{Device, Model, Step, r700 as r700_machine};
use parallax_lockstep::{eu::generate, r700, random::SplitMix64};
use parallax_reference::{
    eu::{DataStep, Reference},
    r700::{self as r700_reference, Observed},
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

/// Rules that decide steps of other suites only: examples of the manuals, words of machine code, programs with branches,
/// and instructions that the manual leaves undefined.
const NEVER_MET: &[&str] = &[
    "dg1.pred.inverse-none",
    "dg1.srcmod.logic-abs",
    "g45.dw0.predinv.ignored",
    "g45.inst.add.ip-relative",
    "g45.inst.sel.pred-omitted",
    "g45.inst.shl.sat-dword",
    "g45.null.read",
    "g45.pg.ip.align",
    "g45.pg.ip.relative",
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
    use Device::{Bw, Ctg, Dg1, G45, Ivb, Skl};
    for device in [Bw, Ctg, G45, Ivb, Skl, Dg1] {
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
    let always: Vec<&str> =
        of(|seen| seen.others == 0 && seen.met > 0).into_iter().filter(unconditional).collect();
    assert_eq!([of(|seen| seen.met == 0), always], [NEVER_MET, ALWAYS_MET]);
}

fn look_at_r700(observed: &Observed) {
    coverage::discard();
    parallax_rules::r700::observe(observed);
    SEEN.with_borrow_mut(|seen| {
        for rule in parallax_rules::r700::rules() {
            let Some(holds) = rule.holds(observed) else { continue };
            assert_eq!(coverage::is_marked(rule.id()), holds, "{} of {observed:?}", rule.id());
            let seen = seen.entry(rule.id()).or_default();
            *(if holds { &mut seen.met } else { &mut seen.others }) += 1;
        }
    });
}

/// Rules of the R700 manual that no generated program meets: those of clauses that break without a predicate, of pops that
/// are not done, of jumps that end the program, of strides and indices of the local data share that are too large to be
/// legal.
const NEVER_MET_ON_R700: &[&str] = &[
    "r700.cf.alu.break.no-pred",
    "r700.cf.else.pop",
    "r700.cf.eop.branch",
    "r700.cf.some-pass.popcount",
    "r700.lds.write.ext",
];

/// Rules that are not called unconditional, of which generated programs have no step that they do not decide.
const ALWAYS_MET_ON_R700: &[&str] = &[];

#[test]
fn each_rule_of_r700_decides_some_steps_and_not_others() {
    type Generate = fn(Device, &[u8]) -> r700_machine::Case;
    let suites: [(Generate, usize, u64); 5] = [
        (r700::generate::groups, r700::generate::BYTES, 4000),
        (r700::generate::memory::memory, r700::generate::memory::BYTES, 2500),
        (r700::generate::texture::textures, r700::generate::texture::BYTES, 800),
        (r700::flow::any, r700::flow::BYTES, 4000),
        (r700::flow::long, r700::flow::LONG_BYTES, 10),
    ];
    let mut reference = r700_reference::Reference::new().observed_by(look_at_r700);
    for (generate, bytes, cases) in suites {
        let mut bytes = vec![0; bytes];
        for seed in 0..cases {
            SplitMix64::new(seed).fill(&mut bytes);
            if reference.load(&generate(Device::Rv770, &bytes)).is_ok() {
                while reference.step() == Step::Continue {}
            }
        }
    }
    let seen = SEEN.take();
    let of = |which: fn(Seen) -> bool| {
        let rules = parallax_rules::r700::rules().filter(|rule| !rule.is_unconditional());
        let seen = |id: RuleId| seen.get(&id).copied().unwrap_or_default();
        let ids = rules.map(|rule| rule.id()).filter(|id| which(seen(*id)));
        let mut ids: Vec<_> = ids.map(|id| id.rule().id).collect();
        ids.sort_unstable();
        ids
    };
    let always = of(|seen| seen.met > 0 && seen.others == 0);
    assert_eq!([of(|seen| seen.met == 0), always], [NEVER_MET_ON_R700, ALWAYS_MET_ON_R700]);
}
