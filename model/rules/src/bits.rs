//! Conditions on bit fields and counts of bits, which the documents state alike.

use crate::step::Step;

/// The low five bits of an integer: a width or an offset of a field.
pub(crate) fn low_five(integer: i128) -> u32 {
    integer as u32 & 0x1F
}

/// `bfi2` without a mask, where a field would be inserted.
pub(crate) fn inserts_nothing(step: Step) -> bool {
    step.any(|c| c.are(|[mask, field, _]| mask == 0 && field != 0))
}

/// `bfrev` of bits that are others in the opposite order.
pub(crate) fn reverses(step: Step) -> bool {
    step.any(|c| c.are(|[bits]| (bits as u32).reverse_bits() != bits as u32))
}

/// `cbit` of several ones.
pub(crate) fn counts_several(step: Step) -> bool {
    step.any(|c| c.are(|[bits]| (bits as u32).count_ones() > 1))
}

/// `fbl` of an integer whose lowest bit is no one.
pub(crate) fn searches_upwards(step: Step) -> bool {
    step.any(|c| c.are(|[bits]| bits & 1 == 0))
}

/// A search for a one in zero.
pub(crate) fn searches_zero(step: Step) -> bool {
    step.any(|c| c.are(|[bits]| bits == 0))
}
