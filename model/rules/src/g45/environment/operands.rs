//! Operands: types, modifiers, architecture registers (sections 11.3 and 13.1).

use parallax_isa::eu::{
    DataType::F,
    operand::Register,
    register::ArfKind::{self, Address, Control, Flag, InstructionPointer, Mask, Null, State},
};

use super::super::g45;
use crate::{
    Rule,
    conversion::{UNSIGNED, computes_with},
    element::Element,
    gen7::writes_fourth_control_register,
    step::Step,
};

/// Whether an architecture register of a kind is read.
fn reads(step: Step, kind: ArfKind) -> bool {
    step.any_register(|source| source.arf() == Some(kind))
}

/// Whether operands of different types are read as numbers.
fn mixes_types(step: Step) -> bool {
    let own = step.destination().data_type;
    step.has_exact_result()
        && step.reads_numbers()
        && step.sources().iter().any(|source| source.data_type() != own)
}

fn mixes_source_types(step: Step) -> bool {
    step.has_exact_result() && matches!(step.sources(), [a, b] if a.data_type() != b.data_type())
}

/// Whether what number an operand is depends on its type.
fn shows_type(step: Step) -> bool {
    computes_with(step, F, Element::shows_layout)
        || step.reads_numbers()
            && UNSIGNED.iter().any(|t| step.any_of_sources(*t, Element::shows_its_sign))
}

/// Whether an unsigned element is negated that is not zero.
fn negates_unsigned(step: Step) -> bool {
    step.modifies_sources()
        && step
            .registers()
            .any(|source| source.modifier.negate && UNSIGNED.contains(&source.data_type))
}

/// Whether a source has both modifiers.
fn has_both_modifiers(step: Step) -> bool {
    step.modifies_sources()
        && step.registers().any(|source| source.modifier.negate && source.modifier.absolute)
}

/// A rule of reading an architecture register.
const fn register(id: &str, when: fn(Step) -> bool) -> Rule {
    g45(id).when(when)
}

/// Whether an operand is a part of an architecture register, of some kind, that is not its first one.
fn names_later_part_of(step: Step, kind: Option<ArfKind>) -> bool {
    let is_later = |register: Register| {
        register.arf().is_some_and(|own| own != Null && kind.is_none_or(|kind| own == kind))
            && matches!(register, Register::Direct { subregister, .. } if subregister != 0)
    };
    step.any_region(|source| is_later(source.register))
        || step.has_exact_result() && is_later(step.destination().register)
}

fn names_later_part(step: Step) -> bool {
    names_later_part_of(step, None)
}

/// Whether the destination is a part of an architecture register that does not exist.
fn writes_reserved_part(step: Step) -> bool {
    let register = step.destination().register;
    let bytes = match register.arf() {
        Some(Control) => 12,
        Some(Flag | InstructionPointer) => 4,
        Some(Mask) => 8,
        _ => return false,
    };
    step.has_exact_result()
        && matches!(register, Register::Direct { subregister, .. } if subregister >= bytes)
}

pub(in super::super) const RULES: &[Rule] = &[
    g45("g45.gen.bit-order").when(|s| s.any_region(|source| source.data_type.size() > 1)),
    g45("g45.dt.fundamental-sizes").when(|s| s.any_region(|_| true)),
    g45("g45.exec.mixed-types").when(mixes_types),
    g45("g45.grf.properties").when(|s| s.any_region(|source| source.arf().is_none())),
    g45("g45.null.read")
        .when(|s| s.registers().any(|source| source.arf() == Some(Null)) && s.any_open(|_| true)),
    g45("g45.arf.subregnum").when(names_later_part),
    g45("g45.arf.reserved-write").when(writes_reserved_part),
    g45("g45.addr.subregs").when(|s| names_later_part_of(s, Some(Address))),
    g45("g45.cr.cr3-write").when(writes_fourth_control_register),
    register("g45.addr.explicit-types", |s| reads(s, Address)),
    register("g45.vec.addr-moves", |s| reads(s, Address)),
    register("g45.operand.addr-reg-shape", |s| reads(s, Address)),
    register("g45.flag.as-operand", |s| reads(s, Flag)),
    register("g45.flag.encoding", |s| reads(s, Flag)),
    register("g45.sysroutine.flag-save", |s| reads(s, Flag)),
    register("g45.mask.group-access", |s| reads(s, Mask)),
    register("g45.mask.encoding", |s| reads(s, Mask)),
    register("g45.sr.properties", |s| reads(s, State)),
    register("g45.sr.fields", |s| reads(s, State)),
    register("g45.sr.grf-blocks", |s| reads(s, State)),
    register("g45.sr.dmask", |s| reads(s, State)),
    register("g45.sysroutine.thread-index", |s| reads(s, State)),
    register("g45.sysroutine.exception-poll", |s| reads(s, Control)),
    register("g45.cr.encoding", |s| reads(s, Control)),
    register("g45.ip.properties", |s| reads(s, InstructionPointer)),
    register("g45.pg.ip.source", |s| reads(s, InstructionPointer)),
    g45("g45.exec.mixed-src").when(mixes_source_types),
    g45("g45.field.srcmod.order").when(has_both_modifiers),
    g45("g45.field.srcmod.extra-bit").when(negates_unsigned),
    g45("g45.dw1.type.bits-reinterpreted").when(shows_type),
    g45("g45.conv.dst-chan-index").when(|s| s.any_region(|_| true)),
];
