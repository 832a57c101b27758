//! Calls and returns that do not belong together, channels that wait from the start, masks and single program flow
//! switched on the way.

use parallax_isa::{
    Device,
    device::Generation,
    eu::{
        DataType, Instruction, Opcode, State,
        case::EventKind,
        decode::NATIVE_BYTES,
        instruction::{Branch, SyncFunction, ThreadControl},
        operand::Register,
        register::ArfKind,
        state::{channel_ip, control},
    },
};

use super::{
    super::{
        generator::is_simple,
        instructions::{
            architecture, constant, general, jmpi, return_address, scalar, scalar_move, single,
            sync, to, wait,
        },
        program::{Goal, Label, Program},
        tree::Registers,
    },
    HELD, LONGEST, STEPS, Written, events, extent, predicate,
};
use crate::{
    choices::Choices,
    eu::generate::{
        end_of_thread,
        later::{Later, dependencies},
        values,
    },
    random::SplitMix64,
};

/// The registers of return addresses.
const LINKS: [u8; 2] = [20, 21];
/// The register that says where a call leads.
const CALLEE: u8 = 22;

/// A program being thrown together.
struct Unstructured<'s, 'c, 'b> {
    device: Device,
    source: &'s mut Later<'c, 'b>,
    program: Program,
    /// The places of its instructions, and of its end.
    places: Vec<Label>,
    /// How many there are so far.
    at: usize,
}

/// A program; some channels wait from the start.
pub(super) fn write(
    device: Device,
    choices: &mut Choices,
    random: SplitMix64,
    state: &mut State,
) -> Written {
    if choices.sometimes(24) {
        // Exceptions that are held already, of which one is raised first.
        state.control[1] |= choices.word() & HELD;
    }
    if choices.sometimes(48) {
        // What arrives makes the counter begin again at 0.
        state.notification_count[0] = values::most_notifications(device) - choices.below(3) as u32;
    }
    let (count, compacting) = extent(device, choices);
    let mut source = Later::new(device, choices, random, state);
    let mut program = Program::new(device, compacting);
    let places: Vec<_> = (0..=count).map(|_| program.label()).collect();
    let mut unstructured = Unstructured { device, source: &mut source, program, places, at: 0 };
    for at in 0..count {
        unstructured.at = at;
        unstructured.program.place(unstructured.places[at]);
        unstructured.instruction();
    }
    let Unstructured { mut program, places, .. } = unstructured;
    program.place(places[count]);
    if choices.sometimes(60) {
        program.push(end_of_thread(device, choices));
    }
    if choices.sometimes(90) {
        park(choices, state, |number| {
            program.offset(places[number % places.len()]).cast_unsigned()
        });
    }
    let system_routine = choices
        .sometimes(120)
        .then(|| program.offset(places[choices.below(places.len())]).cast_unsigned());
    let kinds = [
        EventKind::ExternalHalt,
        EventKind::ThreadNotification,
        EventKind::HostNotification,
        EventKind::ContextSwitch,
    ];
    let most = *choices.pick(&[1, 1, 4]);
    let count = choices.below(most);
    let mut events = events(choices, count, &kinds);
    if choices.sometimes(80) {
        events.extend(dependencies::ends(device, choices, STEPS as usize));
    }
    Written { bytes: program.finish(), system_routine, events }
}

/// Makes channels wait from the start.
fn park(choices: &mut Choices, state: &mut State, place: impl Fn(usize) -> u32) {
    let channels = choices.word();
    let near = choices.sometimes(128);
    for (channel, waits) in state.channel_ip.iter_mut().enumerate() {
        if channels >> channel & 1 == 1 {
            let number = choices.below(if near { 6 } else { LONGEST });
            let mark = if choices.sometimes(60) { channel_ip::BY_BREAK } else { 0 };
            *waits = place(number) | channel_ip::WAITS | mark;
        }
    }
}

