//! Instructions to start from.

pub(super) use crate::eu::{
    DataType::{self, *},
    Instruction, Opcode,
    instruction::{
        AccessMode, Compression, ConditionalModifier, Descriptor, Message, Predicate,
        PredicateControl, ThreadControl,
    },
    operand::{
        Destination, DestinationRegion, Region, Register, Source, SourceModifier, VerticalStride,
    },
    register::RegisterFile,
};

pub(super) const NULL: Register = Register::NULL;
pub(super) const ADDRESS: u8 = 0x10;
pub(super) const ACC0: u8 = 0x20;
pub(super) const ACC1: u8 = 0x21;
pub(super) const FLAG: u8 = 0x30;
pub(super) const MASK: u8 = 0x40;
pub(super) const MASK_STACK: u8 = 0x50;
pub(super) const STATE: u8 = 0x70;
pub(super) const CONTROL: u8 = 0x80;
pub(super) const NOTIFICATION: u8 = 0x90;
pub(super) const IP: u8 = 0xA0;

pub(super) fn r(number: u8) -> Register {
    rb(number, 0)
}

/// A general register at a byte offset.
pub(super) fn rb(number: u8, subregister: u8) -> Register {
    Register::Direct { file: RegisterFile::Grf, number, subregister }
}

pub(super) fn m(number: u8) -> Register {
    Register::Direct { file: RegisterFile::Mrf, number, subregister: 0 }
}

pub(super) fn arf(number: u8) -> Register {
    arfb(number, 0)
}

/// An architecture register at a byte offset.
pub(super) fn arfb(number: u8, subregister: u8) -> Register {
    Register::Direct { file: RegisterFile::Arf, number, subregister }
}

/// `r[a0.n, offset]`.
pub(super) fn ri(address_subregister: u8, offset: i16) -> Register {
    Register::Indirect { file: RegisterFile::Grf, address_subregister, offset }
}

pub(super) const fn align1(vertical: u8, width: u8, horizontal: u8) -> Region {
    Region::Align1 { vertical: VerticalStride::Elements(vertical), width, horizontal }
}

pub(super) const fn per_row(width: u8, horizontal: u8) -> Region {
    Region::Align1 { vertical: VerticalStride::PerRowAddress, width, horizontal }
}

pub(super) const fn align16(vertical: u8) -> Region {
    Region::Align16 { vertical: VerticalStride::Elements(vertical), swizzle: [0, 1, 2, 3] }
}

pub(super) const V8: Region = align1(8, 8, 1);
pub(super) const V16: Region = align1(16, 16, 1);
pub(super) const SCALAR: Region = Region::SCALAR;

pub(super) fn src(register: Register, data_type: DataType, region: Region) -> Source {
    Source::Register { register, data_type, region, modifier: SourceModifier::default() }
}

pub(super) fn modified(source: Source, absolute: bool, negate: bool) -> Source {
    let Source::Register { register, data_type, region, .. } = source else { return source };
    Source::Register { register, data_type, region, modifier: SourceModifier { absolute, negate } }
}

pub(super) fn absolute(source: Source) -> Source {
    modified(source, true, false)
}

pub(super) fn imm(data_type: DataType, bits: u32) -> Source {
    Source::Immediate { data_type, bits: bits.into() }
}

pub(super) fn dst(register: Register, data_type: DataType, stride: u8) -> Destination {
    Destination { register, data_type, region: DestinationRegion::Stride(stride) }
}

pub(super) fn unary(
    opcode: Opcode,
    size: u8,
    destination: Destination,
    source: Source,
) -> Instruction {
    Instruction {
        execution_size: size,
        destination,
        sources: [source, Source::ABSENT, Source::ABSENT],
        ..Instruction::bare(opcode)
    }
}

pub(super) fn binary(
    opcode: Opcode,
    size: u8,
    destination: Destination,
    first: Source,
    second: Source,
) -> Instruction {
    Instruction {
        execution_size: size,
        destination,
        sources: [first, second, Source::ABSENT],
        ..Instruction::bare(opcode)
    }
}

/// `op (8) r10<1> r2<8;8,1> r4<8;8,1>`, all of one type.
pub(super) fn op(opcode: Opcode, data_type: DataType) -> Instruction {
    let source = |number| src(r(number), data_type, V8);
    binary(opcode, 8, dst(r(10), data_type, 1), source(2), source(4))
}

/// `op (8) r10<1> r2<8;8,1>`, of one type.
pub(super) fn op1(opcode: Opcode, data_type: DataType) -> Instruction {
    unary(opcode, 8, dst(r(10), data_type, 1), src(r(2), data_type, V8))
}

pub(super) fn add() -> Instruction {
    op(Opcode::Add, F)
}

pub(super) fn mov() -> Instruction {
    op1(Opcode::Mov, F)
}

