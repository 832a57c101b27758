//! Mask stacks pushed and popped at will, and masks overwritten.

use parallax_isa::{
    Device,
    eu::{
        DataType, Instruction, Opcode, State,
        case::{DebugRegister, Event, EventKind},
        instruction::{Compression, ThreadControl},
        operand::Register,
        register::{ArfKind, RegisterFile},
    },
};

use super::{
    super::{
        instructions::{
            architecture, branch, constant, general, mask_stack, scalar, scalar_move, single, to,
            wait,
        },
        surroundings,
    },
    HELD, Written, events, extent, predicate,
};
use crate::{
    choices::Choices,
    eu::generate::{ProgramBuilder, end_of_thread, straight::Straight, values},
    random::SplitMix64,
};

const BRANCHES: &[Opcode] = {
    use Opcode::{Break, Cont, Do, Else, Endif, Halt, If, Iff, While};
    &[If, If, Iff, Else, Endif, Endif, Do, While, Break, Cont, Halt]
};

/// A program being thrown together.
struct Unstructured<'s, 'c, 'b> {
    straight: &'s mut Straight<'c, 'b>,
    /// 16-byte slots it will have, about.
    slots: i64,
}

/// A program; some states begin with mask stacks in use.
pub(super) fn write(
    device: Device,
    choices: &mut Choices,
    random: SplitMix64,
    state: &mut State,
) -> Written {
    if choices.sometimes(60) {
        for (depth, counters) in state.mask_stack_depth.iter_mut().zip(&mut state.mask_stack) {
            *depth = choices.below(16) as u16;
            for counter in counters {
                // One third waits on all levels.
                *counter = match choices.below(3) {
                    0 => *depth as u8,
                    _ => choices.below(usize::from(*depth) + 1) as u8,
                };
            }
        }
    }
    begin_at_edges(device, choices, state);
    let (count, compacting) = extent(device, choices);
    let straight = &mut Straight::new(device, choices, random, state);
    let mut program = ProgramBuilder::new(device, compacting);
    let mut unstructured = Unstructured { straight, slots: count as i64 };
    for _ in 0..count {
        unstructured.straight.piece();
        let instruction = unstructured.instruction(program.bytes.len() as i64 / 16);
        if instruction.opcode == Opcode::Illegal || instruction.breakpoint {
            program.push_full(instruction);
        } else {
            program.push(instruction);
        }
    }
    straight.piece();
    let choices = &mut *straight.choices;
    if choices.sometimes(60) {
        program.push(end_of_thread(device, choices));
    }
    let slots = program.bytes.len() / 16;
    let system_routine = choices.sometimes(128).then(|| 16 * choices.below(slots + 1) as u32);
    let kinds = [
        EventKind::ExternalHalt,
        EventKind::ThreadNotification,
        EventKind::ThreadNotification,
        EventKind::HostNotification,
        EventKind::AttentionClear,
    ];
    let count = choices.below(8);
    let mut events = events(choices, count, &kinds);
    if choices.sometimes(60) {
        let breakpoints = (0..choices.below(4)).map(|_| {
            let register = *choices.pick(&DebugRegister::ALL);
            let opcode = choices.byte() & 0x7F;
            let slot = choices.below(slots + 1);
            let value = surroundings::breakpoint(choices, register, slot, opcode);
            let step = choices.below(20) as u64;
            Event { step, kind: EventKind::DebugRegister { register, value } }
        });
        events.extend(breakpoints);
    }
    Written { bytes: program.bytes, system_routine, events }
}

