//! Bytes to what is done to variables: tests, assignments, comparisons.

use parallax_isa::eu::{
    DataType, Opcode,
    instruction::{ConditionalModifier, PredicateControl},
};

use super::{CONDITIONS, Generator};
use crate::eu::{
    flow::tree::{
        Assignment, Comparison, Domain, FLOATS, FloatAssignment, Operand, Test, VARIABLES,
    },
    generate::values::immediate,
};

impl Generator<'_, '_, '_> {
    pub(super) fn test(&mut self) -> Test {
        use PredicateControl::{
            All2H, All4H, All8H, All16H, All32H, AllV, Any2H, Any4H, Any8H, Any16H, Any32H, AnyV,
            Sequential,
        };
        const HORIZONTAL: &[PredicateControl] =
            &[Any2H, All2H, Any4H, All4H, Any8H, All8H, Any16H, All16H, Any32H, All32H];
        let flag = self.pick(self.limits.flags);
        let vertical = !self.limits.scalar || self.limits.flags.len() > 1;
        let control = match self.source.choices().byte() {
            0..=150 => Sequential,
            151..=180 if vertical => AnyV,
            181..=210 if vertical => AllV,
            211.. if !self.limits.scalar => {
                // Those of 32 channels came with Gen7.
                let count = HORIZONTAL.len() - if self.has_stacks() { 2 } else { 0 };
                self.pick(&HORIZONTAL[..count])
            }
            _ => Sequential,
        };
        Test { control, inverse: self.sometimes(90), flag }
    }

    pub(super) fn variable(&mut self) -> Operand {
        Operand::Variable(self.below(VARIABLES) as u8)
    }

    pub(super) fn operand(&mut self, data_type: DataType) -> Operand {
        if self.sometimes(80) {
            let small = self.sometimes(128);
            let bits = immediate(self.source.random(), data_type);
            return Operand::Constant(if small { bits & 7 } else { bits });
        }
        self.variable()
    }

    pub(super) fn assignment(&mut self) -> Assignment {
        use Opcode::{Add, And, Asr, Avg, Mov, Not, Or, Sel, Shl, Shr, Xor};
        let opcodes = [Mov, Mov, Add, Add, Add, And, Or, Xor, Not, Shl, Shr, Asr, Avg, Sel, Sel];
        let opcode = self.pick(&opcodes);
        let signed = match opcode {
            Asr => true,
            Shr | Shl => false,
            _ => self.sometimes(128),
        };
        let data_type = if signed { DataType::D } else { DataType::Ud };
        // A constant stands last.
        let sources = match opcode {
            Mov => [self.operand(data_type); 2],
            Not => [self.variable(); 2],
            _ => [self.variable(), self.operand(data_type)],
        };
        let logical = matches!(opcode, And | Or | Xor);
        let flag = (logical && self.sometimes(60)).then(|| {
            let conditions = [ConditionalModifier::Equal, ConditionalModifier::NotEqual];
            (self.pick(&conditions), self.pick(self.limits.flags))
        });
        let mut when = (opcode == Sel || self.sometimes(60)).then(|| self.test());
        // Predicate and conditional modifier name the same flag.
        if let (Some(test), Some((_, flag))) = (&mut when, flag) {
            test.flag = flag;
        }
        let saturate = opcode == Add && self.sometimes(50);
        Assignment {
            opcode,
            signed,
            saturate,
            negate: opcode == Add && !saturate && self.sometimes(50),
            into: self.below(VARIABLES) as u8,
            sources,
            when,
            flag,
            halves: self.sometimes(70),
        }
    }

    pub(super) fn float_assignment(&mut self) -> FloatAssignment {
        FloatAssignment {
            into: (VARIABLES + self.below(FLOATS)) as u8,
            from: [self.below(VARIABLES) as u8, self.below(VARIABLES) as u8],
            multiply: self.sometimes(128),
        }
    }

    pub(super) fn comparison(&mut self) -> Comparison {
        let domain = match self.below(5) {
            0 => Domain::Float,
            1 | 2 => Domain::Unsigned,
            _ => Domain::Signed,
        };
        let float =
            |generator: &mut Self| Operand::Variable((VARIABLES + generator.below(FLOATS)) as u8);
        let sources = match domain {
            Domain::Float => [float(self), float(self)],
            Domain::Signed => [self.variable(), self.operand(DataType::D)],
            Domain::Unsigned => [self.variable(), self.operand(DataType::Ud)],
        };
        let flag = self.pick(self.limits.flags);
        let when = self.sometimes(30).then(|| Test { flag, ..self.test() });
        Comparison {
            condition: self.pick(CONDITIONS),
            domain,
            sources,
            flag,
            when,
            halves: self.sometimes(70),
        }
    }
}
