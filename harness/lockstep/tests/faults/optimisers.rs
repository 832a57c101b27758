//! Translators that optimise, and go too far: a copy is read in place of what was copied, or a write is removed, where
//! a part of the bytes is not what it seems. Programs whose operands overlap show it in the registers at the end. They are
//! tried on Gen9 and later: on Gen4 a write that is removed shows in the accumulator, which nearly every instruction
//! writes, and on Gen7 doubles take two channels each.

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device,
    eu::{
        Case, Instruction, Opcode,
        instruction::{AccessMode, Compression, ConditionalModifier, PredicateControl},
        operand::{DestinationRegion, Region, Register, Source, SourceModifier, VerticalStride},
        program::Placed,
        register::RegisterFile,
    },
};
use parallax_lockstep::{
    Verdict,
    eu::{Eu, generate},
    lockstep::{Agreement, Pace, lockstep, lockstep_at},
    random::SplitMix64,
};
use parallax_reference::eu::Reference;
use rayon::prelude::*;
use rstest::rstest;

use crate::fault_injection::{Fault, Faulty, Mutate, eu::within};

/// The pace of engines that only run to the end.
const TO_THE_END: Pace = Pace::FreeRuns { length: u64::MAX, over_open: true };

/// Instructions within which a fault is found: seconds of a slow engine.
const BUDGET: u64 = 100_000;

/// Instructions of generated cases until a faulty engine leaves another state at an end; all of them if it never does.
/// Cases in which the manual leaves a result open are left out, as they are compared before their end.
fn found_after(
    device: Device,
    fault: Fault<Eu>,
    generate: fn(Device, &[u8]) -> Case,
) -> Option<u64> {
    let (mut reference, mut executor) = (Reference::new(), Executor::new());
    let mut faulty = Faulty::new(fault);
    let mut random = SplitMix64::new(Eu::SEED);
    let mut bytes = vec![0; generate::BYTES];
    let mut instructions = 0;
    while instructions < BUDGET {
        random.fill(&mut bytes);
        let case = generate(device, &bytes);
        let right = lockstep::<Eu>(&mut reference, &mut executor, &case);
        let Verdict::Agreed(Agreement { steps, accepted: 0, .. }) = right else { continue };
        instructions += steps;
        match lockstep_at::<Eu>(TO_THE_END, &mut reference, &mut faulty, &case) {
            Verdict::Diverged(_) => return Some(instructions),
            Verdict::Agreed(_) | Verdict::NotRun(_) => {}
        }
    }
    None
}

fn table(
    device: Device,
    faults: &[Fault<Eu>],
    generate: fn(Device, &[u8]) -> Case,
) -> Vec<Option<u64>> {
    let found = faults.par_iter().map(|fault| found_after(device, *fault, generate));
    let found: Vec<_> = found.collect();
    for (fault, found) in faults.iter().zip(&found) {
        println!("{device} {:60} {found:?}", fault.name);
    }
    found
}

#[rstest]
fn optimisers_that_go_too_far_are_found(#[values(Device::Skl, Device::Dg1)] device: Device) {
    let found = table(device, FAULTS, generate::overlapping);
    assert!(found.iter().all(Option::is_some), "{found:?}");
}

/// What the faults leave out is all that is wrong with them.
#[rstest]
fn optimisers_that_look_at_everything_are_right(
    #[values(Device::Skl, Device::Dg1)] device: Device,
) {
    let found = table(device, RIGHT, generate::overlapping);
    assert!(found.iter().all(Option::is_none), "{found:?}");
}

const RIGHT: &[Fault<Eu>] = &[
    within("a copy propagated", |program, index| propagated(program, index, None)),
    within("a dead write removed", |program, index| removed(program, index, None)),
];

