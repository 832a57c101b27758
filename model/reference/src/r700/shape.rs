//! Which rules about the shape of a group — its units, formats, literals, output modifiers,
//! predicates — a group exercises: data, counted once when the group runs. Those about its operands
//! count where operands are checked and read.

use parallax_isa::r700::{
    Alu, AluOpcode, Group,
    case::{Case, ProgramType},
    microcode::CfAluWord,
    opcode::{Kind, Role, Units},
};
use parallax_spec::{RuleId, coverage, rule_id};

use super::units::{Slots, TRANS};

/// A group where it stands.
pub(super) struct Shape<'g> {
    pub(super) case: &'g Case,
    pub(super) word: CfAluWord,
    pub(super) group: &'g Group,
    pub(super) slots: &'g Slots,
}

/// Whether a group exercises some rules.
type Exercises = fn(&Shape) -> bool;

/// Rules by what exercises them.
const ROWS: &[(&[RuleId], Exercises)] = &[
    (
        &[
            rule_id!("r700.alu.group.last"),
            rule_id!("r700.alu.group.clause-size"),
            rule_id!("r700.alu.op-select"),
            rule_id!("r700.aluinst.format.op2op3"),
            rule_id!("r700.org.group-size"),
            rule_id!("r700.org.two-sections"),
            rule_id!("r700.org.clause-no-cf"),
            rule_id!("r700.org.base"),
            rule_id!("r700.cf.count.minus1"),
            rule_id!("r700.gen.operand-limit"),
            rule_id!("r700.conv.reg.gpr-shape"),
            rule_id!("r700.alu.elements.order"),
        ],
        |_| true,
    ),
    (&[rule_id!("r700.alu.operands.op2")], |s| any(s, |alu| matches!(alu, Alu::Op2(_)))),
    (&[rule_id!("r700.alu.operands.op3"), rule_id!("r700.aluinst.format.op3-no-fields")], |s| {
        any(s, |alu| matches!(alu, Alu::Op3(_)))
    }),
    (
        &[
            rule_id!("r700.alu.literal.presence"),
            rule_id!("r700.alu.literal.layout"),
            rule_id!("r700.alu.literal.count-against"),
        ],
        |s| !s.group.literals.is_empty(),
    ),
    (&[rule_id!("r700.alu.assign.single-any")], |s| {
        s.group.instructions.len() == 1 && any(s, |alu| units(alu) == Some(Units::Any))
    }),
    (&[rule_id!("r700.alu.class.any")], |s| any(s, |alu| units(alu) == Some(Units::Any))),
    (&[rule_id!("r700.alu.class.vector")], |s| any(s, |alu| units(alu) == Some(Units::Vector))),
    (&[rule_id!("r700.alu.class.trans")], |s| any(s, |alu| units(alu) == Some(Units::Trans))),
    (&[rule_id!("r700.aluinst.trans.result")], |s| s.slots[TRANS].is_some()),
    (&[rule_id!("r700.alu.class.cube.mods")], |s| {
        any(s, |alu| is(alu, &[AluOpcode::Cube]) && (alu.omod() != 0 || alu.clamp() == 1))
    }),
    (&[rule_id!("r700.alu.src.broadcast")], |s| s.group.instructions.len() > 1),
    (&[rule_id!("r700.aluinst.omod.order")], |s| any(s, |alu| alu.omod() != 0 && alu.clamp() == 1)),
    (&[rule_id!("r700.alu.pvps.preserve"), rule_id!("r700.aluinst.mov.as-nop")], |s| {
        any(s, |alu| is(alu, &[AluOpcode::Mov]) && !alu.write_mask())
    }),
    (
        &[rule_id!("r700.alu.out.conflict.trans"), rule_id!("r700.alu.pvps.trans-override")],
        overridden,
    ),
    (&[rule_id!("r700.alu.out.conflict.trans-pixel")], |s| {
        overridden(s) && s.slots[TRANS].is_some_and(|alu| alu.pred_sel() != 0)
    }),
    (&[rule_id!("r700.alu.out.per-instruction")], |s| {
        differ(s, |alu| alu.omod() << 1 | alu.clamp())
    }),
    (&[rule_id!("r700.alu.out.op3-nowrite")], |s| {
        let outside = |alu: Alu| {
            let free = s.case.gpr_count..128 - s.case.clause_temporaries;
            matches!(alu, Alu::Op3(_)) && alu.dst_rel() == 0 && free.contains(&alu.dst_gpr())
        };
        s.group.instructions.iter().any(|alu| outside(*alu))
    }),
    (&[rule_id!("r700.share.temp.location")], |s| {
        let first = 128 - s.case.clause_temporaries;
        s.group.instructions.iter().any(|alu| alu.dst_rel() == 0 && alu.dst_gpr() >= first)
    }),
    (&[rule_id!("r700.alu.pred.per-instruction")], |s| differ(s, Alu::pred_sel)),
    (
        &[rule_id!("r700.alu.pred.computed-not-stored"), rule_id!("r700.aluinst.pred.exec-only")],
        |s| any(s, |alu| alu.update_execute_mask() && !alu.update_pred()),
    ),
    (&[rule_id!("r700.alu.pred.both"), rule_id!("r700.pred.two-kinds")], |s| {
        any(s, |alu| alu.update_execute_mask() && alu.update_pred())
    }),
    (&[rule_id!("r700.aluinst.glossary.active-mask")], |s| any(s, Alu::update_execute_mask)),
    (&[rule_id!("r700.aluinst.pred.result-mapping")], |s| any(s, Alu::update_pred)),
    (&[rule_id!("r700.aluinst.pred.no-update")], |s| {
        any(s, |alu| {
            role(alu) == Some(Role::Predicate) && !alu.update_pred() && !alu.update_execute_mask()
        })
    }),
    (&[rule_id!("r700.alu.pred.counter-gpr"), rule_id!("r700.aluinst.pred.dst-polarity")], |s| {
        any(s, |alu| role(alu) == Some(Role::Predicate) && alu.write_mask())
    }),
    (&[rule_id!("r700.aluinst.pred.write-mask")], |s| {
        any(s, |alu| {
            let updates = alu.update_pred() || alu.update_execute_mask();
            role(alu) == Some(Role::Predicate) && !alu.write_mask() && updates
        })
    }),
    (
        &[rule_id!("r700.aluinst.pred.setkillreg"), rule_id!("r700.aluinst.pred.int-dst-float")],
        |s| any(s, |alu| role(alu) == Some(Role::Predicate) && reads_integers(alu)),
    ),
    (&[rule_id!("r700.aluinst.pred.push-types")], |s| {
        any(s, |alu| mnemonic(alu).ends_with("_PUSH_INT"))
    }),
    (&[rule_id!("r700.aluinst.pred.push-counter")], |s| {
        any(s, |alu| mnemonic(alu).contains("_PUSH"))
    }),
    (&[rule_id!("r700.aluinst.group.kill-effect")], |s| {
        s.case.program_type == ProgramType::Pixel && any(s, |alu| role(alu) == Some(Role::Kill))
    }),
    // That nothing is written is compared, whatever is left as previous result.
    (
        &[
            rule_id!("r700.alu.nop"),
            rule_id!("r700.aluinst.nop.no-write"),
            rule_id!("r700.aluinst.nop.encoding"),
            rule_id!("r700.aluinst.nop.operands"),
            rule_id!("r700.aluinst.nop.operation"),
        ],
        |s| any(s, |alu| is(alu, &[AluOpcode::Nop]) && alu.write_mask()),
    ),
    // Their relations the other way round: the operands of these are exchanged.
    (&[rule_id!("r700.aluinst.pred.le-int.semantics")], |s| {
        any(s, |alu| is(alu, &[AluOpcode::PredSetgeInt]))
    }),
    (&[rule_id!("r700.aluinst.pred.lt-int.semantics")], |s| {
        any(s, |alu| is(alu, &[AluOpcode::PredSetgtInt]))
    }),
    (&[rule_id!("r700.aluinst.add-64.sub-identity")], |s| {
        any(s, |alu| {
            matches!(alu, Alu::Op2(word) if word.src1_neg() == 1) && is(alu, &[AluOpcode::Add64])
        })
    }),
    (&[rule_id!("r700.aluinst.nop.implicit")], |s| s.slots.contains(&None)),
    (&[rule_id!("r700.alu.mova.others")], |s| {
        any(s, |alu| role(alu) == Some(Role::Address)) && s.group.instructions.len() > 1
    }),
    (&[rule_id!("r700.state.ar.shape"), rule_id!("r700.aluinst.mova.clause-lifetime")], |s| {
        any(s, |alu| role(alu) == Some(Role::Address))
    }),
    (&[rule_id!("r700.alu.mova.pred")], |s| {
        any(s, |alu| role(alu) == Some(Role::Address) && alu.pred_sel() != 0)
    }),
    (&[rule_id!("r700.aluinst.mova.predicated")], |s| predicated(s, AluOpcode::Mova)),
    (&[rule_id!("r700.aluinst.mova-floor.predicated")], |s| predicated(s, AluOpcode::MovaFloor)),
    (&[rule_id!("r700.aluinst.mova-int.predicated")], |s| predicated(s, AluOpcode::MovaInt)),
    (&[rule_id!("r700.alu.alt-const")], |s| s.word.alt_const() == 1),
    (
        &[
            rule_id!("r700.aluinst.group.reduction-pv"),
            rule_id!("r700.aluinst.group.reduction-replicate"),
        ],
        |s| any(s, |alu| is(alu, &[AluOpcode::Dot4, AluOpcode::Dot4Ieee, AluOpcode::Max4])),
    ),
    (&[rule_id!("r700.alu.dp.rounding"), rule_id!("r700.aluinst.f64.rounding")], |s| {
        any(s, |alu| is(alu, &[AluOpcode::Add64, AluOpcode::Mul64, AluOpcode::Muladd64]))
    }),
    (&[rule_id!("r700.aluinst.f64.dst-gprs")], |s| {
        let double = |alu: &&Alu| alu.opcode().is_some_and(|opcode| opcode.double_slots() > 0);
        let mut registers = s.group.instructions.iter().filter(double).map(|alu| alu.dst_gpr());
        let first = registers.next();
        registers.any(|register| Some(register) != first)
    }),
    (&[rule_id!("r700.aluinst.f64.coissue")], |s| {
        let pair = |alu: &&Alu| alu.opcode().is_some_and(|opcode| opcode.double_slots() == 2);
        let slots = s.group.instructions.iter().filter(pair).count();
        slots > 0 && s.group.instructions.len() > 2
    }),
    (&[rule_id!("r700.aluinst.mask.dx10")], |s| {
        any(s, |alu| mnemonic(alu).starts_with("SET") && result(alu) == Some(Kind::U32))
    }),
    (&[rule_id!("r700.aluinst.bool.float")], |s| {
        any(s, |alu| mnemonic(alu).starts_with("SET") && result(alu) == Some(Kind::F32))
    }),
    (&[rule_id!("r700.aluinst.f32.max-float")], |s| {
        any(s, |alu| mnemonic(alu).ends_with("_CLAMPED") || is(alu, &[AluOpcode::PredSetClr]))
    }),
    (&[rule_id!("r700.aluinst.f32.ff-zero")], |s| any(s, |alu| mnemonic(alu).ends_with("_FF"))),
    (&[rule_id!("r700.aluinst.sete.omod")], |s| scaled(s, AluOpcode::Sete)),
    (&[rule_id!("r700.aluinst.setgt.omod")], |s| scaled(s, AluOpcode::Setgt)),
    (&[rule_id!("r700.aluinst.setge.omod")], |s| scaled(s, AluOpcode::Setge)),
    (&[rule_id!("r700.aluinst.setne.omod")], |s| scaled(s, AluOpcode::Setne)),
    (&[rule_id!("r700.progtype.same-isa")], |s| s.case.program_type != ProgramType::Pixel),
    (&[rule_id!("r700.gen.data-kinds")], |s| {
        any(s, |alu| matches!(result(alu), Some(Kind::F32 | Kind::F64 | Kind::I32 | Kind::U32)))
    }),
];

