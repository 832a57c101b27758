//! What an engine that wraps another one says as the other does.

/// What an engine says of itself: whether it stops within a case, and what it does not have or not claim to have right.
/// For an `impl Engine<M>`; the field has the engine inside.
macro_rules! forward_claims {
    ($inner:ident) => {
        fn stops_within(&self, case: &M::Case) -> bool {
            self.$inner.stops_within(case)
        }

        fn weaknesses(&self) -> Option<&parallax_isa::Weaknesses> {
            self.$inner.weaknesses()
        }

        fn lacks(&self) -> &[std::ops::Range<usize>] {
            self.$inner.lacks()
        }
    };
}

/// All that a reference says of a step. For an `impl Reference<M>`; the field has the reference inside.
macro_rules! forward_reference {
    ($inner:ident) => {
        fn expectations(&self) -> &[parallax_isa::Expectation] {
            self.$inner.expectations()
        }

        fn is_exact(&self) -> bool {
            self.$inner.is_exact()
        }

        fn written(&self) -> Option<&[std::ops::Range<usize>]> {
            self.$inner.written()
        }
    };
}

pub(crate) use {forward_claims, forward_reference};
