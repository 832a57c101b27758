//! `mov`, `movi`, `sel`.

use parallax_isa::eu::{
    Opcode::{self, Mov, Movi, Sel},
    instruction::{Compression, PredicateControl},
    operand::Register,
};

use super::super::g45;
use crate::{Rule, step::Step};

/// Whether a number is moved to another type.
fn converts(step: Step) -> bool {
    step.reads_numbers() && step.any(|c| c.any(|e| !e.is_zero()))
}

/// A size of the elements that `movi` gathers.
const fn gather(id: &str, when: fn(Step) -> bool) -> Rule {
    g45(id).of(&[Movi]).when(when)
}

fn gathers(step: Step, bytes: usize) -> bool {
    step.0.source_type(0).size() == bytes && step.has_exact_result()
}

/// Whether an address but the first one has another register number than that.
fn has_other_registers(step: Step) -> bool {
    step.addresses_are(|[first, others @ ..]| {
        others[..7].iter().any(|address| address >> 5 != first >> 5)
    })
}

const CHOICE: &[Opcode] = &[Sel];

pub(in super::super) const RULES: &[Rule] = &[
    g45("g45.exec.dst-convert").of(&[Mov]).when(converts),
    g45("g45.inst.mov.convert").of(&[Mov]).when(converts),
    g45("g45.inst.mov.imm-broadcast")
        .of(&[Mov])
        .when(|s| s.has_any_immediate() && s.has_several_results()),
    gather("g45.inst.movi.ignored-regfields", |s| s.any_above(1) && has_other_registers(s)),
    gather("g45.inst.movi.dst-modes", |s| {
        matches!(s.destination().register, Register::Indirect { .. }) && s.has_exact_result()
    }),
    gather("g45.inst.movi.dst-offset", |s| {
        s.has_exact_result()
            && match s.destination().register {
                Register::Direct { subregister, .. } => subregister != 0,
                Register::Indirect { .. } => false,
            }
    }),
    gather("g45.inst.movi.byte-map", |s| gathers(s, 1)),
    gather("g45.inst.movi.word-map", |s| gathers(s, 2)),
    gather("g45.inst.movi.dword-map", |s| gathers(s, 4)),
    gather("g45.inst.movi.undefined-bytes", |s| s.any_open(|_| true)),
    g45("g45.inst.sel.convert").of(CHOICE).when(converts),
    g45("g45.inst.sel.pmask-sechalf").of(CHOICE).when(|s| {
        s.instruction().compression == Compression::SecHalf
            && s.any(|c| c.pair(|a, b| a.bits != b.bits))
    }),
    g45("g45.inst.sel.pred-omitted").of(CHOICE).when(|s| {
        s.instruction().predicate.control == PredicateControl::None && s.any_open(|_| true)
    }),
    g45("g45.pg.vec.swz2").of(CHOICE).when(|s| {
        s.any_region(|source| source.align16().is_some_and(|(swizzle, _)| swizzle != [0, 1, 2, 3]))
    }),
];
