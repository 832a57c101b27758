//! Where an ALU source operand comes from: the selects of table 4.1.

/// A source select.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Source {
    /// General register 0 to 127.
    Gpr(u8),
    /// Constant 0 to 31 of locked set 0 or 1 of the constant cache.
    Kcache(u8, u8),
    /// Register 0 to 255 of the constant file.
    Constant(u8),
    /// A constant of the instruction set.
    Inline(Inline),
    /// The literal dword that the element names.
    Literal,
    /// Element of the previous vector result.
    PreviousVector,
    /// The previous scalar result.
    PreviousScalar,
}

/// A constant of the instruction set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Inline {
    /// Low dword of the double 1.0.
    OneDoubleLow,
    /// High dword of the double 1.0.
    OneDoubleHigh,
    /// Low dword of the double 0.5.
    HalfDoubleLow,
    /// High dword of the double 0.5.
    HalfDoubleHigh,
    /// 0, float or integer.
    Zero,
    /// 1.0.
    One,
    /// Integer 1.
    OneInteger,
    /// Integer -1.
    MinusOneInteger,
    /// 0.5.
    Half,
}

impl Inline {
    const ALL: [Self; 9] = [
        Self::OneDoubleLow,
        Self::OneDoubleHigh,
        Self::HalfDoubleLow,
        Self::HalfDoubleHigh,
        Self::Zero,
        Self::One,
        Self::OneInteger,
        Self::MinusOneInteger,
        Self::Half,
    ];
}

/// First select of an inline constant.
const FIRST_INLINE: u32 = 244;

impl Source {
    /// The source of a select; `None` for the selects 192 to 243, which the manual leaves undefined,
    /// and for what does not fit in nine bits.
    #[must_use]
    pub fn of(select: u32) -> Option<Self> {
        Some(match select {
            0..=127 => Self::Gpr(select as u8),
            128..=191 => Self::Kcache((select - 128) as u8 / 32, (select - 128) as u8 % 32),
            FIRST_INLINE..=252 => Self::Inline(Inline::ALL[(select - FIRST_INLINE) as usize]),
            253 => Self::Literal,
            254 => Self::PreviousVector,
            255 => Self::PreviousScalar,
            256..=511 => Self::Constant((select - 256) as u8),
            _ => return None,
        })
    }

    /// Its select.
    #[must_use]
    pub fn select(self) -> u32 {
        match self {
            Self::Gpr(number) => u32::from(number),
            Self::Kcache(set, number) => 128 + 32 * u32::from(set) + u32::from(number),
            Self::Inline(inline) => FIRST_INLINE + inline as u32,
            Self::Literal => 253,
            Self::PreviousVector => 254,
            Self::PreviousScalar => 255,
            Self::Constant(number) => 256 + u32::from(number),
        }
    }

    /// Whether it is an address that relative addressing can change.
    #[must_use]
    pub const fn is_address(self) -> bool {
        matches!(self, Self::Gpr(_) | Self::Kcache(..) | Self::Constant(_))
    }

    /// Whether it is a constant of any kind.
    #[must_use]
    pub const fn is_constant(self) -> bool {
        matches!(self, Self::Kcache(..) | Self::Constant(_) | Self::Inline(_) | Self::Literal)
    }
}

#[cfg(test)]
mod tests {
    use parallax_spec::tables::r700::SourceSelect;

    use super::*;

    #[test]
    fn every_select_is_its_source_s() {
        for select in 0..512 {
            match Source::of(select) {
                Some(source) => assert_eq!(source.select(), select),
                None => assert!((192..=243).contains(&select)),
            }
        }
        assert_eq!(Source::of(512), None);
    }

    #[test]
    fn selects_are_the_manual_s() {
        for row in SourceSelect::all() {
            let class = match Source::of(row.code) {
                Some(Source::Gpr(_)) => "gpr",
                Some(Source::Kcache(..)) => "kcache",
                Some(Source::Constant(_)) => "cfile",
                Some(Source::Inline(_)) => "inline",
                Some(Source::Literal) => "literal",
                Some(Source::PreviousVector | Source::PreviousScalar) => "previous",
                None => "undefined",
            };
            assert_eq!(class, row.class, "{}", row.name);
        }
    }
}
