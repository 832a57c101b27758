//! Messages to the data port, the URB and the gateway of G45 and its predecessors, legal by construction: a
//! header and offsets are put into message registers, the message is sent to what the case has.

use std::ops::Range;

use parallax_isa::{
    Device,
    eu::{
        Case, DataType, Instruction, Opcode, State,
        instruction::{Compression, Descriptor, Message, Predicate},
        operand::{
            Destination, DestinationRegion, Region, Register, Source, SourceModifier,
            VerticalStride,
        },
        register::RegisterFile,
    },
    shared::SharedFunctions,
};

use super::{
    ProgramBuilder,
    message_draft::{Channels, Draft, Offsets, READ, WRITE},
    rendering::fraction,
    sends::no_source,
    straight::Straight,
    surfaces::{Kind, RECORD, Surface, Surroundings, make_records},
    urb_gateway::Entries,
    values,
};
use crate::{choices::Choices, random::SplitMix64};

/// A case of messages to the data port.
pub(super) fn messages(device: Device, choices: Choices) -> Case {
    of_kinds(Kinds::All, device, choices)
}

/// A case of render target writes.
pub(super) fn render_targets(device: Device, choices: Choices) -> Case {
    of_kinds(Kinds::RenderTargets, device, choices)
}

/// Which messages a case has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kinds {
    All,
    RenderTargets,
}

fn of_kinds(kinds: Kinds, device: Device, mut choices: Choices) -> Case {
    let mut random = SplitMix64::new(choices.seed());
    let mut state = Box::new(State::new());
    fill(&mut random, &mut state);
    match random.below(8) {
        // What the thread forwards to itself makes the count begin again at 0.
        0 => state.notification[0] = values::most_notifications(device),
        // What it forwards to the other one is one more than a doubleword holds.
        1 => state.memory.other_notification = u64::from(u32::MAX).to_le_bytes(),
        _ => {}
    }
    let surroundings = Surroundings::new(device, &mut random);
    let count = 2 + choices.below(7);
    let mut program = ProgramBuilder::new(device, false);
    let mut straight = Straight::new(device, &mut choices, random, &mut state);
    let mut entries = Entries::default();
    for _ in 0..count {
        straight.piece();
        let draft = match kinds {
            Kinds::All => straight.message_draft(&surroundings, &mut entries),
            Kinds::RenderTargets => straight.render_target(&surroundings),
        };
        straight.message(&mut program, &draft);
    }
    if straight.choices.sometimes(70) {
        let draft = match kinds {
            Kinds::All => straight.last_message_draft(&surroundings, &mut entries),
            Kinds::RenderTargets => straight.last_render_target(&surroundings),
        };
        straight.message(&mut program, &draft);
    }
    let mut case = Case::new(device, program.bytes, state, 64 * count as u64);
    let Surroundings { environment, rendering, .. } = surroundings;
    case.surroundings.shared_functions =
        SharedFunctions::around(environment).with_rendering(rendering);
    case
}

/// Gives such a case other registers and other memory to start from.
pub(super) fn start_elsewhere(random: &mut SplitMix64, case: &mut Case) {
    let address = case.state.address;
    case.state.take_over(&State::new(), case.device);
    fill(random, &mut case.state);
    case.state.address = address;
}

/// Fills the registers and the memory that a program can read.
pub(super) fn fill(random: &mut SplitMix64, state: &mut State) {
    values::fill(random, state);
    state.flag[..2].fill_with(|| values::flags(random));
    for register in &mut state.mrf {
        random.fill(register);
    }
    for register in &mut state.grf[COLOURS] {
        for channel in register.as_chunks_mut().0 {
            *channel = fraction(random).to_le_bytes();
        }
    }
    random.fill(&mut state.memory.graphics);
    make_records(&mut state.memory.graphics);
    random.fill(state.memory.urb.as_flattened_mut());
    random.fill(state.memory.other_thread.as_flattened_mut());
}

