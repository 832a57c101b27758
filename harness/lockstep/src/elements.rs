//! What differs as the elements that an instruction writes: whole ones, as the numbers that they are.

use parallax_isa::Image;

use crate::{
    subject::{Subject, Typed},
    verdict::{Difference, Element, Mismatch},
};

/// Elements that are shown; the others are only counted as bytes.
const MOST: usize = 64;

/// The elements of a step in which bytes differ, in their order: those that the machine knows the type
/// of. `expected` is the reference's state after the step.
pub(crate) fn elements<M: Subject>(
    case: &M::Case,
    before: &M::State,
    expected: &M::State,
    difference: &Difference,
) -> Vec<Element> {
    let Difference::State(mismatches) = difference else { return Vec::new() };
    let mut elements: Vec<Element> = Vec::new();
    for Mismatch { offset, .. } in mismatches {
        if elements.len() == MOST {
            break;
        }
        if elements.last().is_some_and(|element| element.places.contains(offset)) {
            continue;
        }
        let Some(typed) = M::element(case, before, *offset) else { continue };
        elements.push(element(typed, expected.image(), mismatches));
    }
    elements
}

fn element(typed: Typed, expected: &[u8], mismatches: &[Mismatch]) -> Element {
    let Typed { name, places, show } = typed;
    let mut actual = expected[places.clone()].to_vec();
    for mismatch in mismatches.iter().filter(|mismatch| places.contains(&mismatch.offset)) {
        actual[mismatch.offset - places.start] = mismatch.actual;
    }
    let expected = show(number(&expected[places.clone()]));
    Element { name, places, expected, actual: show(number(&actual)) }
}

/// Up to eight bytes as a number.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}
