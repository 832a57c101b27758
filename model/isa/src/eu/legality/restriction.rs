//! Rows of the tables of restrictions that one instruction shows by itself: what each is about, and what
//! has to hold there.

use parallax_spec::Practice;

use super::prelude::*;

/// The generations that a restriction is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum On {
    Gen4,
    Gen45,
    UpToGen45,
    Gen7,
    Gen9,
    Gen12,
    Gen7To9,
    FromGen7,
    FromGen9,
}

impl On {
    pub(super) fn includes(self, generation: Generation) -> bool {
        use Generation::{Gen4, Gen7, Gen9, Gen12, Gen45};
        let (first, last) = match self {
            Self::Gen4 => (Gen4, Gen4),
            Self::Gen45 => (Gen45, Gen45),
            Self::UpToGen45 => (Gen4, Gen45),
            Self::Gen7 => (Gen7, Gen7),
            Self::Gen9 => (Gen9, Gen9),
            Self::Gen12 => (Gen12, Gen12),
            Self::Gen7To9 => (Gen7, Gen9),
            Self::FromGen7 => (Gen7, Gen12),
            Self::FromGen9 => (Gen9, Gen12),
        };
        (first..=last).contains(&generation)
    }
}

/// A restriction that one instruction shows by itself.
pub(super) struct Check {
    pub(super) on: On,
    /// The rule, then other rules that say the same; of each operation in `of`, if there are several.
    pub(super) rules: &'static [&'static [RuleId]],
    /// Why breaking it is less than illegal, where it is.
    pub(super) practice: Option<&'static Practice>,
    /// The operations that it is about; none: all.
    pub(super) of: &'static [Opcode],
    pub(super) test: Test,
    /// What is wrong when it does not hold, and how to fix it.
    pub(super) message: &'static str,
}

/// What a restriction is about, and what has to hold there.
pub(super) enum Test {
    Instruction {
        about: fn(&Facts) -> bool,
        holds: fn(&Facts) -> bool,
    },
    Source {
        about: Of<SourceFacts>,
        holds: Of<SourceFacts>,
    },
    Destination {
        about: Of<DestinationFacts>,
        holds: Of<DestinationFacts>,
    },
    /// Each source, then the destination.
    Operand {
        about: Of<dyn Operand>,
        holds: Of<dyn Operand>,
    },
}

/// What is asked about an operand of an instruction.
type Of<T> = fn(&Facts, &T) -> bool;

impl Check {
    /// Every rule.
    pub(super) fn rules(&self) -> impl Iterator<Item = RuleId> + Clone {
        self.rules.iter().copied().flatten().copied()
    }

    /// Whether it is about an operation of a generation.
    pub(super) fn is_about(&self, generation: Generation, opcode: Opcode) -> bool {
        self.on.includes(generation) && (self.of.is_empty() || self.of.contains(&opcode))
    }

    /// Judges an instruction that it is about.
    pub(super) fn apply(&self, facts: &Facts, violations: &mut Vec<Violation>) {
        let mut judge = |place: &str, holds: bool| {
            if !holds {
                let message = self.message.replace("{op}", facts.opcode.mnemonic());
                let of = self.of.iter().position(|opcode| *opcode == facts.opcode);
                let rules = of.and_then(|n| self.rules.get(n)).unwrap_or(&self.rules[0]);
                let violation = Violation::of(rules, format!("{place}{message}"));
                violations.push(violation.practised(facts.device, self.practice));
            }
        };
        let destination = facts.destination.as_ref();
        match self.test {
            Test::Instruction { about, holds } => judge("", !about(facts) || holds(facts)),
            Test::Source { about, holds } => {
                facts.sources().for_each(|s| judge(s.name(), !about(facts, s) || holds(facts, s)));
            }
            Test::Destination { about, holds } => {
                let holds = destination.is_none_or(|d| !about(facts, d) || holds(facts, d));
                judge(DESTINATION, holds);
            }
            Test::Operand { about, holds } => {
                let sources = facts.sources().map(|s| (s.name(), s as &dyn Operand));
                let all = sources.chain(destination.map(|d| (DESTINATION, d as &dyn Operand)));
                all.for_each(|(name, o)| judge(name, !about(facts, o) || holds(facts, o)));
            }
        }
    }
}

