//! What the reference does in a case step by step, for those who count what instructions are and which rules
//! decide them.

use std::ops::ControlFlow;

use parallax_isa::{Machine, Reference, Step};
use parallax_spec::coverage;

use crate::{
    form::{Executed, Parts},
    subject::Subject,
};

/// Runs the reference over a case, and gives each step until the case ends or `each` breaks off; only some parts of one
/// step, if they are given with its number. Rules do not count.
pub(crate) fn execute<M: Subject>(
    reference: &mut dyn Reference<M>,
    case: &<M as Machine>::Case,
    only: Option<(u64, Parts)>,
    each: &mut dyn FnMut(Executed) -> ControlFlow<()>,
) {
    let forms = |state: &M::State, parts| M::executed(case, state, parts);
    walk::<M, _>(reference, case, only, forms, |forms| {
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
        walk::<M, _>(
            &mut *M::reference(),
            case,
            None,
            |state, _| place(state),
            |place| {
                places.push(place);
                if places.len() as u64 == steps {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            },
        );
    }
    places
}

/// Runs the reference over a case, and gives what `sample` takes from the state before each step, while the rules of the
/// step are marked: those of its parts that are given with its number, or all.
pub(crate) fn walk<M: Subject, T>(
    reference: &mut dyn Reference<M>,
    case: &<M as Machine>::Case,
    only: Option<(u64, Parts)>,
    sample: impl Fn(&M::State, Parts) -> T,
    mut each: impl FnMut(T) -> ControlFlow<()>,
) {
    coverage::uncounted(|| {
        if reference.load(case).is_err() {
            return;
        }
        for number in 0.. {
            let only = only.filter(|(step, _)| *step == number);
            let parts = only.map_or(Parts::WHOLE, |(_, parts)| parts);
            let Ok(before) = reference.state().map(|state| sample(state, parts)) else { return };
            coverage::drop_marks();
            let Ok(step) = M::of_parts(parts, || reference.step()) else { return };
            if each(before).is_break() || step != Step::Continue {
                return;
            }
        }
    });
}