const FAULTS: &[Fault<Eu>] = &[
    within("a copy propagated whatever its region", |program, index| {
        propagated(program, index, Some(Propagation::Region))
    }),
    within("a copy propagated to readers of more than it wrote", |program, index| {
        propagated(program, index, Some(Propagation::Size))
    }),
    within("a conversion taken for a copy", |program, index| {
        propagated(program, index, Some(Propagation::Conversion))
    }),
    within("a copy propagated behind a write of a part of it", |program, index| {
        propagated(program, index, Some(Propagation::PartOfCopy))
    }),
    within("a copy propagated behind a write of its source", |program, index| {
        propagated(program, index, Some(Propagation::Source))
    }),
    within("a copy propagated that a predicate held back", |program, index| {
        propagated(program, index, Some(Propagation::Predicate))
    }),
    within("a copy propagated that the mask held back", |program, index| {
        propagated(program, index, Some(Propagation::Mask))
    }),
    within("a write removed that is overwritten in part", |program, index| {
        removed(program, index, Some(Removal::Part))
    }),
    within("a write removed that is overwritten under a predicate", |program, index| {
        removed(program, index, Some(Removal::Predicate))
    }),
    within("a write removed that is overwritten under the mask", |program, index| {
        removed(program, index, Some(Removal::Mask))
    }),
    within("a write removed that the next register's reader reads", |program, index| {
        removed(program, index, Some(Removal::SecondRegister))
    }),
];

/// What the propagation of copies does not look at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Propagation {
    Region,
    Size,
    Conversion,
    PartOfCopy,
    Source,
    Predicate,
    Mask,
}

/// What the removal of writes does not look at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Removal {
    Part,
    Predicate,
    Mask,
    SecondRegister,
}

/// The first byte of an operand in the register file, and the bytes of its elements, channel by channel.
struct Operand {
    start: usize,
    elements: Vec<usize>,
    size: usize,
}

impl Operand {
    fn bytes(&self) -> impl Iterator<Item = usize> {
        self.elements.iter().flat_map(|element| *element..*element + self.size)
    }

    /// Whether the elements follow each other without a gap.
    fn is_packed(&self) -> bool {
        self.elements.iter().zip((self.start..).step_by(self.size)).all(|(at, next)| *at == next)
    }

    fn has(&self, byte: usize) -> bool {
        self.bytes().any(|own| own == byte)
    }

    fn meets(&self, other: &Self) -> bool {
        self.bytes().any(|byte| other.has(byte))
    }

    fn contains(&self, other: &Self) -> bool {
        other.bytes().all(|byte| self.has(byte))
    }
}

fn general(register: Register) -> Option<usize> {
    match register {
        Register::Direct { file: RegisterFile::Grf, number, subregister } => {
            Some(usize::from(number) * 32 + usize::from(subregister))
        }
        _ => None,
    }
}

fn source(instruction: &Instruction, index: usize) -> Option<Operand> {
    let Source::Register {
        register,
        data_type,
        region: Region::Align1 { vertical: VerticalStride::Elements(vertical), width, horizontal },
        ..
    } = instruction.sources[index]
    else {
        return None;
    };
    let (start, size) = (general(register)?, data_type.size());
    let element = |channel: u8| {
        let (row, column) = (channel / width, channel % width);
        start + size * (usize::from(row * vertical) + usize::from(column * horizontal))
    };
    Some(Operand { start, elements: (0..instruction.execution_size).map(element).collect(), size })
}

fn destination(instruction: &Instruction) -> Option<Operand> {
    let destination = instruction.destination;
    let DestinationRegion::Stride(stride) = destination.region else { return None };
    let (start, size) = (general(destination.register)?, destination.data_type.size());
    let element = |channel: u8| start + size * usize::from(channel) * usize::from(stride);
    Some(Operand { start, elements: (0..instruction.execution_size).map(element).collect(), size })
}

/// Whether a translator looks through an instruction at all; it stops at others.
fn is_plain(instruction: &Instruction) -> bool {
    let names_general = |source: &Source| match source {
        Source::Register { register, .. } => general(*register).is_some() || register.is_null(),
        Source::Immediate { .. } => true,
    };
    instruction.access_mode == AccessMode::Align1
        && matches!(instruction.compression, Compression::None)
        && destination(instruction).is_some()
        && instruction.sources.iter().all(names_general)
}

