//! Which bytes of the general registers an instruction reads and writes, as far as its word says.
//! Registers that an address names are not among them.

use crate::device::Generation;
use crate::eu::{
    instruction::{Descriptor, ExtendedDescriptor, Instruction, MathFunction, Message},
    opcode::{Format, Opcode},
    operand::{
        Destination, DestinationRegion, Region, Register, Source, SourceModifier, VerticalStride,
    },
    register::{REGISTER_BYTES, RegisterFile},
    scoreboard::is_out_of_order,
    state::GRF_COUNT,
};

/// Bytes of the general registers.
const BYTES: usize = GRF_COUNT * REGISTER_BYTES;
const WORDS: usize = BYTES / 64;

/// A set of bytes of the general registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bytes([u64; WORDS]);

impl Bytes {
    const NONE: Self = Self([0; WORDS]);

    fn add(&mut self, start: usize, length: usize) {
        for byte in (start..start + length).filter(|byte| *byte < BYTES) {
            self.0[byte / 64] |= 1 << (byte % 64);
        }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0 == Self::NONE.0
    }

    /// The first byte that both have.
    pub(super) fn first_common(&self, other: &Self) -> Option<usize> {
        let both = self.0.iter().zip(&other.0).map(|(one, other)| one & other);
        let mut words = both.enumerate().filter(|(_, word)| *word != 0);
        words.next().map(|(place, word)| 64 * place + word.trailing_zeros() as usize)
    }
}

/// What an instruction has to do with the general registers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Footprint {
    /// All it reads.
    pub(super) reads: Bytes,
    /// What it may go on reading after the next instruction has begun, if it is out of order.
    pub(super) unread: Bytes,
    /// What it writes.
    pub(super) writes: Bytes,
}

impl Footprint {
    pub(super) fn of(instruction: &Instruction) -> Self {
        let mut footprint = Self { reads: Bytes::NONE, unread: Bytes::NONE, writes: Bytes::NONE };
        if writes_what_it_reads(instruction) {
            return footprint;
        }
        if let Some(message) = &instruction.message {
            footprint.add_message(instruction, message);
            return footprint;
        }
        let channels = elements(instruction);
        for source in sources(instruction) {
            add_source(&mut footprint.reads, source, channels);
        }
        if is_out_of_order(instruction.opcode) {
            footprint.unread = footprint.reads;
        }
        if has_destination(instruction) {
            add_destination(&mut footprint.writes, &instruction.destination, channels);
            if instruction.math == Some(MathFunction::Idiv)
                && let Some(second) = next_register(&instruction.destination)
            {
                add_destination(&mut footprint.writes, &second, channels);
            }
        }
        footprint
    }

    /// Whole registers: as many as the descriptors say; where an address register holds those, one.
    fn add_message(&mut self, instruction: &Instruction, message: &Message) {
        let [length, reply] = match message.descriptor {
            Descriptor::Immediate(bits) => [bits >> 25 & 0xF, bits >> 20 & 0x1F],
            Descriptor::Address => [1, 1],
        };
        let second = match message.extended {
            ExtendedDescriptor::Immediate(bits) => bits >> 6 & 0x1F,
            ExtendedDescriptor::Address(_) => 1,
        };
        for (source, length) in instruction.sources.iter().zip([length, second]) {
            if let Source::Register { register, .. } = source {
                add_registers(&mut self.reads, *register, length);
            }
        }
        self.unread = self.reads;
        add_registers(&mut self.writes, instruction.destination.register, reply);
    }
}

/// Whether it selects between a region and the same region, and writes it back: compilers put such a `csel`
/// before branches, for what it waits for.
fn writes_what_it_reads(instruction: &Instruction) -> bool {
    let Instruction { opcode: Opcode::Csel, destination, sources: [first, second, _], .. } =
        *instruction
    else {
        return false;
    };
    let is_destination = match first {
        Source::Register { register, data_type, region, modifier } => {
            let columns = match region {
                Region::Align1 {
                    vertical: VerticalStride::Elements(vertical),
                    width,
                    horizontal,
                } => horizontal == 1 && vertical == width,
                _ => false,
            };
            (register, data_type) == (destination.register, destination.data_type)
                && modifier == SourceModifier::default()
                && destination.region == DestinationRegion::Stride(1)
                && columns
        }
        Source::Immediate { .. } => false,
    };
    is_destination && first == second && !instruction.saturate
}

fn add_registers(bytes: &mut Bytes, register: Register, count: u32) {
    if let Register::Direct { file: RegisterFile::Grf, number, .. } = register {
        bytes.add(usize::from(number) * REGISTER_BYTES, count as usize * REGISTER_BYTES);
    }
}

/// The sources that are read.
fn sources(instruction: &Instruction) -> &[Source] {
    let count = match instruction.opcode.format_on(Generation::Gen12) {
        Format::Unary | Format::Branch | Format::Sync => 1,
        Format::Binary => instruction.math.map_or(2, MathFunction::sources),
        Format::Ternary => 3,
        Format::Nothing
        | Format::Controls
        | Format::ExitCode
        | Format::Message
        | Format::SplitMessage => 0,
    };
    &instruction.sources[..count]
}

/// How many elements of each operand it has to do with: of a branch's there are one or two, of any size.
fn elements(instruction: &Instruction) -> usize {
    match instruction.opcode {
        // An address and a mask, or two distances.
        Opcode::Call | Opcode::Calla | Opcode::Ret | Opcode::Brc => 2,
        Opcode::Jmpi | Opcode::Brd => 1,
        _ => usize::from(instruction.execution_size),
    }
}

fn has_destination(instruction: &Instruction) -> bool {
    match instruction.opcode.format_on(Generation::Gen12) {
        Format::Unary | Format::Binary | Format::Ternary => true,
        Format::Branch => matches!(instruction.opcode, Opcode::Call | Opcode::Calla),
        _ => false,
    }
}

/// The byte at which a direct operand in the general registers starts.
fn start(register: Register) -> Option<usize> {
    match register {
        Register::Direct { file: RegisterFile::Grf, number, subregister } => {
            Some(usize::from(number) * REGISTER_BYTES + usize::from(subregister))
        }
        _ => None,
    }
}

fn add_source(bytes: &mut Bytes, source: &Source, channels: usize) {
    let Source::Register { register, data_type, region, .. } = *source else { return };
    let Some(start) = start(register) else { return };
    let Region::Align1 { vertical: VerticalStride::Elements(vertical), width, horizontal } = region
    else {
        return;
    };
    let [vertical, width, horizontal] = [vertical, width.max(1), horizontal].map(usize::from);
    for channel in 0..channels {
        let element = channel / width * vertical + channel % width * horizontal;
        bytes.add(start + element * data_type.size(), data_type.size());
    }
}

fn add_destination(bytes: &mut Bytes, destination: &Destination, channels: usize) {
    let Some(start) = start(destination.register) else { return };
    let DestinationRegion::Stride(stride) = destination.region else { return };
    let size = destination.data_type.size();
    for channel in 0..channels {
        bytes.add(start + channel * usize::from(stride) * size, size);
    }
}

/// A destination one register further, where `idiv` writes its remainder.
fn next_register(destination: &Destination) -> Option<Destination> {
    let Register::Direct { file, number, subregister } = destination.register else { return None };
    let register = Register::Direct { file, number: number.checked_add(1)?, subregister };
    Some(Destination { register, ..*destination })
}
