//! What the executor knows of an ALU operation: one row each, in the files beside this one.

use crate::r700::simd::{Forms, Kernel, Pair};

/// Codes of the format with at most two sources.
pub(in crate::r700) const OP2: u16 = 0;
/// Codes of the format with three sources, in one number space with the others.
pub(in crate::r700) const OP3: u16 = 0x100;

/// An operation.
pub(in crate::r700) struct Operation {
    /// Name in the manual.
    pub(in crate::r700) name: &'static str,
    /// `ALU_INST`, with [`OP3`] in the format with three sources.
    pub(in crate::r700) code: u16,
    pub(in crate::r700) units: Units,
    /// Sources it reads.
    pub(in crate::r700) sources: usize,
    pub(in crate::r700) delivers: Delivers,
    pub(in crate::r700) role: Role,
    pub(in crate::r700) work: Work,
}

/// An operation is its row.
impl PartialEq for Operation {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Eq for Operation {}

impl std::fmt::Debug for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Units that can run an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) enum Units {
    Any,
    Vector,
    Trans,
}

/// What a result is: output modifier and clamp apply to floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) enum Delivers {
    Float,
    Double,
    Integer,
}

/// What an operation does beside its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) enum Role {
    Plain,
    /// Kills the pixels for which its result is not zero.
    Kill,
    /// Computes a predicate.
    Predicate(Executes),
}

/// For which pixels a predicate setter says execute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) enum Executes {
    /// Where its result is 0.0.
    Zero,
    /// Where src0 is not above src1: their difference may be 0.0 all the same.
    NotAbove,
    /// Where its result and the counter in src0 are 0.0: the counter may get there by itself.
    ZeroFromZero,
}

/// What an operation computes.
#[derive(Clone, Copy)]
pub(in crate::r700) enum Work {
    /// A result from the sources of its slot, in each profile.
    Lane {
        manual: fn() -> Forms<Kernel>,
        silicon: fn() -> Forms<Kernel>,
    },
    MoveAddress(MoveAddress),
    Nop,
    /// All four vector slots: ((w + z) + y) + x.
    Dot4 {
        ieee: bool,
    },
    /// All four vector slots.
    Cube,
    /// All four vector slots.
    Max4,
    /// X and Y, or Z and W: high words in the even slot, low words in the odd one.
    TwoSlots(fn() -> Forms<Pair>),
    /// All four vector slots: high words in X, low words in W, the result in both pairs.
    FourSlots(fn() -> Forms<Pair>),
    /// All four vector slots: high word in X, low word in Y, exponent to Y, fraction to Z and W.
    Frexp,
    /// The manual does not say.
    Undefined,
}

impl Work {
    /// Vector slots it takes together.
    pub(in crate::r700) fn width(self) -> usize {
        match self {
            Self::Lane { .. } | Self::MoveAddress(_) | Self::Nop | Self::Undefined => 1,
            Self::TwoSlots(_) => 2,
            Self::Dot4 { .. } | Self::Cube | Self::Max4 | Self::FourSlots(_) | Self::Frexp => 4,
        }
    }
}

/// The MOVA instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) enum MoveAddress {
    Nearest,
    Floor,
    Integer,
}

/// Makes a kernel of an expression on the sources of one pixel.
macro_rules! kernel {
    (| $($a:ident $(, $b:ident $(, $c:ident)?)?)? | $body:expr) => {{
        struct Code;
        impl $crate::r700::simd::LaneKernel for Code {
            #[inline(always)]
            fn run(
                sources: &[&$crate::r700::simd::Lanes; 3],
                out: &mut $crate::r700::simd::Lanes,
            ) {
                for (pixel, out) in out.iter_mut().enumerate() {
                    $(
                        let $a = sources[0][pixel];
                        $(
                            let $b = sources[1][pixel];
                            $(let $c = sources[2][pixel];)?
                        )?
                    )?
                    let _ = (sources, pixel);
                    *out = $body;
                }
            }
        }
        $crate::r700::simd::kernel::<Code>
    }};
}

/// The first one, unless there is a second one.
macro_rules! last {
    ($first:expr) => {
        $first
    };
    ($first:expr, $second:expr) => {
        $second
    };
}

/// Defines operations whose result in a slot is an expression on the slot's sources: name, format and
/// code, units, what the result is, role; the expression; what shipped chips compute if it is
/// something else.
macro_rules! operations {
    ($($name:ident: $format:ident $code:literal, $units:ident, $delivers:ident, $role:expr =>
        | $($a:ident $(, $b:ident $(, $c:ident)?)?)? | $body:expr
        $(, silicon | $x:ident $(, $y:ident)? | $silicon:expr)?;)*) => {
        /// The operations of this file.
        pub(super) static OPERATIONS: &[Operation] = &[$({
            use $crate::r700::alu::operation::{Delivers, OP2, OP3, Units, Work};
            const _: [u16; 2] = [OP2, OP3];
            let manual = kernel!(| $($a $(, $b $(, $c)?)?)? | $body);
            Operation {
                name: stringify!($name),
                code: $format + $code,
                units: Units::$units,
                sources: <[&str]>::len(&[
                    $(stringify!($a), $(stringify!($b), $(stringify!($c))?)?)?
                ]),
                delivers: Delivers::$delivers,
                role: $role,
                work: Work::Lane {
                    manual,
                    silicon: last!(manual $(, kernel!(| $x $(, $y)? | $silicon))?),
                },
            }
        }),*];
    };
}

pub(super) use {kernel, last, operations};
