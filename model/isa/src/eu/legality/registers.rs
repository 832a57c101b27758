//! Register files and architecture registers (sections 11.2, 11.3.2 to 11.3.4).

use super::prelude::*;

checks! {
    Source UpToGen45 ["g45.mrf.dest-only", "g45.dw1.mrf-source", "g45.msg.mrf.write-only"]
        about |_, s| s.register().is_some(),
        holds |_, s| s.register().is_none_or(|register| register.file() != RegisterFile::Mrf),
        "message registers cannot be read; keep the value in a general register";
    Source UpToGen45 ["g45.arf.reserved-type", "g45.arf.types"]
        about |_, s| names_arf(s.register()),
        holds |_, s| s.arf().is_some(),
        "there is no such architecture register";
    Destination UpToGen45 ["g45.arf.reserved-type", "g45.arf.types"]
        about |_, d| names_arf(Some(d.register)),
        holds |_, d| d.arf().is_some(),
        "there is no such architecture register";
    Source UpToGen45 ["g45.arf.subregnum"]
        about |_, s| s.arf().is_some_and(|kind| kind != ArfKind::Null),
        holds |_, s| s.register().is_none_or(exists),
        "there is no such register or subregister";
    Destination UpToGen45 ["g45.arf.subregnum"]
        about |_, d| d.arf().is_some_and(|kind| kind != ArfKind::Null),
        holds |_, d| exists(d.register),
        "there is no such register or subregister";
    Destination UpToGen45 ["g45.asm.dst.readonly"]
        about |f, d| f.opcode != Opcode::Wait && d.arf().is_some(),
        holds |_, d| d.arf() != Some(ArfKind::State) && d.arf() != Some(ArfKind::Notification),
        "sr0 and the notification registers cannot be written";
    Source UpToGen45 ["g45.mstack.whole-access"]
        about |f, s| f.is_data() && s.arf() == Some(ArfKind::MaskStack),
        holds |f, s| f.native * s.data_type.size() >= 16,
        "a mask stack is read whole: 16 bytes for one stack, as in 8 channels of :uw";
    Destination UpToGen45 ["g45.mstack.whole-access"]
        about |f, d| f.is_data() && d.arf() == Some(ArfKind::MaskStack),
        holds |f, d| f.native * d.step() >= 16,
        "a mask stack is written whole: 16 bytes for one stack, as in 8 channels of :uw";
    Instruction Gen45 ["g45.mask.switch"]
        about |f| f.is_data() && f.names_arf(ArfKind::Mask),
        holds switches,
        "an instruction that names a mask register needs {Switch}";
    Instruction Gen45 ["g45.mstack.switch"]
        about |f| f.is_data() && f.names_arf(ArfKind::MaskStack),
        holds switches,
        "an instruction that names a mask stack needs {Switch}";
    Instruction Gen45 ["g45.mdepth.switch"]
        about |f| f.is_data() && f.names_arf(ArfKind::MaskStackDepth),
        holds switches,
        "an instruction that names the mask stack depth needs {Switch}";
    Instruction UpToGen45 ["g45.cr.switch"]
        about |f| f.is_data() && f.names_arf(ArfKind::Control),
        holds switches,
        "an instruction that names the control register needs {Switch}";
    Source UpToGen45 ["g45.addr.uw-for-indirect", "g45.addr.properties"]
        about |f, s| f.is_data() && s.arf() == Some(ArfKind::Address),
        holds |_, s| s.data_type.size() >= 2,
        "the address register is read in whole words; use :uw";
    Destination UpToGen45 ["g45.addr.uw-for-indirect", "g45.addr.properties"]
        about |f, d| f.is_data() && d.arf() == Some(ArfKind::Address),
        holds |_, d| d.data_type.size() >= 2,
        "the address register is written in whole words; use :uw";
    Source UpToGen45 ["g45.flag.properties"]
        about |f, s| f.is_data() && s.arf() == Some(ArfKind::Flag),
        holds |_, s| s.data_type.size() >= 2,
        "the flag register is read in whole words; use :uw";
    Destination UpToGen45 ["g45.flag.properties"]
        about |f, d| f.is_data() && d.arf() == Some(ArfKind::Flag),
        holds |_, d| d.data_type.size() >= 2,
        "the flag register is written in whole words; use :uw";
    Source UpToGen45 ["g45.mask.properties"]
        about |f, s| f.is_data() && s.arf() == Some(ArfKind::Mask),
        holds |_, s| s.data_type.size() >= 2,
        "a mask register is read in whole words; use :uw";
    Destination UpToGen45 ["g45.mask.properties"]
        about |f, d| f.is_data() && d.arf() == Some(ArfKind::Mask),
        holds |_, d| d.data_type.size() >= 2,
        "a mask register is written in whole words; use :uw";
    Source UpToGen45 ["g45.cr.encoding"]
        about |f, s| f.is_data() && s.arf() == Some(ArfKind::Control),
        holds |_, s| s.data_type.size() >= 4,
        "the control register is read in whole doublewords; use :ud";
    Destination UpToGen45 ["g45.cr.encoding"]
        about |f, d| f.is_data() && d.arf() == Some(ArfKind::Control),
        holds |_, d| d.data_type.size() >= 4,
        "the control register is written in whole doublewords; use :ud";
    Source UpToGen45 ["g45.ip.properties"]
        about |f, s| f.is_data() && s.arf() == Some(ArfKind::InstructionPointer),
        holds |_, s| s.data_type.size() >= 4,
        "ip is read in whole doublewords; use :ud";
    Destination UpToGen45 ["g45.ip.properties"]
        about |f, d| f.is_data() && d.arf() == Some(ArfKind::InstructionPointer),
        holds |_, d| d.data_type.size() >= 4,
        "ip is written in whole doublewords; use :ud";
}

fn names_arf(register: Option<Register>) -> bool {
    matches!(register, Some(Register::Direct { file: RegisterFile::Arf, .. }))
}

fn switches(f: &Facts) -> bool {
    // Decision D-eu-mask-switch.
    f.instruction.thread_control == ThreadControl::Switch
}

/// The registers of a kind.
struct Listed {
    /// How many there are.
    registers: u8,
    /// Bytes between the starts of subregisters.
    step: u8,
    /// How many subregisters there are.
    subregisters: u8,
}

const fn listed(registers: u8, step: u8, subregisters: u8) -> Listed {
    Listed { registers, step, subregisters }
}

/// Tables 11-6 to 11-28: in the order of [`ArfKind::ALL`].
static LISTED: [Listed; ArfKind::ALL.len()] = [
    listed(16, 1, 32),
    listed(1, 2, 8),
    listed(2, 1, 1),
    listed(1, 2, 2),
    listed(1, 2, 4),
    listed(1, 16, 2),
    listed(1, 2, 2),
    listed(1, 1, 8),
    listed(1, 4, 3),
    listed(2, 4, 1),
    listed(1, 4, 1),
];

/// Whether a register of the architecture file is one of those the manual lists.
fn exists(register: Register) -> bool {
    let (Some(kind), Register::Direct { number, subregister, .. }) = (register.arf(), register)
    else {
        return true;
    };
    let listed = &LISTED[usize::from(kind.code())];
    number & 0xF < listed.registers
        && subregister.is_multiple_of(listed.step)
        && subregister / listed.step < listed.subregisters
}
