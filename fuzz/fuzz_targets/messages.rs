//! A generated program with messages runs on both execution unit engines, on the device that the first
//! byte chooses.

#![no_main]

use libfuzzer_sys::fuzz_target;
use parallax_isa::Device;
use parallax_lockstep::eu::{Eu, generate};

fuzz_target!(|bytes: &[u8]| {
    let (device, rest) = bytes.split_first().unwrap_or((&0, &[]));
    // Gen12 has no data cache yet.
    let devices = &Device::EU[..Device::EU.len() - 1];
    let device = devices[usize::from(*device) % devices.len()];
    parallax_fuzz::agree::<Eu>(&generate::messages(device, rest));
});
