//! The suites of surfaces.

mod channels;

use parallax_executor::surface::Executor;
use parallax_isa::Device;
use parallax_reference::surface::Reference;

use self::channels::Channels;
use super::{
    Surface,
    generate::{self, pixels},
};
use crate::suite::{LockstepSuite, Suite, comparison::ComparisonSuite};

/// Every suite on a device: formats, what is done to pixels, and on DG1 what
/// becomes of channels.
#[must_use]
pub fn suites(device: Device) -> Vec<Box<dyn Suite>> {
    let formats = LockstepSuite::<Surface, _, _>::new(
        "formats",
        device,
        (generate::formats, generate::BYTES),
        Reference::new,
        Executor::new,
    );
    if device == Device::Rv770 {
        return vec![Box::new(formats)];
    }
    let pixels = LockstepSuite::<Surface, _, _>::new(
        "pixels",
        device,
        (pixels::pixels, generate::BYTES),
        Reference::new,
        Executor::new,
    );
    let mut suites: Vec<Box<dyn Suite>> = vec![Box::new(formats), Box::new(pixels)];
    if device == Device::Dg1 {
        suites.push(Box::new(ComparisonSuite::new("channels", device, |_| Channels)));
    }
    suites
}