/// What messages call the destination.
const DESTINATION: &str = "destination: ";

/// Makes the table of a subject, of rows `Subject Generations [rules] about …, holds …, message;`. Behind
/// the rules may stand the operations that they are about, `of [Mul]`, `practice "name"`, which makes what
/// is found a practice of `practices.toml` on the devices that it names, and `says "message"`.
/// `[each "a." Mul "mul" Add "add" => ".b"]` is the rule `a.mul.b` of `mul`, and so on. Rules of which the same
/// has to hold stand behind a `|`. Without `about` they are about all there is. `{op}` in a message is the
/// mnemonic.
macro_rules! checks {
    ($($subject:ident $($on:ident $rules:tt $(of $of:tt)? $(practice $practice:literal)? $(says $own:literal)?)|+
        $(about $about:expr,)? holds $holds:expr $(, $message:expr)?;)*) => {
        pub(in crate::eu::legality) static CHECKS: &[crate::eu::legality::restriction::Check] =
            crate::eu::legality::restriction::rows!($(
                [$($on $rules [$($of)?] [$($practice)?] [$($own)?])+]
                $subject [$($about)?] [$holds] [$($message)?];
            )*);
    };
}
pub(super) use checks;

/// The checks of rows whose optional parts stand in brackets.
macro_rules! rows {
    ($([$($on:ident $rules:tt $of:tt $practice:tt $own:tt)+]
        $subject:ident $about:tt [$holds:expr] $shared:tt;)*) => {
        &[$($(crate::eu::legality::restriction::Check {
            on: crate::eu::legality::restriction::On::$on,
            rules: crate::eu::legality::restriction::part!(rules $rules),
            of: crate::eu::legality::restriction::part!(of $rules $of),
            practice: crate::eu::legality::restriction::part!(practice $practice),
            test: crate::eu::legality::restriction::Test::$subject {
                about: crate::eu::legality::restriction::part!(about $subject $about),
                holds: $holds,
            },
            message: crate::eu::legality::restriction::part!(message $own $shared),
        },)+)*]
    };
}
pub(super) use rows;

/// A part of a row.
macro_rules! part {
    (rules [each $before:literal $($opcode:ident $name:literal)+ => $after:literal]) => {
        &[$(&[parallax_spec::rule_id!(concat!($before, $name, $after))]),+]
    };
    (rules [each $before:literal $($opcode:ident $name:literal)+ => $after:literal, $also:literal]) => {
        &[$(&[
            parallax_spec::rule_id!(concat!($before, $name, $after)),
            parallax_spec::rule_id!($also),
        ]),+]
    };
    (rules [$($id:expr),+ $(,)?]) => { &[&[$(parallax_spec::rule_id!($id)),+]] };
    (of [each $before:literal $($opcode:ident $name:literal)+ => $($after:tt)+] []) => {
        &[$(crate::eu::opcode::Opcode::$opcode),+]
    };
    (of $rules:tt [[$($opcode:ident),+]]) => { &[$(crate::eu::opcode::Opcode::$opcode),+] };
    (of $rules:tt []) => { &[] };
    (practice []) => { None };
    (practice [$name:literal]) => { Some(parallax_spec::practice!($name)) };
    (message [$own:literal] []) => { $own };
    (message [] [$shared:expr]) => { $shared };
    (about Instruction []) => { |_| true };
    (about $subject:ident []) => { |_, _| true };
    (about $subject:ident [$about:expr]) => { $about };
}
pub(super) use part;
