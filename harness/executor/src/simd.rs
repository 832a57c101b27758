//! Tokens that prove what the processor has, and work compiled for it.
//!
//! A token can only be had from `detect`. Code that is compiled for an instruction set is reached
//! through the token of that set alone, so that code the processor cannot run cannot be chosen.
#![allow(unsafe_code)]

/// The processor has AVX2.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2(Proof);

/// The processor has AVX-512 F, BW, DQ and VL.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512(Proof);

/// What vector kernels are compiled for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Level {
    /// For AVX-512.
    Avx512(Avx512),
    /// For AVX2.
    Avx2(Avx2),
    /// For any processor of the kind.
    Portable,
}

impl Level {
    /// Those that this processor can run, the best first.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let avx512 = Avx512::detect().map(Self::Avx512);
        let avx2 = Avx2::detect().map(Self::Avx2);
        avx512.into_iter().chain(avx2).chain([Self::Portable])
    }

    /// The best that this processor can run.
    pub(crate) fn best() -> Self {
        Self::all().next().unwrap_or(Self::Portable)
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
    /// The token, if this processor has the instructions.
    #[inline]
    pub(crate) fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(Proof))
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
    /// The token, if this processor has the instructions.
    #[inline]
    pub(crate) fn detect() -> Option<Self> {
        let has_all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        has_all.then_some(Self(Proof))
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Avx2 {
    /// No token: this is another processor.
    pub(crate) fn detect() -> Option<Self> {
        None
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

    /// Never happens.
    pub(crate) fn never<T>(self) -> T {
        match self.0 {}
    }
}
