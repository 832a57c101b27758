//! The execution units of Gen12 made wrong: what they share with those before, and what is their own.

mod compact;
mod flow;
mod operations;
mod slips;
mod word;

use parallax_isa::Device;
use parallax_lockstep::{eu::generate, lockstep::Pace};
use rstest::rstest;

use super::{
    BOTH, Eu, Fault, compact as compact_form, disturb, family, full, numbers, operations as shared,
    rewrite,
};
use crate::fault_injection::{Family, Mutate, all_are_found, all_are_found_at};

/// What Gen12 has not: operations, functions of `math`, the second access mode, types of 64 bits,
/// products of two doublewords.
const LOST: [&[&str]; 4] = [
    &[
        "ends of lrp swapped",
        "sada2 taken for sad2",
        "mach taken for mul",
        "lrp taken for mad",
        "line taken for pln",
        "dp3 taken for dp4",
        "dph taken for dp4",
        "dp2 taken for dp3",
        "fdiv taken for pow",
        "operands of fdiv swapped",
        "operands of pow swapped",
    ],
    &[
        "channel enables reversed",
        "swizzle of the first source rotated",
        "swizzle of the second source rotated",
        "swizzle of the third source rotated",
        "third source one element on",
        "one element of three sources taken for four",
    ],
    &["x of the predicate for all"],
    &[],
];

/// The compact forms are others.
#[rstest]
fn faults_that_others_have_too_are_found(#[values(0, 1, 2, 3)] subject: usize) {
    all_are_found(&family(Device::Dg1, BOTH[subject]).without(LOST[subject]));
}

#[rstest]
#[case("what Gen9 brought", shared::GEN9, &[
    "a doubleword beside a quadword without its sign",
    "a narrow destination of shr taken for the type of its source",
    "negation of a factor of madm lost",
    "a macro register taken for an ordinary number",
    "numerator and denominator of a first step swapped",
    "flags of a first step in the other register",
    "second part of a payload a register too short",
    "parts of a payload swapped",
    "payload behind an address without the sign of its offset",
    "reply behind an address without the sign of its offset",
    "64 bits taken for 32",
    "64 bits written as 32",
])]
#[case("numbers", numbers::GEN9, &[
    "DF rounded to nearest instead of up",
    "DF rounded to nearest instead of down",
    "DF rounded to nearest instead of toward zero",
    "DF denormal flushed that is to be kept",
    "DF denormal kept that is to be flushed",
    "DF flushed that rounds up to the smallest normal number",
    "DF without its low doubleword",
    "upper half of a product of 64 bits lost",
    "upper half of a quadword is the sign of the lower one",
    "quadwords shifted by five bits of the count",
])]
fn faults_that_came_before_are_found(
    #[case] name: &'static str,
    #[case] faults: &'static [Fault<Eu>],
    #[case] lost: &[&str],
) {
    all_are_found(&family(Device::Dg1, (name, faults)).without(lost));
}

#[rstest]
#[case("another operation", operations::FAULTS)]
#[case("numbers", numbers::GEN12)]
#[case("another field", word::FAULTS)]
#[case("another compact form", compact::FAULTS)]
#[case("another condition", slips::CONDITIONS)]
#[case("another type", slips::TYPES)]
#[case("another accumulator", slips::ACCUMULATORS)]
fn faults_of_gen12_are_found(#[case] name: &'static str, #[case] faults: &'static [Fault<Eu>]) {
    all_are_found(&family(Device::Dg1, (name, faults)));
}

#[test]
fn faults_of_dp4a_are_found() {
    let family = family(Device::Dg1, ("dp4a", slips::PRODUCTS));
    all_are_found(&Family { generate: |_, bytes| generate::with_dp4a(bytes), ..family });
}

/// A program is refused as a whole: two instructions are left of it.
#[test]
fn refused_codes_of_the_scoreboard_are_found() {
    let family = family(Device::Dg1, ("codes of the scoreboard", word::REFUSALS));
    all_are_found_at(&family, Pace::Steps, Eu::LONGEST, word::REFUSALS.len());
}

#[test]
fn faults_of_free_runs_are_found() {
    all_are_found(&family(Device::Dg1, ("another operation", operations::FAULTS)).in_free_runs(5));
    all_are_found(&family(Device::Dg1, ("another field", word::FAULTS)).in_free_runs(7));
}
