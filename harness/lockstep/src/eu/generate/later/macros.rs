//! Exact quotients and roots (Gen9), as compilers write them step by step (table `eu-math-macro-sequences`).

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    instruction::{AccessMode, MathFunction, Predicate, PredicateControl},
    operand::{Destination, DestinationRegion, Region, Source, SourceModifier, VerticalStride},
};

use super::{Later, registers::grf};

/// An operand of a step.
#[derive(Debug, Clone, Copy)]
enum Operand {
    /// Numerator, or what the root is of.
    A,
    B,
    MinusB,
    /// A number: zero, a half, one, one and a half.
    Zero,
    Half,
    One,
    OneAndHalf,
    /// A macro register.
    Mme(u8),
    MinusMme(u8),
    /// None: the result.
    Plain,
}

use Operand::{A, B, Half, MinusB, MinusMme, Mme, One, OneAndHalf, Plain, Zero};

/// Destination and sources of a `madm`.
type Step = [Operand; 4];

const QUOTIENT: &[Step] = &[
    [Mme(1), Zero, A, Mme(0)],
    [Mme(2), One, MinusB, Mme(0)],
    [Mme(3), Mme(0), Mme(2), Mme(0)],
    [Mme(4), A, MinusB, Mme(1)],
    [Mme(5), Mme(1), Mme(4), Mme(3)],
    [Mme(6), A, MinusB, Mme(5)],
    [Plain, Mme(5), Mme(6), Mme(3)],
];

const ROOT: &[Step] = &[
    [Mme(1), Zero, Half, Mme(0)],
    [Mme(2), Zero, A, Mme(0)],
    [Mme(3), Half, MinusMme(2), Mme(1)],
    [Mme(4), Mme(1), Mme(3), Mme(1)],
    [Mme(5), Mme(2), Mme(3), Mme(2)],
    [Mme(6), A, MinusMme(5), Mme(5)],
    [Plain, Mme(5), Mme(4), Mme(6)],
];

const DOUBLE_QUOTIENT: &[Step] = &[
    [Mme(1), Zero, A, Mme(0)],
    [Mme(2), One, MinusB, Mme(0)],
    [Mme(3), A, MinusB, Mme(1)],
    [Mme(4), Mme(0), Mme(2), Mme(0)],
    [Mme(5), One, MinusB, Mme(4)],
    [Mme(6), Mme(0), Mme(2), Mme(4)],
    [Mme(7), Mme(1), Mme(3), Mme(4)],
    [Mme(0), Mme(4), Mme(6), Mme(5)],
    [Mme(1), A, MinusB, Mme(7)],
    [Plain, Mme(7), Mme(1), Mme(0)],
];

const DOUBLE_ROOT: &[Step] = &[
    [Mme(1), Zero, Half, Mme(0)],
    [Mme(2), Zero, A, Mme(0)],
    [Mme(3), Half, MinusMme(2), Mme(1)],
    [Mme(5), One, OneAndHalf, Mme(3)],
    [Mme(6), Zero, Mme(3), Mme(2)],
    [Mme(7), Zero, Mme(3), Mme(1)],
    [Mme(6), Mme(2), Mme(5), Mme(6)],
    [Mme(5), Mme(1), Mme(5), Mme(7)],
    [Mme(1), A, MinusMme(6), Mme(6)],
    [Plain, Mme(6), Mme(1), Mme(5)],
];

/// The numbers that steps need.
const NUMBERS: [f64; 4] = [0.0, 0.5, 1.0, 1.5];

/// The code of no macro register.
const NO_MACRO: u8 = 8;

/// Where the operands of a sequence are.
struct Places {
    data_type: DataType,
    channels: u8,
    a: u8,
    b: u8,
    /// Numbers, then a register for each macro register, then the result.
    first: u8,
}

