//! The suites of execution units.

mod encoding;
mod flow;
mod text;

use parallax_executor::eu::Executor;
use parallax_isa::Device;
use parallax_reference::eu::Reference;

pub use self::encoding::Encoding;
use self::{flow::Flow, text::Text};
use super::{Eu, generate};
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
        Box::new(Text::new(device)),
        Box::new(Encoding::new(device)),
    ]
}
