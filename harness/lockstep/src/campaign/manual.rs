//! Devices that run the same instructions by the same rules.

use parallax_isa::Device;

/// The manual that a device's programs are of: its devices run the same instructions by the same rules.
pub(super) fn manual(device: &str) -> &'static str {
    let Ok(device) = device.parse::<Device>() else { return "" };
    let manuals: [&[Device]; 4] = [&Device::GEN4, &Device::GEN7, &[Device::Dg1], &[Device::Rv770]];
    let of_device = manuals.into_iter().find(|devices| devices.contains(&device));
    of_device.and_then(<[_]>::first).map_or("", |device| device.name())
}