impl Unstructured<'_, '_, '_> {
    fn instruction(&mut self) {
        match self.source.choices.byte() {
            0..=79 => self.data(),
            80..=204 => self.branch(),
            205..=220 => self.call(),
            221..=235 => self.jump(),
            236..=245 => self.control(),
            246..=249 => self.wait(),
            250 => self.open(),
            251..=252 => self.exception(),
            _ => self.program.push(Instruction::bare(Opcode::Nop)),
        }
    }

    fn data(&mut self) {
        let instruction = self.source.alone();
        let known = is_simple(&instruction, Registers::of(self.device));
        let instruction = if known { instruction } else { Instruction::bare(Opcode::Nop) };
        self.program.push(instruction);
    }

    /// Somewhere in the program, mostly not far ahead; seldom anywhere that a branch reaches, where the run
    /// ends.
    fn target(&mut self) -> Label {
        let reach = if self.generation() == Generation::Gen7 { 17 } else { 30 };
        let choices = &mut *self.source.choices;
        if choices.sometimes(9) {
            let bits = reach - choices.below(4);
            let bytes = choices.word() as i32 & ((1 << bits) - 1) & !7;
            let ahead = choices.sometimes(128);
            return self.program.at_distance(if ahead { bytes } else { -bytes });
        }
        let last = self.places.len() - 1;
        let number = match choices.byte() {
            0..=169 => self.at + 1 + choices.below(8),
            170..=219 => choices.below(last + 1),
            220..=235 => self.at,
            _ => self.at.saturating_sub(choices.below(8)),
        };
        self.places[number.min(last)]
    }

    fn predicate(&mut self, instruction: &mut Instruction) {
        predicate(self.device, self.source.choices, instruction);
    }

    fn bare(&mut self, opcode: Opcode) -> Instruction {
        let choices = &mut *self.source.choices;
        let execution_size = *choices.pick(&[8, 16, 32, 16, 8, 4, 2, 1]);
        let size = execution_size.max(4);
        let group = if choices.sometimes(60) { choices.below(32 / usize::from(size)) } else { 0 };
        Instruction {
            execution_size,
            first_channel: size * group as u8,
            no_mask: choices.sometimes(30),
            thread_control: match choices.sometimes(16) {
                true => ThreadControl::Switch,
                false => ThreadControl::Normal,
            },
            ..Instruction::bare(opcode)
        }
    }

    fn branch(&mut self) {
        use Opcode::{Break, Cont, Else, Endif, Goto, Halt, If, Join, While};
        const ALL: [Opcode; 15] = [
            If, If, Else, Else, Endif, Endif, While, While, Break, Break, Cont, Halt, Goto, Goto,
            Join,
        ];
        let known = if Goto.code(self.device).is_some() { &ALL[..] } else { &ALL[..12] };
        let opcode = *self.source.choices.pick(known);
        let mut branch = self.bare(opcode);
        if !matches!(opcode, Else | Endif | Join) {
            self.predicate(&mut branch);
        }
        let control = matches!(opcode, Goto | Else)
            && Goto.code(self.device).is_some()
            && self.source.choices.sometimes(100);
        branch.branch = Some(Branch { jip: Some(0), uip: None, control });
        let (jip, uip) = (self.target(), self.target());
        self.program.lead(branch, Goal::Branch { jip, uip });
    }

    /// A call, or a return to where one of the last ones was.
    fn call(&mut self) {
        let choices = &mut *self.source.choices;
        let link = general(*choices.pick(&LINKS), 8 * choices.below(2) as u8);
        if choices.sometimes(140) {
            return self.call_to(link);
        }
        let mut ret = self.bare(Opcode::Ret);
        self.predicate(&mut ret);
        ret.sources[0] = return_address(link);
        ret.branch = Some(Branch::default());
        self.program.push(ret);
    }

    /// A call that leaves where it came from; from Gen9 on also to an address, or to where a register says.
    fn call_to(&mut self, link: Register) {
        let generation = self.generation();
        let is_late = generation >= Generation::Gen9;
        let opcode = match is_late && self.source.choices.sometimes(80) {
            true => Opcode::Calla,
            false => Opcode::Call,
        };
        let mut call = self.bare(opcode);
        self.predicate(&mut call);
        call.destination = to(link, DataType::Ud);
        call.branch = Some(Branch { jip: Some(0), uip: None, control: false });
        let target = self.target();
        if !(is_late && self.source.choices.sometimes(70)) {
            return self.program.lead(call, Goal::Branch { jip: target, uip: target });
        }
        let place = general(CALLEE, 0);
        let load = scalar_move(to(place, DataType::D), constant(DataType::D, 0));
        let goal = match opcode {
            Opcode::Calla => Goal::Absolute(target),
            _ => Goal::Ahead { label: target, base: self.program.next() + NATIVE_BYTES },
        };
        self.program.lead(load, goal);
        call.branch = Some(Branch::default());
        let source = if generation >= Generation::Gen12 { 0 } else { 1 };
        call.sources[source] = scalar(place, DataType::D);
        self.program.push_full(call);
    }

    /// `jmpi`, or a write to `ip`.
    fn jump(&mut self) {
        let ip = architecture(ArfKind::InstructionPointer, 0);
        let (into, from) = (to(ip, DataType::Ud), scalar(ip, DataType::Ud));
        let target = self.target();
        let generation = self.generation();
        let choices = &mut *self.source.choices;
        let (mut jump, goal) = match choices.below(5) {
            0 => (
                single(Opcode::Add, into, [from, constant(DataType::Ud, 0)]),
                Goal::Relative(target),
            ),
            _ => {
                let mut jump = jmpi(generation, constant(DataType::D, 0));
                jump.first_channel = 4 * choices.below(8) as u8;
                (jump, Goal::Jump(target))
            }
        };
        if jump.opcode == Opcode::Jmpi {
            self.predicate(&mut jump);
        }
        self.program.lead(jump, goal);
    }

    /// Switches single program flow or the vector mask, or looks at the channel enables or the time.
    fn control(&mut self) {
        if self.generation() >= Generation::Gen8 && self.source.choices.sometimes(80) {
            let read = self.source.read_channel_enables();
            return self.program.push(read);
        }
        if self.source.choices.sometimes(40) {
            let read = self.source.read_timestamp();
            return self.program.push(read);
        }
        let register = architecture(ArfKind::Control, 0);
        let (into, from) = (to(register, DataType::Ud), scalar(register, DataType::Ud));
        let choices = &mut *self.source.choices;
        let bit = *choices.pick(&[control::SINGLE_PROGRAM_FLOW, control::VECTOR_MASK]);
        let (opcode, bits) =
            if choices.sometimes(170) { (Opcode::And, !bit) } else { (Opcode::Or, bit) };
        self.program.push(single(opcode, into, [from, constant(DataType::Ud, bits)]));
    }

    /// What raises an exception, if that is enabled.
    fn exception(&mut self) {
        let raising = match self.source.choices.below(3) {
            0 => Instruction::bare(Opcode::Illegal),
            1 => Instruction { breakpoint: true, ..Instruction::bare(Opcode::Nop) },
            _ => {
                let register = architecture(ArfKind::Control, 4);
                let bit = 1 << (28 + self.source.choices.below(4));
                let sources = [scalar(register, DataType::Ud), constant(DataType::Ud, bit)];
                single(Opcode::Or, to(register, DataType::Ud), sources)
            }
        };
        self.program.push_full(raising);
    }

    fn generation(&self) -> Generation {
        self.device.generation().expect("it has execution units")
    }

    /// Waits for a notification, with `sync` where there is no `wait`.
    fn wait(&mut self) {
        if self.generation() >= Generation::Gen12 {
            let functions = [
                SyncFunction::Barrier,
                SyncFunction::Host,
                SyncFunction::Nop,
                SyncFunction::AllRead,
                SyncFunction::AllWritten,
            ];
            let function = *self.source.choices.pick(&functions);
            return self.program.push(sync(function));
        }
        let register = architecture(ArfKind::Notification, 4 * self.source.choices.below(3) as u8);
        self.program.push(wait(register));
    }

    /// A branch that the manuals leave open.
    fn open(&mut self) {
        let opcode = *self.source.choices.pick(&[Opcode::Brd, Opcode::Brc]);
        let mut branch = self.bare(opcode);
        branch.branch = Some(Branch { jip: Some(0), uip: None, control: false });
        let (jip, uip) = (self.target(), self.target());
        self.program.lead(branch, Goal::Branch { jip, uip });
    }
}
