//! Results: output modifiers, destinations, predicates, kills, the address register, dependences (sections 4.8 to 4.10).

use parallax_isa::r700::{
    Alu,
    AluOpcode::MovaInt,
    opcode::{Kind, Role},
};

use super::{
    operands::{ADDRESS_MODES, LOOP_MODE, adds},
    rule::{Rule, operation, rule},
    step::{Operation, Pixel, Read, Step},
};
use crate::Decides;

/// Whether a destination is beyond the declared registers and before the temporaries of the clause.
fn names_no_register(step: Step, slot: Operation) -> bool {
    let free = step.case.gpr_count..128 - step.case.clause_temporaries;
    slot.on != 0
        && slot.alu.write_mask()
        && slot.alu.dst_rel() == 0
        && free.contains(&slot.alu.dst_gpr())
}

/// Whether an instruction computes a predicate and stores it, or sends it to the execute mask.
fn predicate_goes(step: Step, stored: bool, sent: bool) -> bool {
    step.slots().any(|slot| {
        slot.predicated != 0
            && slot.alu.update_pred() == stored
            && slot.alu.update_execute_mask() == sent
    })
}

/// A computed predicate goes to the execute mask only.
pub(super) fn only_sends(step: Step) -> bool {
    predicate_goes(step, false, true)
}

/// It goes to both.
pub(super) fn stores_and_sends(step: Step) -> bool {
    predicate_goes(step, true, true)
}

pub(super) fn stores(step: Step) -> bool {
    predicate_goes(step, true, false) || stores_and_sends(step)
}

pub(super) fn sends(step: Step) -> bool {
    only_sends(step) || stores_and_sends(step)
}

/// Whether a predicate setter writes its counter.
pub(super) fn writes_counter(step: Step) -> bool {
    step.any(|slot| slot.role() == Role::Predicate && slot.written != 0)
}

/// Whether a pixel is killed.
pub(super) fn kills(step: Step) -> bool {
    step.slots().any(|slot| slot.killed != 0)
}

/// Whether an instruction with a predicate selects some pixels.
fn selects(step: Step, select: u32) -> bool {
    step.slots().any(|slot| slot.alu.pred_sel() == select && slot.is_selective())
}

/// Whether the group before wrote to a register relative to something, and this one reads so.
fn follows_relative(step: Step, modes: &[u32]) -> bool {
    let wrote =
        |alu: &Alu| alu.write_mask() && alu.dst_rel() == 1 && modes.contains(&alu.index_mode());
    step.previous.is_some_and(|group| group.instructions.iter().any(wrote))
        && step.reads(|read| {
            read.is_register() && read.is_relative() && modes.contains(&read.slot.alu.index_mode())
        })
}

