//! What a message to Extended Math asks for (sections 6.1.1.1 and 6.1.1.3), and what it must not.

use parallax_isa::shared::{Request, Unanswered};

/// A math function, bits 3:0 of the descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Float(FloatFunction),
    SineAndCosine,
    Divide(Division),
}

/// A function of floats with one result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FloatFunction {
    Inverse,
    Logarithm,
    Exponential,
    Root,
    InverseRoot,
    Sine,
    Cosine,
    Power,
}

/// What of a division of integers is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Division {
    Both,
    Quotient,
    Remainder,
}

/// Channels of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Channels {
    Eight,
    Sixteen,
}

/// A message, taken apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message {
    pub(super) function: Function,
    pub(super) channels: Channels,
    /// The first channel of each group of four has the operands of all of them.
    pub(super) is_scalar: bool,
    pub(super) saturates: bool,
    /// Less accuracy is enough.
    pub(super) is_partial: bool,
    /// Divisions have signs.
    pub(super) is_signed: bool,
    /// Floats are of the alternative mode.
    pub(super) is_alternative: bool,
}

impl Function {
    fn of_code(code: u32) -> Option<Self> {
        Some(match code {
            0x1 => Self::Float(FloatFunction::Inverse),
            0x2 => Self::Float(FloatFunction::Logarithm),
            0x3 => Self::Float(FloatFunction::Exponential),
            0x4 => Self::Float(FloatFunction::Root),
            0x5 => Self::Float(FloatFunction::InverseRoot),
            0x6 => Self::Float(FloatFunction::Sine),
            0x7 => Self::Float(FloatFunction::Cosine),
            0x8 => Self::SineAndCosine,
            0xA => Self::Float(FloatFunction::Power),
            0xB => Self::Divide(Division::Both),
            0xC => Self::Divide(Division::Quotient),
            0xD => Self::Divide(Division::Remainder),
            _ => return None,
        })
    }

    /// How many operands it has: registers of a message of eight channels.
    fn operands(self) -> usize {
        match self {
            Self::Float(FloatFunction::Power) | Self::Divide(_) => 2,
            _ => 1,
        }
    }

    /// How many results it has: registers of a reply to eight channels.
    pub(super) fn results(self) -> usize {
        match self {
            Self::SineAndCosine | Self::Divide(Division::Both) => 2,
            _ => 1,
        }
    }

    pub(super) fn is_division(self) -> bool {
        matches!(self, Self::Divide(_))
    }
}

impl Message {
    /// # Errors
    /// If the message has no defined effect.
    pub(super) fn new(request: &Request, has_wide_messages: bool) -> Result<Self, Unanswered> {
        let refuse = |why: &str| Err(Unanswered::Undefined(format!("extended math: {why}")));
        let control = request.function_control;
        let bit = |number: u32| control >> number & 1 == 1;
        let Some(function) = Function::of_code(control & 0xF) else {
            return refuse("a reserved function");
        };
        if control >> 9 & 0x7F != 0 {
            return refuse("bits 15:9 of the descriptor are not zero");
        }
        if function.is_division() && bit(6) {
            return refuse("a division of integers that saturates");
        }
        let replies = usize::from(request.response_length);
        let channels = match request.payload.len() {
            length if length == function.operands() => {
                if replies != function.results() {
                    return refuse("a reply of another length than the function has results");
                }
                Channels::Eight
            }
            2 if !has_wide_messages => return refuse("16 channels, which the device lacks"),
            2 if function == Function::SineAndCosine => {
                return refuse("two results of 16 channels");
            }
            2 if replies != 2 => return refuse("16 channels and a reply for eight"),
            2 => Channels::Sixteen,
            _ => return refuse("a message of another length than the function has operands"),
        };
        Ok(Self {
            function,
            channels,
            is_scalar: bit(7),
            saturates: bit(6),
            is_partial: bit(5),
            is_signed: bit(4),
            is_alternative: request.alternative_float_mode,
        })
    }
}
