//! A third opinion: a tree run as plain scalar code, one channel after the other.
//!
//! It knows no masks and no stacks. A channel that takes part runs the program like any processor;
//! at the end its variables must be what both engines have in its place of the registers.

use parallax_isa::{
    Device,
    eu::{
        Case, Opcode, State,
        instruction::{ConditionalModifier, PredicateControl},
        state::control,
    },
};

use super::{
    has_mask_stacks,
    tree::{
        Assignment, Block, COUNTERS, Call, Comparison, Crossing, Domain, FLOATS, FloatAssignment,
        Loop, Operand, Statement, Test, Tree, VARIABLES,
    },
};
use crate::render::Place;

/// Where a channel goes after a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Next,
    Break,
    Continue,
    Halt,
    Return,
}

/// The memory of one channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Channel {
    variables: [u32; VARIABLES + FLOATS],
    counters: [u32; COUNTERS],
    /// Its bits of the flag subregisters.
    flags: [bool; 4],
    /// How far apart the flags are that a vertical predicate combines: halves of one register before
    /// Gen7, then the same halves of both.
    apart: usize,
}

/// Runs a tree from where a case starts, channel by channel; the first variable that is something else
/// in the state at the end of an engine's run.
pub(in crate::eu) fn check(tree: &Tree, case: &Case, end: &State) -> Option<Place> {
    let enabled = enabled(case) >> tree.first;
    let of = |state: &State, number| Channel::of(tree, case.device, state, number);
    (0..usize::from(tree.width)).find_map(|number| {
        let mut channel = of(&case.state, number);
        if enabled >> number & 1 == 1 {
            channel.block(&tree.body);
        }
        let end = of(end, number);
        let mut places = channel.values().zip(end.values()).enumerate();
        let (place, (expected, actual)) =
            places.find(|(_, (expected, actual))| expected != actual)?;
        let name = format!("channel {number}, {}", channel.name(tree, place));
        Some(Place::of_word(name, expected, actual))
    })
}

/// The channels that take part.
fn enabled(case: &Case) -> u32 {
    let State { mask, status, control, .. } = &*case.state;
    if !has_mask_stacks(case.device) {
        let vector_mask = control[0] & control::VECTOR_MASK != 0;
        return status[if vector_mask { 3 } else { 2 }];
    }
    mask.iter().fold(0xFFFF, |all, mask| all & mask).into()
}

fn dword(state: &State, register: u8, channel: usize) -> u32 {
    let bytes = &state.grf[usize::from(register) + channel / 8][4 * (channel % 8)..][..4];
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

impl Channel {
    fn of(tree: &Tree, device: Device, state: &State, number: usize) -> Self {
        let registers = tree.registers;
        let dword = |register| dword(state, register, number);
        let has_stacks = has_mask_stacks(device);
        let flags = state.flag;
        let bit = usize::from(tree.first) + number;
        let flag = |number: usize| {
            let whole = u32::from(flags[number])
                | match !has_stacks && number.is_multiple_of(2) {
                    true => u32::from(flags[number + 1]) << 16,
                    false => 0,
                };
            whole >> bit & 1 == 1
        };
        Self {
            variables: std::array::from_fn(|n| dword(registers.variable(n as u8))),
            counters: std::array::from_fn(|n| dword(registers.counter(n as u8))),
            flags: std::array::from_fn(flag),
            apart: if has_stacks { 1 } else { 2 },
        }
    }

    /// Everything that is compared: variables and loop counters.
    fn values(&self) -> impl Iterator<Item = u32> {
        self.variables.iter().chain(&self.counters).copied()
    }

    /// The name of one of these.
    fn name(&self, tree: &Tree, place: usize) -> String {
        let registers = tree.registers;
        match place.checked_sub(self.variables.len()) {
            None => format!("variable {place} (r{})", registers.variable(place as u8)),
            Some(n) => format!("loop counter {n} (r{})", registers.counter(n as u8)),
        }
    }

    fn value(&self, operand: Operand) -> u32 {
        match operand {
            Operand::Variable(number) => self.variables[usize::from(number)],
            Operand::Constant(bits) => bits,
        }
    }

    fn holds(&self, test: Test) -> bool {
        // Of a pair the first has the smaller number.
        let low = usize::from(test.flag) % self.apart;
        let pair = [self.flags[low], self.flags[low + self.apart]];
        let combined = match test.control {
            PredicateControl::AnyV => pair[0] || pair[1],
            PredicateControl::AllV => pair[0] && pair[1],
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
            Statement::Crossing(crossing) => return self.cross(crossing),
            Statement::Call(call) if self.permits(call.when) => return self.call(call),
            Statement::Return(when) if self.permits(*when) => return Then::Return,
            // A jump in a tree for scalar code is always taken.
            Statement::Break(_)
            | Statement::Continue(_)
            | Statement::Halt(_)
            | Statement::Jump(..)
            | Statement::Call(_)
            | Statement::Return(_)
            | Statement::Foreign(_)
            | Statement::Access(_)
            | Statement::Switch(..)
            | Statement::Event(_) => {}
        }
        Then::Next
    }

    fn call(&mut self, call: &Call) -> Then {
        match self.block(&call.body) {
            Then::Return => Then::Next,
            then => then,
        }
    }

    fn cross(&mut self, Crossing { tests, blocks }: &Crossing) -> Then {
        if self.holds(tests[0]) {
            match self.block(&blocks[0]) {
                Then::Next if !self.holds(tests[1]) => return Then::Next,
                Then::Next => match self.block(&blocks[1]) {
                    Then::Next => {}
                    then => return then,
                },
                then => return then,
            }
        }
        self.block(&blocks[2])
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
                then @ (Then::Halt | Then::Return) => return then,
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
