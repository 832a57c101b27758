//! Which devices a rule is about.

use parallax_isa::Device;
use parallax_spec::{Level, Rule, rules::RULES};

/// The devices of a catalogue, by how its name begins; the first device is the one to look at first.
const CATALOGUES: [(&str, &[&str]); 6] = [
    ("g45", &["g45", "ctg", "cl", "bw"]),
    ("dg1", &["dg1"]),
    ("r700", &["rv770"]),
    ("gen7", &["ivb", "skl"]),
    ("eu-legality", &["skl", "ivb", "dg1", "g45", "ctg", "cl", "bw"]),
    ("", &["skl", "ivb", "dg1"]),
];

/// The devices of rules whose catalogue describes others too, by how their ids begin.
const GENERATIONS: [(&str, &[&str]); 4] = [
    ("gen7.inst.", &["ivb"]),
    ("gen9.inst.", &["skl"]),
    ("gen9.", &["skl", "dg1"]),
    ("gen12.", &["dg1"]),
];

/// Names of the devices that a rule is about.
pub(crate) fn devices(rule: &Rule) -> &'static [&'static str] {
    let by_id = GENERATIONS.iter().find(|(start, _)| rule.id.starts_with(start));
    let by_catalogue = || CATALOGUES.iter().find(|(start, _)| rule.catalogue.starts_with(start));
    by_id.or_else(by_catalogue).map_or(&[][..], |(_, devices)| devices)
}

/// Whether a rule is about a device.
pub(crate) fn describes(rule: &Rule, device: Device) -> bool {
    devices(rule).contains(&device.name())
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
