//! What compilers of programs share: when they compile, and the pages that hold and run what they make.
//!
//! Code is made on Unix systems of x86-64 whose processor has AVX2; everywhere else all is interpreted.

#[cfg(all(test, target_arch = "x86_64", unix))]
pub(crate) mod changes;
#[cfg(all(target_arch = "x86_64", unix))]
mod pages;

use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(all(target_arch = "x86_64", unix))]
pub(crate) use pages::Pages;

/// The most memory that the code of a program may take.
pub(crate) const MOST_BYTES: usize = 4 << 20;

/// When blocks are compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compiling {
    Never,
    /// What has been interpreted so often.
    After(u32),
    /// All, each piece compared at its end with what the interpreter makes of it.
    Checked,
}

impl Compiling {
    /// What is warm, unless that is forbidden.
    pub(crate) fn usual(warm: u32) -> Self {
        match INTERPRETED.load(Ordering::Relaxed) {
            true => Self::Never,
            false => Self::After(warm),
        }
    }

    /// How often a piece is interpreted before it is compiled, if it ever is.
    pub(crate) fn warm(self) -> Option<u32> {
        match self {
            Self::Never => None,
            Self::After(times) => Some(times),
            Self::Checked => Some(0),
        }
    }
}

static INTERPRETED: AtomicBool = AtomicBool::new(false);

/// Makes executors created from now on interpret everything they are not explicitly told to compile.
pub fn interpret_all_blocks() {
    INTERPRETED.store(true, Ordering::Relaxed);
}

/// Why this process cannot, or must not, compile programs, in a few words; `None` if it compiles them.
/// Without machine code a test of the compiler compares the interpreter with itself.
#[must_use]
pub fn why_not_compiling() -> Option<String> {
    if INTERPRETED.load(Ordering::Relaxed) {
        return Some("the executor was told to interpret all blocks".to_owned());
    }
    platform::refusal()
}

#[cfg(all(target_arch = "x86_64", unix))]
mod platform {
    use super::Pages;
    use crate::simd::Avx2;

    /// Why no machine code can run here: found by trying.
    pub(super) fn refusal() -> Option<String> {
        let Some(proof) = Avx2::detect() else {
            return Some("machine code needs a processor with AVX2".to_owned());
        };
        Pages::try_new(proof, &[RETURN])
            .err()
            .map(|error| format!("the system allows no executable pages: {error}"))
    }

    /// The instruction `ret`.
    const RETURN: u8 = 0xC3;
}

#[cfg(not(all(target_arch = "x86_64", unix)))]
mod platform {
    /// Why no machine code can run here.
    pub(super) fn refusal() -> Option<String> {
        Some("machine code is only made on Unix systems of x86-64".to_owned())
    }
}
