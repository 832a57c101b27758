//! Values for variables, flags and loop counters.

use parallax_isa::{
    device::Generation,
    eu::{
        DataType, Instruction, Opcode,
        instruction::{Compression, ConditionalModifier, ThreadControl},
        operand::{Destination, Region, Register, Source, SourceModifier, VerticalStride},
        register::RegisterFile,
    },
};

use super::{
    super::{
        instructions::{alone, constant, general, to},
        tree::{Assignment, Comparison, Domain, FloatAssignment, Loop, Operand},
    },
    Emitter, predicate,
};

/// Most channels of an instruction on doublewords: they fill two registers.
const MOST: u8 = 16;

impl Emitter<'_> {
    /// A register as source, a doubleword each channel.
    fn register(number: u8, data_type: DataType) -> Source {
        let (register, region) = (general(number, 0), Region::PACKED8);
        Source::Register { register, data_type, region, modifier: SourceModifier::default() }
    }

    fn source(&self, operand: Operand, data_type: DataType) -> Source {
        match operand {
            Operand::Variable(number) => Self::register(self.registers.variable(number), data_type),
            Operand::Constant(bits) => constant(data_type, bits),
        }
    }

    /// An instruction on doublewords, in as many parts as its channels need, or in more.
    fn wide(
        &mut self,
        opcode: Opcode,
        destination: Destination,
        sources: [Source; 2],
        in_parts: bool,
        change: impl Fn(&mut Instruction),
    ) {
        let has_stacks = self.has_mask_stacks();
        let most = match in_parts {
            false => MOST,
            true if has_stacks || self.random.next() & 1 == 0 => 8,
            true => 4,
        };
        let channels = self.width.min(most);
        let mut switches = false;
        for part in (0..self.width).step_by(channels.into()) {
            // The halves of a compressed instruction are alike.
            if part == 0 || !has_stacks {
                switches = self.perhaps();
            }
            let mut instruction = Instruction {
                execution_size: channels,
                destination,
                sources: [sources[0], sources[1], Source::ABSENT],
                ..Instruction::bare(opcode)
            };
            match (channels, part) {
                (MOST, _) if has_stacks => instruction.compression = Compression::Compressed,
                (_, 1..) if has_stacks => instruction.compression = Compression::SecHalf,
                _ => instruction.first_channel = self.first + part,
            }
            // A comparison to null has to have it on Gen7.
            let is_null = opcode == Opcode::Cmp && destination.register.is_null();
            if switches || is_null && self.generation() == Generation::Gen7 {
                instruction.thread_control = ThreadControl::Switch;
            }
            change(&mut instruction);
            move_to(&mut instruction.destination.register, part);
            for source in &mut instruction.sources {
                if let Source::Register { register, region, .. } = source {
                    move_to(register, part);
                    *region = if *region == Region::PACKED8 { packed(channels) } else { *region };
                }
            }
            self.program.push(instruction);
        }
    }

    fn dword(&mut self, opcode: Opcode, data_type: DataType, into: u8, sources: [Source; 2]) {
        self.wide(opcode, to(general(into, 0), data_type), sources, false, |_| {});
    }

    pub(super) fn assign(&mut self, assignment: &Assignment) {
        let data_type = assignment.data_type();
        let sources = assignment.sources_as(|operand| self.source(operand, data_type));
        let into = to(general(self.registers.variable(assignment.into), 0), data_type);
        self.wide(assignment.opcode, into, sources, assignment.halves, |instruction| {
            instruction.saturate = assignment.saturate;
            assignment.when.into_iter().for_each(|test| predicate(instruction, test));
            if let Some((condition, flag)) = assignment.flag {
                set_flag(instruction, condition, flag);
            }
        });
    }

    pub(super) fn assign_float(&mut self, assignment: &FloatAssignment) {
        let temporaries = [0, 1].map(|number| self.registers.temporary(number));
        for (from, temporary) in assignment.from.into_iter().zip(temporaries) {
            let data_type = DataType::Ud;
            let from = Self::register(self.registers.variable(from), data_type);
            let low = [from, constant(data_type, 0xFFF)];
            self.dword(Opcode::And, data_type, temporary, low);
            let low = alone(Self::register(temporary, data_type));
            self.dword(Opcode::Mov, DataType::F, temporary, low);
        }
        let opcode = if assignment.multiply { Opcode::Mul } else { Opcode::Add };
        let sources = temporaries.map(|temporary| Self::register(temporary, DataType::F));
        self.dword(opcode, DataType::F, self.registers.variable(assignment.into), sources);
    }

    pub(super) fn compare(&mut self, comparison: &Comparison) {
        let data_type = match comparison.domain {
            Domain::Signed => DataType::D,
            Domain::Unsigned => DataType::Ud,
            Domain::Float => DataType::F,
        };
        let sources = comparison.sources.map(|operand| self.source(operand, data_type));
        let into = Destination::null(data_type);
        self.wide(Opcode::Cmp, into, sources, comparison.halves, |instruction| {
            comparison.when.into_iter().for_each(|test| predicate(instruction, test));
            set_flag(instruction, comparison.condition, comparison.flag);
        });
    }

    /// Gives a loop's counter its first value.
    pub(super) fn reset(&mut self, repeated: &Loop) {
        let (number, data_type) = (self.registers.counter(repeated.counter), DataType::Ud);
        let Some((from, bits)) = repeated.start else {
            let data_type = if self.has_mask_stacks() { DataType::D } else { data_type };
            return self.dword(Opcode::Mov, data_type, number, alone(constant(data_type, 0)));
        };
        let from = Self::register(self.registers.variable(from), data_type);
        self.dword(Opcode::And, data_type, number, [from, constant(data_type, bits)]);
    }

    /// Adds 1 to a loop's counter and compares it with the number of turns: at the top whether they are
    /// over, at the bottom whether there are more.
    pub(super) fn count(&mut self, repeated: &Loop) {
        let (number, data_type) = (self.registers.counter(repeated.counter), DataType::Ud);
        let condition = match repeated.guarded {
            true => ConditionalModifier::Greater,
            false => ConditionalModifier::Less,
        };
        let counter = Self::register(number, data_type);
        self.dword(Opcode::Add, data_type, number, [counter, constant(data_type, 1)]);
        let sources = [counter, constant(data_type, repeated.turns)];
        self.wide(Opcode::Cmp, Destination::null(data_type), sources, false, |instruction| {
            set_flag(instruction, condition, repeated.flag);
        });
    }
}

fn set_flag(instruction: &mut Instruction, condition: ConditionalModifier, flag: u8) {
    instruction.condition = condition;
    (instruction.flag_register, instruction.flag_subregister) = (flag / 2, flag % 2);
}

/// Doublewords side by side.
pub(super) fn packed(channels: u8) -> Region {
    match channels {
        1 => Region::SCALAR,
        2 | 4 => Region::Align1 {
            vertical: VerticalStride::Elements(channels),
            width: channels,
            horizontal: 1,
        },
        _ => Region::PACKED8,
    }
}

/// Moves a general register by some doublewords.
fn move_to(register: &mut Register, channels: u8) {
    if let Register::Direct { file: RegisterFile::Grf, number, subregister } = register {
        *number += channels / 8;
        *subregister += 4 * (channels % 8);
    }
}
