//! A program from which instructions can be taken: its branches keep the instructions they go to.

use std::ops::Range;

use parallax_isa::eu::{
    Case, DataType, Instruction, Opcode, encode::encode, operand::Source, program::Program,
};

/// The instructions of a case.
#[derive(Debug, Clone)]
pub(super) struct Relocatable {
    lines: Vec<Line>,
    /// Where the case starts, as a number of instructions; `None` if no instruction starts there.
    entry: Option<usize>,
    /// Where its system routine starts, if it has one.
    system_routine: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Line {
    instruction: Instruction,
    /// The instruction its exit code goes to, if it has one and an instruction starts there. The
    /// number of all instructions stands for the end of the program.
    target: Option<usize>,
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
            let goes = distance(&instruction).map(|d| offsets[origin(&instruction, index)] + d);
            Line { instruction, target: goes.and_then(at) }
        });
        Some(Self {
            lines: lines.collect(),
            entry: at(i64::from(case.state.ip)),
            system_routine: case.surroundings.system_routine.and_then(|offset| at(offset.into())),
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
        let lines = kept.map(|(_, line)| Line { target: line.target.map(moved), ..*line });
        Self {
            lines: lines.collect(),
            entry: self.entry.map(moved),
            system_routine: self.system_routine.map(moved),
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
            if let Some(target) = line.target {
                let from = offsets[origin(&instruction, index)];
                set_distance(&mut instruction, offsets[target] - from)?;
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
        Some(smaller)
    }
}

/// The instruction that an exit code counts from: jmpi counts from the one behind it.
fn origin(instruction: &Instruction, index: usize) -> usize {
    index + usize::from(instruction.opcode == Opcode::Jmpi)
}

/// The distance in bytes that a branch goes by its exit code.
fn distance(instruction: &Instruction) -> Option<i64> {
    let Source::Immediate { data_type: DataType::D, bits } = instruction.sources[1] else {
        return None;
    };
    match instruction.opcode {
        Opcode::Jmpi => Some(i64::from((bits as u32).cast_signed()) * 16),
        Opcode::If
        | Opcode::Iff
        | Opcode::Else
        | Opcode::While
        | Opcode::Break
        | Opcode::Cont
        | Opcode::Halt => Some(i64::from(bits as u16 as i16) * 16),
        _ => None,
    }
}

/// Gives a branch another distance; `None` if its exit code cannot express it.
fn set_distance(instruction: &mut Instruction, bytes: i64) -> Option<()> {
    let Source::Immediate { bits, .. } = &mut instruction.sources[1] else { return None };
    let distance = i16::try_from(bytes / 16).ok().filter(|_| bytes % 16 == 0)?;
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
        eu::{State, text},
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
    fn a_case_that_starts_in_the_middle_starts_there_still() {
        let mut whole = case(LOOP);
        whole.state.ip = 32;
        let shorter = Relocatable::new(&whole).expect("decodes").without(&(0..2));
        assert_eq!(shorter.case(&whole).expect("encodes").state.ip, 0);
        let shorter = Relocatable::new(&whole).expect("decodes").without(&(1..3));
        assert_eq!(shorter.case(&whole).expect("encodes").state.ip, 16);
    }
}
