//! Cases without some instructions of their programs.

use std::collections::BTreeSet;

use parallax_isa::eu::{
    Case,
    legality::program::check,
    program::{Placed, Program},
};
use parallax_spec::Severity;

use super::relocatable::Relocatable;
use crate::{
    eu::{Eu, branches::is_straight, forms::form},
    executed,
    form::Form,
};

/// The case without some instructions. `None` if nothing is left, or they are branches, or the program is not legal
/// any more.
pub(in crate::eu) fn without(
    case: Case,
    is_left_out: &mut dyn FnMut(&Form) -> bool,
) -> Option<Case> {
    let (device, state) = (case.device, case.state.clone());
    without_those(case, |placed| is_left_out(&form(device, &placed.instruction, &state)))
}

/// The steps of so many in which a case comes to an instruction for the first time, but for branches.
pub(in crate::eu) fn first_steps(case: &Case, steps: u64) -> Vec<u64> {
    let Ok(program) = Program::decode(case.device, &case.program) else { return Vec::new() };
    let branches = program.instructions().iter().filter(|placed| !is_straight(&placed.instruction));
    let mut reached: BTreeSet<usize> = branches.map(|placed| placed.offset).collect();
    let places = places(case, steps).into_iter();
    (0..).zip(places).filter(|(_, place)| reached.insert(*place)).map(|(step, _)| step).collect()
}

/// The case with its branches and those of its other instructions that it comes to in so many steps, but for the one of
/// a step.
pub(in crate::eu) fn up_to(case: &Case, steps: u64, without: Option<u64>) -> Option<Case> {
    let places = places(case, steps);
    let without = without.and_then(|step| places.get(usize::try_from(step).ok()?).copied());
    let reached = places.iter().copied().filter(|place| Some(*place) != without);
    let reached: BTreeSet<usize> = reached.collect();
    without_those(case.clone(), |placed| {
        is_straight(&placed.instruction) && !reached.contains(&placed.offset)
    })
}

/// Where in its program a case is before each of its first steps.
fn places(case: &Case, steps: u64) -> Vec<usize> {
    executed::places::<Eu, _>(case, steps, |state| state.ip as usize)
}

/// The case without some instructions. `None` if nothing is left, or they are branches, or the program is not legal
/// any more.
pub(in crate::eu) fn without_those(
    case: Case,
    mut is_left_out: impl FnMut(&Placed) -> bool,
) -> Option<Case> {
    let Ok(program) = Program::decode(case.device, &case.program) else { return Some(case) };
    let instructions = program.instructions();
    let placed = instructions.iter().enumerate().filter(|(_, placed)| is_left_out(placed));
    let places: Vec<usize> = placed.map(|(place, _)| place).collect();
    if places.is_empty() {
        return Some(case);
    }
    if places.len() == instructions.len()
        || !places.iter().all(|place| is_straight(&instructions[*place].instruction))
    {
        return None;
    }
    let mut rest = Relocatable::new(&case)?;
    for place in places.into_iter().rev() {
        rest = rest.without(&(place..place + 1));
    }
    let rest = rest.case(&case)?;
    let decoded = Program::decode(rest.device, &rest.program).ok()?;
    mistakes(&decoded).is_subset(&mistakes(&program)).then_some(rest)
}

/// The rules that a program breaks.
fn mistakes(program: &Program) -> BTreeSet<&'static str> {
    let findings = check(program).into_iter().map(|finding| finding.violation);
    let illegal = findings.filter(|violation| violation.severity() == Severity::Illegal);
    illegal.map(|violation| violation.rule.rule().id).collect()
}

#[cfg(test)]
mod tests {
    use parallax_isa::{Device, eu::text};
    use rstest::rstest;

    use super::*;
    use crate::{eu::generate, pattern::Pattern, random::SplitMix64};

    const PROGRAM: [&str; 3] = [
        "mov (8) r4<1>:d r2<8;8,1>:d",
        "xor (8) r4<1>:d r4<8;8,1>:d r3<8;8,1>:d",
        "mov (8) r5<1>:f r4<8;8,1>:d",
    ];

    /// The lines that are left of a program of Gen9 without the instructions of a pattern.
    #[rstest]
    #[case("xor", &[0, 2])]
    #[case("mov :f <- :d", &[0, 1])]
    #[case("add", &[0, 1, 2])]
    #[case("any instruction with several channels", &[])]
    fn a_case_does_without_some_instructions(#[case] pattern: &str, #[case] left: &[usize]) {
        let assembly = text::parse(Device::Skl, &PROGRAM.join("\n")).expect("assembly");
        let case = generate::straight_line(Device::Skl, &[]);
        let case = Case { program: assembly.program.bytes().to_vec(), ..case };
        let pattern = Pattern::parse(pattern, Device::Skl).expect("a pattern");
        let Some(rest) = without(case, &mut |form| pattern.is_of(form)) else {
            assert!(left.is_empty(), "nothing is left");
            return;
        };
        let expected: Vec<_> = left.iter().map(|line| PROGRAM[*line]).collect();
        let expected = text::parse(Device::Skl, &expected.join("\n")).expect("assembly");
        assert_eq!(rest.program, expected.program.bytes());
    }

    /// Programs without what is left out are legal where whole ones are, and most cases are left.
    #[rstest]
    fn what_is_left_is_legal(
        #[values(Device::Bw, Device::G45, Device::Ivb, Device::Skl, Device::Dg1)] device: Device,
        #[values("mov", "add", "any instruction with a predicate")] text: &str,
    ) {
        let pattern = Pattern::parse(text, device).expect("a pattern");
        let mut bytes = vec![0; generate::BYTES];
        let mut left = 0;
        for seed in 0..100 {
            SplitMix64::new(seed).fill(&mut bytes);
            let case = generate::straight_line(device, &bytes);
            let Some(rest) = without(case, &mut |form| pattern.is_of(form)) else { continue };
            let mut has = false;
            let _ = without(rest, &mut |form| {
                has |= pattern.is_of(form);
                false
            });
            assert!(!has, "{seed}");
            left += 1;
        }
        assert!(left >= 80, "{left} of 100");
    }
}