pub(super) const RULES: &[Rule] = &[
    rule("r700.alu.out.omod", |s| {
        s.any(|slot| slot.opcode.row().result == Kind::F32 && slot.scales())
    }),
    rule("r700.alu.out.clamp", |s| s.any(Operation::clamps)),
    rule("r700.alu.out.order", |s| s.any(Operation::clamps_after_scaling)),
    rule("r700.alu.out.per-instruction", |s| s.differ(|alu| alu.omod() << 1 | alu.clamp())),
    rule("r700.alu.out.write", |s| s.any(|slot| slot.written & slot.exact != 0)),
    rule("r700.alu.out.dst-range", |s| s.slots().any(|slot| names_no_register(s, slot))),
    rule("r700.alu.out.op3-nowrite", |s| {
        s.slots().any(|slot| matches!(slot.alu, Alu::Op3(_)) && names_no_register(s, slot))
    }),
    rule("r700.alu.out.dst-rel", |s| {
        s.any(|slot| slot.written != 0 && slot.any_destination(|index| index != 0))
    }),
    rule("r700.alu.out.conflict.trans", |s| {
        s.meeting().is_some_and(|[trans, vector]| trans.written & vector.written & trans.exact != 0)
    }),
    rule("r700.alu.out.atomic", |s| s.reads_before_writes()),
    // Predicates.
    rule("r700.alu.pred.sel.off", |s| s.any(|slot| slot.alu.pred_sel() == 0)),
    rule("r700.alu.pred.sel.zero", |s| selects(s, 2)),
    rule("r700.alu.pred.sel.one", |s| selects(s, 3)),
    rule("r700.alu.pred.off.effect", |s| s.slots().any(|slot| slot.off() != 0)),
    rule("r700.alu.pred.per-instruction", |s| s.differ(Alu::pred_sel)),
    rule("r700.alu.pred.update", stores).decides_of(Decides::Predicate),
    rule("r700.alu.pred.update-exec", sends).decides_of(Decides::Predicate),
    rule("r700.alu.pred.computed-not-stored", only_sends).decides_of(Decides::Predicate),
    rule("r700.alu.pred.both", stores_and_sends).decides_of(Decides::Predicate),
    rule("r700.alu.pred.counter-gpr", writes_counter),
    rule("r700.alu.kill.effect", kills).decides_of(Decides::ValidPixels),
    rule("r700.alu.nop", |s| s.slots().any(|slot| slot.mnemonic() == "NOP" && slot.on != 0)),
    // The address register.
    rule("r700.alu.mova.ar-element", |s| s.any(|slot| slot.addressed != 0))
        .decides_of(Decides::AddressRegister),
    rule("r700.alu.mova.range", |s| {
        s.any(|slot| slot.role() == Role::Address && slot.any(is_out_of_range))
    })
    .decides_of(Decides::AddressRegister),
    rule("r700.alu.mova.others", |s| {
        s.any(|slot| slot.addressed != 0) && s.any(|slot| slot.addressed == 0)
    })
    .decides_of(Decides::AddressRegister),
    rule("r700.alu.mova.pred", |s| {
        s.slots().any(|slot| slot.role() == Role::Address && slot.off() != 0)
    })
    .decides_of(Decides::AddressRegister),
    // Dependences.
    rule("r700.alu.dep.forward", |s| s.reads_previous()),
    rule("r700.alu.dep.detected.abs-loop", |s| follows_relative(s, LOOP_MODE)),
    rule("r700.alu.dep.detected.ar", |s| follows_relative(s, ADDRESS_MODES)),
    rule("r700.alu.dep.model", |s| s.reads_before_writes()),
    rule("r700.alu.cport.mix", |s| {
        s.reads(Read::is_file)
            && s.reads(|read| read.is_constant() && !read.is_file() && !read.is_cache())
    }),
    operation("r700.alu.dp.rounding", super::doubles::ARITHMETIC, super::doubles::rounds_double),
    operation("r700.alu.dp.storage", super::doubles::ALL, super::doubles::shows_its_words),
    rule("r700.alu.alt-const", |s| {
        s.word.alt_const() == 1 && s.reads(|read| read.is_file() || read.is_cache())
    }),
    rule("r700.alu.clause-temp.scope", |s| {
        let first = i64::from(128 - s.case.clause_temporaries);
        s.previous.is_some()
            && s.reads(|read| read.is_register() && !read.is_relative() && read.address() >= first)
    }),
    rule("r700.alu.op-select", |s| s.is_decided()).unconditional(),
    rule("r700.alu.rel.non-address", |s| {
        s.reads(|read| {
            let is_fixed = read.source().is_some_and(|source| !source.is_address());
            is_fixed && read.operand.relative
        })
    }),
    rule("r700.alu.out.conflict.trans-pixel", |s| {
        s.meeting()
            .is_some_and(|[trans, vector]| vector.written & !trans.written & vector.exact != 0)
    }),
];

/// Whether an index of the address register, which a group before wrote, is used.
pub(super) fn uses_address(step: Step) -> bool {
    adds(step, ADDRESS_MODES, |_| true)
}

/// Whether an index is beyond what the address register holds.
pub(super) fn is_out_of_range(p: Pixel) -> bool {
    match p.operation.opcode {
        MovaInt => !(-256..256).contains(&p.signed(0)),
        _ => !(-256.0..256.0).contains(&p.float(0)),
    }
}
