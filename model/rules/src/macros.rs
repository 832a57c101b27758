//! Conditions on steps of exact quotients and roots (Gen9).

use std::ops::Deref;

use parallax_isa::eu::{
    DataType,
    Opcode::Madm,
    instruction::MathFunction,
    operand::{DestinationRegion, Region, Source},
};
use parallax_reference::eu::{MacroChannel, MacroStep};

use crate::element::Element;

/// The code of no macro register.
const NONE: u8 = 8;
/// The bits of `cr0.0` that keep denormals of HF, F and DF.
pub(crate) const KEEPS_DENORMALS: u32 = 0x4C0;

/// A step that was executed.
#[derive(Clone, Copy)]
pub(crate) struct Macro<'a>(pub(crate) &'a MacroStep<'a>);

impl<'a> Deref for Macro<'a> {
    type Target = MacroStep<'a>;

    fn deref(&self) -> &MacroStep<'a> {
        self.0
    }
}

impl Macro<'_> {
    pub(crate) fn any(self, condition: impl Fn(&MacroChannel) -> bool) -> bool {
        self.channels.iter().any(condition)
    }

    pub(crate) fn data_type(self) -> DataType {
        self.instruction.destination.data_type
    }

    pub(crate) fn is_first(self) -> bool {
        self.instruction.opcode != Madm
    }

    pub(crate) fn is_root(self) -> bool {
        self.instruction.math == Some(MathFunction::Rsqtm)
    }

    /// Whether the result goes to a general register alone.
    pub(crate) fn is_last(self) -> bool {
        self.instruction.destination.region == DestinationRegion::ChannelEnable(NONE)
    }

    /// Whether a source is a number of a macro register.
    pub(crate) fn is_wide(self, index: usize) -> bool {
        let Source::Register { region: Region::Align16 { swizzle, .. }, .. } =
            self.instruction.sources[index]
        else {
            return false;
        };
        swizzle[0] + 4 * swizzle[1] < NONE
    }

    pub(crate) fn reads_wide(self) -> bool {
        (0..3).any(|index| self.is_wide(index))
    }

    /// An element of a general register, of the type that it computes in.
    pub(crate) fn element(self, bits: u64) -> Element {
        Element { bits, data_type: self.data_type() }
    }

    pub(crate) fn result(self, channel: &MacroChannel) -> Element {
        self.element(channel.result)
    }

    /// Whether a channel reads an ordinary number that is a denormal.
    pub(crate) fn reads_denormal(self, channel: &MacroChannel) -> bool {
        let sources = self.instruction.math.map_or(3, MathFunction::sources);
        (0..sources)
            .any(|index| !self.is_wide(index) && self.element(channel.sources[index]).is_denormal())
    }

    /// Whether a macro register has digits or an exponent that the general one beside it lacks.
    pub(crate) fn reads_more(self, channel: &MacroChannel) -> bool {
        channel.is_wider.contains(&true)
    }

    pub(crate) fn has_number(self, channel: &MacroChannel) -> bool {
        let result = self.result(channel);
        result.is_finite() && !result.is_zero()
    }
}
