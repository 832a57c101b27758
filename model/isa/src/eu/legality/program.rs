//! Restrictions that concern several instructions of a program.

use parallax_spec::{Practice, practice};

use super::{Finding, messages::extended_math, prelude::*, restriction::On};
use crate::eu::{instruction::SyncFunction, program::Program};

/// A restriction that only a program can break: the generations that have it, its rules, what looks for it.
type Check = (On, &'static [RuleId], fn(&mut Findings, &[Facts]));

/// Makes the table of rows `Generations [rules] function;`.
macro_rules! program_checks {
    ($($on:ident [$($id:literal),+] $look:path;)*) => {
        static CHECKS: &[Check] = &[$((On::$on, &[$(rule_id!($id)),+], $look)),*];
    };
}

program_checks! {
    UpToGen45 ["g45.compact.full-align", "g45.compact.nenop-second"] alignment;
    UpToGen45 ["g45.inst.wait.back-to-back"] waits;
    UpToGen45 ["g45.inst.do.matching", "g45.inst.if.structure", "g45.inst.iff.no-else",
        "g45.inst.else.structure", "g45.compr.mask-stack-mixing"] blocks;
    Gen4 ["g45.mask.bw-delay"] mask_reads;
    UpToGen45 ["g45.inst.and.acc-dst-consumers", "g45.inst.or.acc-dst-consumers",
        "g45.inst.xor.acc-dst-consumers", "g45.inst.not.acc-dst-consumers"] logic_results;
    UpToGen45 ["g45.inst.mach.no-sat"] low_halves;
    UpToGen45 ["g45.extmath.general.nodd-hazard"] extended_math::order_of_replies;
    FromGen7 ["leg.cf.jip-range", "leg.cf.jip-align"] targets;
    FromGen7 ["leg.cf.nesting"] nesting;
    Gen12 ["leg.cr.gen12", "gen12.isa.op.cr-write", "leg.swsb.arf"] untracked;
}

/// The rules that only a program can break.
pub(super) fn rules() -> impl Iterator<Item = RuleId> {
    CHECKS.iter().flat_map(|(_, rules, _)| *rules).copied()
}

/// All restrictions a program breaks, instruction by instruction: what each shows by itself, then
/// what takes its neighbours.
#[must_use]
pub fn check(program: &Program) -> Vec<Finding> {
    let device = program.device();
    let Some(generation) = device.generation() else { return Vec::new() };
    let instructions = program.instructions().iter().map(|placed| &placed.instruction);
    let facts: Vec<_> = instructions.map(|it| Facts::new(device, generation, it)).collect();
    let mut findings = Findings { program, generation, found: Vec::new() };
    for (index, facts) in facts.iter().enumerate() {
        super::judge(facts).into_iter().for_each(|violation| findings.push(index, violation));
    }
    for (_, _, look) in CHECKS.iter().filter(|(on, ..)| on.includes(generation)) {
        look(&mut findings, &facts);
    }
    findings.found.sort_by_key(|finding| finding.index);
    findings.found
}

/// A program, and what was found in it.
pub(super) struct Findings<'a> {
    program: &'a Program,
    generation: Generation,
    found: Vec<Finding>,
}

impl Findings<'_> {
    fn offset(&self, index: usize) -> usize {
        self.program.instructions()[index].offset
    }

    fn push(&mut self, index: usize, violation: Violation) {
        self.found.push(Finding { index, offset: self.offset(index), violation });
    }

    /// Reports a rule where it does not hold.
    pub(super) fn judge(&mut self, index: usize, rule: RuleId, holds: bool, message: &str) {
        if !holds {
            self.push(index, Violation::of(&[rule], message.to_owned()));
        }
    }
}

/// `require!(findings, index => holds => "rule", "message")`: reports a rule where it does not hold.
macro_rules! require {
    ($findings:expr, $index:expr => $holds:expr => $rule:literal, $message:literal) => {
        $findings.judge($index, rule_id!($rule), $holds, $message)
    };
}
pub(super) use require;

/// Whether it changes masks, or where the program goes on.
pub(super) fn is_branch(opcode: Opcode) -> bool {
    changes_masks(opcode) || opcode == Opcode::Jmpi
}

fn changes_masks(opcode: Opcode) -> bool {
    use Opcode::*;
    [If, Iff, Else, Endif, Do, While, Break, Cont, Halt, Msave, Mrest].contains(&opcode)
}

/// Section 11.6.3: full-size instructions and padding.
fn alignment(findings: &mut Findings, facts: &[Facts]) {
    if !crate::eu::compaction::is_supported(findings.program.device()) {
        return;
    }
    for (index, f) in facts.iter().enumerate() {
        let half = findings.offset(index) % 16;
        if !f.instruction.compact {
            require!(findings, index => half == 0 => "g45.compact.full-align",
                "a 128-bit instruction must start at a multiple of 16 bytes; put a compact nenop \
                 before it");
        } else if f.opcode == Opcode::Nenop {
            require!(findings, index => half == 8 => "g45.compact.nenop-second",
                "a compact nenop can only fill the second half of 16 bytes; remove it");
        }
    }
}

