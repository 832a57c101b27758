//! The same code compiled for several instruction sets, and which of them the processor has.
//!
//! All are loops over arrays, and so are their results: nothing here computes anything of its own.
#![allow(unsafe_code)]

use parallax_isa::r700::State;

use crate::simd::{Avx2, Avx512};

/// One dword of each of the 64 pixels.
pub(super) type Lanes = [u32; 64];

/// Computes a result from up to three sources.
pub(super) type Kernel = fn(&[&Lanes; 3], &mut Lanes);

/// The code of a kernel, to be compiled for the instructions that a processor has.
pub(super) trait LaneKernel {
    /// Computes the result.
    fn run(sources: &[&Lanes; 3], out: &mut Lanes);
}

/// The high and the low dwords of the double-precision sources of all pixels.
pub(super) type Halves<'a> = [[&'a Lanes; 3]; 2];

/// Computes the low and the high dwords of all pixels' results.
pub(super) type Pair = fn(&Halves, &mut Lanes, &mut Lanes);

/// The code of a double-precision operation, to be compiled for the instructions that a processor
/// has.
pub(super) trait PairKernel {
    /// The results of all pixels.
    fn run(sources: &Halves, low: &mut Lanes, high: &mut Lanes);
}

/// What runs groups, to be compiled for the instructions that a processor has, with all it calls for
/// whole registers.
pub(super) trait GroupCode {
    /// A group that is ready to run.
    type Group;
    /// What it reads besides the state.
    type Surroundings<'a>;
    /// Working storage.
    type Scratch;
    /// Runs a group.
    fn run(
        group: &Self::Group,
        around: &Self::Surroundings<'_>,
        scratch: &mut Self::Scratch,
        state: &mut State,
    );
}

/// Runs a group.
pub(super) type GroupRunner<Code> = fn(
    &<Code as GroupCode>::Group,
    &<Code as GroupCode>::Surroundings<'_>,
    &mut <Code as GroupCode>::Scratch,
    &mut State,
);

/// A function as compiled for several instruction sets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Forms<Function> {
    /// For every processor.
    pub(super) portable: Function,
    /// For others, as far as this processor is one, slowest first.
    pub(super) special: [Option<Function>; 2],
}

impl<Function: Copy> Forms<Function> {
    /// The fastest form on this processor.
    pub(super) fn best(self) -> Function {
        let [avx2, avx512] = self.special;
        avx512.or(avx2).unwrap_or(self.portable)
    }
}

/// Defines a function that gives the forms of another one.
macro_rules! forms {
    (
        $(#[$meta:meta])*
        $name:ident <$code:ident: $bound:ident>: $function:ty = $run:expr;
        ($($argument:ident: $kind:ty),*)
    ) => {
        $(#[$meta])*
        pub(super) fn $name<$code: $bound>() -> Forms<$function> {
            #[cfg(target_arch = "x86_64")]
            {
                // Where the features are known, functions compiled for them are plain functions.
                #[target_feature(enable = "avx2,fma")]
                fn for_avx2<$code: $bound>() -> $function {
                    #[target_feature(enable = "avx2,fma")]
                    fn form<$code: $bound>($($argument: $kind),*) {
                        $run($($argument),*);
                    }
                    form::<$code>
                }
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
                fn for_avx512<$code: $bound>() -> $function {
                    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
                    fn form<$code: $bound>($($argument: $kind),*) {
                        $run($($argument),*);
                    }
                    form::<$code>
                }
                // SAFETY: the token proves that the processor has the features of the function,
                // which are those of the form it gives.
                let avx2 = Avx2::detect().map(|_| unsafe { for_avx2::<$code>() });
                // SAFETY: as above.
                let avx512 = Avx512::detect().map(|_| unsafe { for_avx512::<$code>() });
                Forms { portable: $run, special: [avx2, avx512] }
            }
            #[cfg(not(target_arch = "x86_64"))]
            Forms { portable: $run, special: [None; 2] }
        }
    };
}

forms! {
    /// The forms of a kernel.
    kernel<Code: LaneKernel>: Kernel = Code::run;
    (sources: &[&Lanes; 3], out: &mut Lanes)
}

forms! {
    /// The forms of a double-precision operation.
    pair<Code: PairKernel>: Pair = Code::run;
    (sources: &Halves, low: &mut Lanes, high: &mut Lanes)
}

forms! {
    /// The forms of what runs groups.
    group_runner<Code: GroupCode>: GroupRunner<Code> = Code::run;
    (
        group: &Code::Group,
        around: &Code::Surroundings<'_>,
        scratch: &mut Code::Scratch,
        state: &mut State
    )
}
