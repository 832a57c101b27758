//! Text of Mesa's assembler and disassembler, for all execution units.
use super::super::{cursor::{Failure, Target}, lexer::Token};

pub(super) fn split(pending: &mut Vec<Token>, tokens: Vec<Token>) -> Vec<Vec<Token>> {
    pending.extend(tokens);
    vec![std::mem::take(pending)]
}
pub(super) fn rewrite(tokens: &[Token], _target: Target) -> Result<Vec<Token>, Failure> {
    Ok(tokens.to_vec())
}
