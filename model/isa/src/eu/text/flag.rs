//! Flag registers where predicates and conditional modifiers name them.

use super::{
    cursor::{Cursor, Failure},
    lexer::Kind,
};
use crate::eu::{fields::basic, instruction::Instruction};

/// A flag subregister.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flag {
    pub(super) register: u8,
    pub(super) subregister: u8,
}

impl Flag {
    pub(super) fn apply(self, instruction: &mut Instruction) {
        instruction.flag_register |= self.register;
        instruction.flag_subregister |= self.subregister;
    }
}

/// `f0`, `f0.0` or `f0.1`; also `f1` where there is such a register.
pub(super) fn flag_register(cursor: &mut Cursor) -> Result<Flag, Failure> {
    let has_second = !basic::FLAG_REG_NUM.position(cursor.target.generation).is_empty();
    let second = has_second && cursor.accept_word("f1");
    let register = u8::from(second);
    if !second && !cursor.accept_word("f0") {
        let wrong = cursor.unexpected("the flag register `f0.0` or `f0.1`");
        return Err(match cursor.peek() {
            Some(token) if token.kind == Kind::Number => {
                Box::new(wrong.with_help("an execution size comes after its mnemonic: `mov (8) …`"))
            }
            Some(token) if token.is(")") => {
                Box::new(wrong.with_help("leave the parentheses out where there is no predicate"))
            }
            _ => wrong,
        });
    }
    let numbered = cursor.peek_at(1).is_some_and(|token| token.kind == Kind::Number);
    if numbered && cursor.accept(".") {
        let subregister = cursor.integer("the flag subregister", 0..=1)? as u8;
        return Ok(Flag { register, subregister });
    }
    Ok(Flag { register, subregister: 0 })
}
