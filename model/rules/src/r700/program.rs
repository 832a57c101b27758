//! What the chapters on programs say of ALU groups: conventions, organisation, state, sharing (chapters 1 to 3).

use parallax_isa::r700::{case::ProgramType, opcode::Kind};

use super::{
    fetch::Access,
    operands::{GLOBAL_ADDRESS_MODE, GLOBAL_MODE, uses_global},
    results::{kills, stores_and_sends},
    rule::{Rule, fetch, rule},
    step::Read,
};
use crate::Decides;

/// A rule of each group.
const fn of_all(id: &str) -> Rule {
    rule(id, |s| s.is_decided()).unconditional()
}

pub(super) const RULES: &[Rule] = &[
    of_all("r700.conv.reg.gpr-shape"),
    rule("r700.conv.reg.cr-shape", |s| s.reads(Read::is_file)),
    of_all("r700.gen.operand-limit"),
    rule("r700.gen.data-kinds", |s| {
        s.any(|slot| {
            matches!(slot.opcode.row().result, Kind::F32 | Kind::F64 | Kind::I32 | Kind::U32)
        })
    }),
    fetch("r700.conv.endian.bytes", &[], |f| f.any_access(Access::differs_by_bytes)),
    fetch("r700.conv.endian.bits", &[], |f| f.any_access(Access::differs_by_bits)),
    rule("r700.progtype.same-isa", |s| s.is_decided() && s.case.program_type != ProgramType::Pixel),
    of_all("r700.org.two-sections"),
    rule("r700.org.clause-no-cf", |s| s.is_decided() && s.previous.is_some()),
    of_all("r700.org.base"),
    of_all("r700.org.group-size"),
    rule("r700.pred.two-kinds", stores_and_sends).decides_of(Decides::Predicate),
    rule("r700.state.ar.shape", |s| s.any(|slot| slot.addressed != 0))
        .decides_of(Decides::AddressRegister),
    rule("r700.state.valid.cleared-by", kills).decides_of(Decides::ValidPixels),
    rule("r700.state.active-mask.last", |s| {
        let again = |sent: u64| sent & s.record.execute_set != 0;
        s.slots().any(|slot| slot.alu.update_execute_mask() && again(slot.predicated))
    })
    .decides_of(Decides::Predicate),
    rule("r700.share.global-gpr", |s| uses_global(s, GLOBAL_MODE)),
    rule("r700.share.global-gpr.ar", |s| uses_global(s, GLOBAL_ADDRESS_MODE)),
    rule("r700.share.temp.location", |s| {
        let first = 128 - s.case.clause_temporaries;
        s.any(|slot| slot.written != 0 && slot.alu.dst_rel() == 0 && slot.alu.dst_gpr() >= first)
    }),
    of_all("r700.cf.count.minus1"),
];
