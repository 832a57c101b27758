//! The harness notices every fault of control flow within 200,000 instructions and brings it down to a few.
//!
//! `cargo test -p parallax-lockstep --test flow_faults -- --nocapture` prints the table.

mod hunting;

use hunting::{BUDGET, hunt_all, table};
use parallax_isa::Device;
use parallax_lockstep::eu::faulty::flow::FAMILY;

#[test]
fn every_fault_of_control_flow_is_found_and_minimised() {
    let hunts = hunt_all([&FAMILY], Device::G45);
    let table = table(&hunts);
    println!("{table}");
    assert!(hunts.len() >= 40, "only {} faults", hunts.len());
    let missed: Vec<_> =
        hunts.iter().filter(|hunted| !hunted.succeeded()).map(|hunted| hunted.fault.name).collect();
    assert!(
        missed.is_empty(),
        "not found within {BUDGET} instructions, or not minimised: {missed:?}\n{table}"
    );
}
