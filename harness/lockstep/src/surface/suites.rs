//! The suites of surfaces.

mod channels;
pub mod rows;

use std::sync::Arc;

use parallax_isa::{Device, surface::catalogue};

use self::{
    channels::Channels,
    rows::{Rows, rows},
};
use super::{
    Surface,
    generate::{self, pixels},
    outside::Limited,
};
use crate::{
    outside::{Limits, Outside, OutsideEngine},
    subject::Maker,
    suite::{Suite, has_cases},
    suites::{comparison::ComparisonSuite, lockstep::LockstepSuite},
};

/// Every suite on a device: formats, what is done to pixels, and on DG1 what
/// becomes of channels.
#[must_use]
pub fn suites(device: Device) -> Vec<Box<dyn Suite>> {
    if catalogue(device).is_empty() {
        return Vec::new();
    }
    let mut suites: Vec<Box<dyn Suite>> =
        vec![Box::new(formats(device)), Box::new(rows(device, Rows::EXECUTOR))];
    if device != Device::Rv770 {
        suites.push(Box::new(operations(device)));
    }
    if device == Device::Dg1 {
        suites.push(Box::new(ComparisonSuite::new("channels", device, |_| Channels)));
    }
    suites
}

/// The suite `formats` on a device.
fn formats(device: Device) -> LockstepSuite<Surface> {
    let generate = move |bytes: &[u8]| generate::formats(device, bytes);
    LockstepSuite::<Surface>::new("formats", device.name(), generate::BYTES, generate)
}

/// The suite `pixels` on a device.
fn operations(device: Device) -> LockstepSuite<Surface> {
    let generate = move |bytes: &[u8]| pixels::pixels(device, bytes);
    LockstepSuite::<Surface>::new("pixels", device.name(), generate::BYTES, generate)
}

/// The suites on a device that an engine outside of this process can run, limited to what it declares.
pub(super) fn outside(device: Device, outside: &Arc<Outside>) -> Vec<Box<dyn Suite>> {
    if catalogue(device).is_empty() {
        return Vec::new();
    }
    let limits: Arc<dyn Limits<Surface>> = Arc::new(Limited(Arc::new(outside.hello().clone())));
    let engine: Maker<Surface> = {
        let outside = Arc::clone(outside);
        Arc::new(move || Box::new(OutsideEngine::<Surface>::new(Arc::clone(&outside))))
    };
    let pixels = (device != Device::Rv770).then(|| operations(device));
    let suites = std::iter::once(formats(device)).chain(pixels);
    let limited = suites.map(|suite| suite.outside(Arc::clone(&engine), Arc::clone(&limits)));
    let limited = limited.map(|suite| Box::new(suite) as Box<dyn Suite>);
    limited.filter(|suite| has_cases(&**suite)).collect()
}
