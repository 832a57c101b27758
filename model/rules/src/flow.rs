//! Conditions on what an instruction does to its thread: where that goes on, masks and their stacks, where channels
//! wait. Each is written once.

use std::ops::Deref;

use parallax_isa::eu::{
    Instruction,
    Opcode::{self, Break, Cont, Do, Else, Endif, If, Iff, Mrest, Msave, Pop, Push, While},
    State,
    case::EventKind,
    instruction::{Branch, PredicateControl},
    operand::{Register, Source},
    register::{ArfKind, RegisterFile},
    state::{channel_ip, control},
};
use parallax_reference::eu::ThreadStep;

/// Bytes of a native instruction.
const SLOT: u32 = 16;

/// An instruction that was executed.
#[derive(Clone, Copy)]
pub(crate) struct Flow<'a>(pub(crate) &'a ThreadStep<'a>);

impl<'a> Deref for Flow<'a> {
    type Target = ThreadStep<'a>;

    fn deref(&self) -> &ThreadStep<'a> {
        self.0
    }
}

/// The masks of Gen4 and Gen4.5, numbered as in the mask register.
#[derive(Clone, Copy)]
pub(crate) enum Mask {
    A,
    I,
    L,
    C,
}

/// The mask stacks.
#[derive(Clone, Copy)]
pub(crate) enum Stack {
    I,
    L,
}

/// The mask on top of a stack.
fn top(state: &State, stack: Stack) -> u16 {
    let counters = state.mask_stack[stack as usize].iter().enumerate();
    counters.fold(0, |mask, (channel, counter)| mask | u16::from(*counter == 0) << channel)
}

impl<'a> Flow<'a> {
    pub(crate) fn opcode(self) -> Opcode {
        self.0.instruction.opcode
    }

    pub(crate) fn size(self) -> u8 {
        self.0.instruction.execution_size
    }

    /// Whether it is executed in single program flow.
    pub(crate) fn is_alone(self) -> bool {
        self.0.before.control[0] & control::SINGLE_PROGRAM_FLOW != 0
    }

    // Which channels.

    /// Those for which a branch is taken.
    pub(crate) fn taken(self) -> u32 {
        self.0.division[0]
    }

    /// The others that execute it.
    pub(crate) fn left(self) -> u32 {
        self.0.division[1]
    }

    /// Whether channels part.
    pub(crate) fn parts(self) -> bool {
        self.taken() != 0 && self.left() != 0
    }

    pub(crate) fn has_control(self, controls: &[PredicateControl]) -> bool {
        controls.contains(&self.0.instruction.predicate.control)
    }

    pub(crate) fn is_predicated(self) -> bool {
        !self.has_control(&[PredicateControl::None])
    }

    /// Whether a predicate leaves channels out that the masks let execute.
    pub(crate) fn is_selective(self) -> bool {
        self.is_predicated() && self.left() != 0
    }

    /// Those of some channels that are none of the instruction's own.
    pub(crate) fn beyond_size(self, channels: u32) -> u32 {
        let own = u32::MAX >> (32 - u32::from(self.size()).clamp(1, 32));
        channels & !(own << self.0.instruction.first_channel.min(31))
    }

    /// The bit of the first channel in the flags of its predicate.
    pub(crate) fn own_flag(self) -> bool {
        let Instruction { flag_register, flag_subregister, first_channel, .. } =
            *self.0.instruction;
        let bit = 16 * u32::from(flag_subregister & 1) + u32::from(first_channel);
        let halves = &self.0.before.flag[2 * usize::from(flag_register & 1)..][..2];
        let flags = u32::from(halves[0]) | u32::from(halves[1]) << 16;
        flags.checked_shr(bit).unwrap_or(0) & 1 == 1
    }

    // Where it goes on.

    /// Whether it goes on elsewhere than behind it.
    pub(crate) fn leaps(self) -> bool {
        self.0.jumps && self.0.after.ip != self.0.following
    }

    /// Whether it goes on before it.
    pub(crate) fn leaps_back(self) -> bool {
        self.0.jumps && self.0.after.ip < self.0.before.ip
    }

