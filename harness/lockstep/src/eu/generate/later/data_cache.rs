//! Messages to the data cache: offsets are put into the payload first, then the message is sent.

use parallax_isa::{
    Device,
    eu::{
        Case, DataType, Instruction, Opcode, State,
        instruction::{Descriptor, ExtendedDescriptor, Message, Predicate, PredicateControl},
        operand::{Destination, DestinationRegion, Region, Register, Source, SourceModifier},
        register::{ArfKind, RegisterFile},
    },
    shared::{
        SharedFunctions,
        memory::{BINDING_TABLE, FIRST_PICTURE, Memory, PICTURES},
    },
};

use super::{
    Later, addresses, dependencies,
    message_types::{Form, Type, types},
    registers::{architecture, grf},
    values,
};
use crate::{
    choices::Choices,
    eu::generate::{ProgramBuilder, values::flags},
    random::SplitMix64,
};

/// A case of messages to the data cache and what comes before them.
pub(in crate::eu::generate) fn messages(device: Device, mut choices: Choices) -> Case {
    let mut random = SplitMix64::new(choices.seed());
    let mut state = Box::new(State::of(device));
    addresses::fill(&mut random, device, &mut state);
    values::fill(&mut random, device, &mut state);
    state.flag.fill_with(|| flags(&mut random));
    fill(&mut random, &mut state);
    let functions = local_memory(&mut choices);
    let count = 2 + choices.below(8);
    let mut program = ProgramBuilder::unaligned(device, false);
    let mut later = Later::new(device, &mut choices, random, &state);
    for _ in 0..count {
        later.piece();
        program.push(later.data_cache());
        while let Some(pending) = later.pending.pop_front() {
            program.push(pending);
        }
    }
    let mut case = Case::new(device, program.bytes, state, 40 * count as u64);
    case.surroundings.shared_functions = functions;
    if choices.sometimes(64) {
        case.surroundings.events = dependencies::ends(device, &mut choices, 8 * count);
        dependencies::depend(&mut SplitMix64::new(choices.seed()), &mut case);
    }
    case
}

/// Shared local memory of a case: all of it, or less, so that its end is met.
fn local_memory(choices: &mut Choices) -> SharedFunctions {
    match choices.byte() {
        0..=127 => SharedFunctions::None,
        byte => {
            SharedFunctions::LocalMemory { bytes: [1024, 1008, 4096, 3][usize::from(byte & 3)] }
        }
    }
}

/// Bits that are set in addresses of shared local memory: those above the low 16 do not count.
const LOCAL_BITS: [u32; 6] = [0, 0, 0, 0x1000_0000, 0xABCD_0000, 0xFC00];

/// The bytes of shared local memory that are not zero: those that most offsets reach, and the last ones.
const FILLED: usize = 4096;

/// Fills memory with random bytes, of which runs repeat.
pub(super) fn fill(random: &mut SplitMix64, state: &mut State) {
    let Memory { global, local, .. } = &mut state.memory;
    let (near, far) = local.split_at_mut(FILLED);
    let far = far.last_chunk_mut::<1024>().into_iter().flat_map(|last| last.chunks_mut(8));
    for bytes in global.chunks_mut(8).chain(near.chunks_mut(8)).chain(far) {
        let bits = random.next();
        let value = match bits >> 60 {
            0..=2 => u64::MAX << (bits & 63),
            3 => [0, u64::MAX][(bits & 1) as usize],
            4 | 5 => bits >> 56,
            _ => bits,
        };
        bytes.copy_from_slice(&value.to_le_bytes());
    }
}

/// A message before it has registers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draft {
    pub(super) port: u8,
    /// Bits 18:0 of the descriptor.
    pub(super) control: u32,
    pub(super) has_header: bool,
    /// Slots with an offset.
    pub(super) slots: usize,
    pub(super) is_wide: bool,
    /// Column, row and size of a rectangle, as the header has them.
    pub(super) rectangle: Option<[u32; 3]>,
    /// Its slots have levels of detail, which a mask bounds.
    pub(super) levels: Option<u32>,
    /// The first half of its data is compared with what is there.
    pub(super) compares: bool,
    /// Registers of data that go there and come back.
    pub(super) sent: usize,
    pub(super) returned: usize,
}

impl Draft {
    pub(super) const OF_A_BLOCK: Self = Self {
        port: 10,
        control: 0,
        has_header: true,
        slots: 0,
        is_wide: false,
        rectangle: None,
        levels: None,
        compares: false,
        sent: 0,
        returned: 0,
    };

