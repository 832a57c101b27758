//! The suites of surfaces.

mod channels;
pub mod rows;

use parallax_isa::{Device, surface::catalogue};

use self::{
    channels::Channels,
    rows::{Rows, rows},
};
use super::{
    Surface,
    generate::{self, pixels},
};
use crate::suite::{Suite, comparison::ComparisonSuite, lockstep::LockstepSuite};

/// Every suite on a device: formats, what is done to pixels, and on DG1 what
/// becomes of channels.
#[must_use]
pub fn suites(device: Device) -> Vec<Box<dyn Suite>> {
    if catalogue(device).is_empty() {
        return Vec::new();
    }
    let formats = move |bytes: &[u8]| generate::formats(device, bytes);
    let formats = LockstepSuite::<Surface>::new("formats", device.name(), generate::BYTES, formats);
    if device == Device::Rv770 {
        return vec![Box::new(formats), Box::new(rows(device, Rows::EXECUTOR))];
    }
    let pixels = move |bytes: &[u8]| pixels::pixels(device, bytes);
    let pixels = LockstepSuite::<Surface>::new("pixels", device.name(), generate::BYTES, pixels);
    let mut suites: Vec<Box<dyn Suite>> =
        vec![Box::new(formats), Box::new(rows(device, Rows::EXECUTOR)), Box::new(pixels)];
    if device == Device::Dg1 {
        suites.push(Box::new(ComparisonSuite::new("channels", device, |_| Channels)));
    }
    suites
}
