//! The same code compiled for several instruction sets, and which of them the processor has.
//!
//! All are loops over arrays, and so are their results: nothing here computes anything of its own.
#![allow(unsafe_code)]

use parallax_isa::r700::State;

use crate::simd::{Avx2, Avx512};

use super::{
    clause::{self, Scratch, Surroundings},
    doubles::{Halves, Pair, PairKernel},
    group::ReadyGroup,
    kernels::{Kernel, LaneKernel, Lanes},
};

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
        $name:ident $(<$code:ident: $bound:ident>)?: $function:ty = $run:expr;
        ($($argument:ident: $kind:ty),*)
    ) => {
        $(#[$meta])*
        pub(super) fn $name$(<$code: $bound>)?() -> Forms<$function> {
            #[cfg(target_arch = "x86_64")]
            {
                // Where the features are known, functions compiled for them are plain functions.
                #[target_feature(enable = "avx2")]
                fn for_avx2$(<$code: $bound>)?() -> $function {
                    #[target_feature(enable = "avx2")]
                    fn form$(<$code: $bound>)?($($argument: $kind),*) {
                        $run($($argument),*);
                    }
                    form$(::<$code>)?
                }
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
                fn for_avx512$(<$code: $bound>)?() -> $function {
                    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
                    fn form$(<$code: $bound>)?($($argument: $kind),*) {
                        $run($($argument),*);
                    }
                    form$(::<$code>)?
                }
                // SAFETY: the token proves that the processor has the features of the function,
                // which are those of the form it gives.
                let avx2 = Avx2::detect().map(|_| unsafe { for_avx2$(::<$code>)?() });
                // SAFETY: as above.
                let avx512 = Avx512::detect().map(|_| unsafe { for_avx512$(::<$code>)?() });
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

/// Runs a group.
pub(super) type GroupRunner = fn(&ReadyGroup, &Surroundings, &mut Scratch, &mut State);

forms! {
    /// The forms of what runs groups.
    group_runner: GroupRunner = clause::run;
    (group: &ReadyGroup, around: &Surroundings, scratch: &mut Scratch, state: &mut State)
}
