//! The execution units of Gen7, Gen9 and Gen12 made wrong.

mod compact;
mod controls;
mod effects;
mod flow;
mod gen12;
mod numbers;
mod operands;
mod operations;
mod seldom;
mod values;

use parallax_isa::Device;
use rstest::rstest;

use super::{Eu, Fault, compact, disturb, full, rewrite, straight_line_on};
use crate::fault_injection::{Family, all_are_found, none_is_found};

/// Faults that both generations can have.
const BOTH: [(&str, &[Fault<Eu>]); 5] = [
    ("another operation", operations::FAULTS),
    ("other operands", operands::FAULTS),
    ("other controls", controls::FAULTS),
    ("another effect", effects::FAULTS),
    ("another compact form", compact::FAULTS),
];

const fn family(
    device: Device,
    (name, faults): (&'static str, &'static [Fault<Eu>]),
) -> Family<Eu> {
    straight_line_on(device, name, faults)
}

#[rstest]
fn faults_of_both_are_found(
    #[values(Device::Ivb, Device::Skl)] device: Device,
    #[values(0, 1, 2, 3, 4)] subject: usize,
) {
    all_are_found(&family(device, BOTH[subject]));
}

#[rstest]
#[case(Device::Ivb, ("what only this one has", operations::GEN7))]
#[case(Device::Skl, ("what only this one has", operations::GEN9))]
#[case(Device::Ivb, ("doubles of two channels", numbers::PAIRS))]
#[case(Device::Skl, ("numbers", numbers::GEN9))]
#[case(Device::Skl, ("compact forms of three sources", compact::THREE_SOURCES))]
fn faults_of_one_are_found(
    #[case] device: Device,
    #[case] subject: (&'static str, &'static [Fault<Eu>]),
) {
    all_are_found(&family(device, subject));
}

/// One in a few of them where states are compared at the end only.
#[rstest]
fn faults_of_free_runs_are_found(#[values(Device::Ivb, Device::Skl)] device: Device) {
    for subject in BOTH {
        all_are_found(&family(device, subject).in_free_runs(7));
    }
}

/// Faults that are none are not found.
#[rstest]
fn nothing_is_found_where_nothing_is_wrong(
    #[values(Device::Ivb, Device::Skl, Device::Dg1)] device: Device,
) {
    const NONE: &[Fault<Eu>] = &[
        rewrite("every instruction as it was", |_| Some(())),
        compact("every compact form as it was", Some),
        full("every full form as it was", Some),
        disturb("every effect as it was", |_, _, _| {}),
    ];
    none_is_found(&family(device, ("controls", NONE)), 100_000);
}
