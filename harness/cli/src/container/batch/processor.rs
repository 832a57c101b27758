//! Processors by their PCI ids, and how commands are laid out for them.

use parallax_isa::Device;

/// How the commands of a generation are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Addresses have one word, and kernels are found through the states of stages: Gen4 and Gen4.5.
    States,
    /// Addresses have one word: Gen7.
    Short,
    /// Addresses have two words: Gen8 and later.
    Long,
}

/// The processor of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::container) struct Processor {
    /// The device, if it is one here.
    pub(super) device: Option<Device>,
    /// A device whose machine code is the same, as far as the end of a kernel goes.
    pub(super) decoded_as: Device,
    pub(super) layout: Layout,
}

/// Processors by the first and last of their PCI ids. Those without a device have the machine code of the one named.
const PROCESSORS: [(u32, u32, Device, bool); 17] = [
    (0x2972, 0x2972, Device::Bw, true),
    (0x2982, 0x2982, Device::Bw, true),
    (0x2992, 0x2992, Device::Bw, true),
    (0x29A2, 0x29A2, Device::Bw, true),
    (0x2A02, 0x2A12, Device::Cl, true),
    // The first steppings are ctg.
    (0x2A42, 0x2A42, Device::G45, true),
    (0x2E02, 0x2E92, Device::G45, true),
    (0x0152, 0x016A, Device::Ivb, true),
    (0x1902, 0x193D, Device::Skl, true),
    (0x4905, 0x4909, Device::Dg1, true),
    // Broxton, Kaby Lake, Gemini Lake, Coffee Lake: Gen9 too.
    (0x5A84, 0x5A85, Device::Skl, false),
    (0x5902, 0x593B, Device::Skl, false),
    (0x3184, 0x3185, Device::Skl, false),
    (0x3E90, 0x3EA9, Device::Skl, false),
    // Rocket Lake, Tiger Lake, Alder Lake: Gen12 too.
    (0x4C80, 0x4C9A, Device::Dg1, false),
    (0x9A40, 0x9AF8, Device::Dg1, false),
    (0x4680, 0x46D2, Device::Dg1, false),
];

impl Processor {
    /// The processor of a PCI id.
    pub(in crate::container) fn of(id: u32) -> Result<Self, String> {
        let known = PROCESSORS.iter().find(|(first, last, ..)| (*first..=*last).contains(&id));
        let Some((.., device, is_it)) = known else {
            return Err(format!(
                "PCI ID {id:#06x} is of a processor whose commands are not read; expected one of bw, cl, g45, ivb, \
                 skl or dg1"
            ));
        };
        let layout = match device {
            Device::Ivb => Layout::Short,
            Device::Skl | Device::Dg1 => Layout::Long,
            _ => Layout::States,
        };
        Ok(Self { device: is_it.then_some(*device), decoded_as: *device, layout })
    }
}
