//! Messages to the Sampling Engine of G45 and its predecessors, legal by construction: each has a surface
//! and a sampler of its own that go with it, and coordinates around the edges of that surface.

mod forms;
pub(in crate::eu::generate) mod parameters;
mod plan;
mod samplers;
mod textures;

use std::ops::Range;

use parallax_isa::{
    Device,
    eu::{
        Case, DataType, Instruction, Opcode, State,
        instruction::{Compression, Descriptor, Message, Predicate},
        operand::{Destination, DestinationRegion, Register, Source},
        register::RegisterFile,
    },
    shared::{Environment, Sampling, SharedFunctions},
};

use super::{
    ProgramBuilder,
    data_port::{general, immediate, message, packed, unmasked},
    sends::no_source,
    straight::Straight,
    values,
};
use crate::{choices::Choices, random::SplitMix64};
use plan::Plan;

/// Most messages of a program, and the end of the first one's places in a binding table.
const MOST: u64 = 5;
const FIRST: u64 = 251;
/// The first general register with parameters; replies are behind the last.
const PARAMETERS: usize = 2;
const REPLIES: usize = 64;
/// Dwords of a surface state, from one to the next, and of a sampler.
const SURFACE: usize = 8;
const SAMPLER: usize = 4;
/// Samplers of a table.
const SAMPLERS: usize = 16;

/// A case of messages to the Sampling Engine.
pub(super) fn messages(device: Device, bytes: &[u8]) -> Case {
    let mut choices = Choices::new(bytes);
    let mut random = SplitMix64::new(choices.seed());
    let mut state = Box::new(State::new());
    values::fill(&mut random, &mut state);
    fill(&mut random, &mut state);
    let count = 1 + random.below(MOST) as usize;
    let first = match random.below(3) {
        0 => random.below(FIRST) as usize,
        _ => 0,
    };
    let samples = Samples::new(device, count, first, &mut random);
    samples.put_parameters(&mut state);
    let environment = samples.environment(first, &mut random);
    let mut program = ProgramBuilder::new(device, false);
    let mut straight = Straight::new(device, &mut choices, random, &mut state);
    for number in 0..count {
        straight.sample(&mut program, &samples, number, REPLIES..128);
    }
    let mut case = Case::new(device, program.bytes, state, 24 * count as u64);
    case.surroundings.shared_functions =
        SharedFunctions::around(environment).with_sampling(samples.sampling);
    case
}

/// Gives such a case other texels to start from. Its parameters go with its surfaces.
pub(super) fn start_elsewhere(random: &mut SplitMix64, case: &mut Case) {
    fill(random, &mut case.state);
    case.state.flag[..2].fill_with(|| values::flags(random));
}

/// Fills memory with texels, of which some are 0, 1, a half or infinite in one format or another.
pub(super) fn fill(random: &mut SplitMix64, state: &mut State) {
    const ONES: [u32; 12] = [
        0,
        u32::MAX,
        0x3F80_0000,
        0x3F00_0000,
        0x3C00_0000,
        0xFFFF,
        0,
        u32::MAX,
        0x3F80_0000,
        0x7F80_0000,
        0xFF80_0000,
        0xFC00_7C00,
    ];
    for word in state.memory.graphics.chunks_mut(4) {
        let bits = random.next();
        let value = match bits >> 32 & 3 {
            0 => ONES[(bits >> 40) as usize % ONES.len()],
            _ => bits as u32,
        };
        word.copy_from_slice(&value.to_le_bytes());
    }
}

/// Messages to the Sampling Engine with what they need of it.
#[derive(Debug)]
pub(super) struct Samples {
    plans: Vec<Plan>,
    pub(super) sampling: Sampling,
}

impl Samples {
    /// So many messages, whose surfaces are in a binding table from an index on.
    pub(super) fn new(device: Device, count: usize, first: usize, random: &mut SplitMix64) -> Self {
        // Border colours, and behind them the samplers.
        let samplers = 8 * (count + random.below(3) as usize);
        let mut general_states: Vec<u32> =
            (0..samplers + SAMPLER * SAMPLERS).map(|_| random.next() as u32).collect();
        let mut slots: Vec<usize> = (0..SAMPLERS).collect();
        let mut plans = Vec::new();
        for number in 0..count {
            // What an engine keeps of one message serves the next one of the same words only.
            let one_in = if plans.last().is_some_and(Plan::is_usual) { 2 } else { 12 };
            let comes_again = !plans.is_empty() && random.below(one_in) == 0;
            if let Some(last) = plans.last().filter(|_| comes_again && random.below(3) > 0) {
                plans.push(Plan::again(last, random));
                continue;
            }
            let slot = slots.swap_remove(random.below(slots.len() as u64) as usize);
            let border = 8 * number;
            let plan = match plans.last().filter(|_| comes_again) {
                Some(last) => Plan::resampled(last, device, samplers, slot, border, random),
                None => Plan::new(device, first + number, slot, samplers, border, random),
            };
            general_states[samplers + SAMPLER * slot..][..4].copy_from_slice(&plan.sampler);
            general_states[border..border + 4].copy_from_slice(&plan.border);
            plans.push(plan);
        }
        let entries = if matches!(device, Device::Bw | Device::Cl) { 16 } else { 256 };
        // Now and then the last entry is missing, or more of them.
        let palettes = [(); 2].map(|()| {
            let entries = match random.below(32) {
                0 => entries - 1,
                1 => 3,
                _ => entries,
            };
            (0..entries).map(|_| random.next() as u32).collect()
        });
        let sampling = Sampling {
            general_states,
            palettes,
            chroma_keys: [(); 4].map(|()| samplers::chroma_key(random)),
            interpolates_chroma: random.below(2) == 0,
        };
        Self { plans, sampling }
    }

