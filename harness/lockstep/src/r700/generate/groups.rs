//! ALU groups, legal by construction: units, read ports, constants, literals, co-issue.

use parallax_isa::r700::{
    AluOpcode, Group, Source,
    opcode::{Role, Units},
    source::Inline,
};

use super::{
    clause::Clause,
    opcodes::FAMILIES,
    operands::{ALIKE, direction},
    ports::{self, Load, Loads},
    slot::{Operand, Slot, TRANS, bare, follow, instruction, same_span, spans, whole},
};
use crate::choices::Choices;

impl Clause {
    /// The next group of the clause. Pixels are killed only in the last one.
    pub(super) fn group(&mut self, choices: &mut Choices, last: bool) -> Group {
        let mut slots = self.slots(choices, last);
        let mut literals = Vec::new();
        self.assign_units(&mut slots);
        self.index_modes(choices, &mut slots);
        for at in 0..slots.len() {
            let mut slot = slots[at].clone();
            slot.sources = self.sources(choices, &slot, &mut literals);
            if slot.opcode.double_slots() == 4 && slot.opcode != AluOpcode::Frexp64 {
                // The three slots of high words have the same signs.
                let first = slots.iter().find(|other| same_span(other, &slot));
                if let Some(first) = first.filter(|_| (1..3).contains(&slot.element)) {
                    for (operand, first) in slot.sources.iter_mut().zip(&first.sources) {
                        (operand.negate, operand.absolute) = (first.negate, first.absolute);
                    }
                }
            }
            if slots[..at].iter().all(|other| !spans(other.opcode) || !same_span(other, &slot)) {
                self.output(choices, &mut slot);
            } else {
                follow(&mut slot, &slots[..at]);
            }
            self.destination(choices, &mut slot);
            slots[at] = slot;
        }
        self.doubles(choices, &mut slots);
        // Odd registers hold integers, which point nowhere.
        let register = match choices.below(self.registers as usize) as u8 {
            odd if odd % 2 == 1 => ALIKE,
            register => register,
        };
        direction(&mut slots, register);
        let codes = loadable(choices, &mut slots);
        self.remember(&slots);
        let instructions = slots.iter().zip(codes).enumerate();
        let instructions = instructions
            .map(|(at, (slot, code))| instruction(slot, code, at + 1 == slots.len()))
            .collect::<Vec<_>>();
        // Literals come in pairs: as many as the operands ask for.
        let wanted = instructions.iter().map(|alu| alu.literal_slots()).max().unwrap_or(0);
        literals.resize(2 * wanted, 0);
        Group { instructions, literals }
    }

    /// Lets operations on doubles have whole ones as operands, half of the time: of the registers that hold them
    /// the high word where a slot wants it, the low word for the last slot. Otherwise the words of an operand are of
    /// two numbers, and hardly ever those of an infinity or a one.
    fn doubles(&self, choices: &mut Choices, slots: &mut [Slot]) {
        let is_double = |slot: &Slot| slot.opcode.double_slots() > 0;
        if !slots.iter().any(is_double) || choices.sometimes(128) {
            return;
        }
        let places = choices.byte();
        for at in 0..slots.len() {
            if !is_double(&slots[at]) {
                continue;
            }
            let is_last = slots.get(at + 1).is_none_or(|next| !same_span(next, &slots[at]));
            for (number, operand) in slots[at].sources.iter_mut().enumerate() {
                let place = places >> (2 * number) & 3;
                let register = (self.registers as u8).saturating_sub(1 + place / 2);
                let element = place % 2 * 2 + u8::from(!is_last);
                let source = Source::Gpr(register);
                *operand = Operand { source, element, relative: false, ..*operand };
            }
        }
    }

    /// Opcodes and elements, in the order of the units.
    fn slots(&self, choices: &mut Choices, last: bool) -> Vec<Slot> {
        let mut slots = Vec::new();
        match choices.below(16) {
            0 => whole(&mut slots, 0..4, *choices.pick(&FAMILIES.reductions)),
            1 => whole(&mut slots, 0..4, *choices.pick(&FAMILIES.quads)),
            2 => {
                whole(&mut slots, 0..2, *choices.pick(&FAMILIES.pairs));
                // Not two predicates in a group.
                let second = *choices.pick(&FAMILIES.pairs);
                if second.row().role == Role::Plain {
                    whole(&mut slots, 2..4, second);
                }
            }
            3 => whole(&mut slots, 2..4, *choices.pick(&FAMILIES.pairs)),
            _ => {}
        }
        // A pair leaves the other two vector units, and an empty group all of them.
        let special =
            |slots: &[Slot]| slots.iter().any(|slot: &Slot| slot.opcode.row().role != Role::Plain);
        if slots.len() < 4 {
            let units = choices.byte();
            let taken: Vec<_> = slots.iter().map(|slot| slot.element).collect();
            for element in (0..4).filter(|element| !taken.contains(element)) {
                if units >> element & 1 == 1 {
                    let plain = special(&slots);
                    let opcode = self.vector_opcode(choices, plain, last);
                    slots.push(bare(opcode, element));
                }
            }
            slots.sort_by_key(|slot| slot.element);
        }
        if slots.is_empty() || choices.sometimes(150) {
            let occupied: Vec<_> = slots.iter().map(|slot| slot.element).collect();
            let only_trans = choices.sometimes(150);
            let opcode = if only_trans || (self.prefer_vector && occupied.is_empty()) {
                *choices.pick(&FAMILIES.trans)
            } else if !special(&slots) && choices.sometimes(30) {
                *choices.pick(&FAMILIES.predicates)
            } else {
                *choices.pick(&FAMILIES.any)
            };
            // An instruction that any unit runs goes to Trans where its own unit is taken.
            let any = opcode.row().units == Units::Any && self.prefer_vector;
            let element = if any { *choices.pick(&occupied) } else { choices.below(4) };
            slots.push(bare(opcode, element));
        }
        slots
    }

