//! The chapters on data types, regions and registers.

pub(super) mod accumulators;
pub(super) mod comparisons;
pub(super) mod compression;
pub(super) mod conditions;
pub(super) mod conversions;
pub(super) mod exceptions;
pub(super) mod floats;
pub(super) mod immediates;
pub(super) mod masks;
pub(super) mod moves;
pub(super) mod operands;
pub(super) mod regions;
pub(super) mod stacks;