/// The index of the stateless model.
const STATELESS: u32 = 255;
/// General registers that hold whatever a program finds.
const SOURCES: usize = 64;
/// Those of them that hold numbers around 0 to 1.
pub(super) const COLOURS: Range<usize> = 40..SOURCES;
/// Where headers are put together for the implied move.
const HEADER: u8 = 100;

impl Straight<'_, '_> {
    pub(super) fn message_draft(&mut self, around: &Surroundings, entries: &mut Entries) -> Draft {
        match self.choices.byte() {
            // What opened a gateway is seen by the next messages to it.
            _ if entries.was_gateway_opened && self.choices.sometimes(60) => {
                self.gateway(around, entries)
            }
            0..=35 => self.oword_block(around),
            36..=47 if self.has_gen45() => self.loop_filter(around),
            36..=60 => self.oword_dual_block(around),
            61..=95 => self.dword_scattered(around),
            96..=119 => self.render_target(around),
            120..=174 => self.media_block(around),
            175..=194 => self.streamed_vertex(around),
            195..=222 => self.urb_write(around, entries, false),
            223..=246 => self.gateway(around, entries),
            _ => self.flush(),
        }
    }

    /// The last message of a thread.
    pub(super) fn last_message_draft(
        &mut self,
        around: &Surroundings,
        entries: &mut Entries,
    ) -> Draft {
        let draft = match self.choices.byte() {
            0..=99 => self.urb_write(around, entries, true),
            100..=199 => self.last_render_target(around),
            200..=251 => {
                // Nobody is there to get an acknowledgement.
                let draft = self.gateway(around, entries);
                Draft { control: draft.control & !(1 << 14), returned: 0, ..draft }
            }
            // That has no defined effect.
            _ => {
                let draft = self.flush();
                Draft { control: draft.control & !(1 << 15), returned: 0, ..draft }
            }
        };
        Draft { is_last: true, ..draft }
    }

    /// A last message to a render target, without a commit.
    fn last_render_target(&mut self, around: &Surroundings) -> Draft {
        let draft = self.render_target(around);
        Draft { control: draft.control & !(1 << 15), returned: 0, is_last: true, ..draft }
    }

    /// A message with what prepares it, and perhaps something behind it.
    fn message(&mut self, program: &mut ProgramBuilder, draft: &Draft) {
        self.plain_message(program, draft, 0..128);
        if !draft.is_last && self.choices.sometimes(30) {
            program.push(self.instruction());
            while let Some(pending) = self.pending.take() {
                program.push(pending);
            }
        }
    }

    /// A message with what prepares it; the reply goes to some of these general registers.
    pub(super) fn plain_message(
        &mut self,
        program: &mut ProgramBuilder,
        draft: &Draft,
        replies: Range<usize>,
    ) {
        let length = 1 + draft.offsets.registers() + draft.sent;
        let first = self.choices.below(17 - length) as u8;
        // With the implied move eight channels copy a whole register.
        let is_whole = !matches!(draft.channels, Channels::Half(_));
        let is_moved = is_whole && self.choices.sometimes(60);
        let place = |doubleword: u8| match is_moved {
            true => general(HEADER, 4 * doubleword),
            false => message(first, 4 * doubleword),
        };
        let background = match self.choices.sometimes(160) {
            true => packed(general(self.choices.below(SOURCES) as u8, 0)),
            false => immediate(0),
        };
        program.push(unmasked(8, place(0), background));
        for (doubleword, value) in [0, 1, 2, 5].into_iter().zip(draft.header) {
            program.push(unmasked(1, place(doubleword), immediate(value)));
        }
        if let Some(value) = draft.fourth {
            program.push(unmasked(1, place(4), immediate(value)));
        }
        self.put_offsets(program, first + 1, draft.offsets);
        let data = first + 1 + draft.offsets.registers() as u8;
        for number in data..data + draft.sent as u8 {
            let is_colour = matches!(draft.offsets, Offsets::Words(_));
            if self.choices.sometimes(if is_colour { 220 } else { 100 }) {
                let from = if is_colour { COLOURS } else { 0..SOURCES };
                let source = from.start + self.choices.below(from.len());
                let source = packed(general(source as u8, 0));
                program.push(unmasked(8, message(number, 0), source));
            }
        }
        let send = self.data_port_send(program, draft, first, length, is_moved, replies);
        program.push(send);
    }