fn is_predicated(instruction: &Instruction) -> bool {
    instruction.predicate.control != PredicateControl::None
}

/// Whether an instruction copies values.
fn is_copy(instruction: &Instruction) -> bool {
    let Source::Register { modifier, .. } = instruction.sources[0] else { return false };
    instruction.opcode == Opcode::Mov
        && modifier == SourceModifier::default()
        && !instruction.saturate
        && instruction.condition == ConditionalModifier::None
}

/// Whether a copy leaves the bytes as they are.
fn is_of_one_type(copy: &Instruction) -> bool {
    copy.sources[0].data_type() == copy.destination.data_type
}

/// An instruction that reads the source of a copy in place of the copy.
fn propagated(
    program: &[Placed],
    index: usize,
    ignored: Option<Propagation>,
) -> Option<Instruction> {
    let reader = program[index].instruction;
    let ignores = |what| ignored == Some(what);
    let read = source(&reader, 0).filter(|_| is_plain(&reader))?;
    for between in (0..index).rev() {
        let writer = program[between].instruction;
        if !is_plain(&writer) {
            return None;
        }
        let written = destination(&writer)?;
        if !written.meets(&read) || written.start != read.start && ignores(Propagation::PartOfCopy)
        {
            continue;
        }
        let copied = source(&writer, 0).filter(|_| is_copy(&writer))?;
        let is_whole = written.contains(&read) || ignores(Propagation::Size);
        let is_kept = program[between + 1..index].iter().all(|placed| {
            destination(&placed.instruction).is_some_and(|behind| !behind.meets(&copied))
        });
        let is_right = written.start == read.start
            && is_whole
            && (copied.is_packed() || ignores(Propagation::Region))
            && written.is_packed()
            && (is_of_one_type(&writer) || ignores(Propagation::Conversion))
            && (is_kept && !written.meets(&copied) || ignores(Propagation::Source))
            && (!is_predicated(&writer) || ignores(Propagation::Predicate))
            && (writer.no_mask && !writer.mask_control_ex || ignores(Propagation::Mask));
        let (Source::Register { register: from, .. }, Source::Register { register, .. }) =
            (writer.sources[0], reader.sources[0])
        else {
            return None;
        };
        let mut propagated = reader;
        if let Source::Register { register, .. } = &mut propagated.sources[0] {
            *register = from;
        }
        return (is_right && from != register).then_some(propagated);
    }
    None
}

/// A `nop` for a write that is overwritten before it is read.
fn removed(program: &[Placed], index: usize, ignored: Option<Removal>) -> Option<Instruction> {
    let writer = program[index].instruction;
    let ignores = |what| ignored == Some(what);
    let written = destination(&writer).filter(|_| is_plain(&writer))?;
    // It has no other effect.
    if writer.condition != ConditionalModifier::None || writer.accumulator_write {
        return None;
    }
    for Placed { instruction, .. } in &program[index + 1..] {
        if !is_plain(instruction) {
            return None;
        }
        let first_register = |read: &Operand| read.start / 32 != written.start / 32;
        let is_read = (0..3).filter_map(|nth| source(instruction, nth)).any(|read| {
            read.meets(&written) && !(ignores(Removal::SecondRegister) && first_register(&read))
        });
        if is_read {
            return None;
        }
        let over = destination(instruction)?;
        let is_over = match ignores(Removal::Part) {
            true => over.start == written.start,
            false => over.contains(&written),
        };
        if is_over
            && (!is_predicated(instruction) || ignores(Removal::Predicate))
            && (instruction.no_mask && !instruction.mask_control_ex || ignores(Removal::Mask))
        {
            return Some(Instruction::bare(Opcode::Nop));
        }
    }
    None
}
