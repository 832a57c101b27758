//! Branches, loops, mask stack instructions and wait.

use super::prelude::*;

/// Branches: which bits of their exit code must be zero, and how many levels they must pop.
macro_rules! with_exit_codes {
    ($($opcode:ident $mnemonic:literal $reserved:literal $pops:expr;)* | $($rest:tt)*) => {
        checks! {
            $(Source UpToGen45 [concat!("g45.inst.", $mnemonic, ".exit-code")]
                about |f, s| f.opcode == Opcode::$opcode && s.index == 1 && s.is_immediate(),
                holds |_, s| is_exit_code(s, $reserved, $pops),
                concat!("the exit code of ", $mnemonic, " must be an immediate of type :d with zeros in its reserved bits and, for else and endif, a pop count of 1");
            Source UpToGen45 [concat!("g45.inst.", $mnemonic, ".exit-code")]
                about |f, s| f.opcode == Opcode::$opcode && f.opcode != Opcode::Else && s.index == 1,
                holds |_, s| s.is_immediate(),
                concat!("the exit code of ", $mnemonic, " must be an immediate");)*
            $($rest)*
        }
    };
}

with_exit_codes! {
    If "if" 0xFFFF_0000 None;
    Iff "iff" 0xFFFF_0000 None;
    Else "else" 0xFFF0_0000 Some(1);
    Endif "endif" 0xFFF0_FFFF Some(1);
    While "while" 0xFFFF_0000 None;
    Break "break" 0xFFF0_0000 None;
    Cont "cont" 0xFFF0_0000 None;
    Halt "halt" 0xFFFF_0000 None;
    |
    Source UpToGen45 ["g45.inst.else.imm-only"]
        about |f, s| f.opcode == Opcode::Else && s.index == 1,
        holds |_, s| s.is_immediate(),
        "the exit code of else must be an immediate";
    Instruction UpToGen45 ["g45.inst.break.ip-operands"]
        about |f| f.opcode == Opcode::Break,
        holds names_ip,
        "the destination and src0 of break must be ip";
    Instruction UpToGen45 ["g45.inst.cont.ip-operands"]
        about |f| f.opcode == Opcode::Cont,
        holds names_ip,
        "the destination and src0 of cont must be ip";
    Instruction UpToGen45 ["g45.inst.else.ip-operands"]
        about |f| f.opcode == Opcode::Else,
        holds names_ip,
        "the destination and src0 of else must be ip";
    Instruction UpToGen45 ["g45.inst.halt.ip-operands"]
        about |f| f.opcode == Opcode::Halt,
        holds names_ip,
        "the destination and src0 of halt must be ip";
    Instruction UpToGen45 ["g45.inst.jmpi.ip-operands"]
        about |f| f.opcode == Opcode::Jmpi,
        holds names_ip,
        "the destination and src0 of jmpi must be ip";
    Instruction UpToGen45 ["g45.inst.while.ip-operands"]
        about |f| f.opcode == Opcode::While,
        holds names_ip,
        "the destination and src0 of while must be ip";
    Instruction UpToGen45 ["g45.inst.if.exit-code"]
        about |f| f.opcode == Opcode::If,
        holds names_ip,
        "the destination and src0 of if must be ip";
    Instruction UpToGen45 ["g45.inst.iff.exit-code"]
        about |f| f.opcode == Opcode::Iff,
        holds names_ip,
        "the destination and src0 of iff must be ip";
    Instruction UpToGen45 ["g45.inst.jmpi.execsize"]
        about |f| f.opcode == Opcode::Jmpi,
        holds |f| f.channels == 1,
        "jmpi is scalar; use an execution size of 1";
    Instruction UpToGen45 ["g45.inst.jmpi.nomask"] practice "gen4-jmpi-mask"
        about |f| f.opcode == Opcode::Jmpi,
        holds |f| f.instruction.no_mask,
        "jmpi needs {NoMask}";
    Source UpToGen45 ["g45.inst.jmpi.type"]
        about |f, s| f.opcode == Opcode::Jmpi && s.index == 1,
        holds |_, s| s.data_type == DataType::D && (s.is_immediate() || s.is_scalar()),
        "the index of jmpi must be of type :d, an immediate or a scalar register <0;1,0>";
    Destination UpToGen45 ["g45.mask.eval.flow-align16"]
        about |f, _| is_flow(f.opcode) && f.is_align16(),
        holds |_, d| d.region == DestinationRegion::ChannelEnable(0xF),
        "an Align16 branch loses the channels its destination does not enable; use Align1, or \
         enable xyzw";
    Source UpToGen45 ["g45.compact.target-align"]
        about |f, s| {
            f.opcode == Opcode::Add && names_ip(f) && s.index == 1 && s.data_type.size() == 4
        },
        holds |_, s| s.immediate().is_none_or(|distance| distance.is_multiple_of(16)),
        "a jump must lead to a multiple of 16 bytes; change the distance";
    Instruction UpToGen45 ["g45.inst.mrest.scalar"]
        about |f| f.opcode == Opcode::Mrest,
        holds |f| f.channels == 1,
        "mrest must have an execution size of 1";
    Instruction UpToGen45 ["g45.inst.msave.scalar"]
        about |f| f.opcode == Opcode::Msave,
        holds |f| f.channels == 1,
        "msave must have an execution size of 1; it saves all channels nevertheless";
    Instruction UpToGen45 ["g45.inst.push.scalar"]
        about |f| f.opcode == Opcode::Push,
        holds |f| f.channels == 1,
        "push must have an execution size of 1";
    Instruction UpToGen45 ["g45.inst.pop.scalar"]
        about |f| f.opcode == Opcode::Pop,
        holds |f| f.channels == 1,
        "pop must have an execution size of 1";
    Instruction UpToGen45 ["g45.inst.msave.operand-types"]
        about |f| f.opcode == Opcode::Msave,
        holds |f| moves(f, ArfKind::MaskStack, ArfKind::Mask),
        "msave saves a mask register to a mask stack, both unsigned and without modifier, as in \
         msave (1) ms0.0:uw mask0.1:uw";
    Instruction UpToGen45 ["g45.inst.push.operand-types"]
        about |f| f.opcode == Opcode::Push,
        holds |f| moves(f, ArfKind::MaskStack, ArfKind::Mask),
        "push pushes a mask register on a mask stack, both unsigned and without modifier, as in \
         push (1) ms0.0:uw mask0.1:uw";
    Instruction UpToGen45 ["g45.inst.mrest.operand-types"]
        about |f| f.opcode == Opcode::Mrest,
        holds |f| moves(f, ArfKind::Mask, ArfKind::MaskStack),
        "mrest restores a mask register from a mask stack, both unsigned and without modifier, \
         as in mrest (1) mask0.1:uw ms0.0:uw";
    Instruction UpToGen45 ["g45.inst.pop.operand-types"]
        about |f| f.opcode == Opcode::Pop,
        holds pops,
        "pop takes an unsigned mask stack (also or null as its destination) and a depth, without \
         modifiers";
    Source UpToGen45 ["g45.inst.pop.depth-range"]
        about |f, s| f.opcode == Opcode::Pop && s.index == 1,
        holds |_, s| s.data_type == DataType::Ud && s.immediate().is_none_or(|depth| depth < 16),
        "the depth of pop is a :ud from 0 to 15";
    Instruction UpToGen45 ["g45.inst.wait.operands"]
        about |f| f.opcode == Opcode::Wait,
        holds waits,
        "wait names n0 or n1 both as destination and src0, and null as src1";
    Instruction UpToGen45 ["g45.inst.wait.execsize"]
        about |f| f.opcode == Opcode::Wait,
        holds |f| f.channels == 1,
        "wait is scalar; use an execution size of 1";
    Instruction FromGen7 ["leg.cf.jmpi"]
        about |f| f.opcode == Opcode::Jmpi,
        holds |f| f.channels == 1 && f.instruction.no_mask,
        "jmpi has one channel and {NoMask}";
    Source FromGen7 ["leg.cf.jmpi-src"]
        about |f, _| f.opcode == Opcode::Jmpi,
        holds |_, s| s.data_type == DataType::D && (s.is_immediate() || s.is_scalar()),
        "the index of jmpi is one :d";
    Instruction Gen7To9 ["leg.cf.branch-align"]
        about |f| f.is_branch(),
        holds |f| !f.is_align16(),
        "branches are Align1";
    Destination FromGen7 ["leg.cf.call-dst", "gen7.isa.cf.call-dst"]
        about |f, _| f.is_any(&[Opcode::Call, Opcode::Calla]),
        holds |f, d| d.is_general_direct() && d.subregister() % 8 == 0 && f.channels >= 2,
        "call writes two doublewords that start at a multiple of 8 bytes, and has at least two channels";
    Destination Gen7 ["leg.cf.call-dst", "gen7.isa.cf.call-dst"]
        about |f, _| f.is_any(&[Opcode::Call, Opcode::Calla]),
        holds |_, d| is_dword(d.data_type) && d.stride() == 1,
        "call writes two doublewords: its destination is <1>:ud or <1>:d";
    Source FromGen7 ["leg.cf.ret-src"]
        about |f, _| f.opcode == Opcode::Ret,
        holds |_, s| s.is_general(),
        "ret reads the two doublewords that call wrote, from a general register";
    Source Gen7 ["leg.cf.ret-src"]
        about |f, s| f.opcode == Opcode::Ret && s.is_general(),
        holds |_, s| is_dword(s.data_type),
        "ret reads two doublewords: its source is :ud or :d";
    Instruction Gen7 ["leg.cf.brd-brc-thread"]
        about |f| f.is_any(&[Opcode::Brd, Opcode::Brc]),
        holds |f| f.instruction.thread_control == ThreadControl::Switch,
        "brd and brc must have {Switch} on this device";
}

