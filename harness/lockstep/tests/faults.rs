//! The harness notices every fault of a list, within 200,000 instructions, and brings the program
//! that shows it down to fewer than five instructions; it notices nothing where nothing is wrong.
//!
//! `cargo test -p parallax-lockstep --test faults -- --nocapture` prints the table.

mod hunting;

use hunting::{BUDGET, hunt_all, table};
use parallax_isa::Device;
use parallax_lockstep::eu::faulty::{CONTROLS, FAMILIES};

#[test]
fn every_fault_is_found_and_minimised() {
    let hunts = hunt_all(&FAMILIES, Device::G45);
    let table = table(&hunts);
    println!("{table}");
    assert!(hunts.len() >= 40, "only {} faults", hunts.len());
    let missed: Vec<_> =
        hunts.iter().filter(|hunted| !hunted.succeeded()).map(|hunted| hunted.fault.name).collect();
    assert!(missed.is_empty(), "not found, or not minimised: {missed:?}\n{table}");
}

#[test]
fn nothing_is_found_where_nothing_is_wrong() {
    for hunted in hunt_all([&CONTROLS], Device::G45) {
        assert!(hunted.find.is_none(), "{}", table(&[hunted]));
        assert!(hunted.instructions >= BUDGET);
    }
}
