//! A program from which instructions can be taken: its branches keep the instructions they go to.

use std::ops::Range;

use parallax_isa::{
    Device,
    device::Generation,
    eu::{
        Case, DataType, Instruction, Opcode,
        case::{DebugRegister, EventKind},
        encode::encode,
        operand::Source,
        program::Program,
        state::channel_ip,
    },
};

/// The instructions of a case.
#[derive(Debug, Clone)]
pub(super) struct Relocatable {
    lines: Vec<Line>,
    /// Where the case starts, as a number of instructions; `None` if no instruction starts there.
    entry: Option<usize>,
    /// Where its system routine starts, if it has one.
    system_routine: Option<usize>,
    /// Events that give instructions a breakpoint by their addresses, by number, and those instructions.
    breakpoints: Vec<(usize, usize)>,
    /// Channels that wait at instructions from the start, by number, and those instructions.
    waiting: Vec<(usize, usize)>,
}

#[derive(Debug, Clone, Copy)]
struct Line {
    instruction: Instruction,
    /// The instructions its distances go to (its exit code; from Gen7 on JIP and UIP), if it has some and
    /// an instruction starts there. The number of all instructions stands for the end of the program.
    targets: [Option<usize>; 2],
}

impl Relocatable {
    /// The instructions of a case; `None` if its program does not decode.
    pub(super) fn new(case: &Case) -> Option<Self> {
        let program = Program::decode(case.device, &case.program).ok()?;
        let end = case.program.len();
        let placed = program.instructions();
        let offsets: Vec<_> = placed.iter().map(|p| p.offset as i64).chain([end as i64]).collect();
        let at = |offset: i64| offsets.binary_search(&offset).ok();
        let lines = placed.iter().enumerate().map(|(index, placed)| {
            let instruction = placed.instruction;
            let from = offsets[origin(&instruction, index)];
            let distances = distances(case.device, &instruction);
            Line { instruction, targets: distances.map(|distance| at(from + distance?)) }
        });
        let events = case.surroundings.events.iter().enumerate();
        let breakpoints = events.filter_map(|(number, event)| {
            let address = breakpoint_address(&event.kind)?;
            Some((number, at(i64::from(address & ADDRESS))?))
        });
        let channels = case.state.channel_ip.iter().enumerate();
        let waiting = channels.filter(|(_, place)| **place & channel_ip::WAITS != 0);
        let waiting = waiting.filter_map(|(channel, place)| {
            Some((channel, at(i64::from(place & channel_ip::OFFSET))?))
        });
        Some(Self {
            waiting: waiting.collect(),
            lines: lines.collect(),
            entry: at(i64::from(case.state.ip)),
            system_routine: case.surroundings.system_routine.and_then(|offset| at(offset.into())),
            breakpoints: breakpoints.collect(),
        })
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn instruction(&self, index: usize) -> &Instruction {
        &self.lines[index].instruction
    }

    /// Where the case starts.
    pub(super) fn entry(&self) -> usize {
        self.entry.unwrap_or(0)
    }

    /// The same program without some instructions. What goes to one of them goes to the next that
    /// is left.
    pub(super) fn without(&self, range: &Range<usize>) -> Self {
        let moved = |index: usize| index - (index.min(range.end) - index.min(range.start));
        let kept = self.lines.iter().enumerate().filter(|(index, _)| !range.contains(index));
        let lines = kept.map(|(_, line)| Line {
            targets: line.targets.map(|target| target.map(moved)),
            ..*line
        });
        Self {
            lines: lines.collect(),
            entry: self.entry.map(moved),
            system_routine: self.system_routine.map(moved),
            breakpoints: self.breakpoints.iter().map(|(event, at)| (*event, moved(*at))).collect(),
            waiting: self.waiting.iter().map(|(channel, at)| (*channel, moved(*at))).collect(),
        }
    }

    /// The same program with another instruction in one place.
    pub(super) fn with(&self, index: usize, instruction: Instruction) -> Self {
        let mut other = self.clone();
        other.lines[index].instruction = instruction;
        other
    }

    /// The case with this program; `None` if it has no machine code.
    pub(super) fn case(&self, case: &Case) -> Option<Case> {
        let lengths = self.lines.iter().map(|line| if line.instruction.compact { 8 } else { 16 });
        let offsets: Vec<i64> = std::iter::once(0)
            .chain(lengths.scan(0, |offset, length| {
                *offset += length;
                Some(*offset)
            }))
            .collect();
        let mut smaller = Case { program: Vec::new(), ..case.clone() };
        for (index, line) in self.lines.iter().enumerate() {
            let mut instruction = line.instruction;
            for (number, target) in line.targets.iter().enumerate() {
                let Some(target) = *target else { continue };
                let bytes = offsets[target] - offsets[origin(&instruction, index)];
                set_distance(case.device, &mut instruction, number, bytes)?;
            }
            smaller.program.extend(encode(case.device, &instruction).ok()?);
        }
        if let Some(entry) = self.entry {
            smaller.state.ip = u32::try_from(offsets[entry]).ok()?;
        }
        if let Some(routine) = self.system_routine {
            let offset = u32::try_from(offsets[routine]).ok()?;
            smaller.surroundings.system_routine = Some(offset).filter(|offset| offset % 16 == 0);
        }
        for (event, at) in &self.breakpoints {
            let event = smaller.surroundings.events.get_mut(*event)?;
            if let EventKind::DebugRegister { value, .. } = &mut event.kind {
                *value = u32::try_from(offsets[*at]).ok()? & ADDRESS | *value & !ADDRESS;
            }
        }
        for (channel, at) in &self.waiting {
            let place = &mut smaller.state.channel_ip[*channel];
            let offset = u32::try_from(offsets[*at]).ok()? & channel_ip::OFFSET;
            *place = offset | *place & !channel_ip::OFFSET;
        }
        Some(smaller)
    }
}

/// The bits of a breakpoint register that are an address.
const ADDRESS: u32 = !0xF;

/// What a breakpoint register holds, if it is one of addresses.
fn breakpoint_address(event: &EventKind) -> Option<u32> {
    use DebugRegister::{BreakpointAddress1, BreakpointAddress2};
    match event {
        EventKind::DebugRegister { register: BreakpointAddress1 | BreakpointAddress2, value } => {
            Some(*value)
        }
        _ => None,
    }
}

/// The instruction that an exit code counts from: jmpi counts from the one behind it.
fn origin(instruction: &Instruction, index: usize) -> usize {
    index + usize::from(instruction.opcode == Opcode::Jmpi)
}

/// Bytes that one step of a distance in src1 means.
fn unit(device: Device) -> i64 {
    match device.generation() {
        Some(Generation::Gen4 | Generation::Gen45) | None => 16,
        Some(Generation::Gen7 | Generation::Gen75) => 8,
        _ => 1,
    }
}

/// The distances in bytes that a branch goes, by what it has of them.
fn distances(device: Device, instruction: &Instruction) -> [Option<i64>; 2] {
    match instruction.branch {
        Some(branch) => [branch.jip, branch.uip].map(|distance| distance.map(i64::from)),
        None => [distance(instruction).map(|steps| steps * unit(device)), None],
    }
}

/// The steps that a branch goes by its exit code.
fn distance(instruction: &Instruction) -> Option<i64> {
    let Source::Immediate { data_type: DataType::D, bits } = instruction.sources[1] else {
        return None;
    };
    match instruction.opcode {
        Opcode::Jmpi => Some(i64::from((bits as u32).cast_signed())),
        Opcode::If
        | Opcode::Iff
        | Opcode::Else
        | Opcode::While
        | Opcode::Break
        | Opcode::Cont
        | Opcode::Halt => Some(i64::from(bits as u16 as i16)),
        _ => None,
    }
}

/// Gives a branch another distance, the first or the second; `None` if it cannot express it.
fn set_distance(
    device: Device,
    instruction: &mut Instruction,
    number: usize,
    bytes: i64,
) -> Option<()> {
    if let Some(branch) = &mut instruction.branch {
        let place = if number == 0 { &mut branch.jip } else { &mut branch.uip };
        *place = Some(i32::try_from(bytes).ok()?);
        return Some(());
    }
    let Source::Immediate { bits, .. } = &mut instruction.sources[1] else { return None };
    let unit = unit(device);
    let distance = i16::try_from(bytes / unit).ok().filter(|_| bytes % unit == 0)?;
    *bits = match instruction.opcode {
        Opcode::Jmpi => i32::from(distance).cast_unsigned().into(),
        _ => *bits & 0xFFFF_0000 | u64::from(distance.cast_unsigned()),
    };
    Some(())
}

#[cfg(test)]
mod tests {
    use parallax_isa::{
        Device,
        eu::{State, case::Event, text},
    };

