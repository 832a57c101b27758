//! What the reference does in a case step by step, for those who count what instructions are and which rules
//! decide them.

use std::ops::ControlFlow;

use parallax_isa::{Machine, Reference, Step};
use parallax_spec::coverage;

use crate::{form::Executed, subject::Subject};

/// Runs the reference over a case, and gives each step until the case ends or `each` breaks off. Rules do not count.
pub(crate) fn execute<M: Subject>(
    reference: &mut dyn Reference<M>,
    case: &<M as Machine>::Case,
    each: &mut dyn FnMut(Executed) -> ControlFlow<()>,
) {
    let forms = |state: &M::State| M::executed(case, state);
    walk::<M, _>(reference, case, forms, |forms| {
        each(Executed { forms, rules: coverage::marked_places() })
    });
}

/// What `place` says of the state before each of the first steps of a case, at most so many.
pub(crate) fn places<M: Subject, P>(
    case: &<M as Machine>::Case,
    steps: u64,
    place: impl Fn(&M::State) -> P,
) -> Vec<P> {
    let mut places = Vec::new();
    if steps > 0 {
        walk::<M, _>(&mut *M::reference(), case, place, |place| {
            places.push(place);
            if places.len() as u64 == steps {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
    }
    places
}

/// Runs the reference over a case, and gives what `sample` takes from the state before each step, while the rules of the
/// step are marked.
pub(crate) fn walk<M: Subject, T>(
    reference: &mut dyn Reference<M>,
    case: &<M as Machine>::Case,
    sample: impl Fn(&M::State) -> T,
    mut each: impl FnMut(T) -> ControlFlow<()>,
) {
    coverage::uncounted(|| {
        if reference.load(case).is_err() {
            return;
        }
        loop {
            let Ok(before) = reference.state().map(&sample) else { return };
            coverage::drop_marks();
            let Ok(step) = reference.step() else { return };
            if each(before).is_break() || step != Step::Continue {
                return;
            }
        }
    });
}
