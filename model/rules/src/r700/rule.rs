//! A row: a rule, when it decides a group or an operation of one, and what it decides of it.

use parallax_isa::r700::AluOpcode;
use parallax_reference::r700::{GroupStep, Slot};
use parallax_spec::RuleId;

use super::step::{Facts, Operation, Step};
use crate::Decides;

/// When a rule decides what a group does.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    id: RuleId,
    /// The operations it speaks of; empty for any.
    of: &'static [AluOpcode],
    when: When,
    /// When a result that is accepted within a tolerance excludes every other reading of the rule.
    told_apart: Option<fn(Operation) -> bool>,
    decides: Decides,
    is_unconditional: bool,
}

/// What a condition is on.
#[derive(Debug, Clone, Copy)]
enum When {
    /// A group as a whole.
    Group(fn(Step) -> bool),
    /// One of its operations.
    Operation(fn(Operation) -> bool),
}

/// A rule that decides the results of a group that meets a condition.
pub(super) const fn rule(id: &str, when: fn(Step) -> bool) -> Rule {
    Rule { when: When::Group(when), ..Rule::of_id(RuleId::named(id)) }
}

/// A rule that decides the result of an operation that meets a condition.
pub(super) const fn operation(id: &str, when: fn(Operation) -> bool) -> Rule {
    Rule::of_id(RuleId::named(id)).when(when)
}

impl Rule {
    /// A rule that decides each operation of which something is compared exactly.
    pub(super) const fn of_id(id: RuleId) -> Self {
        Self {
            id,
            of: &[],
            when: When::Operation(|operation| operation.is_decided()),
            told_apart: None,
            decides: Decides::Result,
            is_unconditional: false,
        }
    }

    /// The operations it speaks of.
    pub(super) const fn of(self, of: &'static [AluOpcode]) -> Self {
        Self { of, ..self }
    }

    /// The operations that it decides.
    pub(super) const fn when(self, when: fn(Operation) -> bool) -> Self {
        Self { when: When::Operation(when), ..self }
    }

    /// The operations whose result, though within a tolerance, excludes every other reading of it.
    pub(super) const fn told_apart(self, told_apart: fn(Operation) -> bool) -> Self {
        Self { told_apart: Some(told_apart), ..self }
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

    /// Whether it speaks of an operation of its own, not of the group.
    pub(super) const fn is_of_operations(&self) -> bool {
        matches!(self.when, When::Operation(_))
    }

    /// Whether it speaks of an operation.
    pub(super) fn speaks_of(&self, opcode: AluOpcode) -> bool {
        self.of.is_empty() || self.of.contains(&opcode)
    }

    /// Whether an instruction that it speaks of has a result that it may decide.
    #[must_use]
    pub fn may_decide(&self, slot: &Slot) -> bool {
        self.speaks_of(slot.opcode)
            && (slot.decided() != 0 || self.told_apart.is_some() && slot.approximate != 0)
    }

    /// Whether it decides something of a group.
    #[must_use]
    pub fn holds(&self, group: &GroupStep) -> bool {
        self.decides_group(Step(&Facts::of(group)))
    }

    pub(super) fn decides_group(&self, step: Step) -> bool {
        match self.when {
            When::Group(when) => when(step),
            When::Operation(_) => step.operations().any(|operation| {
                self.speaks_of(operation.opcode)
                    && (self.decides_operation(operation) || self.is_told_apart(operation))
            }),
        }
    }

    /// Whether it decides an operation that it speaks of.
    pub(super) fn decides_operation(&self, operation: Operation) -> bool {
        matches!(self.when, When::Operation(when) if when(operation))
    }

    /// Whether an operation that it speaks of tells it apart.
    pub(super) fn is_told_apart(&self, operation: Operation) -> bool {
        self.told_apart.is_some_and(|told_apart| told_apart(operation))
    }
}
