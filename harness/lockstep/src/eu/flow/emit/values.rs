//! Assignments and comparisons to machine code: what trees do to variables.

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    instruction::{Compression, ThreadControl},
    operand::{Destination, Region, Register, Source, SourceModifier, VerticalStride},
    register::RegisterFile,
};

use super::{Emitter, REGISTERS, predicate};
use crate::eu::flow::{
    instructions::{constant, general, to},
    tree::{Assignment, Comparison, Domain, FloatAssignment, Operand, VARIABLES},
};

impl Emitter {
    pub(super) fn constant(&self, bits: u32) -> Option<Source> {
        Some(constant(DataType::D, bits))
    }

    /// A register as source, a doubleword each channel.
    pub(super) fn register(&self, number: u8, data_type: DataType) -> Source {
        let region = match self.width {
            1 => Region::SCALAR,
            2 | 4 => Region::Align1 {
                vertical: VerticalStride::Elements(self.width),
                width: self.width,
                horizontal: 1,
            },
            _ => Region::PACKED8,
        };
        let modifier = SourceModifier::default();
        Source::Register { register: general(number, 0), data_type, region, modifier }
    }

    pub(super) fn source(&self, operand: Operand, data_type: DataType) -> Source {
        match operand {
            Operand::Variable(number) => self.register(REGISTERS.variable(number), data_type),
            Operand::Constant(bits) => constant(data_type, bits),
        }
    }

    /// An instruction on doublewords: compressed, or in two halves, if 16 channels are.
    pub(super) fn dword(
        &mut self,
        opcode: Opcode,
        data_type: DataType,
        into: u8,
        sources: [Option<Source>; 2],
        halves: bool,
        change: impl Fn(&mut Instruction),
    ) {
        self.wide(opcode, to(general(into, 0), data_type), sources, halves, change);
    }

    pub(super) fn comparison(
        &mut self,
        data_type: DataType,
        sources: [Option<Source>; 2],
        halves: bool,
        change: impl Fn(&mut Instruction),
    ) {
        self.wide(Opcode::Cmp, Destination::null(data_type), sources, halves, change);
    }

    fn wide(
        &mut self,
        opcode: Opcode,
        destination: Destination,
        sources: [Option<Source>; 2],
        halves: bool,
        change: impl Fn(&mut Instruction),
    ) {
        let first = sources[0].expect("every operation has a source");
        let absent = match first {
            Source::Immediate { data_type, .. } => data_type,
            Source::Register { .. } => DataType::Ud,
        };
        let mut instruction = Instruction {
            execution_size: self.width,
            destination,
            sources: [first, sources[1].unwrap_or(Source::null(absent)), Source::ABSENT],
            ..Instruction::bare(opcode)
        };
        change(&mut instruction);
        if self.perhaps() {
            instruction.thread_control = ThreadControl::Switch;
        }
        if self.width < 16 {
            self.assembly.push(instruction);
        } else if halves {
            instruction.execution_size = 8;
            self.assembly.push(instruction);
            instruction.compression = Compression::SecHalf;
            for register in registers(&mut instruction) {
                if let Register::Direct { file: RegisterFile::Grf, number, .. } = register {
                    *number += 1;
                }
            }
            self.assembly.push(instruction);
        } else {
            instruction.compression = Compression::Compressed;
            self.assembly.push(instruction);
        }
    }

    pub(super) fn assign(&mut self, assignment: &Assignment) {
        let data_type = assignment.data_type();
        let sources = assignment.sources_as(|operand| self.source(operand, data_type));
        let into = REGISTERS.variable(assignment.into);
        self.dword(assignment.opcode, data_type, into, sources, assignment.halves, |instruction| {
            instruction.saturate = assignment.saturate;
            if let Some(test) = assignment.when {
                predicate(instruction, test);
            }
            if let Some((condition, flag)) = assignment.flag {
                instruction.condition = condition;
                instruction.flag_subregister = flag;
            }
        });
    }

    pub(super) fn assign_float(&mut self, assignment: &FloatAssignment) {
        let temporaries = [REGISTERS.temporary(0), REGISTERS.temporary(1)];
        for (from, temporary) in assignment.from.into_iter().zip(temporaries) {
            let data_type = DataType::Ud;
            let low = [
                Some(self.register(REGISTERS.variable(from), data_type)),
                Some(constant(data_type, 0xFFF)),
            ];
            self.dword(Opcode::And, data_type, temporary, low, false, |_| {});
            let low = [Some(self.register(temporary, data_type)), None];
            self.dword(Opcode::Mov, DataType::F, temporary, low, false, |_| {});
        }
        let opcode = if assignment.multiply { Opcode::Mul } else { Opcode::Add };
        let sources = temporaries.map(|temporary| Some(self.register(temporary, DataType::F)));
        self.dword(
            opcode,
            DataType::F,
            REGISTERS.variable(assignment.into),
            sources,
            false,
            |_| {},
        );
        debug_assert!(usize::from(assignment.into) >= VARIABLES);
    }

    pub(super) fn compare(&mut self, comparison: &Comparison) {
        let data_type = match comparison.domain {
            Domain::Signed => DataType::D,
            Domain::Unsigned => DataType::Ud,
            Domain::Float => DataType::F,
        };
        let sources = comparison.sources.map(|operand| Some(self.source(operand, data_type)));
        self.comparison(data_type, sources, comparison.halves, |instruction| {
            if let Some(test) = comparison.when {
                predicate(instruction, test);
            }
            instruction.condition = comparison.condition;
            instruction.flag_subregister = comparison.flag;
        });
    }
}

/// The registers an instruction names.
fn registers(instruction: &mut Instruction) -> impl Iterator<Item = &mut Register> {
    let sources = instruction.sources.iter_mut().filter_map(|source| match source {
        Source::Register { register, .. } => Some(register),
        Source::Immediate { .. } => None,
    });
    std::iter::once(&mut instruction.destination.register).chain(sources)
}
