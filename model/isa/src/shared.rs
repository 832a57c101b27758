//! Messages to shared functions: what an execution unit hands over and gets back (G45 volume 4,
//! sections 2.1 and 14.2.41). Each engine builds its own requests, answers them in its own room
//! `shared`, and writes replies back itself; only these words are common.

use serde::{Deserialize, Serialize};

use crate::eu::register::REGISTER_BYTES;

/// Most registers of a reply.
pub const LONGEST_REPLY: usize = 8;

/// A message as it is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request<'a> {
    /// Target function, bits 27:24 of the descriptor.
    pub target: u8,
    /// Function control, bits 15:0 of the descriptor.
    pub function_control: u16,
    /// The message registers, as many as the descriptor's message length says: 1 to 15.
    pub payload: &'a [[u8; REGISTER_BYTES]],
    /// The channel enables that travel with the message.
    pub channel_enables: u16,
    /// Registers the sender expects, the descriptor's response length: 0 to 8.
    pub response_length: u8,
    /// The sender computes in the alternative float mode.
    pub alternative_float_mode: bool,
}

/// A register of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Response {
    /// Its bytes.
    pub bytes: [u8; REGISTER_BYTES],
    /// Which of its doublewords are written: bit 0 is the first.
    pub enables: u8,
}

/// Why a message has no reply. It then has no effect at all, and ends the run as undefined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// Nothing takes messages to this target.
    #[error("no such shared function: {0}")]
    NoSuchFunction(&'static str),
    /// What the message asks for has no defined effect: why, in a sentence.
    #[error("{0}")]
    Undefined(String),
}

/// What stands behind the messages of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum SharedFunctions {
    /// Nothing: a send other than the last one ends the run as undefined.
    #[default]
    None,
    /// One function behind every target, which sends the payload back, changed so that every part
    /// of a request shows in the reply.
    ///
    /// Register `i` of the reply is register `i` modulo the message length of the payload. Each of
    /// its doublewords is rotated left by `i` bits, then its low half is exclusive-ored with the
    /// function control and its bits 19:16 with the target function; in the alternative float mode
    /// bit 31 is inverted. Registers with an even number are written under channel enables 7:0,
    /// those with an odd number under 15:8.
    Loopback,
}
