//! Which unit runs each instruction of a group (section 4.3).

use super::{Findings, breaks};
use crate::r700::{
    instruction::{Alu, Group},
    opcode::{AluOpcode, Units},
};

/// A unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unit {
    /// ALU.X (0) to ALU.W (3).
    Vector(u32),
    /// ALU.Trans.
    Trans,
}

impl Unit {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Vector(0) => "ALU.X",
            Self::Vector(1) => "ALU.Y",
            Self::Vector(2) => "ALU.Z",
            Self::Vector(_) => "ALU.W",
            Self::Trans => "ALU.Trans",
        }
    }
}

/// An instruction with its unit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub(super) alu: Alu,
    pub(super) opcode: AluOpcode,
    pub(super) unit: Unit,
    /// Address of the instruction, in 64-bit words.
    pub(super) address: u32,
}

/// Assigns the instructions of a group to units, in order. What finds no free unit is reported and
/// stays with the unit it asked for.
pub(super) fn assign(
    start: u32,
    group: &Group,
    prefer_vector: bool,
    findings: &mut Findings,
) -> Vec<Placed> {
    let mut placed: Vec<Placed> = Vec::new();
    for (address, &alu) in (start..).zip(&group.instructions) {
        let Some(opcode) = alu.opcode() else { continue };
        let element = Unit::Vector(alu.dst_elem());
        let taken = |unit: Unit| placed.iter().any(|other| other.unit == unit);
        let unit = match opcode.row().units {
            Units::Trans => Unit::Trans,
            Units::Vector => element,
            Units::Any if taken(element) || alu.last() == 1 && !prefer_vector => Unit::Trans,
            Units::Any => element,
        };
        if taken(unit) {
            conflict(address, opcode, unit, findings);
        }
        placed.push(Placed { alu, opcode, unit, address });
    }
    in_order(&placed, findings);
    placed
}

fn conflict(address: u32, opcode: AluOpcode, unit: Unit, findings: &mut Findings) {
    let name = opcode.mnemonic();
    match (unit, opcode.row().units) {
        (Unit::Trans, Units::Trans) => breaks!(
            findings,
            address,
            [
                "r700.alu.class.trans.one",
                "r700.alu.assign.conflict.trans",
                "r700.aluinst.group.trans-one"
            ],
            "{name} runs in ALU.Trans only, and another instruction of the group is there already"
        ),
        (Unit::Trans, _) => breaks!(
            findings,
            address,
            ["r700.alu.assign.conflict.trans"],
            "{name} needs ALU.Trans, its own unit being taken, and another instruction of the group is there already"
        ),
        (Unit::Vector(_), _) => breaks!(
            findings,
            address,
            ["r700.alu.assign.conflict.vector"],
            "{name} cannot run in ALU.Trans, and {} is taken by another instruction of the group",
            unit.name()
        ),
    }
}

/// X, Y, Z, W, Trans; Trans ends the group.
fn in_order(placed: &[Placed], findings: &mut Findings) {
    for pair in placed.windows(2) {
        let [before, after] = pair else { continue };
        if before.unit == after.unit {
            // Reported as a conflict.
        } else if before.unit == Unit::Trans {
            breaks!(
                findings,
                before.address,
                [
                    "r700.alu.group.trans-last",
                    "r700.alu.class.trans.allocates",
                    "r700.alu.group.order"
                ],
                "{} runs in ALU.Trans and must be the last instruction of its group",
                before.opcode.mnemonic()
            );
        } else if before.unit > after.unit {
            breaks!(
                findings,
                after.address,
                ["r700.alu.group.order"],
                "{} of {} stands after {}: a group is in the order X, Y, Z, W, Trans",
                after.opcode.mnemonic(),
                after.unit.name(),
                before.unit.name()
            );
        }
    }
}
