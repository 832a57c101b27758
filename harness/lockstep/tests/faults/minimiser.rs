//! What the minimiser leaves is a failing case still, the same kind of failure, never larger, and
//! small; and what a divergence looks like when it is printed.

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device,
    eu::{Case, State, text},
};
use parallax_lockstep::{
    eu::{Eu, generate},
    minimize::{ATTEMPTS, Shrink, minimize},
    random::SplitMix64,
};
use parallax_reference::eu::Reference;

use crate::{
    fault_injection::{Faulty, divergence},
    faults::eu::fault,
};

fn engine(name: &str) -> Faulty<Eu> {
    Faulty::new(fault(name))
}

/// Generated cases on which an engine differs, from a seed on.
fn failing(engine: &mut Faulty<Eu>, device: Device, seed: u64, count: usize) -> Vec<Case> {
    let mut bytes = vec![0; generate::BYTES];
    (seed..seed + 2000)
        .map(|seed| {
            SplitMix64::new(seed).fill(&mut bytes);
            generate::straight_line(device, &bytes)
        })
        .filter(|case| divergence(engine, case).is_some())
        .take(count)
        .collect()
}

/// Faults of every sort: operands, predicates, flags, types, regions, rounding, memory.
const PLANTED: [&str; 9] = [
    "operands of sel swapped",
    "avg taken for add",
    "saturation lost",
    "any taken for all",
    "flag update lost",
    "destination one element on",
    "stale flag bit",
    "accumulator guard bits lost",
    "byte behind the destination written",
];

#[test]
fn what_is_left_fails_in_the_same_way_and_is_small() {
    for (name, device) in PLANTED.into_iter().zip(Device::GEN4.into_iter().cycle()) {
        let mut engine = engine(name);
        let cases = failing(&mut engine, device, 1000, 3);
        assert_eq!(cases.len(), 3, "{name} on {device}");
        for case in cases {
            let before = divergence(&mut engine, &case).expect("it fails");
            let smallest = minimize::<Eu>(&mut Reference::new(), &mut engine, &case);
            let after = divergence(&mut engine, &smallest.case).expect("it fails still");
            assert_eq!(before.mnemonic, after.mnemonic, "{name}");
            assert!(Eu::length(&smallest.case) <= Eu::length(&case), "{name}");
            assert!(Eu::length(&smallest.case) < 5, "{name}: {after}");
            assert!(smallest.attempts <= ATTEMPTS);
            let twice = minimize::<Eu>(&mut Reference::new(), &mut engine, &smallest.case);
            assert!(twice.case == smallest.case, "{name}: it was not the smallest");
            let again = minimize::<Eu>(&mut Reference::new(), &mut engine, &case);
            assert!(again == smallest, "{name}: another result the second time");
        }
    }
}

#[test]
fn a_case_that_does_not_fail_stays_as_it_is() {
    let mut bytes = vec![0; generate::BYTES];
    SplitMix64::new(3).fill(&mut bytes);
    let case = generate::straight_line(Device::G45, &bytes);
    let left = minimize::<Eu>(&mut Reference::new(), &mut Executor::new(), &case);
    assert!(left.case == case && left.attempts == 0);
}

#[test]
fn what_does_not_matter_is_left_out() {
    // The fault is in one instruction of four; registers, flags and masks play no part.
    let mut state = Box::new(State::new());
    SplitMix64::new(9).fill(state.grf.as_flattened_mut());
    let source = "mov (16) r20<1>:uw r30<16;16,1>:uw
        add.nz.f0.0 (8) r21<1>:d r22<8;8,1>:d r23<8;8,1>:d
        (f0.0) avg (8) r4<1>:d r2<8;8,1>:d r3<8;8,1>:d
        not (8) r5<1>:d r4<8;8,1>:d";
    let program = text::parse(Device::G45, source).expect("it assembles").program;
    let case = Case::new(Device::G45, program.bytes().to_vec(), state, 100);
    let smallest =
        minimize::<Eu>(&mut Reference::new(), &mut engine("avg taken for add"), &case).case;
    let left = divergence(&mut engine("avg taken for add"), &smallest).expect("it fails");
    assert_eq!(left.instruction, "avg (1) r4<1>:d r2<0;1,0>:d r3<0;1,0>:d {NoMask}");
    assert_eq!(Eu::length(&smallest), 1);
    let fresh = State::new();
    let kept = smallest.state.grf.as_flattened().chunks(4).filter(|dword| *dword != [0; 4]).count();
    assert!(kept <= 2, "{kept} doublewords");
    assert_eq!((smallest.state.flag, smallest.state.mask), (fresh.flag, fresh.mask));
}

#[test]
fn a_divergence_says_what_a_person_needs() {
    let source = "mov (8) r2<1>:f 0x00203040:vf
        mov (8) r3<1>:d 3:d
        (f0.0) add.sat.g.f0.0 (8) r4<1>:f -r2<8;8,1>:f 2.5:f";
    let program = text::parse(Device::G45, source).expect("it assembles").program;
    let mut state = Box::new(State::new());
    state.flag[0] = 0x00F7;
    let case = Case::new(Device::G45, program.bytes().to_vec(), state, 100);
    let shown = divergence(&mut engine("saturation lost"), &case).expect("it differs").to_string();
    // The reference counts rules as it grows: a few that must be among them will do.
    let (shown, rules) = shown.split_once("rules: ").expect("a line of rules");
    for rule in ["g45.inst.add.saturate", "g45.cond.g", "g45.pred.normal", "g45.inst.add.srcmod"] {
        assert!(rules.split(' ').any(|listed| listed == rule), "{rule} in {rules}");
    }
    // Those of the instruction come first, those of every instruction are only counted.
    assert!(rules.starts_with("g45.inst.add."), "{rules}");
    assert!(rules.ends_with(" that other instructions apply too"), "{rules}");
    insta::assert_snapshot!(shown);
}
