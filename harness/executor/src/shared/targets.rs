//! Typed surface messages, render target writes and reads of Gen7 and later: texels one by one, in the order of
//! channels.

mod render_target;
mod surface;
#[cfg(test)]
mod tests;
mod typed;

use std::collections::HashMap;

use parallax_isa::{
    Device,
    eu::register::REGISTER_BYTES,
    shared::{Environment, Memory, Request, Unanswered},
    surface::Use,
};

use super::{Reply, refuse, surface_state::Columns};
use surface::Target;

/// A register.
type Register = [u8; REGISTER_BYTES];

/// Registers that a thread begins with and that messages without a header mean.
const FIRST: usize = 3;

/// The shared functions that take such messages.
const RENDER_CACHE: u8 = 5;
const DATA_CACHE_1: u8 = 12;

/// The index of a surface state that is in no table (Gen9 and later).
const BINDLESS: u8 = 252;

/// What a message asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Job {
    TypedRead,
    TypedWrite,
    TypedAtomic,
    Write,
    Read,
}

impl Job {
    /// What messages to the render cache ask for by bits 17:14 (tables `eu-typed-surface-by-gen`,
    /// `eu-rt-descriptor-by-gen`).
    fn of_render_cache(kind: u32, device: Device) -> Option<Self> {
        match (kind, device) {
            (12, _) => Some(Self::Write),
            (_, Device::Ivb) => Self::typed(kind),
            (13, _) => Some(Self::Read),
            _ => None,
        }
    }

    fn typed(kind: u32) -> Option<Self> {
        match kind {
            5 => Some(Self::TypedRead),
            6 => Some(Self::TypedAtomic),
            13 => Some(Self::TypedWrite),
            _ => None,
        }
    }

    /// What a surface's format has to be there for.
    fn purpose(self) -> Use {
        match self {
            Self::TypedRead => Use::TypedRead,
            Self::TypedWrite => Use::TypedWrite,
            Self::TypedAtomic => Use::TypedAtomic,
            Self::Write | Self::Read => Use::RenderTarget,
        }
    }
}

/// Everything that can be written to. What a surface state says is worked out when it is first used.
#[derive(Debug)]
pub(super) struct Targets {
    device: Device,
    heap: Vec<u32>,
    /// The binding table pointer.
    table: u32,
    /// The registers that the thread began with.
    first: [Register; FIRST],
    known: HashMap<(u8, Use), Target>,
}

impl Targets {
    pub(super) fn of(environment: &Environment, device: Device) -> Self {
        Self {
            device,
            heap: environment.surface_states.clone(),
            table: environment.binding_table,
            first: [[0; REGISTER_BYTES]; FIRST],
            known: HashMap::new(),
        }
    }

    /// Keeps the registers that a thread begins with.
    pub(super) fn begin(&mut self, registers: &[Register]) {
        self.first.copy_from_slice(&registers[..FIRST]);
    }

    /// Whether a message is for them.
    pub(super) fn take(&self, request: &Request) -> bool {
        request.target == RENDER_CACHE || self.job(request).is_some()
    }

    fn job(&self, request: &Request) -> Option<Job> {
        let bits = request.function_control;
        match request.target {
            RENDER_CACHE => Job::of_render_cache(bits >> 14 & 15, self.device),
            DATA_CACHE_1 if self.device != Device::Ivb => Job::typed(bits >> 14 & 31),
            _ => None,
        }
    }

    /// The reply to a message.
    pub(super) fn answer(
        &mut self,
        request: &Request,
        memory: &mut Memory,
    ) -> Result<Reply, Unanswered> {
        let Some(job) = self.job(request) else {
            return refuse("a type of message that the render cache does not describe");
        };
        let key = (request.function_control as u8, job.purpose());
        if !self.known.contains_key(&key) {
            let state = self.state(key.0)?;
            self.known.insert(key, Target::new(state, self.device, key.1)?);
        }
        let (target, device, first) = (&self.known[&key], self.device, &self.first);
        let pixels = render_target::Message { request, target, device, first };
        match job {
            Job::Write => pixels.write(memory).map(|()| Reply::default()),
            Job::Read => pixels.read(memory),
            _ => typed::Message { request, target, device }.answer(job, memory),
        }
    }

    /// The surface state of a binding table index.
    fn state(&self, index: u8) -> Result<&[u32], Unanswered> {
        if index == BINDLESS {
            return refuse("a surface state of another base");
        }
        let state = Columns::of(self.device).bound(&self.heap, self.table, index.into());
        state.map_or_else(|| refuse("a surface state beyond the bound"), Ok)
    }
}

/// A doubleword of a register.
fn dword(register: &Register, lane: usize) -> u32 {
    u32::from_le_bytes(register.as_chunks::<4>().0[lane])
}

/// A word of a register.
fn word(register: &Register, lane: usize) -> u16 {
    u16::from_le_bytes(register.as_chunks::<2>().0[lane])
}

/// Puts a component of a channel into a reply.
fn put(reply: &mut Reply, register: usize, lane: usize, bits: u32) {
    reply[register].bytes.as_chunks_mut::<4>().0[lane] = bits.to_le_bytes();
    reply[register].enables |= 1 << lane;
}
