//! Read ports of a group: on which cycle each operand is loaded, and whether it finds a port free
//! (sections 4.7.5 to 4.7.8).

use parallax_spec::{RuleId, rule_id};

use super::{
    Findings, breaks,
    units::{self, Placed, Unit},
};
use crate::r700::{
    instruction::{Group, Operand},
    source::Source,
};

/// Load cycles of the three operands by `BANK_SWIZZLE` in a vector unit: `VEC_012` and so on.
const VECTOR_CYCLES: [[usize; 3]; 6] =
    [[0, 1, 2], [0, 2, 1], [1, 2, 0], [1, 0, 2], [2, 0, 1], [2, 1, 0]];

/// The same in ALU.Trans: `SCL_210` and so on.
const SCALAR_CYCLES: [[usize; 3]; 4] = [[2, 1, 0], [1, 2, 2], [2, 1, 2], [2, 2, 1]];

/// Constants ALU.Trans can read.
const TRANS_CONSTANTS: usize = 2;

/// A register as the ports see it: relative ones differ from absolute ones, whatever the index.
pub type Register = (u8, bool);

/// The registers that a group loads, by cycle and element.
pub type Loads = [[Option<Register>; 4]; 3];

/// What a group of instructions loads through the read ports; `None` if it cannot be loaded.
#[must_use]
pub fn loads(group: &Group, prefer_vector: bool) -> Option<Loads> {
    let placed = units::assign(0, group, prefer_vector, &mut Findings::default());
    let mut findings = Findings::default();
    let reservations = check(&placed, &mut findings);
    findings.list.is_empty().then_some(reservations.registers)
}

/// What the group has reserved so far.
#[derive(Default)]
pub(super) struct Reservations {
    /// By cycle and element.
    registers: Loads,
    /// Constants: select, whether relative, and pair of elements.
    constants: [Option<(u32, bool, u8)>; 2],
}

impl Reservations {
    /// Reserves a port for an operand on a cycle; gives the register in its way, if one is.
    fn register(&mut self, cycle: usize, operand: &Operand) -> Result<(), Register> {
        let Some(Source::Gpr(number)) = operand.source else { return Ok(()) };
        let wanted = (number, operand.relative);
        let port = &mut self.registers[cycle][usize::from(operand.element)];
        match *port {
            Some(other) if other != wanted => Err(other),
            _ => {
                *port = Some(wanted);
                Ok(())
            }
        }
    }

    /// Reserves a pair of constant elements; false if both are taken.
    fn constant(&mut self, operand: &Operand) -> bool {
        let Some(source @ (Source::Constant(_) | Source::Kcache(..))) = operand.source else {
            return true;
        };
        let wanted = Some((source.select(), operand.relative, operand.element / 2));
        if self.constants.contains(&wanted) {
            return true;
        }
        match self.constants.iter_mut().find(|pair| pair.is_none()) {
            Some(free) => {
                *free = wanted;
                true
            }
            None => false,
        }
    }
}

/// Checks the vector units first, then ALU.Trans.
pub(super) fn check(placed: &[Placed], findings: &mut Findings) -> Reservations {
    let mut reservations = Reservations::default();
    for instruction in placed.iter().filter(|instruction| instruction.unit != Unit::Trans) {
        vector(instruction, &mut reservations, findings);
    }
    for instruction in placed.iter().filter(|instruction| instruction.unit == Unit::Trans) {
        trans(instruction, &mut reservations, findings);
    }
    reservations
}

fn vector(placed: &Placed, reservations: &mut Reservations, findings: &mut Findings) {
    let operands = placed.alu.operands();
    let cycles = VECTOR_CYCLES[placed.alu.bank_swizzle() as usize % VECTOR_CYCLES.len()];
    for (number, operand) in operands.iter().enumerate() {
        let place = |operand: &Operand| (operand.source, operand.element, operand.relative);
        let shares = number == 1 && place(operand) == place(&operands[0]);
        if !shares && let Err(other) = reservations.register(cycles[number], operand) {
            port_taken(placed, number, cycles[number], other, findings);
        }
        reserve_constant(placed, operand, reservations, findings);
    }
}