    /// Its distances.
    pub(crate) fn branch(self) -> Branch {
        self.0.instruction.branch.unwrap_or_default()
    }

    /// The instruction at a byte of the program.
    fn at(self, offset: u32) -> Option<&'a Instruction> {
        let program = self.0.program;
        program.index_at(offset as usize).map(|index| &program.instructions()[index].instruction)
    }

    /// Whether it jumps to one of some instructions.
    pub(crate) fn jumps_to(self, opcodes: &[Opcode]) -> bool {
        self.0.jumps && self.at(self.0.after.ip).is_some_and(|at| opcodes.contains(&at.opcode))
    }

    /// Whether it jumps behind an `endif`.
    pub(crate) fn jumps_behind_endif(self) -> bool {
        let before = self.0.after.ip.checked_sub(SLOT).and_then(|offset| self.at(offset));
        self.0.jumps && before.is_some_and(|instruction| instruction.opcode == Endif)
    }

    /// Whether it jumps over compact instructions.
    pub(crate) fn jumps_over_compact(self) -> bool {
        let [from, to] = [self.0.before.ip, self.0.after.ip].map(|ip| ip as usize);
        let instructions = self.0.program.instructions();
        let first = instructions.partition_point(|placed| placed.offset < from.min(to));
        let within = instructions[first..].iter().take_while(|at| at.offset < from.max(to));
        self.0.jumps && within.into_iter().any(|placed| placed.instruction.compact)
    }

    /// Whether it stands in the upper half of a slot.
    pub(crate) fn is_in_upper_half(self) -> bool {
        !self.0.before.ip.is_multiple_of(SLOT)
    }

    /// The doubleword of a source that is an immediate or stands in a general register.
    pub(crate) fn operand(self, source: usize) -> Option<u32> {
        match self.0.instruction.sources[source] {
            Source::Immediate { bits, .. } => Some(bits as u32),
            Source::Register {
                register: Register::Direct { file: RegisterFile::Grf, number, subregister },
                ..
            } => {
                let bytes = self.0.before.grf.as_flattened();
                let start = 32 * usize::from(number) + usize::from(subregister);
                let bytes = bytes.get(start..start + 4)?;
                bytes.try_into().ok().map(u32::from_le_bytes)
            }
            Source::Register { .. } => None,
        }
    }

    /// Whether a source is a register.
    pub(crate) fn has_register(self, source: usize) -> bool {
        matches!(self.0.instruction.sources[source], Source::Register { register, .. }
            if !register.is_null())
    }

    pub(crate) fn writes_destination(self) -> bool {
        self.0.jumps && !self.0.instruction.destination.register.is_null()
    }

    // Masks of Gen4 and Gen4.5.

    pub(crate) fn before(self, mask: Mask) -> u16 {
        self.0.before.mask[mask as usize]
    }

    pub(crate) fn after(self, mask: Mask) -> u16 {
        self.0.after.mask[mask as usize]
    }

    pub(crate) fn changes(self, mask: Mask) -> bool {
        self.before(mask) != self.after(mask)
    }

    pub(crate) fn changes_masks(self) -> bool {
        self.0.before.mask != self.0.after.mask
    }

    /// The instruction's channels that all masks let run before it.
    pub(crate) fn running(self) -> u16 {
        let all = self.0.before.mask.into_iter().fold(u16::MAX, |all, mask| all & mask);
        all & u16::MAX >> (16 - self.size().clamp(1, 16))
    }

    /// The channels of the other part of a conditional block: IMask as `else` makes it.
    pub(crate) fn others(self) -> u16 {
        !self.before(Mask::I) & top(self.0.before, Stack::I)
    }

    /// The mask that an operand of a mask instruction names.
    fn named(self) -> u16 {
        let source = match self.0.instruction.sources[0] {
            Source::Register { register, .. } => Some(register),
            Source::Immediate { .. } => None,
        };
        let registers = [Some(self.0.instruction.destination.register), source];
        let number = registers.into_iter().flatten().find_map(|register| match register {
            Register::Direct { subregister, .. } if register.arf() == Some(ArfKind::Mask) => {
                Some(usize::from(subregister / 2))
            }
            _ => None,
        });
        number.and_then(|number| self.0.after.mask.get(number)).copied().unwrap_or_default()
    }

    /// The channels of the mask that it names which lie beyond its size.
    pub(crate) fn named_beyond_size(self) -> u32 {
        self.beyond_size(self.named().into())
    }

    // Their stacks.

    /// How many levels of the IStack a branch pops besides.
    pub(crate) fn pop_count(self) -> u32 {
        match self.0.instruction.sources[1] {
            Source::Immediate { bits, .. } => bits as u32 >> 16 & 0xF,
            Source::Register { .. } => 0,
        }
    }

    /// Whether it leaves a loop.
    pub(crate) fn leaves_loop(self) -> bool {
        self.opcode() == While && !self.0.jumps || self.opcode() == Break && self.0.jumps
    }

    /// Whether it has to push a mask.
    fn has_to_push(self) -> bool {
        matches!(self.opcode(), If | Do | Msave | Push) || self.opcode() == Iff && !self.0.jumps
    }

    /// Whether it takes a mask from a stack.
    pub(crate) fn restores(self) -> bool {
        match self.opcode() {
            Endif | Mrest => true,
            Else => self.0.jumps,
            Cont => self.0.jumps && self.pop_count() != 0,
            _ => self.leaves_loop(),
        }
    }

    fn has_to_pop(self) -> bool {
        self.restores() || self.opcode() == Pop && self.operand(1) != Some(0)
    }

    /// Whether it would move a mask to or from a stack if it were not in single program flow.
    pub(crate) fn has_to_move(self) -> bool {
        self.has_to_push() || self.has_to_pop()
    }

    /// Whether it does not because of that.
    pub(crate) fn keeps_stacks(self) -> bool {
        self.is_alone() && self.has_to_move()
    }

    pub(crate) fn pushes(self) -> bool {
        !self.is_alone() && self.has_to_push()
    }

    pub(crate) fn pops(self) -> bool {
        !self.is_alone() && self.has_to_pop()
    }

    pub(crate) fn moves(self) -> bool {
        self.pushes() || self.pops()
    }

    fn depth(self, state: &State, stack: Stack) -> u16 {
        state.mask_stack_depth[stack as usize] % 16
    }

    /// How many levels it takes from a stack.
    pub(crate) fn levels(self, stack: Stack) -> u16 {
        let [before, after] = [self.0.before, self.0.after].map(|state| self.depth(state, stack));
        if self.pops() { (before + 16 - after) % 16 } else { 0 }
    }

    /// Whether counters of channels from one on change.
    pub(crate) fn counts(self, first: u8) -> bool {
        let [before, after] = [self.0.before, self.0.after];
        let mut stacks = before.mask_stack.iter().zip(&after.mask_stack);
        stacks
            .any(|(before, after)| before.iter().zip(after).skip(first.into()).any(|(b, a)| b != a))
    }

    /// Whether those of channels beyond its size do.
    pub(crate) fn counts_beyond_size(self) -> bool {
        self.size() < 16 && self.counts(self.size())
    }

    /// Whether a counter begins again at 0.
    pub(crate) fn counter_wraps(self) -> bool {
        let [before, after] = [self.0.before, self.0.after].map(|state| state.mask_stack);
        let pairs = before.as_flattened().iter().zip(after.as_flattened());
        self.pushes() && pairs.into_iter().any(|(before, after)| before > after)
    }

    fn any_depth(self, condition: impl Fn(u16, u16) -> bool) -> bool {
        [Stack::I, Stack::L].into_iter().any(|stack| {
            condition(self.depth(self.0.before, stack), self.depth(self.0.after, stack))
        })
    }

    /// Whether a push leaves a depth beyond the greatest.
    pub(crate) fn overflows(self) -> bool {
        self.pushes() && self.any_depth(|before, after| before > after)
    }

    /// Whether a pop leaves one below 0.
    pub(crate) fn underflows(self) -> bool {
        self.pops() && self.any_depth(|before, after| before < after)
    }

    /// Whether the top of a stack that it reads has some channels and not others.
    pub(crate) fn restores_some(self) -> bool {
        let stack = if self.leaves_loop() { Stack::L } else { Stack::I };
        self.restores() && !matches!(top(self.0.before, stack), 0 | u16::MAX)
    }

    /// Whether it raises an exception that was not raised.
    pub(crate) fn raises(self) -> bool {
        self.0.after.control[1] & !self.0.before.control[1] != 0
    }

    /// Whether it raises one that is not enabled.
    pub(crate) fn raises_disabled(self) -> bool {
        let raised = (self.0.after.control[1] & !self.0.before.control[1]) >> 24;
        // The four of mask stacks share an enable bit.
        let enables = [(15, 7), (14, 6), (13, 5), (12, 4), (11, 3), (11, 2), (11, 1), (11, 0)];
        enables.iter().any(|(enable, status)| {
            raised >> status & 1 == 1 && self.0.before.control[1] >> enable & 1 == 0
        })
    }

    pub(crate) fn is_in_system_routine(self) -> bool {
        self.0.before.control[0] >> 31 == 1
    }

    /// Whether it leaves the system routine.
    pub(crate) fn returns(self) -> bool {
        self.is_in_system_routine() && self.0.after.control[0] >> 31 == 0
    }

    pub(crate) fn writes(self, kind: ArfKind) -> bool {
        self.0.instruction.destination.register.arf() == Some(kind)
    }

    /// Whether Breakpoint Suppress lets it execute although it has a breakpoint.
    pub(crate) fn is_suppressed(self) -> bool {
        let [before, after] =
            [self.0.before, self.0.after].map(|state| state.control[0] >> 15 & 1 == 1);
        before && !after && !self.writes(ArfKind::Control)
    }

    /// Whether an event of some kind arrived before it.
    pub(crate) fn comes_after(self, is_it: impl Fn(EventKind) -> bool) -> bool {
        self.0.arrived.iter().any(|event| is_it(*event))
    }

    /// Whether it waits for a notification.
    pub(crate) fn stalls(self) -> bool {
        self.0.after.ip == self.0.before.ip
    }

    // Where channels of Gen7 and later wait.

    fn channels(self, condition: impl Fn(u32, u32) -> bool) -> u32 {
        let [before, after] = [self.0.before, self.0.after].map(|state| &state.channel_ip);
        let pairs = before.iter().zip(after).enumerate();
        pairs.fold(0, |mask, (channel, (before, after))| {
            mask | u32::from(condition(*before, *after)) << channel
        })
    }

    /// Those that it makes wait.
    pub(crate) fn parked(self) -> u32 {
        self.channels(|before, after| after != 0 && after != before)
    }

    /// Those that wait no longer.
    pub(crate) fn woken(self) -> u32 {
        // Of most instructions none.
        if self.0.before.channel_ip == self.0.after.channel_ip {
            return 0;
        }
        self.channels(|before, after| before != 0 && after == 0)
    }

    /// Those that wait elsewhere and go on waiting.
    pub(crate) fn waiting(self) -> u32 {
        self.channels(|before, after| before != 0 && before == after)
    }

    /// Those that wait for the end of the loop that it ends.
    pub(crate) fn waiting_for_end(self) -> u32 {
        let here = self.0.before.ip & channel_ip::OFFSET;
        self.channels(|before, _| {
            before & channel_ip::BY_BREAK != 0 && before & channel_ip::OFFSET == here
        })
    }

    /// Those that wait at one of some instructions.
    pub(crate) fn waiting_at(self, opcodes: &[Opcode]) -> u32 {
        self.channels(|before, after| {
            before == after
                && before != 0
                && self
                    .at(before & channel_ip::OFFSET)
                    .is_some_and(|instruction| opcodes.contains(&instruction.opcode))
        })
    }
}
