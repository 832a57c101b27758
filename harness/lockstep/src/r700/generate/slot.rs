//! Instructions of a group while it is put together, and their machine code.

use parallax_isa::r700::{
    Alu, AluOpcode, Source,
    microcode::{AluOp2, AluOp3, Field},
    opcode::AluFormat,
    source::Inline,
};

use super::ports::Load;

/// The Trans unit; X, Y, Z, W are 0 to 3.
pub(in crate::r700) const TRANS: usize = 4;

/// An instruction while its group is put together.
#[derive(Debug, Clone)]
pub(in crate::r700) struct Slot {
    pub(in crate::r700) opcode: AluOpcode,
    pub(in crate::r700) element: usize,
    pub(in crate::r700) unit: usize,
    pub(in crate::r700) sources: Vec<Operand>,
    pub(in crate::r700) index_mode: u32,
    /// An instruction of its group writes AR.
    pub(in crate::r700) beside_address: bool,
    pub(in crate::r700) destination: u32,
    pub(in crate::r700) destination_relative: bool,
    pub(in crate::r700) write: bool,
    pub(in crate::r700) scale: u32,
    pub(in crate::r700) clamp: bool,
    pub(in crate::r700) predicate: u32,
    pub(in crate::r700) update_predicate: bool,
    pub(in crate::r700) update_execute: bool,
}

/// An operand of it.
#[derive(Debug, Clone, Copy)]
pub(in crate::r700) struct Operand {
    pub(in crate::r700) source: Source,
    pub(in crate::r700) element: u8,
    pub(in crate::r700) relative: bool,
    pub(in crate::r700) negate: bool,
    pub(in crate::r700) absolute: bool,
}

impl Operand {
    pub(in crate::r700) const ZERO: Self = Self {
        source: Source::Inline(Inline::Zero),
        element: 0,
        relative: false,
        negate: false,
        absolute: false,
    };

    pub(in crate::r700) fn load(self, index_mode: u32) -> Load {
        let index = if self.relative { 1 + index_mode } else { 0 };
        let register = self.source.select() | index << 16;
        match self.source {
            Source::Gpr(_) => Load::Register { register, element: self.element },
            Source::Kcache(..) | Source::Constant(_) => {
                Load::Constant { register, element: self.element }
            }
            Source::Inline(_) | Source::Literal => Load::Immediate,
            Source::PreviousVector | Source::PreviousScalar => Load::Previous,
        }
    }
}

pub(in crate::r700) const fn bare(opcode: AluOpcode, element: usize) -> Slot {
    Slot {
        opcode,
        element,
        unit: 0,
        sources: Vec::new(),
        index_mode: 0,
        beside_address: false,
        destination: 0,
        destination_relative: false,
        write: true,
        scale: 0,
        clamp: false,
        predicate: 0,
        update_predicate: false,
        update_execute: false,
    }
}

/// An operation over several slots.
pub(in crate::r700) fn whole(
    slots: &mut Vec<Slot>,
    elements: std::ops::Range<usize>,
    opcode: AluOpcode,
) {
    slots.extend(elements.map(|element| bare(opcode, element)));
}

pub(in crate::r700) fn spans(opcode: AluOpcode) -> bool {
    opcode.is_reduction() || opcode.double_slots() > 0
}

/// Whether two slots belong to one operation.
pub(in crate::r700) fn same_span(a: &Slot, b: &Slot) -> bool {
    let pair = a.opcode.double_slots() == 2;
    spans(a.opcode) && a.opcode == b.opcode && (!pair || a.element / 2 == b.element / 2)
}

/// Whether a slot is the first one of its double-precision operation.
pub(in crate::r700) fn leads(slot: &Slot) -> bool {
    slot.element == 0 || slot.element == 2 && slot.opcode.double_slots() == 2
}

/// A slot of an operation is predicated and scaled as its first slot is.
pub(in crate::r700) fn follow(slot: &mut Slot, before: &[Slot]) {
    let Some(first) = before.iter().find(|other| same_span(other, slot)) else { return };
    slot.predicate = first.predicate;
    slot.update_predicate = first.update_predicate;
    slot.update_execute = first.update_execute;
    // Reductions want the same modifiers everywhere, doubles have them in the first slot.
    if slot.opcode.is_reduction() {
        slot.scale = first.scale;
        slot.clamp = first.clamp;
    }
}

/// The machine code of a slot.
pub(in crate::r700) fn instruction(slot: &Slot, code: u8, last: bool) -> Alu {
    let operand = |number: usize| slot.sources.get(number).copied();
    let select = |number| operand(number).map_or(0, |operand| operand.source.select());
    let element = |number| operand(number).map_or(0, |operand| u32::from(operand.element));
    let flag = |number, get: fn(Operand) -> bool| operand(number).is_some_and(get).into();
    let common: [(Field, u32); 13] = [
        (AluOp2::SRC0_SEL, select(0)),
        (AluOp2::SRC0_REL, flag(0, |operand| operand.relative)),
        (AluOp2::SRC0_CHAN, element(0)),
        (AluOp2::SRC0_NEG, flag(0, |operand| operand.negate)),
        (AluOp2::SRC1_SEL, select(1)),
        (AluOp2::SRC1_REL, flag(1, |operand| operand.relative)),
        (AluOp2::SRC1_CHAN, element(1)),
        (AluOp2::SRC1_NEG, flag(1, |operand| operand.negate)),
        (AluOp2::INDEX_MODE, slot.index_mode),
        (AluOp2::PRED_SEL, slot.predicate),
        (AluOp2::LAST, last.into()),
        (AluOp2::BANK_SWIZZLE, code.into()),
        (AluOp2::DST_GPR, slot.destination),
    ];
    let mut dwords = [0; 2];
    for (field, value) in common {
        field.set(&mut dwords, value);
    }
    AluOp2::DST_REL.set(&mut dwords, slot.destination_relative.into());
    AluOp2::DST_ELEM.set(&mut dwords, slot.element as u32);
    AluOp2::CLAMP.set(&mut dwords, slot.clamp.into());
    match slot.opcode.row().format {
        AluFormat::Op2 => Alu::Op2(
            AluOp2(dwords)
                .with(AluOp2::ALU_INST, slot.opcode.row().code)
                .with(AluOp2::SRC0_ABS, flag(0, |operand| operand.absolute))
                .with(AluOp2::SRC1_ABS, flag(1, |operand| operand.absolute))
                .with(AluOp2::UPDATE_PRED, slot.update_predicate.into())
                .with(AluOp2::UPDATE_EXECUTE_MASK, slot.update_execute.into())
                .with(AluOp2::WRITE_MASK, slot.write.into())
                .with(AluOp2::OMOD, slot.scale),
        ),
        AluFormat::Op3 => Alu::Op3(
            AluOp3(dwords)
                .with(AluOp3::ALU_INST, slot.opcode.row().code)
                .with(AluOp3::SRC2_SEL, select(2))
                .with(AluOp3::SRC2_REL, flag(2, |operand| operand.relative))
                .with(AluOp3::SRC2_CHAN, element(2))
                .with(AluOp3::SRC2_NEG, flag(2, |operand| operand.negate)),
        ),
    }
}