fn is_flow(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(opcode, Jmpi | If | Iff | Else | While | Break | Cont | Halt)
}

fn is_exit_code(s: &SourceFacts, reserved: u64, pops: Option<u64>) -> bool {
    let Some(code) = s.immediate() else { return false };
    s.data_type == DataType::D
        && code & reserved == 0
        && pops.is_none_or(|pops| code >> 16 & 0xF == pops)
}

fn destination_is(f: &Facts, kind: ArfKind) -> bool {
    f.destination.as_ref().is_some_and(|d| d.arf() == Some(kind))
}

fn source_is(f: &Facts, kind: ArfKind) -> bool {
    f.source(0).is_some_and(|source| source.arf() == Some(kind))
}

fn names_ip(f: &Facts) -> bool {
    let ip = ArfKind::InstructionPointer;
    destination_is(f, ip) && source_is(f, ip)
}

fn is_unsigned(data_type: DataType) -> bool {
    [DataType::Ub, DataType::Uw, DataType::Ud].contains(&data_type)
}

fn is_plain(f: &Facts) -> bool {
    let source = f.source(0);
    source.is_some_and(|source| is_unsigned(source.data_type) && !source.is_modified())
}

fn moves(f: &Facts, to: ArfKind, from: ArfKind) -> bool {
    let unsigned = |d: &DestinationFacts| is_unsigned(d.data_type);
    destination_is(f, to)
        && source_is(f, from)
        && is_plain(f)
        && f.destination.as_ref().is_some_and(unsigned)
}

fn pops(f: &Facts) -> bool {
    let stack = ArfKind::MaskStack;
    (destination_is(f, stack) || destination_is(f, ArfKind::Null))
        && source_is(f, stack)
        && is_plain(f)
        && f.source(1).is_some_and(|depth| !depth.is_modified())
}

fn waits(f: &Facts) -> bool {
    let notification = ArfKind::Notification;
    let same = f.source(0).map(SourceFacts::number)
        == f.destination.as_ref().map(DestinationFacts::number);
    destination_is(f, notification)
        && source_is(f, notification)
        && same
        && f.source(1).is_some_and(SourceFacts::is_null)
}
