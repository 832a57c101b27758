//! `math` and its functions (table `eu-math-functions`).

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    instruction::{MathFunction, Predicate, PredicateControl},
    operand::{Destination, DestinationRegion, Region, Source, SourceModifier},
};

use super::{Later, accumulator::packed, registers::grf, values};

impl Later<'_, '_> {
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
            if is_later && index == 1 && last && self.choices.sometimes(30) {
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
            data_type,
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
