//! Data instructions whose operands have several types, and gaps between their elements.

use parallax_isa::{
    device::Generation,
    eu::{
        DataType, Instruction, Opcode,
        instruction::{ConditionalModifier as Condition, Predicate, PredicateControl},
        operand::{Destination, DestinationRegion, Region, Source, SourceModifier},
    },
};

use super::{CONDITIONS, Writer, constant, general, rows};

const INTEGERS: [DataType; 8] = {
    use DataType::{B, D, Ub, Ud, Uw, W};
    [D, D, Ud, Ud, W, Uw, B, Ub]
};
const DWORDS: [DataType; 2] = [DataType::D, DataType::Ud];
const WORDS: [DataType; 2] = [DataType::W, DataType::Uw];
const FLOATS: [DataType; 1] = [DataType::F];
/// Half floats, which Gen7 has not.
const HALVES: [DataType; 1] = [DataType::Hf];

/// Types that an operation takes: of the destination, of the first source, of the second.
type Types = [&'static [DataType]; 3];

impl Writer<'_, '_, '_> {
    /// Some operation on operands of several types, or a conversion.
    pub(super) fn mixed(&mut self) -> Instruction {
        use Opcode::{Add, And, Asr, Avg, Cmp, Mov, Mul, Not, Or, Sel, Shl, Shr, Xor};
        let choices = &mut *self.source.choices;
        let opcode = *choices.pick(&[
            Mov, Mov, Mov, Mov, Add, Add, Mul, Mul, And, Or, Xor, Not, Shl, Shr, Asr, Avg, Sel, Cmp,
        ]);
        let size = *choices.pick(&[8, 8, 8, 16, 16, 4, 2, 1]);
        let [to, first, second] = self.types(opcode);
        let mut instruction = self.controls(opcode, size);
        let choices = &mut *self.source.choices;
        let by_order = opcode == Sel && choices.sometimes(128);
        if opcode == Sel && !by_order || opcode != Sel && choices.sometimes(48) {
            let inverse = choices.sometimes(96);
            instruction.predicate = Predicate { control: PredicateControl::Sequential, inverse };
        }
        if opcode == Cmp {
            instruction.condition = *choices.pick(&CONDITIONS);
        } else if by_order {
            instruction.condition = *choices.pick(&[Condition::Less, Condition::GreaterEqual]);
        }
        instruction.saturate = matches!(opcode, Mov | Add) && choices.sometimes(40);
        let to = *choices.pick(to);
        let is_null = opcode == Cmp && choices.sometimes(128);
        instruction.destination =
            if is_null { Destination::null(to) } else { self.elements(size, to) };
        let modified = opcode != Shr;
        instruction.sources[0] = self.spread(size, first, modified);
        let kinds: Vec<DataType> = second.iter().copied().filter(|of| of.size() > 1).collect();
        instruction.sources[1] = match opcode {
            Mov | Not => Source::null(to),
            _ if self.source.choices.sometimes(48) => {
                let kind = *self.source.choices.pick(&kinds);
                match kind {
                    DataType::Hf => {
                        let bits = self.source.choices.pick(&[0x3C00, 0xB800, 0x0001, 0x4248]);
                        constant(kind, bits * 0x1_0001)
                    }
                    _ => self.immediate(kind),
                }
            }
            // Bytes are no second sources there.
            _ if self.generation() >= Generation::Gen12 => self.spread(size, &kinds, modified),
            _ => self.spread(size, second, modified),
        };
        instruction
    }

    fn types(&mut self, opcode: Opcode) -> Types {
        const UNSIGNED: [DataType; 3] = [DataType::Ub, DataType::Uw, DataType::Ud];
        if self.generation() >= Generation::Gen9 && self.source.choices.sometimes(80) {
            return self.types_with_halves(opcode);
        }
        let choices = &mut *self.source.choices;
        let [of_integers, to_floats]: [Types; 2] =
            [[&INTEGERS; 3], [&FLOATS, &INTEGERS, &INTEGERS]];
        match opcode {
            Opcode::Mov => {
                let of_floats: Types = [&INTEGERS, &FLOATS, &FLOATS];
                *choices.pick(&[of_integers, of_integers, to_floats, of_floats])
            }
            Opcode::Add | Opcode::Cmp => *choices.pick(&[of_integers, of_integers, to_floats]),
            Opcode::Mul => {
                let products: [Types; 3] =
                    [[&DWORDS, &DWORDS, &WORDS], [&DWORDS, &WORDS, &WORDS], [&WORDS; 3]];
                *choices.pick(&products)
            }
            Opcode::Shr => [&UNSIGNED; 3],
            _ => of_integers,
        }
    }

    /// Types of which some are half floats, if the operation takes them.
    fn types_with_halves(&mut self, opcode: Opcode) -> Types {
        let moved: [Types; 4] = [
            [&HALVES, &INTEGERS, &INTEGERS],
            [&INTEGERS, &HALVES, &HALVES],
            [&HALVES, &FLOATS, &FLOATS],
            [&FLOATS, &HALVES, &HALVES],
        ];
        match opcode {
            Opcode::Mov => *self.source.choices.pick(&moved),
            Opcode::Shr => [&[DataType::Ud]; 3],
            Opcode::Add | Opcode::Mul | Opcode::Cmp => [&HALVES; 3],
            _ => [&INTEGERS; 3],
        }
    }

    /// A destination whose elements lie within doublewords.
    fn elements(&mut self, size: u8, data_type: DataType) -> Destination {
        let bytes = data_type.size() as u8;
        let number = self.register();
        let choices = &mut *self.source.choices;
        let gap = *choices.pick(&[1, 1, 4 / bytes, (2 / bytes).max(1)]);
        let span = gap * size * bytes;
        let is_part = span <= 16 && choices.sometimes(96);
        let first = if is_part { span * choices.below(usize::from(32 / span)) as u8 } else { 0 };
        let within = bytes * choices.below(gap.into()) as u8;
        let region = DestinationRegion::Stride(gap);
        Destination { register: general(number, first + within), data_type, region }
    }

    /// A source with or without gaps, or one element for all channels.
    fn spread(&mut self, size: u8, kinds: &[DataType], modified: bool) -> Source {
        let number = self.register();
        let choices = &mut *self.source.choices;
        let data_type = *choices.pick(kinds);
        let bytes = data_type.size() as u8;
        let modifier = SourceModifier {
            negate: modified && choices.sometimes(40),
            absolute: modified && choices.sometimes(24),
        };
        let elements = usize::from(32 / bytes);
        let (first, region) = if size == 1 || choices.sometimes(56) {
            (choices.below(elements), Region::SCALAR)
        } else {
            let gap = *choices.pick(&[1, 1, 4 / bytes, (2 / bytes).max(1), (8 / bytes).min(4)]);
            let first = match choices.sometimes(96) {
                true => choices.below(gap.into()),
                false if choices.sometimes(48) => choices.below(elements / 2),
                false => 0,
            };
            let width = size.min(8);
            (first, rows(width * gap, width, gap))
        };
        let register = general(number, bytes * first as u8);
        Source::Register { register, data_type, region, modifier }
    }
}
