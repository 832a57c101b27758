//! For each rule about neighbouring instructions a program that breaks it and nothing else.

use parallax_spec::{RuleId, rule_id};

use super::{
    broken::{first, to},
    builders::*,
};
use crate::Device::{self, Bw, G45};

/// Rule, device, number of the instruction it shows at, program.
pub(super) fn programs() -> Vec<(RuleId, Device, usize, Vec<Instruction>)> {
    use Opcode::*;
    let compact = |instruction| Instruction { compact: true, ..instruction };
    let branch = |opcode| branch(opcode, if opcode == Else { 0x1_0001 } else { 1 });
    let mask = unary(Mov, 1, dst(r(10), Uw, 1), src(arfb(MASK, 2), Uw, SCALAR));
    let to_acc = |instruction| to(instruction, dst(arf(ACC0), D, 1));
    let add_acc = first(op(Add, D), src(arf(ACC0), D, V8));
    let nenop = Instruction::bare(Nenop);
    let root = send_with(0x0111_0004);
    let unchecked = Instruction { no_dd_check: true, ..root };
    vec![
        (rule_id!("g45.extmath.general.nodd-hazard"), G45, 1, vec![root, unchecked]),
        (
            rule_id!("g45.extmath.general.nodd-hazard"),
            G45,
            2,
            vec![root, to(mov(), dst(r(30), F, 1)), unchecked],
        ),
        (rule_id!("g45.compact.full-align"), G45, 1, vec![compact(mov()), mov()]),
        (rule_id!("g45.compact.nenop-second"), G45, 0, vec![compact(nenop), compact(mov())]),
        (rule_id!("g45.inst.wait.back-to-back"), Bw, 2, vec![mov(), wait(), wait()]),
        (rule_id!("g45.inst.do.matching"), G45, 1, vec![mov(), Instruction::bare(Do)]),
        (rule_id!("g45.inst.do.matching"), G45, 0, vec![branch(While)]),
        (rule_id!("g45.inst.if.structure"), G45, 0, vec![branch(If), mov()]),
        (rule_id!("g45.inst.if.structure"), G45, 0, vec![endif()]),
        (rule_id!("g45.inst.iff.no-else"), G45, 1, vec![branch(Iff), branch(Else), endif()]),
        (
            rule_id!("g45.inst.else.structure"),
            G45,
            2,
            vec![branch(If), branch(Else), branch(Else), endif()],
        ),
        (rule_id!("g45.mask.bw-delay"), Bw, 1, vec![branch(If), mask, endif()]),
        (rule_id!("g45.inst.and.acc-dst-consumers"), G45, 1, vec![to_acc(op(And, D)), add_acc]),
        (rule_id!("g45.inst.or.acc-dst-consumers"), G45, 1, vec![to_acc(op(Or, D)), add_acc]),
        (rule_id!("g45.inst.xor.acc-dst-consumers"), G45, 1, vec![to_acc(op(Xor, D)), add_acc]),
        (rule_id!("g45.inst.not.acc-dst-consumers"), G45, 1, vec![to_acc(op1(Not, D)), add_acc]),
        (
            rule_id!("g45.inst.mach.no-sat"),
            G45,
            2,
            vec![
                to_acc(op(Mul, D)),
                op(Mach, D),
                saturated(first(mov(), src(arf(ACC0), D, V8))),
                saturated(first(mov(), src(r(2), D, V8))),
            ],
        ),
    ]
}
