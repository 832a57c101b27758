//! Restrictions that concern several instructions of a program.

use parallax_spec::{Practice, practice};

use super::{Finding, messages::extended_math, prelude::*, restriction::On};
use crate::eu::{
    fields,
    instruction::SyncFunction,
    program::{Placed, Program},
};

/// A restriction that only a program can break: the generations that have it, its rules, what looks for it.
type Check = (On, &'static [RuleId], fn(&mut Findings));

static CHECKS: &[Check] = &[
    (
        On::UpToGen45,
        &[rule_id!("g45.compact.full-align"), rule_id!("g45.compact.nenop-second")],
        alignment,
    ),
    (On::UpToGen45, &[rule_id!("g45.inst.wait.back-to-back")], waits),
    (
        On::UpToGen45,
        &[
            rule_id!("g45.inst.do.matching"),
            rule_id!("g45.inst.if.structure"),
            rule_id!("g45.inst.iff.no-else"),
            rule_id!("g45.inst.else.structure"),
            rule_id!("g45.compr.mask-stack-mixing"),
        ],
        blocks,
    ),
    (On::Gen4, &[rule_id!("g45.mask.bw-delay")], mask_reads),
    (
        On::UpToGen45,
        &[
            rule_id!("g45.inst.and.acc-dst-consumers"),
            rule_id!("g45.inst.or.acc-dst-consumers"),
            rule_id!("g45.inst.xor.acc-dst-consumers"),
            rule_id!("g45.inst.not.acc-dst-consumers"),
        ],
        logic_results,
    ),
    (On::UpToGen45, &[rule_id!("g45.inst.mach.no-sat")], low_halves),
    (
        On::UpToGen45,
        &[rule_id!("g45.extmath.general.nodd-hazard")],
        extended_math::order_of_replies,
    ),
    (On::FromGen7, &[rule_id!("leg.cf.jip-range"), rule_id!("leg.cf.jip-align")], targets),
    (On::FromGen7, &[rule_id!("leg.cf.nesting")], nesting),
    (
        On::Gen12,
        &[rule_id!("leg.cr.gen12"), rule_id!("gen12.isa.op.cr-write"), rule_id!("leg.swsb.arf")],
        untracked,
    ),
];

/// The rules that only a program can break.
pub(super) fn rules() -> impl Iterator<Item = RuleId> {
    CHECKS.iter().flat_map(|(_, rules, _)| *rules).copied()
}

/// All restrictions a program breaks, instruction by instruction: what each shows by itself, then
/// what takes its neighbours.
#[must_use]
pub fn check(program: &Program) -> Vec<Finding> {
    let Some(generation) = program.device().generation() else { return Vec::new() };
    let placed = program.instructions();
    let mut findings = Findings { program, generation, placed, found: Vec::new() };
    for (index, instruction) in findings.instructions() {
        for violation in super::check(program.device(), instruction) {
            findings.push(index, violation);
        }
    }
    for (_, _, look) in CHECKS.iter().filter(|(on, ..)| on.includes(generation)) {
        look(&mut findings);
    }
    findings.found.sort_by_key(|finding| finding.index);
    findings.found
}

/// A program, and what was found in it.
pub(super) struct Findings<'a> {
    program: &'a Program,
    generation: Generation,
    pub(super) placed: &'a [Placed],
    found: Vec<Finding>,
}

impl<'a> Findings<'a> {
    fn push(&mut self, index: usize, violation: Violation) {
        self.found.push(Finding { index, offset: self.placed[index].offset, violation });
    }

    fn report(&mut self, index: usize, rule: RuleId, message: &str) {
        self.push(index, Violation::of(&[rule], message.to_owned()));
    }

    /// Reports a rule where it does not hold.
    pub(super) fn judge(&mut self, index: usize, rule: RuleId, holds: bool, message: &str) {
        if !holds {
            self.report(index, rule, message);
        }
    }

