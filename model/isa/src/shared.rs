//! Messages to shared functions: what an execution unit hands over and gets back (G45 volume 4,
//! sections 2.1 and 14.2.41). Each engine builds its own requests, answers them in its own room
//! `shared`, and writes replies back itself; only these words and the view of memory are common.

pub mod environment;
pub mod launch;
pub mod memory;
pub mod rendering;

use serde::{Deserialize, Serialize};

pub use self::{
    environment::{Environment, Sampling},
    launch::{LaunchMemory, Reach},
    memory::Memory,
    rendering::Rendering,
};

/// Bytes of a general, message or accumulator register of an execution unit, which messages consist of.
pub const REGISTER_BYTES: usize = 32;

/// Most registers of a reply.
pub const LONGEST_REPLY: usize = 8;

/// A message as it is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request<'a> {
    /// Target function, bits 27:24 of the descriptor.
    pub target: u8,
    /// Function control, bits 15:0 of the descriptor, from Gen7 on bits 18:0.
    pub function_control: u32,
    /// Bits 30:29 of the descriptor (Gen9 and later): 16-bit data, and the third bit of a SIMD mode; 0 before.
    pub format_control: u8,
    /// The extended descriptor (Gen9 and later), of which bits 31:11 count; earlier there is none, and this is 0.
    pub extended_descriptor: u32,
    /// The first register of the payload is a header (Gen7 and later).
    pub has_header: bool,
    /// The registers of the payload, as many as the descriptor says: 1 to 15, in two parts 30.
    pub payload: &'a [[u8; REGISTER_BYTES]],
    /// The channel enables that travel with the message.
    pub channel_enables: u16,
    /// Channels of the send; from Gen7 on the enables above them repeat those below.
    pub channels: u8,
    /// Registers the sender expects, the descriptor's response length: 0 to 8.
    pub response_length: u8,
    /// The sender computes in the alternative float mode.
    pub alternative_float_mode: bool,
    /// It is the last message of the thread: End Of Thread is set.
    pub is_last: bool,
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
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[serde(from = "Stored", into = "Stored")]
pub enum SharedFunctions {
    /// Those that need nothing but the state of a case: Extended Math and Null, on Gen7 and later the
    /// data cache. A send to any other ends the run as undefined, unless it is the last one.
    #[default]
    None,
    /// One function behind every target, which sends the payload back, changed so that every part
    /// of a request shows in the reply.
    ///
    /// Register `i` of the reply is register `i` modulo the message length of the payload. Each of
    /// its doublewords is rotated left by `i` bits, then exclusive-ored: bits 15:0 with those of the
    /// function control, 19:16 with the target function, 22:20 with bits 18:16 of the function control,
    /// 23 with whether there is a header and 29:24 with the channels of the send; in the alternative float
    /// mode bit 31 is inverted. Bits 31:16 of the extended descriptor are exclusive-ored with bits 0 to 15,
    /// bit 31 with bit 0. Registers with an even number are written under channel enables 7:0,
    /// those with an odd number under 15:8.
    Loopback,
    /// Those of [`SharedFunctions::None`], with less shared local memory (Gen7 and later).
    LocalMemory {
        /// How many bytes, at most [`memory::LOCAL_BYTES`].
        bytes: u32,
    },
    /// Those too that need surfaces and the like: on Gen4 and Gen4.5 all there are, on Gen7 and later
    /// the Sampling Engine, typed surfaces and render targets (decision `D-eu-later-surfaces`).
    Around {
        /// What all of them meet.
        environment: Box<Environment>,
        /// What the Sampling Engine alone needs; without it nothing is sampled.
        sampling: Option<Box<Sampling>>,
        /// What render target writes meet besides; without it, nothing of that is enabled.
        rendering: Option<Box<Rendering>>,
    },
}

/// The same as files have it: each new shape stands behind those that there were, which are still read.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
enum Stored {
    None,
    Loopback,
    Around(Box<Environment>),
    Sampled(Box<Environment>, Box<Sampling>),
    Drawn(Box<Environment>, Box<Rendering>),
    SampledAndDrawn(Box<Environment>, Box<Sampling>, Box<Rendering>),
    LocalMemory(u32),
}