fn trans(placed: &Placed, reservations: &mut Reservations, findings: &mut Findings) {
    let operands = placed.alu.operands();
    let is_constant = |operand: &&Operand| operand.source.is_some_and(Source::is_constant);
    let constants = operands.iter().filter(is_constant).count();
    if constants > TRANS_CONSTANTS {
        breaks!(
            findings,
            placed.address,
            ["r700.alu.const.trans-max", "r700.alu.rpm.trans.const3", "r700.alu.rpm.scalar.pass1"],
            "{} in ALU.Trans reads {constants} constants: at most two are possible",
            placed.opcode.mnemonic()
        );
    }
    for operand in &operands {
        reserve_constant(placed, operand, reservations, findings);
    }
    let Some(cycles) = SCALAR_CYCLES.get(placed.alu.bank_swizzle() as usize) else { return };
    for (number, operand) in operands.iter().enumerate() {
        let cycle = cycles[number];
        let register = matches!(operand.source, Some(Source::Gpr(_)));
        let previous =
            matches!(operand.source, Some(Source::PreviousVector | Source::PreviousScalar));
        if (register || previous) && cycle < constants {
            late(placed, number, cycle, constants, register, findings);
        } else if let Err(other) = reservations.register(cycle, operand) {
            port_taken(placed, number, cycle, other, findings);
        }
    }
}

fn reserve_constant(
    placed: &Placed,
    operand: &Operand,
    reservations: &mut Reservations,
    findings: &mut Findings,
) {
    if reservations.constant(operand) {
        return;
    }
    let name = placed.opcode.mnemonic();
    if matches!(operand.source, Some(Source::Kcache(..))) {
        breaks!(
            findings,
            placed.address,
            ["r700.alu.rpm.kcache"],
            "{name} reads a third pair of constant elements: a group reads two pairs .xy or .zw"
        );
    } else {
        breaks!(
            findings,
            placed.address,
            ["r700.alu.rpm.reserve-cfile", "r700.alu.rpm.cfile.limit", "r700.alu.cport.pairs"],
            "{name} reads a third pair of constant elements: a group reads two pairs .xy or .zw"
        );
    }
}

fn port_taken(
    placed: &Placed,
    number: usize,
    cycle: usize,
    (other, relative): Register,
    findings: &mut Findings,
) {
    const RULES: [RuleId; 4] = [
        rule_id!("r700.alu.port.cycle.conflict"),
        rule_id!("r700.alu.port.gpr.model"),
        rule_id!("r700.alu.rpm.reserve-gpr"),
        // The reservations of the group before are no more.
        rule_id!("r700.alu.rpm.init"),
    ];
    const OF_VECTOR: [RuleId; 1] = [rule_id!("r700.alu.rpm.vector")];
    const OF_TRANS: [RuleId; 2] =
        [rule_id!("r700.alu.rpm.scalar.pass2"), rule_id!("r700.alu.rpm.order")];
    const OF_RELATIVE: [RuleId; 1] = [rule_id!("r700.alu.rpm.addresses")];
    let mut rules = RULES.to_vec();
    if placed.unit == Unit::Trans {
        rules.extend(OF_TRANS);
    } else {
        rules.extend(OF_VECTOR);
    }
    if relative {
        rules.extend(OF_RELATIVE);
    }
    let other = if relative { format!("R[{other}+index]") } else { format!("R{other}") };
    let message = format!(
        "source {number} of {} is loaded on cycle {cycle}, where {other} is read from the same element; choose another bank swizzle",
        placed.opcode.mnemonic()
    );
    findings.add(placed.address, &rules, message);
}

/// An operand of ALU.Trans that is loaded on a cycle its constants take.
fn late(
    placed: &Placed,
    number: usize,
    cycle: usize,
    constants: usize,
    register: bool,
    findings: &mut Findings,
) {
    let name = placed.opcode.mnemonic();
    if !register {
        breaks!(
            findings,
            placed.address,
            ["r700.alu.rpm.scalar.pvps"],
            "source {number} of {name} is loaded on cycle {cycle}, which its {constants} constants take"
        );
    } else if constants == 1 {
        breaks!(
            findings,
            placed.address,
            ["r700.alu.rpm.trans.const1", "r700.alu.rpm.scalar.pass2"],
            "source {number} of {name} is loaded on cycle 0, which its constant takes"
        );
    } else {
        breaks!(
            findings,
            placed.address,
            ["r700.alu.rpm.trans.const2", "r700.alu.rpm.scalar.pass2"],
            "source {number} of {name} is loaded on cycle {cycle}, which its {constants} constants take"
        );
    }
}
