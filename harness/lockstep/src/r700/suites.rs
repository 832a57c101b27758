//! The suites of R700.

mod text;

use parallax_executor::r700::Executor;
use parallax_isa::Device;
use parallax_reference::r700::Reference;

use self::text::Texts;
use super::{
    R700, flow,
    generate::{self, memory},
};
use crate::suite::{LockstepSuite, Suite, comparison::ComparisonSuite, followed::FollowedSuite};

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
    let flow = FollowedSuite::<R700, _, _, _> {
        name: "r700-flow",
        device,
        generate: flow::flowing,
        bytes: flow::BYTES,
        follow: flow::check,
        reference: Reference::new,
        engine: Executor::new,
    };
    vec![
        Box::new(groups),
        Box::new(memory),
        Box::new(flow),
        Box::new(ComparisonSuite::new("r700-assembly", device, Texts::new)),
    ]
}