    pub(super) fn instructions(&self) -> impl Iterator<Item = (usize, &'a Instruction)> + use<'a> {
        self.placed.iter().map(|place| &place.instruction).enumerate()
    }
}

/// Whether it changes masks, or where the program goes on.
pub(super) fn is_branch(opcode: Opcode) -> bool {
    changes_masks(opcode) || opcode == Opcode::Jmpi
}

fn changes_masks(opcode: Opcode) -> bool {
    use Opcode::*;
    [If, Iff, Else, Endif, Do, While, Break, Cont, Halt, Msave, Mrest].contains(&opcode)
}

/// Section 11.6.3: full-size instructions and padding.
fn alignment(findings: &mut Findings) {
    if !crate::eu::compaction::is_supported(findings.program.device()) {
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
        } else if instruction.opcode == Opcode::Nenop {
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
        if is_branch(opcode) {
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

/// Branches lead to instructions of the program, or to its end.
fn targets(findings: &mut Findings) {
    let rule = match findings.generation {
        Generation::Gen7 => rule_id!("leg.cf.jip-range"),
        _ => rule_id!("leg.cf.jip-align"),
    };
    let end = findings.program.bytes().len();
    for (index, instruction) in findings.instructions() {
        for (name, base, distance) in distances(findings, index) {
            let target = i64::try_from(base).unwrap_or(i64::MAX) + i64::from(distance);
            let at = usize::try_from(target).ok();
            let problem = match at {
                Some(at) if at == end || findings.program.index_at(at).is_some() => continue,
                Some(at) if at < end => "into the middle of an instruction",
                _ => "outside the program",
            };
            let mnemonic = instruction.opcode.mnemonic();
            let message = format!(
                "the {name} of this {mnemonic} leads to byte {target}, {problem} of {end} bytes"
            );
            findings.report(index, rule, &message);
        }
    }
}

/// The distances of an instruction: what they are called, from which byte they count, how far.
fn distances(findings: &Findings, index: usize) -> Vec<(&'static str, usize, i32)> {
    let Placed { offset, instruction, .. } = findings.placed[index];
    let mut all = Vec::new();
    if let Some(branch) = instruction.branch {
        // The distance of calla is an address.
        let base = if instruction.opcode == Opcode::Calla { 0 } else { offset };
        all.extend(branch.jip.map(|jip| ("jump distance", base, jip)));
        all.extend(branch.uip.map(|uip| ("update distance", base, uip)));
    }
    if instruction.opcode == Opcode::Jmpi
        && let Source::Immediate { bits, .. } = instruction.sources[1]
    {
        let unit = fields::jump_unit(findings.generation);
        let next = offset + findings.program.bytes_of(index).len();
        all.push(("index", next, (bits as u32 as i32).saturating_mul(unit)));
    }
    all
}

/// `if`, `else` and `endif` nest, `break` and `cont` stand in a loop.
fn nesting(findings: &mut Findings) {
    let rule = rule_id!("leg.cf.nesting");
    // Where each block starts that is not closed yet, and whether it has an else.
    let mut open: Vec<(usize, bool)> = Vec::new();
    for (index, instruction) in findings.instructions() {
        match instruction.opcode {
            Opcode::If => open.push((index, false)),
            Opcode::Else => match open.last_mut() {
                Some((_, has_else @ false)) => *has_else = true,
                _ => findings.report(index, rule, "this else does not follow an if of its own"),
            },
            Opcode::Endif => {
                let closed = open.pop().is_some();
                findings.judge(index, rule, closed, "this endif closes no if");
            }
            Opcode::Break | Opcode::Cont => findings.judge(
                index,
                rule,
                is_in_loop(findings, index),
                "no loop is around it: no while or goto behind it goes back to before it",
            ),
            _ => {}
        }
    }
    for (index, _) in open {
        findings.report(index, rule, "this if has no endif; add it");
    }
}

fn is_in_loop(findings: &Findings, index: usize) -> bool {
    let here = findings.placed[index].offset;
    findings.placed[index + 1..].iter().any(|placed| {
        let Some(branch) = placed.instruction.branch else { return false };
        // A loop may be closed by a `goto` that has its way back in UIP.
        let back = match placed.instruction.opcode {
            Opcode::While => branch.jip,
            Opcode::Goto => branch.uip,
            _ => None,
        };
        back.is_some_and(|distance| placed.offset as i64 + i64::from(distance) <= here as i64)
    })
}

/// Registers that the hardware of Gen12 does not wait for.
const UNTRACKED: &[ArfKind] = &[
    ArfKind::StackPointer,
    ArfKind::State,
    ArfKind::Control,
    ArfKind::InstructionPointer,
    ArfKind::Timestamp,
    ArfKind::Debug,
];

/// What has to wait, on Gen12, for registers that nothing tracks: a write of `cr0`, and the second of two
/// accesses.
fn untracked(findings: &mut Findings) {
    static CONTROL: &[RuleId] = &[rule_id!("leg.cr.gen12"), rule_id!("gen12.isa.op.cr-write")];
    static OTHER: &[RuleId] = &[rule_id!("leg.swsb.arf")];
    let (device, placed) = (findings.program.device(), findings.placed);
    let facts = placed.iter().map(|it| Facts::new(device, findings.generation, &it.instruction));
    let facts: Vec<_> = facts.collect();
    let mut report = |index, rules, message: &str, practice: &'static Practice| {
        let violation = Violation::of(rules, message.to_owned());
        findings.push(index, violation.practised(device, Some(practice)));
    };
    for (index, this) in facts.iter().enumerate() {
        let waits = this.instruction.scoreboard.distance == 1;
        if this.writes_arf(ArfKind::Control) {
            let next = facts.get(index + 1).map(|next| next.instruction.sync);
            let problem = match next {
                _ if !waits => "a write of cr0 waits for the instruction before it: give it {@1}",
                Some(Some(SyncFunction::Nop)) => continue,
                _ => "a sync.nop has to follow a write of cr0",
            };
            report(index, CONTROL, problem, practice!("gen12-control-register"));
            continue;
        }
        let Some(before) = index.checked_sub(1).map(|before| &facts[before]) else { continue };
        let meet = |kind: &ArfKind| {
            this.names_arf(*kind)
                && before.names_arf(*kind)
                && (this.writes_arf(*kind) || before.writes_arf(*kind))
        };
        if UNTRACKED.iter().any(meet) && !waits {
            let problem = "the instruction before it uses the same register, which nothing \
                           tracks: give this one {@1}";
            report(index, OTHER, problem, practice!("gen12-untracked-registers"));
        }
    }
}
