//! A row: a rule, when it decides a group, an operation of one, a fetch, or a step of control flow, and what it decides
//! of it.

use parallax_isa::r700::{AluOpcode, CfOpcode, FetchOpcode};
use parallax_reference::r700::{GroupStep, Observed};
use parallax_spec::RuleId;

use super::{
    control::Flow,
    fetch::Fetched,
    step::{Facts, Operation, Step},
};
use crate::Decides;

/// When a rule decides what a step does.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    id: RuleId,
    when: When,
    /// When a result that is accepted within a tolerance excludes every other reading of the rule.
    distinguished: Option<fn(Operation) -> bool>,
    decides: Decides,
    is_unconditional: bool,
}

/// What a condition is on. Of no instructions at all it is on any.
#[derive(Debug, Clone, Copy)]
pub(super) enum When {
    /// A group as a whole.
    Group(fn(Step) -> bool),
    /// One of its operations.
    Operation(&'static [AluOpcode], fn(Operation) -> bool),
    /// An instruction of a fetch clause that has a result.
    Fetch(&'static [FetchOpcode], fn(Fetched) -> bool),
    /// One whose result goes nowhere.
    Dropped(&'static [FetchOpcode], fn(Fetched) -> bool),
    /// A control-flow instruction.
    Flow(&'static [CfOpcode], fn(Flow) -> bool),
    /// The end of an ALU clause.
    End(&'static [CfOpcode], fn(Flow) -> bool),
}

/// A rule that decides the results of a group that meets a condition.
pub(super) const fn rule(id: &str, when: fn(Step) -> bool) -> Rule {
    Rule::of_id(RuleId::named(id), When::Group(when))
}

/// A rule that decides the result of an operation that meets a condition.
pub(super) const fn operation(
    id: &str,
    of: &'static [AluOpcode],
    when: fn(Operation) -> bool,
) -> Rule {
    Rule::of_id(RuleId::named(id), When::Operation(of, when))
}

/// A rule that decides the result of an instruction of a fetch clause that meets a condition.
pub(super) const fn fetch(id: &str, of: &'static [FetchOpcode], when: fn(Fetched) -> bool) -> Rule {
    Rule::of_id(RuleId::named(id), When::Fetch(of, when))
}

/// A rule that decides the result of each such instruction of some.
pub(super) const fn each_fetch(id: &str, of: &'static [FetchOpcode]) -> Rule {
    fetch(id, of, |_| true).unconditional()
}

/// A rule that decides that the result of an instruction that meets a condition goes nowhere.
pub(super) const fn dropped(
    id: &str,
    of: &'static [FetchOpcode],
    when: fn(Fetched) -> bool,
) -> Rule {
    Rule::of_id(RuleId::named(id), When::Dropped(of, when))
}

/// A rule that decides what a control-flow instruction does that meets a condition.
pub(super) const fn flow(id: &str, of: &'static [CfOpcode], when: fn(Flow) -> bool) -> Rule {
    Rule::of_id(RuleId::named(id), When::Flow(of, when))
}

/// A rule that decides what the end of an ALU clause does.
pub(super) const fn end(id: &str, of: &'static [CfOpcode], when: fn(Flow) -> bool) -> Rule {
    Rule::of_id(RuleId::named(id), When::End(of, when))
}

/// Whether a list has such an instruction, or is of any.
fn is_any<T: Copy>(of: &[T], is: impl Fn(T) -> bool) -> bool {
    of.is_empty() || of.iter().any(|opcode| is(*opcode))
}

impl Rule {
    /// A rule that decides a result, until more is said.
    pub(super) const fn of_id(id: RuleId, when: When) -> Self {
        Self { id, when, distinguished: None, decides: Decides::Result, is_unconditional: false }
    }

    /// The operations whose result, though within a tolerance, excludes every other reading of it.
    pub(super) const fn distinguished(self, distinguished: fn(Operation) -> bool) -> Self {
        Self { distinguished: Some(distinguished), ..self }
    }

    /// What it decides of them.
    pub(super) const fn decides_of(self, decides: Decides) -> Self {
        Self { decides, ..self }
    }

    /// It decides all it speaks of that has a result: none of that is a counterexample.
    pub(super) const fn unconditional(self) -> Self {
        Self { is_unconditional: true, ..self }
    }

    /// The rule of the catalogue.
    #[must_use]
    pub const fn id(&self) -> RuleId {
        self.id
    }

    /// What it decides.
    #[must_use]
    pub const fn decides(&self) -> Decides {
        self.decides
    }

    /// Whether it decides all it speaks of that has a result.
    #[must_use]
    pub const fn is_unconditional(&self) -> bool {
        self.is_unconditional
    }

    /// Whether it speaks of one of the instructions that there are.
    #[must_use]
    pub fn speaks_of_any(&self, has: impl Fn(&str) -> bool) -> bool {
        match self.when {
            When::Group(_) => true,
            When::Operation(of, _) => is_any(of, |opcode| has(opcode.mnemonic())),
            When::Fetch(of, _) | When::Dropped(of, _) => {
                is_any(of, |opcode| has(opcode.mnemonic()))
            }
            When::Flow(of, _) | When::End(of, _) => is_any(of, |opcode| has(opcode.mnemonic())),
        }
    }

    /// Whether it decides something of a step; `None` if it does not speak of it, or the step has no result.
    #[must_use]
    pub fn holds(&self, observed: &Observed) -> Option<bool> {
        match observed {
            Observed::Group(group) => self.holds_of_group(group),
            Observed::Fetch(step) => {
                let holds = self.decides_fetch(Fetched(step));
                let has_result = self.speaks_of_fetch(step.opcode) && step.record.exact != 0;
                (holds || has_result).then_some(holds)
            }
            Observed::Flow(step) => {
                let speaks = self.speaks_of_flow(step.opcode, step.is_end);
                speaks.then(|| self.decides_flow(Flow(step)))
            }
        }
    }

    fn holds_of_group(&self, group: &GroupStep) -> Option<bool> {
        let facts = Facts::of(group);
        let step = Step(&facts);
        let has_result = |slot: Operation| {
            self.speaks_of(slot.opcode)
                && (slot.is_decided() || self.distinguished.is_some() && slot.approximate != 0)
        };
        let holds = match self.when {
            When::Group(when) => when(step),
            When::Operation(..) => step.operations().any(|operation| {
                self.speaks_of(operation.opcode)
                    && (self.decides_operation(operation) || self.is_distinguished(operation))
            }),
            _ => return None,
        };
        (holds || step.slots().any(has_result)).then_some(holds)
    }

    /// What its condition is on.
    pub(super) const fn when(&self) -> When {
        self.when
    }

    /// Whether it speaks of an operation.
    pub(super) fn speaks_of(&self, opcode: AluOpcode) -> bool {
        match self.when {
            When::Group(_) => true,
            When::Operation(of, _) => of.is_empty() || of.contains(&opcode),
            _ => false,
        }
    }

    /// Whether it speaks of an instruction of fetch clauses.
    pub(super) fn speaks_of_fetch(&self, opcode: FetchOpcode) -> bool {
        match self.when {
            When::Fetch(of, _) | When::Dropped(of, _) => of.is_empty() || of.contains(&opcode),
            _ => false,
        }
    }

    /// Whether it speaks of a control-flow instruction, or of the end of the clause that it has started.
    pub(super) fn speaks_of_flow(&self, opcode: CfOpcode, is_end: bool) -> bool {
        match (self.when, is_end) {
            (When::Flow(of, _), false) | (When::End(of, _), true) => {
                of.is_empty() || of.contains(&opcode)
            }
            _ => false,
        }
    }

    /// Whether it decides a group as a whole.
    pub(super) fn decides_group(&self, step: Step) -> bool {
        matches!(self.when, When::Group(when) if when(step))
    }

    /// Whether it decides an operation that it speaks of.
    pub(super) fn decides_operation(&self, operation: Operation) -> bool {
        matches!(self.when, When::Operation(_, when) if when(operation))
    }

    /// Whether it decides an instruction of a fetch clause.
    pub(super) fn decides_fetch(&self, step: Fetched) -> bool {
        self.speaks_of_fetch(step.opcode)
            && match self.when {
                When::Fetch(_, when) => step.record.exact != 0 && when(step),
                When::Dropped(_, when) => step.record.exact == 0 && when(step),
                _ => false,
            }
    }

    /// Whether it decides a step of control flow that it speaks of.
    pub(super) fn decides_flow(&self, step: Flow) -> bool {
        matches!(self.when, When::Flow(_, when) | When::End(_, when) if when(step))
    }

    /// Whether an operation that it speaks of tells it apart.
    pub(super) fn is_distinguished(&self, operation: Operation) -> bool {
        self.distinguished.is_some_and(|distinguished| distinguished(operation))
    }
}