    fn address_registers(&self) -> usize {
        self.slots * if self.is_wide { 2 } else { 1 } / 8
    }
}

/// Most registers of a reply.
const LONGEST_REPLY: usize = 8;

impl Later<'_, '_> {
    /// A message; what comes before it is done first.
    pub(super) fn data_cache(&mut self) -> Instruction {
        let draft = match self.choices.byte() {
            0..=23 => self.scratch_block(),
            24..=33 if !self.is_gen7() => self.resinfo(),
            34..=40 => return self.barrier(),
            _ => self.typed_message(),
        };
        let header = u8::from(draft.has_header);
        let length = usize::from(header) + draft.address_registers() + draft.sent;
        // Some payloads end with the last register.
        let first = match self.choices.sometimes(30) {
            true => 128 - length,
            false => self.choices.below(60),
        } as u8;
        if draft.has_header {
            self.prepare_header(first, &draft);
        }
        if draft.slots > 0 {
            self.prepare_offsets(first + header, &draft);
        }
        let send = self.send_of(first, &draft);
        if draft.compares {
            let behind = first + header + draft.address_registers() as u8;
            self.prepare_comparison(behind, &send, &draft);
        }
        self.pending.push_back(send);
        self.pending.pop_front().unwrap_or(send)
    }

    fn typed_message(&mut self) -> Draft {
        let kind = *self.choices.pick(&types(self.is_gen7()));
        let has_header = kind.form == Form::Block || self.choices.sometimes(80);
        let is_16 = self.choices.sometimes(128);
        let mut slots = if is_16 { 16 } else { 8 };
        let mut registers = slots / 8;
        let mut operands = usize::from(kind.is_write);
        let mut returns = !kind.is_write;
        let control = match kind.form {
            Form::Fence => {
                // With a commit a register comes back.
                let commits = self.choices.sometimes(128);
                (slots, registers, operands) = (0, usize::from(commits), 0);
                u32::from(commits) << 5
            }
            Form::Block => {
                slots = 0;
                // Aligned, unaligned, whole registers.
                let ways: &[u32] = match (kind.is_wide, kind.is_write) {
                    (true, false) => &[0, 1, 1, 3],
                    (true, true) => &[0, 0, 3],
                    (false, _) => &[0],
                };
                let way = *self.choices.pick(ways);
                let code = self.choices.below(if way == 3 { 4 } else { 5 });
                registers = if way == 3 { 1 << code } else { [1, 1, 1, 2, 4][code] };
                code as u32 | way << 3
            }
            Form::Media => return self.media_block(kind),
            Form::Bytes if kind.is_wide => {
                // Bytes, doublewords, quadwords: of those also several for each channel.
                let size = self.choices.below(3) as u32;
                let count = match (size, is_16) {
                    (0, _) => self.choices.below(3),
                    (1, false) => self.choices.below(4),
                    (1, true) | (_, false) => self.choices.below(3),
                    (_, true) => self.choices.below(2),
                };
                if size > 0 {
                    registers <<= count + usize::from(size == 2);
                }
                size | (count << 2) as u32 | u32::from(is_16) << 4
            }
            Form::Bytes => (self.choices.below(3) << 2) as u32 | u32::from(is_16),
            Form::Doublewords => {
                let count = *self.choices.pick(&[0, 0, 0, 1, 2]);
                registers <<= count;
                2 | u32::from(is_16) | count << 2
            }
            Form::Untyped => {
                let left_out = self.choices.below(15) as u32;
                registers *= 4 - left_out.count_ones() as usize;
                left_out | if is_16 { 1 << 4 } else { 2 << 4 }
            }
            Form::FloatAtomic => {
                let code = 1 + self.choices.below(3) as u32;
                operands = if code == 3 { 2 } else { 1 };
                returns = self.choices.sometimes(160);
                let is_8 = !kind.is_wide && !is_16;
                if kind.is_wide {
                    (slots, registers) = (8, 1);
                }
                code | u32::from(is_8) << 4 | u32::from(returns) << 5
            }
            Form::Atomic => {
                let code = 1 + self.choices.below(15) as u32;
                operands = match code {
                    5 | 6 | 15 => 0,
                    14 => 2,
                    _ => 1,
                };
                returns = self.choices.sometimes(160);
                let is_quad = kind.is_wide && is_16;
                if kind.is_wide {
                    slots = 8;
                    registers = if is_quad { 2 } else { 1 };
                }
                let size = if kind.is_wide { is_quad } else { !is_16 };
                code | u32::from(size) << 4 | u32::from(returns) << 5
            }
        };
        let index = self.binding_table_index(kind.is_wide);
        let has_header = has_header || kind.form == Form::Fence;
        Draft {
            port: kind.port,
            control: kind.code << 14 | control << 8 | index,
            has_header,
            slots,
            is_wide: kind.is_wide && kind.form != Form::Block,
            rectangle: None,
            levels: None,
            compares: matches!(kind.form, Form::Atomic | Form::FloatAtomic) && operands == 2,
            sent: operands * registers,
            returned: if returns { registers } else { 0 },
        }
    }

