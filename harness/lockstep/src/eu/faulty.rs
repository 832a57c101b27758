//! An execution unit engine made wrong on purpose, in one chosen way: what a harness has to notice.
//!
//! A fault either changes instructions before the engine sees them or disturbs what a step did. The
//! engine inside knows nothing of it.

use std::mem::offset_of;

use bytemuck::Zeroable;
use parallax_isa::{
    Device, Extent, LoadError, Step,
    eu::{
        Case, DataType, Instruction, Opcode, State,
        decode::decode,
        encode::encode,
        instruction::{
            AccessMode, Compression, ConditionalModifier as Condition, PredicateControl,
        },
        operand::{Destination, DestinationRegion, Region, Register, Source, VerticalStride},
        register::RegisterFile,
    },
};

use super::{Eu, instruction_at};
use crate::engine::Engine;

/// Changes an instruction; nothing where the fault does not concern it.
type Rewrite = fn(&mut Instruction) -> Option<()>;

/// Disturbs the state after a step, given the one before and the instruction.
type Disturb = fn(&Instruction, &State, &mut State);

/// What is wrong.
#[derive(Clone, Copy)]
enum Kind {
    Rewrite(Rewrite),
    Disturb(Disturb),
}

/// One way to be wrong.
#[derive(Clone, Copy)]
pub struct Fault {
    /// What it does, in a few words.
    pub name: &'static str,
    kind: Kind,
}

/// An engine with a fault.
pub struct Faulty<E> {
    inner: E,
    fault: Fault,
    case: Option<Case>,
    state: Box<State>,
}

impl<E> Faulty<E> {
    /// Makes an engine wrong.
    pub fn new(inner: E, fault: Fault) -> Self {
        Self { inner, fault, case: None, state: Box::new(State::zeroed()) }
    }
}

impl<E: Engine<Eu>> Engine<Eu> for Faulty<E> {
    fn name(&self) -> &str {
        self.fault.name
    }

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        let mut faulty = case.clone();
        if let Kind::Rewrite(rewrite) = self.fault.kind {
            faulty.program = rewritten(case.device, &case.program, rewrite);
        }
        self.inner.load(&faulty)?;
        *self.state = *self.inner.state();
        self.case = Some(case.clone());
        Ok(())
    }

    fn step(&mut self) -> Step {
        let before = *self.state;
        let step = self.inner.step();
        *self.state = *self.inner.state();
        if let (Kind::Disturb(disturb), Some(case)) = (self.fault.kind, &self.case)
            && let Some(instruction) = instruction_at(case, before.ip)
            && step == Step::Continue
        {
            disturb(&instruction, &before, &mut self.state);
        }
        step
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn adopt(&mut self, extent: Extent, from: &State) {
        self.inner.adopt(extent, from);
    }
}

/// A program with every instruction changed that the fault concerns and that still has machine
/// code of the same length.
fn rewritten(device: Device, program: &[u8], rewrite: Rewrite) -> Vec<u8> {
    let mut bytes = program.to_vec();
    let mut at = 0;
    while let Ok((mut instruction, length)) = decode(device, &program[at..]) {
        if rewrite(&mut instruction).is_some()
            && let Ok(code) = encode(device, &instruction)
            && code.len() == length
        {
            bytes[at..at + length].copy_from_slice(&code);
        }
        at += length;
        if at >= program.len() {
            break;
        }
    }
    bytes
}

const fn rewrite(name: &'static str, rewrite: Rewrite) -> Fault {
    Fault { name, kind: Kind::Rewrite(rewrite) }
}

const fn disturb(name: &'static str, disturb: Disturb) -> Fault {
    Fault { name, kind: Kind::Disturb(disturb) }
}

