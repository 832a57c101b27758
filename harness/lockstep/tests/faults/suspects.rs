//! The rule that a mistake breaks stands among the first that its finding names.

use std::sync::atomic::AtomicBool;

use parallax_isa::Device;
use parallax_lockstep::{
    campaign::{Bound, Cause, campaign},
    eu::{Eu, generate},
    suite::{Suite, lockstep::LockstepSuite},
};
use rstest::rstest;

use crate::{campaign::plan, eu::fault, kit::Faulty};

/// Rules of a finding that are shown with their statements.
const SHOWN: usize = 3;

/// The findings of a campaign with a fault, those that showed in most cases first.
fn findings(name: &'static str) -> Vec<Cause> {
    let generate = |bytes: &[u8]| generate::straight_line(Device::G45, bytes);
    let suite = LockstepSuite::<Eu>::new("planted", "g45", generate::BYTES, generate);
    let suite = suite.with_engine(move || Box::new(Faulty::new(fault(name))));
    let suites: Vec<Box<dyn Suite>> = vec![Box::new(suite)];
    let stop = AtomicBool::new(false);
    let summary = campaign(&plan(11, Bound::Cases(600)), suites, &stop, |_| ());
    summary.expect("it starts").findings
}

#[rstest]
#[case("first operand of add negated", "g45.inst.add.")]
#[case("second operand of mul negated", "g45.inst.mul.")]
#[case("operands of cmp swapped", "g45.inst.cmp.")]
#[case("operands of shl swapped", "g45.inst.shl.")]
#[case("shr taken for asr", "g45.inst.asr.")]
#[case("and taken for or", "g45.inst.and.")]
#[case("rndu taken for frc", "g45.inst.rndu.")]
#[case("rnde taken for rndz", "g45.inst.rnde.")]
#[case("cmpn taken for cmp", "cmpn")]
#[case("dp3 taken for dp4", "g45.inst.dp3.")]
#[case("avg taken for add", "g45.inst.avg.")]
#[case("sada2 taken for sad2", "g45.inst.sada2.")]
#[case("not taken for mov", "g45.inst.not.")]
#[case("saturation lost", "sat")]
#[case("predicate inverted", "pred")]
#[case("a denormal not flushed", "float")]
#[case("accumulator not updated", "acc")]
fn the_right_rule_is_among_the_first(#[case] fault: &'static str, #[case] expected: &str) {
    let findings = findings(fault);
    let first = &findings.first().expect("it is found").finding;
    let shown: Vec<_> = first.rules.iter().take(SHOWN).map(|rule| rule.rule().id).collect();
    assert!(shown.iter().any(|id| id.contains(expected)), "{fault}: {shown:?}");
}
