//! The architecture registers (chapter on registers).

use parallax_isa::device::Generation::{Gen8, Gen75};
use parallax_isa::eu::{
    DataType::Uw,
    Opcode::{Add, Mov},
    operand::Register,
    register::ArfKind::{
        self, Accumulator, Address, Control, Flag, InstructionPointer, Notification, Null, State,
        ThreadDependency,
    },
};

use crate::{
    Rule,
    rule::{Decides, rule},
    step::{RegisterSource, Step},
};

/// Whether a destination is a register of a kind.
fn writes(step: Step, kind: parallax_isa::eu::register::ArfKind) -> bool {
    step.has_exact_result() && step.destination().register.arf() == Some(kind)
}

/// The byte of its register at which a source starts.
fn byte_of(register: Register) -> Option<u8> {
    match register {
        Register::Direct { subregister, .. } => Some(subregister),
        Register::Indirect { .. } => None,
    }
}

/// Whether a source is a region of `a0` in words from a byte on.
fn is_address(source: RegisterSource, byte: u8, region: (u8, u8, u8)) -> bool {
    source.arf() == Some(Address)
        && source.data_type == Uw
        && byte_of(source.register) == Some(byte)
        && source.align1() == Some(region)
}

/// Whether words that have more than 12 bits go to `a0` from a byte on.
fn loads_addresses(step: Step, byte: u8) -> bool {
    writes(step, Address) && step.size() == 4 && byte_of(step.destination().register) == Some(byte)
}

/// Whether an operand is a register of a kind.
fn names(step: Step, kind: ArfKind) -> bool {
    writes(step, kind) || step.any_register(|source| source.arf() == Some(kind))
}

/// Whether an operand is a part of a register of a kind, from a byte on.
fn names_part(step: Step, kind: ArfKind, first: u8) -> bool {
    let is_it = |register: Register| {
        register.arf() == Some(kind) && byte_of(register).is_some_and(|byte| byte >= first)
    };
    step.any_register(|source| is_it(source.register))
        || step.has_exact_result() && is_it(step.destination().register)
}

/// Whether an operand is an architecture register with a number that is in a range, but for null.
fn names_number(step: Step, first: u8) -> bool {
    let is_it = |register: Register| {
        matches!(register.arf(), Some(kind) if kind != Null)
            && matches!(register, Register::Direct { number, .. } if number & 0xF >= first)
    };
    step.any_register(|source| is_it(source.register))
        || step.has_exact_result() && is_it(step.destination().register)
}

/// Whether the second flag register is an operand, or that of predicate and condition.
fn uses_second_flag(step: Step) -> bool {
    step.instruction().flag_register == 1 && (step.is_selective() || step.sets_flags())
}

/// Whether an address register beyond the first eight words is used.
fn uses_later_address(step: Step) -> bool {
    let is_it = |register: Register| {
        matches!(register, Register::Indirect { address_subregister: 8.., .. })
    };
    names_part(step, Address, 16)
        || step.any_register(|source| is_it(source.register))
        || step.has_exact_result() && is_it(step.destination().register)
}

/// Whether a register-indirect operand is read or written.
fn is_indirect(step: Step) -> bool {
    step.any_register(|source| source.is_indirect())
        || step.has_exact_result()
            && matches!(step.destination().register, Register::Indirect { .. })
}

/// Whether bits of some of the control register are written that are set.
fn sets_control(step: Step, byte: u8, bits: u64) -> bool {
    writes(step, Control)
        && byte_of(step.destination().register) == Some(byte)
        && step.any(|c| c.number() == 0 && c.result().bits & bits != 0)
}

/// Whether a write to `cr0.0` has another master bit than that has.
fn writes_other_master_bit(step: Step) -> bool {
    writes(step, Control)
        && byte_of(step.destination().register) == Some(0)
        && step.any(|c| c.number() == 0 && c.result().bits >> 31 != u64::from(step.0.control >> 31))
}

