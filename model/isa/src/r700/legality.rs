//! What R700 programs must not do: the restrictions of the manual (chapters 2 to 10), held against
//! a decoded program.
//!
//! What a program's encoding shows is decided here; what can only be seen while a program runs, or
//! in the state of the host, is listed in `decisions.md`.

use parallax_spec::{Level, Practice, RuleId, Severity, family::family};

use super::{
    case::{Case, ProgramType},
    instruction::Group,
    opcode::AluOpcode,
    program::{Clause, Program},
};

mod alu;
mod clause;
mod control;
mod encoding;
mod exports;
mod fetch;
mod flow;
mod graph;
mod group;
mod loops;
mod ports;
mod stack;
mod units;

pub use ports::{Loads, Register, loads};
pub use units::{Unit, units};

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Address of the instruction, in 64-bit words from the start of the program.
    pub address: u32,
    /// The rule.
    pub rule: RuleId,
    /// Other rules of the catalogue that say the same.
    pub also: Vec<RuleId>,
    /// Why it is less than illegal, if so.
    pub practice: Option<&'static Practice>,
    /// What is wrong and how to fix it, in a sentence.
    pub message: String,
}

impl Violation {
    /// How bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.practice.map_or(Severity::Illegal, |practice| practice.severity)
    }

    /// Whether the manual forbids it and no practice excuses it.
    #[must_use]
    pub fn is_illegal(&self) -> bool {
        self.severity() == Severity::Illegal
    }
}

/// What is known of the machine a program runs on beside the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Kind of program; without it the rules for single kinds are not checked.
    pub program_type: Option<ProgramType>,
    /// `ALU_INST_PREFER_VECTOR`; see [`Case::prefer_vector`].
    pub prefer_vector: bool,
    /// Clause temporaries: registers `128 - clause_temporaries` to 127.
    pub clause_temporaries: u32,
    /// SIMD-global registers.
    pub global_gprs: u32,
    /// Stack entries the program may use.
    pub stack_size: u32,
}

impl Default for Settings {
    /// Those of [`Case::new`], without a kind of program.
    fn default() -> Self {
        let case = Case::new(Vec::new());
        Self { program_type: None, ..Self::of(&case) }
    }
}

impl Settings {
    /// The settings of a case.
    #[must_use]
    pub const fn of(case: &Case) -> Self {
        Self {
            program_type: Some(case.program_type),
            prefer_vector: case.prefer_vector,
            clause_temporaries: case.clause_temporaries,
            global_gprs: case.global_gprs,
            stack_size: case.stack_size,
        }
    }

    /// Whether a register is a clause temporary.
    const fn is_temporary(&self, register: u32) -> bool {
        register <= 127 && register + self.clause_temporaries >= 128
    }

    /// Whether the program is known to be of another kind than these.
    fn is_other_than(&self, kinds: &[ProgramType]) -> bool {
        self.program_type.is_some_and(|kind| !kinds.contains(&kind))
    }
}

/// The violations found so far.
#[derive(Debug, Default)]
struct Findings {
    list: Vec<Violation>,
}

impl Findings {
    fn add(&mut self, address: u32, rules: &[RuleId], message: String) {
        self.add_as(None, address, rules, message);
    }

    fn add_as(
        &mut self,
        practice: Option<&'static Practice>,
        address: u32,
        rules: &[RuleId],
        message: String,
    ) {
        let [rule, also @ ..] = rules else { return };
        self.list.push(Violation { address, rule: *rule, also: also.to_vec(), practice, message });
    }

    /// The violations by address, each once.
    fn sorted(mut self) -> Vec<Violation> {
        self.list.sort_by_key(|violation| violation.address);
        let mut violations: Vec<Violation> = Vec::with_capacity(self.list.len());
        for violation in self.list {
            let mut here = violations.iter().rev().take_while(|v| v.address == violation.address);
            if !here.any(|known| *known == violation) {
                violations.push(violation);
            }
        }
        violations
    }
}

/// For each opcode its restrictions: those of the rules about it with these parts of ids.
fn restrictions(parts: &[&str]) -> Vec<Vec<RuleId>> {
    let rules = family(AluOpcode::ALL, parts, |opcode, part| opcode.rule_name(part));
    let forbids = |rule: &RuleId| rule.rule().level == Level::Restriction;
    rules.into_iter().map(|row| row.into_iter().flatten().filter(forbids).collect()).collect()
}

/// Reports a broken rule: `breaks!(findings, address, ["rule", "another that says so"], "sentence")`. Behind
/// the rules `practice "name",` makes it a practice of `practices.toml`.
macro_rules! breaks {
    ($findings:expr, $address:expr, [$($id:expr),+ $(,)?], practice $name:literal, $($sentence:tt)+) => {
        $findings.add_as(
            Some(parallax_spec::practice!($name)),
            $address,
            const { &[$(parallax_spec::rule_id!($id)),+] },
            format!($($sentence)+),
        )
    };
    ($findings:expr, $address:expr, [$($id:expr),+ $(,)?], $($sentence:tt)+) => {
        $findings.add(
            $address,
            const { &[$(parallax_spec::rule_id!($id)),+] },
            format!($($sentence)+),
        )
    };
}
use breaks;

/// The restrictions that a program breaks, by address; none if it is legal.
#[must_use]
pub fn check(program: &Program, settings: &Settings) -> Vec<Violation> {
    let mut findings = Findings::default();
    if settings.global_gprs + 2 * settings.clause_temporaries > 128 {
        breaks!(
            findings,
            0,
            ["r700.share.max"],
            "{} SIMD-global registers and {} clause temporaries: at most 128 - 2 * temporaries are shared",
            settings.global_gprs,
            settings.clause_temporaries
        );
    }
    instructions(program, settings, &mut findings);
    control::last_instruction(program, &mut findings);
    let leaving = loops::check(program, &mut findings);
    let graph = flow::check(program, settings, &leaving, &mut findings);
    exports::check(program, &graph, &mut findings);
    clause::layout(program, &mut findings);
    for (&start, clause) in &program.clauses {
        if let Clause::Alu(groups) = clause {
            clause::check(start, groups, settings, &mut findings);
        }
    }
    findings.sorted()
}

/// What the control-flow instructions, groups and fetches of a program break by themselves, by address:
/// what can be said of a program of which some words do not decode.
#[must_use]
pub fn check_instructions(program: &Program, settings: &Settings) -> Vec<Violation> {
    let mut findings = Findings::default();
    instructions(program, settings, &mut findings);
    findings.sorted()
}

fn instructions(program: &Program, settings: &Settings, findings: &mut Findings) {
    control::check(program, settings, findings);
    encoding::check(program, findings);
    let written = fetch::Written::by(program);
    for (&start, clause) in &program.clauses {
        match clause {
            Clause::Alu(groups) => {
                let mut address = start;
                for group in groups {
                    group::check(address, group, settings, findings);
                    address += group.words() as u32;
                }
            }
            Clause::Fetch(_, fetches) => {
                fetch::check(start, fetches, &written, settings, findings);
            }
        }
    }
}

/// The restrictions that one group breaks by itself, with addresses from the group's start.
#[must_use]
pub fn check_group(group: &Group, settings: &Settings) -> Vec<Violation> {
    let mut findings = Findings::default();
    group::check(0, group, settings, &mut findings);
    findings.sorted()
}

#[cfg(test)]
mod tests;
