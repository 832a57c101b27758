//! Loops around blocks from Gen7 on, in which each channel goes round for itself or the thread does, with
//! conditional blocks within them.

mod mixed;

use parallax_isa::{
    Device,
    device::Generation,
    eu::{
        Case, DataType, Instruction, Opcode, State,
        instruction::{
            AccessMode, Branch, ConditionalModifier as Condition, Predicate, PredicateControl,
        },
        operand::{Destination, DestinationRegion, Region, Source, SourceModifier, VerticalStride},
        register::ArfKind,
        state::control,
    },
};

use super::{
    super::{
        instructions::{architecture, constant, general, jmpi, scalar, single, to},
        program::{Goal, Label, Program},
        start,
    },
    FIRST, REGISTERS, STEPS, fill_floats,
};
use crate::{
    choices::Choices,
    eu::generate::{later::Later, values},
    random::SplitMix64,
};

/// The register of a loop's own.
const COUNTER: u8 = 100;

/// Bits of `cr0.0` that decide how floats are computed.
const MODES: u32 = control::ALTERNATIVE_FLOAT_MODE
    | control::ROUNDING_MODE
    | control::DF_DENORMALS
    | control::F_DENORMALS
    | control::HF_DENORMALS;

const CONDITIONS: [Condition; 6] = [
    Condition::Equal,
    Condition::NotEqual,
    Condition::Greater,
    Condition::GreaterEqual,
    Condition::Less,
    Condition::LessEqual,
];

/// An `if` that has not ended.
#[derive(Clone, Copy)]
struct Conditional {
    /// The `else`, if it is still to come, and what is behind it.
    otherwise: Option<[Label; 2]>,
    end: Label,
}

/// Instructions in the making.
struct Writer<'s, 'c, 'b> {
    device: Device,
    source: &'s mut Later<'c, 'b>,
    random: SplitMix64,
    program: Program,
}

/// A case of loops around blocks.
pub(super) fn loops(device: Device, mut choices: Choices) -> Case {
    let choices = &mut choices;
    let (mut state, random) = start::registers(device, choices);
    fill(choices, &mut state);
    let loops = 1 + choices.below(3);
    let own = SplitMix64::new(choices.seed());
    let compacting = choices.sometimes(32);
    let mut source = Later::new(device, choices, random, &state);
    let program = Program::new(device, compacting);
    let mut writer = Writer { device, source: &mut source, random: own, program };
    for _ in 0..loops {
        writer.around();
    }
    Case::new(device, writer.program.finish(), state, STEPS)
}

/// Fills registers, in the modes that a thread starts with for the most part.
fn fill(choices: &mut Choices, state: &mut State) {
    let mut random = SplitMix64::new(choices.seed());
    fill_floats(choices, &mut random, state);
    let mask = if choices.sometimes(80) { choices.word() | choices.word() } else { u32::MAX };
    state.status[2..].fill(mask);
    state.control[0] &= !control::SINGLE_PROGRAM_FLOW;
    if !choices.sometimes(24) {
        state.control[0] &= !MODES;
    }
    if random.next() & 7 == 0 {
        values::fill_at_the_bottom(&mut random, &mut state.grf[usize::from(FIRST)..][..8]);
    }
}