impl From<Stored> for SharedFunctions {
    fn from(stored: Stored) -> Self {
        let (environment, sampling, rendering) = match stored {
            Stored::None => return Self::None,
            Stored::Loopback => return Self::Loopback,
            Stored::LocalMemory(bytes) => return Self::LocalMemory { bytes },
            Stored::Around(environment) => (environment, None, None),
            Stored::Sampled(environment, sampling) => (environment, Some(sampling), None),
            Stored::Drawn(environment, rendering) => (environment, None, Some(rendering)),
            Stored::SampledAndDrawn(environment, sampling, rendering) => {
                (environment, Some(sampling), Some(rendering))
            }
        };
        Self::Around { environment, sampling, rendering }
    }
}

impl From<SharedFunctions> for Stored {
    fn from(functions: SharedFunctions) -> Self {
        let (environment, sampling, rendering) = match functions {
            SharedFunctions::None => return Self::None,
            SharedFunctions::Loopback => return Self::Loopback,
            SharedFunctions::LocalMemory { bytes } => return Self::LocalMemory(bytes),
            SharedFunctions::Around { environment, sampling, rendering } => {
                (environment, sampling, rendering)
            }
        };
        match (sampling, rendering) {
            (None, None) => Self::Around(environment),
            (Some(sampling), None) => Self::Sampled(environment, sampling),
            (None, Some(rendering)) => Self::Drawn(environment, rendering),
            (Some(sampling), Some(rendering)) => {
                Self::SampledAndDrawn(environment, sampling, rendering)
            }
        }
    }
}

impl SharedFunctions {
    /// Those that need surfaces and the like, without samplers and colour calculator state.
    #[must_use]
    pub fn around(environment: Environment) -> Self {
        Self::Around { environment: Box::new(environment), sampling: None, rendering: None }
    }

    /// Bytes of shared local memory (Gen7 and later).
    #[must_use]
    pub fn local_bytes(&self) -> usize {
        match self {
            Self::LocalMemory { bytes } => (*bytes as usize).min(memory::LOCAL_BYTES),
            Self::None | Self::Loopback | Self::Around { .. } => memory::LOCAL_BYTES,
        }
    }

    /// Whether the data cache of Gen7 and later answers.
    #[must_use]
    pub const fn has_data_cache(&self) -> bool {
        !matches!(self, Self::Loopback)
    }

    /// The same with what the Sampling Engine needs; others have none of it.
    #[must_use]
    pub fn with_sampling(mut self, new: Sampling) -> Self {
        if let Self::Around { sampling, .. } = &mut self {
            *sampling = Some(Box::new(new));
        }
        self
    }

    /// The same with what render target writes meet besides; others have none of it.
    #[must_use]
    pub fn with_rendering(mut self, new: Rendering) -> Self {
        if let Self::Around { rendering, .. } = &mut self {
            *rendering = Some(Box::new(new));
        }
        self
    }

    /// What messages meet beside memory, if the case has it.
    #[must_use]
    pub fn environment(&self) -> Option<&Environment> {
        match self {
            Self::Around { environment, .. } => Some(environment),
            Self::None | Self::Loopback | Self::LocalMemory { .. } => None,
        }
    }

    /// The same, to change.
    pub fn environment_mut(&mut self) -> Option<&mut Environment> {
        match self {
            Self::Around { environment, .. } => Some(environment),
            Self::None | Self::Loopback | Self::LocalMemory { .. } => None,
        }
    }

    /// What the Sampling Engine meets, if the case has it.
    #[must_use]
    pub fn sampling(&self) -> Option<&Sampling> {
        match self {
            Self::Around { sampling, .. } => sampling.as_deref(),
            Self::None | Self::Loopback | Self::LocalMemory { .. } => None,
        }
    }

    /// The same, to change.
    pub fn sampling_mut(&mut self) -> Option<&mut Sampling> {
        match self {
            Self::Around { sampling, .. } => sampling.as_deref_mut(),
            Self::None | Self::Loopback | Self::LocalMemory { .. } => None,
        }
    }

    /// What render target writes meet besides surfaces, if the case says so.
    #[must_use]
    pub fn rendering(&self) -> Option<&Rendering> {
        match self {
            Self::Around { rendering, .. } => rendering.as_deref(),
            Self::None | Self::Loopback | Self::LocalMemory { .. } => None,
        }
    }

    /// The same, to change.
    pub fn rendering_mut(&mut self) -> Option<&mut Rendering> {
        match self {
            Self::Around { rendering, .. } => rendering.as_deref_mut(),
            Self::None | Self::Loopback | Self::LocalMemory { .. } => None,
        }
    }
}
