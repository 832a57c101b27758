//! Enumerations whose members have a code, a name of the manual and a rule.

/// A code that stands for nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code} is no {what}; the codes are {known}")]
pub struct ReservedCode {
    /// The enumeration.
    pub what: &'static str,
    /// The code.
    pub code: u32,
    /// The codes there are.
    pub known: String,
}

/// A name that stands for nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is no {what}; the names are {known}")]
pub struct UnknownName {
    /// The enumeration.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// The names there are.
    pub known: String,
}

/// Declares an enumeration of the manual, whose names and rules begin alike: a row a member,
/// `Member = code, "rest of the name", "rest of the rule", "what it does";`.
macro_rules! coded {
    (
        $(#[$outer:meta])*
        pub enum $type:ident($what:literal, $names:literal, $rules:literal) {
            $($member:ident = $code:literal, $name:literal, $rule:literal, $does:literal;)*
        }
    ) => {
        $(#[$outer])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize,
            serde::Deserialize,
        )]
        #[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
        pub enum $type {
            $(#[doc = $does] $member = $code,)*
        }

        impl $type {
            /// Every member, by code.
            pub const ALL: &[Self] = &[$(Self::$member),*];

            /// Its code.
            #[must_use]
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// The manual's name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$member => concat!($names, $name),)*
                }
            }

            /// The rule that says what it does.
            #[must_use]
            pub const fn rule(self) -> parallax_spec::RuleId {
                match self {
                    $(Self::$member => parallax_spec::rule_id!(concat!($rules, $rule)),)*
                }
            }

            /// The member of a code.
            ///
            /// # Errors
            /// If the code is reserved.
            pub fn from_code(code: u32) -> Result<Self, $crate::surface::coded::ReservedCode> {
                let found = Self::ALL.iter().copied().find(|m| u32::from(m.code()) == code);
                found.ok_or_else(|| $crate::surface::coded::ReservedCode {
                    what: $what,
                    code,
                    known: Self::ALL.iter().map(|m| m.code().to_string()).collect::<Vec<_>>().join(", "),
                })
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::surface::coded::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                let found = Self::ALL.iter().copied().find(|m| m.name().eq_ignore_ascii_case(name));
                found.ok_or_else(|| $crate::surface::coded::UnknownName {
                    what: $what,
                    name: name.to_owned(),
                    known: Self::ALL.iter().map(|m| m.name()).collect::<Vec<_>>().join(", "),
                })
            }
        }
    };
}

pub(super) use coded;