    fn put_offsets(&mut self, program: &mut ProgramBuilder, register: u8, offsets: Offsets) {
        match offsets {
            Offsets::None => {}
            Offsets::Two(offsets) => {
                for (half, offset) in offsets.into_iter().enumerate() {
                    let place = message(register, 16 * half as u8);
                    program.push(unmasked(1, place, immediate(offset)));
                }
            }
            Offsets::Words(words) => {
                for (n, word) in words.into_iter().enumerate() {
                    let place = message(register, 4 * n as u8);
                    program.push(unmasked(1, place, immediate(word)));
                }
            }
            Offsets::Each { count, first, step } => {
                for n in 0..count as u32 {
                    let place = message(register + n as u8 / 8, 4 * (n as u8 % 8));
                    let offset = first.wrapping_add(n * step);
                    program.push(unmasked(1, place, immediate(offset)));
                }
            }
        }
    }

    pub(super) fn oword_block(&mut self, around: &Surroundings) -> Draft {
        let code = self.choices.below(5);
        let registers = [1, 1, 1, 2, 4][code];
        let (index, surface) = self.buffer(around, 16);
        let narrow = code < 2 && (!self.has_gen45() || self.choices.sometimes(128));
        let channels = if narrow { Channels::Half(code as u8) } else { Channels::Any };
        let octwords = [1, 1, 2, 4, 8][code];
        let offset = self.offset(surface, 16, 16 * octwords);
        let base = self.stateless_base();
        self.block(0, index, code as u32, registers, [0, 0, offset, base], Offsets::None, channels)
    }

    fn oword_dual_block(&mut self, around: &Surroundings) -> Draft {
        let is_four = self.choices.sometimes(128);
        let registers = if is_four { 4 } else { 1 };
        let (index, surface) = self.buffer(around, 16);
        let offsets = [0, 1].map(|_| self.offset(surface, 16, 16 * registers as u32));
        let global = 16 * self.choices.below(3) as u32;
        let base = self.stateless_base();
        let far = self.far(16);
        let offsets = offsets.map(|offset| offset.wrapping_sub(far));
        let global = far.wrapping_add(global);
        let control = if is_four { 2 } else { 0 } | u32::from(self.choices.sometimes(60)) << 2;
        let header = [0, 0, global, base];
        self.block(1, index, control, registers, header, Offsets::Two(offsets), Channels::Any)
    }

    pub(super) fn dword_scattered(&mut self, around: &Surroundings) -> Draft {
        let is_16 = self.choices.sometimes(128);
        let registers = if is_16 { 2 } else { 1 };
        let (index, surface) = self.buffer(around, 4);
        let step = *self.choices.pick(&[4, 4, 8, 16, 12, 20, 64, 0]);
        let count = 8 * registers;
        let first = self.offset(surface, 4, step * count as u32);
        let global = 4 * self.choices.below(9) as u32;
        let base = self.stateless_base();
        let far = self.far(4);
        let (first, global) = (first.wrapping_sub(far), far.wrapping_add(global));
        let control = if is_16 { 3 } else { 2 } | u32::from(self.choices.sometimes(60)) << 2;
        // Bit 10 has no meaning.
        let offsets = Offsets::Each { count, first, step };
        let header = [0, 0, global, base];
        self.block(3, index, control, registers, header, offsets, Channels::Any)
    }

    /// What offsets are less by that a global one is more by, seldom: their sums have more than 32 bits then.
    fn far(&mut self, unit: u32) -> u32 {
        if self.choices.sometimes(8) { self.choices.word() & !(unit - 1) } else { 0 }
    }

