//! A third opinion: a tree run as plain scalar code, one channel after the other.
//!
//! It knows no masks and no stacks. A channel that takes part runs the program like any processor;
//! at the end its variables must be what both engines have in its place of the registers.

use parallax_isa::eu::{
    Case, Opcode, State,
    instruction::{ConditionalModifier, PredicateControl},
};

use super::tree::{
    Assignment, Block, COUNTERS, Comparison, Domain, FLOATS, FloatAssignment, Loop, Operand,
    Statement, Test, Tree, VARIABLES, counter, variable,
};
use crate::render::Place;

/// Where a channel goes after a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Next,
    Break,
    Continue,
    Halt,
}

/// The memory of one channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Channel {
    variables: [u32; VARIABLES + FLOATS],
    counters: [u32; COUNTERS],
    flags: [bool; 2],
}

/// Runs a tree from where a case starts, channel by channel; the first variable that is something else
/// in the state at the end of an engine's run.
pub(in crate::eu) fn check(tree: &Tree, case: &Case, end: &State) -> Option<Place> {
    let start = &case.state;
    let enabled = start.mask.iter().fold(0xFFFF, |all, mask| all & mask);
    (0..usize::from(tree.width)).find_map(|number| {
        let mut channel = Channel::of(start, number);
        if enabled >> number & 1 == 1 {
            channel.block(&tree.body);
        }
        let actual = Channel::of(end, number);
        let places = channel.places().into_iter().zip(actual.places());
        let (place, expected, actual) = places
            .map(|((place, expected), (_, actual))| (place, expected, actual))
            .find(|(_, expected, actual)| expected != actual)?;
        Some(Place::of_word(format!("channel {number}, {place}"), expected, actual))
    })
}

