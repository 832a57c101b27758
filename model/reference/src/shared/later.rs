//! The shared functions of Gen7 and later, by the target of a message.

use parallax_isa::{
    Device,
    device::Generation,
    shared::{Request, Unanswered},
};

use super::{
    Reply, SharedFunction, World, data_cache::DataCache, picture::SAMPLING_ENGINE, render_target,
    sampler, typed_surface,
};

/// Codes of shared functions.
pub(crate) const RENDER_CACHE: u8 = 5;
const DATA_CACHE_1: u8 = 12;

/// Those of a device.
#[derive(Debug)]
pub(crate) struct LaterFunctions {
    device: Device,
    data_cache: DataCache,
}

const IVB: LaterFunctions = LaterFunctions { device: Device::Ivb, data_cache: DataCache::GEN7 };
const SKL: LaterFunctions = LaterFunctions { device: Device::Skl, data_cache: DataCache::GEN9 };
const DG1: LaterFunctions = LaterFunctions { device: Device::Dg1, data_cache: DataCache::GEN12 };

impl LaterFunctions {
    /// Those of a generation that has a device.
    pub(super) fn of(generation: Generation) -> Option<&'static dyn SharedFunction> {
        match generation {
            Generation::Gen7 => Some(&IVB),
            Generation::Gen9 => Some(&SKL),
            Generation::Gen12 => Some(&DG1),
            _ => None,
        }
    }

    /// Whether a message is one to a typed surface: those have a port of their own on each generation.
    fn is_typed(&self, request: &Request) -> bool {
        // Decision D-eu-later-typed.
        let (port, type_bits) = match self.device.generation() {
            Some(Generation::Gen7) => (RENDER_CACHE, 0xF),
            _ => (DATA_CACHE_1, 0x1F),
        };
        request.target == port && typed_surface::is_type(request.function_control >> 14 & type_bits)
    }
}

impl SharedFunction for LaterFunctions {
    fn answer(&self, request: &Request, world: &mut World) -> Result<Reply, Unanswered> {
        // Decision D-eu-later-surfaces.
        match request.target {
            _ if world.environment.is_none() => self.data_cache.answer(request, world),
            SAMPLING_ENGINE => sampler::answer(self.device, request, world),
            _ if self.is_typed(request) => typed_surface::answer(self.device, request, world),
            RENDER_CACHE => render_target::answer(self.device, request, world),
            _ => self.data_cache.answer(request, world),
        }
    }
}
