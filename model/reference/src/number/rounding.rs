//! Rounding modes, and the one place where digits are dropped.

/// Which of the two neighbours of an exact value is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// The nearest, of two the even one.
    NearestEven,
    /// The nearest, of two the one of larger magnitude.
    NearestAway,
    /// The one above.
    Up,
    /// The one below.
    Down,
    /// The one of smaller magnitude.
    TowardZero,
}

/// A magnitude without its low digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut {
    /// What is left, rounded.
    pub(crate) kept: u128,
    /// Whether something not zero was dropped.
    pub(crate) inexact: bool,
}

impl Rounding {
    /// Drops the last `places` binary digits of a magnitude. `sticky` says that the magnitude is
    /// larger by less than one unit of its last place, which needs `places` of two at least to
    /// round to nearest.
    #[inline]
    pub(crate) fn cut(self, magnitude: u128, places: u32, sticky: bool, negative: bool) -> Cut {
        let (kept, rest) = match places {
            0 => (magnitude, 0),
            1..128 => (magnitude >> places, magnitude & ((1 << places) - 1)),
            _ => (0, magnitude),
        };
        let inexact = rest != 0 || sticky;
        // A half needs 129 digits where more than all are dropped: then less than half is left.
        let half = (1..=128).contains(&places).then(|| 1 << (places - 1));
        let up = inexact
            && match self {
                Self::NearestEven => half
                    .is_some_and(|half| rest > half || rest == half && (sticky || kept & 1 == 1)),
                Self::NearestAway => half.is_some_and(|half| rest >= half),
                Self::Up => !negative,
                Self::Down => negative,
                Self::TowardZero => false,
            };
        Cut { kept: kept + u128::from(up), inexact }
    }

    /// Whether a result beyond the largest finite number of its format becomes infinite.
    pub(crate) const fn overflows_to_infinity(self, negative: bool) -> bool {
        match self {
            Self::NearestEven | Self::NearestAway => true,
            Self::Up => !negative,
            Self::Down => negative,
            Self::TowardZero => false,
        }
    }
}
