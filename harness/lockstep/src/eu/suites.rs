//! The suites of execution units.

use parallax_executor::eu::Executor;
use parallax_isa::Device;
use parallax_reference::eu::Reference;

use super::{Eu, assembly::Assembly, encoding::Encoding, flow::Flow, generate};
use crate::suite::{LockstepSuite, Suite};

/// Every suite on a device with Intel execution units.
#[must_use]
pub fn suites(device: Device) -> Vec<Box<dyn Suite>> {
    if !Device::EU.contains(&device) {
        return Vec::new();
    }
    let lockstep = LockstepSuite::<Eu, _, _>::new(
        "eu",
        device,
        (generate::straight_line, generate::BYTES),
        Reference::new,
        Executor::new,
    );
    vec![
        Box::new(lockstep),
        Box::new(Flow::new(device)),
        Box::new(Assembly::new(device)),
        Box::new(Encoding::new(device)),
    ]
}
