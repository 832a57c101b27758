//! Operands and instructions that programs with control flow are made of.

use parallax_isa::{
    device::Generation,
    eu::{
        DataType, Instruction, Opcode,
        instruction::{Branch, SyncFunction, ThreadControl},
        operand::{
            Destination, DestinationRegion, Region, Register, Source, SourceModifier,
            VerticalStride,
        },
        register::{ArfKind, RegisterFile},
    },
};

/// `istack`, `imask` and the like.
pub(super) fn architecture(kind: ArfKind, subregister: u8) -> Register {
    Register::Direct { file: RegisterFile::Arf, number: kind.code() << 4, subregister }
}

/// A general register.
pub(super) fn general(number: u8, subregister: u8) -> Register {
    Register::Direct { file: RegisterFile::Grf, number, subregister }
}

pub(super) fn to(register: Register, data_type: DataType) -> Destination {
    Destination { register, data_type, region: DestinationRegion::Stride(1) }
}

pub(super) fn scalar(register: Register, data_type: DataType) -> Source {
    let (region, modifier) = (Region::SCALAR, SourceModifier::default());
    Source::Register { register, data_type, region, modifier }
}

pub(super) fn constant(data_type: DataType, bits: u32) -> Source {
    Source::Immediate { data_type, bits: bits.into() }
}

pub(super) const IP: ArfKind = ArfKind::InstructionPointer;

/// An instruction on the first channel, whatever is enabled.
pub(super) fn single(opcode: Opcode, into: Destination, sources: [Source; 2]) -> Instruction {
    Instruction {
        no_mask: true,
        thread_control: ThreadControl::Switch,
        destination: into,
        sources: [sources[0], sources[1], Source::ABSENT],
        ..Instruction::bare(opcode)
    }
}

/// `jmpi` by an index, an immediate or a register. Gen12 has it as a branch with a distance.
pub(super) fn jmpi(generation: Generation, index: Source) -> Instruction {
    let bare = Instruction { no_mask: true, ..Instruction::bare(Opcode::Jmpi) };
    let ip = architecture(IP, 0);
    match index {
        _ if generation < Generation::Gen12 => Instruction {
            destination: to(ip, DataType::Ud),
            sources: [scalar(ip, DataType::Ud), index, Source::ABSENT],
            ..bare
        },
        Source::Register { .. } => Instruction {
            sources: [index, Source::ABSENT, Source::ABSENT],
            branch: Some(Branch::default()),
            ..bare
        },
        Source::Immediate { bits, .. } => Instruction {
            branch: Some(Branch { jip: Some(bits as i32), ..Branch::default() }),
            ..bare
        },
    }
}

/// Moves or combines scalars, whatever is enabled.
pub(super) fn scalar_move(into: Destination, source: Source) -> Instruction {
    single(Opcode::Mov, into, alone(source))
}

/// The sources of an instruction that has one: beside an immediate the other is of its type.
pub(super) fn alone(source: Source) -> [Source; 2] {
    match source {
        Source::Immediate { data_type, .. } => [source, Source::null(data_type)],
        Source::Register { .. } => [source, Source::ABSENT],
    }
}

/// Waits at a notification register.
pub(super) fn wait(register: Register) -> Instruction {
    Instruction {
        destination: to(register, DataType::Ud),
        sources: [scalar(register, DataType::Ud), Source::ABSENT, Source::ABSENT],
        ..Instruction::bare(Opcode::Wait)
    }
}

pub(super) fn sync(function: SyncFunction) -> Instruction {
    let sources = [Source::null(DataType::Ub), Source::ABSENT, Source::ABSENT];
    Instruction { sync: Some(function), sources, ..Instruction::bare(Opcode::Sync) }
}

/// What `ret` goes by: where a call left the address and the channels that go on there.
pub(super) fn return_address(link: Register) -> Source {
    Source::Register {
        register: link,
        data_type: DataType::Ud,
        region: Region::Align1 { vertical: VerticalStride::Elements(2), width: 2, horizontal: 1 },
        modifier: SourceModifier::default(),
    }
}

/// A branch with `ip` operands and an exit code.
pub(super) fn branch(opcode: Opcode, width: u8, code: u32) -> Instruction {
    let mut instruction = Instruction { execution_size: width, ..Instruction::bare(opcode) };
    if opcode == Opcode::Do {
        return instruction;
    }
    if opcode != Opcode::Endif {
        instruction.destination = to(architecture(IP, 0), DataType::Ud);
        instruction.sources[0] = scalar(architecture(IP, 0), DataType::Ud);
    }
    instruction.sources[1] = constant(DataType::D, code);
    instruction
}

/// `push`, `pop`, `msave` or `mrest` between the IStack and IMask, or the LStack and another mask.
pub(super) fn mask_stack(opcode: Opcode, stack: u8, mask: u8, levels: u32) -> Instruction {
    let stack = architecture(ArfKind::MaskStack, 16 * stack);
    let mask = architecture(ArfKind::Mask, 2 * mask);
    let data_type = DataType::Uw;
    let (into, from) = match opcode {
        Opcode::Mrest => (mask, stack),
        Opcode::Pop => (stack, stack),
        _ => (stack, mask),
    };
    let second = match opcode {
        Opcode::Pop => constant(DataType::Ud, levels),
        _ => Source::null(DataType::Ud),
    };
    Instruction {
        destination: to(into, data_type),
        sources: [scalar(from, data_type), second, Source::ABSENT],
        // 965 and 965GM want this, or a distance to the next branch.
        thread_control: ThreadControl::Switch,
        ..Instruction::bare(opcode)
    }
}
