//! Restrictions that concern several instructions of a program.

use parallax_spec::{Practice, RuleId, practice, rule_id};

use super::{
    super::{
        super::{
            generation::Generation,
            instruction::{Instruction, SyncFunction},
            opcode::Opcode,
            operand::Source,
            program::Program,
            register::ArfKind,
        },
        Finding, Violation,
    },
    facts::Facts,
};

/// The rules that only a program can break.
pub(super) static RULES: &[RuleId] = &[
    rule_id!("leg.cf.jip-range"),
    rule_id!("leg.cf.jip-align"),
    rule_id!("leg.cf.nesting"),
    rule_id!("leg.cr.gen12"),
    rule_id!("gen12.isa.op.cr-write"),
    rule_id!("leg.swsb.arf"),
];

/// What a program breaks besides what each of its instructions breaks by itself.
pub(in super::super) fn check(program: &Program, generation: Generation) -> Vec<Finding> {
    let mut findings = targets(program, generation);
    findings.extend(nesting(program));
    if generation >= Generation::Gen12 {
        findings.extend(untracked(program, generation));
    }
    findings
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
fn untracked(program: &Program, generation: Generation) -> Vec<Finding> {
    let (control, other) = (rule_id!("leg.cr.gen12"), rule_id!("leg.swsb.arf"));
    let of_control = |index, message: &str| {
        let rules = [control, rule_id!("gen12.isa.op.cr-write")];
        practised(program, index, &rules, message, practice!("gen12-control-register"))
    };
    let all = program.instructions();
    let facts = all.iter().map(|placed| Facts::new(generation, &placed.instruction));
    let facts: Vec<_> = facts.collect();
    let mut findings = Vec::new();
    for (index, this) in facts.iter().enumerate() {
        let waits = this.instruction.scoreboard.distance == 1;
        if this.writes_arf(ArfKind::Control) {
            let next = all.get(index + 1).map(|placed| placed.instruction.sync);
            if !waits {
                let message = "a write of cr0 waits for the instruction before it: give it {@1}";
                findings.push(of_control(index, message));
            } else if next != Some(Some(SyncFunction::Nop)) {
                let message = "a sync.nop has to follow a write of cr0";
                findings.push(of_control(index, message));
            }
            continue;
        }
        let Some(before) = index.checked_sub(1).map(|before| &facts[before]) else { continue };
        let meet = |kind: &&ArfKind| {
            let touches = |f: &Facts| f.reads_arf(**kind) || f.writes_arf(**kind);
            touches(this)
                && touches(before)
                && (this.writes_arf(**kind) || before.writes_arf(**kind))
        };
        if UNTRACKED.iter().any(|kind| meet(&kind)) && !waits {
            let message = "the instruction before it uses the same register, which nothing \
                           tracks: give this one {@1}";
            let practice = practice!("gen12-untracked-registers");
            findings.push(practised(program, index, &[other], message, practice));
        }
    }
    findings
}

/// What drivers of a device keep to.
fn practised(
    program: &Program,
    index: usize,
    rules: &[RuleId],
    message: &str,
    practice: &'static Practice,
) -> Finding {
    let offset = program.instructions()[index].offset;
    let violation = Violation::of(rules, message.to_owned());
    Finding { index, offset, violation: violation.practised(program.device(), Some(practice)) }
}

fn finding(program: &Program, index: usize, rule: RuleId, message: String) -> Finding {
    let offset = program.instructions()[index].offset;
    Finding { index, offset, violation: Violation::naming(rule, Vec::new(), message) }
}

/// Branches lead to instructions of the program, or to its end.
fn targets(program: &Program, generation: Generation) -> Vec<Finding> {
    let rule = match generation {
        Generation::Gen7 => rule_id!("leg.cf.jip-range"),
        _ => rule_id!("leg.cf.jip-align"),
    };
    let mut findings = Vec::new();
    let end = program.bytes().len();
    for (index, placed) in program.instructions().iter().enumerate() {
        for (name, base, distance) in distances(program, index) {
            let target = i64::try_from(base).unwrap_or(i64::MAX) + i64::from(distance);
            let at = usize::try_from(target).ok();
            let problem = match at {
                Some(at) if at == end || program.index_at(at).is_some() => continue,
                Some(at) if at < end => "into the middle of an instruction",
                _ => "outside the program",
            };
            let mnemonic = placed.instruction.opcode.mnemonic();
            let message = format!(
                "the {name} of this {mnemonic} leads to byte {target}, {problem} of {end} bytes"
            );
            findings.push(finding(program, index, rule, message));
        }
    }
    findings
}

/// The distances of an instruction: what they are called, from which byte they count, how far.
fn distances(program: &Program, index: usize) -> Vec<(&'static str, usize, i32)> {
    let placed = &program.instructions()[index];
    let Instruction { opcode, branch, sources, .. } = placed.instruction;
    let mut all = Vec::new();
    if let Some(branch) = branch {
        all.extend(branch.jip.map(|jip| ("jump distance", placed.offset, jip)));
        all.extend(branch.uip.map(|uip| ("update distance", placed.offset, uip)));
    }
    if opcode == Opcode::Calla {
        // Its distance is an address.
        all.iter_mut().for_each(|(_, base, _)| *base = 0);
    }
    if opcode == Opcode::Jmpi
        && let Source::Immediate { bits, .. } = sources[1]
    {
        let unit = super::super::super::fields::jump_unit(
            program.device().generation().unwrap_or(Generation::Gen7),
        );
        let next = placed.offset + program.bytes_of(index).len();
        all.push(("index", next, (bits as u32 as i32).saturating_mul(unit)));
    }
    all
}

/// What opened a block that is not closed yet.
#[derive(Clone, Copy, PartialEq, Eq)]
struct If {
    index: usize,
    has_else: bool,
}

/// `if`, `else` and `endif` nest, `break` and `cont` stand in a loop.
fn nesting(program: &Program) -> Vec<Finding> {
    let rule = rule_id!("leg.cf.nesting");
    let mut findings = Vec::new();
    let mut report = |index, message: &str| {
        findings.push(finding(program, index, rule, message.to_owned()));
    };
    let mut open: Vec<If> = Vec::new();
    for (index, placed) in program.instructions().iter().enumerate() {
        match placed.instruction.opcode {
            Opcode::If => open.push(If { index, has_else: false }),
            Opcode::Else => match open.last_mut() {
                Some(block) if !block.has_else => block.has_else = true,
                _ => report(index, "this else does not follow an if of its own"),
            },
            Opcode::Endif => {
                if open.pop().is_none() {
                    report(index, "this endif closes no if");
                }
            }
            Opcode::Break | Opcode::Cont if !is_in_loop(program, index) => {
                report(
                    index,
                    "no loop is around it: no while or goto behind it goes back to before it",
                );
            }
            _ => continue,
        }
    }
    for block in open {
        report(block.index, "this if has no endif; add it");
    }
    findings
}

fn is_in_loop(program: &Program, index: usize) -> bool {
    let here = program.instructions()[index].offset;
    program.instructions()[index + 1..].iter().any(|placed| {
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
