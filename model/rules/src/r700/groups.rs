//! Units, groups and literals, and which unit runs which instruction (sections 4.1 to 4.3).

use parallax_isa::r700::{Alu, AluOpcode, Source, opcode::Units};

use super::{
    rule::{Rule, operation, rule},
    step::{Operation, Step, TRANS},
};

/// Whether an instruction that any unit can run is the last of its group, and the unit of its element is free: the
/// configuration says where it goes.
fn is_ambiguous(slot: Operation) -> bool {
    let element = slot.alu.dst_elem() as usize;
    let is_free = slot.unit == element || slot.step().slot(element).is_none();
    slot.unit_class() == Units::Any && slot.alu.last() == 1 && is_free
}

/// Whether a literal is read.
fn reads_literal(step: Step) -> bool {
    step.reads(|read| read.source() == Some(Source::Literal))
}

fn has_class(step: Step, class: Units) -> bool {
    step.any(|slot| slot.unit_class() == class)
}

pub(super) const RULES: &[Rule] = &[
    rule("r700.alu.units", |s| s.reads_before_writes()),
    rule("r700.alu.vector-unit-element", |s| s.any(|slot| slot.unit != TRANS && slot.written != 0)),
    rule("r700.alu.trans-element", |s| s.any(|slot| slot.unit == TRANS && slot.written != 0)),
    rule("r700.alu.operands.op2", |s| s.any(|slot| matches!(slot.alu, Alu::Op2(_)))),
    rule("r700.alu.operands.op3", |s| s.any(|slot| matches!(slot.alu, Alu::Op3(_)))),
    rule("r700.alu.elements.order", |s| s.any(|slot| slot.written != 0)),
    // Groups.
    rule("r700.alu.group.composition", |s| s.is_decided()).unconditional(),
    rule("r700.alu.group.last", |s| s.is_decided() && s.group.instructions.len() > 1),
    operation("r700.alu.group.double", super::doubles::ALL, |o| o.is_decided()).unconditional(),
    rule("r700.alu.group.clause-size", |s| {
        s.is_decided() && (s.previous.is_some() || s.group.words() > 1)
    }),
    rule("r700.alu.literal.presence", reads_literal),
    rule("r700.alu.literal.layout", |s| {
        s.reads(|read| {
            let literal = |element: u8| s.group.literals.get(usize::from(element));
            // Another one stands beside it.
            read.source() == Some(Source::Literal)
                && literal(read.operand.element) != literal(read.operand.element ^ 1)
        })
    }),
    rule("r700.alu.literal.count-against", |s| s.is_decided() && !s.group.literals.is_empty()),
    rule("r700.alu.literal.raw", reads_literal),
    // Units.
    rule("r700.alu.assign.1", |s| s.is_decided() && s.group.instructions.len() > 1),
    rule("r700.alu.assign.2", |s| has_class(s, Units::Trans)),
    rule("r700.alu.assign.3", |s| has_class(s, Units::Vector)),
    rule("r700.alu.assign.4", |s| {
        s.any(|slot| slot.unit == TRANS && slot.unit_class() == Units::Any && !is_ambiguous(slot))
    }),
    rule("r700.alu.assign.5", |s| s.any(is_ambiguous)),
    rule("r700.alu.assign.6", |s| {
        s.any(|slot| slot.unit != TRANS && slot.unit_class() == Units::Any && slot.alu.last() == 0)
    }),
    rule("r700.alu.assign.single-any", |s| s.group.instructions.len() == 1 && s.any(is_ambiguous)),
    rule("r700.alu.assign.config", |s| s.any(is_ambiguous)),
    rule("r700.alu.assign.implicit-nop", |s| {
        s.is_decided() && (0..5).any(|unit| s.slot(unit).is_none())
    }),
    rule("r700.alu.class.any", |s| has_class(s, Units::Any)),
    rule("r700.alu.class.vector", |s| has_class(s, Units::Vector)),
    rule("r700.alu.class.trans", |s| has_class(s, Units::Trans)),
    operation(
        "r700.alu.class.reduction.pvx",
        &[AluOpcode::Dot4, AluOpcode::Dot4Ieee, AluOpcode::Max4],
        |o| o.lanes().any(|lane| lane.written & lane.exact != 0),
    ),
    operation("r700.alu.class.cube.mods", &[AluOpcode::Cube], keeps_face),
];

/// Whether output modifiers would change the face that `CUBE` gives.
pub(super) fn keeps_face(cube: Operation) -> bool {
    let changes = |lane: Operation| {
        lane.any(|p| {
            let face = p.computed();
            lane.alu.omod() != 0 && face != 0.0 || lane.alu.clamp() == 1 && face > 1.0
        })
    };
    cube.lanes().last().is_some_and(changes)
}