    use super::*;

    fn case(source: &str) -> Case {
        let program = text::parse(Device::G45, source).expect("it assembles").program;
        Case::new(Device::G45, program.bytes().to_vec(), Box::new(State::new()), 100)
    }

    const LOOP: &str = "mov (8) r2<1>:d 3:d
        do (8)
        add.nz.f0.0 (8) r2<1>:d r2<8;8,1>:d -1:d
        mov (8) r3<1>:d r2<8;8,1>:d
        (f0.0) while (8) -3
        nop";

    #[test]
    fn a_program_stays_what_it_is() {
        let case = case(LOOP);
        assert!(Relocatable::new(&case).expect("decodes").case(&case).expect("encodes") == case);
    }

    #[test]
    fn branches_keep_their_targets() {
        let whole = case(LOOP);
        let shorter = Relocatable::new(&whole).expect("decodes").without(&(3..4));
        let expected = LOOP.replace("mov (8) r3<1>:d r2<8;8,1>:d\n", "").replace("-3", "-2");
        assert!(shorter.case(&whole).expect("encodes") == case(&expected));
        let shorter = Relocatable::new(&whole).expect("decodes").without(&(0..1));
        let expected = LOOP.replace("mov (8) r2<1>:d 3:d\n", "");
        assert!(shorter.case(&whole).expect("encodes") == case(&expected));
    }

