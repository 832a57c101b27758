//! Kinds of divergences. A bug counts once, whatever the cases and steps that show it: divergences are
//! of one kind where the same instruction writes something wrong into the same bank of the state; the banks that
//! hold results count as one.

use parallax_isa::{Engine, EngineError, Image, LoadError, Reference};
use parallax_spec::coverage;

use crate::{
    form::Form,
    lockstep::{Difference, Path, before},
    subject::Subject,
};

/// The kind of a divergence: the mnemonic of what writes the first place that differs, and the bank of
/// that place; or what else differs, and the mnemonic of the instruction. And the form of the instruction. Runs the case once more up to
/// the step that differs; the rules of that run do not count.
pub(super) fn kind<M: Subject>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
    step: u64,
    difference: &Difference,
    path: Path,
) -> (String, Form) {
    let before = coverage::uncounted(|| before(reference, engine, case, step, difference));
    let before = before.as_deref();
    let mnemonic = || before.map(|before| M::mnemonic(case, before)).unwrap_or_default();
    let kind = match difference {
        Difference::State(mismatches) => {
            let writer = before.map(|before| M::writer(case, before, &difference.first_place()));
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
        Path::FreeRun => kind + " at a stretch",
        Path::Repeated => kind + " in repeated runs",
    };
    let form = before.map(|before| M::form(case, before, &difference.first_place()));
    (kind, form.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use parallax_isa::r700::{AluOpcode, Case, R700, State, microcode::AluOp2};
    use rstest::rstest;

    use super::*;

    /// A group of `x: MUL R1.x` and `y: ADD R1.y`.
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
        assert_eq!(R700::writer(&case, &state, place), expected);
    }
}
