//! Steps of exact quotients and roots (Gen9).

use std::ops::Deref;

use parallax_isa::eu::{
    DataType,
    Opcode::Madm,
    instruction::{MathFunction, PredicateControl},
    operand::{DestinationRegion, Region, Source},
};
use parallax_reference::eu::{MacroChannel, MacroStep};

use crate::{
    Rule,
    element::Element,
    rule::{Decides, macro_step},
};

/// The code of no macro register.
const NONE: u8 = 8;
/// The bits of `cr0.0` that keep denormals of HF, F and DF.
const KEEPS_DENORMALS: u32 = 0x4C0;

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
    fn any(self, condition: impl Fn(&MacroChannel) -> bool) -> bool {
        self.channels.iter().any(condition)
    }

    fn data_type(self) -> DataType {
        self.instruction.destination.data_type
    }

    fn is_first(self) -> bool {
        self.instruction.opcode != Madm
    }

    fn is_root(self) -> bool {
        self.instruction.math == Some(MathFunction::Rsqtm)
    }

    /// Whether the result goes to a general register alone.
    fn is_last(self) -> bool {
        self.instruction.destination.region == DestinationRegion::ChannelEnable(NONE)
    }

    /// Whether a source is a number of a macro register.
    fn is_wide(self, index: usize) -> bool {
        let Source::Register { region: Region::Align16 { swizzle, .. }, .. } =
            self.instruction.sources[index]
        else {
            return false;
        };
        swizzle[0] + 4 * swizzle[1] < NONE
    }

    fn reads_wide(self) -> bool {
        (0..3).any(|index| self.is_wide(index))
    }

    /// An element of a general register, of the type that it computes in.
    fn element(self, bits: u64) -> Element {
        Element { bits, data_type: self.data_type() }
    }

    fn result(self, channel: &MacroChannel) -> Element {
        self.element(channel.result)
    }

    /// Whether a channel reads an ordinary number that is a denormal.
    fn reads_denormal(self, channel: &MacroChannel) -> bool {
        let sources = self.instruction.math.map_or(3, MathFunction::sources);
        (0..sources)
            .any(|index| !self.is_wide(index) && self.element(channel.sources[index]).is_denormal())
    }

    /// Whether a macro register has digits or an exponent that the general one beside it lacks.
    fn reads_more(self, channel: &MacroChannel) -> bool {
        channel.is_wider.contains(&true)
    }

    fn has_number(self, channel: &MacroChannel) -> bool {
        let result = self.result(channel);
        result.is_finite() && !result.is_zero()
    }
}

/// Whether it ends a sequence with a number that no step before it had.
fn ends_exactly(m: Macro) -> bool {
    m.is_last() && m.reads_wide() && m.any(|channel| m.has_number(channel))
}

pub(super) const RULES: &[Rule] = &[
    macro_step("gen9.msg.macro.encoding", |_| true).unconditional(),
    macro_step("gen9.msg.macro.pair", |m| m.any(|channel| m.reads_more(channel))),
    macro_step("gen9.msg.macro.madm", |m| !m.is_first() && m.any(|channel| m.has_number(channel))),
    macro_step("gen9.msg.macro.precision", |m| {
        m.is_last() && m.any(|channel| m.reads_more(channel) && m.has_number(channel))
    }),
    macro_step("gen9.msg.macro.approx", |m| m.is_first() && m.any(|channel| !channel.is_final)),
    macro_step("gen9.msg.macro.final", ends_exactly),
    macro_step("gen9.msg.macro.eo", |m| m.is_first() && !m.channels.is_empty())
        .decides_of(Decides::Flags),
    macro_step("gen9.msg.macro.eo-rsqtm", |m| {
        m.is_root() && m.any(|channel| channel.is_final && !m.result(channel).is_nan())
    }),
    macro_step("gen9.msg.macro.eo-denorm", |m| {
        m.is_first() && m.any(|channel| m.reads_denormal(channel))
    }),
    macro_step("gen9.msg.macro.ifs", |m| {
        let is_predicated = m.instruction.predicate.control != PredicateControl::None;
        !m.is_first() && is_predicated && m.any(|channel| m.has_number(channel))
    }),
    macro_step("gen9.msg.macro.modes", |m| {
        let is_denormal = |channel: &MacroChannel| {
            m.reads_denormal(channel) || m.is_last() && m.result(channel).is_denormal()
        };
        m.control & KEEPS_DENORMALS == KEEPS_DENORMALS && m.any(is_denormal)
    }),
];
