//! The software scoreboard of Gen12 (`SWSB`): what an instruction waits for, and the token that one
//! out of order is known by (table `eu-swsb-gen12`). Results do not depend on it where it is right.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::opcode::Opcode;

/// A code of the software scoreboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Scoreboard {
    /// How many in-order instructions back the one is whose result is waited for: 1 to 7, 0 for
    /// none.
    pub distance: u8,
    /// The token that is waited for or allocated.
    pub token: Option<Token>,
}

/// A token of an instruction out of order, 0 to 15, and what about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Token {
    /// This instruction is known by it: `send`, `sendc` and `math` only.
    Set(u8),
    /// The instruction of this token has written its destination.
    Destination(u8),
    /// The instruction of this token has read its sources.
    Source(u8),
}

/// Why something has no code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ScoreboardError {
    /// A distance beside a wait that has no code of both.
    #[error(
        "a distance goes with `$n` and `$n.dst` only, not with `$n.src` [gen12.isa.swsb.combo]"
    )]
    SourceBesideDistance,
    /// A token on an instruction in order.
    #[error(
        "only send, sendc and math are known by a token: write `$n.dst` to wait for one [gen12.isa.swsb.set]"
    )]
    InOrder,
    /// A distance, and a wait on an instruction out of order.
    #[error(
        "a distance goes with `$n` on send, sendc and math, not with `$n.dst` [gen12.isa.swsb.combo]"
    )]
    OutOfOrder,
    /// A number that is too large.
    #[error("distances are 1 to 7, tokens 0 to 15")]
    Number,
}

/// Whether an operation may end after later ones.
#[must_use]
pub const fn is_out_of_order(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Send | Opcode::Sendc | Opcode::Math)
}

impl Scoreboard {
    /// Nothing to wait for.
    pub const NONE: Self = Self { distance: 0, token: None };

    /// What a code says on an operation; `None` if the code is reserved.
    #[must_use]
    pub const fn of_code(code: u8, opcode: Opcode) -> Option<Self> {
        let low = code & 0xF;
        let token = match code >> 4 {
            0 if low < 8 => return Some(Self { distance: low, token: None }),
            2 => Token::Destination(low),
            3 => Token::Source(low),
            4 if is_out_of_order(opcode) => Token::Set(low),
            // Distance 0 beside a token says what the token alone says, which has a code of its own.
            8..=15 if is_out_of_order(opcode) => Token::Set(low),
            8..=15 => Token::Destination(low),
            _ => return None,
        };
        let distance = if code >> 7 == 1 { code >> 4 & 7 } else { 0 };
        Some(Self { distance, token: Some(token) })
    }

    /// Its code on an operation.
    ///
    /// # Errors
    /// If there is none.
    pub const fn code(self, opcode: Opcode) -> Result<u8, ScoreboardError> {
        let out_of_order = is_out_of_order(opcode);
        let number = match self.token {
            Some(Token::Set(number) | Token::Destination(number) | Token::Source(number)) => number,
            None => 0,
        };
        if self.distance > 7 || number > 15 {
            return Err(ScoreboardError::Number);
        }
        match (self.distance, self.token) {
            (distance, None) => Ok(distance),
            (_, Some(Token::Set(_))) if !out_of_order => Err(ScoreboardError::InOrder),
            (0, Some(Token::Destination(_))) => Ok(0x20 | number),
            (0, Some(Token::Source(_))) => Ok(0x30 | number),
            (0, Some(Token::Set(_))) => Ok(0x40 | number),
            (_, Some(Token::Source(_))) => Err(ScoreboardError::SourceBesideDistance),
            (_, Some(Token::Destination(_))) if out_of_order => Err(ScoreboardError::OutOfOrder),
            (distance, Some(_)) => Ok(0x80 | distance << 4 | number),
        }
    }
}

/// As in assembly text: `@2`, `$5.dst`, `@2, $5`; nothing where there is nothing to wait for.
impl fmt::Display for Scoreboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.distance != 0 {
            write!(f, "@{}", self.distance)?;
            f.write_str(if self.token.is_some() { ", " } else { "" })?;
        }
        match self.token {
            Some(Token::Set(number)) => write!(f, "${number}"),
            Some(Token::Destination(number)) => write!(f, "${number}.dst"),
            Some(Token::Source(number)) => write!(f, "${number}.src"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