/// Section 14.2.45: two waits need an instruction between them.
fn waits(findings: &mut Findings, facts: &[Facts]) {
    for (index, two) in facts.windows(2).enumerate() {
        let follow = two.iter().all(|f| f.opcode == Opcode::Wait);
        require!(findings, index + 1 => !follow => "g45.inst.wait.back-to-back",
            "two waits must not follow each other; put a nop between them");
    }
}

/// Sections 14.2.12 and following: if, iff, else, endif, do and while nest.
fn blocks(findings: &mut Findings, facts: &[Facts]) {
    use Opcode::{Do, Else, Endif, If, Iff, While};
    // What opened a block that is not closed yet, and whether it has an else.
    let mut open: Vec<(usize, Opcode, bool)> = Vec::new();
    for (index, f) in facts.iter().enumerate() {
        let within = open.last().map(|(_, opcode, _)| *opcode);
        let closes = match f.opcode {
            Do | If | Iff => {
                let outer = open.last().map(|(outer, ..)| facts[*outer].instruction.compression);
                let is_like = outer.is_none_or(|outer| outer == f.instruction.compression);
                require!(findings, index => is_like => "g45.compr.mask-stack-mixing",
                    "blocks that lie in each other must all be of the first or all of the second half; \
                     use {SecHalf} on both or on neither");
                open.push((index, f.opcode, false));
                false
            }
            Else if within == Some(Iff) => {
                require!(findings, index => false => "g45.inst.iff.no-else",
                    "an iff block has no else; open it with if");
                false
            }
            Else => {
                let fits = matches!(open.last(), Some((_, If, false)));
                require!(findings, index => fits => "g45.inst.else.structure",
                    "this else does not follow an if of its own; remove it or add the if");
                open.last_mut().into_iter().for_each(|(.., has_else)| *has_else = true);
                false
            }
            Endif => {
                let fits = matches!(within, Some(If | Iff));
                require!(findings, index => fits => "g45.inst.if.structure",
                    "this endif closes no if or iff; remove it or add the if");
                fits
            }
            While => {
                require!(findings, index => within == Some(Do) => "g45.inst.do.matching",
                    "this while closes no do; add the do, or close the ifs between them");
                within == Some(Do)
            }
            _ => false,
        };
        if closes {
            open.pop();
        }
    }
    for (index, opcode, _) in open {
        match opcode {
            Do => require!(findings, index => false => "g45.inst.do.matching",
                "this do has no while; add it"),
            If => require!(findings, index => false => "g45.inst.if.structure",
                "this if has no endif; add it"),
            _ => require!(findings, index => false => "g45.inst.iff.no-else",
                "this iff has no endif; add it"),
        }
    }
}

/// Section 11.3.4.7: on 965 and 965GM, two instructions between one that reads a mask register and
/// one that changes masks.
fn mask_reads(findings: &mut Findings, facts: &[Facts]) {
    for (index, f) in facts.iter().enumerate() {
        let reads = f.reads_arf(ArfKind::Mask) && f.format != Format::ExitCode;
        let mut following = facts[index + 1..].iter().take(2);
        let holds = !reads || f.switches() || !following.any(|next| changes_masks(next.opcode));
        require!(findings, index => holds => "g45.mask.bw-delay",
            "on this device a mask register is read at least two instructions before a branch \
             changes it; insert nops or use {Switch}");
    }
}

/// Pages of and, or, xor, not: what they leave in an accumulator is good for logic only. Followed
/// as far as the next branch.
fn logic_results(findings: &mut Findings, facts: &[Facts]) {
    let mut written_by: [Option<RuleId>; 2] = [None; 2];
    for (index, f) in facts.iter().enumerate() {
        if is_branch(f.opcode) {
            written_by = [None; 2];
            continue;
        }
        let takes = f.is_logic()
            || f.is_any(&[Opcode::Mov, Opcode::Sel])
                && f.instruction.destination.data_type != DataType::F
                && !f.instruction.saturate;
        let read = f.sources().filter_map(|source| written_by[accumulator(source)?]);
        for rule in read {
            findings.judge(
                index,
                rule,
                takes,
                "this accumulator holds the result of a logic instruction, which only logic and \
                 an integer mov or sel without .sat can read; go through a general register",
            );
        }
        let is_arithmetic = (Opcode::Add as u8..=Opcode::Pln as u8).contains(&(f.opcode as u8));
        if let Some(n) = f.destination.as_ref().and_then(|d| accumulator(d)) {
            written_by[n] = logic_rule(f.opcode);
        } else if is_arithmetic {
            // Opcode groups 100xxxx and 101xxxx update the accumulator implicitly.
            written_by = [None; 2];
        }
    }
}