    fn vector_opcode(&self, choices: &mut Choices, plain: bool, last: bool) -> AluOpcode {
        match choices.below(12) {
            0 if !plain => *choices.pick(&FAMILIES.predicates),
            1 | 2 if !plain && self.writes_addresses => *choices.pick(&FAMILIES.addresses),
            3 if !plain && last && self.kills => *choices.pick(&FAMILIES.kills),
            _ => *choices.pick(&FAMILIES.any),
        }
    }

    /// Which unit runs what (section 4.3).
    fn assign_units(&self, slots: &mut [Slot]) {
        let mut taken = [false; 4];
        let count = slots.len();
        for (at, slot) in slots.iter_mut().enumerate() {
            let last = at + 1 == count;
            slot.unit = match slot.opcode.row().units {
                Units::Trans => TRANS,
                Units::Vector => slot.element,
                Units::Any if taken[slot.element] || (last && !self.prefer_vector) => TRANS,
                Units::Any => slot.element,
            };
            if slot.unit != TRANS {
                taken[slot.unit] = true;
            }
        }
    }

    /// Index modes: AR only where an earlier group has written it, one element for the whole group,
    /// and not beside a writer of it.
    fn index_modes(&self, choices: &mut Choices, slots: &mut [Slot]) {
        let writes = slots.iter().any(|slot| slot.opcode.row().role == Role::Address);
        let written: Vec<u32> = (0..4).filter(|n| self.addresses[*n as usize] && !writes).collect();
        let mut address = if written.is_empty() { None } else { Some(*choices.pick(&written)) };
        if address == Some(0) && self.globals && choices.sometimes(100) {
            // Global registers, indexed.
            address = Some(6);
        }
        for slot in slots {
            let mut modes = Vec::new();
            modes.extend(address);
            if self.in_loop {
                modes.push(4);
            }
            if self.globals {
                modes.push(5);
            }
            slot.beside_address = writes;
            slot.index_mode = if modes.is_empty() { 0 } else { *choices.pick(&modes) };
        }
    }
}

/// Bank swizzles for the slots. Operands that do not fit the read ports become zeros, until the
/// rest does.
fn loadable(choices: &mut Choices, slots: &mut [Slot]) -> Vec<u8> {
    let wanted: Vec<u8> = slots.iter().map(|_| choices.byte() % 6).collect();
    loop {
        let loads: Vec<_> = slots
            .iter()
            .map(|slot| {
                let operands = slot.sources.iter().map(|operand| operand.load(slot.index_mode));
                Loads { operands: operands.collect(), trans: slot.unit == TRANS }
            })
            .collect();
        if let Some(codes) = ports::swizzles(&loads, &wanted) {
            return codes;
        }
        simplify(slots, &loads);
    }
}

/// Replaces an operand by one that is easier to load: constants while there are too many of them,
/// then registers of vector units.
fn simplify(slots: &mut [Slot], loads: &[Loads]) {
    let registers = |loads: &Loads, number: usize| match loads.operands[number] {
        Load::Register { .. } => true,
        Load::Constant { .. } | Load::Immediate | Load::Previous => false,
    };
    let fit = ports::constants_fit(loads);
    for (slot, loads) in slots.iter_mut().zip(loads).rev() {
        for number in (0..slot.sources.len()).rev() {
            let load = loads.operands[number];
            let constant = matches!(load, Load::Constant { .. })
                || loads.trans && matches!(load, Load::Immediate);
            let replace = if fit { registers(loads, number) && !loads.trans } else { constant };
            if replace {
                // In Trans inline constants count as well: a register takes their place.
                let source =
                    if loads.trans { Source::Gpr(0) } else { Source::Inline(Inline::Zero) };
                // The signs stay: the slots of a double have the same.
                let operand = &mut slot.sources[number];
                *operand = Operand { source, element: 0, relative: false, ..*operand };
                return;
            }
        }
    }
    // Only Trans is left, with registers that block each other: one is enough.
    for slot in slots.iter_mut().filter(|slot| slot.unit == TRANS) {
        if let Some(first) = slot.sources.first().copied() {
            slot.sources.fill(first);
        }
    }
}
