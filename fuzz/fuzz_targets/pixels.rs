//! Generated operations on pixels go through both engines.

#![no_main]

use libfuzzer_sys::fuzz_target;
use parallax_isa::Device;
use parallax_lockstep::surface::{Surface, generate::pixels};

fuzz_target!(|bytes: &[u8]| {
    let (device, rest) = bytes.split_first().unwrap_or((&0, &[]));
    let device = [Device::G45, Device::Dg1][usize::from(*device) % 2];
    parallax_fuzz::agree::<Surface>(&pixels::pixels(device, rest));
});