    /// A rectangle of a picture, some of it beyond its edges.
    fn media_block(&mut self, kind: Type) -> Draft {
        // Width in bytes and most rows.
        let (width, most) = *self.choices.pick(&[
            (4, 64),
            (8, 32),
            (12, 16),
            (32, 8),
            (32, 8),
            (20, 8),
            (64, 4),
            (44, 4),
        ]);
        let rows = if self.choices.sometimes(100) { most } else { 1 + self.choices.below(most) };
        let pitch = usize::next_power_of_two(width);
        let registers = (rows * pitch).div_ceil(32);
        // Corners from a little above and left of the picture to a little beyond it; few at odd places.
        let corner = |choices: &mut Choices, below: usize| match choices.byte() {
            0..=90 => 0,
            91..=94 => choices.word(),
            _ => (choices.below(below) as u32).wrapping_sub(8),
        };
        let mut left = corner(self.choices, 44) << 2;
        let top = corner(self.choices, 28);
        if self.choices.sometimes(3) {
            left += 1;
        }
        let size = (rows as u32 - 1) << 16 | (width as u32 - 1);
        let picture = match self.choices.byte() {
            0..=1 => self.choices.below(256),
            _ => FIRST_PICTURE + self.choices.below(PICTURES.len()),
        };
        let [sent, returned] = if kind.is_write { [registers, 0] } else { [0, registers] };
        let control = kind.code << 14 | picture as u32;
        let rectangle = Some([left, top, size]);
        Draft { port: kind.port, control, rectangle, sent, returned, ..Draft::OF_A_BLOCK }
    }

    /// The size of a picture, at levels that are mostly small.
    fn resinfo(&mut self) -> Draft {
        let is_16 = self.choices.sometimes(128);
        let (mode, slots) = if is_16 { (2, 16) } else { (1, 8) };
        let message_type = if self.choices.sometimes(4) { 2 } else { 10 };
        let sampler = self.choices.below(16) as u32;
        let picture = match self.choices.byte() {
            0..=1 => self.choices.below(256),
            _ => FIRST_PICTURE + self.choices.below(PICTURES.len()),
        };
        let control = mode << 17 | message_type << 12 | sampler << 8 | picture as u32;
        let has_header = self.choices.sometimes(128);
        let levels = Some(*self.choices.pick(&[3, 7, 0x3F, 0]));
        Draft {
            port: 2,
            control,
            has_header,
            slots,
            levels,
            returned: slots / 2,
            ..Draft::OF_A_BLOCK
        }
    }

    fn scratch_block(&mut self) -> Draft {
        let codes: &[(u32, usize)] = if self.is_gen7() {
            &[(0, 1), (1, 2), (3, 4)]
        } else {
            &[(0, 1), (1, 2), (2, 4), (3, 8)]
        };
        let (code, registers) = *self.choices.pick(codes);
        let is_write = self.choices.sometimes(128);
        // Few are beyond memory, or far beyond it.
        let count = if self.choices.sometimes(24) { 4096 } else { 264 };
        let first = self.choices.below(count) as u32;
        // By doublewords too, where all channels are on.
        let mode = u32::from(self.choices.sometimes(80)) << 16;
        let control = 1 << 18 | u32::from(is_write) << 17 | mode | code << 12 | first;
        let [sent, returned] = if is_write { [registers, 0] } else { [0, registers] };
        Draft { control, sent, returned, ..Draft::OF_A_BLOCK }
    }

    fn binding_table_index(&mut self, is_wide: bool) -> u32 {
        let other_stateless = if self.is_gen7() { 255 } else { 253 };
        match self.choices.byte() {
            // Nothing is there; the run ends.
            0..=1 => 8 + self.choices.below(245) as u32,
            2..=60 => 255,
            61..=90 => other_stateless,
            _ if is_wide => 255,
            91..=130 => 254,
            _ => self.choices.below(BINDING_TABLE.len()) as u32,
        }
    }

