//! Operands and destinations of the instructions of a group.

use parallax_isa::r700::{
    AluOpcode, Source,
    opcode::{AluFormat, Kind, Role},
    source::Inline,
};

use super::{
    clause::Clause,
    opcodes::{scaled_result, signed_source},
    slot::{Operand, Slot, TRANS, leads},
    values,
};
use crate::{choices::Choices, corners, random::SplitMix64};

impl Clause {
    /// Whether a relative address means something defined for a kind of operand.
    fn indexable(&self, slot: &Slot, source: Source) -> bool {
        let mode = slot.index_mode;
        let address = |element: u32| self.addresses[element as usize] && !slot.beside_address;
        match source {
            // General registers are always indexed by AR.X.
            Source::Gpr(_) => match mode {
                0..=3 => address(0),
                4 => self.in_loop,
                5 => self.globals,
                _ => self.globals && address(0),
            },
            Source::Constant(_) => match mode {
                0..=3 => address(mode),
                4 => self.in_loop,
                _ => false,
            },
            Source::Kcache(..) => mode == 4 && self.in_loop,
            _ => false,
        }
    }

    pub(super) fn sources(
        &self,
        choices: &mut Choices,
        slot: &Slot,
        literals: &mut Vec<u32>,
    ) -> Vec<Operand> {
        let kinds = slot.opcode.row().sources;
        let double = slot.opcode.double_slots() > 0;
        (0..kinds.len())
            .map(|number| {
                let mut operand = self.source(choices, kinds[number], literals);
                let relative = choices.sometimes(48);
                operand.relative = relative
                    && (self.indexable(slot, operand.source)
                        // It has no meaning for what is no address.
                        || !operand.source.is_address());
                // The sign of a double stands in its first slot.
                let first = !double || leads(slot);
                if first && signed_source(slot.opcode, number) {
                    let bits = choices.byte();
                    operand.negate = bits & 3 == 3;
                    operand.absolute =
                        bits & 12 == 12 && slot.opcode.row().format == AluFormat::Op2;
                }
                operand
            })
            .collect()
    }

    fn source(&self, choices: &mut Choices, kind: Kind, literals: &mut Vec<u32>) -> Operand {
        let element = choices.below(4) as u8;
        let plain = |source| Operand { source, element, ..Operand::ZERO };
        match choices.below(20) {
            13 | 14 => {
                let defined: Vec<u8> = (0..4).filter(|n| self.previous[usize::from(*n)]).collect();
                if !defined.is_empty() {
                    let element = *choices.pick(&defined);
                    return Operand { element, ..plain(Source::PreviousVector) };
                }
            }
            15 if self.previous[TRANS] => return plain(Source::PreviousScalar),
            16 => {
                let inline = Source::of(244 + choices.below(9) as u32);
                return plain(inline.unwrap_or(Source::Inline(Inline::Zero)));
            }
            17 | 18 => {
                let constant = if self.constant_file {
                    Some(Source::Constant(choices.byte()))
                } else {
                    let set = choices.below(2);
                    let set = if self.locked[set] == 0 { 1 - set } else { set };
                    let number = choices.below(self.locked[set] as usize) as u8;
                    (self.locked[set] > 0).then_some(Source::Kcache(set as u8, number))
                };
                if let Some(constant) = constant {
                    return plain(constant);
                }
            }
            19 => {
                let reuse = !literals.is_empty() && choices.sometimes(80);
                let at = if reuse || literals.len() == 4 {
                    choices.below(literals.len())
                } else {
                    literals.push(literal(choices, kind));
                    literals.len() - 1
                };
                return Operand { element: at as u8, ..plain(Source::Literal) };
            }
            _ => {}
        }
        plain(Source::Gpr(self.readable(choices, kind, element)))
    }