/// An instruction changed in some way.
pub(super) fn with(
    mut instruction: Instruction,
    change: impl FnOnce(&mut Instruction),
) -> Instruction {
    change(&mut instruction);
    instruction
}

/// The same on 16 channels, compressed.
pub(super) fn compressed(instruction: Instruction) -> Instruction {
    Instruction { execution_size: 16, compression: Compression::Compressed, ..instruction }
}

pub(super) fn saturated(instruction: Instruction) -> Instruction {
    Instruction { saturate: true, ..instruction }
}

pub(super) fn predicated(instruction: Instruction) -> Instruction {
    let predicate = Predicate { control: PredicateControl::Sequential, inverse: false };
    Instruction { predicate, ..instruction }
}

pub(super) fn conditional(instruction: Instruction) -> Instruction {
    Instruction { condition: ConditionalModifier::Greater, ..instruction }
}

pub(super) fn switching(instruction: Instruction) -> Instruction {
    Instruction { thread_control: ThreadControl::Switch, ..instruction }
}

pub(super) fn sel() -> Instruction {
    predicated(op(Opcode::Sel, F))
}

pub(super) fn cmp(opcode: Opcode) -> Instruction {
    conditional(op(opcode, F))
}

pub(super) fn lzd() -> Instruction {
    op1(Opcode::Lzd, Ud)
}

/// `line (8) r10<1>:f r2.0<0;1,0>:f r4<8;8,1>:f`, and pln likewise.
pub(super) fn line(opcode: Opcode) -> Instruction {
    with(op(opcode, F), |i| i.sources[0] = src(r(2), F, SCALAR))
}

pub(super) fn sad(opcode: Opcode) -> Instruction {
    binary(opcode, 8, dst(r(10), Uw, 1), src(r(2), Ub, V8), src(r(4), Ub, V8))
}

/// `movi (8) r10<1>:ub r[a0.0]<8;8,1>:ub`.
pub(super) fn movi() -> Instruction {
    unary(Opcode::Movi, 8, dst(r(10), Ub, 1), src(ri(0, 0), Ub, V8))
}

/// A mov to an Align16 destination.
pub(super) fn mov16() -> Instruction {
    let destination = Destination {
        register: r(10),
        data_type: F,
        region: DestinationRegion::ChannelEnable(0xF),
    };
    Instruction {
        access_mode: AccessMode::Align16,
        ..unary(Opcode::Mov, 8, destination, src(r(2), F, align16(4)))
    }
}

/// A branch with an exit code; jmpi with what it needs besides.
pub(super) fn branch(opcode: Opcode, exit_code: u32) -> Instruction {
    let ip = src(arf(IP), D, SCALAR);
    Instruction {
        no_mask: opcode == Opcode::Jmpi,
        execution_size: if opcode == Opcode::Jmpi { 1 } else { 8 },
        ..binary(opcode, 8, dst(arf(IP), D, 1), ip, imm(D, exit_code))
    }
}

pub(super) fn endif() -> Instruction {
    Instruction {
        execution_size: 8,
        sources: [Source::ABSENT, imm(D, 0x1_0000), Source::ABSENT],
        ..Instruction::bare(Opcode::Endif)
    }
}

pub(super) fn push(opcode: Opcode) -> Instruction {
    unary(opcode, 1, dst(arf(MASK_STACK), Uw, 1), src(arfb(MASK, 2), Uw, SCALAR))
}

pub(super) fn mrest() -> Instruction {
    unary(Opcode::Mrest, 1, dst(arfb(MASK, 2), Uw, 1), src(arf(MASK_STACK), Uw, SCALAR))
}

pub(super) fn pop() -> Instruction {
    let stack = arf(MASK_STACK);
    binary(Opcode::Pop, 1, dst(stack, Uw, 1), src(stack, Uw, SCALAR), imm(Ud, 2))
}

pub(super) fn wait() -> Instruction {
    let n0 = arf(NOTIFICATION);
    binary(Opcode::Wait, 1, dst(n0, Ud, 1), src(n0, Ud, SCALAR), Source::null(Ud))
}

/// A message of two registers from m1 on with a response of one.
pub(super) fn send() -> Instruction {
    send_with(0x0421_0000)
}

pub(super) fn send_with(descriptor: u32) -> Instruction {
    let message = Message::of_registers(1, Descriptor::Immediate(descriptor), false);
    Instruction {
        message: Some(message),
        ..unary(Opcode::Send, 8, dst(r(10), Ud, 1), src(r(2), Ud, V8))
    }
}

/// The last message of a thread, pixels to the data port.
pub(super) fn last_send() -> Instruction {
    with(send_with(0x0520_4400), |i| {
        i.destination = dst(NULL, Ud, 1);
        i.message.as_mut().unwrap().end_of_thread = true;
    })
}
