//! Tokens that prove what the processor has, and work compiled for it.
//!
//! A token can only be had from `detect`. Code that is compiled for an instruction set is reached
//! through the token of that set alone, so that code the processor cannot run cannot be chosen.
#![allow(unsafe_code)]

use std::sync::OnceLock;

/// The processor has AVX2, and the fused sums of products and conversions of half floats that all but the
/// rarest with it have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2(Proof);

/// The processor has AVX-512 F, BW, DQ and VL.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512(Proof);

/// The instruction sets that kernels of surfaces and R700 are compiled for, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// What any processor of the kind has.
    Portable,
    /// AVX2.
    Avx2,
    /// AVX-512 F, BW, DQ and VL.
    Avx512,
}

/// An instruction set that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InstructionSetError {
    /// The processor does not have it.
    #[error("this processor does not have {}; it has {}", .0.name(), InstructionSet::best().name())]
    Missing(InstructionSet),
    /// Another one is in use already.
    #[error("kernels for {} are in use already", .0.name())]
    Late(InstructionSet),
}

/// The best one that may be used, where that was said.
static LIMIT: OnceLock<InstructionSet> = OnceLock::new();

impl InstructionSet {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// The best that the processor has.
    fn best() -> Self {
        match (Avx512::is_there(), Avx2::is_there()) {
            (true, _) => Self::Avx512,
            (false, true) => Self::Avx2,
            (false, false) => Self::Portable,
        }
    }

    /// The one that kernels are chosen for from now on: the best that the processor has, unless a
    /// lesser one was asked for.
    #[must_use]
    pub fn in_use() -> Self {
        *LIMIT.get_or_init(Self::best)
    }

    /// Lets all executors of this process use no better one. To be said before the first of them
    /// loads a program.
    ///
    /// # Errors
    /// If the processor does not have it, or if another one is in use.
    pub fn limit(self) -> Result<(), InstructionSetError> {
        if self > Self::best() {
            return Err(InstructionSetError::Missing(self));
        }
        match *LIMIT.get_or_init(|| self) {
            limit if limit == self => Ok(()),
            limit => Err(InstructionSetError::Late(limit)),
        }
    }
}

/// What only this module can make.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
struct Proof;

/// What nobody can make: other processors have neither.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Debug, Clone, Copy)]
enum Proof {}

/// Work that is compiled once more for each instruction set it may run on. Its `run` and what that
/// calls have to be inlined for that.
///
/// Input and output are arguments of their own, so that the compiler knows that they do not overlap.
pub(crate) trait Work {
    /// What is read.
    type Input: ?Sized;
    /// What is written.
    type Output: ?Sized;

    /// Does it.
    fn run(&self, input: &Self::Input, output: &mut Self::Output);
}

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// The token, if this processor has the instructions and they may be used.
    #[inline]
    pub(crate) fn detect() -> Option<Self> {
        let is_allowed = InstructionSet::in_use() >= InstructionSet::Avx2;
        (is_allowed && Self::is_there()).then_some(Self(Proof))
    }

    fn is_there() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
    }

    /// Does work with them.
    #[inline]
    pub(crate) fn run<W: Work>(self, work: &W, input: &W::Input, output: &mut W::Output) {
        #[target_feature(enable = "avx2")]
        fn compiled<W: Work>(work: &W, input: &W::Input, output: &mut W::Output) {
            work.run(input, output);
        }
        // SAFETY: the token proves that the processor has the feature of the function.
        unsafe { compiled(work, input, output) }
    }
}

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    /// The token, if this processor has the instructions and they may be used.
    #[inline]
    pub(crate) fn detect() -> Option<Self> {
        let is_allowed = InstructionSet::in_use() >= InstructionSet::Avx512;
        (is_allowed && Self::is_there()).then_some(Self(Proof))
    }

    fn is_there() -> bool {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Avx2 {
    /// No token: this is another processor.
    pub(crate) fn detect() -> Option<Self> {
        None
    }

    fn is_there() -> bool {
        false
    }

    /// Never happens.
    pub(crate) fn run<W: Work>(self, _: &W, _: &W::Input, _: &mut W::Output) {
        match self.0 {}
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Avx512 {
    /// No token: this is another processor.
    pub(crate) fn detect() -> Option<Self> {
        None
    }

    fn is_there() -> bool {
        false
    }
}
