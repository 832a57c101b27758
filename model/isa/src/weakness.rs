//! What an engine is known to compute otherwise than the manual says.

use std::collections::BTreeMap;

/// Classes of results that an engine does not claim to have right. They are not compared where they are not the
/// reference's: what is computed from them starts from what the engine has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Weaknesses {
    /// Floats that are denormal, or computed from such: it keeps them where the machine flushes them, or the reverse.
    pub denormals: bool,
    /// Which NaN a result is.
    pub nan_payloads: bool,
    /// Minimum and maximum where a source is a NaN.
    pub nan_comparisons: bool,
    /// Integers of floats that are out of their range, or a NaN.
    pub conversions: bool,
    /// Functions by mnemonic, and how many units in the last place their binary32 results may be off.
    pub approximations: BTreeMap<String, u32>,
}

impl Weaknesses {
    /// The classes by the names that engines give them, and what each is.
    pub const NAMES: [(&str, &str); 4] = [
        ("denormals", "floats that are denormal, or computed from such"),
        ("nan-payloads", "which NaN a result is"),
        ("nan-comparisons", "minimum and maximum where a source is a NaN"),
        ("conversions", "integers of floats that are out of their range, or a NaN"),
    ];

    /// Those of some names; `None` if one is unknown.
    #[must_use]
    pub fn named<'n>(names: impl IntoIterator<Item = &'n str>) -> Option<Self> {
        let mut weaknesses = Self::default();
        for name in names {
            let class = match name {
                "denormals" => &mut weaknesses.denormals,
                "nan-payloads" => &mut weaknesses.nan_payloads,
                "nan-comparisons" => &mut weaknesses.nan_comparisons,
                "conversions" => &mut weaknesses.conversions,
                _ => return None,
            };
            *class = true;
        }
        Some(weaknesses)
    }

    /// What one engine or another does not claim to have right; of approximations the larger bound.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        let mut approximations = self.approximations.clone();
        for (name, units) in &other.approximations {
            let most = approximations.entry(name.clone()).or_default();
            *most = (*most).max(*units);
        }
        Self {
            denormals: self.denormals || other.denormals,
            nan_payloads: self.nan_payloads || other.nan_payloads,
            nan_comparisons: self.nan_comparisons || other.nan_comparisons,
            conversions: self.conversions || other.conversions,
            approximations,
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_either_lacks_is_not_claimed_of_both() {
        let with = |names: &[&str], approximations: &[(&str, u32)]| {
            let approximations =
                approximations.iter().map(|(name, most)| ((*name).to_owned(), *most));
            let named = Weaknesses::named(names.iter().copied()).expect("there are such");
            Weaknesses { approximations: approximations.collect(), ..named }
        };
        let one = with(&["denormals"], &[("exp", 2), ("log", 1)]);
        let other = with(&["conversions"], &[("log", 4), ("sin", 8)]);
        let both = with(&["denormals", "conversions"], &[("exp", 2), ("log", 4), ("sin", 8)]);
        assert_eq!((one.joined(&other), other.joined(&one)), (both.clone(), both));
    }
}
