//! `math` and its functions (table `eu-math-functions`).

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    instruction::{MathFunction, Predicate, PredicateControl},
    operand::{Destination, DestinationRegion, Region, Register, Source, SourceModifier},
};

use super::{Later, accumulator::packed, registers::grf, values};
use crate::eu::generate::values::of_every_class;

/// The registers of numbers of every class: two of F, one of HF. The first that results go to.
const FLOATS: u8 = 2;
const HALVES: u8 = 4;
const RESULTS: u8 = 16;

/// Operands of which results are certain where they are cut off at 0 and 1 (the logarithm of 2.5 is less than 1 to
/// base e), or smaller than every number.
const CERTAIN: [(MathFunction, f32, bool); 7] = [
    (MathFunction::Inv, -2.0, true),
    (MathFunction::Sin, -1.0, true),
    (MathFunction::Sin, 4.0, true),
    (MathFunction::Cos, -3.0, true),
    (MathFunction::Cos, 3.0, true),
    (MathFunction::Log, 2.5, true),
    (MathFunction::Exp, -200.0, false),
];

impl Later<'_, '_> {
    /// Lets every function of one number come next, on a number of every class: what the tables of special
    /// values say is met in the first cases, not by luck.
    pub(super) fn math_of_every_class(&mut self) {
        use MathFunction::*;
        const FUNCTIONS: [MathFunction; 7] = [Inv, Log, Exp, Sqt, Rsqt, Sin, Cos];
        let floats = of_every_class(&mut self.random);
        let halves: Vec<_> =
            floats.chunks_exact(2).map(|pair| half(pair[1]) << 16 | half(pair[0])).collect();
        for (n, bits) in floats.into_iter().chain(halves).enumerate() {
            let to = grf(FLOATS + n as u8 / 8, 4 * (n as u8 % 8));
            let number = self.move_to(to, 1, bits);
            self.pending.push_back(number);
        }
        let has_halves = !self.is_gen7() && !self.alternative;
        for (n, function) in FUNCTIONS.into_iter().enumerate() {
            let result = RESULTS + 4 * n as u8;
            self.pending.push_back(of_class(function, DataType::F, 16, grf(FLOATS, 0), result));
            for (first, result) in [(0, result + 2), (16, result + 3)] {
                if has_halves {
                    let numbers = grf(HALVES, first);
                    self.pending.push_back(of_class(function, DataType::Hf, 8, numbers, result));
                }
            }
        }
        for (n, (function, number, saturate)) in (0..).zip(CERTAIN) {
            let operand = grf(HALVES + 1, 4 * n);
            let number = self.move_to(operand, 1, number.to_bits());
            let result = RESULTS + 4 * FUNCTIONS.len() as u8 + n;
            let certain = of_class(function, DataType::F, 1, operand, result);
            self.pending.extend([number, Instruction { saturate, ..certain }]);
        }
    }

    pub(super) fn math(&mut self) -> Instruction {
        use MathFunction::*;
        const FUNCTIONS: &[MathFunction] =
            &[Inv, Log, Exp, Sqt, Rsqt, Sin, Cos, Fdiv, Pow, Idiv, Iqot, Irem, Idiv, Iqot, Irem];
        let mut function = *self.choices.pick(FUNCTIONS);
        if self.is_gen12() && matches!(function, Fdiv | Pow) {
            // `gen12.isa.op.fdiv-pow`.
            function = Inv;
        }
        let is_division = matches!(function, Idiv | Iqot | Irem);
        let is_later = !self.is_gen7();
        let data_type = if is_division {
            *self.choices.pick(&[DataType::D, DataType::Ud])
        } else if is_later && !self.alternative && self.choices.sometimes(50) {
            DataType::Hf
        } else {
            DataType::F
        };
        let is_wide = !is_division && function != Fdiv && data_type == DataType::F;
        let channels = *self.choices.pick(if is_wide { &[8, 16, 8, 4, 1] } else { &[8, 8, 4, 1] });
        let has_modifiers = is_later && !is_division;
        let size = data_type.size() as u8;
        let mut sources = [Source::ABSENT; 3];
        for (index, source) in sources.iter_mut().enumerate().take(function.sources()) {
            let last = index + 1 == function.sources();
            if is_later && last && self.choices.sometimes(30) {
                let bits = values::immediate(&mut self.random, data_type);
                *source = Source::Immediate { data_type, bits };
                continue;
            }
            let scalar = self.choices.sometimes(40);
            let subregister = size * self.choices.below(usize::from(32 / size)) as u8;
            let registers = (channels * size).div_ceil(32);
            let bits = self.choices.byte();
            *source = Source::Register {
                register: grf(self.number(registers), if scalar { subregister } else { 0 }),
                data_type,
                region: if scalar { Region::SCALAR } else { packed(channels) },
                modifier: SourceModifier {
                    absolute: has_modifiers && bits >> 5 == 7,
                    negate: has_modifiers && bits & 3 == 3,
                },
            };
        }
        let registers = (channels * size).div_ceil(32) + u8::from(function == Idiv);
        let destination = Destination {
            register: grf(self.number(registers), 0),
            data_type: match is_division && is_later && self.choices.sometimes(60) {
                true => *self.choices.pick(&[DataType::D, DataType::Ud]),
                false => data_type,
            },
            region: DestinationRegion::Stride(1),
        };
        let predicate = match self.choices.byte() {
            0..=40 => Predicate {
                control: PredicateControl::Sequential,
                inverse: self.choices.sometimes(80),
            },
            _ => Predicate::default(),
        };
        let first_channel = self.group(channels);
        Instruction {
            execution_size: channels,
            no_mask: self.choices.sometimes(110),
            first_channel,
            predicate,
            flag_register: self.choices.byte() & 1,
            saturate: !is_division && self.choices.sometimes(40),
            destination,
            sources,
            math: Some(function),
            ..Instruction::bare(Opcode::Math)
        }
    }
}

/// A function of a register's numbers.
fn of_class(
    function: MathFunction,
    data_type: DataType,
    channels: u8,
    numbers: Register,
    result: u8,
) -> Instruction {
    let region = packed(channels);
    let modifier = SourceModifier::default();
    let source = Source::Register { register: numbers, data_type, region, modifier };
    Instruction {
        execution_size: channels,
        no_mask: true,
        destination: Destination {
            register: grf(result, 0),
            data_type,
            region: DestinationRegion::Stride(1),
        },
        sources: [source, Source::ABSENT, Source::ABSENT],
        math: Some(function),
        ..Instruction::bare(Opcode::Math)
    }
}

/// A binary16 number of the same class, if not the same number.
fn half(float: u32) -> u32 {
    let sign = float >> 16 & 0x8000;
    let fraction = float >> 13 & 0x3FF;
    sign | match float >> 23 & 0xFF {
        0 if float & 0x7F_FFFF == 0 => 0,
        0 => fraction.max(1),
        0xFF if float & 0x7F_FFFF == 0 => 0x7C00,
        0xFF => 0x7C00 | fraction.max(1),
        exponent => (exponent.clamp(127 - 14, 127 + 15) - 112) << 10 | fraction,
    }
}
