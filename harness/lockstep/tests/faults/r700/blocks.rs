//! Faults of a compiler of clauses: engines that are right step by step, and wrong in clauses that they run at
//! free runs. They are found by the programs that are made for compilers.

use parallax_executor::r700::Executor;
use parallax_isa::{
    Device, Engine, Model, Step,
    r700::{
        AluOpcode,
        microcode::AluOp2,
        state::{Lanes, State},
    },
};
use parallax_lockstep::{
    Verdict,
    lockstep::lockstep,
    r700::blocks::{BLOCKS_BYTES, blocks},
    random::SplitMix64,
};
use parallax_reference::r700::Reference;
use rayon::prelude::*;

use super::{
    Fault, R700, alu,
    groups::{of_two, taken_for},
    result,
    seldom::flushed_before_rounding,
};
use crate::fault_injection::Faulty;

/// Most cases until a fault is found.
const CASES: u64 = 1000;

/// Every fault is found. How small their cases get is what other tables are about: one that takes the loop,
/// and shows in free runs only, takes minutes to minimise.
#[test]
fn faults_of_a_compiler_of_clauses_are_found() {
    let missed: Vec<_> = FAULTS.par_iter().filter(|fault| !is_found(**fault)).collect();
    let names: Vec<_> = missed.into_iter().map(|fault| fault.name).collect();
    assert!(names.is_empty(), "not found: {names:?}");
}

fn is_found(fault: Fault<R700>) -> bool {
    let (mut reference, mut faulty) = (Reference::new(), Faulty::new(fault));
    let mut bytes = vec![0; BLOCKS_BYTES];
    (0..CASES).any(|seed| {
        SplitMix64::new(seed).fill(&mut bytes);
        let case = blocks(Device::Rv770, &bytes);
        let mut differs = |engine: &mut dyn Engine<R700>| {
            matches!(lockstep(&mut reference, engine, &case), Verdict::Diverged(_))
        };
        differs(&mut faulty) && !differs(&mut Executor::new())
    })
}

/// What the suite is about is there: where machine code is made at all, much of what its programs do runs as
/// such.
#[test]
fn clauses_run_as_machine_code() {
    const PROGRAMS: u64 = 200;
    let mut bytes = vec![0; BLOCKS_BYTES];
    let mut executor = Executor::checking_blocks();
    let mut interpreter = Executor::interpreting();
    let (mut compiled, mut all) = (0, 0);
    for seed in 0..PROGRAMS {
        SplitMix64::new(seed).fill(&mut bytes);
        let case = blocks(Device::Rv770, &bytes);
        if Model::load(&mut executor, &case).is_ok() && Model::load(&mut interpreter, &case).is_ok()
        {
            executor.run();
            compiled += executor.compiled_groups();
            while Model::step(&mut interpreter) == Step::Continue {
                all += 1;
            }
        }
    }
    let is_made = cfg!(all(target_arch = "x86_64", unix));
    assert!(!is_made || compiled == 0 || 4 * compiled >= all, "{compiled} of {all}");
}

const FAULTS: &[Fault<R700>] = &[
    // Other instructions, as a compiler has them that forgets a part.
    alu("DX9 products compiled as IEEE products", |a| {
        taken_for(a, AluOpcode::Mul, AluOpcode::MulIeee)
    })
    .in_free_runs(),
    alu("a clamp not compiled", |a| of_two(a, AluOp2::CLAMP, |_| 0)).in_free_runs(),
    alu("scales by 2 compiled as by 4", |a| {
        of_two(a, AluOp2::OMOD, |scale| if scale == 1 { 2 } else { scale })
    })
    .in_free_runs(),
    alu("more compiled as at least", |a| taken_for(a, AluOpcode::Setgt, AluOpcode::Setge))
        .in_free_runs(),
    alu("unsigned comparisons compiled as signed ones", |a| {
        taken_for(a, AluOpcode::SetgtUint, AluOpcode::SetgtInt)
    })
    .in_free_runs(),
    alu("the smaller that is no number compiled as of DX9", |a| {
        taken_for(a, AluOpcode::MinDx10, AluOpcode::Min)
    })
    .in_free_runs(),
    alu("a predicate that is not handed on to the next group", |a| {
        of_two(a, AluOp2::UPDATE_PRED, |_| 0)
    })
    .in_free_runs(),
    alu("an execute mask not written back", |a| of_two(a, AluOp2::UPDATE_EXECUTE_MASK, |_| 0))
        .in_free_runs(),
    // Effects from some turn on.
    result(
        "the last eight pixels of results not written from the tenth group on",
        |_, before, after| {
            registers(before, after, |new, old| new[56..].copy_from_slice(&old[56..]));
        },
    )
    .after(9)
    .in_free_runs(),
    result("pixels that do not execute written from the fifth group on", |_, before, after| {
        let pixel = before.executing.trailing_ones() as usize;
        registers(before, after, |new, old| {
            if (1..64).contains(&pixel) && new[pixel - 1] != old[pixel - 1] {
                new[pixel] = new[pixel - 1];
            }
        });
    })
    .after(4)
    .in_free_runs(),
    result("PS of an earlier group from the fifth on", |_, before, after| {
        if after.in_clause == 1 {
            after.previous[4] = before.previous[4];
        }
    })
    .after(4)
    .in_free_runs(),
    result("PV of the next pixel from the fifth group on", |_, before, after| {
        if after.previous[0] != before.previous[0] {
            after.previous[0].rotate_left(1);
        }
    })
    .after(4)
    .in_free_runs(),
    result("a killed pixel still valid", |_, before, after| after.valid = before.valid)
        .in_free_runs(),
    result("zero for the smallest number", |_, before, after| {
        results(before, after, |bits| {
            if *bits & 0x7FFF_FFFF == 0x0080_0000 {
                *bits &= 0x8000_0000;
            }
        });
    })
    .in_free_runs(),
    result("a product that rounds up to the smallest normal number is 0", flushed_before_rounding)
        .in_free_runs(),
    result("bits of a NaN kept", |_, before, after| {
        results(before, after, |bits| {
            if *bits == 0xFFC0_0000 {
                *bits = 0x7FC0_0000;
            }
        });
    })
    .in_free_runs(),
];

/// Changes elements of registers, given what they were.
fn registers(before: &State, after: &mut State, change: impl Fn(&mut Lanes, &Lanes)) {
    let old = before.gpr[..24].as_flattened();
    for (new, old) in after.gpr[..24].as_flattened_mut().iter_mut().zip(old) {
        change(new, old);
    }
}

/// Changes what was written to registers.
fn results(before: &State, after: &mut State, change: impl Fn(&mut u32)) {
    registers(before, after, |new, old| {
        new.iter_mut().zip(old).filter(|(new, old)| new != old).for_each(|(new, _)| change(new));
    });
}
