//! `dp2`, `dp3`, `dp4`, `dph`, `line`, `pln`, `sad2`, `sada2`.

use parallax_isa::eu::{
    DataType::F,
    Opcode::{self, Dp2, Dp3, Dp4, Dph, Line, Pln, Sad2, Sada2},
    operand::{DestinationRegion, Register},
};

use super::super::g45;
use crate::{Rule, rule::Decides, step::Step};

const DOT_PRODUCTS: &[Opcode] = &[Dp2, Dp3, Dp4, Dph];

/// Whether src0 names the second group of four in its register.
fn is_in_second_group(step: Step) -> bool {
    step.any_register(|source| {
        source.index == 0
            && matches!(source.register, Register::Direct { subregister, .. } if subregister >= 16)
    })
}

/// Whether a sum of products is zero.
fn is_zero(step: Step) -> bool {
    step.destination().data_type == F && step.any(|c| c.result().is_zero())
}

/// Whether odd channels are left open, of which there is no sum.
fn leaves_odd_open(step: Step) -> bool {
    step.any_open(|c| c.number() % 2 == 1)
}

/// The accumulator that gets the result too.
const fn accumulating(id: &str, opcode: &'static [Opcode]) -> Rule {
    g45(id).of(opcode).when(|s| s.updates_accumulator()).decides_of(Decides::Accumulator)
}

pub(in super::super) const RULES: &[Rule] = &[
    g45("g45.inst.dp2.zero-sign").of(&[Dp2]).when(is_zero),
    g45("g45.inst.dp3.zero-sign").of(&[Dp3]).when(is_zero),
    g45("g45.inst.dp.order").of(DOT_PRODUCTS).when(|s| s.any(|c| c.result().is_normal())),
    g45("g45.inst.dp.swizzle").of(DOT_PRODUCTS).when(|s| {
        s.any_region(|source| source.align16().is_some_and(|(swizzle, _)| swizzle != [0, 1, 2, 3]))
    }),
    g45("g45.inst.line.q-location").of(&[Line]).when(is_in_second_group),
    g45("g45.inst.line.src1-int")
        .of(&[Line])
        .when(|s| s.has_exact_result() && !s.0.source_type(1).is_float()),
    accumulating("g45.inst.line.acc-result", &[Line]),
    g45("g45.inst.line.dst-type")
        .of(&[Line])
        .when(|s| s.has_exact_result() && s.destination().data_type != F),
    g45("g45.inst.pln.offsets").of(&[Pln]).when(is_in_second_group),
    g45("g45.inst.sad2.odd-undefined").of(&[Sad2]).when(leaves_odd_open),
    accumulating("g45.inst.sad2.acc", &[Sad2]),
    g45("g45.inst.sada2.odd-undefined").of(&[Sada2]).when(leaves_odd_open),
    accumulating("g45.inst.sada2.acc", &[Sada2]),
    g45("g45.pg.dp4.mask").of(DOT_PRODUCTS).when(|s| {
        let region = s.destination().region;
        s.has_exact_result()
            && matches!(region, DestinationRegion::ChannelEnable(enable) if enable != 0xF)
    }),
    g45("g45.pg.line.eq").of(&[Line]).when(|s| s.any(|c| c.result().is_normal())),
    g45("g45.inst.sad2.examples")
        .of(&[Sad2])
        .when(|s| s.any(|c| c.are(|[a, b]| a < b) && c.result().bits > 0xFF)),
];
