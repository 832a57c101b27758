//! The harness notices every fault of control flow within 200,000 instructions.
//!
//! `cargo test -p parallax-lockstep --test flow_faults -- --nocapture` prints the table. The programs
//! are not made smaller here: a program with branches keeps more of itself than a straight one does.

#[allow(dead_code, reason = "each hunt uses its part")]
mod hunting;

use hunting::{BUDGET, Then, hunt_all, table};
use parallax_isa::Device;
use parallax_lockstep::eu::faulty::flow::FAMILY;

#[test]
fn every_fault_of_control_flow_is_found() {
    let hunts = hunt_all([&FAMILY], Device::G45, Then::Keep);
    let table = table(&hunts);
    println!("{table}");
    assert!(hunts.len() >= 40, "only {} faults", hunts.len());
    let missed: Vec<_> =
        hunts.iter().filter(|hunted| !hunted.found()).map(|hunted| hunted.fault.name).collect();
    assert!(missed.is_empty(), "not found within {BUDGET} instructions: {missed:?}\n{table}");
}
