//! Fixes of scoreboard hazards: the code of the instruction where one suffices, and a `sync.nop` before it for each
//! further wait.

use std::fmt;

use crate::eu::{
    instruction::Instruction,
    scoreboard::{Scoreboard, Token},
};

/// The fix of a hazard, and of all others at the same instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The codes of the producer that nobody can wait for as long as it has no token.
    pub producer: Option<Codes>,
    /// The codes of the instruction that does not wait.
    pub consumer: Codes,
}

/// The codes of an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Codes {
    /// Of a `sync.nop` each before it.
    pub before: Vec<Scoreboard>,
    /// Its own.
    pub own: Scoreboard,
}

/// What an instruction has to wait for.
#[derive(Debug, Clone, Default)]
pub(super) struct Waits {
    /// As many instructions in order back; 0 for none.
    distance: u8,
    /// Tokens whose destination has to be written, a bit each.
    written: u16,
    /// Tokens whose sources have to be read.
    read: u16,
    /// The token that the instruction is given.
    given: Option<u8>,
}

impl Waits {
    /// What an instruction waits for by itself.
    pub(super) fn of(instruction: &Instruction) -> Self {
        let Scoreboard { distance, token } = instruction.scoreboard;
        let mut waits = Self { distance, ..Self::default() };
        match token {
            Some(Token::Set(number)) => waits.give(number),
            Some(Token::Destination(number)) => waits.for_token(number, true),
            Some(Token::Source(number)) => waits.for_token(number, false),
            None => {}
        }
        waits
    }

    /// Gives the instruction a token, which has to be free before.
    pub(super) fn give(&mut self, number: u8) {
        self.given = Some(number);
    }

    /// Waits for an instruction in order as well; of two the nearer one is waited for.
    pub(super) fn for_distance(&mut self, distance: u8) {
        self.distance = match self.distance {
            0 => distance,
            own => own.min(distance),
        };
    }

    /// Waits for an instruction out of order as well.
    pub(super) fn for_token(&mut self, number: u8, until_written: bool) {
        let tokens = if until_written { &mut self.written } else { &mut self.read };
        *tokens |= 1 << number;
    }

    /// The tokens that are waited for, without the one that is given; what is written has been read.
    fn tokens(&self) -> Vec<Token> {
        let given = self.given.map_or(0, |number| 1 << number);
        let written = self.written & !given;
        let read = self.read & !given & !written;
        let numbers = |tokens: u16| (0..16u8).filter(move |number| tokens >> number & 1 == 1);
        let written = numbers(written).map(Token::Destination);
        written.chain(numbers(read).map(Token::Source)).collect()
    }

    /// The codes that an instruction waits with.
    pub(super) fn codes(&self, instruction: &Instruction) -> Codes {
        let mut rest = self.tokens();
        // A token that is given has no other place; of those that are waited for the first one stands here.
        let token = match self.given {
            Some(number) => Some(Token::Set(number)),
            None => (!rest.is_empty()).then(|| rest.remove(0)),
        };
        let alone = Scoreboard { distance: self.distance, token: None };
        let rest = rest.into_iter().map(|token| Scoreboard { distance: 0, token: Some(token) });
        let own = Scoreboard { token, ..alone };
        match own.code(instruction.opcode) {
            Ok(_) => Codes { before: rest.collect(), own },
            Err(_) => Codes {
                before: [alone].into_iter().chain(rest).collect(),
                own: Scoreboard { distance: 0, token },
            },
        }
    }
}

impl fmt::Display for Fix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(producer) = &self.producer {
            producer.describe("that one", f)?;
            f.write_str(", and ")?;
        }
        self.consumer.describe("this one", f)
    }
}

impl Codes {
    fn describe(&self, which: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "give {which} {{{}}}", self.own)?;
        for (index, code) in self.before.iter().enumerate() {
            let joint = if index == 0 { ", with" } else { " and" };
            write!(f, "{joint} sync.nop null {{{code}}}")?;
        }
        f.write_str(if self.before.is_empty() { "" } else { " before it" })
    }
}
