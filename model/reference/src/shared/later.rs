//! The shared functions of Gen7 and later, by the target of a message.

use parallax_isa::{
    Device,
    device::Generation,
    shared::{Request, Unanswered},
};

use super::{
    Reply, SharedFunction, World, data_cache::DataCache, picture::SAMPLING_ENGINE, sampler,
};

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
}

impl SharedFunction for LaterFunctions {
    fn answer(&self, request: &Request, world: &mut World) -> Result<Reply, Unanswered> {
        // Decision D-eu-later-surfaces.
        match request.target {
            SAMPLING_ENGINE if world.environment.is_some() => {
                sampler::answer(self.device, request, world)
            }
            _ => self.data_cache.answer(request, world),
        }
    }
}