pub(super) const RULES: &[Rule] = &[
    rule("gen7.a0.uses").when(|s| {
        writes(s, Address)
            || s.any_register(|source| source.is_indirect() || source.arf() == Some(Address))
    }),
    rule("gen7.a0.fields-a2-a7").when(|s| {
        // From Gen8 on they keep all bits.
        !s.is_since(parallax_isa::device::Generation::Gen8)
            && writes(s, Address)
            && s.any(|c| c.result().bits & 0xF000 != 0)
    }),
    rule("gen7.a0.example-load4").of(&[Mov]).when(|s| loads_addresses(s, 0) && s.reads((4, 4, 1))),
    rule("gen7.a0.example-load-replicate")
        .of(&[Mov])
        .when(|s| loads_addresses(s, 8) && s.reads_scalar()),
    rule("gen7.a0.example-copy8")
        .of(&[Mov])
        .when(|s| s.size() == 8 && s.any_region(|source| is_address(source, 0, (8, 8, 1)))),
    rule("gen7.a0.example-replicate").of(&[Mov]).when(|s| {
        s.size() == 8
            && s.has_several_results()
            && s.registers().any(|source| is_address(source, 8, (0, 1, 0)))
    }),
    rule("gen7.a0.vx1-row")
        .when(|s| s.size() == 8 && s.any_region(|source| source.row_addresses() == Some(4))),
    rule("gen7.acc.example-simd16")
        .of(&[Add])
        .when(|s| s.size() == 16 && s.instruction().accumulator_write && s.any_in_upper_half())
        .decides_of(Decides::Accumulator),
    rule("gen7.arf.readonly-write").when(|s| writes(s, State) || writes(s, Notification)),
    rule("gen7.arf.region-rules").when(|s| {
        s.any_register(|source| {
            source.arf().is_some_and(|kind| kind != Null && kind != Accumulator)
                && byte_of(source.register).is_some_and(|byte| byte != 0)
        })
    }),
    rule("gen7.arf.subregnum-bytes").when(|s| {
        s.any_register(|source| {
            source.arf().is_some() && byte_of(source.register).is_some_and(|byte| byte % 4 != 0)
        })
    }),
    rule("gen7.arf.unpopulated-write").when(|s| {
        let register = s.destination().register;
        s.has_exact_result()
            && register.arf() == Some(Control)
            && byte_of(register).is_some_and(|byte| byte >= 12)
    }),
    rule("gen7.arf.regnum-type").when(|s| names_number(s, 0)),
    rule("gen7.arf.regnum-index").when(|s| names_number(s, 1)),
    rule("gen7.isa.op.arf-numbers").when(|s| names_number(s, 0)),
    rule("gen7.a0.shape").until(Gen75).when(|s| names(s, Address)),
    rule("gen7.a0.subreg-encoding").until(Gen75).when(|s| names_part(s, Address, 2)),
    rule("gen7.isa.op.indirect-a0-count").until(Gen75).when(is_indirect),
    rule("gen9.isa.op.a0-16").since(Gen8).when(uses_later_address),
    rule("gen7.flag.subreg-encoding").when(|s| names_part(s, Flag, 2)),
    rule("gen7.flag.explicit").when(|s| names(s, Flag)),
    rule("gen7.flag.shape").when(|s| names(s, Flag)),
    rule("gen7.gen.ivb-two-flags").when(uses_second_flag).decides_of(Decides::Flags),
    rule("gen7.isa.flag.regs").when(uses_second_flag).decides_of(Decides::Flags),
    rule("gen7.isa.flag.explicit-mov").of(&[Mov]).when(|s| names(s, Flag)),
    rule("gen7.sr.shape").when(|s| names(s, State)),
    rule("gen7.sr.dmask").when(|s| names_part(s, State, 8)),
    rule("gen7.sr.vmask").when(|s| names_part(s, State, 12)),
    rule("gen7.cr.shape").when(|s| names(s, Control)),
    rule("gen7.cr.sub-roles").when(|s| names_part(s, Control, 4)),
    rule("gen7.cr.master-write").when(writes_other_master_bit),
    rule("gen7.cr.aip-reserved").when(|s| sets_control(s, 8, 7)),
    rule("gen7.gen.ivb-cr0-fields").when(|s| sets_control(s, 0, 0x70)),
    rule("gen7.n.encoding").when(|s| names_part(s, Notification, 4)),
    rule("gen7.tdr.shape").when(|s| names(s, ThreadDependency)),
    rule("gen7.tdr.encoding").when(|s| names_part(s, ThreadDependency, 2)),
    rule("gen7.tdr.write-clears").when(|s| writes(s, ThreadDependency)),
    rule("gen7.ip.shape").when(|s| names(s, InstructionPointer)),
    rule("gen9.isa.reg.ip-read")
        .since(Gen8)
        .when(|s| s.any_register(|source| source.arf() == Some(InstructionPointer))),
    rule("gen7.arfsum.cr").when(|s| s.any_register(|source| source.arf() == Some(Control))),
    rule("gen7.arfsum.flags").when(|s| s.any_register(|source| source.arf() == Some(Flag))),
    rule("gen7.arfsum.ip")
        .when(|s| s.any_register(|source| source.arf() == Some(InstructionPointer))),
    rule("gen7.arfsum.null-write")
        .when(|s| {
            s.destination().register.is_null()
                && (s.sets_flags() || s.instruction().accumulator_write)
        })
        .decides_of(Decides::Flags),
    rule("gen7.arfsum.sr").when(|s| s.any_register(|source| source.arf() == Some(State))),
    rule("gen7.cr.sip-invisible").when(|s| s.any_register(|source| source.arf() == Some(Control))),
    rule("gen7.ip.read")
        .when(|s| s.any_register(|source| source.arf() == Some(InstructionPointer))),
    rule("gen7.ip.write")
        .when(|s| writes(s, InstructionPointer))
        .decides_of(Decides::NextInstruction),
    rule("gen7.null.write").when(|s| s.destination().register.is_null() && s.has_exact_result()),
    rule("gen7.null.side-effects")
        .when(|s| {
            s.destination().register.is_null()
                && (s.sets_flags() || s.instruction().accumulator_write)
        })
        .decides_of(Decides::Flags),
    rule("gen7.sr.ffid").when(|s| {
        s.any_register(|source| source.arf() == Some(State) && byte_of(source.register) == Some(0))
    }),
    rule("gen7.sr.priority-class").when(|s| {
        s.any_register(|source| source.arf() == Some(State) && byte_of(source.register) == Some(0))
    }),
];
