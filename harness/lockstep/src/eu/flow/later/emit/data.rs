//! What is between branches: values for variables and flags, loop counters, jumps over blocks.

use parallax_isa::{
    device::Generation,
    eu::{
        DataType, Instruction, Opcode,
        decode::NATIVE_BYTES,
        instruction::{ConditionalModifier, ThreadControl},
        operand::{Destination, Region, Register, Source, SourceModifier, VerticalStride},
        register::RegisterFile,
    },
};

use super::{
    super::super::{
        instructions::{
            IP, architecture, constant, general, jmpi, scalar, scalar_move, single, to,
        },
        tree::{Assignment, Comparison, Domain, FloatAssignment, JumpForm, Loop, Operand, Test},
    },
    Emitter,
    places::{Goal, Label},
    predicate,
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
        sources: [Option<Source>; 2],
        in_parts: bool,
        change: impl Fn(&mut Instruction),
    ) {
        let mut most = MOST;
        if in_parts {
            most = if self.random.next() & 1 == 0 { 8 } else { 4 };
        }
        let channels = self.width.min(most);
        for part in (0..self.width).step_by(channels.into()) {
            let mut instruction = Instruction {
                execution_size: channels,
                first_channel: self.first + part,
                destination,
                sources: [0, 1, 2]
                    .map(|n| *sources.get(n).unwrap_or(&None))
                    .map(|source| source.unwrap_or(Source::ABSENT)),
                ..Instruction::bare(opcode)
            };
            // A comparison to null has to have it on Gen7.
            let is_null = opcode == Opcode::Cmp && destination.register.is_null();
            if self.perhaps() || is_null && self.generation() == Generation::Gen7 {
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

    fn dword(
        &mut self,
        opcode: Opcode,
        data_type: DataType,
        into: u8,
        sources: [Option<Source>; 2],
    ) {
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
            let low = [Some(from), Some(constant(data_type, 0xFFF))];
            self.dword(Opcode::And, data_type, temporary, low);
            let low = [Some(Self::register(temporary, data_type)), None];
            self.dword(Opcode::Mov, DataType::F, temporary, low);
        }
        let opcode = if assignment.multiply { Opcode::Mul } else { Opcode::Add };
        let sources = temporaries.map(|temporary| Some(Self::register(temporary, DataType::F)));
        self.dword(opcode, DataType::F, self.registers.variable(assignment.into), sources);
    }

    pub(super) fn compare(&mut self, comparison: &Comparison) {
        let data_type = match comparison.domain {
            Domain::Signed => DataType::D,
            Domain::Unsigned => DataType::Ud,
            Domain::Float => DataType::F,
        };
        let sources = comparison.sources.map(|operand| Some(self.source(operand, data_type)));
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
            return self.dword(
                Opcode::Mov,
                data_type,
                number,
                [Some(constant(data_type, 0)), None],
            );
        };
        let from = Self::register(self.registers.variable(from), data_type);
        self.dword(Opcode::And, data_type, number, [Some(from), Some(constant(data_type, bits))]);
    }

    /// Adds 1 to a loop's counter and compares it with the number of turns: at the top whether they are
    /// over, at the bottom whether there are more.
    pub(super) fn count(&mut self, repeated: &Loop) {
        let (number, data_type) = (self.registers.counter(repeated.counter), DataType::Ud);
        let condition = match repeated.guarded {
            true => ConditionalModifier::Greater,
            false => ConditionalModifier::Less,
        };
        let counter = Some(Self::register(number, data_type));
        self.dword(Opcode::Add, data_type, number, [counter, Some(constant(data_type, 1))]);
        let sources = [counter, Some(constant(data_type, repeated.turns))];
        self.wide(Opcode::Cmp, Destination::null(data_type), sources, false, |instruction| {
            set_flag(instruction, condition, repeated.flag);
        });
    }

    pub(super) fn jump_always(&mut self, target: Label) {
        self.jump(JumpForm::Index, None, target);
    }

    /// A jump of the thread as a whole.
    pub(super) fn jump(&mut self, form: JumpForm, when: Option<Test>, target: Label) {
        let (ip, data_type) = (to(architecture(IP, 0), DataType::Ud), DataType::Ud);
        let from_ip = scalar(architecture(IP, 0), DataType::Ud);
        let first_channel = self.first;
        let conditional = |mut instruction: Instruction| {
            when.into_iter().for_each(|test| predicate(&mut instruction, test));
            Instruction { first_channel, ..instruction }
        };
        let generation = self.generation();
        match form {
            JumpForm::Index => {
                let jump = conditional(jmpi(generation, constant(DataType::D, 0)));
                self.program.lead(jump, Goal::Jump(target));
            }
            JumpForm::IndexRegister => {
                let index = general(self.registers.jump_index, 0);
                let load = unary(to(index, DataType::D), constant(DataType::D, 0));
                let base = self.program.jump_base(self.program.length() + NATIVE_BYTES);
                self.program.lead(load, Goal::Index { label: target, base });
                // The jump must not be shorter than the distance counts on.
                let jump = jmpi(generation, scalar(index, DataType::D));
                self.program.push_full(conditional(jump));
            }
            JumpForm::Absolute => {
                let mov = conditional(unary(ip, constant(data_type, 0)));
                self.program.lead(mov, Goal::Absolute(target));
            }
            JumpForm::Relative => {
                let add = single(Opcode::Add, ip, [from_ip, constant(data_type, 0)]);
                self.program.lead(conditional(add), Goal::Relative(target));
            }
        }
    }
}

/// A move of the first channel, whatever is enabled.
fn unary(into: Destination, source: Source) -> Instruction {
    let mov = scalar_move(into, source);
    Instruction { sources: [source, Source::ABSENT, Source::ABSENT], ..mov }
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