    /// A register whose element is defined, mostly one of the wanted kind: those of even numbers
    /// hold floats at first, those of odd numbers integers, the last ones doubles.
    fn readable(&self, choices: &mut Choices, kind: Kind, element: u8) -> u8 {
        if choices.sometimes(16) {
            let written: Vec<_> = (0..self.temporaries)
                .filter(|n| self.temporaries_written[*n as usize][usize::from(element)])
                .collect();
            if !written.is_empty() {
                return (128 - self.temporaries + *choices.pick(&written)) as u8;
            }
        }
        let any = choices.below(self.registers as usize) as u8;
        match kind {
            // The index register.
            Kind::F32 | Kind::I32 if choices.sometimes(16) => 0,
            Kind::F64 if choices.sometimes(160) => {
                (self.registers as u8).saturating_sub(1 + any % 2)
            }
            Kind::F32 if choices.sometimes(140) => any & !1,
            Kind::I32 | Kind::U32 if choices.sometimes(140) => {
                (any | 1).min(self.registers as u8 - 1)
            }
            _ => any,
        }
    }

    /// Predicate, scale, clamp: what every instruction has of its own.
    pub(super) fn output(&self, choices: &mut Choices, slot: &mut Slot) {
        let bits = choices.byte();
        slot.predicate = [0, 0, 0, 0, 0, 0, 2, 3][usize::from(bits & 7)];
        if scaled_result(slot.opcode) && slot.opcode.row().result != Kind::Address {
            if slot.opcode.row().format == AluFormat::Op2 && bits >> 3 & 3 == 0 {
                slot.scale = u32::from(bits >> 5 & 3);
            }
            slot.clamp = choices.sometimes(32);
        }
        if slot.opcode.row().role == Role::Predicate {
            let updates = choices.byte();
            slot.update_predicate = updates & 1 == 1;
            slot.update_execute = updates & 6 == 6;
        }
    }

    pub(super) fn destination(&self, choices: &mut Choices, slot: &mut Slot) {
        let writes = slot.opcode.row().role == Role::Address;
        // What a writer of AR leaves in a register is undefined.
        slot.write = !choices.sometimes(if writes { 250 } else { 24 });
        slot.destination = match choices.below(32) {
            0 if self.temporaries > 0 => {
                128 - self.temporaries + choices.below(self.temporaries as usize) as u32
            }
            // Nothing is written there.
            1 if self.registers + self.temporaries < 128 => self.registers,
            2 => 0,
            _ => 1 + choices.below(self.registers as usize - 1) as u32,
        };
        if slot.destination < self.registers {
            let indexable = self.indexable(slot, Source::Gpr(0));
            slot.destination_relative = indexable && choices.sometimes(32);
        }
    }
}

/// A literal of a kind.
fn literal(choices: &mut Choices, kind: Kind) -> u32 {
    let mut random = SplitMix64::new(u64::from(choices.word()));
    match kind {
        Kind::F32 => corners::float(&mut random),
        Kind::F64 => values::high_word(&mut random),
        _ => corners::integer(&mut random),
    }
}

/// The register in which elements of some pixels differ in their signs only: which of them `CUBE` takes is
/// a matter of its order then.
pub(super) const ALIKE: u8 = 4;

/// The operands of `CUBE`: elements zzxy and yxzz of one direction. An instruction in Trans reads the
/// same register, so that the ports are free for it.
pub(super) fn direction(slots: &mut [Slot], register: u8) {
    let [first, second] = [[2, 2, 0, 1], [1, 0, 2, 2]];
    if slots.iter().any(|slot| slot.opcode == AluOpcode::Cube) {
        let trans = slots.iter_mut().filter(|slot| slot.unit == TRANS);
        for operand in trans.flat_map(|slot| &mut slot.sources) {
            if let Source::Gpr(_) = operand.source {
                *operand = Operand { source: Source::Gpr(register), element: 2, ..Operand::ZERO };
            }
        }
    }
    for slot in slots.iter_mut().filter(|slot| slot.opcode == AluOpcode::Cube) {
        let operand = |element| Operand { source: Source::Gpr(register), element, ..Operand::ZERO };
        slot.sources = vec![operand(first[slot.element]), operand(second[slot.element])];
    }
}
