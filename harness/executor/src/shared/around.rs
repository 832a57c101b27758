//! What a case has around its thread.

use parallax_isa::{
    Device,
    eu::register::REGISTER_BYTES,
    shared::{Environment, LaunchMemory, Memory, Reach, Rendering, SharedFunctions, Unanswered},
};

use super::{
    data_port::{OctwordBlock, Surfaces},
    gateway::{Arrival, Threads},
    sampler::Textures,
    targets::Targets,
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
    /// The words of each register that the last reply writes, if they are no whole doublewords: bit 0 is the
    /// first. Its doublewords are not enabled then.
    pub(crate) words: Option<u16>,
    has_environment: bool,
    textures: Option<Box<Textures>>,
    /// What typed and render target messages reach (Gen7 and later).
    pub(super) targets: Option<Box<Targets>>,
    pub(super) functions: Option<Box<Functions>>,
}

/// What Gen4 and Gen4.5 have besides.
#[derive(Debug)]
pub(super) struct Functions {
    pub(super) surfaces: Surfaces,
    pub(super) urb: Urb,
    pub(super) threads: Threads,
    pub(super) rendering: Rendering,
}

impl Functions {
    fn of(choice: &SharedFunctions, environment: &Environment, device: Device) -> Self {
        Self {
            surfaces: Surfaces::of(environment, device),
            urb: Urb::of(environment, device == Device::G45),
            threads: Threads::of(environment, device == Device::G45),
            rendering: choice.rendering().cloned().unwrap_or_default(),
        }
    }
}

impl Around {
    pub(crate) fn of(choice: &SharedFunctions, device: Device) -> Self {
        let environment = choice.environment();
        let sampling = environment.zip(choice.sampling());
        let is_later = Device::LATER.contains(&device);
        let early = environment.filter(|_| !is_later);
        let later = environment.filter(|_| is_later);
        Self {
            local_bytes: choice.local_bytes(),
            has_environment: environment.is_some(),
            textures: sampling.map(|(environment, sampling)| {
                Box::new(Textures::of(environment, sampling, device))
            }),
            targets: later.map(|environment| Box::new(Targets::of(environment, device))),
            functions: early
                .map(|environment| Box::new(Functions::of(choice, environment, device))),
            ..Self::default()
        }
    }

    /// What messages of the data cache reach.
    pub(super) fn reach<'m>(&'m mut self, memory: &'m mut Memory) -> Reach<'m> {
        Reach::new(memory, self.launch.as_deref_mut())
    }

    /// What can be sampled, where the case has surfaces.
    pub(super) fn textures(&mut self) -> Result<&mut Textures, Unanswered> {
        let none = Unanswered::NoSuchFunction("no samplers are there");
        self.textures.as_deref_mut().ok_or(none)
    }

    /// Whether messages can reach graphics memory.
    pub(crate) fn has_memory(&self) -> bool {
        self.has_environment
    }

    /// The block of octwords that a descriptor asks for, if nothing that a message of it says is refused.
    pub(crate) fn octword_block(&self, descriptor: u32) -> Option<OctwordBlock> {
        OctwordBlock::of(descriptor, &self.functions.as_ref()?.surfaces)
    }

    /// Keeps the registers that a thread begins with, which messages of Gen7 and later without a header mean.
    pub(crate) fn begin(&mut self, registers: &[[u8; REGISTER_BYTES]]) {
        if let Some(targets) = &mut self.targets {
            targets.begin(registers);
        }
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
