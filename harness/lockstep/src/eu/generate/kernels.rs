//! Programs of G45 and its predecessors that live on several messages: constants come in, textures are
//! sampled, colours computed and drawn, registers spilled around a loop and brought back, and what one
//! message wrote another one reads.

use std::ops::Range;

use parallax_isa::{
    Device,
    eu::{
        Case, DataType, Instruction, Opcode, State,
        instruction::{ConditionalModifier, Predicate, PredicateControl},
        operand::{
            Destination, DestinationRegion, Region, Register, Source, SourceModifier,
            VerticalStride,
        },
        register::{ArfKind, RegisterFile},
    },
    shared::SharedFunctions,
};

use super::{
    ProgramBuilder,
    data_port::{self, COLOURS, general, immediate, unmasked},
    message_draft::Draft,
    rendering::fraction,
    sampler::{self, Samples},
    straight::Straight,
    surfaces::Surroundings,
    urb_gateway::Entries,
};
use crate::{choices::Choices, random::SplitMix64};

/// Messages to the Sampling Engine that a program may send, again and again.
const SAMPLES: usize = 2;
/// General registers with replies.
const REPLIES: Range<usize> = 64..90;
/// The general register that counts the turns of a loop.
const COUNTER: u8 = 96;
/// More steps than any program takes.
const STEP_LIMIT: u64 = 2000;

/// A kernel.
pub(super) fn kernel(device: Device, bytes: &[u8]) -> Case {
    let mut choices = Choices::new(bytes);
    let mut random = SplitMix64::new(choices.seed());
    let mut state = Box::new(State::new());
    fill(&mut random, &mut state);
    let mut around = Surroundings::new(device, &mut random);
    let samples = Samples::new(device, SAMPLES, around.first + around.surfaces.len(), &mut random);
    samples.surfaces().for_each(|state| around.add_texture(state));
    samples.put_parameters(&mut state);
    let mut kernel = Kernel {
        program: ProgramBuilder::new(device, false),
        straight: Straight::new(device, &mut choices, random, &mut state),
        entries: Entries::default(),
        around,
        samples,
    };
    kernel.write();
    let Kernel { program, around, samples, .. } = kernel;
    let mut case = Case::new(device, program.bytes, state, STEP_LIMIT);
    case.surroundings.shared_functions = SharedFunctions::around(around.environment)
        .with_sampling(samples.sampling)
        .with_rendering(around.rendering);
    case
}

/// Gives such a case other registers and other memory to start from. The parameters of its messages to the
/// Sampling Engine go with its surfaces.
pub(super) fn start_elsewhere(random: &mut SplitMix64, case: &mut Case) {
    let parameters = case.state.grf[..COLOURS.start].to_vec();
    data_port::start_elsewhere(random, case);
    fill_memory(random, &mut case.state);
    case.state.grf[..COLOURS.start].copy_from_slice(&parameters);
}

fn fill(random: &mut SplitMix64, state: &mut State) {
    data_port::fill(random, state);
    fill_memory(random, state);
}

/// Half of all cases have memory of texels that are mostly numbers.
fn fill_memory(random: &mut SplitMix64, state: &mut State) {
    if random.below(2) == 0 {
        sampler::fill(random, state);
    }
}

/// A kernel in the making.
struct Kernel<'c, 'b> {
    program: ProgramBuilder,
    straight: Straight<'c, 'b>,
    entries: Entries,
    around: Surroundings,
    samples: Samples,
}

impl Kernel<'_, '_> {
    fn write(&mut self) {
        let constants = self.straight.oword_block(&self.around).read();
        self.send(&constants);
        self.shade();
        let spilled = self.spill();
        self.send(&spilled.written());
        self.repeat();
        self.perhaps_flush();
        self.send(&spilled.read());
        self.arithmetic();
        let pixels = self.straight.render_target(&self.around);
        self.send(&pixels);
        self.perhaps_flush();
        self.shade();
        if self.straight.choices.sometimes(100) {
            let last = self.straight.last_message_draft(&self.around, &mut self.entries);
            self.send(&last);
        }
    }

    fn send(&mut self, draft: &Draft) {
        self.straight.plain_message(&mut self.program, draft, REPLIES);
    }

    /// A sample, and what is computed from it.
    fn shade(&mut self) {
        let number = self.straight.choices.below(SAMPLES);
        self.straight.sample(&mut self.program, &self.samples, number, REPLIES);
        self.arithmetic();
    }

    /// What is put away to come back later.
    fn spill(&mut self) -> Draft {
        match self.straight.choices.byte() {
            0..=179 => self.straight.oword_block(&self.around),
            _ => self.straight.dword_scattered(&self.around),
        }
    }