impl Writer<'_, '_, '_> {
    /// A loop around a block, or several that something stands between.
    fn around(&mut self) {
        let choices = &mut *self.source.choices;
        let turns = 2 + choices.below(12) as u32;
        let length = 3 + choices.below(24);
        let entry = choices.sometimes(64).then(|| 1 + choices.below(length - 1));
        let between = choices.sometimes(64).then(|| choices.below(length));
        let counter = general(COUNTER, 0);
        let (into, from) = (to(counter, DataType::D), scalar(counter, DataType::D));
        let set = [constant(DataType::D, turns), Source::null(DataType::D)];
        self.program.push(single(Opcode::Mov, into, set));
        let top = self.program.here();
        let middle = entry.map(|_| self.program.label());
        if let Some(middle) = middle {
            // Every other turn begins in the middle of the block.
            self.test(Opcode::And, from, 1, 2);
            self.jump(middle, 2);
        }
        // Each channel goes round for itself, or the thread does.
        let turn = self.source.choices.sometimes(112).then(|| self.program.label());
        let mut conditional = None;
        for statement in 0..length {
            if entry == Some(statement)
                && let Some(middle) = middle
            {
                self.program.place(middle);
            }
            self.branches(&mut conditional, turn);
            if between == Some(statement) {
                self.between();
            } else {
                let instruction = self.statement();
                self.program.push(instruction);
            }
        }
        if let Some(conditional) = conditional {
            self.end(conditional, turn);
        }
        let less = constant(DataType::D, u32::MAX);
        self.program.push(single(Opcode::Add, into, [from, less]));
        let Some(turn) = turn else {
            self.test(Opcode::Cmp, from, 0, 0);
            return self.jump(top, 0);
        };
        let null = Destination::null(DataType::D);
        let test = single(Opcode::Cmp, null, [from, constant(DataType::D, 0)]);
        let condition = Condition::NotEqual;
        self.program.push(Instruction { execution_size: 16, condition, ..test });
        self.program.place(turn);
        self.branch(Opcode::While, Some(0), [top; 2]);
    }

    /// What begins here of ifs and breaks, and what ends.
    fn branches(&mut self, conditional: &mut Option<Conditional>, turn: Option<Label>) {
        let flag = self.source.choices.below(4) as u8;
        match conditional {
            None if self.source.choices.sometimes(40) => {
                let end = self.program.label();
                let otherwise = self.source.choices.sometimes(112);
                let otherwise = otherwise.then(|| [(); 2].map(|()| self.program.label()));
                let to = otherwise.map_or(end, |[_, behind]| behind);
                self.branch(Opcode::If, Some(flag), [to, end]);
                *conditional = Some(Conditional { otherwise, end });
            }
            Some(Conditional { otherwise, end }) if self.source.choices.sometimes(48) => {
                if let Some(otherwise) = otherwise.take() {
                    self.otherwise(otherwise, *end);
                } else {
                    let ended = Conditional { otherwise: None, end: *end };
                    *conditional = None;
                    self.end(ended, turn);
                }
            }
            _ => {}
        }
        if let Some(turn) = turn
            && self.source.choices.sometimes(24)
        {
            let block_end = match conditional {
                Some(Conditional { otherwise: Some([middle, _]), .. }) => *middle,
                Some(Conditional { end, .. }) => *end,
                None => turn,
            };
            let opcode =
                if self.source.choices.sometimes(80) { Opcode::Cont } else { Opcode::Break };
            self.branch(opcode, Some(flag), [block_end, turn]);
        }
    }

    fn otherwise(&mut self, [middle, behind]: [Label; 2], end: Label) {
        self.program.place(middle);
        self.branch(Opcode::Else, None, [end; 2]);
        self.program.place(behind);
    }

    /// The end of an if, in a loop of channels whose next turn begins at a label.
    fn end(&mut self, Conditional { otherwise, end }: Conditional, turn: Option<Label>) {
        if let Some(otherwise) = otherwise {
            self.otherwise(otherwise, end);
        }
        self.program.place(end);
        let behind = self.program.label();
        self.branch(Opcode::Endif, None, [turn.unwrap_or(behind); 2]);
        self.program.place(behind);
    }

    /// A branch of channels: JIP, and UIP of those that have one.
    fn branch(&mut self, opcode: Opcode, flag: Option<u8>, targets: [Label; 2]) {
        let control = PredicateControl::Sequential;
        let inverse = opcode != Opcode::While && self.source.choices.sometimes(96);
        let branch = Instruction {
            execution_size: 16,
            branch: Some(Branch { jip: Some(0), ..Branch::default() }),
            predicate: match flag {
                Some(_) => Predicate { control, inverse },
                None => Predicate::default(),
            },
            flag_register: flag.unwrap_or(0) & 1,
            // Now and then the half that is of other channels.
            flag_subregister: u8::from(flag == Some(3)),
            ..Instruction::bare(opcode)
        };
        self.program.lead(branch, Goal::Branch { jip: targets[0], uip: targets[1] });
    }

    /// Lets a flag say whether something differs from zero.
    fn test(&mut self, opcode: Opcode, from: Source, bits: u32, flag: u8) {
        let null = Destination::null(DataType::D);
        self.program.push(Instruction {
            condition: Condition::NotEqual,
            flag_register: flag / 2,
            ..single(opcode, null, [from, constant(DataType::D, bits)])
        });
    }

    /// Goes somewhere else if a flag is set.
    fn jump(&mut self, label: Label, flag: u8) {
        let jump = Instruction {
            predicate: Predicate { control: PredicateControl::Sequential, inverse: false },
            flag_register: flag / 2,
            ..jmpi(self.generation(), constant(DataType::D, 0))
        };
        self.program.lead(jump, Goal::Jump(label));
    }

    fn generation(&self) -> Generation {
        self.device.generation().unwrap_or(Generation::Gen7)
    }

    /// What ends a block: a mode changed.
    fn between(&mut self) {
        let modes: &[u32] = match self.device {
            // The other bits are reserved.
            Device::Ivb => &[0x10, 0x20, control::ACCUMULATOR_DISABLE],
            _ => &[0x10, 0x20, control::F_DENORMALS, control::HF_DENORMALS],
        };
        let bit = *self.source.choices.pick(modes);
        let register = architecture(ArfKind::Control, 0);
        let (into, from) = (to(register, DataType::Ud), scalar(register, DataType::Ud));
        self.program.push(single(Opcode::Xor, into, [from, constant(DataType::Ud, bit)]));
    }

    /// A data instruction.
    fn statement(&mut self) -> Instruction {
        if self.source.choices.sometimes(64) {
            return self.mixed();
        }
        use DataType::{D, F, Ud, Uw, W};
        use Opcode::{
            Add, And, Asr, Avg, Cmp, Cmpn, Frc, Mad, Mov, Mul, Not, Or, Rndd, Rnde, Rndu, Rndz,
            Sel, Shl, Shr, Xor,
        };
        const FLOATS: &[Opcode] =
            &[Add, Mul, Add, Mul, Mad, Mad, Mov, Mov, Sel, Rndd, Rndu, Rnde, Rndz, Frc, Cmp, Cmpn];
        const INTEGERS: &[Opcode] =
            &[Add, Add, Mul, And, Or, Xor, Not, Shl, Shr, Asr, Avg, Mov, Sel, Cmp];
        let choices = &mut *self.source.choices;
        let kind = *choices.pick(&[F, F, F, F, D, D, Ud, W, Uw]);
        let opcode = *choices.pick(if kind == F { FLOATS } else { INTEGERS });
        // Of dwords not every generation has the product.
        let opcode = if opcode == Mul && matches!(kind, D | Ud) { Add } else { opcode };
        if opcode == Mad {
            return self.sum_of_product();
        }
        let sizes: &[u8] = match kind.size() {
            2 => &[16, 16, 16, 16, 8, 4, 1],
            _ => &[8, 8, 8, 16, 16, 16, 4, 2, 1],
        };
        let size = *choices.pick(sizes);
        let mut instruction = self.controls(opcode, size);
        let choices = &mut *self.source.choices;
        let compares = matches!(opcode, Cmp | Cmpn);
        let by_order = opcode == Sel && choices.sometimes(128);
        let sequential =
            Predicate { control: PredicateControl::Sequential, inverse: choices.sometimes(96) };
        if opcode == Sel && !by_order || opcode != Sel && choices.sometimes(48) {
            instruction.predicate = sequential;
        }
        if compares {
            instruction.condition = *choices.pick(&CONDITIONS);
        } else if by_order {
            instruction.condition = *choices.pick(&[Condition::Less, Condition::GreaterEqual]);
        }
        instruction.saturate = kind == F && !compares && choices.sometimes(24);
        let has_null = compares && choices.sometimes(160);
        instruction.destination =
            if has_null { Destination::null(kind) } else { self.destination(size, kind) };
        let logic = matches!(opcode, And | Or | Xor | Not | Shl | Shr | Asr);
        instruction.sources[0] = self.source(size, kind, !logic);
        let unary = matches!(opcode, Mov | Not | Rndd | Rndu | Rnde | Rndz | Frc);
        instruction.sources[1] = match unary {
            true => Source::null(kind),
            false if self.source.choices.sometimes(64) => self.immediate(kind),
            false => self.source(size, kind, !logic),
        };
        instruction
    }

    /// How many channels and which.
    fn controls(&mut self, opcode: Opcode, size: u8) -> Instruction {
        let most = if self.generation() == Generation::Gen7 { 16 } else { 32 };
        let choices = &mut *self.source.choices;
        let group = size.max(4);
        let first = match choices.sometimes(40) {
            true => group * choices.below(usize::from(most / group)) as u8,
            false => 0,
        };
        let has_halves = first + size <= 16;
        Instruction {
            execution_size: size,
            first_channel: first,
            no_mask: choices.sometimes(64),
            flag_register: choices.below(2) as u8,
            flag_subregister: if has_halves { choices.below(2) as u8 } else { 0 },
            ..Instruction::bare(opcode)
        }
    }

    /// `mad`, in the layout that a generation has.
    fn sum_of_product(&mut self) -> Instruction {
        let size = *self.source.choices.pick(&[8, 8, 16]);
        let mut instruction = self.controls(Opcode::Mad, size);
        let choices = &mut *self.source.choices;
        instruction.saturate = choices.sometimes(24);
        if choices.sometimes(32) {
            instruction.predicate =
                Predicate { control: PredicateControl::Sequential, inverse: false };
        }
        let align1 = self.generation() >= Generation::Gen12;
        let numbers = [(); 4].map(|()| self.register());
        let region = match align1 {
            true => DestinationRegion::Stride(1),
            false => DestinationRegion::ChannelEnable(0xF),
        };
        instruction.access_mode = if align1 { AccessMode::Align1 } else { AccessMode::Align16 };
        let register = general(numbers[0], 0);
        instruction.destination = Destination { register, data_type: DataType::F, region };
        for (index, source) in instruction.sources.iter_mut().enumerate() {
            let choices = &mut *self.source.choices;
            let is_scalar = choices.sometimes(64);
            let subregister = if is_scalar { 4 * choices.below(8) as u8 } else { 0 };
            let (vertical, width, horizontal) = match (is_scalar, index) {
                (true, _) => (0, 1, 0),
                (false, 2) => (1, 1, 0),
                (false, _) => (8, 8, 1),
            };
            let region = match align1 {
                true => rows(vertical, width, horizontal),
                false => Region::Align16 {
                    vertical: VerticalStride::Elements(if is_scalar { 0 } else { 4 }),
                    swizzle: [0, 1, 2, 3],
                },
            };
            *source = Source::Register {
                register: general(numbers[index + 1], subregister),
                data_type: DataType::F,
                region,
                modifier: SourceModifier { negate: choices.sometimes(40), absolute: false },
            };
        }
        instruction
    }

    fn immediate(&mut self, data_type: DataType) -> Source {
        let bits = self.random.next() as u32;
        let bits = match data_type {
            DataType::F => {
                let numbers = [1f32, 0.5, -0.75, 3.0, 0.0, f32::NAN, 1e-38];
                self.source.choices.pick(&numbers).to_bits()
            }
            _ if data_type.size() == 2 => {
                // A word stands in both halves.
                (bits >> 16 >> (bits & 15)) * 0x1_0001
            }
            _ => bits >> (bits & 31),
        };
        constant(data_type, bits)
    }

    /// Two registers may begin at any.
    fn register(&mut self) -> u8 {
        FIRST + self.source.choices.below(REGISTERS) as u8
    }

    fn destination(&mut self, size: u8, data_type: DataType) -> Destination {
        let unit = data_type.size() as u8;
        let choices = &mut *self.source.choices;
        let subregister = match u16::from(size) * u16::from(unit) {
            bytes @ ..=16 if choices.sometimes(48) => {
                let bytes = bytes as u8;
                bytes * choices.below(usize::from(32 / bytes)) as u8
            }
            _ => 0,
        };
        let number = self.register();
        to(general(number, subregister), data_type)
    }

    /// Packed, or one element for all channels; now and then not where a register begins.
    fn source(&mut self, size: u8, data_type: DataType, modified: bool) -> Source {
        let unit = data_type.size() as u8;
        let number = self.register();
        let choices = &mut *self.source.choices;
        let modifier = SourceModifier {
            negate: modified && choices.sometimes(40),
            absolute: modified && data_type != DataType::Ud && choices.sometimes(20),
        };
        let (register, region) = if size == 1 || choices.sometimes(64) {
            let subregister = unit * choices.below(usize::from(32 / unit)) as u8;
            (general(number, subregister), Region::SCALAR)
        } else if size <= 8 && unit == 4 && choices.sometimes(48) {
            // Rows of four from the middle of a register on.
            let width = size.min(4);
            (general(number, 16), rows(width, width, 1))
        } else {
            let width = if unit == 2 { size } else { size.min(8) };
            (general(number, 0), rows(width, width, 1))
        };
        Source::Register { register, data_type, region, modifier }
    }
}

fn rows(vertical: u8, width: u8, horizontal: u8) -> Region {
    Region::Align1 { vertical: VerticalStride::Elements(vertical), width, horizontal }
}