impl Places {
    /// The general register of an operand, and the code of its macro register.
    fn of(&self, operand: Operand) -> (u8, u8) {
        let number = |n: u8| (self.first + n, NO_MACRO);
        match operand {
            A => (self.a, NO_MACRO),
            B | MinusB => (self.b, NO_MACRO),
            Zero => number(0),
            Half => number(1),
            One => number(2),
            OneAndHalf => number(3),
            Mme(n) | MinusMme(n) => (self.first + 4 + n, n),
            Plain => number(12),
        }
    }

    fn source(&self, operand: Operand, vertical: u8) -> Source {
        let (register, code) = self.of(operand);
        Source::Register {
            register: grf(register, 0),
            data_type: self.data_type,
            region: Region::Align16 {
                vertical: VerticalStride::Elements(vertical),
                swizzle: [code & 3, code >> 2, 0, 0],
            },
            modifier: SourceModifier {
                absolute: false,
                negate: matches!(operand, MinusB | MinusMme(_)),
            },
        }
    }

    fn destination(&self, operand: Operand) -> Destination {
        let (register, code) = self.of(operand);
        Destination {
            register: grf(register, 0),
            data_type: self.data_type,
            region: DestinationRegion::ChannelEnable(code),
        }
    }

    /// `mov`: a number into a whole register.
    fn number(&self, n: u8) -> Instruction {
        let number = NUMBERS[usize::from(n)];
        let bits = match self.data_type {
            DataType::Df => number.to_bits(),
            _ => (number as f32).to_bits().into(),
        };
        Instruction {
            execution_size: if self.data_type == DataType::Df { 4 } else { 8 },
            no_mask: true,
            destination: Destination {
                register: grf(self.first + n, 0),
                data_type: self.data_type,
                region: DestinationRegion::Stride(1),
            },
            sources: [
                Source::Immediate { data_type: self.data_type, bits },
                Source::ABSENT,
                Source::ABSENT,
            ],
            ..Instruction::bare(Opcode::Mov)
        }
    }
}

impl Later<'_, '_> {
    /// A quotient or a root, step by step; some have single steps left out or of other operands.
    pub(super) fn exact_sequence(&mut self) -> Instruction {
        let is_double = self.choices.sometimes(128);
        let is_root = self.choices.sometimes(110);
        let places = Places {
            data_type: if is_double { DataType::Df } else { DataType::F },
            channels: if is_double { 4 } else { *self.choices.pick(&[8, 8, 4]) },
            a: self.number(1),
            b: self.number(1),
            first: self.choices.below(112) as u8,
        };
        let steps = match (is_root, is_double) {
            (false, false) => QUOTIENT,
            (true, false) => ROOT,
            (false, true) => DOUBLE_QUOTIENT,
            (true, true) => DOUBLE_ROOT,
        };
        let flag_register = self.choices.byte() & 1;
        let base = Instruction {
            access_mode: AccessMode::Align16,
            execution_size: places.channels,
            no_mask: self.choices.sometimes(128),
            first_channel: self.group(places.channels.max(8)),
            flag_register,
            ..Instruction::bare(Opcode::Madm)
        };
        let predicate = match self.choices.sometimes(128) {
            true => Predicate { control: PredicateControl::Sequential, inverse: true },
            false => Predicate::default(),
        };
        for n in 0..NUMBERS.len() as u8 {
            self.pending.push_back(places.number(n));
        }
        let vertical = if is_double { 2 } else { 4 };
        let second = if is_root { Source::ABSENT } else { places.source(B, vertical) };
        self.pending.push_back(Instruction {
            opcode: Opcode::Math,
            math: Some(if is_root { MathFunction::Rsqtm } else { MathFunction::Invm }),
            destination: places.destination(Mme(0)),
            sources: [places.source(A, vertical), second, Source::ABSENT],
            ..base
        });
        for [to, first, second, third] in steps {
            if self.choices.sometimes(3) {
                continue;
            }
            let sources = [first, second, third].map(|operand| places.source(*operand, 4));
            let destination = places.destination(*to);
            self.pending.push_back(Instruction { predicate, destination, sources, ..base });
        }
        let first = Instruction::bare(Opcode::Nop);
        self.pending.pop_front().unwrap_or(first)
    }
}
