//! The chapters on data types, regions and registers.

pub(super) mod comparisons;
pub(super) mod conditions;
pub(super) mod conversions;
pub(super) mod floats;
pub(super) mod moves;
