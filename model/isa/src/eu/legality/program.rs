//! Restrictions that concern several instructions of a program.

use parallax_spec::{RuleId, rule_id};

use super::{
    super::{
        generation::Generation,
        instruction::{Instruction, ThreadControl},
        opcode::{Format, Opcode},
        operand::{Register, Source},
        program::Program,
        register::ArfKind,
        types::DataType,
    },
    Finding, extended_math,
    findings::{Findings, changes_masks},
};
use crate::Device;

/// The rules that only a program can break.
pub(super) static RULES: &[RuleId] = &[
    rule_id!("g45.compact.full-align"),
    rule_id!("g45.compact.nenop-second"),
    rule_id!("g45.inst.wait.back-to-back"),
    rule_id!("g45.inst.do.matching"),
    rule_id!("g45.inst.if.structure"),
    rule_id!("g45.inst.iff.no-else"),
    rule_id!("g45.inst.else.structure"),
    rule_id!("g45.compr.mask-stack-mixing"),
    rule_id!("g45.mask.bw-delay"),
    rule_id!("g45.inst.and.acc-dst-consumers"),
    rule_id!("g45.inst.or.acc-dst-consumers"),
    rule_id!("g45.inst.xor.acc-dst-consumers"),
    rule_id!("g45.inst.not.acc-dst-consumers"),
    rule_id!("g45.inst.mach.no-sat"),
];

/// All restrictions a program breaks, instruction by instruction: what each shows by itself, then
/// what takes its neighbours.
#[must_use]
pub fn check(program: &Program) -> Vec<Finding> {
    let placed = program.instructions();
    let mut findings = Findings::of(placed);
    for (index, place) in placed.iter().enumerate() {
        for violation in super::check(program.device(), &place.instruction) {
            findings.push(index, violation);
        }
    }
    let generation = program.device().generation();
    if let Some(later) = generation.filter(|generation| *generation > Generation::Gen45) {
        findings.found.extend(super::later::program::check(program, later));
        findings.found.sort_by_key(|finding| finding.index);
        return findings.found;
    }
    alignment(program.device(), &mut findings);
    waits(&mut findings);
    blocks(&mut findings);
    if generation == Some(Generation::Gen4) {
        mask_reads(&mut findings);
    }
    logic_results(&mut findings);
    low_halves(&mut findings);
    extended_math::order_of_replies(&mut findings);
    let mut found = findings.found;
    found.sort_by_key(|finding| finding.index);
    found
}

/// Section 11.6.3: full-size instructions and padding.
fn alignment(device: Device, findings: &mut Findings) {
    if !super::compaction_exists(device) {
        return;
    }
    for (index, instruction) in findings.instructions() {
        let half = findings.placed[index].offset % 16;
        if !instruction.compact {
            findings.judge(
                index,
                rule_id!("g45.compact.full-align"),
                half == 0,
                "a 128-bit instruction must start at a multiple of 16 bytes; put a compact nenop \
                 before it",
            );
        }
        if instruction.opcode == Opcode::Nenop && instruction.compact {
            findings.judge(
                index,
                rule_id!("g45.compact.nenop-second"),
                half == 8,
                "a compact nenop can only fill the second half of 16 bytes; remove it",
            );
        }
    }
}

/// Section 14.2.45: two waits need an instruction between them.
fn waits(findings: &mut Findings) {
    for (index, instruction) in findings.instructions().skip(1) {
        if instruction.opcode == Opcode::Wait {
            findings.judge(
                index,
                rule_id!("g45.inst.wait.back-to-back"),
                findings.placed[index - 1].instruction.opcode != Opcode::Wait,
                "two waits must not follow each other; put a nop between them",
            );
        }
    }
}

/// What opened a block that is not closed yet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Do,
    If { has_else: bool },
    Iff,
}

/// Sections 14.2.12 and following: if, iff, else, endif, do and while nest.
fn blocks(findings: &mut Findings) {
    let mut open: Vec<(usize, Block)> = Vec::new();
    for (index, instruction) in findings.instructions() {
        if let (Opcode::Do | Opcode::If | Opcode::Iff, Some((outer, _))) =
            (instruction.opcode, open.last())
        {
            let outer = &findings.placed[*outer].instruction;
            findings.judge(
                index,
                rule_id!("g45.compr.mask-stack-mixing"),
                instruction.compression == outer.compression,
                "blocks that lie in each other must all be of the first or all of the second half; \
                 use {SecHalf} on both or on neither",
            );
        }
        match instruction.opcode {
            Opcode::Do => open.push((index, Block::Do)),
            Opcode::If => open.push((index, Block::If { has_else: false })),
            Opcode::Iff => open.push((index, Block::Iff)),
            Opcode::Else => {
                let in_iff = matches!(open.last(), Some((_, Block::Iff)));
                if in_iff {
                    findings.judge(
                        index,
                        rule_id!("g45.inst.iff.no-else"),
                        false,
                        "an iff block has no else; open it with if",
                    );
                } else {
                    let fits = matches!(open.last(), Some((_, Block::If { has_else: false })));
                    findings.judge(
                        index,
                        rule_id!("g45.inst.else.structure"),
                        fits,
                        "this else does not follow an if of its own; remove it or add the if",
                    );
                }
                if let Some((_, Block::If { has_else })) = open.last_mut() {
                    *has_else = true;
                }
            }
            Opcode::Endif => {
                let fits = matches!(open.last(), Some((_, Block::If { .. } | Block::Iff)));
                findings.judge(
                    index,
                    rule_id!("g45.inst.if.structure"),
                    fits,
                    "this endif closes no if or iff; remove it or add the if",
                );
                if fits {
                    open.pop();
                }
            }
            Opcode::While => {
                let fits = matches!(open.last(), Some((_, Block::Do)));
                findings.judge(
                    index,
                    rule_id!("g45.inst.do.matching"),
                    fits,
                    "this while closes no do; add the do, or close the ifs between them",
                );
                if fits {
                    open.pop();
                }
            }
            _ => {}
        }
    }
    for (index, block) in open {
        let (rule, message) = match block {
            Block::Do => (rule_id!("g45.inst.do.matching"), "this do has no while; add it"),
            Block::If { .. } => (rule_id!("g45.inst.if.structure"), "this if has no endif; add it"),
            Block::Iff => (rule_id!("g45.inst.iff.no-else"), "this iff has no endif; add it"),
        };
        findings.judge(index, rule, false, message);
    }
}

