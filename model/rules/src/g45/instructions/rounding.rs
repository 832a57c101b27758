//! `frc`, `rndd`, `rnde`, `rndu`, `rndz`.

use parallax_isa::eu::{
    Opcode::{self, Frc, Rndd, Rnde, Rndu, Rndz},
    instruction::ConditionalModifier::RoundIncrement,
};

use super::super::g45;
use crate::{Rule, element::Element, rule::Decides, step::Step};

const ALL: &[Opcode] = &[Rndd, Rnde, Rndu, Rndz];

/// A source that rounding treats apart in IEEE mode.
fn is_special(element: Element) -> bool {
    element.vanishes() || element.is_infinite() || element.is_nan()
}

const fn in_ieee(id: &str, opcode: &'static [Opcode]) -> Rule {
    g45(id).of(opcode).when(|s| s.is_ieee() && s.any(|c| c.any(is_special)))
}

const fn in_alternative(id: &str, opcode: &'static [Opcode]) -> Rule {
    g45(id)
        .of(opcode)
        .when(|s| s.is_alternative() && s.any(|c| c.any(|e| e.is_largest() || e.vanishes())))
}

/// What a fraction becomes.
const fn rounding(id: &str, opcode: &'static [Opcode]) -> Rule {
    g45(id).of(opcode).when(|s| s.any(|c| c.any(|e| e.has_a_fraction())))
}

/// Whether the flag is set of what is missing to another rounding than that to the floor.
fn flags_increment(step: Step) -> bool {
    step.has_condition(RoundIncrement) && step.sets_flags()
}

/// What an increment of the floor is for.
const fn increment(id: &str, opcode: &'static [Opcode]) -> Rule {
    g45(id)
        .of(opcode)
        .when(|s| flags_increment(s) && s.any(|c| c.any(|e| e.has_a_fraction())))
        .decides_of(Decides::Flags)
}

/// Whether the float mode decides what comes of an operand.
fn shows_float_mode(step: Step) -> bool {
    step.any(|c| c.any(|e| e.is_nan() || e.is_infinite() || e.is_largest()))
}

pub(in super::super) const RULES: &[Rule] = &[
    in_ieee("g45.inst.frc.ieee", &[Frc]),
    in_alternative("g45.inst.frc.alt", &[Frc]),
    rounding("g45.conv.floor", ALL),
    in_ieee("g45.inst.rndd.ieee", &[Rndd]),
    in_alternative("g45.inst.rndd.alt", &[Rndd]),
    increment("g45.inst.rnde.two-step", &[Rnde]),
    in_ieee("g45.inst.rnde.ieee", &[Rnde]),
    in_alternative("g45.inst.rnde.alt", &[Rnde]),
    increment("g45.inst.rndu.two-step", &[Rndu]),
    g45("g45.inst.rndu.flag-subset")
        .of(&[Rndu])
        .when(|s| flags_increment(s) && s.is_selective())
        .decides_of(Decides::Flags),
    in_ieee("g45.inst.rndu.ieee", &[Rndu]),
    in_alternative("g45.inst.rndu.alt", &[Rndu]),
    g45("g45.inst.rndu.inc-overflow")
        .of(&[Rndu])
        .when(|s| flags_increment(s) && s.any(|c| c.overflowed()))
        .decides_of(Decides::Flags),
    increment("g45.inst.rndz.two-step", &[Rndz]),
    in_ieee("g45.inst.rndz.ieee", &[Rndz]),
    in_alternative("g45.inst.rndz.alt", &[Rndz]),
    g45("g45.inst.frc.exact-range")
        .of(&[Frc])
        .when(|s| s.any(|c| c.any(|e| e.is_normal() && (e.is_negative() || e.has_a_fraction())))),
    rounding("g45.inst.rndu.examples", &[Rndu]),
    g45("g45.inst.rnde.examples").of(&[Rnde]).when(|s| s.any(|c| c.any(Element::is_tie))),
    rounding("g45.inst.rndz.examples", &[Rndz]),
    g45("g45.inst.frc.float-mode").of(&[Frc]).when(shows_float_mode),
    g45("g45.inst.rnd.float-mode").of(ALL).when(shows_float_mode),
    rounding("g45.inst.rndd.single-step", &[Rndd]),
];