/// Every fault.
pub static FAULTS: [Fault; 48] = [
    rewrite("first operand of add negated", |i| negate(i, Opcode::Add, 0)),
    rewrite("second operand of mul negated", |i| negate(i, Opcode::Mul, 1)),
    rewrite("operands of cmp swapped", |i| swap_sources(i, Opcode::Cmp)),
    rewrite("operands of sel swapped", |i| swap_sources(i, Opcode::Sel)),
    rewrite("operands of shl swapped", |i| swap_sources(i, Opcode::Shl)),
    rewrite("shr taken for asr", |i| become_opcode(i, Opcode::Asr, Opcode::Shr)),
    rewrite("and taken for or", |i| become_opcode(i, Opcode::And, Opcode::Or)),
    rewrite("xor taken for or", |i| become_opcode(i, Opcode::Xor, Opcode::Or)),
    rewrite("rndu taken for frc", |i| become_opcode(i, Opcode::Rndu, Opcode::Frc)),
    rewrite("rnde taken for rndz", |i| become_opcode(i, Opcode::Rnde, Opcode::Rndz)),
    rewrite("cmpn taken for cmp", |i| become_opcode(i, Opcode::Cmpn, Opcode::Cmp)),
    rewrite("dp3 taken for dp4", |i| become_opcode(i, Opcode::Dp3, Opcode::Dp4)),
    rewrite("dph taken for dp4", |i| become_opcode(i, Opcode::Dph, Opcode::Dp4)),
    rewrite("dp2 taken for dp3", |i| become_opcode(i, Opcode::Dp2, Opcode::Dp3)),
    rewrite("avg taken for add", |i| become_opcode(i, Opcode::Avg, Opcode::Add)),
    rewrite("mac taken for mul", |i| become_opcode(i, Opcode::Mac, Opcode::Mul)),
    rewrite("sada2 taken for sad2", |i| become_opcode(i, Opcode::Sada2, Opcode::Sad2)),
    rewrite("not taken for mov", |i| become_opcode(i, Opcode::Not, Opcode::Mov)),
    rewrite("saturation lost", |i| i.saturate.then(|| i.saturate = false)),
    rewrite("predicate inverted", |i| {
        (i.predicate.control != PredicateControl::None)
            .then(|| i.predicate.inverse = !i.predicate.inverse)
    }),
    rewrite("predicate ignored", |i| {
        (i.predicate.control != PredicateControl::None && i.opcode != Opcode::Sel)
            .then(|| i.predicate.control = PredicateControl::None)
    }),
    rewrite("any taken for all", |i| {
        let control = match i.predicate.control {
            PredicateControl::All2H => PredicateControl::Any2H,
            PredicateControl::All4H => PredicateControl::Any4H,
            PredicateControl::All8H => PredicateControl::Any8H,
            PredicateControl::All16H => PredicateControl::Any16H,
            PredicateControl::AllV => PredicateControl::AnyV,
            _ => return None,
        };
        i.predicate.control = control;
        Some(())
    }),
    rewrite("other flag subregister", |i| {
        let used = i.predicate.control != PredicateControl::None || i.condition != Condition::None;
        used.then(|| i.flag_subregister ^= 1)
    }),
    rewrite("greater or equal taken for greater", |i| {
        become_condition(i, Condition::GreaterEqual, Condition::Greater)
    }),
    rewrite("less taken for less or equal", |i| {
        become_condition(i, Condition::Less, Condition::LessEqual)
    }),
    rewrite("equal taken for not equal", |i| {
        become_condition(i, Condition::Equal, Condition::NotEqual)
    }),
    rewrite("flag update lost", |i| {
        (i.condition != Condition::None && !matches!(i.opcode, Opcode::Cmp | Opcode::Cmpn))
            .then(|| i.condition = Condition::None)
    }),
    rewrite("negation dropped", |i| {
        modifier(i, |m| {
            if m.negate {
                m.negate = false;
                Some(())
            } else {
                None
            }
        })
    }),
    rewrite("absolute value dropped", |i| {
        modifier(i, |m| {
            if m.absolute {
                m.absolute = false;
                Some(())
            } else {
                None
            }
        })
    }),
    rewrite("NoMask ignored", |i| i.no_mask.then(|| i.no_mask = false)),
    rewrite("SecHalf ignored", |i| {
        (i.compression == Compression::SecHalf).then(|| i.compression = Compression::None)
    }),
    rewrite("second half of a compressed instruction lost", |i| {
        (i.compression == Compression::Compressed).then(|| {
            i.compression = Compression::None;
            i.execution_size /= 2;
        })
    }),
    rewrite("half of the channels", |i| {
        (i.execution_size > 1 && i.compression != Compression::Compressed)
            .then(|| i.execution_size /= 2)
    }),
    rewrite("destination one element on", |i| shift_destination(&mut i.destination)),
    rewrite("destination stride doubled", |i| match &mut i.destination.region {
        DestinationRegion::Stride(stride @ (1 | 2)) if i.execution_size > 1 => {
            *stride *= 2;
            Some(())
        }
        _ => None,
    }),
    rewrite("channel enables reversed", |i| match &mut i.destination.region {
        DestinationRegion::ChannelEnable(enable) => {
            *enable = enable.reverse_bits() >> 4;
            Some(())
        }
        DestinationRegion::Stride(_) => None,
    }),
    rewrite("swizzle rotated", |i| match &mut i.sources[0] {
        Source::Register { region: Region::Align16 { swizzle, .. }, .. } => {
            swizzle.rotate_left(1);
            Some(())
        }
        _ => None,
    }),
    rewrite("source scalar not replicated", |i| match &mut i.sources[0] {
        Source::Register { region: region @ Region::Align1 { .. }, .. }
            if *region == Region::SCALAR && i.execution_size == 8 =>
        {
            let vertical = VerticalStride::Elements(8);
            *region = Region::Align1 { vertical, width: 8, horizontal: 1 };
            Some(())
        }
        _ => None,
    }),
    rewrite("signed source read as unsigned", |i| match &mut i.sources[0] {
        Source::Register { data_type, .. } => {
            *data_type = match data_type {
                DataType::D => DataType::Ud,
                DataType::W => DataType::Uw,
                DataType::B => DataType::Ub,
                _ => return None,
            };
            Some(())
        }
        Source::Immediate { .. } => None,
    }),
    rewrite("constant off by one", |i| {
        i.sources.iter_mut().find_map(|source| match source {
            Source::Immediate { bits, .. } => {
                *bits = bits.wrapping_add(0x0001_0001);
                Some(())
            }
            Source::Register { .. } => None,
        })
    }),
    rewrite("address offset off by 16", |i| match &mut i.sources[0] {
        Source::Register { register: Register::Indirect { offset, .. }, .. } => {
            *offset = if *offset < 480 { *offset + 16 } else { *offset - 16 };
            Some(())
        }
        _ => None,
    }),
    disturb("one unit in the last place too many", |i, before, after| {
        if i.opcode != Opcode::Mov && i.opcode != Opcode::Sel {
            changed_floats(i, before, after, |bits| bits ^ 1);
        }
    }),
    disturb("sign of zero lost", |i, before, after| {
        changed_floats(i, before, after, |bits| if bits == 0x8000_0000 { 0 } else { bits });
    }),
    disturb("infinity turned to the largest number", |i, before, after| {
        changed_floats(i, before, after, |bits| {
            if bits & 0x7FFF_FFFF == 0x7F80_0000 { bits - 1 } else { bits }
        });
    }),
    disturb("a NaN turned to infinity", |i, before, after| {
        changed_floats(i, before, after, |bits| {
            if bits & 0x7FFF_FFFF > 0x7F80_0000 { 0x7F80_0000 } else { bits }
        });
    }),
    disturb("stale flag bit", |_, before, after| {
        let changed = before.flag[0] ^ after.flag[0];
        after.flag[0] ^= changed & changed.wrapping_neg();
    }),
    disturb("accumulator guard bits lost", |_, before, after| {
        for (old, new) in
            before.accumulator.iter().flatten().zip(after.accumulator.iter_mut().flatten())
        {
            if old != new {
                *new = i64::from(*new as i32).cast_unsigned();
            }
        }
    }),
    disturb("address register keeps 16 bits", |i, before, after| {
        if after.address != before.address && i.destination.register.arf().is_some() {
            after.address[7] |= 0xF000;
        }
    }),
];

