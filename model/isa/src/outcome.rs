//! How a run goes on and how it ends.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What one step led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// There is a next step.
    Continue,
    /// The run is over; further steps change nothing and say the same.
    Finished(Outcome),
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// The program ran to its end.
    Halted,
    /// A message with End Of Thread was sent.
    EndOfThread,
    /// The case's step limit was reached.
    StepLimit,
    /// An exception ended the run: its name in the manual.
    Exception(String),
    /// The program did something whose effect the manual leaves open or that no part of the model
    /// covers: what, in a sentence.
    Undefined(String),
}

impl Outcome {
    /// The word of the JSON interface.
    #[must_use]
    pub const fn keyword(&self) -> &'static str {
        match self {
            Self::Halted => "halted",
            Self::EndOfThread => "eot",
            Self::StepLimit => "step-limit",
            Self::Exception(_) => "exception",
            Self::Undefined(_) => "undefined",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exception(what) | Self::Undefined(what) => {
                write!(f, "{}: {what}", self.keyword())
            }
            _ => f.write_str(self.keyword()),
        }
    }
}

/// A case an engine cannot start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// An instruction that does not decode or is not legal.
    #[error("instruction at byte {offset}: {message}")]
    Instruction {
        /// Byte offset in the program.
        offset: usize,
        /// What is wrong with it.
        message: String,
    },
    /// Anything else about the case.
    #[error("{0}")]
    Case(String),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl LoadError {
    /// The sentence about an engine that did not load a case.
    #[must_use]
    pub fn sentence(&self, engine: &str) -> String {
        match self {
            Self::Engine(error) => error.to_string(),
            Self::Instruction { .. } | Self::Case(_) => {
                format!("{engine} refuses the case: {self}")
            }
        }
    }
}

/// An engine that did not do what it was asked to. What it did before is lost.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// It is gone: its process ended, its connection broke.
    #[error("the engine was lost: {0}")]
    Lost(String),
    /// It did not answer in time.
    #[error("the engine did not answer in time: {0}")]
    TimedOut(String),
    /// It panicked.
    #[error("the engine panicked: {0}")]
    Panicked(String),
    /// It has no way to do what it was asked to.
    #[error("the engine is not able to: {0}")]
    Unable(String),
    /// It says that it does not have what it was asked to run: no fault.
    #[error("the engine declines: {0}")]
    Declined(Declined),
    /// Its answer makes no sense.
    #[error("the engine answered nonsense: {0}")]
    Nonsense(String),
}

/// What an engine does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Declined {
    /// The byte of the program at which the instruction stands that it does not have, if it named one.
    pub offset: Option<u32>,
    /// Its reason, in a line.
    pub reason: String,
}
