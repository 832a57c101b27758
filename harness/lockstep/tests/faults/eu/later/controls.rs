//! Fields of the instruction beside its operands: masks, predicates, conditions, groups of channels.

use parallax_isa::eu::{
    Instruction, Opcode,
    instruction::{ConditionalModifier as Condition, PredicateControl},
};

use super::{super::rewrites::become_condition, Eu, Fault, rewrite};

/// Every fault of this kind.
pub(super) const FAULTS: &[Fault<Eu>] = &[
    rewrite("saturation lost", |i| i.saturate.then(|| i.saturate = false)),
    rewrite("predicate inverted", |i| {
        (i.predicate.control != PredicateControl::None)
            .then(|| i.predicate.inverse = !i.predicate.inverse)
    }),
    rewrite("predicate ignored", |i| {
        (i.predicate.control != PredicateControl::None && i.opcode != Opcode::Sel)
            .then(|| i.predicate = Default::default())
    }),
    rewrite("any taken for all", |i| {
        control(i, |control| match control {
            PredicateControl::All2H => Some(PredicateControl::Any2H),
            PredicateControl::All4H => Some(PredicateControl::Any4H),
            PredicateControl::All8H => Some(PredicateControl::Any8H),
            PredicateControl::AllV => Some(PredicateControl::AnyV),
            _ => None,
        })
    }),
    rewrite("any of 32 taken for any of 16", |i| {
        control(i, |control| match control {
            PredicateControl::Any16H => Some(PredicateControl::Any32H),
            PredicateControl::Any32H => Some(PredicateControl::Any16H),
            _ => None,
        })
    }),
    rewrite("all of 32 taken for all of 16", |i| {
        control(i, |control| match control {
            PredicateControl::All16H => Some(PredicateControl::All32H),
            PredicateControl::All32H => Some(PredicateControl::All16H),
            _ => None,
        })
    }),
    rewrite("vertical predicate of one register", |i| {
        control(i, |control| match control {
            PredicateControl::AllV | PredicateControl::AnyV => Some(PredicateControl::Sequential),
            _ => None,
        })
    }),
    rewrite("x of the predicate for all", |i| {
        control(i, |control| match control {
            PredicateControl::ReplicateY
            | PredicateControl::ReplicateZ
            | PredicateControl::ReplicateW => Some(PredicateControl::ReplicateX),
            _ => None,
        })
    }),
    rewrite("other flag register", |i| uses_flags(i).then(|| i.flag_register ^= 1)),
    rewrite("other half of a flag register", |i| {
        (uses_flags(i) && i.first_channel + i.execution_size <= 16).then(|| i.flag_subregister ^= 1)
    }),
    rewrite("greater or equal taken for greater", |i| {
        become_condition(i, Condition::GreaterEqual, Condition::Greater)
    }),
    rewrite("less taken for less or equal", |i| {
        become_condition(i, Condition::Less, Condition::LessEqual)
    }),
    rewrite("equal taken for not equal", |i| {
        become_condition(i, Condition::Equal, Condition::NotEqual)
    }),
    rewrite("overflow never", |i| become_condition(i, Condition::Overflow, Condition::None)),
    rewrite("unordered taken for overflow", |i| {
        become_condition(i, Condition::Unordered, Condition::Overflow)
    }),
    rewrite("flag update lost", |i| {
        (i.condition != Condition::None
            && !matches!(i.opcode, Opcode::Cmp | Opcode::Cmpn | Opcode::Sel | Opcode::Csel))
        .then(|| i.condition = Condition::None)
    }),
    rewrite("NoMask ignored", |i| i.no_mask.then(|| i.no_mask = false)),
    rewrite("disabled channels written", |i| (!i.no_mask).then(|| i.no_mask = true)),
    rewrite("channels counted from the first one", |i| {
        (i.first_channel > 0).then(|| i.first_channel = 0)
    }),
    rewrite("nibble of the group ignored", |i| {
        (i.first_channel % 8 == 4).then(|| i.first_channel -= 4)
    }),
    rewrite("upper half of the group ignored", |i| {
        (i.first_channel >= 16).then(|| i.first_channel -= 16)
    }),
    rewrite("half of the channels", |i| (i.execution_size > 1).then(|| i.execution_size /= 2)),
    rewrite("sixteen channels of thirty-two", |i| {
        (i.execution_size == 32).then(|| i.execution_size = 16)
    }),
    rewrite("AccWrEn ignored", |i| i.accumulator_write.then(|| i.accumulator_write = false)),
    rewrite("every result to the accumulator", |i| {
        let data = matches!(i.opcode, Opcode::Add | Opcode::Mul | Opcode::Mov | Opcode::Mad);
        (data && !i.accumulator_write).then(|| i.accumulator_write = true)
    }),
];

fn control(
    i: &mut Instruction,
    other: fn(PredicateControl) -> Option<PredicateControl>,
) -> Option<()> {
    i.predicate.control = other(i.predicate.control)?;
    Some(())
}

fn uses_flags(i: &Instruction) -> bool {
    let chooses = matches!(i.opcode, Opcode::Sel | Opcode::Csel);
    i.predicate.control != PredicateControl::None || i.condition != Condition::None && !chooses
}
