//! The table of messages: what each needs, and how often it is chosen.

use crate::random::SplitMix64;

/// What a message does, as far as that matters to what it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Sample,
    Compare,
    Load,
    Size,
}

/// Parameters of a message, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    U,
    V,
    R,
    Bias,
    Lod,
    Reference,
    /// A step in direction 0, 1 or 2.
    Step(usize),
    Unused,
}

/// A row of the table of messages: type, registers behind the header, registers of the reply, lanes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub(super) code: u32,
    pub(super) replies: usize,
    pub(super) lanes: usize,
    pub(super) kind: Kind,
    pub(super) slots: &'static [Slot],
}

use Kind::{Compare, Load, Sample, Size};
use Slot::{Bias, Lod, R, Reference, Step, U, Unused, V};

const fn form(code: u32, replies: usize, lanes: usize, kind: Kind, slots: &'static [Slot]) -> Form {
    Form { code, replies, lanes, kind, slots }
}

const FORMS: [Form; 24] = [
    form(3, 8, 16, Load, &[U]),
    form(3, 8, 16, Load, &[U, V]),
    form(3, 8, 16, Load, &[U, V, R]),
    form(3, 8, 16, Load, &[U, V, R, Lod]),
    form(3, 4, 8, Load, &[U, V, R]),
    form(3, 1, 2, Load, &[U, V, R, Lod]),
    form(2, 8, 16, Size, &[Lod]),
    form(2, 1, 2, Size, &[Unused, Unused, Unused, Lod]),
    form(0, 8, 16, Sample, &[U]),
    form(0, 8, 16, Sample, &[U, V]),
    form(0, 8, 16, Sample, &[U, V, R]),
    form(0, 4, 8, Sample, &[U, V, R]),
    form(1, 5, 8, Sample, &[U, V, R]),
    form(0, 8, 16, Sample, &[U, V, R, Bias]),
    form(1, 8, 16, Sample, &[U, V, R, Lod]),
    form(1, 1, 2, Sample, &[U, V, R, Lod]),
    form(2, 8, 16, Compare, &[U, V, R, Reference]),
    form(0, 1, 2, Compare, &[U, V, R, Reference]),
    form(0, 4, 8, Compare, &[U, V, R, Bias, Reference]),
    form(1, 4, 8, Compare, &[U, V, R, Lod, Reference]),
    form(1, 1, 2, Compare, &[U, V, R, Lod, Reference]),
    form(2, 4, 8, Sample, &[U, V, Step(0), Step(1), Step(0), Step(1)]),
    form(2, 4, 8, Sample, &[U, V, R, Step(0), Step(1), Step(2), Step(0), Step(1), Step(2)]),
    form(
        2,
        1,
        2,
        Sample,
        &[U, V, R, Unused, Step(0), Step(1), Step(2), Unused, Step(0), Step(1), Step(2)],
    ),
];

/// How often each of them is chosen is the same, but for these that come twice.
const TWICE: [usize; 6] = [3, 14, 15, 11, 12, 16];

impl Form {
    /// One of them that a device has.
    pub(super) fn new(is_early: bool, random: &mut SplitMix64) -> Self {
        let number = random.below((FORMS.len() + TWICE.len()) as u64) as usize;
        let form = FORMS[if number < FORMS.len() { number } else { TWICE[number - FORMS.len()] }];
        match form.kind {
            // Not allowed there.
            Compare if is_early && form.lanes == 2 && form.has_lod() => FORMS[19],
            _ => form,
        }
    }

    /// One of those that are sent most: a flat map sampled or loaded, with nothing but its coordinates.
    pub(super) fn usual(random: &mut SplitMix64) -> Self {
        let is_usual = |form: &&Form| {
            let is_flat = matches!(form.slots, [U, V] | [U, V, R]) && form.replies >= 4;
            is_flat && matches!(form.kind, Sample | Load) && !form.tells_kills()
        };
        let usual: Vec<_> = FORMS.iter().filter(is_usual).collect();
        *random.pick(&usual)
    }

    /// Whether steps are in the message.
    pub(super) fn has_steps(&self) -> bool {
        self.slots.contains(&Step(0))
    }

    /// Whether it needs Force LOD to Zero.
    pub(super) fn needs_zero(&self) -> bool {
        self.kind == Kind::Compare && self.lanes == 2 && !self.has_lod()
    }

    /// Whether pixels that a chroma key kills are in the reply.
    pub(super) fn tells_kills(&self) -> bool {
        self.replies == 5
    }

    /// Whether a level of detail is.
    pub(super) fn has_lod(&self) -> bool {
        self.slots.contains(&Lod)
    }

    /// Whether it samples with fewer than three coordinates.
    pub(super) fn is_flat(&self) -> bool {
        self.kind == Sample && !self.slots.contains(&R)
    }
}
