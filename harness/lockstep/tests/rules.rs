//! Each rule that has a predicate has steps that it decides, and steps of the same instructions that it does not: a rule
//! that every step meets would be covered by steps that say nothing of it.

use std::{cell::RefCell, collections::BTreeMap, fmt::Debug, sync::LazyLock};

use parallax_isa::{
    Device, Model, Step,
    eu::Case,
    r700 as r700_machine,
    surface::{
        catalogue,
        pixel::{ChannelSelect, VertexComponentControl},
    },
};
use parallax_lockstep::{
    eu::{flow, generate},
    r700,
    random::SplitMix64,
    surface::generate as surfaces,
    units::events,
};
use parallax_reference::{
    eu::{Observed as ObservedStep, Reference},
    r700::{self as r700_reference, Observed},
    surface::{Reference as Surfaces, SurfaceStep},
    units::{Units, UnitsStep},
};
use parallax_rules::{
    Rule, observe, rules,
    surface::{Call, observe_call},
};
use parallax_spec::{RuleId, coverage};
use rayon::prelude::*;

/// Steps that a rule decides, and steps of the instructions it speaks of that it does not.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    met: u64,
    others: u64,
}

/// The rules of instructions, and those of shared functions.
static RULES: LazyLock<[Vec<&Rule>; 2]> = LazyLock::new(|| {
    let own = rules().filter(|rule| rule.is_of_instructions()).collect();
    [own, rules().filter(|rule| rule.is_of_shared_functions()).collect()]
});

thread_local! {
    /// What steps say of each rule that they speak of, by its place in the catalogue.
    static SEEN: RefCell<Vec<Option<(RuleId, Seen)>>> = RefCell::default();
}

/// The same by rule; it is forgotten.
fn take_seen() -> BTreeMap<RuleId, Seen> {
    SEEN.take().into_iter().flatten().collect()
}

/// Of a rule so many steps of either sort are held against its condition on a device.
const ENOUGH: u64 = 400;

impl Seen {
    const fn is_enough(self) -> bool {
        self.met >= ENOUGH && self.others >= ENOUGH
    }
}

/// Holds that what is marked of rules is whether their conditions hold of a step, and counts the step for each.
fn hold(rules: impl Iterator<Item = (RuleId, impl FnOnce() -> Option<bool>)>, step: &dyn Debug) {
    SEEN.with_borrow_mut(|all| {
        for (id, holds) in rules {
            if all.len() <= id.index() {
                all.resize(id.index() + 1, None);
            }
            let seen = &mut all[id.index()];
            if seen.is_some_and(|(_, seen)| seen.is_enough()) {
                continue;
            }
            let Some(holds) = holds() else { continue };
            assert_eq!(coverage::is_marked(id), holds, "{id} of {step:?}");
            let (_, seen) = seen.get_or_insert((id, Seen::default()));
            *(if holds { &mut seen.met } else { &mut seen.others }) += 1;
        }
    });
}

fn look(observed: &ObservedStep) {
    coverage::drop_marks();
    observe(observed);
    let is_of_instruction = matches!(
        observed,
        ObservedStep::Data(_)
            | ObservedStep::Thread(_)
            | ObservedStep::Exception(_)
            | ObservedStep::Macro(_)
    );
    let rules = RULES[usize::from(!is_of_instruction)].iter();
    hold(rules.map(|rule| (rule.id(), || rule.holds(observed))), observed);
}

/// A suite: its generator, the bytes of a case, and how many cases.
type EuSuite = (Generate, usize, u64);
type Generate = fn(Device, &[u8]) -> Case;

/// What steps of generated programs of a device say of each rule.
fn seen(device: Device, suites: &[EuSuite]) -> BTreeMap<RuleId, Seen> {
    take_seen();
    let [mut reference, mut unobserved] = [Reference::new().observed_by(look), Reference::new()];
    for (generate, bytes, cases) in suites {
        let mut bytes = vec![0; *bytes];
        for seed in 0..*cases {
            SplitMix64::new(seed).fill(&mut bytes);
            let case = generate(device, &bytes);
            if reference.load(&case).is_err() {
                continue;
            }
            unobserved.load(&case).expect("it loads");
            loop {
                let step = reference.step();
                assert_eq!(
                    step,
                    unobserved.step(),
                    "what an observer changes, seed {seed} on {device}"
                );
                if step != Step::Continue {
                    break;
                }
            }
        }
    }
    take_seen()
}

