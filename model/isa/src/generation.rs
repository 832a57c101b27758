//! Generations of Intel execution units.

/// A generation of execution units: a column of the tables `eu-*` of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Generation {
    /// 965 and 965GM.
    Gen4,
    /// GM45 and G45, printed as Gen4.5.
    Gen45,
    /// Ivy Bridge.
    Gen7,
    /// Haswell, printed as Gen7.5.
    Gen75,
    /// Broadwell.
    Gen8,
    /// Skylake.
    Gen9,
    /// Gen12LP.
    Gen12,
}

impl Generation {
    /// Every generation, the oldest first.
    pub const ALL: [Self; 7] =
        [Self::Gen4, Self::Gen45, Self::Gen7, Self::Gen75, Self::Gen8, Self::Gen9, Self::Gen12];

    /// How many there are: the length of whatever has a column for each.
    pub const COUNT: usize = Self::ALL.len();

    /// Name in running text: `Gen7.5`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gen4 => "Gen4",
            Self::Gen45 => "Gen4.5",
            Self::Gen7 => "Gen7",
            Self::Gen75 => "Gen7.5",
            Self::Gen8 => "Gen8",
            Self::Gen9 => "Gen9",
            Self::Gen12 => "Gen12",
        }
    }
}

impl std::fmt::Display for Generation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}