/// Counts the rules a group exercises.
pub(super) fn count(shape: &Shape) {
    for (rules, exercises) in ROWS {
        if exercises(shape) {
            coverage::hit_all(rules);
        }
    }
}

fn any(s: &Shape, test: fn(Alu) -> bool) -> bool {
    s.group.instructions.iter().any(|alu| test(*alu))
}

/// Whether instructions of a group differ in something.
fn differ(s: &Shape, what: fn(Alu) -> u32) -> bool {
    s.group.instructions.windows(2).any(|pair| what(pair[0]) != what(pair[1]))
}

/// Whether Trans and a vector unit write the same element of a register.
fn overridden(s: &Shape) -> bool {
    let writes = |alu: &Alu| alu.write_mask() && alu.dst_rel() == 0;
    let Some(trans) = s.slots[TRANS].filter(writes) else { return false };
    let vector = s.slots[..TRANS].iter().flatten().filter(|alu| writes(alu));
    let place = |alu: Alu| (alu.dst_gpr(), alu.dst_elem());
    vector.into_iter().any(|alu| place(*alu) == place(trans))
}

fn predicated(s: &Shape, opcode: AluOpcode) -> bool {
    s.group.instructions.iter().any(|alu| alu.opcode() == Some(opcode) && alu.pred_sel() != 0)
}

fn scaled(s: &Shape, opcode: AluOpcode) -> bool {
    s.group.instructions.iter().any(|alu| alu.opcode() == Some(opcode) && alu.omod() != 0)
}

fn is(alu: Alu, opcodes: &[AluOpcode]) -> bool {
    alu.opcode().is_some_and(|opcode| opcodes.contains(&opcode))
}

fn units(alu: Alu) -> Option<Units> {
    alu.opcode().map(|opcode| opcode.row().units)
}

fn role(alu: Alu) -> Option<Role> {
    alu.opcode().map(|opcode| opcode.row().role)
}

fn result(alu: Alu) -> Option<Kind> {
    alu.opcode().map(|opcode| opcode.row().result)
}

fn mnemonic(alu: Alu) -> &'static str {
    alu.opcode().map_or("", AluOpcode::mnemonic)
}

fn reads_integers(alu: Alu) -> bool {
    let kinds = alu.opcode().map_or(&[][..], |opcode| opcode.row().sources);
    kinds.iter().any(|kind| matches!(kind, Kind::I32 | Kind::U32))
}
