//! Which devices a rule document describes.

use parallax_isa::Device;
use parallax_spec::{Level, Rule, rules::RULES};

/// The devices of a catalogue, by how its name begins; the first device is the one to look at first.
const DEVICES: [(&str, &[&str]); 5] = [
    ("g45", &["g45", "ctg", "cl", "bw"]),
    ("dg1", &["dg1"]),
    ("r700", &["rv770"]),
    ("gen7", &["ivb", "skl"]),
    ("", &["skl", "ivb", "dg1"]),
];

/// Names of the devices that a catalogue describes.
pub(crate) fn devices(catalogue: &str) -> &'static [&'static str] {
    let row = DEVICES.iter().find(|(start, _)| catalogue.starts_with(start));
    row.map_or(&[][..], |(_, devices)| devices)
}

/// Whether the document of a rule describes a device.
pub(crate) fn describes(rule: &Rule, device: Device) -> bool {
    devices(rule.catalogue).contains(&device.name())
}

/// The binding rules in the documents that describe a device.
pub(crate) fn binding(device: Device) -> impl Iterator<Item = &'static Rule> {
    RULES.iter().filter(move |rule| rule.level == Level::Must && describes(rule, device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_device_and_every_rule_have_documents() {
        for device in Device::ALL {
            assert!(binding(device).count() > 100, "{device}");
        }
        for rule in RULES.iter() {
            assert!(Device::ALL.into_iter().any(|device| describes(rule, device)), "{}", rule.id);
        }
    }
}