    /// The surface states, message by message.
    pub(super) fn surfaces(&self) -> impl Iterator<Item = [u32; 6]> + '_ {
        self.plans.iter().map(|plan| plan.surface)
    }

    /// A binding table of nothing but their surfaces.
    fn environment(&self, first: usize, random: &mut SplitMix64) -> Environment {
        let table = 8 * random.below(3) as usize;
        let states = table + (first + MOST as usize).next_multiple_of(8);
        let mut heap = vec![0; states + SURFACE * self.plans.len()];
        for (number, state) in self.surfaces().enumerate() {
            let start = states + SURFACE * number;
            // The low bits of an entry are not looked at.
            heap[table + first + number] = (4 * start as u32) | random.below(32) as u32;
            heap[start..start + 6].copy_from_slice(&state);
        }
        let binding_table = 4 * table as u32;
        Environment { surface_states: heap, binding_table, ..Environment::default() }
    }

    /// Puts their parameters into general registers one behind the other.
    pub(super) fn put_parameters(&self, state: &mut State) {
        let registers = self.plans.iter().flat_map(|plan| &plan.payload);
        for (register, parameters) in state.grf[PARAMETERS..].iter_mut().zip(registers) {
            for (bytes, value) in register.chunks_mut(4).zip(parameters) {
                bytes.copy_from_slice(&value.to_le_bytes());
            }
        }
    }

    /// The first register with parameters of one of them.
    fn first(&self, number: usize) -> usize {
        PARAMETERS + self.plans[..number].iter().map(|plan| plan.payload.len()).sum::<usize>()
    }
}

impl Straight<'_, '_> {
    /// One of some messages with what prepares it; the reply goes to some of these general registers.
    pub(super) fn sample(
        &mut self,
        program: &mut ProgramBuilder,
        samples: &Samples,
        number: usize,
        replies: Range<usize>,
    ) {
        let (plan, first) = (&samples.plans[number], samples.first(number));
        let length = 1 + plan.payload.len();
        let start = self.choices.below(17 - length) as u8;
        let background = match self.choices.sometimes(100) {
            true => packed(general(self.choices.below(PARAMETERS + REPLIES) as u8, 0)),
            false => immediate(0),
        };
        program.push(unmasked(8, message(start, 0), background));
        for (dword, value) in [(2, plan.control), (3, plan.sampler_states)] {
            program.push(unmasked(1, message(start, 4 * dword), immediate(value)));
        }
        for number in 0..plan.payload.len() {
            let source = packed(general((first + number) as u8, 0));
            program.push(unmasked(8, message(start + 1 + number as u8, 0), source));
        }
        let mut returned = plan.returned;
        if self.choices.sometimes(1) {
            // Not what it has: that has no defined effect.
            returned = (returned + 1) % 9;
        }
        let (execution_size, data_type) =
            if plan.is_wide { (16, DataType::Uw) } else { (8, DataType::Ud) };
        let register = match returned {
            0 => Register::Direct { file: RegisterFile::Arf, number: 0, subregister: 0 },
            _ => {
                let room = (replies.len() - returned) as u64;
                general((replies.start as u64 + self.random.below(room)) as u8, 0)
            }
        };
        let predicate = match self.choices.sometimes(110) {
            true => self.predicate(Opcode::Send, false),
            false => Predicate::default(),
        };
        let lengths = (length << 20 | returned << 16) as u32;
        let descriptor = Descriptor::Immediate(2 << 24 | lengths | plan.descriptor);
        let source = no_source(self.choices, data_type, execution_size);
        program.push(Instruction {
            execution_size,
            no_mask: self.choices.sometimes(150),
            compression: match execution_size {
                8 if self.choices.sometimes(30) => Compression::SecHalf,
                _ => Compression::None,
            },
            predicate,
            flag_subregister: u8::from(self.choices.sometimes(80)),
            destination: Destination { register, data_type, region: DestinationRegion::Stride(1) },
            sources: [source, Source::null(DataType::Ud), Source::ABSENT],
            message: Some(Message::of_registers(start, descriptor, false)),
            ..Instruction::bare(Opcode::Send)
        });
    }
}
