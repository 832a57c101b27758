//! Which of a room's functions `integer`, `float` and `compare` is the kernel for an operation: the
//! table that all rooms of kernels have.

/// The kernel for an operation on elements of a type, saturated or not. Returns `None` from the
/// function it stands in if there is none.
macro_rules! choose {
    ($operation:expr, $element:expr, $saturate:expr) => {{
        use $crate::eu::kernel::{
            choice::{of_floats, of_integers},
            element::{Element as E, KernelOperation as K},
        };
        Some(match ($element, $operation) {
            (E::F, K::Compare) => compare::<{ E::F as u8 }>,
            (E::Ud, K::Compare) => compare::<{ E::Ud as u8 }>,
            (E::D, K::Compare) => compare::<{ E::D as u8 }>,
            (E::Uw, K::Compare) => compare::<{ E::Uw as u8 }>,
            (E::W, K::Compare) => compare::<{ E::W as u8 }>,
            (E::F, K::Move) => of_floats!(Move, $saturate),
            (E::F, K::Add) => of_floats!(Add, $saturate),
            (E::F, K::Multiply) => of_floats!(Multiply, $saturate),
            (E::F, K::MultiplyAdd) => of_floats!(MultiplyAdd, $saturate),
            (E::F, K::RoundDown) => of_floats!(RoundDown, $saturate),
            (E::F, K::Fraction) => of_floats!(Fraction, $saturate),
            (_, K::Move) => of_integers!(Move, $element, $saturate),
            (_, K::Select) => of_integers!(Select, $element, $saturate),
            (_, K::Not) => of_integers!(Not, $element, $saturate),
            (_, K::And) => of_integers!(And, $element, $saturate),
            (_, K::Or) => of_integers!(Or, $element, $saturate),
            (_, K::Xor) => of_integers!(Xor, $element, $saturate),
            (_, K::ShiftRight) => of_integers!(ShiftRight, $element, $saturate),
            (_, K::ShiftLeft) => of_integers!(ShiftLeft, $element, $saturate),
            (_, K::ShiftArithmetic) => of_integers!(ShiftArithmetic, $element, $saturate),
            (_, K::Add) => of_integers!(Add, $element, $saturate),
            (_, K::Multiply) => of_integers!(Multiply, $element, $saturate),
            (_, K::MultiplyLowHalf) => of_integers!(MultiplyLowHalf, $element, $saturate),
            (_, K::MultiplyAdd) => of_integers!(MultiplyAdd, $element, $saturate),
            (_, K::Average) => of_integers!(Average, $element, $saturate),
            _ => return None,
        })
    }};
}

/// The kernel for an operation on integers.
macro_rules! of_integers {
    ($operation:ident, $element:expr, $saturate:expr) => {
        match ($element, $saturate) {
            (E::Ud, false) => integer::<{ K::$operation as u8 }, { E::Ud as u8 }, 0>,
            (E::D, false) => integer::<{ K::$operation as u8 }, { E::D as u8 }, 0>,
            (E::Uw, false) => integer::<{ K::$operation as u8 }, { E::Uw as u8 }, 0>,
            (E::W, false) => integer::<{ K::$operation as u8 }, { E::W as u8 }, 0>,
            (E::Ud, true) => integer::<{ K::$operation as u8 }, { E::Ud as u8 }, 1>,
            (E::D, true) => integer::<{ K::$operation as u8 }, { E::D as u8 }, 1>,
            (E::Uw, true) => integer::<{ K::$operation as u8 }, { E::Uw as u8 }, 1>,
            (E::W, true) => integer::<{ K::$operation as u8 }, { E::W as u8 }, 1>,
            (E::F, _) => return None,
        }
    };
}

/// The kernel for an operation on floats.
macro_rules! of_floats {
    ($operation:ident, $saturate:expr) => {
        match $saturate {
            false => float::<{ K::$operation as u8 }, 0>,
            true => float::<{ K::$operation as u8 }, 1>,
        }
    };
}

pub(in crate::eu) use {choose, of_floats, of_integers};