fn become_opcode(i: &mut Instruction, from: Opcode, to: Opcode) -> Option<()> {
    (i.opcode == from).then(|| i.opcode = to)
}

fn become_condition(i: &mut Instruction, from: Condition, to: Condition) -> Option<()> {
    (i.condition == from).then(|| i.condition = to)
}

fn swap_sources(i: &mut Instruction, opcode: Opcode) -> Option<()> {
    let registers = i.sources.iter().all(|source| matches!(source, Source::Register { .. }));
    (i.opcode == opcode && registers).then(|| i.sources.swap(0, 1))
}

fn negate(i: &mut Instruction, opcode: Opcode, index: usize) -> Option<()> {
    match &mut i.sources[index] {
        Source::Register { modifier, .. } if i.opcode == opcode => {
            modifier.negate = !modifier.negate;
            Some(())
        }
        _ => None,
    }
}

/// Changes the modifier of the first source that the change concerns.
fn modifier(
    i: &mut Instruction,
    change: fn(&mut parallax_isa::eu::operand::SourceModifier) -> Option<()>,
) -> Option<()> {
    i.sources.iter_mut().find_map(|source| match source {
        Source::Register { modifier, .. } => change(modifier),
        Source::Immediate { .. } => None,
    })
}

fn shift_destination(destination: &mut Destination) -> Option<()> {
    let size = destination.data_type.size() as u8;
    match &mut destination.register {
        Register::Direct { file: RegisterFile::Grf, subregister, .. }
            if *subregister + size < 32
                && destination.region != DestinationRegion::ChannelEnable(0) =>
        {
            *subregister += size;
            Some(())
        }
        _ => None,
    }
}

/// Changes the dwords of general registers that a float result has changed.
fn changed_floats(i: &Instruction, before: &State, after: &mut State, change: fn(u32) -> u32) {
    let float = i.destination.data_type == DataType::F && i.access_mode == AccessMode::Align1;
    if !float {
        return;
    }
    debug_assert_eq!(offset_of!(State, grf), 0);
    let old = before.grf.as_flattened().chunks_exact(4);
    for (old, new) in old.zip(after.grf.as_flattened_mut().chunks_exact_mut(4)) {
        if old != new {
            let bits = u32::from_le_bytes([new[0], new[1], new[2], new[3]]);
            new.copy_from_slice(&change(bits).to_le_bytes());
        }
    }
}