/// Lets some states begin next to where a level more, or one less, is too many for a mask stack, next to where a
/// count begins again at 0, or with exceptions that are held already, of which one is raised first.
fn begin_at_edges(device: Device, choices: &mut Choices, state: &mut State) {
    const EDGES: [u16; 7] = [0, 1, 2, 10, 11, 12, 13];
    if choices.sometimes(64) {
        for (depth, counters) in state.mask_stack_depth.iter_mut().zip(&mut state.mask_stack) {
            *depth = *choices.pick(&EDGES);
            counters.iter_mut().for_each(|counter| *counter = (*counter).min(*depth as u8));
        }
    }
    if choices.sometimes(32) {
        state.notification[0] = values::most_notifications(device) - choices.below(3) as u32;
    }
    if choices.sometimes(32) {
        state.control[1] |= choices.word() & HELD;
    }
}

impl Unstructured<'_, '_, '_> {
    fn instruction(&mut self, at: i64) -> Instruction {
        let mut instruction = match self.straight.choices.byte() {
            0..=99 => self.data(),
            100..=189 => self.branch(at),
            190..=199 => self.jump(at),
            200..=223 => self.mask_stack(),
            224..=233 => self.control(),
            234..=239 => self.masks(),
            240..=244 => self.wait(),
            245..=249 => self.illegal(),
            _ => Instruction { breakpoint: true, ..Instruction::bare(Opcode::Nop) },
        };
        if self.straight.choices.sometimes(6) {
            instruction.breakpoint = true;
        }
        instruction
    }

    /// `illegal`, or a word whose opcode no operation of the device has.
    fn illegal(&mut self) -> Instruction {
        let code = self.straight.choices.byte() & 0x7F;
        let known = Opcode::of_code(self.straight.device, code).is_some();
        let residue = if known { 0 } else { u128::from(code) };
        Instruction { residue, ..Instruction::bare(Opcode::Illegal) }
    }

    /// A data instruction; what is known about addresses must hold on every way.
    fn data(&mut self) -> Instruction {
        let addresses = self.straight.addresses;
        let instruction = self.straight.instruction();
        if instruction.destination.register.arf() == Some(ArfKind::Address) {
            self.straight.addresses = addresses;
            return Instruction::bare(Opcode::Nop);
        }
        instruction
    }

    /// Slots to somewhere in the program, mostly.
    fn distance(&mut self, at: i64) -> i64 {
        let choices = &mut *self.straight.choices;
        match choices.byte() {
            0..=199 => 1 + choices.below(8) as i64,
            200..=235 => choices.below(self.slots as usize + 1) as i64 - at,
            236..=249 => -(choices.below(8) as i64),
            _ => i64::from(choices.word() as i16),
        }
    }

    fn predicate(&mut self, instruction: &mut Instruction) {
        predicate(self.straight.device, self.straight.choices, instruction);
    }

    fn branch(&mut self, at: i64) -> Instruction {
        let opcode = *self.straight.choices.pick(BRANCHES);
        let width = *self.straight.choices.pick(&[8, 16, 16, 4, 2, 1]);
        let distance = self.distance(at) as u32 & 0xFFFF;
        let levels = match opcode {
            Opcode::Else | Opcode::Endif => 1,
            Opcode::Break | Opcode::Cont => {
                let many = self.straight.choices.sometimes(64);
                self.straight.choices.below(if many { 16 } else { 3 }) as u32
            }
            _ => 0,
        };
        let code = levels << 16 | if opcode == Opcode::Endif { 0 } else { distance };
        let mut branch = branch(opcode, width, code);
        if !matches!(opcode, Opcode::Else | Opcode::Endif | Opcode::Do) {
            self.predicate(&mut branch);
        }
        branch.no_mask = self.straight.choices.sometimes(16);
        if width <= 8 && self.straight.choices.sometimes(16) {
            branch.compression = Compression::SecHalf;
        }
        if self.straight.choices.sometimes(16) {
            branch.thread_control = ThreadControl::Switch;
        }
        branch
    }

    fn jump(&mut self, at: i64) -> Instruction {
        let distance = self.distance(at);
        let ip = architecture(ArfKind::InstructionPointer, 0);
        let (into, from) = (to(ip, DataType::Ud), scalar(ip, DataType::Ud));
        let mut jump = match self.straight.choices.below(4) {
            0 => scalar_move(into, constant(DataType::Ud, (16 * (at + distance)) as u32)),
            1 => {
                let low_bits = self.straight.choices.below(16) as i64;
                let bytes = constant(DataType::Ud, (16 * distance + low_bits) as u32);
                single(Opcode::Add, into, [from, bytes])
            }
            kind => {
                let index = constant(DataType::D, (distance - 1) as u32);
                let register = general(self.straight.choices.byte() & 15, 0);
                let index = if kind == 2 { index } else { scalar(register, DataType::D) };
                single(Opcode::Jmpi, into, [from, index])
            }
        };
        self.predicate(&mut jump);
        jump
    }

    fn mask_stack(&mut self) -> Instruction {
        let opcodes = [Opcode::Push, Opcode::Push, Opcode::Msave, Opcode::Mrest, Opcode::Pop];
        let opcode = *self.straight.choices.pick(&opcodes);
        let choices = &mut *self.straight.choices;
        let stack = u8::from(choices.sometimes(110));
        let mask = if choices.sometimes(180) { 1 + stack } else { choices.below(4) as u8 };
        let most = if choices.sometimes(64) { 16 } else { 3 };
        let levels = choices.below(most) as u32;
        let mut instruction = mask_stack(opcode, stack, mask, levels);
        if opcode == Opcode::Pop && choices.sometimes(60) {
            instruction.destination.register = Register::NULL;
        }
        instruction
    }

    /// Writes a control register: exceptions enabled, raised, cleared, the system routine left.
    fn control(&mut self) -> Instruction {
        let choices = &mut *self.straight.choices;
        let data_type = DataType::Ud;
        let dword = choices.below(5).min(2) as u8 % 3;
        let register = architecture(ArfKind::Control, 4 * [0, 1, 2][usize::from(dword)]);
        let (into, from) = (to(register, data_type), scalar(register, data_type));
        let bit = |choices: &mut Choices| 1_u32 << choices.below(32);
        match choices.below(5) {
            0 => single(Opcode::Or, into, [from, constant(data_type, bit(choices))]),
            1 => single(Opcode::And, into, [from, constant(data_type, !bit(choices))]),
            2 => {
                // Back from the system routine.
                let master = architecture(ArfKind::Control, 0);
                let sources = [scalar(master, data_type), constant(data_type, 0x7FFF_FFFF)];
                single(Opcode::And, to(master, data_type), sources)
            }
            3 => scalar_move(into, constant(data_type, choices.word())),
            _ => scalar_move(to(general(20, 0), data_type), from),
        }
    }

    /// Writes masks, mask stacks, their depths, or what cannot be written.
    fn masks(&mut self) -> Instruction {
        let choices = &mut *self.straight.choices;
        let data_type = if choices.sometimes(100) { DataType::Ud } else { DataType::Uw };
        let size = data_type.size() as u8;
        let &(kind, bytes) = choices.pick(&[
            (ArfKind::Mask, 8),
            (ArfKind::Mask, 8),
            (ArfKind::MaskStackDepth, 4),
            (ArfKind::MaskStack, 32),
            // Read-only: what is written is dropped.
            (ArfKind::State, 8),
            (ArfKind::Notification, 4),
        ]);
        let subregister = size * choices.below(usize::from(bytes / size)) as u8;
        let source = match choices.below(3) {
            0 => constant(data_type, 0xFFFF_FFFF),
            1 => scalar(general(choices.byte() & 15, 0), data_type),
            _ => {
                let bits = u32::from(choices.word() as u16 & 0x0F0F);
                constant(data_type, bits << 16 | bits)
            }
        };
        scalar_move(to(architecture(kind, subregister), data_type), source)
    }

    fn wait(&mut self) -> Instruction {
        let number = ArfKind::Notification.code() << 4 | self.straight.choices.byte() & 1;
        wait(Register::Direct { file: RegisterFile::Arf, number, subregister: 0 })
    }
}