    /// Zeros, then the offset in doubleword 2 and the base of stateless messages in doubleword 5;
    /// doublewords 0 and 1 are a 64-bit address.
    fn prepare_header(&mut self, register: u8, draft: &Draft) {
        self.pending.push_back(self.move_to(grf(register, 0), 8, 0));
        if let Some(values) = draft.rectangle {
            for (doubleword, value) in (0..).zip(values).filter(|(_, value)| *value != 0) {
                self.pending.push_back(self.move_to(grf(register, 4 * doubleword), 1, value));
            }
            return;
        }
        let is_block = draft.slots == 0;
        let offset = match (is_block, self.choices.byte()) {
            (_, 0..=4) => self.choices.word(),
            // Octwords of what has aligned blocks, bytes of what has not.
            (true, byte) if byte & 1 == 1 => self.choices.below(72) as u32,
            (true, _) => self.choices.below(1040) as u32,
            (false, byte) if byte & 3 == 0 => self.choices.below(80) as u32,
            (false, _) => 0,
        };
        let base = match self.choices.byte() {
            0..=60 => self.choices.below(9 * 1024) as u32,
            61..=64 => self.choices.word(),
            _ => 0,
        };
        let high = u32::from(self.choices.sometimes(6));
        // The slots that untyped messages and atomics have.
        let mask = match self.choices.byte() {
            _ if is_block => 0,
            0..=170 => 0xFFFF,
            _ => self.choices.word() | 0xFFFF_0000,
        };
        // They are not looked at.
        let low = if self.choices.sometimes(60) { self.choices.below(8) as u32 } else { 0 };
        let values = [(0, offset << 3 | low), (1, high), (2, offset), (5, base), (7, mask)];
        for (doubleword, value) in values {
            if value != 0 {
                self.pending.push_back(self.move_to(grf(register, 4 * doubleword), 1, value));
            }
        }
    }

    /// Offsets of all slots: in steps from a base, or the low bits of whatever is somewhere.
    fn prepare_offsets(&mut self, register: u8, draft: &Draft) {
        if draft.is_wide {
            for pair in 0..draft.slots as u8 / 8 {
                self.pending.push_back(self.move_to(grf(register + 2 * pair, 0), 16, 0));
            }
        }
        let way = self.choices.byte();
        // Some begin with the last bytes of shared local memory, and go on with its first ones.
        let is_local = draft.control & 0xFF == 254;
        let base =
            if is_local && self.choices.sometimes(48) { 1023 } else { self.choices.below(1100) };
        let base = base as u32 & if way & 1 == 1 { !3 } else { !0 };
        let step = *self.choices.pick(&[4, 16, 4, 1, 12, 2, 64, 5]);
        // Compilers set bit 28 of addresses of shared local memory.
        let far = if is_local { *self.choices.pick(&LOCAL_BITS) } else { 0 };
        let mask =
            draft.levels.unwrap_or(*self.choices.pick(&[0x3FC, 0x7F, 0x1C, 0x3FF, 0xFFF, 0x3C]));
        let from = self.choices.below(126) as u8;
        for group in 0..draft.slots as u8 / 8 {
            let stride = if draft.is_wide { 2 } else { 1 };
            let to = Destination {
                register: grf(register + stride * group, 0),
                data_type: DataType::Ud,
                region: DestinationRegion::Stride(stride),
            };
            match way {
                // Whatever is there.
                0..=5 => {}
                _ if way <= 60 || draft.levels.is_some() => {
                    let sources = [packed(grf(from + group, 0)), immediate(mask), Source::ABSENT];
                    self.pending.push_back(unmasked(Opcode::And, 8, to, sources));
                }
                _ => {
                    let base = (base + 8 * u32::from(group) * step) | far;
                    for slot in 0..8 {
                        let place = grf(
                            register + stride * group + slot * stride / 8,
                            4 * (slot * stride % 8),
                        );
                        let offset = base + u32::from(slot) * step;
                        self.pending.push_back(self.move_to(place, 1, offset));
                    }
                }
            }
        }
    }

    /// `mov (channels) register:ud value`, whatever is enabled.
    pub(super) fn move_to(&self, register: Register, channels: u8, value: u32) -> Instruction {
        let to =
            Destination { register, data_type: DataType::Ud, region: DestinationRegion::Stride(1) };
        unmasked(Opcode::Mov, channels, to, [immediate(value), Source::ABSENT, Source::ABSENT])
    }