    /// A message to a buffer that may be read or written.
    #[expect(clippy::too_many_arguments, reason = "the parts of a message")]
    fn block(
        &mut self,
        kind: u32,
        index: u32,
        control: u32,
        registers: usize,
        header: [u32; 4],
        offsets: Offsets,
        channels: Channels,
    ) -> Draft {
        let is_write = self.choices.sometimes(120);
        let (target, bits, returned) = self.port(kind, is_write, registers);
        let sent = if is_write { registers } else { 0 };
        let control = bits | control << 8 | index;
        let fourth = None;
        let is_last = false;
        Draft { target, control, header, fourth, offsets, sent, returned, channels, is_last }
    }

    /// Port, type and cache or commit of a message, and the registers that come back.
    fn port(&mut self, kind: u32, is_write: bool, registers: usize) -> (u32, u32, usize) {
        if is_write {
            let commits = self.choices.sometimes(170);
            let bits = u32::from(commits) << 15 | kind << 12 | self.bit_11();
            return (WRITE, bits, usize::from(commits));
        }
        let cache = *self.choices.pick(&[1, 1, 1, 2, 0, 1]);
        // A rectangle is not in the data cache.
        let cache = if kind == 2 && cache == 0 { 2 } else { cache };
        // With one bit more on [DevCTG], which is 0.
        let ignored = if self.has_gen45() { 0 } else { self.bit_11() };
        (READ, cache << 14 | kind << 12 | ignored, registers)
    }

    /// Bit 11 where nobody looks at it.
    fn bit_11(&mut self) -> u32 {
        u32::from(self.choices.sometimes(80)) << 11
    }

    fn media_block(&mut self, around: &Surroundings) -> Draft {
        let is_write = self.choices.sometimes(100);
        let (index, surface) = self
            .surface(around, |kind| kind == Kind::Plane || is_write && kind == Kind::WrittenPlane);
        let unit = match surface.pixel_bytes {
            bytes if !is_write && self.has_gen45() => bytes,
            _ => 4,
        };
        let width = (unit + self.choices.below(32) as u32 / unit * unit).min(32);
        let pitch = width.next_power_of_two().max(4);
        let most = (256 / pitch).min(64) as usize;
        let height = 1 + self.choices.below(most) as u32;
        let registers = (height * pitch).div_ceil(32) as usize;
        let x = self.around(surface.bytes, width) / unit as i32 * unit as i32;
        let y = self.around(surface.rows, height);
        let size = (height - 1) << 16 | (width - 1) | self.choices.word() & 0xFFC0_FFE0;
        let override_lines = match self.choices.byte() {
            0..=150 => self.choices.below(4) as u32,
            _ if surface.rows & 1 == 1 => 4,
            _ => 4 + self.choices.below(4) as u32,
        };
        let (target, bits, returned) = self.port(2, is_write, registers);
        Draft {
            target,
            control: bits | override_lines << 8 | index,
            header: [x.cast_unsigned(), y.cast_unsigned(), size, self.choices.word()],
            fourth: None,
            offsets: Offsets::None,
            sent: if is_write { registers } else { 0 },
            returned,
            channels: Channels::Any,
            is_last: false,
        }
    }

    /// Where a range may start that has to do with 0 to `size`: inside, or over an edge.
    fn around(&mut self, size: u32, length: u32) -> i32 {
        let room = size.saturating_sub(length) as usize + 1;
        match self.choices.byte() {
            0..=4 => self.choices.word().cast_signed() >> 1,
            5..=60 => -(self.choices.below(length as usize + 12) as i32),
            61..=115 => size as i32 - self.choices.below(length as usize + 12) as i32 + 8,
            _ => self.choices.below(room) as i32,
        }
    }

