//! Branches, loops, mask stack instructions and wait.

use super::prelude::*;

checks! {
    Source UpToGen45 [each "g45.inst." If "if" Iff "iff" Else "else" Endif "endif" While "while"
            Break "break" Cont "cont" Halt "halt" => ".exit-code"]
        about |_, s| s.index == 1 && s.is_immediate(),
        holds is_exit_code,
        "the exit code of {op} must be an immediate of type :d with zeros in its reserved bits and, \
         for else and endif, a pop count of 1";
    Source UpToGen45 [each "g45.inst." If "if" Iff "iff" Endif "endif" While "while" Break "break"
            Cont "cont" Halt "halt" => ".exit-code"]
        | UpToGen45 ["g45.inst.else.imm-only"] of [Else]
        about |_, s| s.index == 1,
        holds |_, s| s.is_immediate(),
        "the exit code of {op} must be an immediate";
    Instruction UpToGen45 [each "g45.inst." Break "break" Cont "cont" Else "else" Halt "halt"
            Jmpi "jmpi" While "while" => ".ip-operands"]
        | UpToGen45 [each "g45.inst." If "if" Iff "iff" => ".exit-code"]
        holds names_ip,
        "the destination and src0 of {op} must be ip";
    Instruction UpToGen45 ["g45.inst.jmpi.execsize"] of [Jmpi]
        holds |f| f.channels == 1,
        "jmpi is scalar; use an execution size of 1";
    Instruction UpToGen45 ["g45.inst.jmpi.nomask"] of [Jmpi] practice "gen4-jmpi-mask"
        holds |f| f.instruction.no_mask,
        "jmpi needs {NoMask}";
    Instruction FromGen7 ["leg.cf.jmpi"] of [Jmpi]
        holds |f| f.channels == 1 && f.instruction.no_mask,
        "jmpi has one channel and {NoMask}";
    Source UpToGen45 ["g45.inst.jmpi.type"] of [Jmpi]
        says "the index of jmpi must be of type :d, an immediate or a scalar register <0;1,0>"
        | FromGen7 ["leg.cf.jmpi-src"] of [Jmpi] says "the index of jmpi is one :d"
        about |f, s| s.index == 1 || f.generation == Generation::Gen12,
        holds |_, s| s.data_type == DataType::D && (s.is_immediate() || s.is_scalar());
    Destination UpToGen45 ["g45.mask.eval.flow-align16"] of [Jmpi, If, Iff, Else, While, Break, Cont, Halt]
        about |f, _| f.is_align16(),
        holds |_, d| d.region == DestinationRegion::ChannelEnable(0xF),
        "an Align16 branch loses the channels its destination does not enable; use Align1, or \
         enable xyzw";
    Source UpToGen45 ["g45.compact.target-align"] of [Add]
        about |f, s| names_ip(f) && s.index == 1 && s.data_type.size() == 4,
        holds |_, s| s.immediate().is_none_or(|distance| distance.is_multiple_of(16)),
        "a jump must lead to a multiple of 16 bytes; change the distance";
    Instruction UpToGen45 [each "g45.inst." Mrest "mrest" Push "push" Pop "pop" => ".scalar"]
        holds |f| f.channels == 1,
        "{op} must have an execution size of 1";
    Instruction UpToGen45 ["g45.inst.msave.scalar"] of [Msave]
        holds |f| f.channels == 1,
        "msave must have an execution size of 1; it saves all channels nevertheless";
    Instruction UpToGen45 ["g45.inst.msave.operand-types"] of [Msave]
        holds |f| moves(f, ArfKind::MaskStack, ArfKind::Mask),
        "msave saves a mask register to a mask stack, both unsigned and without modifier, as in \
         msave (1) ms0.0:uw mask0.1:uw";
    Instruction UpToGen45 ["g45.inst.push.operand-types"] of [Push]
        holds |f| moves(f, ArfKind::MaskStack, ArfKind::Mask),
        "push pushes a mask register on a mask stack, both unsigned and without modifier, as in \
         push (1) ms0.0:uw mask0.1:uw";
    Instruction UpToGen45 ["g45.inst.mrest.operand-types"] of [Mrest]
        holds |f| moves(f, ArfKind::Mask, ArfKind::MaskStack),
        "mrest restores a mask register from a mask stack, both unsigned and without modifier, \
         as in mrest (1) mask0.1:uw ms0.0:uw";
    Instruction UpToGen45 ["g45.inst.pop.operand-types"] of [Pop]
        holds pops,
        "pop takes an unsigned mask stack (also or null as its destination) and a depth, without \
         modifiers";
    Source UpToGen45 ["g45.inst.pop.depth-range"] of [Pop]
        about |_, s| s.index == 1,
        holds |_, s| s.data_type == DataType::Ud && s.immediate().is_none_or(|depth| depth < 16),
        "the depth of pop is a :ud from 0 to 15";
    Instruction UpToGen45 ["g45.inst.wait.operands"] of [Wait]
        holds waits,
        "wait names n0 or n1 both as destination and src0, and null as src1";
    Instruction UpToGen45 ["g45.inst.wait.execsize"] of [Wait]
        holds |f| f.channels == 1,
        "wait is scalar; use an execution size of 1";
    Instruction Gen7To9 ["leg.cf.branch-align"]
        about |f| f.is_branch(),
        holds |f| !f.is_align16(),
        "branches are Align1";
    Destination FromGen7 ["leg.cf.call-dst", "gen7.isa.cf.call-dst"] of [Call, Calla]
        holds |f, d| d.is_general_direct() && d.subregister() % 8 == 0 && f.channels >= 2,
        "call writes two doublewords that start at a multiple of 8 bytes, and has at least two channels";
    Destination Gen7 ["leg.cf.call-dst", "gen7.isa.cf.call-dst"] of [Call, Calla]
        holds |_, d| is_dword(d.data_type) && d.stride() == 1,
        "call writes two doublewords: its destination is <1>:ud or <1>:d";
    Source FromGen7 ["leg.cf.ret-src"] of [Ret]
        holds |_, s| s.is_general(),
        "ret reads the two doublewords that call wrote, from a general register";
    Source Gen7 ["leg.cf.ret-src"] of [Ret]
        about |_, s| s.is_general(),
        holds |_, s| is_dword(s.data_type),
        "ret reads two doublewords: its source is :ud or :d";
    Instruction Gen7 ["leg.cf.brd-brc-thread"] of [Brd, Brc]
        holds |f| f.switches(),
        "brd and brc must have {Switch} on this device";
}