/// Rules that decide steps of other suites only: examples of the manuals, words of machine code, instructions that the
/// manual leaves undefined; those of branches in the second half of a slot, which are never compact; of integers of
/// later quarters that an accumulator gets besides; of parts of architecture registers that programs do not write; of
/// infinities over infinities, which campaigns meet once cases have several starts.
const NEVER_MET: &[&str] = &[
    "dg1.pred.inverse-none",
    "dg1.srcmod.logic-abs",
    "g45.acc.cross-illegal",
    "g45.arf.reserved-write",
    "g45.compact.branch-base",
    "g45.compact.ip",
    "g45.cr.cr3-write",
    "g45.dw0.predinv.ignored",
    "g45.inst.sel.pred-omitted",
    "g45.inst.shl.sat-dword",
    "g45.mask.reset",
    "g45.null.read",
    "gen12.inst.dp4a.semantics",
    "gen12.isa.op.dp4a",
    "gen12.isa.op.mad-acc",
    "gen12.isa.op.mul-dword",
    "gen7.a0.example-copy8",
    "gen7.a0.example-load-replicate",
    "gen7.a0.example-load4",
    "gen7.a0.example-replicate",
    "gen7.acc.mixed-illegal",
    "gen7.acc.ud-negate",
    "gen7.arf.readonly-write",
    "gen7.arf.unpopulated-write",
    "gen7.cr.aip-reserved",
    "gen7.cr.sub3-write",
    "gen7.isa.acc.hsw-quarter",
    "gen7.n.encoding",
    "gen7.sr.ffid",
    "gen7.sr.priority-class",
    "gen7.tdr.encoding",
    "gen7.tdr.shape",
    "gen7.tdr.write-clears",
    "gen7.tm.event",
    "gen7.tm.shape",
    "gen9.inst.smov.semantics",
    "gen9.isa.op.smov",
];

/// Rules that are not called unconditional, of which generated programs have no step that they do not decide: `movi` to an
/// accumulator is not among them.
const ALWAYS_MET: &[&str] = &["g45.inst.movi.acc-update"];

/// Those of some rules that no step meets, and those that are not called unconditional and meet every step of some suites
/// on some devices.
fn unmet_and_always_met(
    devices: &[Device],
    suites: &[EuSuite],
    which: impl Fn(&Rule) -> bool,
) -> [Vec<&'static str>; 2] {
    let of = || rules().filter(|rule| which(rule));
    let mut all: BTreeMap<RuleId, Seen> = of().map(|rule| (rule.id(), Seen::default())).collect();
    let by_device: Vec<_> = devices.par_iter().map(|device| seen(*device, suites)).collect();
    for (rule, seen) in by_device.into_iter().flatten() {
        let Some(sum) = all.get_mut(&rule) else { continue };
        sum.met += seen.met;
        sum.others += seen.others;
    }
    let named = |rule: &'static Rule| rule.id().rule().id;
    let unconditional: Vec<_> = of().filter(|rule| rule.is_unconditional()).map(named).collect();
    let ids = |which: fn(&Seen) -> bool| -> Vec<&str> {
        all.iter().filter(|(_, seen)| which(seen)).map(|(rule, _)| rule.rule().id).collect()
    };
    let mut always = ids(|seen| seen.others == 0 && seen.met > 0);
    always.retain(|id| !unconditional.contains(id));
    [ids(|seen| seen.met == 0), always]
}

#[test]
fn each_rule_decides_some_steps_and_not_others() {
    use Device::{Bw, Ctg, Dg1, G45, Ivb, Skl};
    let suites: [EuSuite; 3] = [
        (generate::straight_line, generate::BYTES, 6000),
        (flow::any, flow::BYTES, 1500),
        (generate::messages, generate::BYTES, 1500),
    ];
    let devices = [Bw, Ctg, G45, Ivb, Skl, Dg1];
    let seen = unmet_and_always_met(&devices, &suites, Rule::is_of_instructions);
    assert_eq!(seen, [NEVER_MET, ALWAYS_MET]);
}

/// Rules of shared functions that no generated message meets: generators avoid what they say.
const NEVER_MET_BY_MESSAGES: &[&str] = &["g45.extmath.intdiv.min-by-minus1"];

/// Rules that are not called unconditional, of which each generated message that they speak of is one that they decide:
/// what is ignored in a header is never all zero.
const ALWAYS_MET_BY_MESSAGES: &[&str] = &[
    "g45.dataport.header.common.unused-by-others",
    "g45.dataport.mb.header.ids",
    "g45.dataport.mb.header.m02-ignored",
];

/// Messages to Extended Math, of later generations to those that have memory.
fn math_messages(device: Device, bytes: &[u8]) -> Case {
    let has_math = Device::GEN4.contains(&device);
    if has_math {
        generate::math_messages(device, bytes)
    } else {
        generate::messages(device, bytes)
    }
}

/// Render target writes, of later generations reads and typed surfaces too.
fn render_target_messages(device: Device, bytes: &[u8]) -> Case {
    if Device::GEN4.contains(&device) {
        generate::render_target_messages(device, bytes)
    } else {
        generate::target_messages(device, bytes)
    }
}

#[test]
fn each_rule_of_shared_functions_decides_some_messages_and_not_others() {
    use Device::{Bw, Cl, Ctg, Dg1, G45, Ivb, Skl};
    let suites: [EuSuite; 4] = [
        (math_messages, generate::BYTES, 500),
        (generate::messages, generate::BYTES, 2500),
        (render_target_messages, generate::BYTES, 1500),
        (generate::sampler_messages, generate::BYTES, 1000),
    ];
    let devices = [Bw, Cl, Ctg, G45, Ivb, Skl, Dg1];
    let seen = unmet_and_always_met(&devices, &suites, Rule::is_of_shared_functions);
    assert_eq!(seen, [NEVER_MET_BY_MESSAGES, ALWAYS_MET_BY_MESSAGES]);
}