    /// A read of a record of the AVC loop filter.
    fn loop_filter(&mut self, around: &Surroundings) -> Draft {
        let (index, surface) = self.surface(around, |kind| kind == Kind::Records);
        let offset = match self.choices.byte() {
            0..=50 => 16 * self.choices.below(surface.bytes as usize / 16 + 4),
            _ => RECORD * self.choices.below(surface.bytes as usize / RECORD),
        };
        let (target, bits, returned) = self.port(3, false, 8);
        // Bits 13:11 are the type, bits 10:8 are not looked at.
        let control = bits & !(7 << 11) | 3 << 11 | (self.choices.below(8) as u32) << 8 | index;
        let header = [0, 0, offset as u32, self.choices.word()];
        let (fourth, offsets, sent, channels) = (None, Offsets::None, 0, Channels::Any);
        let is_last = false;
        Draft { target, control, header, fourth, offsets, sent, returned, channels, is_last }
    }

    fn streamed_vertex(&mut self, around: &Surroundings) -> Draft {
        let (index, surface) = self.surface(around, |kind| kind == Kind::Vertices);
        let number = match self.choices.byte() {
            0..=5 => self.choices.word(),
            6..=40 => surface.rows + self.choices.below(3) as u32,
            _ => self.choices.below(surface.rows as usize) as u32,
        };
        let (target, bits, returned) = self.port(5, true, 0);
        let control = bits | (self.choices.below(16) as u32) << 8 | index;
        let header = [self.choices.word(), self.choices.word(), self.choices.word(), number];
        let (fourth, offsets, sent, channels) = (None, Offsets::None, 0, Channels::Any);
        let is_last = false;
        Draft { target, control, header, fourth, offsets, sent, returned, channels, is_last }
    }

    pub(super) fn flush(&mut self) -> Draft {
        let (target, bits, returned) = self.port(7, true, 0);
        let control = bits | self.choices.word() & 0xFFF;
        let (fourth, offsets, sent, channels) = (None, Offsets::None, 0, Channels::Any);
        let (header, is_last) = ([0; 4], false);
        Draft { target, control, header, fourth, offsets, sent, returned, channels, is_last }
    }