/// Page of mach: no instruction of a long multiplication (mul to an accumulator, mach, mov from it)
/// saturates. mul and mach show that by themselves.
fn low_halves(findings: &mut Findings, facts: &[Facts]) {
    for (index, three) in facts.windows(3).enumerate() {
        let [mul, mach, mov] = three else { continue };
        let written = mul.destination.as_ref().and_then(|d| accumulator(d));
        let is_long = [mul.opcode, mach.opcode, mov.opcode]
            == [Opcode::Mul, Opcode::Mach, Opcode::Mov]
            && written.is_some()
            && mov.source(0).and_then(|s| accumulator(s)) == written;
        require!(findings, index + 2 => !is_long || !mov.instruction.saturate => "g45.inst.mach.no-sat",
            "the accumulator holds the low half of what mach multiplied, which a mov cannot \
             saturate; leave out .sat");
    }
}

/// Which accumulator an operand is.
fn accumulator(operand: &dyn Operand) -> Option<usize> {
    operand.is_accumulator().then(|| operand.number() & 1)
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

/// Branches lead to instructions of the program, or to its end.
fn targets(findings: &mut Findings, facts: &[Facts]) {
    let rule = match findings.generation {
        Generation::Gen7 => rule_id!("leg.cf.jip-range"),
        _ => rule_id!("leg.cf.jip-align"),
    };
    let end = findings.program.bytes().len();
    for (index, f) in facts.iter().enumerate() {
        for (name, base, distance) in distances(findings.program, index, f) {
            let target = i64::try_from(base).unwrap_or(i64::MAX) + i64::from(distance);
            let at = usize::try_from(target).ok();
            let problem = match at {
                Some(at) if at == end || findings.program.index_at(at).is_some() => continue,
                Some(at) if at < end => "into the middle of an instruction",
                _ => "outside the program",
            };
            let mnemonic = f.opcode.mnemonic();
            let message = format!(
                "the {name} of this {mnemonic} leads to byte {target}, {problem} of {end} bytes"
            );
            findings.judge(index, rule, false, &message);
        }
    }
}

/// The distances of an instruction: what they are called, from which byte they count, how far.
fn distances(program: &Program, index: usize, f: &Facts) -> Vec<(&'static str, usize, i32)> {
    let offset = program.instructions()[index].offset;
    let mut all = Vec::new();
    if let Some(branch) = f.instruction.branch {
        // The distance of calla is an address.
        let base = if f.opcode == Opcode::Calla { 0 } else { offset };
        all.extend(branch.jip.map(|jip| ("jump distance", base, jip)));
        all.extend(branch.uip.map(|uip| ("update distance", base, uip)));
    }
    if f.opcode == Opcode::Jmpi
        && let Source::Immediate { bits, .. } = f.instruction.sources[1]
    {
        let distance = (bits as u32 as i32).saturating_mul(fields::jump_unit(f.generation));
        all.push(("index", offset + program.bytes_of(index).len(), distance));
    }
    all
}

/// `if`, `else` and `endif` nest, `break` and `cont` stand in a loop.
fn nesting(findings: &mut Findings, facts: &[Facts]) {
    // Where each block starts that is not closed yet, and whether it has an else.
    let mut open: Vec<(usize, bool)> = Vec::new();
    for (index, f) in facts.iter().enumerate() {
        match f.opcode {
            Opcode::If => open.push((index, false)),
            Opcode::Else => {
                let fits = matches!(open.last(), Some((_, false)));
                require!(findings, index => fits => "leg.cf.nesting",
                    "this else does not follow an if of its own");
                open.last_mut().into_iter().for_each(|(_, has_else)| *has_else = true);
            }
            Opcode::Endif => require!(findings, index => open.pop().is_some() => "leg.cf.nesting",
                "this endif closes no if"),
            Opcode::Break | Opcode::Cont => {
                let is_in_loop = is_in_loop(findings, index, facts);
                require!(findings, index => is_in_loop => "leg.cf.nesting",
                    "no loop is around it: no while or goto behind it goes back to before it");
            }
            _ => {}
        }
    }
    for (index, _) in open {
        require!(findings, index => false => "leg.cf.nesting", "this if has no endif; add it");
    }
}

fn is_in_loop(findings: &Findings, index: usize, facts: &[Facts]) -> bool {
    let here = findings.offset(index) as i64;
    facts.iter().enumerate().skip(index + 1).any(|(index, f)| {
        let Some(branch) = f.instruction.branch else { return false };
        // A loop may be closed by a `goto` that has its way back in UIP.
        let back = match f.opcode {
            Opcode::While => branch.jip,
            Opcode::Goto => branch.uip,
            _ => None,
        };
        back.is_some_and(|distance| findings.offset(index) as i64 + i64::from(distance) <= here)
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
fn untracked(findings: &mut Findings, facts: &[Facts]) {
    static CONTROL: &[RuleId] = &[rule_id!("leg.cr.gen12"), rule_id!("gen12.isa.op.cr-write")];
    static OTHER: &[RuleId] = &[rule_id!("leg.swsb.arf")];
    let device = findings.program.device();
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