/// Section 11.3.4.7: on 965 and 965GM, two instructions between one that reads a mask register and
/// one that changes masks.
fn mask_reads(findings: &mut Findings) {
    for (index, instruction) in findings.instructions() {
        let reads = operands(instruction).iter().any(|source| {
            matches!(source, Source::Register { register, .. }
                if register.arf() == Some(ArfKind::Mask))
        });
        if !reads || instruction.thread_control == ThreadControl::Switch {
            continue;
        }
        let following = findings.instructions().skip(index + 1).take(2);
        let holds = following.map(|(_, next)| next.opcode).all(|next| !changes_masks(next));
        findings.judge(
            index,
            rule_id!("g45.mask.bw-delay"),
            holds,
            "on this device a mask register is read at least two instructions before a branch \
             changes it; insert nops or use {Switch}",
        );
    }
}

/// The sources an instruction has.
fn operands(instruction: &Instruction) -> &[Source] {
    match instruction.opcode.format() {
        Format::Unary | Format::Message => &instruction.sources[..1],
        Format::Binary => &instruction.sources[..2],
        _ => &[],
    }
}

/// Pages of and, or, xor, not: what they leave in an accumulator is good for logic only. Followed
/// as far as the next branch.
fn logic_results(findings: &mut Findings) {
    let mut written_by: [Option<RuleId>; 2] = [None; 2];
    for (index, instruction) in findings.instructions() {
        let opcode = instruction.opcode;
        if changes_masks(opcode) || opcode == Opcode::Jmpi {
            written_by = [None; 2];
            continue;
        }
        for source in operands(instruction) {
            let Source::Register { register, .. } = source else { continue };
            let Some(rule) = accumulator(*register).and_then(|n| written_by[n]) else { continue };
            findings.judge(
                index,
                rule,
                takes_logic_results(instruction),
                "this accumulator holds the result of a logic instruction, which only logic and \
                 an integer mov or sel without .sat can read; go through a general register",
            );
        }
        if let Some(n) = accumulator(instruction.destination.register) {
            written_by[n] = logic_rule(opcode);
        } else if is_arithmetic(opcode) {
            written_by = [None; 2];
        }
    }
}

/// Page of mach: no instruction of a long multiplication (mul to an accumulator, mach, mov from it)
/// saturates. mul and mach show that by themselves.
fn low_halves(findings: &mut Findings) {
    let acc = |source: &Source| match source {
        Source::Register { register, .. } => accumulator(*register),
        Source::Immediate { .. } => None,
    };
    let placed = findings.placed;
    for (index, three) in placed.windows(3).enumerate() {
        let [mul, mach, mov] = [0, 1, 2].map(|n| &three[n].instruction);
        let opcodes = [mul.opcode, mach.opcode, mov.opcode];
        let written = accumulator(mul.destination.register);
        if opcodes == [Opcode::Mul, Opcode::Mach, Opcode::Mov]
            && written.is_some()
            && acc(&mov.sources[0]) == written
        {
            findings.judge(
                index + 2,
                rule_id!("g45.inst.mach.no-sat"),
                !mov.saturate,
                "the accumulator holds the low half of what mach multiplied, which a mov cannot \
                 saturate; leave out .sat",
            );
        }
    }
}

/// Which accumulator a register is.
fn accumulator(register: Register) -> Option<usize> {
    match (register.arf(), register) {
        (Some(ArfKind::Accumulator), Register::Direct { number, .. }) => {
            Some(usize::from(number & 1))
        }
        _ => None,
    }
}

fn logic_rule(opcode: Opcode) -> Option<RuleId> {
    match opcode {
        Opcode::And => Some(rule_id!("g45.inst.and.acc-dst-consumers")),
        Opcode::Or => Some(rule_id!("g45.inst.or.acc-dst-consumers")),
        Opcode::Xor => Some(rule_id!("g45.inst.xor.acc-dst-consumers")),
        Opcode::Not => Some(rule_id!("g45.inst.not.acc-dst-consumers")),
        _ => None,
    }
}

fn takes_logic_results(instruction: &Instruction) -> bool {
    match instruction.opcode {
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not => true,
        Opcode::Mov | Opcode::Sel => {
            instruction.destination.data_type != DataType::F && !instruction.saturate
        }
        _ => false,
    }
}

/// Opcode groups 100xxxx and 101xxxx, which update the accumulator implicitly.
fn is_arithmetic(opcode: Opcode) -> bool {
    (Opcode::Add as u8..=Opcode::Pln as u8).contains(&(opcode as u8))
}
