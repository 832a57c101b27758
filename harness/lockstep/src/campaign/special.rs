//! Differences that have a cause of their own, whatever the instruction: values of floats that manuals have sentences
//! about, and accumulators, which most instructions update alike beside their results.

/// Types of floats, as places name them, with the bits of their fraction and of their exponent.
const FLOATS: [(&str, u32, u32); 3] = [("f", 23, 8), ("hf", 10, 5), ("df", 52, 11)];

/// A difference that instructions have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Special {
    /// Zeros of the two signs.
    SignOfZero,
    /// An infinity where the other engine has a number.
    Infinity,
    /// A denormal where the other engine has zero.
    Denormal,
    /// An accumulator, though the result is right.
    Accumulator,
}

impl Special {
    pub(super) const ALL: [Self; 4] =
        [Self::SignOfZero, Self::Infinity, Self::Denormal, Self::Accumulator];

    /// That of a place such as `r4.3:f`, the first that differs, with two values such as `-1.5 bfc00000`.
    pub(super) fn of(place: &str, values: [&str; 2]) -> Option<Self> {
        if place.starts_with("acc") {
            return Some(Self::Accumulator);
        }
        let (_, of_place) = place.rsplit_once(':')?;
        let (_, fraction, exponent) = FLOATS.into_iter().find(|(name, ..)| *name == of_place)?;
        let bits = |value: &str| u64::from_str_radix(value.rsplit(' ').next()?, 16).ok();
        let magnitude = (1 << (fraction + exponent)) - 1;
        let infinity = ((1 << exponent) - 1) << fraction;
        let mut magnitudes = [bits(values[0])? & magnitude, bits(values[1])? & magnitude];
        magnitudes.sort_unstable();
        match magnitudes {
            [0, 0] => Some(Self::SignOfZero),
            [0, larger] if larger < 1 << fraction => Some(Self::Denormal),
            [smaller, larger] if smaller < larger && larger == infinity => Some(Self::Infinity),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::signs("r7.0:f", ["-0 80000000", "0 00000000"], Some(Special::SignOfZero))]
    #[case::signs_of_halves("r7.3:hf", ["-0 8000", "0 0000"], Some(Special::SignOfZero))]
    #[case::flushed("r7.0:f", ["0 00000000", "1e-45 00000001"], Some(Special::Denormal))]
    #[case::not_flushed("r7.1:df", ["4e-320 0000000000001fa0", "0 0000000000000000"], Some(Special::Denormal))]
    #[case::overflow("m3.0:f", ["-inf ff800000", "-3.4028235e38 ff7fffff"], Some(Special::Infinity))]
    #[case::the_least_normal("r7.0:f", ["0 00000000", "1.1754944e-38 00800000"], None)]
    #[case::infinities("r7.0:f", ["inf 7f800000", "-inf ff800000"], None)]
    #[case::no_number("r7.0:f", ["inf 7f800000", "nan 7fc00000"], None)]
    #[case::integers("r7.0:d", ["0 00000000", "1 00000001"], None)]
    #[case::accumulator("acc0[3]", ["406fe0", "000000"], Some(Special::Accumulator))]
    #[case::no_type("f0.0", ["none 0000", "0 0001"], None)]
    #[case::no_bits("r7.0:f", ["anything", "0 00000000"], None)]
    fn differences_are_sorted(
        #[case] place: &str,
        #[case] values: [&str; 2],
        #[case] special: Option<Special>,
    ) {
        assert_eq!(Special::of(place, values), special);
    }
}
