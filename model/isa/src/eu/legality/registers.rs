//! Register files and architecture registers (sections 11.2, 11.3.2 to 11.3.4).

use parallax_spec::decision;

use super::{
    super::{
        instruction::ThreadControl,
        operand::Register,
        register::{ArfKind, RegisterFile},
    },
    Check, Facts, Test, checks,
    facts::Group,
};

checks! {
    Source ["g45.mrf.dest-only", "g45.dw1.mrf-source"]
        about |_, s| s.register().is_some(),
        holds |_, s| s.register().is_none_or(|register| register.file() != RegisterFile::Mrf),
        "message registers cannot be read; keep the value in a general register";
    Source ["g45.arf.reserved-type", "g45.arf.types"]
        about |_, s| names_arf(s.register()),
        holds |_, s| s.arf().is_some(),
        "there is no such architecture register";
    Destination ["g45.arf.reserved-type", "g45.arf.types"]
        about |_, d| names_arf(Some(d.register)),
        holds |_, d| d.arf().is_some(),
        "there is no such architecture register";
    Source ["g45.arf.subregnum"]
        about |_, s| s.arf().is_some_and(|kind| kind != ArfKind::Null),
        holds |_, s| s.register().is_none_or(exists),
        "there is no such register or subregister";
    Destination ["g45.arf.subregnum"]
        about |_, d| d.arf().is_some_and(|kind| kind != ArfKind::Null),
        holds |_, d| exists(d.register),
        "there is no such register or subregister";
    Destination ["g45.asm.dst.readonly"]
        about |f, d| f.group != Group::Wait && d.arf().is_some(),
        holds |_, d| d.arf() != Some(ArfKind::State) && d.arf() != Some(ArfKind::Notification),
        "sr0 and the notification registers cannot be written";
    Source ["g45.mstack.whole-access"]
        about |f, s| f.is_data() && s.arf() == Some(ArfKind::MaskStack),
        holds |f, s| f.channels * s.data_type.size() >= 16,
        "a mask stack is read whole: 16 bytes for one stack, as in 8 channels of :uw";
    Destination ["g45.mstack.whole-access"]
        about |f, d| f.is_data() && d.arf() == Some(ArfKind::MaskStack),
        holds |f, d| f.channels * d.step() >= 16,
        "a mask stack is written whole: 16 bytes for one stack, as in 8 channels of :uw";
    Instruction ["g45.mask.switch"]
        about |f| !f.is_bw_or_cl() && f.is_data() && f.names_arf(ArfKind::Mask),
        holds switches,
        "an instruction that names a mask register needs {Switch}";
    Instruction ["g45.mstack.switch"]
        about |f| !f.is_bw_or_cl() && f.is_data() && f.names_arf(ArfKind::MaskStack),
        holds switches,
        "an instruction that names a mask stack needs {Switch}";
    Instruction ["g45.mdepth.switch"]
        about |f| !f.is_bw_or_cl() && f.is_data() && f.names_arf(ArfKind::MaskStackDepth),
        holds switches,
        "an instruction that names the mask stack depth needs {Switch}";
    Instruction ["g45.cr.switch"]
        about |f| f.is_data() && f.names_arf(ArfKind::Control),
        holds switches,
        "an instruction that names the control register needs {Switch}";
    Source ["g45.addr.uw-for-indirect"]
        about |f, s| f.is_data() && s.arf() == Some(ArfKind::Address),
        holds |_, s| s.data_type.size() > 1,
        "the address register is read in words or doublewords; use :uw";
    Destination ["g45.addr.uw-for-indirect"]
        about |f, d| f.is_data() && d.arf() == Some(ArfKind::Address),
        holds |_, d| d.data_type.size() > 1,
        "the address register is written in words or doublewords; use :uw";
}

fn names_arf(register: Option<Register>) -> bool {
    matches!(register, Some(Register::Direct { file: RegisterFile::Arf, .. }))
}

fn switches(f: &Facts) -> bool {
    decision!("D-eu-mask-switch");
    f.instruction.thread_control == ThreadControl::Switch
}

/// Registers of a kind and the byte offsets at which subregisters start.
fn numbers_and_step(kind: ArfKind) -> (u8, u8, u8) {
    match kind {
        ArfKind::Null => (16, 31, 1),
        ArfKind::Address => (1, 14, 2),
        ArfKind::Accumulator => (2, 0, 1),
        ArfKind::Flag => (1, 2, 2),
        ArfKind::Mask => (1, 6, 2),
        ArfKind::MaskStack => (1, 16, 16),
        ArfKind::MaskStackDepth => (1, 2, 2),
        ArfKind::State => (1, 4, 1),
        ArfKind::Control => (1, 8, 4),
        ArfKind::Notification => (2, 0, 4),
        ArfKind::InstructionPointer => (1, 0, 4),
    }
}

/// Whether a register of the architecture file is one of those the manual lists.
fn exists(register: Register) -> bool {
    let (Some(kind), Register::Direct { number, subregister, .. }) = (register.arf(), register)
    else {
        return true;
    };
    let (count, last, step) = numbers_and_step(kind);
    let last = if kind == ArfKind::State { last + 3 } else { last };
    number & 0xF < count && subregister <= last && subregister.is_multiple_of(step)
}
