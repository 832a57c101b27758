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

/// Something that a step changed: a whole element, as it is and as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its name, with its type if that is known: `r4.3:f`.
    pub place: String,
    /// What it held before.
    pub before: String,
    /// What it holds now.
    pub after: String,
}

/// The elements that a step changed something of, in order of the changed bytes: as numbers where the machine
/// knows the type, else in hex digits, the most significant first.
pub(crate) fn written<M: Subject>(
    case: &M::Case,
    before: &M::State,
    after: &M::State,
    changed: impl Iterator<Item = usize>,
) -> Vec<Written> {
    let mut written: Vec<Written> = Vec::new();
    let mut last = 0..0;
    for offset in changed {
        if last.contains(&offset) {
            continue;
        }
        let Typed { name, places, show } = typed::<M>(case, before, offset);
        let [was, is] = [before, after].map(|state| show(number(&state.image()[places.clone()])));
        written.push(Written { place: name, before: was, after: is });
        last = places;
    }
    written
}

/// The element that a byte belongs to: in the type in which the next instruction writes it, where the machine
/// knows that.
pub(crate) fn typed<M: Subject>(case: &M::Case, before: &M::State, offset: usize) -> Typed {
    M::element(case, before, offset).unwrap_or_else(|| untyped::<M::State>(offset))
}

/// The element of a bank that a byte is of; a doubleword of one with large elements.
fn untyped<I: Image>(offset: usize) -> Typed {
    let bank = I::bank(offset);
    let size = if bank.element <= 8 { bank.element } else { 4 };
    let start = bank.offset + (offset - bank.offset) / size * size;
    let show = move |bits| format!("{bits:0digits$x}", digits = 2 * size);
    Typed { name: I::place(start), places: start..start + size, show: Box::new(show) }
}

/// Up to eight bytes as a number.
pub(crate) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}
