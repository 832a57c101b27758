//! What Gen4 and Gen4.5 have behind their messages.

use parallax_isa::{
    Device,
    shared::{LaunchMemory, Memory, Reach, Rendering, Request, SharedFunctions, Unanswered},
};

use super::{
    Reply, SharedFunction, data_port,
    data_port::{OctwordBlock, Surfaces},
    extended_math,
    gateway::{Arrival, Threads},
    refuse,
    sampler::Textures,
    urb::Urb,
};

/// What a case has around its thread, resolved when it is loaded.
#[derive(Debug, Default)]
pub(crate) struct Around {
    /// Bytes of shared local memory (Gen7 and later).
    pub(super) local_bytes: usize,
    /// The memory of the launch that the thread is a part of, if it is.
    pub(crate) launch: Option<Box<LaunchMemory>>,
    /// The thread gets a notification.
    pub(crate) is_notified: bool,
    functions: Option<Box<Functions>>,
}

/// Those that need more than registers.
#[derive(Debug)]
struct Functions {
    surfaces: Surfaces,
    textures: Option<Textures>,
    urb: Urb,
    threads: Threads,
    rendering: Rendering,
}

impl Around {
    pub(crate) fn of(choice: &SharedFunctions, device: Device) -> Self {
        let functions = choice.environment().map(|environment| {
            Box::new(Functions {
                surfaces: Surfaces::of(environment, device),
                textures: choice
                    .sampling()
                    .map(|sampling| Textures::of(environment, sampling, device)),
                urb: Urb::of(environment, device == Device::G45),
                threads: Threads::of(environment, device == Device::G45),
                rendering: choice.rendering().cloned().unwrap_or_default(),
            })
        });
        Self { functions, ..Self::with_local_memory(choice.local_bytes()) }
    }

    /// Nothing but so many bytes of shared local memory.
    pub(crate) fn with_local_memory(local_bytes: usize) -> Self {
        Self { local_bytes, ..Self::default() }
    }

    /// What messages of the data cache reach.
    pub(super) fn reach<'m>(&'m mut self, memory: &'m mut Memory) -> Reach<'m> {
        Reach::new(memory, self.launch.as_deref_mut())
    }

    /// Whether messages can reach memory.
    pub(crate) fn has_memory(&self) -> bool {
        self.functions.is_some()
    }

    /// The block of octwords that a descriptor asks for, if nothing that a message of it says is refused.
    pub(crate) fn octword_block(&self, descriptor: u32) -> Option<OctwordBlock> {
        OctwordBlock::of(descriptor, &self.functions.as_ref()?.surfaces)
    }

    /// As before the first message.
    pub(crate) fn restart(&mut self) {
        if let Some(functions) = &mut self.functions {
            functions.urb.restart();
            functions.threads.restart();
        }
    }

    /// What has come through the thread's own gateway with the last message.
    pub(crate) fn take_arrival(&mut self) -> Option<Arrival> {
        self.functions.as_mut()?.threads.take_arrival()
    }
}

/// On Gen4.
pub(super) fn answer_gen4(
    request: &Request,
    memory: &mut Memory,
    around: &mut Around,
    reply: &mut Reply,
) -> Result<(), Unanswered> {
    answer(request, memory, around, reply, false)
}

/// On Gen4.5.
pub(super) fn answer_gen45(
    request: &Request,
    memory: &mut Memory,
    around: &mut Around,
    reply: &mut Reply,
) -> Result<(), Unanswered> {
    answer(request, memory, around, reply, true)
}

const _: [SharedFunction; 2] = [answer_gen4, answer_gen45];

fn answer(
    request: &Request,
    memory: &mut Memory,
    around: &mut Around,
    reply: &mut Reply,
    is_gen45: bool,
) -> Result<(), Unanswered> {
    match (request.target, &mut around.functions) {
        (0, _) if request.response_length == 0 => return Ok(()),
        (0, _) => return refuse("a reply of nobody"),
        (8.., _) if request.response_length == 0 => return Ok(()),
        (1, _) => extended_math::answer(request, reply, is_gen45)?,
        (2, Some(functions)) => match &mut functions.textures {
            Some(textures) => textures.answer(request, memory, reply)?,
            None => return Err(Unanswered::NoSuchFunction("no samplers are there")),
        },
        (3, Some(functions)) => *reply = functions.threads.answer(request, memory)?,
        (4, Some(functions)) => *reply = data_port::read(request, memory, &functions.surfaces)?,
        (5, Some(functions)) => {
            data_port::write(request, memory, &functions.surfaces, &functions.rendering)?;
        }
        (6, Some(functions)) => *reply = functions.urb.answer(request, memory)?,
        _ => return Err(Unanswered::NoSuchFunction("nothing is there")),
    }
    Ok(())
}
