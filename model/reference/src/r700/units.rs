//! Which unit runs which instruction of a group (section 4.3).

use parallax_isa::r700::{Alu, AluOpcode, Group, opcode::Units};

use super::wavefront::{Executed, opcode_of, refuse};

/// Number of the Trans unit; X, Y, Z, W are 0 to 3.
pub(super) const TRANS: usize = 4;

/// The instructions of a group by unit.
pub(super) type Slots = [Option<Alu>; 5];

/// Assigns the instructions of a group, in order, to units.
pub(super) fn assign(group: &Group, prefer_vector: bool) -> Executed<Slots> {
    // Decision D-r700-units.
    let mut slots: Slots = [None; 5];
    for &alu in &group.instructions {
        let element = alu.dst_elem() as usize;
        let units = opcode_of(alu)?.row().units;
        let any_as_trans = slots[element].is_some() || alu.last() == 1 && !prefer_vector;
        let unit = match units {
            Units::Trans => TRANS,
            Units::Any if any_as_trans => TRANS,
            Units::Vector | Units::Any => element,
        };
        if slots[unit].is_some() {
            let name = ["X", "Y", "Z", "W", "Trans"][unit];
            return refuse(format!("two instructions of a group go to the unit {name}"));
        }
        slots[unit] = Some(alu);
    }
    complete(&slots)?;
    Ok(slots)
}

/// Checks that reductions and double-precision operations have all their slots.
fn complete(slots: &Slots) -> Executed {
    let opcode = |unit: usize| slots[unit].and_then(Alu::opcode);
    for unit in 0..TRANS {
        let Some(opcode_here) = opcode(unit) else { continue };
        let needed = slots_of(opcode_here, unit);
        if needed.clone().any(|other| opcode(other) != Some(opcode_here)) {
            return refuse(format!("{} does not have all its slots", opcode_here.mnemonic()));
        }
    }
    Ok(())
}

/// The slots an operation takes, one of which is given.
pub(super) fn slots_of(opcode: AluOpcode, unit: usize) -> std::ops::Range<usize> {
    if opcode.is_reduction() || opcode.double_slots() == 4 {
        0..4
    } else if opcode.double_slots() == 2 {
        unit & 2..(unit & 2) + 2
    } else {
        unit..unit + 1
    }
}
