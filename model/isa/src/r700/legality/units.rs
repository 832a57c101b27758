//! Which unit runs each instruction of a group (section 4.3).

use std::sync::LazyLock;

use parallax_spec::{RuleId, rule_id};

use super::{Findings, breaks, restrictions};
use crate::r700::{
    instruction::{Alu, Group},
    opcode::{AluOpcode, Units},
};

/// A unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
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

/// The instructions of a group, each with the unit that runs it; those without an opcode are left out.
pub fn units(group: &Group, prefer_vector: bool) -> impl Iterator<Item = (Alu, Unit)> + use<> {
    let placed = assign(0, group, prefer_vector, &mut Findings::default());
    placed.into_iter().map(|placed| (placed.alu, placed.unit))
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

/// The restriction to some units of an opcode, if there is one, behind others.
fn with_own_rule(others: &[RuleId], opcode: AluOpcode) -> Vec<RuleId> {
    static RULES: LazyLock<Vec<Vec<RuleId>>> = LazyLock::new(|| restrictions(&["units"]));
    [others, &RULES[opcode as usize]].concat()
}

/// Rules that say of a kind of instruction that ALU.Trans does not run it.
const fn vector_only_rules(opcode: AluOpcode) -> &'static [RuleId] {
    match opcode {
        AluOpcode::Dot4 | AluOpcode::Dot4Ieee | AluOpcode::Cube | AluOpcode::Max4 => {
            const { &[rule_id!("r700.aluinst.group.reduction-not-trans")] }
        }
        AluOpcode::Add64 => const { &[rule_id!("r700.aluinst.add-64.vec-only")] },
        AluOpcode::Mova | AluOpcode::MovaFloor | AluOpcode::MovaInt => {
            const {
                &[
                    rule_id!("r700.aluinst.mova.not-trans"),
                    rule_id!("r700.aluinst.mova.count"),
                    rule_id!("r700.alu.mova.multiple"),
                ]
            }
        }
        _ => &[],
    }
}

fn conflict(address: u32, opcode: AluOpcode, unit: Unit, findings: &mut Findings) {
    const TRANS: RuleId = rule_id!("r700.alu.assign.conflict.trans");
    const VECTOR: RuleId = rule_id!("r700.alu.assign.conflict.vector");
    let name = opcode.mnemonic();
    let (mut rules, message) = match (unit, opcode.row().units) {
        (Unit::Trans, Units::Trans) => (
            vec![
                rule_id!("r700.alu.class.trans.one"),
                TRANS,
                rule_id!("r700.aluinst.group.trans-one"),
            ],
            format!(
                "{name} runs in ALU.Trans only, and another instruction of the group is there already"
            ),
        ),
        (Unit::Trans, _) => (
            vec![TRANS],
            format!(
                "{name} needs ALU.Trans, its own unit being taken, and another instruction of the group is there already"
            ),
        ),
        (Unit::Vector(_), _) => (
            vec![VECTOR],
            format!(
                "{name} cannot run in ALU.Trans, and {} is taken by another instruction of the group",
                unit.name()
            ),
        ),
    };
    rules.extend(vector_only_rules(opcode));
    findings.add(address, &with_own_rule(&rules, opcode), message);
}

/// X, Y, Z, W, Trans; Trans ends the group.
fn in_order(placed: &[Placed], findings: &mut Findings) {
    // What found its unit taken is reported as a conflict.
    let is_first = |(number, instruction): &(usize, &Placed)| {
        !placed[..*number].iter().any(|before| before.unit == instruction.unit)
    };
    let in_units: Vec<&Placed> =
        placed.iter().enumerate().filter(is_first).map(|(_, instruction)| instruction).collect();
    for pair in in_units.windows(2) {
        let [before, after] = pair else { continue };
        if before.unit == Unit::Trans {
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
