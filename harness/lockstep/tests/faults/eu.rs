//! The execution unit made wrong: instructions changed before the engine sees them, effects disturbed.
//! What it sends to shared functions is made wrong in `shared_faults`.

mod blocks;
mod effects;
mod flow;
pub(crate) mod later;
mod long;
mod open;
mod rewrites;
mod seldom;
mod thread_dependency;
pub(crate) mod values;

use parallax_lockstep::{eu::Eu, lockstep::Pace};

use crate::fault_injection::{
    Family, Fault, Mutate, all_are_found, all_are_found_at,
    eu::{compact, disturb, event, full, rewrite, straight_line, straight_line_on},
    none_is_found,
};

/// Another instruction than the one in the program.
pub(crate) static REWRITES: Family<Eu> = straight_line("another instruction", rewrites::FAULTS);

/// The right instruction that does something else.
pub(crate) static EFFECTS: Family<Eu> = straight_line("another effect", effects::FAULTS);

/// Faults that are none: each goes through all the machinery and changes nothing. Whoever finds one
/// of them finds what is not there.
static CONTROLS: Family<Eu> = straight_line(
    "controls",
    &[
        rewrite("every instruction as it was", |_| Some(())),
        disturb("every effect as it was", |_, _, _| {}),
    ],
);

/// The fault of a name.
pub(crate) fn fault(name: &str) -> Fault<Eu> {
    let mut families = [&REWRITES, &EFFECTS].into_iter();
    families.find_map(|family| family.fault(name)).expect("a fault of that name")
}

#[test]
fn other_instructions_are_found() {
    all_are_found(&REWRITES);
}

#[test]
fn other_effects_are_found() {
    all_are_found(&EFFECTS);
}

#[test]
fn faults_that_are_none_are_not_found() {
    none_is_found(&CONTROLS, Eu::BUDGET);
}

/// What is timed is what is compared: engines that are only wrong on their fastest path are found.
#[test]
fn faults_of_free_runs_are_found() {
    all_are_found(&REWRITES.in_free_runs(3));
    // A compact instruction may need the one before it that sets the address of its destination.
    all_are_found_at(&EFFECTS.in_free_runs(3), Pace::Steps, Eu::LONGEST + 1, Eu::SPARE);
    all_are_found(&flow::FAMILY.in_free_runs(4));
}