    /// Other caches see what was drawn when the render cache is flushed.
    fn perhaps_flush(&mut self) {
        if self.straight.choices.sometimes(160) {
            let draft = self.straight.flush();
            self.send(&draft);
        }
    }

    /// A loop of a few turns.
    fn repeat(&mut self) {
        let turns = 1 + self.straight.choices.below(3) as u32;
        let counter = general(COUNTER, 0);
        self.program.push(unmasked(1, counter, immediate(turns)));
        self.program.align();
        let start = self.program.bytes.len();
        self.arithmetic();
        self.turn();
        let minus_one = Source::Immediate { data_type: DataType::D, bits: u32::MAX.into() };
        self.program.push(Instruction {
            no_mask: true,
            condition: ConditionalModifier::NotEqual,
            destination: to(counter, DataType::D),
            sources: [scalar(counter, DataType::D), minus_one, Source::ABSENT],
            ..Instruction::bare(Opcode::Add)
        });
        self.program.align();
        // Slots from the instruction behind.
        let slots = (self.program.bytes.len() - start) / 16 + 1;
        let back = Source::Immediate {
            data_type: DataType::D,
            bits: (slots as u32).wrapping_neg().into(),
        };
        let ip = ArfKind::InstructionPointer.code() << 4;
        let ip = Register::Direct { file: RegisterFile::Arf, number: ip, subregister: 0 };
        let while_counting =
            Predicate { control: PredicateControl::Sequential, ..Predicate::default() };
        self.program.push_full(Instruction {
            no_mask: true,
            predicate: while_counting,
            destination: to(ip, DataType::Ud),
            sources: [scalar(ip, DataType::Ud), back, Source::ABSENT],
            ..Instruction::bare(Opcode::Jmpi)
        });
    }

    /// A message of a turn.
    fn turn(&mut self) {
        let draft = match self.straight.choices.byte() {
            0..=79 => return self.shade(),
            80..=159 => self.straight.render_target(&self.around),
            160..=199 => self.straight.oword_block(&self.around),
            _ => self.straight.message_draft(&self.around, &mut self.entries),
        };
        self.send(&draft);
    }

    /// Colours from colours, replies and numbers.
    fn arithmetic(&mut self) {
        for _ in 0..1 + self.straight.choices.below(6) {
            let instruction = self.computation();
            self.program.push(instruction);
        }
    }

    fn computation(&mut self) -> Instruction {
        const OPCODES: [Opcode; 6] =
            [Opcode::Mul, Opcode::Add, Opcode::Mov, Opcode::Mul, Opcode::Add, Opcode::Frc];
        let choices = &mut self.straight.choices;
        let opcode = *choices.pick(&OPCODES);
        let number = COLOURS.start + choices.below(COLOURS.len());
        let saturate = choices.sometimes(90) && opcode != Opcode::Frc;
        let predicate = match choices.sometimes(40) {
            true => Predicate { control: PredicateControl::Sequential, ..Predicate::default() },
            false => Predicate::default(),
        };
        let second = match opcode {
            Opcode::Mov | Opcode::Frc => Source::null(DataType::F),
            _ if self.straight.choices.sometimes(80) => {
                let bits = fraction(&mut self.straight.random).into();
                Source::Immediate { data_type: DataType::F, bits }
            }
            _ => self.operand(),
        };
        Instruction {
            execution_size: 8,
            saturate,
            predicate,
            destination: to(general(number as u8, 0), DataType::F),
            sources: [self.operand(), second, Source::ABSENT],
            ..Instruction::bare(opcode)
        }
    }

    /// A colour or a reply.
    fn operand(&mut self) -> Source {
        let choices = &mut self.straight.choices;
        let from = if choices.sometimes(110) { REPLIES } else { COLOURS };
        let number = from.start + choices.below(from.len());
        let modifier =
            SourceModifier { negate: choices.sometimes(50), absolute: choices.sometimes(30) };
        let vertical = VerticalStride::Elements(8);
        let region = Region::Align1 { vertical, width: 8, horizontal: 1 };
        let register = general(number as u8, 0);
        Source::Register { register, data_type: DataType::F, region, modifier }
    }
}

fn to(register: Register, data_type: DataType) -> Destination {
    Destination { register, data_type, region: DestinationRegion::Stride(1) }
}

fn scalar(register: Register, data_type: DataType) -> Source {
    let (region, modifier) = (Region::SCALAR, SourceModifier::default());
    Source::Register { register, data_type, region, modifier }
}