fn dword(state: &State, register: u8, channel: usize) -> u32 {
    let bytes = &state.grf[usize::from(register) + channel / 8][4 * (channel % 8)..][..4];
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

impl Channel {
    fn of(state: &State, channel: usize) -> Self {
        Self {
            variables: std::array::from_fn(|n| dword(state, variable(n as u8), channel)),
            counters: std::array::from_fn(|n| dword(state, counter(n as u8), channel)),
            flags: std::array::from_fn(|n| state.flag[n] >> channel & 1 == 1),
        }
    }

    /// Everything that is compared, with a name.
    fn places(&self) -> Vec<(String, u32)> {
        let variables = self
            .variables
            .iter()
            .enumerate()
            .map(|(n, value)| (format!("variable {n} (r{})", variable(n as u8)), *value));
        let counters = self.counters.iter().enumerate();
        let counters = counters
            .map(|(n, value)| (format!("loop counter {n} (r{})", counter(n as u8)), *value));
        variables.chain(counters).collect()
    }

    fn value(&self, operand: Operand) -> u32 {
        match operand {
            Operand::Variable(number) => self.variables[usize::from(number)],
            Operand::Constant(bits) => bits,
        }
    }

    fn holds(&self, test: Test) -> bool {
        let [low, high] = self.flags;
        let combined = match test.control {
            PredicateControl::AnyV => low || high,
            PredicateControl::AllV => low && high,
            _ => self.flags[usize::from(test.flag)],
        };
        combined != test.inverse
    }

    fn permits(&self, when: Option<Test>) -> bool {
        when.is_none_or(|test| self.holds(test))
    }

    fn block(&mut self, block: &Block) -> Then {
        for statement in block {
            let then = self.statement(statement);
            if then != Then::Next {
                return then;
            }
        }
        Then::Next
    }

    fn statement(&mut self, statement: &Statement) -> Then {
        match statement {
            Statement::Assign(assignment) => self.assign(assignment),
            Statement::AssignFloat(assignment) => self.assign_float(assignment),
            Statement::Compare(comparison) => self.compare(comparison),
            Statement::If(conditional) if self.holds(conditional.test) => {
                return self.block(&conditional.then);
            }
            Statement::If(conditional) => {
                return match &conditional.otherwise {
                    Some(otherwise) => self.block(otherwise),
                    None => Then::Next,
                };
            }
            Statement::Loop(repeated) => return self.repeat(repeated),
            Statement::Break(when) if self.permits(*when) => return Then::Break,
            Statement::Continue(when) if self.permits(*when) => return Then::Continue,
            Statement::Halt(when) if self.permits(*when) => return Then::Halt,
            Statement::Wrap(_, body) => return self.block(body),
            // A jump in a tree for scalar code is always taken.
            Statement::Break(_)
            | Statement::Continue(_)
            | Statement::Halt(_)
            | Statement::Jump(..)
            | Statement::Foreign(_)
            | Statement::Access(_)
            | Statement::Switch(..)
            | Statement::Event(_) => {}
        }
        Then::Next
    }

    fn repeat(&mut self, repeated: &Loop) -> Then {
        let number = usize::from(repeated.counter);
        self.counters[number] = 0;
        loop {
            if repeated.guarded {
                self.counters[number] += 1;
                let over = self.counters[number] > repeated.turns;
                self.flags[usize::from(repeated.flag)] = over;
                if over {
                    return Then::Next;
                }
            }
            match self.block(&repeated.body) {
                Then::Break => return Then::Next,
                Then::Halt => return Then::Halt,
                Then::Next | Then::Continue => {}
            }
            if repeated.guarded {
                if !self.permits(repeated.again) {
                    return Then::Next;
                }
            } else {
                self.counters[number] += 1;
                let again = self.counters[number] < repeated.turns;
                self.flags[usize::from(repeated.flag)] = again;
                if !again {
                    return Then::Next;
                }
            }
        }
    }

    fn assign(&mut self, assignment: &Assignment) {
        let [mut a, b] = assignment.sources.map(|source| self.value(source));
        if assignment.negate {
            a = a.wrapping_neg();
        }
        if assignment.opcode == Opcode::Sel {
            let selects = self.permits(assignment.when);
            self.variables[usize::from(assignment.into)] = if selects { a } else { b };
            return;
        }
        if !self.permits(assignment.when) {
            return;
        }
        let wide = |bits: u32| match assignment.signed {
            true => i64::from(bits.cast_signed()),
            false => i64::from(bits),
        };
        let result = match assignment.opcode {
            Opcode::Not => !a,
            Opcode::And => a & b,
            Opcode::Or => a | b,
            Opcode::Xor => a ^ b,
            Opcode::Shl => a << (b & 31),
            Opcode::Shr => a >> (b & 31),
            Opcode::Asr => (a.cast_signed() >> (b & 31)).cast_unsigned(),
            Opcode::Avg => ((wide(a) + wide(b) + 1) >> 1) as u32,
            Opcode::Add if assignment.saturate && assignment.signed => {
                a.cast_signed().saturating_add(b.cast_signed()).cast_unsigned()
            }
            Opcode::Add if assignment.saturate => a.saturating_add(b),
            Opcode::Add => a.wrapping_add(b),
            _ => a,
        };
        self.variables[usize::from(assignment.into)] = result;
        if let Some((condition, flag)) = assignment.flag {
            self.flags[usize::from(flag)] =
                (result == 0) == (condition == ConditionalModifier::Equal);
        }
    }

    fn assign_float(&mut self, assignment: &FloatAssignment) {
        let [a, b] =
            assignment.from.map(|from| f32::from(self.variables[usize::from(from)] as u16 & 0xFFF));
        let result = if assignment.multiply { a * b } else { a + b };
        self.variables[usize::from(assignment.into)] = result.to_bits();
    }

    fn compare(&mut self, comparison: &Comparison) {
        if !self.permits(comparison.when) {
            return;
        }
        let [a, b] = comparison.sources.map(|source| self.value(source));
        let order = match comparison.domain {
            Domain::Signed => a.cast_signed().cmp(&b.cast_signed()),
            Domain::Unsigned => a.cmp(&b),
            Domain::Float => f32::from_bits(a).total_cmp(&f32::from_bits(b)),
        };
        self.flags[usize::from(comparison.flag)] = match comparison.condition {
            ConditionalModifier::Equal => order.is_eq(),
            ConditionalModifier::NotEqual => order.is_ne(),
            ConditionalModifier::Greater => order.is_gt(),
            ConditionalModifier::GreaterEqual => order.is_ge(),
            ConditionalModifier::Less => order.is_lt(),
            _ => order.is_le(),
        };
    }
}
