//! Register files and architecture registers (sections 11.2, 11.3.2 to 11.3.4). Of {Switch}: decision
//! D-eu-mask-switch.

use super::prelude::*;

/// The table, with rows for registers that are read and written in whole elements of some bytes.
macro_rules! with_whole_elements {
    ($($kind:ident $bytes:literal $name:literal $elements:literal [$($id:literal),+];)* | $($rest:tt)*) => {
        checks! {
            $($rest)*
            $(Source UpToGen45 [$($id),+]
                about |f, s| f.is_data() && s.is_arf(ArfKind::$kind),
                holds |_, s| s.data_type.size() >= $bytes,
                concat!($name, " is read in whole ", $elements);
            Destination UpToGen45 [$($id),+]
                about |f, d| f.is_data() && d.is_arf(ArfKind::$kind),
                holds |_, d| d.data_type.size() >= $bytes,
                concat!($name, " is written in whole ", $elements);)*
        }
    };
}

with_whole_elements! {
    Address 2 "the address register" "words; use :uw" ["g45.addr.uw-for-indirect", "g45.addr.properties"];
    Flag 2 "the flag register" "words; use :uw" ["g45.flag.properties"];
    Mask 2 "a mask register" "words; use :uw" ["g45.mask.properties"];
    Control 4 "the control register" "doublewords; use :ud" ["g45.cr.encoding"];
    InstructionPointer 4 "ip" "doublewords; use :ud" ["g45.ip.properties"];
    |
    Source UpToGen45 ["g45.mrf.dest-only", "g45.dw1.mrf-source", "g45.msg.mrf.write-only"]
        holds |_, s| !s.is_in(RegisterFile::Mrf),
        "message registers cannot be read; keep the value in a general register";
    Operand UpToGen45 ["g45.arf.reserved-type", "g45.arf.types"]
        about |_, o| o.is_in(RegisterFile::Arf) && !o.is_indirect(),
        holds |_, o| o.arf().is_some(),
        "there is no such architecture register";
    Operand UpToGen45 ["g45.arf.subregnum"]
        about |_, o| !o.is_null(),
        holds |_, o| o.register().is_none_or(exists),
        "there is no such register or subregister";
    Destination UpToGen45 ["g45.asm.dst.readonly"]
        about |f, _| f.opcode != Opcode::Wait,
        holds |_, d| !d.is_arf(ArfKind::State) && !d.is_arf(ArfKind::Notification),
        "sr0 and the notification registers cannot be written";
    Source UpToGen45 ["g45.mstack.whole-access"]
        about |f, s| f.is_data() && s.is_arf(ArfKind::MaskStack),
        holds |f, s| f.native * s.data_type.size() >= 16,
        "a mask stack is read whole: 16 bytes for one stack, as in 8 channels of :uw";
    Destination UpToGen45 ["g45.mstack.whole-access"]
        about |f, d| f.is_data() && d.is_arf(ArfKind::MaskStack),
        holds |f, d| f.native * d.step() >= 16,
        "a mask stack is written whole: 16 bytes for one stack, as in 8 channels of :uw";
    Instruction Gen45 ["g45.mask.switch"]
        about |f| f.is_data() && f.names_arf(ArfKind::Mask),
        holds |f| f.switches(),
        "an instruction that names a mask register needs {Switch}";
    Instruction Gen45 ["g45.mstack.switch"]
        about |f| f.is_data() && f.names_arf(ArfKind::MaskStack),
        holds |f| f.switches(),
        "an instruction that names a mask stack needs {Switch}";
    Instruction Gen45 ["g45.mdepth.switch"]
        about |f| f.is_data() && f.names_arf(ArfKind::MaskStackDepth),
        holds |f| f.switches(),
        "an instruction that names the mask stack depth needs {Switch}";
    Instruction UpToGen45 ["g45.cr.switch"]
        about |f| f.is_data() && f.names_arf(ArfKind::Control),
        holds |f| f.switches(),
        "an instruction that names the control register needs {Switch}";
}

/// Tables 11-6 to 11-28: how many registers of a kind there are, bytes between the starts of subregisters, how
/// many subregisters there are; in the order of [`ArfKind::ALL`].
static LISTED: [(u8, u8, u8); ArfKind::ALL.len()] = [
    (16, 1, 32),
    (1, 2, 8),
    (2, 1, 1),
    (1, 2, 2),
    (1, 2, 4),
    (1, 16, 2),
    (1, 2, 2),
    (1, 1, 8),
    (1, 4, 3),
    (2, 4, 1),
    (1, 4, 1),
];

/// Whether a register of the architecture file is one of those the manual lists.
fn exists(register: Register) -> bool {
    let (Some(kind), Register::Direct { number, subregister, .. }) = (register.arf(), register)
    else {
        return true;
    };
    let (registers, step, subregisters) = LISTED[usize::from(kind.code())];
    number & 0xF < registers
        && subregister.is_multiple_of(step)
        && subregister / step < subregisters
}