    #[test]
    fn breakpoints_keep_their_instructions() {
        let mut whole = case(LOOP);
        let register = DebugRegister::BreakpointAddress2;
        let write = |value| Event { step: 3, kind: EventKind::DebugRegister { register, value } };
        whole.surroundings.events = vec![write(0x31), write(0x11), write(0xFFF1)];
        let shorter = Relocatable::new(&whole).expect("decodes").without(&(1..3));
        let events = shorter.case(&whole).expect("encodes").surroundings.events;
        assert_eq!(events, [write(0x11), write(0x11), write(0xFFF1)]);
    }

    /// Of Gen7 and later a branch has two distances.
    #[test]
    fn both_distances_keep_their_targets() {
        for (device, steps) in [(Device::Ivb, 2), (Device::Skl, 16)] {
            let of = |filler: &str, jip: i32, uip: i32| {
                let (jip, uip) = (jip * steps, uip * steps);
                let source = format!(
                    "if (8) {jip} {uip}\n{filler}nop\nelse (8) {steps} {steps}\nendif (8) {steps}"
                );
                let source = match device {
                    Device::Ivb => source.replace(&format!("{steps} {steps}"), &steps.to_string()),
                    _ => source,
                };
                let program = text::parse(device, &source).expect("it assembles").program;
                Case::new(device, program.bytes().to_vec(), Box::new(State::of(device)), 100)
            };
            let whole = of("mov (8) r2<1>:d 3:d\n", 4, 4);
            let shorter = Relocatable::new(&whole).expect("decodes").without(&(1..2));
            assert!(shorter.case(&whole).expect("encodes") == of("", 3, 3), "{device}");
        }
    }

    #[test]
    fn channels_wait_at_their_instructions() {
        let source = "mov (8) r2<1>:d 3:d\nnop\njoin (8) 16";
        let program = text::parse(Device::Skl, source).expect("it assembles").program;
        let state = Box::new(State::of(Device::Skl));
        let mut whole = Case::new(Device::Skl, program.bytes().to_vec(), state, 100);
        whole.state.channel_ip[3] = 32 | channel_ip::WAITS | channel_ip::BY_BREAK;
        whole.state.channel_ip[4] = 4096 | channel_ip::WAITS;
        let shorter = Relocatable::new(&whole).expect("decodes").without(&(0..1));
        let waiting = shorter.case(&whole).expect("encodes").state.channel_ip;
        assert_eq!(waiting[3], 16 | channel_ip::WAITS | channel_ip::BY_BREAK);
        assert_eq!(waiting[4], 4096 | channel_ip::WAITS);
    }

    #[test]
    fn a_case_that_starts_in_the_middle_starts_there_still() {
        let mut whole = case(LOOP);
        whole.state.ip = 32;
        let shorter = Relocatable::new(&whole).expect("decodes").without(&(0..2));
        assert_eq!(shorter.case(&whole).expect("encodes").state.ip, 0);
        let shorter = Relocatable::new(&whole).expect("decodes").without(&(1..3));
        assert_eq!(shorter.case(&whole).expect("encodes").state.ip, 16);
    }
}