fn look_at_units(step: &UnitsStep) {
    coverage::drop_marks();
    parallax_rules::units::observe(step);
    let rules = rules().filter(|rule| rule.is_of_units());
    hold(rules.map(|rule| (rule.id(), || rule.holds_of_units(step))), step);
}

#[test]
fn each_rule_of_units_decides_some_answers_and_not_others() {
    for device in Device::GEN4 {
        for seed in 0..200 {
            let mut units = Units::new(device).observed_by(look_at_units);
            for event in events(device, seed) {
                units.take(&event);
            }
        }
    }
    let seen = take_seen();
    let of = |which: fn(Seen) -> bool| -> Vec<&str> {
        let seen = |rule: &Rule| seen.get(&rule.id()).copied().unwrap_or_default();
        let rules = rules().filter(|rule| rule.is_of_units() && !rule.is_unconditional());
        rules.filter(|rule| which(seen(rule))).map(|rule| rule.id().rule().id).collect()
    };
    let always = of(|seen| seen.met > 0 && seen.others == 0);
    assert_eq!([of(|seen| seen.met == 0), always], [[""; 0]; 2]);
}

fn look_at_r700(observed: &Observed) {
    coverage::drop_marks();
    parallax_rules::r700::observe(observed);
    let rules = parallax_rules::r700::rules();
    hold(rules.map(|rule| (rule.id(), || rule.holds(observed))), observed);
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
    let seen = take_seen();
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

/// How many operations there were, and how many of them each rule decided.
type Counted = (u64, BTreeMap<RuleId, u64>);

thread_local! {
    /// Operations by their kinds.
    static OPERATIONS: RefCell<BTreeMap<String, Counted>> = RefCell::default();
}

/// Counts the rules that were marked since marks were last dropped as those of an operation of a kind.
fn count_marks(kind: String) {
    OPERATIONS.with_borrow_mut(|operations| {
        let (all, met) = operations.entry(kind).or_default();
        *all += 1;
        for rule in coverage::marked() {
            *met.entry(rule).or_default() += 1;
        }
    });
    coverage::drop_marks();
}

fn look_at_surfaces(step: &SurfaceStep) {
    coverage::drop_marks();
    parallax_rules::surface::observe(step);
    let text = step.operation.describe(step.device);
    count_marks(format!("{} {}", step.device, text.split(' ').next().unwrap_or_default()));
}

/// Asks what DG1 makes of channels.
fn look_at_calls() {
    coverage::drop_marks();
    let ask = |kind: &str, call| {
        observe_call(call);
        count_marks(kind.to_owned());
    };
    for select in ChannelSelect::ALL {
        ask("select", Call::Select(*select));
    }
    for control in VertexComponentControl::ALL {
        ask("store", Call::Store([*control; 4], [false; 4]));
    }
    for code in 0..16 {
        ask("enable", Call::Enable(code));
        ask("attribute", Call::Attribute(code % 4));
    }
    for [from, to] in catalogue(Device::Dg1).array_windows() {
        ask("compress", Call::Compress(from.name));
        ask("cast", Call::Cast(from.name, to.name));
    }
}

/// Rules of surfaces that no generated operation meets.
const NEVER_MET_BY_SURFACES: &[&str] = &[];

/// Rules of surfaces that every operation meets that is of a kind of which some do.
const ALWAYS_MET_BY_SURFACES: &[&str] = &[];

#[test]
fn each_rule_of_surfaces_decides_some_operations_and_not_others() {
    let devices = [Device::Bw, Device::G45, Device::Dg1, Device::Rv770];
    let mut bytes = vec![0; surfaces::BYTES];
    for (device, seed) in devices.into_iter().flat_map(|device| (0..3000).map(move |n| (device, n)))
    {
        SplitMix64::new(seed).fill(&mut bytes);
        let mut reference = Surfaces::new().observed_by(look_at_surfaces);
        let mut cases = vec![surfaces::formats(device, &bytes)];
        cases.extend((device != Device::Rv770).then(|| surfaces::pixels::pixels(device, &bytes)));
        for case in cases {
            if reference.load(&case).is_ok() {
                while reference.step() == Step::Continue {}
            }
        }
    }
    look_at_calls();
    let operations = OPERATIONS.take();
    let of = |rule: RuleId| {
        let kinds = operations.values().filter_map(|(all, met)| Some((*all, *met.get(&rule)?)));
        kinds.fold(Seen::default(), |seen, (all, met)| Seen {
            met: seen.met + met,
            others: seen.others + all - met,
        })
    };
    let ids = |which: fn(Seen) -> bool| {
        let all = parallax_rules::surface::rules().filter(|rule| which(of(*rule)));
        let mut ids: Vec<_> = all.map(|rule| rule.rule().id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    };
    let always = ids(|seen| seen.met > 0 && seen.others == 0);
    assert_eq!(
        [ids(|seen| seen.met == 0), always],
        [NEVER_MET_BY_SURFACES, ALWAYS_MET_BY_SURFACES]
    );
}
