//! Kinds of divergences. A bug counts once, whatever the cases and steps that show it: divergences are
//! of one kind where the same instruction writes something wrong into the same bank of the state; the banks that
//! hold results count as one.

use parallax_isa::{Engine, EngineError, Image, LoadError, Reference};
use parallax_spec::coverage;

use crate::{
    form::{Form, Parts},
    lockstep::{Difference, Path, before},
    subject::Subject,
    verdict::Mismatch,
};

/// What kind of divergence it is: one of another kind is probably another mistake.
pub(super) struct Kind {
    /// The mnemonic of what writes the first place that differs, and the bank of that place; or what else differs, and
    /// the mnemonic of the instruction.
    pub(super) kind: String,
    /// The form of the instruction.
    pub(super) form: Form,
    /// The parts of the step that write the first place that differs.
    pub(super) differing: Parts,
    /// The parts that write no place that differs.
    pub(super) agreeing: Parts,
}

impl Kind {
    /// That of a divergence. Runs the case once more up to the step that differs; the rules of that run do not count.
    pub(super) fn of<M: Subject>(
        reference: &mut dyn Reference<M>,
        engine: &mut dyn Engine<M>,
        case: &M::Case,
        step: u64,
        difference: &Difference,
        path: Path,
    ) -> Self {
        let before = coverage::uncounted(|| before(reference, engine, case, step, difference));
        let before = before.as_deref();
        let mnemonic = || before.map(|before| M::mnemonic(case, before)).unwrap_or_default();
        let kind = match difference {
            Difference::State(mismatches) => {
                let writer =
                    before.map(|before| M::writer(case, before, &difference.first_place()));
                let writer = writer.unwrap_or_default();
                let bank = match M::State::bank(mismatches[0].offset) {
                    bank if bank.holds_results => "result",
                    bank => bank.name,
                };
                format!("{writer} {bank}")
            }
            Difference::Flow { .. } => format!("{} flow", mnemonic()),
            Difference::Digest { .. } => format!("{} digest", mnemonic()),
            Difference::Load { expected, actual } => match expected.as_ref().or(actual.as_ref()) {
                // What is wrong with a case as a whole is told apart by the sentence, without its numbers.
                Some(LoadError::Case(why)) => {
                    why.split(|c: char| c.is_ascii_digit()).collect::<Vec<_>>().concat()
                }
                _ => format!("{} load", mnemonic()),
            },
            Difference::Failure { error, .. } => {
                let failure = match error {
                    EngineError::Lost(_) => "lost",
                    EngineError::TimedOut(_) => "no answer",
                    EngineError::Panicked(_) => "panic",
                    EngineError::Nonsense(_) => "nonsense",
                    EngineError::Unable(_) => "unable",
                    EngineError::Declined(_) => "declined",
                };
                format!("{} {failure}", mnemonic())
            }
        };
        let kind = match path {
            Path::Steps => kind,
            Path::FreeRun => kind + " in a free run",
            Path::Repeated => kind + " in repeated runs",
        };
        let form = before.map(|before| M::form(case, before, &difference.first_place()));
        let (differing, agreeing) = match (difference, before) {
            (Difference::State(mismatches), Some(before)) => parts::<M>(case, before, mismatches),
            _ => (Parts::WHOLE, Parts::NONE),
        };
        Self { kind, form: form.unwrap_or_default(), differing, agreeing }
    }
}

/// Registers that the parts of a step write, at most.
const MOST_WRITTEN: usize = 32;

/// The parts of a step that write the first place that differs, and those that write none.
fn parts<M: Subject>(case: &M::Case, before: &M::State, mismatches: &[Mismatch]) -> (Parts, Parts) {
    // Elements of a register are written by the same parts.
    let mut registers: Vec<&str> = mismatches
        .iter()
        .map(|mismatch| mismatch.place.split('[').next().unwrap_or_default())
        .collect();
    registers.dedup();
    if registers.len() > MOST_WRITTEN {
        return (Parts::WHOLE, Parts::NONE);
    }
    let mut parts = registers.into_iter().map(|register| M::parts(case, before, register));
    let first = parts.next().unwrap_or(Parts::WHOLE);
    (first, parts.fold(first, Parts::and).others())
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use parallax_isa::r700::{AluOpcode, Case, R700, State, microcode::AluOp2};
    use parallax_spec::coverage::rule_of;
    use rstest::rstest;

    use super::*;
    use crate::{executed::execute, form::Executed, subject::reference};

    /// A group of `x: MUL R1.x` and `y: ADD R1.y`, and the state before it.
    fn group() -> (Case, Box<State>) {
        let instruction = |opcode: AluOpcode, element, last| {
            let word = AluOp2::default().with(AluOp2::ALU_INST, opcode.row().code);
            let word = word.with(AluOp2::DST_GPR, 1).with(AluOp2::DST_ELEM, element);
            word.with(AluOp2::WRITE_MASK, 1).with(AluOp2::LAST, last).0
        };
        let mut program = vec![2, 0xA000_0000 | 1 << 18, 0, 0x8020_0000];
        program.extend(instruction(AluOpcode::Mul, 0, 0));
        program.extend(instruction(AluOpcode::Add, 1, 1));
        let case = Case::new(program);
        let mut state: Box<State> = case.state.clone();
        (state.in_clause, state.group) = (1, 2);
        (case, state)
    }

    #[rstest]
    #[case("R1.x[7]", "MUL")]
    #[case("R1.y[0]", "ADD")]
    #[case("PV.y[0]", "ADD")]
    #[case("R9.z[0]", "ADD+MUL")]
    #[case("PS[3]", "ADD+MUL")]
    fn instructions_of_a_group_are_told_apart_by_what_they_write(
        #[case] place: &str,
        #[case] expected: &str,
    ) {
        let (case, state) = group();
        assert_eq!(R700::writer(&case, &state, place), expected);
    }

    /// What a group does right beside what it does wrong counts with its rules, and with those of no other instruction.
    #[rstest]
    #[case(&["R1.x[7]", "R1.x[8]"], ["MUL"], ["ADD"])]
    #[case(&["PV.y[0]"], ["ADD"], ["MUL"])]
    fn a_group_is_split_by_what_differs(
        #[case] places: &[&str],
        #[case] differing: [&str; 1],
        #[case] agreeing: [&str; 1],
    ) {
        let (case, state) = group();
        let mismatch = |place: &&str| Mismatch {
            offset: 0,
            place: (*place).to_owned(),
            byte: 0,
            expected: 0,
            actual: 1,
        };
        let mismatches: Vec<_> = places.iter().map(mismatch).collect();
        let (wrong, right) = parts::<R700>(&case, &state, &mismatches);
        for (parts, expected) in [(wrong, differing), (right, agreeing)] {
            let mut group = Executed::default();
            let mut number = 0;
            execute::<R700>(&mut reference::<R700>(), &case, Some((1, parts)), &mut |executed| {
                number += 1;
                group = executed;
                if number == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            let forms: Vec<_> = group.forms.iter().map(Form::mnemonic).collect();
            assert_eq!(forms, expected);
            let of = |mnemonic: &str| {
                let rule = format!("r700.aluinst.{}.operation", mnemonic.to_lowercase());
                group.rules.iter().any(|place| rule_of(*place).rule().id == rule)
            };
            assert!(
                ["ADD", "MUL"].iter().all(|mnemonic| of(mnemonic) == expected.contains(mnemonic))
            );
        }
    }
}
