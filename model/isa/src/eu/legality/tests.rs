use super::*;
use crate::eu::program::{Program, compiled};

/// A production compiler wrote these programs and hardware runs them.
#[test]
fn compiled_programs_are_legal() {
    let mut broken = Vec::new();
    for (name, text) in compiled() {
        let program = Program::of_hex(Device::G45, &text).unwrap();
        for finding in program::check(&program) {
            broken.push(format!(
                "{name} instruction {}: {:?} {}",
                finding.index, finding.violation.rule, finding.violation.message
            ));
        }
    }
    assert!(broken.is_empty(), "{} findings:\n{}", broken.len(), broken.join("\n"));
}