    /// A buffer with a base of an alignment, or what stateless messages reach.
    fn buffer<'s>(&mut self, around: &'s Surroundings, alignment: u32) -> (u32, &'s Surface) {
        if self.choices.sometimes(80) {
            return (STATELESS, &around.stateless);
        }
        self.surface(around, |kind| match kind {
            Kind::Buffer => true,
            Kind::OddBuffer => alignment == 4,
            _ => false,
        })
    }

    /// A surface of a kind, or one of no bytes.
    pub(super) fn surface<'s>(
        &mut self,
        around: &'s Surroundings,
        suits: impl Fn(Kind) -> bool,
    ) -> (u32, &'s Surface) {
        let suits = |kind| suits(kind) || kind == Kind::Null;
        let numbers = (0..around.surfaces.len()).filter(|n| suits(around.surfaces[*n].kind));
        let numbers: Vec<_> = numbers.collect();
        let number = match self.choices.byte() {
            // Whatever it is; most often that has no defined effect.
            0 => self.choices.below(around.surfaces.len()),
            _ => *self.choices.pick(&numbers),
        };
        ((around.first + number) as u32, &around.surfaces[number])
    }

    /// The offset of some bytes of a surface, seldom beyond its end.
    fn offset(&mut self, surface: &Surface, unit: u32, length: u32) -> u32 {
        let bytes = surface.bytes;
        let low =
            self.choices.word() & (unit - 1) & if self.choices.sometimes(60) { !0 } else { 0 };
        let offset = match self.choices.byte() {
            0..=3 => self.choices.word() >> self.choices.below(20) & !(unit - 1),
            4..=60 => bytes.saturating_sub(length / 2) & !(unit - 1),
            61..=75 => (bytes + 32) & !(unit - 1),
            _ => {
                let room = bytes.saturating_sub(length) as usize + 1;
                self.choices.below(room) as u32 & !(unit - 1)
            }
        };
        // The low bits are not looked at.
        offset | low
    }

    /// The base of stateless messages in the header, with the bits below it.
    fn stateless_base(&mut self) -> u32 {
        let base = if self.choices.sometimes(60) { self.choices.below(3) as u32 } else { 0 };
        base << 10 | self.choices.word() & 0x3FF
    }

    fn has_gen45(&self) -> bool {
        matches!(self.device, Device::Ctg | Device::G45)
    }

    /// The message itself.
    fn data_port_send(
        &mut self,
        program: &mut ProgramBuilder,
        draft: &Draft,
        first: u8,
        length: usize,
        is_moved: bool,
        replies: Range<usize>,
    ) -> Instruction {
        let (execution_size, subregister) = match draft.channels {
            Channels::Half(half) => (4, 16 * half),
            Channels::Any if !is_moved && self.choices.sometimes(110) => (16, 0),
            Channels::Any | Channels::Eight => (8, 0),
        };
        let data_type = match execution_size {
            16 => DataType::Uw,
            _ => DataType::Ud,
        };
        let mut returned = draft.returned;
        if !draft.is_last && self.choices.sometimes(1) {
            // Not what it has: that has no defined effect.
            returned = (returned + 1) % 9;
        }
        let register = match returned {
            0 => Register::Direct { file: RegisterFile::Arf, number: 0, subregister },
            _ => {
                let number = replies.start + self.choices.below(replies.len() - returned);
                let number = number as u8;
                Register::Direct { file: RegisterFile::Grf, number, subregister }
            }
        };
        let lengths = (length << 20 | returned << 16) as u32;
        let bits = draft.target << 24 | lengths | draft.control;
        // The last message is known by an immediate descriptor.
        let descriptor = if !draft.is_last && self.choices.sometimes(20) {
            let to = Register::Direct { file: RegisterFile::Arf, number: 0x10, subregister: 0 };
            program.push(unmasked(1, to, immediate(bits)));
            self.addresses[0] = Some(bits as u16);
            self.addresses[1] = Some((bits >> 16) as u16);
            Descriptor::Address
        } else {
            Descriptor::Immediate(bits)
        };
        let predicate = match self.predicate(Opcode::Send, false) {
            _ if execution_size == 4 => Predicate::default(),
            predicate => predicate,
        };
        let source = match is_moved {
            true => packed(general(HEADER, 0)),
            false => no_source(self.choices, data_type, execution_size),
        };
        Instruction {
            execution_size,
            no_mask: self.choices.sometimes(100),
            compression: match execution_size {
                8 if self.choices.sometimes(40) => Compression::SecHalf,
                _ => Compression::None,
            },
            predicate,
            flag_subregister: u8::from(self.choices.sometimes(80)),
            destination: Destination { register, data_type, region: DestinationRegion::Stride(1) },
            sources: [source, Source::null(DataType::Ud), Source::ABSENT],
            message: Some(Message::of_registers(first, descriptor, draft.is_last)),
            ..Instruction::bare(Opcode::Send)
        }
    }
}

/// `mov (channels) register:ud source`, whatever is enabled.
pub(super) fn unmasked(channels: u8, register: Register, source: Source) -> Instruction {
    Instruction {
        execution_size: channels,
        no_mask: true,
        destination: Destination {
            register,
            data_type: DataType::Ud,
            region: DestinationRegion::Stride(1),
        },
        sources: [source, Source::ABSENT, Source::ABSENT],
        ..Instruction::bare(Opcode::Mov)
    }
}

pub(super) fn general(number: u8, subregister: u8) -> Register {
    Register::Direct { file: RegisterFile::Grf, number, subregister }
}

pub(super) fn message(number: u8, subregister: u8) -> Register {
    Register::Direct { file: RegisterFile::Mrf, number, subregister }
}

pub(super) fn immediate(value: u32) -> Source {
    Source::Immediate { data_type: DataType::Ud, bits: value.into() }
}

pub(super) fn packed(register: Register) -> Source {
    let region = Region::Align1 { vertical: VerticalStride::Elements(8), width: 8, horizontal: 1 };
    Source::Register {
        register,
        data_type: DataType::Ud,
        region,
        modifier: SourceModifier::default(),
    }
}
