//! Branches, loops, mask stack instructions and wait (chapter 14).

use super::{
    super::{
        instruction::AccessMode, opcode::Opcode, operand::DestinationRegion, register::ArfKind,
        types::DataType,
    },
    Check, DestinationFacts, Facts, SourceFacts, checks,
    facts::Group,
};

/// Branches: which bits of their exit code must be zero, and how many levels they must pop.
macro_rules! with_exit_codes {
    ($($opcode:ident $mnemonic:literal $reserved:literal $pops:expr;)* | $($rest:tt)*) => {
        checks! {
            $(Source [concat!("g45.inst.", $mnemonic, ".exit-code")]
                about |f, s| f.opcode == Opcode::$opcode && s.index == 1 && s.is_immediate(),
                holds |_, s| is_exit_code(s, $reserved, $pops),
                concat!("the exit code of ", $mnemonic, " must be an immediate of type :d with zeros in its reserved bits and, for else and endif, a pop count of 1");
            Source [concat!("g45.inst.", $mnemonic, ".exit-code")]
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
    Source ["g45.inst.else.imm-only"]
        about |f, s| f.opcode == Opcode::Else && s.index == 1,
        holds |_, s| s.is_immediate(),
        "the exit code of else must be an immediate";
    Instruction ["g45.inst.break.ip-operands"]
        about |f| f.opcode == Opcode::Break,
        holds names_ip,
        "the destination and src0 of break must be ip";
    Instruction ["g45.inst.cont.ip-operands"]
        about |f| f.opcode == Opcode::Cont,
        holds names_ip,
        "the destination and src0 of cont must be ip";
    Instruction ["g45.inst.else.ip-operands"]
        about |f| f.opcode == Opcode::Else,
        holds names_ip,
        "the destination and src0 of else must be ip";
    Instruction ["g45.inst.halt.ip-operands"]
        about |f| f.opcode == Opcode::Halt,
        holds names_ip,
        "the destination and src0 of halt must be ip";
    Instruction ["g45.inst.jmpi.ip-operands"]
        about |f| f.opcode == Opcode::Jmpi,
        holds names_ip,
        "the destination and src0 of jmpi must be ip";
    Instruction ["g45.inst.while.ip-operands"]
        about |f| f.opcode == Opcode::While,
        holds names_ip,
        "the destination and src0 of while must be ip";
    Instruction ["g45.inst.if.exit-code"]
        about |f| f.opcode == Opcode::If,
        holds names_ip,
        "the destination and src0 of if must be ip";
    Instruction ["g45.inst.iff.exit-code"]
        about |f| f.opcode == Opcode::Iff,
        holds names_ip,
        "the destination and src0 of iff must be ip";
    Instruction ["g45.inst.jmpi.execsize"]
        about |f| f.opcode == Opcode::Jmpi,
        holds |f| f.instruction.execution_size == 1,
        "jmpi is scalar; use an execution size of 1";
    Instruction ["g45.inst.jmpi.nomask"] practice "gen4-jmpi-mask"
        about |f| f.opcode == Opcode::Jmpi,
        holds |f| f.instruction.no_mask,
        "jmpi needs {NoMask}";
    Source ["g45.inst.jmpi.type"]
        about |f, s| f.opcode == Opcode::Jmpi && s.index == 1,
        holds |_, s| s.data_type == DataType::D && (s.is_immediate() || s.is_scalar()),
        "the index of jmpi must be of type :d, an immediate or a scalar register <0;1,0>";
    Destination ["g45.mask.eval.flow-align16"]
        about |f, _| f.group == Group::Flow && f.instruction.access_mode == AccessMode::Align16,
        holds |_, d| d.region == DestinationRegion::ChannelEnable(0xF),
        "an Align16 branch loses the channels its destination does not enable; use Align1, or \
         enable xyzw";
    Source ["g45.compact.target-align"]
        about |f, s| {
            f.opcode == Opcode::Add && names_ip(f) && s.index == 1 && s.data_type.size() == 4
        },
        holds |_, s| s.immediate().is_none_or(|distance| distance.is_multiple_of(16)),
        "a jump must lead to a multiple of 16 bytes; change the distance";
    Instruction ["g45.inst.mrest.scalar"]
        about |f| f.opcode == Opcode::Mrest,
        holds |f| f.instruction.execution_size == 1,
        "mrest must have an execution size of 1";
    Instruction ["g45.inst.msave.scalar"]
        about |f| f.opcode == Opcode::Msave,
        holds |f| f.instruction.execution_size == 1,
        "msave must have an execution size of 1; it saves all channels nevertheless";
    Instruction ["g45.inst.push.scalar"]
        about |f| f.opcode == Opcode::Push,
        holds |f| f.instruction.execution_size == 1,
        "push must have an execution size of 1";
    Instruction ["g45.inst.pop.scalar"]
        about |f| f.opcode == Opcode::Pop,
        holds |f| f.instruction.execution_size == 1,
        "pop must have an execution size of 1";
    Instruction ["g45.inst.msave.operand-types"]
        about |f| f.opcode == Opcode::Msave,
        holds |f| moves(f, ArfKind::MaskStack, ArfKind::Mask),
        "msave saves a mask register to a mask stack, both unsigned and without modifier, as in \
         msave (1) ms0.0:uw mask0.1:uw";
    Instruction ["g45.inst.push.operand-types"]
        about |f| f.opcode == Opcode::Push,
        holds |f| moves(f, ArfKind::MaskStack, ArfKind::Mask),
        "push pushes a mask register on a mask stack, both unsigned and without modifier, as in \
         push (1) ms0.0:uw mask0.1:uw";
    Instruction ["g45.inst.mrest.operand-types"]
        about |f| f.opcode == Opcode::Mrest,
        holds |f| moves(f, ArfKind::Mask, ArfKind::MaskStack),
        "mrest restores a mask register from a mask stack, both unsigned and without modifier, \
         as in mrest (1) mask0.1:uw ms0.0:uw";
    Instruction ["g45.inst.pop.operand-types"]
        about |f| f.opcode == Opcode::Pop,
        holds pops,
        "pop takes an unsigned mask stack (also or null as its destination) and a depth, without \
         modifiers";
    Source ["g45.inst.pop.depth-range"]
        about |f, s| f.opcode == Opcode::Pop && s.index == 1,
        holds |_, s| s.data_type == DataType::Ud && s.immediate().is_none_or(|depth| depth < 16),
        "the depth of pop is a :ud from 0 to 15";
    Instruction ["g45.inst.wait.operands"]
        about |f| f.opcode == Opcode::Wait,
        holds waits,
        "wait names n0 or n1 both as destination and src0, and null as src1";
    Instruction ["g45.inst.wait.execsize"]
        about |f| f.opcode == Opcode::Wait,
        holds |f| f.instruction.execution_size == 1,
        "wait is scalar; use an execution size of 1";
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