    /// Something that much of the memory is equal to, in the first operand of a message: its data are behind the
    /// other registers, or the second part.
    fn prepare_comparison(&mut self, behind: u8, send: &Instruction, draft: &Draft) {
        if !self.choices.sometimes(170) {
            return;
        }
        let data = match send.sources[1] {
            Source::Register {
                register: Register::Direct { file: RegisterFile::Grf, number, .. },
                ..
            } => number,
            _ => behind,
        };
        let value = if self.choices.sometimes(128) { 0 } else { u32::MAX };
        for register in 0..draft.sent as u8 / 2 {
            let to = self.move_to(grf(data + register, 0), 8, value);
            self.pending.push_back(to);
        }
    }

    /// The message itself, its payload from a register on; in two parts where that is possible.
    pub(super) fn send_of(&mut self, first: u8, draft: &Draft) -> Instruction {
        let front = usize::from(draft.has_header) + draft.address_registers();
        // Gen12 has one send, of two parts.
        let is_split = self.is_gen12() || !self.is_gen7() && self.choices.sometimes(110);
        let in_two = is_split && !(self.is_gen12() && self.choices.sometimes(128));
        let first_part = if in_two && draft.sent > 0 { front } else { front + draft.sent };
        let second_part = front + draft.sent - first_part;
        let opcode = match (is_split && !self.is_gen12(), self.choices.sometimes(40)) {
            (false, false) => Opcode::Send,
            (false, true) => Opcode::Sendc,
            (true, false) => Opcode::Sends,
            (true, true) => Opcode::Sendsc,
        };
        let second = match (is_split, second_part) {
            (false, _) => Source::ABSENT,
            (true, 0) => packed(Register::NULL),
            // Some end with the last register.
            (true, length) if self.choices.sometimes(30) => packed(grf(128 - length as u8, 0)),
            (true, _) => packed(grf(64 + self.choices.below(48) as u8, 0)),
        };
        let mut returned = draft.returned;
        // Not what it has: that has no defined effect.
        if self.choices.sometimes(2) {
            returned = (returned + 1) % (LONGEST_REPLY + 1);
        }
        let header = u32::from(draft.has_header) << 19;
        let lengths = (first_part << 25 | returned << 20) as u32;
        let mut descriptor = Descriptor::Immediate(lengths | header | draft.control);
        if self.choices.sometimes(24) {
            descriptor = self.load_descriptor(lengths | header | draft.control);
        }
        let extended = if is_split { (second_part << 6) as u32 } else { 0 };
        let channels = *self.choices.pick(&[8, 16, 16, 8, 16, 4, 1]);
        let predicate = match self.choices.byte() {
            0..=60 => Predicate {
                control: PredicateControl::Sequential,
                inverse: self.choices.sometimes(80),
            },
            _ => Predicate::default(),
        };
        let register = match returned {
            0 => Register::NULL,
            _ => grf(self.choices.below(127 - LONGEST_REPLY) as u8, 0),
        };
        Instruction {
            execution_size: channels,
            no_mask: self.choices.sometimes(60),
            first_channel: self.group(channels),
            predicate,
            flag_register: self.choices.byte() & 1,
            destination: Destination {
                register,
                data_type: DataType::Ud,
                region: DestinationRegion::Stride(1),
            },
            sources: [packed(grf(first, 0)), second, Source::ABSENT],
            message: Some(Message {
                current_destination: 0,
                descriptor,
                shared_function: draft.port,
                extended: ExtendedDescriptor::Immediate(extended),
                fusion_control: false,
                end_of_thread: false,
            }),
            ..Instruction::bare(opcode)
        }
    }

    /// A descriptor that is in the address register first.
    fn load_descriptor(&mut self, bits: u32) -> Descriptor {
        let register = architecture(ArfKind::Address, 0, 0);
        let load = self.move_to(register, 1, bits);
        self.pending.push_back(load);
        self.addresses[0] = Some(bits as u16);
        self.addresses[1] = Some((bits >> 16) as u16);
        Descriptor::Address
    }
}

pub(super) fn unmasked(
    opcode: Opcode,
    channels: u8,
    destination: Destination,
    sources: [Source; 3],
) -> Instruction {
    Instruction {
        execution_size: channels,
        no_mask: true,
        destination,
        sources,
        ..Instruction::bare(opcode)
    }
}

fn immediate(value: u32) -> Source {
    Source::Immediate { data_type: DataType::Ud, bits: value.into() }
}

pub(super) fn packed(register: Register) -> Source {
    Source::Register {
        register,
        data_type: DataType::Ud,
        region: Region::PACKED8,
        modifier: SourceModifier::default(),
    }
}