fn is_exit_code(f: &Facts, s: &SourceFacts) -> bool {
    let Some(code) = s.immediate() else { return false };
    let reserved = match f.opcode {
        Opcode::Endif => 0xFFF0_FFFF,
        Opcode::Else | Opcode::Break | Opcode::Cont => 0xFFF0_0000,
        _ => 0xFFFF_0000,
    };
    let pops = !f.is_any(&[Opcode::Else, Opcode::Endif]) || code >> 16 & 0xF == 1;
    s.data_type == DataType::D && code & reserved == 0 && pops
}

/// Whether it has one architecture register as its destination, and one as its first source.
fn is_between(f: &Facts, to: ArfKind, from: ArfKind) -> bool {
    f.writes_arf(to) && f.source(0).is_some_and(|source| source.is_arf(from))
}

fn names_ip(f: &Facts) -> bool {
    is_between(f, ArfKind::InstructionPointer, ArfKind::InstructionPointer)
}

fn is_unsigned(data_type: DataType) -> bool {
    [DataType::Ub, DataType::Uw, DataType::Ud].contains(&data_type)
}

/// Whether its first source is unsigned and has no modifier.
fn is_plain(f: &Facts) -> bool {
    f.source(0).is_some_and(|source| is_unsigned(source.data_type) && !source.is_modified())
}

fn moves(f: &Facts, to: ArfKind, from: ArfKind) -> bool {
    is_between(f, to, from) && is_plain(f) && f.writes(|d| is_unsigned(d.data_type))
}

fn pops(f: &Facts) -> bool {
    let stack = ArfKind::MaskStack;
    (is_between(f, stack, stack) || is_between(f, ArfKind::Null, stack))
        && is_plain(f)
        && f.source(1).is_some_and(|depth| !depth.is_modified())
}

fn waits(f: &Facts) -> bool {
    is_between(f, ArfKind::Notification, ArfKind::Notification)
        && f.source(0).map(|source| source.number()) == f.destination.as_ref().map(|d| d.number())
        && f.source(1).is_some_and(|source| source.is_null())
}
