//! ALU opcodes by what a group may have of them.

use std::sync::LazyLock;

use parallax_isa::r700::{
    AluOpcode,
    opcode::{Kind, Role, Units},
};

/// Opcodes of one slot that any unit runs, vector and Trans instructions by role.
pub(in crate::r700) struct Families {
    /// Any unit, no effect beside the result.
    pub(in crate::r700) any: Vec<AluOpcode>,
    /// Trans only.
    pub(in crate::r700) trans: Vec<AluOpcode>,
    /// Predicate setters of one slot.
    pub(in crate::r700) predicates: Vec<AluOpcode>,
    /// Pixel kills.
    pub(in crate::r700) kills: Vec<AluOpcode>,
    /// Writers of the address register.
    pub(in crate::r700) addresses: Vec<AluOpcode>,
    /// Operations over all four vector slots on single-precision numbers.
    pub(in crate::r700) reductions: Vec<AluOpcode>,
    /// Double-precision operations over two slots.
    pub(in crate::r700) pairs: Vec<AluOpcode>,
    /// Over four slots.
    pub(in crate::r700) quads: Vec<AluOpcode>,
}

/// The opcodes, sorted. `MOVA_GPR_INT` is in none: the manual does not say what it does.
pub(in crate::r700) static FAMILIES: LazyLock<Families> = LazyLock::new(|| {
    let all = || AluOpcode::ALL.iter().copied();
    let single = |opcode: &AluOpcode| !opcode.is_reduction() && opcode.double_slots() == 0;
    let of = |role: Role| {
        let wanted = move |opcode: &AluOpcode| opcode.row().role == role && single(opcode);
        all().filter(wanted).filter(|opcode| *opcode != AluOpcode::MovaGprInt)
    };
    let units = |units: Units| move |opcode: &AluOpcode| opcode.row().units == units;
    Families {
        any: of(Role::Plain).filter(units(Units::Any)).collect(),
        trans: of(Role::Plain).filter(units(Units::Trans)).collect(),
        predicates: of(Role::Predicate).collect(),
        kills: of(Role::Kill).collect(),
        addresses: of(Role::Address).collect(),
        reductions: all().filter(|opcode| opcode.is_reduction()).collect(),
        pairs: all().filter(|opcode| opcode.double_slots() == 2).collect(),
        quads: all().filter(|opcode| opcode.double_slots() == 4).collect(),
    }
});

/// Whether a source may be negated.
pub(in crate::r700) fn signed_source(opcode: AluOpcode, number: usize) -> bool {
    use AluOpcode::{CndeInt, CndgeInt, CndgtInt, Mov};
    let moved =
        matches!(opcode, Mov) || matches!(opcode, CndeInt | CndgtInt | CndgeInt) && number > 0;
    moved || matches!(opcode.row().sources.get(number), Some(Kind::F32 | Kind::F64))
}

/// Whether scale and clamp mean something for the result.
pub(in crate::r700) fn scaled_result(opcode: AluOpcode) -> bool {
    use AluOpcode::{CndeInt, CndgeInt, CndgtInt, Frexp64, Mov};
    matches!(opcode, Mov | CndeInt | CndgtInt | CndgeInt)
        || matches!(opcode.row().result, Kind::F32 | Kind::F64) && opcode != Frexp64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_opcode_but_one_is_in_a_family() {
        let f = &*FAMILIES;
        let lists = [
            &f.any,
            &f.trans,
            &f.predicates,
            &f.kills,
            &f.addresses,
            &f.reductions,
            &f.pairs,
            &f.quads,
        ];
        for opcode in AluOpcode::ALL {
            let times = lists.iter().filter(|list| list.contains(opcode)).count();
            assert_eq!(times, usize::from(*opcode != AluOpcode::MovaGprInt), "{opcode:?}");
        }
    }
}
