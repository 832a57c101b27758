//! The architecture registers (chapter on registers).

use parallax_isa::eu::{
    DataType::Uw,
    Opcode::{Add, Mov},
    operand::Register,
    register::ArfKind::{
        Accumulator, Address, Control, Flag, InstructionPointer, Notification, Null, State,
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
