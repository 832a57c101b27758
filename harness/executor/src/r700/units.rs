//! Which unit runs which instruction of a group (section 4.3).

use super::{alu::Units, decode::AluSlot};

/// Gives each instruction of a group its unit (section 4.3); says which unit two of them need.
pub(super) fn assign(slots: &mut [AluSlot], prefer_vector: bool) -> Option<String> {
    let mut taken = [false; 5];
    let mut conflict = None;
    let last = slots.len() - 1;
    for (number, slot) in slots.iter_mut().enumerate() {
        let own = slot.element;
        slot.unit = match slot.operation.units {
            Units::Trans => 4,
            Units::Vector => own,
            Units::Any if taken[usize::from(own)] => 4,
            Units::Any if number == last && !prefer_vector => 4,
            Units::Any => own,
        };
        if std::mem::replace(&mut taken[usize::from(slot.unit)], true) {
            let unit = ["X", "Y", "Z", "W", "Trans"][usize::from(slot.unit)];
            conflict = Some(format!("two instructions of the group need ALU.{unit}"));
        }
    }
    conflict
}
