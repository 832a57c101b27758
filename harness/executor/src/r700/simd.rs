//! The same code compiled for several instruction sets, and which of them the processor has.
//!
//! All are loops over arrays, and so are their results: nothing here computes anything of its own.
#![allow(unsafe_code)]

use parallax_isa::r700::State;

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
                #[target_feature(enable = "avx2")]
                fn avx2$(<$code: $bound>)?($($argument: $kind),*) {
                    $run($($argument),*);
                }
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
                fn avx512$(<$code: $bound>)?($($argument: $kind),*) {
                    $run($($argument),*);
                }
                // SAFETY: the processor has the instructions that the function is compiled for.
                let for_avx2: $function =
                    |$($argument),*| unsafe { avx2$(::<$code>)?($($argument),*) };
                // SAFETY: the processor has the instructions that the function is compiled for.
                let for_avx512: $function =
                    |$($argument),*| unsafe { avx512$(::<$code>)?($($argument),*) };
                let has_avx512 = is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl");
                Forms {
                    portable: $run,
                    special: [
                        is_x86_feature_detected!("avx2").then_some(for_avx2),
                        has_avx512.then_some(for_avx512),
                    ],
                }
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
