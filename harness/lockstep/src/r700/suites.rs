//! The suites of R700.

mod flow;
mod text;

use parallax_executor::r700::Executor;
use parallax_isa::Device;
use parallax_reference::r700::Reference;

use self::{flow::Flow, text::Text};
use super::{
    R700,
    generate::{self, memory},
};
use crate::suite::{LockstepSuite, Suite};

/// Every suite of R700 programs on a device.
#[must_use]
pub fn suites(device: Device) -> Vec<Box<dyn Suite>> {
    if device != Device::Rv770 {
        return Vec::new();
    }
    let groups = LockstepSuite::<R700, _, _>::new(
        "r700",
        device,
        (generate::groups, generate::BYTES),
        Reference::new,
        Executor::new,
    );
    let memory = LockstepSuite::<R700, _, _>::new(
        "r700-memory",
        device,
        (memory::memory, memory::BYTES),
        Reference::new,
        Executor::new,
    );
    vec![
        Box::new(groups),
        Box::new(memory),
        Box::new(Flow::new(device)),
        Box::new(Text::new(device)),
    ]
}
